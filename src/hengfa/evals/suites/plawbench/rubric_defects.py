"""What is wrong with a released rubric, and how it is read all the same.

Nothing is repaired in silence: a parser hands back the rubric together with every defect it met,
each with the reading that was taken (plawbench.md 6); the page
docs/plawbench-rubrics.md says why. What is larger than any rubric is refused before it is read.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from hengfa.base.errors import DataError
from hengfa.evals.grading.rubric import Rubric


class Code(StrEnum):
    """Kinds of defects."""

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


READINGS: Final[dict[Code, str]] = {
    Code.NO_TOTAL: "the total is the sum of the items",
    Code.TOTAL: "the total is the sum of the items, so that full marks are 100%",
    Code.NUMBERING: "items are numbered by their place",
    Code.HEADER_TOTAL: "the points of the data count, not those of the heading",
    Code.NO_MARKER: "split equally over the numbered lines, or all for the one item",
    Code.MARKER_FORM: "read as a marker",
    Code.BONUS: "no item: another way to earn what the items give",
    Code.LISTED_TWICE: "the last listing counts, the ones before it are left out",
    Code.STRAY_ITEM: "left out: it is an item of another section",
    Code.ONE_MARKER: "each statute is an item of that value",
    Code.SUB_SPLIT: "the step keeps its value, its parts are elements without one",
    Code.ABOVE: "all items can be earned, the section counts at most its points",
    Code.BELOW: "the section keeps its points, the rest cannot be earned",
    Code.CONTRADICTION: "the later and narrower statement holds: the order is strict",
    Code.NO_PAIRS: "no step loses points for its place; the grader sees the words of the rubric",
    Code.RESTATED: "no deduction: it says again that a missing item earns nothing",
    Code.STRAY_CLAUSE: "left out: it takes more than its section has",
    Code.NO_POINTS: "the grader chooses, from 1 point to the most that is stated",
    Code.SHARED_CAP: "each deduction is capped by itself",
    Code.REPEATED_TOTAL: "no award point: it repeats the value of the leaf",
    Code.BANDS: "one item that has these grades and no value between them",
    Code.CHILDREN: "leaves keep their values, the whole counts at most the score of the data",
    Code.REACH: "it takes from its own leaf only",
    Code.SAME_QUESTION: "both rows stay, each with its own rubric",
    Code.SAME_CONTEXT: "both rows stay: they ask something else",
    Code.CONTENT: "graded as written",
}
"""What is done about each kind; a defect may have a reading of its own."""


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
    return Defect(code, where, text, reading or READINGS[code])


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
