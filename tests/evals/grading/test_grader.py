"""Asking a grader: once, a repair, anew; and the same again from the journal."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hengfa.evals.engine.journal import Journal, newest_entries
from hengfa.evals.engine.messages import Options, Request, Response, Status
from hengfa.evals.engine.session import RetryPolicy, Session, Tally
from hengfa.evals.grading.grader import grade, sheet_from
from hengfa.evals.grading.marking import mark
from hengfa.evals.grading.verdict import Reply, Sheet
from tests.evals.engine.asking import Scripted
from tests.evals.grading.rubrics import (
    DEPOSIT,
    VALID,
    award,
    item,
    reply,
    rubric,
    section,
    submission,
)

TWO = submission(rubric(section(item("a"), item("b"))))
GOOD = reply(award("a", 5, DEPOSIT), award("b", 4, VALID))
HALF = reply(award("a", 3, DEPOSIT))
OTHER_HALF = reply(award("b", 2, VALID))
BAD = "好的，我来评分。"
FILTERED = Response(Status.FILTERED, reason="content_filter")
TRUNCATED = Response(Status.TRUNCATED, text=GOOD[:30])
EMPTY = Response(Status.EMPTY)
REFUSED = Response(Status.REFUSED)
FAILED = Response(Status.FAILED, reason="HTTP 500", this_question_only=True)


def answered(said: str | Response) -> Response:
    return Response(Status.ANSWERED, text=said) if isinstance(said, str) else said


class Script:
    """Answers turn by turn, and remembers what it was asked."""

    def __init__(self, *said: str | Response) -> None:
        self.waiting = [answered(one) for one in said]
        self.requests: list[Request] = []

    async def ask(self, request: Request) -> Response:
        self.requests.append(request)
        return self.waiting.pop(0)

    @property
    def steps(self) -> list[str]:
        return [request.key.partition("#")[2] for request in self.requests]


def graded(script: Script) -> Sheet:
    return asyncio.run(grade(script.ask, TWO, grader="g", options=Options(temperature=0.0)))


@pytest.mark.parametrize(
    ("said", "steps", "points", "lenient"),
    [
        ([GOOD], "grade", 9, 9),
        ([BAD, GOOD], "grade repair", 9, 9),
        ([HALF, GOOD], "grade repair", 9, 9),
        ([HALF, OTHER_HALF], "grade repair", 5, 5),
        ([BAD, BAD, GOOD], "grade repair again", 9, 9),
        ([BAD, FILTERED, GOOD], "grade repair again", 9, 9),
        ([HALF, BAD, HALF], "grade repair again", 3, 8),
        ([BAD, BAD, BAD], "grade repair again", 0, 10),
        ([FILTERED, GOOD], "grade again", 9, 9),
        ([TRUNCATED, GOOD], "grade again", 9, 9),
        ([EMPTY, GOOD], "grade again", 9, 9),
        ([REFUSED, GOOD], "grade again", 9, 9),
        ([FAILED, GOOD], "grade again", 9, 9),
        ([FILTERED, BAD], "grade again", 0, 10),
        ([FILTERED, FAILED], "grade again", 0, 10),
    ],
)
def test_the_course_of_asking(
    said: list[str | Response], steps: str, points: float, lenient: float
) -> None:
    script = Script(*said)
    sheet = graded(script)
    assert script.steps == steps.split()
    assert [one.step for one in sheet.replies] == script.steps
    assert [one.status for one in sheet.replies] == [answered(one).status for one in said]
    found = mark(TWO, sheet)
    assert (found.points, found.lenient) == (points, lenient)


def test_a_truncated_reply_is_kept_but_never_read() -> None:
    whole_but_cut = Response(Status.TRUNCATED, text=GOOD)
    sheet = graded(Script(whole_but_cut, BAD))
    assert sheet.replies[0] == Reply("grade", "truncated", GOOD)
    assert mark(TWO, sheet).ungraded == 2


def test_the_repair_tells_what_is_wrong() -> None:
    script = Script(reply(award("a", 50, DEPOSIT), award("b", 4, VALID)), GOOD)
    graded(script)
    *_, said, told = script.requests[1].messages
    assert said.role == "assistant"
    assert '"points": 50' in said.content
    assert "a：得分高于该条目的满分" in told.content
    assert "b：" not in told.content


@pytest.mark.parametrize("kept", [0, 1, 2, 3])
def test_a_sheet_is_rebuilt_from_what_the_journal_has(kept: int) -> None:
    script = Script(BAD, HALF, OTHER_HALF)
    sheet = graded(script)
    found = {
        request.key: answered(said)
        for request, said in list(zip(script.requests, [BAD, HALF, OTHER_HALF], strict=True))[:kept]
    }
    assert sheet_from("g", TWO, found.get).replies == sheet.replies[:kept]


def sit(folder: Path, script: Script) -> Sheet:
    """One sitting of a real session with its journal."""

    async def run() -> Sheet:
        with Journal(folder / "journal.jsonl") as journal:
            retry = RetryPolicy(attempts=1)
            session = Session(Scripted(script.ask), journal, Tally(0), retry=retry)
            return await grade(session.ask, TWO, grader="g", options=Options(seed=1))

    return asyncio.run(run())


@pytest.mark.parametrize(
    "said", [[GOOD], [BAD, GOOD], [BAD, HALF, BAD], [FILTERED, GOOD], [FILTERED, TRUNCATED]]
)
def test_a_second_sitting_asks_nothing(tmp_path: Path, said: list[str | Response]) -> None:
    first, second = Script(*said), Script()
    sheet = sit(tmp_path, first)
    assert len(first.requests) == len(said)
    assert sit(tmp_path, second) == sheet
    assert second.requests == []
    entries = {entry.key: entry.response for entry in newest_entries(tmp_path / "journal.jsonl")}
    assert sheet_from("g", TWO, entries.get) == sheet


def test_a_failure_is_asked_again_in_the_next_sitting(tmp_path: Path) -> None:
    assert mark(TWO, sit(tmp_path, Script(FAILED, FAILED))).ungraded == 2
    later = Script(GOOD)
    assert mark(TWO, sit(tmp_path, later)).points == 9
    assert later.steps == ["grade"]


def test_a_stopped_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    class Stopped(Exception):
        pass

    async def stops(request: Request) -> Response:
        if request.key.endswith("#grade"):
            return answered(BAD)
        raise Stopped

    script = Script()
    script.ask = stops  # type: ignore[method-assign]
    with pytest.raises(Stopped):
        sit(tmp_path, script)
    later = Script(GOOD)
    assert mark(TWO, sit(tmp_path, later)).points == 9
    assert later.steps == ["repair"]
