"""Whether what a document calls an article, 第264条 盗窃罪, can be what the article is about.

A caption gives no words of the provision, so that little can be said of it: crimes of the Criminal
Law have their articles by a table; a number with its unit should be in the provision; and where not
two letters in a row are, but all of them in another article, somebody should look.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

from hengfa.law.citation_model import Position
from hengfa.law.judgment.charges import articles_of, is_crime, split_charges
from hengfa.library.citing.details import quantities, strange
from hengfa.library.citing.findings import Problem, Status
from hengfa.library.citing.quoting import written
from hengfa.library.citing.telling import Tellings
from hengfa.library.matching import QUOTED, Passage, normalise
from hengfa.library.model import Law

_CRIMINAL_LAW: Final = "刑法"
_NUMBERED_SINCE: Final = date(1997, 10, 1)
"""Before, the articles had other numbers."""
_FIRST_CRIME: Final = 102
_LONGEST: Final = 32
# "构成盗窃罪" before "（刑法第264条）"; a crime is the longest end of it
_CRIME_BEFORE: Final = re.compile(r"[一-鿿、]{2,30}\Z")


class Called(NamedTuple):
    """What is the matter with what an article is called."""

    status: Status
    problem: Problem
    note: str


def judge_caption(
    law: Law, caption: str, cited: Sequence[Passage], on: date, tellings: Tellings | None
) -> Called | None:
    """The verdict on a caption of the one article cited; None where it may be its own.

    ``tellings`` are for what stands apart, which is surely a caption; elsewhere, in round brackets
    or where a sentence goes on, only crimes count.
    """
    if len(cited) != 1:
        return None
    (passage,) = cited
    homes: frozenset[Position] = frozenset()
    if law.short == _CRIMINAL_LAW and on >= _NUMBERED_SINCE:
        homes = _homes(caption)
    if homes and (passage.article.article or 0) >= _FIRST_CRIME:
        return _judge_crimes(caption, homes, passage)
    if tellings is None:
        return None
    if numbers := _strange_numbers(caption, passage):
        note = f"the provision does not have {'、'.join(numbers)}"
        return Called("unlike", "told unlike the provision", note)
    letters = normalise(caption, QUOTED)
    of_it = any(letters[at : at + 2] in passage.letters for at in range(len(letters) - 1))
    if of_it or not tellings.is_told(passage.version, letters):
        return None
    return Called("unclear", "called unlike the provision", "another article has what it is called")


def _strange_numbers(caption: str, passage: Passage) -> list[str]:
    """Quantities that the article does not have."""
    law = "\n".join(unit.text for unit in passage.units)
    return [quantity.shown for quantity in strange(quantities(caption), quantities(law))]


def crime_before(text: str, start: int) -> str | None:
    """The crime after which a citation that begins at ``start`` stands in brackets, if one does."""
    if text[max(0, start - 2) : start] not in {"罪（", "罪("}:
        return None
    words = _CRIME_BEFORE.search(text[max(0, start - _LONGEST) : start - 1])
    ends = (words[0][at:] for at in range(len(words[0]) - 2)) if words else ()
    return next((crime for crime in ends if is_crime(crime)), None)


def _homes(caption: str) -> frozenset[Position]:
    """The articles of the crimes of a caption; none where one of them is not known."""
    homes = [articles_of(crime) for crime in _crimes(caption)]
    return frozenset().union(*homes) if all(homes) else frozenset()


def _crimes(caption: str) -> list[str]:
    """The crimes that a caption names: 盗窃罪、诈骗罪, or 盗窃 alone."""
    whole = f"{caption}罪"
    return split_charges(caption) or ([whole] if is_crime(whole) else [])


def _judge_crimes(caption: str, homes: frozenset[Position], passage: Passage) -> Called | None:
    """Not wrong if the article has one of the crimes, speaks of it or refers to one that has it.

    第一百九十六条 has 盗窃信用卡并使用的，依照本法第二百六十四条.
    """
    articles = sorted(homes, key=lambda home: (home.article or 0, home.article_sub or 0))
    places = [written(article) for article in articles]
    names = (crime.removesuffix("罪") for crime in _crimes(caption))
    spoken_of = any(normalise(name, QUOTED) in passage.letters for name in (*names, *places))
    if passage.article in homes or spoken_of:
        return None
    note = f"this crime is in {'、'.join(places)}"
    return Called("unlike", "called by a crime of another article", note)
