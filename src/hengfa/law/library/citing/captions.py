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

from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import format_position
from hengfa.law.grammar.judgment.charges import articles_of, has_crimes, is_crime, split_charges
from hengfa.law.library.citing.details import doubts, opposites, quantities, strange
from hengfa.law.library.citing.findings import Problem, Status
from hengfa.law.library.citing.telling import Tellings
from hengfa.law.library.matching import QUOTED, Passage, normalise
from hengfa.law.library.model import LawEntry
from hengfa.law.library.words import Note

_CRIMINAL_LAW: Final = "刑法"
_NUMBERED_SINCE: Final = date(1997, 10, 1)
"""Before, the articles had other numbers."""
_FIRST_CRIME: Final = 102
_LONGEST: Final = 32


class Called(NamedTuple):
    """What is the matter with what an article is called."""

    status: Status
    problem: Problem
    note: Note


def judge_caption(
    law: LawEntry, caption: str, cited: Sequence[Passage], on: date, tellings: Tellings | None
) -> Called | None:
    """The verdict on a caption of the one article cited; None where it may be its own.

    ``tellings`` are for what stands apart or in brackets, which is surely a caption; where a
    sentence goes on, only crimes count.
    """
    if len(cited) != 1:
        return None
    (passage,) = cited
    whole = f"{caption}罪"  # 盗窃罪、诈骗罪, or 盗窃 alone
    crimes = split_charges(caption) or ([whole] if is_crime(whole) else [])
    if _homes(law, crimes, passage, on):
        return _judge_crimes(law, crimes, passage, on)
    return _judge_subject(caption, passage, tellings) if tellings else None


def _judge_subject(caption: str, passage: Passage, tellings: Tellings) -> Called | None:
    law = passage.text
    if numbers := [each.shown for each in strange(quantities(caption), quantities(law))]:
        note = Note("lacks numbers", numbers="、".join(numbers))
        return Called("unlike", "told unlike the provision", note)
    if contrary := [*opposites(caption, law), *doubts(caption, law)]:
        note = Note("perhaps opposite", words=tuple(contrary))
        return Called("unclear", "called unlike the provision", note)
    if tellings.is_of_another(passage, normalise(caption, QUOTED)):
        return Called("unclear", "called unlike the provision", Note("caption of another"))
    return None


def crime_before(text: str, start: int) -> str | None:
    """The crime after which a citation that begins at ``start`` stands in brackets, if one does."""
    if text[max(0, start - 2) : start] not in {"罪（", "罪("}:
        return None
    return _crime_at_the_end(text[max(0, start - _LONGEST) : start - 1])


def judge_sentence(
    law: LawEntry, sentence: str, cited: Sequence[Passage], on: date
) -> Called | None:
    """The verdict on the one article with crimes that a sentence on some crime cites."""
    if law.short != _CRIMINAL_LAW or len(cited) != 1 or not has_crimes(cited[0].article):
        return None
    ends = (match.end() for match in re.finditer("罪", sentence))
    crimes = (_crime_at_the_end(sentence[max(0, end - _LONGEST) : end]) for end in ends)
    return _judge_crimes(law, [crime for crime in crimes if crime], cited[0], on)


def _crime_at_the_end(words: str) -> str | None:
    return next(filter(is_crime, (words[at:] for at in range(len(words) - 2))), None)


def _homes(law: LawEntry, crimes: Sequence[str], passage: Passage, on: date) -> frozenset[Position]:
    """The articles of some crimes; none where one of them, or the article, is no such."""
    if law.short != _CRIMINAL_LAW or on < _NUMBERED_SINCE:
        return frozenset()
    homes = [articles_of(crime) for crime in crimes]
    special = (passage.article.article or 0) >= _FIRST_CRIME
    return frozenset().union(*homes) if special and all(homes) else frozenset()


def _judge_crimes(
    law: LawEntry, crimes: Sequence[str], passage: Passage, on: date
) -> Called | None:
    """The verdict on an article that is cited for some crimes.

    Not wrong if it has one of them, speaks of it or refers to one that has it: 第一百九十六条 has
    盗窃信用卡并使用的，依照本法第二百六十四条.
    """
    homes = _homes(law, crimes, passage, on)
    articles = sorted(homes, key=lambda home: (home.article or 0, home.article_sub or 0))
    places = [format_position(article) for article in articles]
    names = (crime.removesuffix("罪") for crime in crimes)
    spoken_of = any(normalise(name, QUOTED) in passage.letters for name in (*names, *places))
    if not homes or passage.article in homes or spoken_of:
        return None
    note = Note("crime of another", places=tuple(places))
    return Called("unlike", "called by a crime of another article", note)
