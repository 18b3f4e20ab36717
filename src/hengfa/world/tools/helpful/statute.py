"""A provision by the name of its law and its number, never the nearest one.

The texts of the world are looked at first, as `民法典第一条：…`; then the law library, where one is
given, which also knows versions and paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import Any, Final

import msgspec

from hengfa.law.citation import Position, find_citations, format_citation
from hengfa.law.law_names import normalise_name
from hengfa.law.numerals import parse_article
from hengfa.library import Found, Library, candidates, in_force_on
from hengfa.world.cells import day
from hengfa.world.tools.helpful.answering import Refused, echo, read, refused, said
from hengfa.world.tools.observation import Observation, Status

LONGEST: Final = 200

# "食品安全法第一百四十八条：…", "某某条例第三条之一 …"; not a text that only mentions an article
_NAMED: Final = re.compile(
    r"(?P<law>[^：:。，\n]{2,60}?)(?P<article>第[零〇一二三四五六七八九十百千0-9]+条(?:之[一二三四五六七八九十])?)[：:\s]"
)

Key = tuple[str, int, int]


class _Asked(msgspec.Struct, forbid_unknown_fields=True):
    identifier: str
    on: str | None = None


class Provisions:
    """The provisions among the texts of a world, by law and number."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts: dict[Key, str] = {}
        for text in texts:
            named = _NAMED.match(text)
            number = parse_article(named["article"]) if named else None
            if named and number:
                key = (normalise_name(named["law"]), number.number, number.sub)
                self._texts.setdefault(key, text)

    def cited_in(self, text: str) -> list[str]:
        """The texts of all provisions that a short text names, in its order."""
        if len(text) > LONGEST:
            return []
        cited = (
            (one.law, one.position.article, one.position.article_sub or 0)
            for one in find_citations(text, known_names=self._knows)
            if one.law and one.position
        )
        return [self._texts[key] for key in dict.fromkeys(cited) if key in self._texts]

    def _knows(self, name: str) -> bool:
        return any(law == name for law, _, _ in self._texts)


def get_statute(provisions: Provisions, library: Library | None, arguments: Any) -> Observation:
    """The text of the provision that is named."""
    asked = read(arguments, _Asked)
    on = None
    if asked.on is not None and (on := day(asked.on)) is None:
        problem = f"参数on：“{echo(asked.on)}”不是日期，例如2021-01-01"
        raise Refused(refused(Status.BAD_ARGUMENTS, problem))
    if on is None and (texts := provisions.cited_in(asked.identifier)):
        return said({"texts": texts, "from": "world"})
    found = _from_library(library, asked.identifier, on) if library else []
    if found:
        return said({"provisions": found, "from": "library"})
    return refused(
        Status.NO_DATA,
        f"没有找到“{echo(asked.identifier)}”，请写明法律名称和条号，例如：民法典第五百七十七条",
    )


def _from_library(library: Library, text: str, on: date | None) -> list[dict[str, str]]:
    found = []
    for citation in find_citations(text[:LONGEST]):
        if not citation.law or not citation.position:
            continue
        for law in candidates(library, citation.law):
            versions = library.versions(law)
            version = versions[-1] if versions else None
            if on is not None:
                answer = in_force_on(library, law, on)
                version = answer.version if isinstance(answer, Found) else None
            words = version and library.text(version, citation.position)
            if version and words:
                found.append(
                    _provision(law.name, str(version.promulgated), citation.position, words)
                )
    return found


def _provision(law: str, version: str, position: Position, text: str) -> dict[str, str]:
    return {"law": law, "version": version, "at": format_citation(None, position), "text": text}
