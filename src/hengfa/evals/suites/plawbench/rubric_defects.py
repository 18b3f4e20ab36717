"""What is wrong with a released rubric, and how it is read all the same.

Nothing is repaired in silence: a parser hands back the rubric together with every defect it met,
each with the reading that was taken, and why (plawbench.md 6). What is larger than any rubric is
refused before it is read.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Self

import msgspec

from hengfa.base.errors import DataError
from hengfa.evals.grading.rubric import Rubric


class Code(StrEnum):
    """Kinds of defects, each with what is done about it; a defect may have a reading of its own."""

    reading: str

    def __new__(cls, name: str, reading: str) -> Self:
        code = str.__new__(cls, name)
        code._value_ = name
        code.reading = reading
        return code

    NO_TOTAL = "no total", "the total is the sum of the items"
    TOTAL = "total", "the total is the sum of the items, so that full marks are 100%"
    NUMBERING = "numbering", "items are numbered by their place"
    HEADER_TOTAL = "header total", "the points of the data count, not those of the heading"
    NO_MARKER = "no marker", "split equally over the numbered lines, or all for the one item"
    MARKER_FORM = "marker form", "read as a marker"
    BONUS = "bonus phrase", "no item: another way to earn what the items give"
    LISTED_TWICE = "listed twice", "the last listing counts, the ones before it are left out"
    STRAY_ITEM = "stray item", "left out: it is an item of another section"
    ONE_MARKER = "one marker", "each statute is an item of that value"
    SUB_SPLIT = "sub-split", "the step keeps its value, its parts are elements without one"
    ABOVE = "sum above", "all items can be earned, the section counts at most its points"
    BELOW = "sum below", "the section keeps its points, the rest cannot be earned"
    CONTRADICTION = (
        "order contradicts",
        "the later and narrower statement holds: the order is strict",
    )
    NO_PAIRS = (
        "order without pairs",
        "no step loses points for its place; the grader sees the words of the rubric",
    )
    RESTATED = "restated", "no deduction: it says again that a missing item earns nothing"
    STRAY_CLAUSE = "stray clause", "left out: it takes more than its section has"
    NO_POINTS = "no points", "the grader chooses, from 1 point to the most that is stated"
    SHARED_CAP = "shared cap", "each deduction is capped by itself"
    REPEATED_TOTAL = "repeated total", "no award point: it repeats the value of the leaf"
    BANDS = "bands", "one item that has these grades and no value between them"
    CHILDREN = (
        "children",
        "leaves keep their values, the whole counts at most the score of the data",
    )
    REACH = "reach", "it takes from its own leaf only"
    SAME_QUESTION = "same question", "both rows stay, each with its own rubric"
    SAME_CONTEXT = "same context", "both rows stay: they ask something else"
    CONTENT = "content", "graded as written"


class Defect(msgspec.Struct, frozen=True):
    """One defect: ``where`` is the id of a section or item, empty for the whole rubric."""

    code: Code
    where: str
    text: str
    reading: str


class Parsed(msgspec.Struct, frozen=True):
    """A rubric and what was wrong with it."""

    rubric: Rubric
    defects: tuple[Defect, ...] = ()


def defect(code: Code, where: str, text: str, reading: str = "") -> Defect:
    """A defect with the usual reading of its kind, or another."""
    return Defect(code, where, text, reading or code.reading)


def shown(points: float) -> str:
    """Points as people write them: 10, 2.5."""
    return f"{points:g}"


MOST_CHARACTERS: Final = 100_000
"""The longest released text has about 9,000."""
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
