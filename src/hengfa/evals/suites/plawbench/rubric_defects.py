"""What is wrong with a released rubric, and how it is read all the same.

Nothing is repaired in silence: a parser hands back the rubric together with every defect it met,
each with the reading that was taken, and why (plawbench.md 6). What is larger than any rubric is
refused before it is read.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import read_toml
from hengfa.base.errors import DataError
from hengfa.evals.grading.rubric import Rubric


class Code(StrEnum):
    """Kinds of defects; `rubric_defects.toml` says what is done about each."""

    NO_TOTAL = "no total"
    TOTAL = "total"
    NUMBERING = "numbering"
    HEADER_TOTAL = "header total"
    NO_MARKER = "no marker"
    MARKER_FORM = "marker form"
    BONUS = "bonus phrase"
    LISTED_TWICE = "listed twice"
    STRAY_ITEM = "stray item"
    ONE_MARKER = "one marker"
    SUB_SPLIT = "sub-split"
    ABOVE = "sum above"
    BELOW = "sum below"
    CONTRADICTION = "order contradicts"
    NO_PAIRS = "order without pairs"
    RESTATED = "restated"
    STRAY_CLAUSE = "stray clause"
    NO_POINTS = "no points"
    SHARED_CAP = "shared cap"
    REPEATED_TOTAL = "repeated total"
    BANDS = "bands"
    CHILDREN = "children"
    REACH = "reach"
    SAME_QUESTION = "same question"
    SAME_CONTEXT = "same context"
    CONTENT = "content"


READINGS: Final = read_toml(Path(__file__).with_suffix(".toml"), dict[Code, str])


class Defect(msgspec.Struct, frozen=True):
    """One defect: ``where`` is the id of a section or item, empty for the whole rubric."""

    code: Code
    where: str
    text: str
    reading: str


class RubricReading(msgspec.Struct, frozen=True):
    """A rubric and what was wrong with it."""

    rubric: Rubric
    defects: tuple[Defect, ...] = ()


class Defects(list[Defect]):
    """All that a parser meets, in the order of the text."""

    def add(self, code: Code, where: str, text: str, reading: str = "") -> None:
        """A defect with the usual reading of its kind, or another."""
        self.append(Defect(code, where, text, reading or READINGS[code]))


def show(points: float) -> str:
    """Points as people write them: 10, 2.5."""
    return f"{points:g}"


MOST_CHARACTERS: Final = 100_000  # the longest released text has about 9,000
MOST_ITEMS: Final = 500
"""The most in one section of the release are 16; pairs of steps grow with the square."""


def check_size(text: str, rubric_id: str, field: str) -> None:
    """Refuse a text that is too long."""
    if len(text) > MOST_CHARACTERS:
        problem = f"{len(text):,} characters: a rubric has at most {MOST_CHARACTERS:,}"
        raise DataError(problem, file=rubric_id, field=field)


def check_items(number: int, rubric_id: str, field: str) -> None:
    """Refuse more items than anybody grades."""
    if number > MOST_ITEMS:
        problem = f"{number:,} items: a section has at most {MOST_ITEMS:,}"
        raise DataError(problem, file=rubric_id, field=field)
