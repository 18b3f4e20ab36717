"""Vendors that allow so many requests a minute and do not say when to come back."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from hengfa.base.errors import EndpointDown
from hengfa.evals.engine.messages import Request, Response, Status, Unavailable
from hengfa.evals.engine.session import COMPLAINTS_IN_A_ROW, RetryPolicy

from .asking import Scripted, Sitting, questions
from .virtual_time import run

REFUSES_WITHIN, ANSWERS_WITHIN = 0.05, 5.0  # seconds
MINUTE = 60.0


class Allowance(Scripted):
    """A vendor with an allowance per minute, by the clock or for the last sixty seconds."""

    def __init__(self, a_minute: int, *, by_the_clock: bool) -> None:
        super().__init__(self.allow)
        self.a_minute = a_minute
        self.by_the_clock = by_the_clock
        self.let_in: list[float] = []
        self.refused = 0

    async def allow(self, request: Request) -> Response:
        await asyncio.sleep(REFUSES_WITHIN)
        now = asyncio.get_running_loop().time()
        begin = now - now % MINUTE if self.by_the_clock else now - MINUTE
        if sum(moment >= begin for moment in self.let_in) >= self.a_minute:
            self.refused += 1
            raise Unavailable("HTTP 429: slow down", overloaded=True)
        self.let_in.append(now)
        await asyncio.sleep(ANSWERS_WITHIN)
        return Response(status=Status.ANSWERED, text="答")


@pytest.mark.parametrize("by_the_clock", [True, False])
@pytest.mark.parametrize(
    ("a_minute", "lanes", "count"),
    [(1, 1, 5), (3, 1, 12), (20, 64, 100), (60, 64, 300), (200, 64, 1000), (500, 64, 2500)],
)
def test_a_minutes_allowance_that_is_used_up_is_waited_for(
    a_minute: int,
    lanes: int,
    count: int,
    by_the_clock: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def ask() -> float:
        sitting = Sitting(model, tmp_path, lanes=lanes, retry=RetryPolicy())
        responses = await sitting.run(questions(count))
        answered = [r for r in responses.values() if r.status is Status.ANSWERED]
        assert len(answered) == len(model.let_in) > 0.98 * count
        return asyncio.get_running_loop().time()

    random.seed(7)  # the jitter of the delays; all else in virtual time is certain
    model = Allowance(a_minute, by_the_clock=by_the_clock)
    seconds = run(monkeypatch, ask())
    assert model.refused < 30 * (seconds / MINUTE + 1), "few requests are sent in vain"
    assert seconds < 3 * MINUTE * (count / a_minute + 1), "nor is the allowance left unused"


@pytest.mark.parametrize("lanes", [1, 64])
def test_a_server_that_only_complains_is_given_up(
    lanes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask() -> float:
        with pytest.raises(EndpointDown, match="HTTP 429: slow down"):
            await Sitting(model, tmp_path, lanes=lanes, retry=RetryPolicy()).run(questions(200))
        return asyncio.get_running_loop().time()

    model = Allowance(0, by_the_clock=True)
    assert 5 * MINUTE < run(monkeypatch, ask()) < 30 * MINUTE
    assert model.refused < 2 * COMPLAINTS_IN_A_ROW + 8
