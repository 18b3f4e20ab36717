"""The numbers a person sees while a run goes on."""

from __future__ import annotations

import asyncio
import io

import pytest

from hengfa.evals.engine.budget import Price
from hengfa.evals.engine.messages import Response, Status, Usage
from hengfa.evals.engine.session import Tally, _clock, _short_count, show_progress


def test_a_tally_counts_statuses_tokens_cost_and_retries() -> None:
    tally = Tally(3, Price("USD", input=1.0, output=2.0))
    for reason in ("HTTP 503: busy", "HTTP 429: slow down"):
        tally.retried(reason)
    tally.add(Response(status=Status.ANSWERED, usage=Usage(1000, 500), attempts=3), kept=False)
    tally.add(Response(status=Status.FILTERED), kept=True)
    tally.sample_done()
    assert tally.statuses == {Status.ANSWERED: 1, Status.FILTERED: 1}
    assert (tally.input_tokens, tally.output_tokens, tally.retries, tally.kept) == (1000, 500, 2, 1)
    assert tally.cost == pytest.approx(0.002)
    line = tally.line()
    for part in (
        "1/3 samples",
        "1 from the journal",
        "1.5k tokens",
        "$0.0020",
        "2 retries, the last after HTTP 429",
    ):
        assert part in line
    assert "answered 1, filtered 1" in line


@pytest.mark.parametrize("width", [30, 60, 79, 99, 119, 300])
def test_a_line_fits_the_terminal_and_says_how_far_it_is_and_how_long_it_takes(width: int) -> None:
    tally = Tally(20_000, Price("CNY", input=1.0, output=2.0))
    tally.retried("HTTP 503：服务繁忙，请稍后再试，请稍后再试，请稍后再试")
    for status in (Status.ANSWERED, Status.FILTERED, Status.FAILED, Status.REFUSED):
        tally.add(Response(status=status, usage=Usage(10**6, 500)), kept=status is Status.FAILED)
        tally.sample_done()
    line = tally.line(width)
    assert sum(2 if ord(sign) > 0x2E80 else 1 for sign in line) <= width
    assert line.startswith("4/20000 samples, ")
    assert line.endswith(" left")
    assert ("1 retry, the last after HTTP 503" in line) == (width == 300)


def test_a_tally_without_anything_has_a_line_too() -> None:
    line = Tally(0).line()
    assert line.startswith("0/0 samples")
    assert "left" not in line


def test_what_came_from_the_journal_does_not_speed_up_the_forecast() -> None:
    tally = Tally(10)
    for _ in range(5):
        tally.add(Response(status=Status.ANSWERED), kept=True)
        tally.sample_done()
    assert tally.rate == 0
    assert tally.seconds_left is None


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (999, "999"), (1000, "1.0k"), (1_250_000, "1.2M"), (3e9, "3.0G")]
)
def test_counts_are_shown_short(number: int, text: str) -> None:
    assert _short_count(number) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (59.4, "59s"), (61, "1m01s"), (3600, "1h00m"), (86399, "23h59m")],
)
def test_times_are_shown_short(seconds: float, text: str) -> None:
    assert _clock(seconds) == text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("out", [io.StringIO(), Terminal()], ids=["file", "terminal"])
def test_progress_ends_with_the_last_state(out: io.StringIO) -> None:
    async def run() -> None:
        tally = Tally(2)
        shown = asyncio.create_task(show_progress(tally, out))
        await asyncio.sleep(0)
        tally.sample_done()
        tally.sample_done()
        shown.cancel()
        await asyncio.gather(shown, return_exceptions=True)

    asyncio.run(run())
    assert "2/2 samples" in out.getvalue()
    assert out.getvalue().endswith("\n")
    assert ("\x1b" in out.getvalue()) == out.isatty()
