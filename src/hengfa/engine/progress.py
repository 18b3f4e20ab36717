"""Shows how a run is getting on: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import asyncio
import shutil
import sys
from typing import TextIO

from hengfa.engine.tally import Tally

_LIVE_EVERY = 0.25
_PLAIN_EVERY = 10.0
_FIRST_PLAIN = 2.0


async def show_progress(tally: Tally, stream: TextIO | None = None) -> None:
    """Run beside the work and be cancelled at its end; the last state is printed on the way out.

    Reads the tally a few times a second, so its cost does not depend on the number of samples.
    """
    out = stream or sys.stderr
    live = out.isatty()
    try:
        await asyncio.sleep(_LIVE_EVERY if live else _FIRST_PLAIN)
        while True:
            line = tally.line()
            width = shutil.get_terminal_size().columns - 1
            out.write(f"\r\x1b[K{line[:width]}" if live else f"{line}\n")
            out.flush()
            await asyncio.sleep(_LIVE_EVERY if live else _PLAIN_EVERY)
    finally:
        out.write(f"\r\x1b[K{tally.line()}\n" if live else f"{tally.line()}\n")
        out.flush()
