"""A text of law as it was found, before anyone has read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final, Literal

from hengfa.library.model import Event, LawKind, Remark

Note = Callable[[Remark], None]

# "2020-05-28"; not "2020-W22-4", which is a day as well
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

LARGEST_FILE: Final = 256 * 1024 * 1024
"""A Markdown or calendar file of this size is no law."""


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """A folder or file to read, and what its texts should say of where they come from."""

    path: Path
    repository: str = ""
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """From line ``begin`` on a text is that of ``file`` without its first ``skipped`` lines."""

    file: str
    begin: int
    skipped: int


@dataclass(frozen=True, slots=True)
class RawText:
    """One text of a law as it was found, with what its source says about it; None: nothing."""

    text: str
    law: str | None
    promulgated: date | None
    file: str
    path: str
    kind: LawKind | None = None
    event: Event | None = None
    effective: date | None = None
    effective_basis: str = ""
    suspect: bool = False
    role: Literal["primary", "alternate"] = "primary"
    repository: str = ""
    commit: str = ""
    row: int | None = None
    pieces: tuple[Piece, ...] = ()  # where a text was put together from several files

    def place(self, line: int) -> tuple[str, int]:
        """The file of a line of the text, and its number there."""
        for piece in reversed(self.pieces):
            if line >= piece.begin:
                return piece.file, line - piece.begin + 1 + piece.skipped
        return self.file, line


@dataclass(frozen=True, slots=True)
class Dated:
    """A line of a calendar: what happened to a law on a day."""

    law: str
    on: date
    event: Event


def iso_date(text: str | None) -> date | None:
    """A day as YYYY-MM-DD, or None for anything else."""
    try:
        return date.fromisoformat(text) if text and _DAY.fullmatch(text) else None
    except ValueError:
        return None
