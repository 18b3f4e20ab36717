"""Which law repealed which, from the clauses that say so: 《…》同时废止."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from hengfa.law.statute import Statute
from hengfa.library.building.assemble import Text, law_key
from hengfa.library.building.calendar import Entered

# "《甲法》同时废止", "《甲法》，自本法施行之日起废止", "予以废止"; not "废止的，依照其规定"
_REPEAL: Final = re.compile(r"[^。\n]{0,2000}?(?:同时|予以|之日起|即行|即)废止")
# "第三条" right after a title: only that article is repealed; not "（法释〔2001〕3号）"
_ONLY_PART: Final = re.compile(r"(?:[（(][^（）()]{0,40}[)）])?(?:中)?(?:的)?第")
_WHOLE: Final = frozenset({"adopted", "revised"})


@dataclass(frozen=True, slots=True)
class Repealing:
    """A clause of a version that repeals a law, named as the clause names it."""

    name: str
    on: date | None
    before: date
    text: Text
    clause: str


def find_repeals(
    texts: Sequence[Text], calendar: Mapping[str, Sequence[Entered]]
) -> list[Repealing]:
    """All repeals, each once: the first version that has a clause is the one that repealed."""
    found: dict[tuple[str, str], Repealing] = {}
    for text in sorted(texts, key=lambda text: text.promulgated):
        for name, clause in repealed_in(text.statute):
            made = _made(text, calendar[text.law])
            on = text.header.effective_in_text or (
                text.effective if made == text.promulgated else None
            )
            repealing = Repealing(name, on, made, text, clause)
            found.setdefault((law_key(name), text.law), repealing)
    return sorted(found.values(), key=lambda repeal: (repeal.before, repeal.text.law, repeal.name))


def repealed_in(statute: Statute) -> Iterator[tuple[str, str]]:
    """The titles of the laws that a statute repeals, and the sentence that does it."""
    for article in statute.articles[-6:]:
        text = article.full_text
        if "废止" not in text:
            continue
        for found in _REPEAL.finditer(text):
            clause = found[0].strip("；;，, \n")
            for title, rest in titles(found[0]):
                if not _ONLY_PART.match(rest):
                    yield title, clause


def titles(text: str) -> Iterator[tuple[str, str]]:
    """The outermost 《…》 of a text without the marks, each with what follows it.

    >>> [title for title, _ in titles("《甲法》、《关于适用《乙法》的解释》同时废止")]
    ['甲法', '关于适用《乙法》的解释']
    """
    depth = begin = 0
    for place, sign in enumerate(text):
        if sign == "《":
            depth += 1
            begin = place + 1 if depth == 1 else begin
        elif sign == "》" and depth:
            depth -= 1
            if depth == 0:
                yield text[begin:place], text[place + 1 : place + 60]


def _made(text: Text, lines: Sequence[Entered]) -> date:
    """When the clause was promulgated: amendments carry on those of the law as it was adopted."""
    stated = text.header.effective_in_text or text.promulgated
    whole = [x.on for x in lines if x.event in _WHOLE and x.on <= min(stated, text.promulgated)]
    return whole[-1] if whole else text.promulgated
