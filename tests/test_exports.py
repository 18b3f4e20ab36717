"""What `import hengfa` offers: a list that is pinned, typed, and free until it is used."""

from __future__ import annotations

import inspect
import subprocess
import sys
import typing

import pytest

import hengfa

EXPORTS = [
    "CaseRegister", "CaseReport", "CitationReport", "Comparison", "DataError", "Estimate",
    "Exhibit", "FoundVersion", "GraderChoice", "HengfaError", "Hit", "Judgment", "Law", "LookedUp",
    "Model", "Request", "Response", "Rules", "Run", "RunFigures", "Scores", "Status", "Step",
    "TaskFigures", "UsageError", "Version", "__version__", "check_case_numbers", "check_citations",
    "compare", "estimate", "evaluate", "grade", "grader", "load_run", "merge", "paper",
    "parse_judgment", "report", "score", "use_suite",
]  # fmt: skip


def test_the_list_of_exports_is_pinned() -> None:
    """A name that goes, or goes by another, breaks somebody: see CONTRIBUTING."""
    assert sorted(hengfa.__all__) == EXPORTS
    assert set(EXPORTS) <= set(dir(hengfa))


@pytest.mark.parametrize("name", EXPORTS)
def test_every_export_is_there_and_annotated(name: str) -> None:
    value = getattr(hengfa, name)
    if inspect.isfunction(value):
        hints = typing.get_type_hints(value)
        assert hints.keys() == {*inspect.signature(value).parameters, "return"}
        assert value.__doc__
    elif inspect.isclass(value):
        assert value.__doc__
        assert value.__module__.startswith("hengfa.")
        own = vars(value).items()
        for method in [method for name, method in own if not name.startswith("_")]:
            function = getattr(method, "__func__", getattr(method, "fget", method))
            if inspect.isfunction(function) and function.__module__.startswith("hengfa."):
                parameters = set(inspect.signature(function).parameters) - {"self", "cls"}
                assert function.__annotations__.keys() == parameters | {"return"}, function
    else:
        assert isinstance(value, str)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        hengfa.evalute  # noqa: B018  # type: ignore[attr-defined]


def test_importing_imports_nothing_else() -> None:
    """No library, and of ours only what looks for names when they are used."""
    code = (
        "import sys\nbefore = set(sys.modules)\nimport hengfa\n"
        "new = set(sys.modules) - before\n"
        "print(*(name for name in new if name.split('.')[0] not in sys.stdlib_module_names))\n"
        "assert callable(hengfa.evaluate)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == ["hengfa", "hengfa.base", "hengfa.base.lazy"]
