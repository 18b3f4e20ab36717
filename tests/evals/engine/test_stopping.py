"""Ending early: what is in flight is waited for and kept, nothing new is begun."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hengfa.base.errors import DataError, EndpointDown, HengfaError, RunStopped
from hengfa.evals.engine.budget import Limits
from hengfa.evals.engine.journal import read_entries
from hengfa.evals.engine.messages import Options, Request, Response, Status, Unavailable, Usage
from hengfa.evals.engine.session import RetryPolicy

from .asking import Scripted, Sitting, question, questions, sit

LONG = 30.0  # seconds after which a test that hangs is given up
ANSWER = Response(status=Status.ANSWERED, text="答")
STOP = RunStopped("enough")
PATIENT = RetryPolicy(attempts=5, first_delay=600.0, longest_delay=600.0)


class Gate(Scripted):
    """A model that answers once the gate is open."""

    def __init__(self) -> None:
        super().__init__(self.wait)
        self.open = asyncio.Event()
        self.arrived = asyncio.Event()

    async def wait(self, request: Request) -> Response:
        self.arrived.set()
        await self.open.wait()
        return ANSWER


def always(reason: Exception) -> Callable[[Request], Awaitable[Response]]:
    async def generate(request: Request) -> Response:
        raise reason

    return generate


def kept(folder: Path) -> list[str]:
    return sorted(entry.key for entry in read_entries(folder / "journal.jsonl"))


async def settle() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


def test_a_stop_waits_for_what_is_in_flight_and_begins_nothing_new(tmp_path: Path) -> None:
    async def run() -> None:
        model = Gate()
        sitting = Sitting(model, tmp_path, lanes=4)
        running = asyncio.create_task(sitting.run(questions(50)))
        await model.arrived.wait()
        await settle()
        sitting.session.stop(STOP)
        await settle()
        assert not running.done()
        model.open.set()
        with pytest.raises(RunStopped, match="enough"):
            await asyncio.wait_for(running, LONG)
        assert len(model.asked) == 4
        assert kept(tmp_path) == sorted(model.asked)

    asyncio.run(run())


def test_the_first_reason_to_stop_is_the_one_told(tmp_path: Path) -> None:
    async def run() -> None:
        sitting = Sitting(Gate(), tmp_path)
        sitting.session.stop(STOP)
        sitting.session.stop(EndpointDown("down"))
        with pytest.raises(RunStopped, match="enough"):
            await sitting.run(questions(3))

    asyncio.run(run())


def test_a_stopped_session_still_gives_what_it_has(tmp_path: Path) -> None:
    async def run() -> None:
        model = Gate()
        model.open.set()
        await sit(model, tmp_path, [question(1)])
        sitting = Sitting(model, tmp_path)
        sitting.session.stop(STOP)
        assert (await sitting.session.ask(question(1))).text == ANSWER.text
        with pytest.raises(RunStopped):
            await sitting.session.ask(question(2))
        sitting.journal.close()
        assert len(model.asked) == 1

    asyncio.run(run())


WAITS = {
    "before-another-attempt": Unavailable("busy"),
    "as-long-as-the-server-wished": Unavailable("busy", overloaded=True, retry_after=300.0),
    "wished-without-complaint": Unavailable("busy", retry_after=300.0),
}


@pytest.mark.parametrize("name", WAITS)
def test_a_stop_ends_the_waiting(name: str, tmp_path: Path) -> None:
    async def run() -> None:
        model = Scripted(always(WAITS[name]))
        sitting = Sitting(model, tmp_path, lanes=3, retry=PATIENT)
        running = asyncio.create_task(sitting.run(questions(10)))
        await settle()
        asked = len(model.asked)
        assert asked >= 1
        sitting.session.stop(STOP)
        with pytest.raises(RunStopped):
            await asyncio.wait_for(running, LONG)
        assert len(model.asked) == asked
        assert kept(tmp_path) == []

    asyncio.run(run())


def test_a_stop_ends_the_waiting_for_a_lane(tmp_path: Path) -> None:
    async def run() -> None:
        model = Gate()
        sitting = Sitting(model, tmp_path, lanes=20)
        waiting = [asyncio.create_task(sitting.session.ask(q)) for q in questions(20)]
        await settle()
        in_flight = len(model.asked)
        assert in_flight == 8
        sitting.session.stop(STOP)
        done, pending = await asyncio.wait(waiting, timeout=LONG, return_when="FIRST_EXCEPTION")
        await settle()
        assert sum(task.done() for task in waiting) == 12
        model.open.set()
        ends = await asyncio.gather(*done, *pending, return_exceptions=True)
        sitting.journal.close()
        assert sum(isinstance(end, RunStopped) for end in ends) == 12
        assert len(kept(tmp_path)) == in_flight

    asyncio.run(run())


def test_a_stop_ends_the_waiting_for_tokens(tmp_path: Path) -> None:
    async def run() -> None:
        model = Gate()
        limits = Limits(tokens=200)
        sitting = Sitting(model, tmp_path, limits=limits)
        running = asyncio.create_task(sitting.run(questions(10, Options(max_new_tokens=100))))
        await model.arrived.wait()
        await settle()
        sitting.session.stop(STOP)
        model.open.set()
        with pytest.raises(RunStopped):
            await asyncio.wait_for(running, LONG)
        assert len(model.asked) == 1

    asyncio.run(run())


@pytest.mark.parametrize("lanes", [1, 7])
def test_a_run_whose_requests_all_fail_stops_after_some(lanes: int, tmp_path: Path) -> None:
    async def run() -> None:
        model = Scripted(always(Unavailable("connection: refused")))
        with pytest.raises(EndpointDown) as down:
            await sit(model, tmp_path, questions(100), lanes=lanes, failures_in_a_row=10)
        assert "10 requests in a row failed" in str(down.value)
        assert "connection: refused (3 attempts)" in str(down.value)
        assert "give the same command again" in str(down.value)
        assert len(set(model.asked)) < 10 + 2 * lanes

    asyncio.run(run())


def test_a_success_between_failures_starts_the_count_anew(tmp_path: Path) -> None:
    async def run() -> None:
        async def generate(request: Request) -> Response:
            number = int(request.key.rpartition("/")[2])
            failed = Response(status=Status.FAILED, reason="HTTP 400")
            return ANSWER if number % 5 == 4 else failed

        model = Scripted(generate)
        responses = await sit(model, tmp_path, questions(60), lanes=1, failures_in_a_row=5)
        assert len(responses) == 60

    asyncio.run(run())


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.FAILED])
def test_other_endings_are_no_sign_of_an_endpoint_that_is_down(
    status: Status, tmp_path: Path
) -> None:
    async def run() -> None:
        async def generate(request: Request) -> Response:
            return Response(status=status, usage=Usage(1, 1))

        assert len(await sit(Scripted(generate), tmp_path, questions(40))) == 40

    asyncio.run(run())


ERRORS = [HengfaError("a known error"), ZeroDivisionError("a mistake in the program")]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_in_one_piece_of_work_does_not_throw_away_the_answers_of_others(
    error: Exception, tmp_path: Path
) -> None:
    async def run() -> None:
        model = Gate()
        sitting = Sitting(model, tmp_path, lanes=4)

        async def work(number: int) -> None:
            if number == 3:
                raise error
            await sitting.session.ask(question(number))

        running = asyncio.create_task(sitting.session.for_each(range(50), work))
        await model.arrived.wait()
        await settle()
        model.open.set()
        with pytest.raises(type(error)):
            await asyncio.wait_for(running, LONG)
        sitting.journal.close()
        assert len(model.asked) == 3
        assert kept(tmp_path) == sorted(model.asked)

    asyncio.run(run())


def test_what_a_run_sets_in_python_is_as_before_when_it_ends(tmp_path: Path) -> None:
    whole, during = gc.get_threshold(), []
    gc.set_threshold(700, 10, 10)
    before = gc.get_threshold()

    async def work(number: int) -> None:
        during.append(gc.get_threshold())
        raise HengfaError("enough")

    async def run() -> None:
        sitting = Sitting(Gate(), tmp_path)
        with pytest.raises(HengfaError):
            await sitting.session.for_each(range(3), work)
        sitting.journal.close()

    try:
        asyncio.run(run())
        assert during[0] > before == gc.get_threshold()
    finally:
        gc.set_threshold(*whole)


def test_an_error_in_the_data_is_told_as_it_is_and_loses_no_answer(tmp_path: Path) -> None:
    def samples() -> Iterator[Request]:
        yield from questions(3)
        raise DataError("no question", file="data.json", row=4)

    async def run() -> None:
        model = Gate()
        sitting = Sitting(model, tmp_path, lanes=8)
        running = asyncio.create_task(sitting.run(samples()))
        await model.arrived.wait()
        await settle()
        model.open.set()
        with pytest.raises(DataError, match="row 4"):
            await asyncio.wait_for(running, LONG)
        assert len(kept(tmp_path)) == 3

    asyncio.run(run())


def test_samples_are_counted_when_they_are_done(tmp_path: Path) -> None:
    async def run() -> None:
        model = Gate()
        model.open.set()
        sitting = Sitting(model, tmp_path)
        await sitting.run(questions(7))
        assert sitting.tally.samples == 7
        assert sitting.tally.statuses == {Status.ANSWERED: 7}

    asyncio.run(run())


def test_there_are_never_more_lanes_than_questions(tmp_path: Path) -> None:
    begun = 0

    def count(loop: asyncio.AbstractEventLoop, work: Any, **named: Any) -> asyncio.Task[Any]:
        nonlocal begun
        begun += 1
        return asyncio.Task(work, loop=loop, **named)

    async def run() -> None:
        asyncio.get_running_loop().set_task_factory(count)
        model = Gate()
        model.open.set()
        assert len(await sit(model, tmp_path, questions(2), lanes=20_000)) == 2

    asyncio.run(run())
    assert begun < 10
