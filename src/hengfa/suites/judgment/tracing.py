"""How a written judgment came to its score: element by element beside the court's document.

The mean of the points of the elements, those left out aside, is the document's overall score. The
provisions and judgments that were retrieved for the prompt stand below them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from hengfa.results.trace import Finding, Spans, Trace
from hengfa.suites.base import Fixes
from hengfa.suites.judgment import score
from hengfa.suites.judgment.breakdown import Row, element_rows
from hengfa.suites.judgment.context import context_of
from hengfa.suites.judgment.dataset import JudgmentSample
from hengfa.suites.judgment.reading import Elements
from hengfa.suites.tracing import places, short

PROVISION, RELATED = "provision in the prompt", "judgment in the prompt"
_SHORT: Final = 80
_MOST_NAMES: Final = 10
_MOST_PLACES: Final = 3
_EDGE: Final = 12
"""So many characters at either end of a section are enough to find it again."""


def elements(
    sample: JudgmentSample, response: str, expected: Elements, given: Elements, fixes: Fixes
) -> Trace:
    """A response that was read, beside the court's document, then what stood in the prompt."""
    places_of = _places(response, given)
    findings = [
        _finding(row, places_of.get(row.element, ()))
        for row in element_rows(expected, given, fixes)
    ]
    return Trace("elements", (*findings, *_in_prompt(sample)))


def _finding(row: Row, spans: Spans) -> Finding:
    scores = list(row.scores.values())
    recall, precision = (*scores, None, None)[:2]
    points, note = recall, ""
    if len(scores) > 1 and recall is not None and precision is not None:
        points = score.harmonic(precision, recall)
        note = f"recall {recall:.2f}, precision {precision:.2f}"
    return Finding(
        row.element,
        given=short(row.given, _SHORT),
        expected=short(row.expected, _SHORT),
        right=None if points is None else points == 1.0,
        points=points,
        maximum=None if points is None else 1.0,
        note="left out by the rules" if points is None else note,
        spans=spans,
    )


def _places(response: str, given: Elements) -> Mapping[str, Spans]:
    """Where the names of charges stand, and the two sections that are compared."""
    charges = sorted(given.charges, key=len, reverse=True)[:_MOST_NAMES]
    return {
        "charges": tuple(
            sorted(span for name in charges for span in places(response, name, _MOST_PLACES))
        ),
        "reason": _section(response, given.reason),
        "judgment": _section(response, given.judgment),
    }


def _section(response: str, section: str) -> Spans:
    """A section by its first and last characters: between them its punctuation was rewritten."""
    words = section.strip()
    head, tail = words[:_EDGE], words[-_EDGE:]
    start = response.find(head) if head else -1
    end = response.find(tail, start + max(len(words) // 2 - _EDGE, 0)) if start >= 0 else -1
    return ((start, end + len(tail)),) if end >= 0 else ()


def _in_prompt(sample: JudgmentSample) -> Iterator[Finding]:
    """The retrieved list as it was shown, which of it is gold, and the gold that is not there."""
    context = context_of(sample)
    gold = tuple(map(str, sample.articles))
    if context.article_ids:
        for article in context.article_ids:
            right = article in gold
            yield Finding(PROVISION, article, article if right else "", right or None)
        for article in _missing(gold, context.article_ids):
            yield Finding(PROVISION, expected=article, right=False, note="not retrieved")
    for case in context.case_ids:
        yield Finding(RELATED, case)


def _missing(gold: Sequence[str], there: Sequence[str]) -> list[str]:
    return [one for one in dict.fromkeys(gold) if one not in there]
