"""A run whose answers a scripted model is asked about: nothing twice, and shares by type."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web
from click.testing import CliRunner
from tests.evals.engine.server import LocalServer, Seen, completion, in_thread
from tests.evals.runs.test_grading import choice

from hengfa.base.errors import EndpointDown, JournalError, UsageError
from hengfa.cli.main import cli
from hengfa.evals.runs.breakdown import ErrorShare, error_shares
from hengfa.evals.runs.error_asking import ask_errors, read_asked
from hengfa.evals.runs.evaluate import evaluate
from hengfa.evals.runs.merge import merge

RUN = "plawbench-all-floor-sample"


async def _answer(_request: web.Request, seen: Seen) -> web.StreamResponse:
    """Says that the analysis of every case that mentions a ferry has the wrong focus."""
    system, user = (message["content"] for message in seen.body["messages"])
    (code,) = re.findall("^核对码：(.+)$", user, re.MULTILINE)
    ferry = "one_sided" in system and "渡船" in user.partition("## 作答")[2]
    errors = [{"type": "focus", "quotes": ["渡船"], "reason": "偏题"}] if ferry else []
    return web.json_response(completion(json.dumps({"errors": errors, "code": code})))


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with in_thread(LocalServer(_answer)) as running:
        yield running


@pytest.fixture
def run(tmp_path: Path) -> Path:
    arguments = ["plawbench", "--model", "floor", "--data", "sample", "--grader", "keywords"]
    made = CliRunner().invoke(cli, ["eval", *arguments, "--runs", str(tmp_path)])
    assert made.exit_code == 0, made.output
    return tmp_path / RUN


def shares(run: Path, task: str) -> dict[str, ErrorShare]:
    scores = run / "grades" / "keywords"
    return {share.type.id: share for share in error_shares(scores).tasks[task]}


def test_shares_are_of_the_answers_that_were_told_of(run: Path, server: LocalServer) -> None:
    before = shares(run, "case")["focus"]
    assert (before.share, before.asked) == (None, "")
    told = ask_errors(run, choice(server))
    assert {task: len(of) for task, of in told.answers.items()} == {"consultation": 2, "case": 4}
    wrong = sum(bool(said["focus"]) for said in told.answers["case"].values())
    assert 0 < wrong < 4
    after = shares(run, "case")["focus"]
    assert after.asked == "endpoint:g" and after.share is not None
    assert (after.share.value, after.share.samples) == (wrong / 4, 4)
    spared = shares(run, "consultation")["focus"].share
    assert spared is not None and spared.value == 0
    assert shares(run, "case")["missing_statutes"].asked == "", "that follows from the grades"


def test_nothing_is_asked_twice(run: Path, server: LocalServer) -> None:
    first = ask_errors(run, choice(server))
    asked = len(server.seen)
    assert asked == 6, "documents have no type that only a grader can tell"
    assert ask_errors(run, choice(server)) == first and len(server.seen) == asked
    assert read_asked(run) == [first]
    ask_errors(run, choice(server, anew=True))
    assert len(server.seen) == 2 * asked


def test_parts_that_are_merged_tell_as_the_whole_run_does(run: Path, server: LocalServer) -> None:
    whole = ask_errors(run, choice(server))
    parts = [
        evaluate("plawbench", "floor", data="sample", runs=run.parent, shard=f"{number}/2",
                 graders=["keywords"])
        for number in (1, 2)
    ]  # fmt: skip
    told = [ask_errors(part.folder, choice(server)) for part in parts]
    assert all(part.answers and part != whole for part in told)
    merged = merge(*parts, name="merged", runs=run.parent)
    assert read_asked(merged.folder) == [whole]
    assert shares(merged.folder, "case") == shares(run, "case")


def test_another_instrument_is_refused(run: Path, server: LocalServer) -> None:
    ask_errors(run, choice(server))
    file = run / "errors" / "endpoint_g" / "grader.json"
    file.write_text(file.read_text().replace('"prompt": "1"', '"prompt": "0"'), encoding="utf-8")
    with pytest.raises(JournalError, match="asked otherwise before"):
        ask_errors(run, choice(server))


def test_the_command_shows_the_shares(run: Path, server: LocalServer) -> None:
    asked = ["grade", "errors", RUN, "--runs", str(run.parent), "--json"]
    grader = ["--grader", "endpoint:g", "--grader-base-url", f"{server.url}/v1"]
    told = CliRunner().invoke(cli, [*asked, *grader])
    assert told.exit_code == 0, told.output
    (document,) = json.loads(told.stdout)
    assert document["model"] == "endpoint:g" and set(document["answers"]["case"]) == set("0123")
    shown = CliRunner().invoke(cli, [*asked[:-1], *grader])
    assert "endpoint:g, consultation, causality: 0 of 2 answers" in shown.output
    named = ["results", "plawbench", "--run", RUN, "--errors", "--runs", str(run.parent)]
    assert "graded by keywords" in CliRunner().invoke(cli, named).output


def test_a_rule_cannot_be_asked_and_a_dead_model_says_so(run: Path) -> None:
    arguments = ["grade", "errors", RUN, "--runs", str(run.parent)]
    refused = CliRunner().invoke(cli, [*arguments, "--grader", "keywords"])
    assert isinstance(refused.exception, UsageError)
    assert "'keywords' is not a model name" in str(refused.exception)
    nobody = CliRunner().invoke(cli, arguments)
    assert "name who is asked" in str(nobody.exception)
    again = ["--grader", "endpoint:g", "--grader-repeats", "2"]
    assert "asked about once" in str(CliRunner().invoke(cli, [*arguments, *again]).exception)
    dead = CliRunner().invoke(cli, [*arguments, "--grader", f"replay:{run}"])
    assert isinstance(dead.exception, EndpointDown)
