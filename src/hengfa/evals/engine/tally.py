"""What a run has done so far, in numbers: for the closing summary, and shown while it goes on.

On a terminal that is one live line, elsewhere a plain line now and then.
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import TextIO

from hengfa.base.errors import counted
from hengfa.base.progress import Progress
from hengfa.evals.engine.budget import Price
from hengfa.evals.engine.messages import Response, Status

_LIVE_EVERY = 0.25

_PLAIN_EVERY = 10.0

_FIRST_PLAIN = 2.0

_SPARED = ("trouble", "kept", "tokens", "retries", "rate", "cost", "elsewhere", "statuses")
"""What a narrow terminal goes without, the first of them first."""


class Tally:
    """Counts responses by status, tokens, cost and samples; `kept` ones came from the journal.

    `watch` is told after every sample; `elsewhere` says what waits in batches.
    """

    def __init__(
        self, total: int, price: Price | None = None, watch: Progress | None = None
    ) -> None:
        self.total = total
        self.price = price
        self.watch = watch
        self.samples = 0
        self.kept = 0
        self.statuses: Counter[Status] = Counter()
        self.input_tokens = 0
        self.output_tokens = 0
        self.cost = 0.0
        self.retries = 0
        self.last_failure = ""
        self.last_trouble = ""
        self.elsewhere: Callable[[], str] = str
        self._started = time.monotonic()

    def add(self, response: Response, *, kept: bool) -> None:
        self.statuses[response.status] += 1
        if response.status is Status.FAILED:
            self.last_failure = response.reason
        self.kept += kept
        if response.usage is not None:
            self.input_tokens += response.usage.input
            self.output_tokens += response.usage.output
            if self.price is not None:
                self.cost += self.price.cost(response.usage, batch=bool(response.batch))

    def retried(self, reason: str) -> None:
        """A request is tried again: said while it happens, because it may go on for minutes."""
        self.retries += 1
        self.last_trouble = reason

    def sample_done(self) -> None:
        self.samples += 1
        if self.watch is not None:
            self.watch(self.samples, self.total)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    @property
    def rate(self) -> float:
        """New samples per second; what came from the journal took no time."""
        return max(0, self.samples - self.kept) / max(self.seconds, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        return (self.total - self.samples) / self.rate if self.rate > 0 else None

    def line(self, width: int | None = None) -> str:
        """`312/500 samples, 41.2/s, 1.2M tokens, ¥0.8312, answered 310, filtered 2, 5s left`.

        In a terminal of this width, without what there is no room for.
        """
        tokens = self.input_tokens + self.output_tokens
        counts = (f"{status} {self.statuses[status]}" for status in Status if self.statuses[status])
        left = self.seconds_left if self.samples < self.total else None
        parts = {
            "samples": f"{self.samples}/{self.total} samples",
            "kept": f"{self.kept} from the journal" if self.kept else "",
            "rate": f"{self.rate:.1f}/s",
            "tokens": f"{_short_count(tokens)} tokens",
            "cost": "" if self.price is None else self.price.show(self.cost),
            "statuses": ", ".join(counts),
            "retries": counted(self.retries, "retry", "retries") if self.retries else "",
            "trouble": f"the last after {self.last_trouble[:40]}" if self.retries else "",
            "elsewhere": self.elsewhere(),
            "left": "" if left is None else f"{_clock(left)} left",
        }
        for spared in ("", *_SPARED):
            parts[spared] = ""
            line = ", ".join(filter(None, parts.values()))
            if width is None or _columns(line) <= width:
                break
        return line if width is None else line[:width]


async def show_progress(tally: Tally, stream: TextIO | None = None) -> None:
    """Run beside the work and be cancelled at its end; the last state is printed on the way out.

    Reads the tally a few times a second, so its cost does not depend on the number of samples.
    """
    out = stream or sys.stderr
    live = out.isatty()
    before = ""
    try:
        await asyncio.sleep(_LIVE_EVERY if live else _FIRST_PLAIN)
        while True:
            line = tally.line(shutil.get_terminal_size().columns - 1 if live else None)
            if line != before:  # which may be for hours, while a batch waits
                out.write(f"\r\x1b[K{line}" if live else f"{line}\n")
                out.flush()
            before = line
            await asyncio.sleep(_LIVE_EVERY if live else _PLAIN_EVERY)
    finally:
        out.write(f"\r\x1b[K{tally.line()}\n" if live else f"{tally.line()}\n")
        out.flush()


def _columns(line: str) -> int:
    """What a line takes in a terminal, where a Chinese character is two wide."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in line)


def _short_count(number: int) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return str(number)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h{minutes:02d}m"
    return f"{minutes}m{rest:02d}s" if minutes else f"{rest}s"
