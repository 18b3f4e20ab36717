"""What a grader left open is no number anywhere, has no rank, and is asked for again."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from aiohttp import web
from tests.evals.engine.server import LocalServer, Seen, completion, in_thread

import hengfa
from hengfa.cli.main import main
from hengfa.evals.report.site.boards import gather
from hengfa.evals.report.site.build import collect
from hengfa.evals.runs.folder import read_figures, scored_folders
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.claw_cases.rules import DIMENSIONS

EVAL = ("eval", "claw-cases", "--data", "sample", "--model", "floor")
SCORE = re.compile(r"(?<![\d–\"])\d+\.\d\d(?!\d|–)")
"""A score in per cent that is no end of a band."""


def call(*words: str | Path) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["hengfa", *map(str, words)])
        patch.setenv("COLUMNS", "200")
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as end:
            main()
    return int(end.value.code or 0), out.getvalue(), err.getvalue()


class Grader:
    """Says a verdict, or what is none; one that is `broken` only of some answers."""

    def __init__(self) -> None:
        self.broken = True
        self.asked = 0

    async def __call__(self, _request: web.Request, seen: Seen) -> web.StreamResponse:
        self.asked += 1
        asked = seen.body["messages"][1]["content"]
        (code,) = re.findall("^核对码：(.+)$", asked, re.MULTILINE)
        awards: list[dict[str, object]] = [{"id": one, "level": "Good"} for one in DIMENSIONS]
        awards.append({"id": "overall", "points": 50})
        said = {"awards": awards, "code": code}
        text = "好" if self.broken else json.dumps(said, ensure_ascii=False)
        return web.json_response(completion(text))


@pytest.fixture(scope="module")
def grader() -> Iterator[tuple[Grader, LocalServer]]:
    handler = Grader()
    with in_thread(LocalServer(handler)) as server:
        yield handler, server


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, grader: tuple[Grader, LocalServer]) -> Path:
    """Two runs: one that a grader left open, one that it graded."""
    handler, server = grader
    folder = tmp_path_factory.mktemp("ungraded") / "runs"
    by = ("--grader", "endpoint:g", "--grader-base-url", f"{server.url}/v1", "--runs", folder)
    handler.broken = True
    status, _, said = call(*EVAL, *by, "--run", "open")
    assert status == 1 and "100.0 % ungraded" in said
    assert f"hengfa grade run {folder / 'open'} --grader endpoint:g --grader-base-url" in said
    assert call(*EVAL, *by, "--run", "open", "--allow-ungraded", "1")[0] == 0
    handler.broken = False
    status, _, said = call(*EVAL, *by, "--run", "whole")
    assert status == 0, said
    handler.broken = True
    return folder


COMMANDS = {
    "score": "score claw-cases {runs}/open",
    "score --json": "score claw-cases {runs}/open --json",
    "results": "results --runs {runs}",
    "leaderboard": "results claw-cases --runs {runs}",
    "leaderboard --json": "results claw-cases --runs {runs} --json",
    "by branch": "results claw-cases --run open --by branch --runs {runs}",
    "errors": "results claw-cases --run open --errors --runs {runs}",
    "markdown": "export markdown {runs}/open -o {out}",
    "latex": "export latex {runs}/open -o {out}",
    "csv": "export csv {runs}/open -o {out}",
    "paper": "paper claw table-1 {runs}/open",
}


@pytest.mark.parametrize("shown", COMMANDS)
def test_nothing_shows_a_number_for_what_is_ungraded(
    runs: Path, tmp_path: Path, shown: str
) -> None:
    out = tmp_path / "out"
    status, text, said = call(*COMMANDS[shown].format(runs=runs, out=out).split())
    assert status == 0, said
    text = (out.read_text("utf-8") if out.exists() else text).replace("--", "–")
    if "–json" in shown.replace("--", "–"):
        (told,) = _scores(json.loads(text))
        assert {told.get("score"), *told["figures"].values(), told.get("rank")} <= {None}
        assert told["bands"]["overall"] == {"low": 0.0, "high": 1.0, "ungraded": 1.0}
    elif shown == "csv":
        values = pl.read_csv(out).filter(pl.col("metric").is_in(["overall", "overall_backed"]))
        assert values["value"].to_list() == values["strict"].to_list() == [None] * len(values)
    else:
        of_paper = shown == "paper"
        if shown == "results":
            text = text.partition("whole")[0]
        lines = [line for line in text.splitlines() if "floor (" in line or not of_paper]
        about = "\n".join(line for line in lines if not re.match(r"\s+1\b|.*whole", line))
        assert not SCORE.search(about), about
        if shown not in ("by branch", "errors", "paper"):
            assert "0.00–100.00" in about and "ungraded" in about


def _scores(document: Any) -> Iterator[dict[str, Any]]:
    """What a document says of the run that was left open."""
    if isinstance(document, list):
        for one in document:
            yield from _scores(one)
    elif "tasks" in document and document.get("run") != "whole":
        yield document
    else:
        for one in (document.get("runs"), document.get("rows")):
            yield from _scores(one or [])


def test_the_open_run_has_no_rank_and_is_not_compared(runs: Path) -> None:
    board = json.loads(call("results", "claw-cases", "--runs", runs, "--json")[1])
    assert {row["run"]: row["rank"] for row in board["rows"]} == {"whole": 1, "open": None}
    site = {run.name: run.scores["official"] for run in collect(gather([str(runs)], runs)).runs}
    (opened,) = (scores for name, scores in site.items() if name.startswith("open"))
    assert (opened.rank, opened.cells["case"].score, opened.figures) == (None, None, {})
    assert {*opened.bands} == {"case", "overall"}
    status, _, said = call("compare", "whole", "open", "--runs", runs)
    assert status == 2
    assert "0.00–100.00, 100.0 % ungraded, and not compared" in said
    assert "hengfa grade run" in said
    assert repr(hengfa.load_run(runs / "open")).endswith("overall 0.00–100.00, 100.0 % ungraded>>")


def test_figures_of_an_earlier_version_are_read_as_bands(runs: Path, tmp_path: Path) -> None:
    (place,) = scored_folders(runs / "open")
    file = place / "figures.official.json"
    document = json.loads(file.read_text("utf-8"))
    old = {"score": 0.0, "n": 3, "more": {"lenient_rate": 1.0, "ungraded_rate": 1.0}}
    document = {**document, "tasks": {"case": old}, "figures": {"overall": 0.0}, "bands": {}}
    (tmp_path / file.name).write_text(json.dumps(document), "utf-8")
    read = read_figures(tmp_path)[Rules.OFFICIAL]
    assert (read.tasks["case"].score, read.figures) == (None, {})
    assert str(read.tasks["case"].band) == "0.00–100.00, 100.0 % ungraded"


def test_the_same_command_asks_malformed_grades_again(
    runs: Path, tmp_path: Path, grader: tuple[Grader, LocalServer]
) -> None:
    """Once for each answer in a sitting, until they are whole; then nothing."""
    handler, server = grader
    by = ("--grader", "endpoint:g", "--grader-base-url", f"{server.url}/v1", "--runs", tmp_path)
    handler.broken, handler.asked = True, 0
    assert call(*EVAL, *by)[0] == 1
    first = handler.asked
    assert call(*EVAL, *by, "--retry", "malformed")[0] == 1
    assert handler.asked == first + first // 3
    handler.broken = False
    status, _, said = call(*EVAL, *by)
    assert (status, handler.asked) == (0, first + 2 * (first // 3)), said
    assert call(*EVAL, *by)[0] == 0 and handler.asked == first + 2 * (first // 3)
    handler.broken = True


def test_a_graded_suite_without_a_grader_is_refused_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    status, _, said = call(*EVAL, "--runs", tmp_path)
    assert status == 2 and "add --grader MODEL" in said and "or --ungraded" in said
    assert not list(tmp_path.iterdir())
    assert call(*EVAL, "--runs", tmp_path, "--ungraded")[0] == 0


def test_a_smaller_limit_has_the_figures_of_its_own_questions(tmp_path: Path) -> None:
    asked: list[str] = []

    def model(messages: list[dict[str, str]]) -> str:
        asked.append(messages[-1]["content"])
        return "正确答案：A"

    told: list[str] = []
    given: dict[str, Any] = {"data": "sample", "runs": tmp_path, "name": "r", "fresh": False}
    given["notify"] = told.append
    whole = hengfa.evaluate("lawbench/1-2", model, limit=4, **given)
    assert whole.asked is not None and (whole.asked.now, whole.asked.from_journal) == (4, 0)
    some = hengfa.evaluate("lawbench/1-2", model, limit=2, **given)
    assert (some.tasks["1-2"].n, len(asked)) == (2, 4)
    assert some.asked is not None and (some.asked.now, some.asked.from_journal) == (0, 2)
    assert "2 from the journal, answered 20" in told[-1] and "--fresh" in told[-1]
    assert hengfa.load_run(whole).tasks["1-2"].n == 4
    document = json.loads(
        call("eval", "lawbench/1-2", "--data", "sample", "--model", "floor", "--runs", tmp_path,
             "--limit", "2", "--json")[1]
    )  # fmt: skip
    assert document["runs"][0]["asked"]["now"] == 2
