"""Suites from outside: what comes in, and what is refused with its place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from tests.evals.suites.test_kit import MOON, ONE_FILE, asked, choice_task, label_task

from hengfa.base.data.catalogue import load_entry
from hengfa.base.errors import DataError, HengfaError, UsageError
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.results.published import papers
from hengfa.evals.runs.cells import score_task
from hengfa.evals.suites import kit, registry
from hengfa.evals.suites.base import AnyTask, Attempt, Rules, Suite
from hengfa.evals.suites.plan import make_plan
from hengfa.evals.suites.registry import get_suite, suite_names, use_file


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(registry.FILES, "")
    yield
    monkeypatch.setenv(registry.FILES, "")
    registry.outside_suites()  # forgets their packs and tables


def suite_of(*tasks: AnyTask, **more: Any) -> Suite:
    made = kit.suite("little", "小", "little", list(tasks), files=("*.jsonl",), licence="ours")
    return replace(made, **more)


def refused(suite: object) -> str:
    with pytest.raises(HengfaError) as error:
        registry._check_suite(suite, "little.py")
    return str(error.value)


def test_a_file_becomes_a_suite_among_equals() -> None:
    suite = use_file(ONE_FILE)
    assert get_suite("mooncourt") is suite
    assert suite_names()[-1] == "mooncourt" and suite_names()[0] == "lawbench"
    assert load_entry("mooncourt").licence == "Apache-2.0"
    assert suite.tasks["1-1"].samples(MOON, "zero-shot", {})


def test_a_suite_that_is_not_here_says_how_to_take_it_in() -> None:
    with pytest.raises(UsageError, match=r"no suite 'nowhere'.*--suite FILE\.py"):
        get_suite("nowhere")


def test_every_suite_of_this_house_holds_together() -> None:
    for name in registry.OWN:
        assert get_suite(name).name == name


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"settings": ()}, "little.py, field 'settings': there is none"),
        ({"tasks": {}}, "little.py, field 'tasks': there is none"),
        ({"name": "Little One"}, "little.py, field 'name'"),
        ({"settings": ("a b",)}, "'a b' has a blank"),
        ({"tasks": {"other": label_task()}}, "tasks[other]': is the task '1'"),
        ({"figures": lambda scores: {"mean": scores["nowhere"]}}, "'figures': fails on the scores"),
    ],
)
def test_what_is_wrong_with_a_declaration_is_said_with_its_place(
    changed: dict[str, Any], said: str
) -> None:
    assert said in refused(suite_of(label_task(), **changed))


def test_an_unknown_metric_is_refused_when_the_suite_comes_in() -> None:
    said = refused(suite_of(replace(label_task(), metric="acuracy")))
    assert "field 'tasks[1].metric': 'acuracy' is none of what its official rules give" in said
    assert "cluster': 'law' is no facet" in refused(suite_of(replace(label_task(), cluster="law")))
    assert "declares no SUITE" in refused(None)


def test_two_tasks_with_one_id_are_refused() -> None:
    with pytest.raises(DataError, match="two tasks have the id '1'"):
        suite_of(label_task(), label_task())


def scored(task: AnyTask, text: str = "盗窃") -> None:
    attempt = Attempt(asked("盗窃"), Response(Status.ANSWERED, text))
    score_task(task, task.rule_set(Rules.OFFICIAL), [attempt])


def test_a_score_is_between_nothing_and_everything() -> None:
    high = kit.TextMetric("points", "char", lambda _text, _reference: 7.0)
    seven = kit.writing(
        "7", "七", "seven", load=kit.rows("7.jsonl", type(asked(""))), metric=high,
        question=lambda s: s.question, gold=lambda s: s.answer,
    )  # fmt: skip
    with pytest.raises(DataError, match="task 7, row 0: points is 7, and a score is"):
        scored(seven)
    scored(label_task())


def test_rules_that_do_not_give_the_metric_are_named_where_they_are_used() -> None:
    with pytest.raises(DataError, match=r"task 1: its rules give no 'nothing'.*give: accuracy"):
        scored(replace(label_task(), metric="nothing"))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("SUITE = 7", "declares no SUITE"),
        ("import nowhere_at_all", "fails with ModuleNotFoundError"),
        ("def (", "fails with SyntaxError"),
        (
            "from hengfa.evals.suites.lawbench.suite import SUITE",
            "there is a suite 'lawbench' already",
        ),
    ],
)
def test_a_file_that_is_no_suite_says_why(tmp_path: Path, code: str, said: str) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(code, "utf-8")
    with pytest.raises(HengfaError, match=said):
        use_file(file)


def test_choice_tasks_work_in_a_suite() -> None:
    assert registry._check_suite(suite_of(choice_task(), label_task()), "x").tasks.keys() == {
        "4",
        "1",
    }


def test_tables_of_papers_come_with_the_suite(tmp_path: Path) -> None:
    (tmp_path / "papers.csv").write_text("suite,paper\nmooncourt,月湖论文\n", "utf-8")
    (tmp_path / "mooncourt.csv").write_text(
        "setting,model,title,source,1-1 %\nzero-shot,m,M,table 1,50.0\n", "utf-8"
    )
    papers.set_outside({"mooncourt": tmp_path})
    try:
        assert papers.paper_of("mooncourt") == "月湖论文"
        assert papers.table_names("mooncourt") == ["mooncourt"]
        (row,) = papers.published("mooncourt", "zero-shot")
        assert row.tasks == {"1-1": 0.5}
        assert "lawbench" in papers.table_names()
    finally:
        papers.set_outside({})
    with pytest.raises(DataError, match="'other' is not in it"):
        papers.set_outside({"other": tmp_path})


def test_a_data_folder_may_lack_the_files_of_tasks_that_are_not_asked_for(tmp_path: Path) -> None:
    use_file(ONE_FILE)
    (tmp_path / "1_1.jsonl").write_bytes((MOON / "1_1.jsonl").read_bytes())
    assert len(make_plan("mooncourt/1-1", data=str(tmp_path))) == 6
    with pytest.raises(DataError, match="2_1"):
        make_plan("mooncourt", data=str(tmp_path))


def test_a_file_that_was_changed_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "moon.py"
    text = ONE_FILE.read_text("utf-8")
    file.write_text(text, "utf-8")
    assert use_file(file).title_en == "Moon Court"
    file.write_text(text.replace('"Moon Court"', '"Sun Court"'), "utf-8")
    os.utime(file, ns=(1, 1))
    assert use_file(file).title_en == "Sun Court"


def test_a_package_whose_suite_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("broken", "nowhere_at_all:SUITE", registry.GROUP)
    monkeypatch.setattr(registry, "_points", lambda: (point,))
    with pytest.raises(UsageError, match=r"entry point nowhere_at_all:SUITE fails with Module"):
        suite_names()
    monkeypatch.undo()
