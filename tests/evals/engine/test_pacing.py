"""How many requests are in flight: more on success, fewer on complaint, never stuck."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.errors import UsageError
from hengfa.evals.engine import pacing
from hengfa.evals.engine.pacing import Lane, Lanes
from hengfa.evals.engine.session import RetryPolicy

LONG = 30.0  # seconds after which a test that hangs is given up


async def enter(lanes: Lanes, count: int) -> list[Lane]:
    return [await lanes.lane().__aenter__() for _ in range(count)]


async def leave(entered: list[Lane]) -> None:
    for lane in entered:
        await lane.__aexit__(None, None, None)


async def round_of(lanes: Lanes, *, success: bool) -> None:
    """All lanes are used once, at the same time."""
    entered = await enter(lanes, int(lanes.limit))
    for lane in entered:
        if success:
            lane.succeeded()
        else:
            lane.complained(None)
    await leave(entered)


def test_lanes_double_each_round_until_the_first_complaint_then_grow_by_one() -> None:
    async def run() -> None:
        lanes = Lanes(1000, start=8)
        limits = []
        for success in (True, True, False, True, True):
            await round_of(lanes, success=success)
            limits.append(int(lanes.limit))
        assert limits == [16, 32, 19, 20, 21]

    asyncio.run(run())


def test_a_burst_of_complaints_cuts_once_and_the_next_burst_again() -> None:
    async def run() -> None:
        lanes = Lanes(100, start=50)
        before = await enter(lanes, 20)
        for lane in before[:10]:
            lane.complained(None)
        assert (lanes.cuts, lanes.limit) == (1, 30.0)
        after = await enter(lanes, 5)
        for lane in before[10:]:
            lane.complained(None)  # about the time before the cut
        assert (lanes.cuts, lanes.limit) == (1, 30.0)
        for lane in after:
            lane.complained(None)
        assert (lanes.cuts, lanes.limit) == (2, 18.0)
        await leave([*before, *after])

    asyncio.run(run())


def test_there_is_always_at_least_one_lane() -> None:
    async def run() -> None:
        lanes = Lanes(64)
        for _ in range(50):
            await round_of(lanes, success=False)
        assert lanes.limit == 1.0
        for _ in range(10):
            await round_of(lanes, success=True)
        assert lanes.limit > 1.0

    asyncio.run(run())


def test_the_number_of_lanes_never_passes_the_most() -> None:
    async def run() -> None:
        lanes = Lanes(5)
        for _ in range(20):
            await round_of(lanes, success=True)
            assert lanes.limit <= 5

    asyncio.run(run())


def test_bursts_in_a_row_make_everyone_wait_longer_until_a_new_request_succeeds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1000.0
    monkeypatch.setattr(pacing, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(pacing, "_PAUSES", (0.0, 4.0, 8.0))

    lanes = Lanes(64)

    def next_pause(wish: float | None = None) -> float:
        nonlocal now
        seen = lanes.cuts
        for _ in range(3):  # one burst
            lanes.complained(seen, wish)
        pause = lanes.resume_at - now
        now = lanes.resume_at
        return pause

    assert [next_pause() for _ in range(5)] == [0.0, 4.0, 8.0, 8.0, 8.0]
    assert [next_pause(wish) for wish in (1.0, 20.0, 0.0)] == [8.0, 20.0, 8.0]
    lanes.succeeded(seen_cuts=0)  # began before the complaints and says nothing about now
    assert next_pause() == 8.0
    lanes.succeeded(lanes.cuts)
    assert [next_pause() for _ in range(2)] == [0.0, 4.0]


@pytest.mark.parametrize("most", [0, -1])
def test_no_lanes_at_all_is_a_wrong_call_and_not_a_run_without_questions(most: int) -> None:
    with pytest.raises(UsageError, match="--lanes"):
        Lanes(most)


def test_a_turn_given_to_one_who_was_cancelled_goes_to_the_next() -> None:
    async def run() -> None:
        lanes = Lanes(1)
        first = await enter(lanes, 1)
        second = asyncio.create_task(lanes.enter())
        third = asyncio.create_task(lanes.enter())
        await asyncio.sleep(0)
        await leave(first)  # gives the turn to the second
        second.cancel()
        await asyncio.wait_for(third, LONG)
        assert second.cancelled()
        assert lanes.in_flight == 1

    asyncio.run(run())


def test_one_who_is_cancelled_during_a_pause_does_not_keep_a_turn() -> None:
    async def run() -> None:
        lanes = Lanes(1)
        (first,) = await enter(lanes, 1)
        second = asyncio.create_task(lanes.enter())
        third = asyncio.create_task(lanes.enter())
        await asyncio.sleep(0)
        first.complained(0.05)
        await leave([first])  # the second has the turn, but waits for the end of the pause
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.wait_for(third, LONG)

    asyncio.run(run())


@dataclass(frozen=True)
class Visit:
    """One request: how long it takes, how it ends, and whether the one who asks gives up."""

    steps: int
    end: str
    give_up_after: int | None


VISITS = st.lists(
    st.builds(
        Visit,
        steps=st.integers(0, 5),
        end=st.sampled_from(["success", "success", "trouble", "complaint", "pause"]),
        give_up_after=st.none() | st.none() | st.integers(0, 8),
    ),
    min_size=1,
    max_size=60,
)


@settings(deadline=None)
@given(VISITS, st.integers(1, 12))
def test_whatever_happens_everyone_gets_a_lane_and_never_too_many(
    visits: list[Visit], most: int
) -> None:
    async def run() -> None:
        lanes = Lanes(most, start=4)
        done = 0

        async def visit(one: Visit) -> None:
            nonlocal done
            async with lanes.lane() as lane:
                assert lanes.in_flight <= most
                for _ in range(one.steps):
                    await asyncio.sleep(0)
                if one.end == "success":
                    lane.succeeded()
                elif one.end != "trouble":
                    lane.complained(0.0005 if one.end == "pause" else None)
            done += 1

        async def give_up(task: asyncio.Task[None], after: int) -> None:
            for _ in range(after):
                await asyncio.sleep(0)
            task.cancel()

        tasks = [asyncio.create_task(visit(one)) for one in visits]
        for task, one in zip(tasks, visits, strict=True):
            if one.give_up_after is not None:
                await give_up(task, one.give_up_after)
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), LONG)
        assert done == sum(not task.cancelled() for task in tasks)
        assert done >= sum(one.give_up_after is None for one in visits)
        assert lanes.in_flight == 0
        assert 1 <= lanes.limit <= most

    asyncio.run(run())


def test_a_wish_to_wait_for_days_is_not_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "_LONGEST_PAUSE", 0.01)

    async def run() -> None:
        lanes = Lanes(2)
        for wish in (1e9, float("inf")):
            (lane,) = await enter(lanes, 1)
            lane.complained(wish)
            await leave([lane])
            await asyncio.wait_for(lanes.enter(), LONG)
            lanes.leave()

    asyncio.run(run())


@pytest.mark.parametrize("wish", [None, 0.0, 5.0, 1e9, float("inf")])
@pytest.mark.parametrize("attempt", [1, 2, 6, 50])
def test_the_delay_before_another_attempt_is_bounded(wish: float | None, attempt: int) -> None:
    policy = RetryPolicy(first_delay=1.0, longest_delay=60.0)
    delays = [policy.delay(attempt, wish) for _ in range(50)]
    assert all(0.0 <= delay <= 120.0 for delay in delays)
    assert min(delays) >= min(wish or 0.0, 60.0)
    assert len(set(delays)) > 1, "those who wait do not come back all at once"
