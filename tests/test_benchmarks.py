"""Benchmarks say what they measure, find data as the tests do, and have what they import."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

FOLDER = REPOSITORY / "benchmarks"
HELPER = "shared_data"
SCRIPTS = sorted(file.name for file in FOLDER.glob("*.py") if file.stem != HELPER)
OWN = {"hengfa", "tests", HELPER, *(folder.name for folder in FOLDER.iterdir() if folder.is_dir())}


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HENGFA_SHARED", str(tmp_path))
    return tmp_path


def _run(name: str, *arguments: str, timeout: int = 60) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FOLDER / name), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)


HELP = """
import contextlib, io, json, runpy, sys
helps = {}
for file in map(str, sys.argv[1:]):
    sys.argv = [file, "--help"]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        runpy.run_path(file, run_name="__main__")
    helps[file] = out.getvalue()
print(json.dumps(helps))
"""


@pytest.mark.usefixtures("nowhere")
def test_help_says_what_a_benchmark_needs_and_how_it_is_called() -> None:
    """In one process, which imports what they share once."""
    command = [sys.executable, "-c", HELP, *(str(FOLDER / name) for name in SCRIPTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=FOLDER)
    assert done.returncode == 0, done.stderr
    for file, printed in json.loads(done.stdout).items():
        assert printed.startswith("usage:"), file
        assert f"    python benchmarks/{Path(file).name}" in printed
        assert "\nNeeds " in printed, file


BY_HAND = {"before_after.py": "records all figures, for minutes, before and after a change"}
OF_EXTRAS = ("ray", "torch", "transformers", "bert_score", "pandas", "tiktoken", "tokenizers")
OF_BENCH = ("jieba", "rouge_chinese", "cn2an", "bm25s", "numba", "rank_bm25", "nltk")


@pytest.mark.deep
@pytest.mark.parametrize("name", SCRIPTS)
def test_every_benchmark_runs(name: str) -> None:
    """With little to do, so that none rots; what it says of speed means nothing."""
    if name in BY_HAND:
        pytest.skip(BY_HAND[name])
    done = _run(name, "--quick", timeout=280)
    missing = re.search(r"No module named '(\w+)", done.stderr)
    if missing and missing[1] in OF_EXTRAS + OF_BENCH:
        pytest.skip(f"{missing[1]} is not installed")
    if done.returncode == 2 and "no shared data" in done.stderr:
        pytest.skip("no shared data")
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("arguments", [("segmentation.py",), ("retrieval.py", "table")])
def test_without_data_a_benchmark_says_where_it_looked(
    arguments: tuple[str, ...], nowhere: Path
) -> None:
    done = _run(*arguments)
    assert done.returncode == 2
    assert f"no shared data: {nowhere / 'data'}" in done.stderr
    assert "HENGFA_SHARED" in done.stderr


def _imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_what_benchmarks_import_is_in_the_extra_bench() -> None:
    """Not what the contenders of the engine import, which have environments of their own."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["bench"]]
    declared = {re.split(r"[^\w-]", line)[0] for line in lines}
    distributions = packages_distributions()
    for file in (*FOLDER.glob("*.py"), *FOLDER.glob("retrieval_experiments/*.py")):
        modules = {name.partition(".")[0] for name in _imported(file)}
        for module in modules - OWN - sys.stdlib_module_names:
            assert declared & set(distributions[module]), f"{file.name} imports {module}"


@pytest.mark.shared
def test_published_calls_are_read_as_they_were_made(shared: Path) -> None:
    """Success read in the log is the published one; the world answers nearly all calls as then."""
    done = _run("agent_replay.py", "gpt-4o-2024-08-06")
    assert done.returncode == 0, done.stderr
    rows = re.findall(r"^\| gpt-4o-2024-08-06 \| (.*) \|$", done.stdout, re.MULTILINE)
    lookups, said, lost, success, _, questioned = (row.split(" | ") for row in rows)
    figures = (shared / "published" / "legalagentbench_tables.csv").read_text("utf-8")
    published = re.search(r"^success_rate,GPT-4o,ReAct,.*,([0-9.]+),[0-9]+$", figures, re.MULTILINE)
    assert published is not None
    assert success[0] == published[1]
    assert all(success[0] <= bound for bound in success)
    assert int(lookups[1]) >= int(lookups[0]) - 1 > 800
    assert sum(map(int, said[:-1])) == sum(map(int, lookups[2:]))
    assert int(lost[0]) == 300 - int(questioned[0].split()[-1])
