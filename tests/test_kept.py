"""What an earlier version left on a disk opens, and says what it said then.

`tests/kept/DAY.tar.xz` was made by the version of that day with the commands of its README, a
server of `tests/played.py` for `endpoint:strong` and its grader, and our own sample pack:

    runs/           three tasks of LawBench; one asked twice; PLawBench graded; an agent two ways
    library.sqlite  `law build` of the fictional law
    world.sqlite    `world build --scale 1000`, with tasks.jsonl and matters/ of it
    home/packs/     a pack that was added from a folder
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hengfa.cli.main import cli

KEPT = Path(__file__).parent / "kept"
NOBODY = "http://127.0.0.1:9/v1"
"""Where no server answers: what is asked nevertheless fails."""
STRONG = "endpoint:strong"
Printed = Callable[..., Any]


@pytest.fixture(scope="module", params=sorted(KEPT.glob("*.tar.xz")), ids=lambda file: file.name)
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("kept")
    with tarfile.open(request.param) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture
def hengfa(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Printed:
    """Runs a command in that folder, in this process, and gives the JSON that it printed."""
    monkeypatch.chdir(kept)
    monkeypatch.setenv("HENGFA_HOME", str(kept / "home"))

    def run(*arguments: str) -> Any:
        capsys.readouterr()
        cli.main([*arguments], standalone_mode=False)
        printed = capsys.readouterr().out
        return json.loads(printed) if "--json" in arguments else printed

    return run


def figures(run: Path) -> Any:
    """What a run scored when it was made."""
    return json.loads((run / "figures.official.json").read_text("utf-8"))


RUNS = {
    "lawbench-zero_shot-endpoint_strong-sample": "lawbench/1-1,2-1,3-6",
    "repeated": "lawbench/1-2",
    "legalagentbench-react-endpoint_strong-sample": "legalagentbench/1-hop",
    "legalagentbench-tools-endpoint_strong-sample": "legalagentbench/1-hop",
    "plawbench-all-endpoint_strong-sample": "plawbench/case",
}
each_run = pytest.mark.parametrize("run", RUNS)


@each_run
def test_a_run_is_shown_and_scored_as_it_was(run: str, kept: Path, hengfa: Printed) -> None:
    suite = RUNS[run].partition("/")[0]
    grades = [file.parent for file in (kept / "runs" / run).glob("grades/*/figures.official.json")]
    before = figures(grades[0] if grades else kept / "runs" / run)["tasks"]
    setting = json.loads((kept / "runs" / run / "run.json").read_text("utf-8"))["setting"]
    board = hengfa("results", suite, "--setting", setting, "--json")["rows"]
    told = next(row["tasks"] for row in board if row["run"].partition("@")[0] == run)
    assert told == {task: figure["score"] for task, figure in before.items()}
    again = hengfa("score", suite, f"runs/{run}", "--json")["runs"]
    assert {name: figure["score"] for name, figure in again[-1]["tasks"].items()} == told


@pytest.mark.parametrize(
    ("run", "more"),
    [
        ("lawbench-zero_shot-endpoint_strong-sample", ["--limit", "2"]),
        (
            "repeated",
            ["--limit", "2", "--repeats", "2", "--temperature", "1", "--run", "repeated"],
        ),
        (
            "legalagentbench-tools-endpoint_strong-sample",
            ["--limit", "1", "--setting", "tools"],
        ),
        ("legalagentbench-react-endpoint_strong-sample", ["--limit", "1", "--setting", "react"]),
    ],
)
def test_the_same_command_goes_on_and_asks_nothing(
    run: str, more: list[str], kept: Path, hengfa: Printed
) -> None:
    before = figures(kept / "runs" / run)["tasks"]
    asked = ["--model", STRONG, "--base-url", NOBODY, "--data", "sample", "--attempts", "1"]
    (told,) = hengfa("eval", RUNS[run], *asked, *more, "--json")["runs"]
    assert {name: figure["score"] for name, figure in told["tasks"].items()} == {
        name: figure["score"] for name, figure in before.items()
    }
    assert told["asked"]["now"] == 0


@pytest.mark.parametrize(
    ("run", "question"),
    [
        ("lawbench-zero_shot-endpoint_strong-sample", "1-1/1"),
        ("legalagentbench-tools-endpoint_strong-sample", "1-hop/1"),
        ("plawbench-all-endpoint_strong-sample", "case/1"),
    ],
)
def test_an_answer_is_shown_with_its_prompt(run: str, question: str, hengfa: Printed) -> None:
    shown = hengfa("show", f"runs/{run}", question, "--json")
    assert shown["prompt"]
    assert shown["model"] == STRONG


def test_all_runs_stand_on_one_site(kept: Path, hengfa: Printed) -> None:
    hengfa("report", *(f"runs/{run}" for run in RUNS), "-o", "site", "--force")
    assert (kept / "site" / "index.html").is_file()


def test_the_library_tells_a_provision_of_its_day(hengfa: Printed) -> None:
    found = hengfa("law", "show", "月湖渡船法", "3", "--library", "library.sqlite", "--json")
    assert found["answer"]["version"]["promulgated"] == "2021-04-18"
    assert found["answer"]["version"]["leaves"] == 31


def test_the_world_answers_and_its_tasks_can_be_solved(hengfa: Printed) -> None:
    looked_up = '{"identifier": "萤渡章允律师事务所", "columns": ["事务所地址"]}'
    answer = hengfa("world", "call", "get_lawfirm_info", looked_up, "--world", "world.sqlite")
    assert "萤渡省纸洲市纸畈区银藤路363号26层" in answer
    for suite, data in (("legalagentbench", "."), ("matters", "matters")):
        asked = ["--data", data, "--model", "ceiling", "--runs", "new", "--limit", "2"]
        grader = ["--ungraded"] if suite == "matters" else []
        (run, *_) = hengfa("eval", suite, *asked, *grader, "--json")["runs"]
        assert all(figure["score"] == 1 for figure in run["tasks"].values()), suite


def test_a_pack_is_there_and_read(hengfa: Printed) -> None:
    asked = ["--model", "floor", "--runs", "new", "--limit", "1", "--ungraded"]
    hengfa("eval", "plawbench/case", *asked)
    assert "plawbench" in hengfa("data", "status")
