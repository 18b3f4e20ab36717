"""Finds where a response repeats its rubric instead of answering.

Whoever answers has not seen the rubric. One item in the same words may be chance; one item after
another, with nothing between them, is a copy, and words from there back no award.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from hengfa.grading.marks import Span
from hengfa.grading.rubric import Item
from hengfa.grading.submission import Submission

SHORTEST: Final = 5
"""Letters of a clause that are worth looking for."""
FEWEST_ITEMS: Final = 3
WIDEST_GAP: Final = 8
"""Letters between two clauses of a copy, such as a number, a sign and 第三步."""

# What holds a clause together: letters and digits. "追问租期，以及" has two clauses.
_CLAUSE: Final = re.compile(r"[^\W_]+")


class _Found(NamedTuple):
    start: int
    end: int
    item: str
    counts: bool


def echoes_rubric(submission: Submission) -> list[Span]:
    """Stretches with clauses of three items or more, one after another; [] if there is none.

    Clauses that the question has too, and provisions of law, can stand in any answer: they lengthen
    a stretch but do not make one.
    """
    found = sorted({one for item in submission.rubric.items() for one in _found(item, submission)})
    stretches: list[list[_Found]] = []
    for one in found:
        if stretches and _letters_between(submission.response, stretches[-1], one) <= WIDEST_GAP:
            stretches[-1].append(one)
        else:
            stretches.append([one])
    return [
        Span(stretch[0].start, max(one.end for one in stretch))
        for stretch in stretches
        if _items(stretch) >= FEWEST_ITEMS
    ]


def _items(stretch: list[_Found]) -> int:
    """Of how many items a stretch has clauses; one that several items share speaks for one."""
    counting = [one for one in stretch if one.counts]
    return min(len({one.item for one in counting}), len({one.start for one in counting}))


def _found(item: Item, submission: Submission) -> list[_Found]:
    clauses = {clause for clause in _CLAUSE.findall(item.text) if len(clause) >= SHORTEST}
    return [
        _Found(
            place.start(),
            place.end(),
            item.id,
            not item.statute and clause not in submission.question,
        )
        for clause in clauses
        for place in re.finditer(re.escape(clause), submission.response)
    ]


def _letters_between(response: str, stretch: list[_Found], one: _Found) -> int:
    end = max(other.end for other in stretch)
    return sum(map(len, _CLAUSE.findall(response[end : one.start])))
