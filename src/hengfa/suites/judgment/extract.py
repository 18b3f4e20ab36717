"""Response to answer: the elements of a judgment (judgment spec 2 to 6, 9).

Whatever the text is, it is read: a document without marks has one section, one without sentences
no penalty. The status says what a person would say of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from hengfa.suites.base import Answer, AnswerStatus
from hengfa.suites.judgment.reading import Elements, Readers

RESULT_MARK: Final = "判决如下"


class Written(msgspec.Struct, frozen=True):
    """A document and its elements by the latest rules; other rules read the text again."""

    text: str
    elements: Elements

    def __str__(self) -> str:
        return str(self.elements)


def document(readers: Readers) -> Callable[[str], Answer[Written]]:
    """Read a response by the given rules."""

    def extract(response: str) -> Answer[Written]:
        written = Written(response, readers.head(response))
        return Answer(written, _status(written))

    return extract


def _status(written: Written) -> AnswerStatus:
    """Nothing found at all; no reasoning or no result; several results; or a judgment."""
    found = written.elements
    penalties = any(one.kind or one.value >= 0 for one in (*found.terms, *found.fines))
    if not (found.charges or found.articles or penalties):
        return AnswerStatus.ABSTAINED
    if not (found.reason.strip() and found.judgment.strip()):
        return AnswerStatus.MALFORMED
    several = written.text.count(RESULT_MARK) > 1
    return AnswerStatus.AMBIGUOUS if several else AnswerStatus.EXTRACTED
