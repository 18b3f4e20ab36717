"""A hand-in by its parts, and what it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.law_names import abbreviations, normalise_name
from hengfa.world.matters.key import FORMS, HEAD
from hengfa.world.matters.matter import Kind


class Cited(NamedTuple):
    """An article of a law."""

    law: str
    article: int


class Part(NamedTuple):
    """A stretch of a hand-in."""

    start: int
    end: int


# What may stand before and after a heading in its line: "**二、法律分析：**", "## 证据", "此致";
# not "原告的证据"
_BEFORE: Final = r"^[#*（()）一二三四五六七八九十、.．0-9 \t\u3000]*+"
_AFTER: Final = r"(?=[*\s：:]|$)"


def parts_of(text: str, kind: Kind) -> Mapping[str, Part]:
    """Where each part stands: from its heading to the next. Headings come in the order of the form,
    below its title; a part without its heading is not there, and without the title none is."""
    form = FORMS[kind]
    starts: list[tuple[str, int, int]] = []
    at = 0
    for part, heading in {HEAD: form.title, **form.headings}.items():
        found = re.compile(_BEFORE + heading + _AFTER, re.MULTILINE).search(text, at)
        if found is not None:
            starts.append((part, found.start(), at := found.end()))
        elif part == HEAD:
            return {}
    ends = [start for _, start, _ in starts[1:]] + [len(text)]
    return {part: Part(at, end) for (part, _, at), end in zip(starts, ends, strict=True)}


def cited_in(text: str) -> Iterator[Cited]:
    """Every article of a law that a text cites, the law by one spelling."""
    for citation in find_citations(text):
        if citation.law is None or citation.kind == "document":
            continue
        for position in citation.expand():
            if position.article is not None and position.article_sub is None:
                yield Cited(spelled(citation.law), position.article)


def spelled(law: str) -> str:
    """One spelling for a law: 《中华人民共和国民法典》 is 民法典."""
    plain = normalise_name(law)
    meant = abbreviations.get(plain, ())
    return normalise_name(meant[0]) if len(meant) == 1 else plain
