"""Which of the provisions that the court lists for a case (相关法条) the reasons cite.

No grader is needed: both are read by the reader of citations, and compared by law and article. What
an answer cites besides may be law all the same, so precision says how near it stays to the court's
list, not that it is right.

One list in seven names provisions twice, in the version that was applied and in that of
today, the one in brackets after the other: 合同法第6条（注：现行有效的法律为民法典第7条）. They are
two readings of a line, and an answer may follow either.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.citation_model import Citation
from hengfa.law.grammar.law_names import abbreviations, normalise_name, without_courts

LEVELS: Final = ("laws", "statutes")  # compared by the law alone, and by law and article
METRICS: Final = tuple(
    f"{level}_{measure}" for level in LEVELS for measure in ("precision", "recall", "f1")
)

Provision = tuple[str, int, int]  # law, article, and the 一 of 第一百三十三条之一, else 0
Key = str | Provision


@dataclass(frozen=True, slots=True)
class Line:
    """What a line of the list names, and what a remark in brackets names in its place."""

    provisions: set[Provision] = field(default_factory=set)
    remark: set[Provision] = field(default_factory=set)


def overlap(statutes: str, response: str | None) -> dict[str, float | None]:
    """Precision, recall and F1 of what a response cites; none where the court lists nothing, and no
    precision where nothing is cited. Of two readings of a line that counts of which more is."""
    lines = lines_of(statutes)
    if not lines:
        return dict.fromkeys(METRICS)
    found = articles_in(response) if response else set()
    metrics: dict[str, float | None] = {}
    for level in LEVELS:
        cited = _at(level, found)
        readings = [(_at(level, line.provisions), _at(level, line.remark)) for line in lines]
        chosen = (max(line, key=lambda reading: _share(cited, reading)) for line in readings)
        recall = _share(cited, set[Key]().union(*chosen))
        known = set[Key]().union(*(reading for line in readings for reading in line))
        precision = _share(known, cited) if cited else None
        both = (precision or 0) + recall
        metrics |= {
            f"{level}_precision": precision,
            f"{level}_recall": recall,
            f"{level}_f1": 2 * (precision or 0) * recall / both if both else 0.0,
        }
    return metrics


@lru_cache(maxsize=512)
def lines_of(statutes: str) -> tuple[Line, ...]:
    """The lines of a list of provisions; a remark belongs to what stands before it."""
    lines: list[Line] = []
    end = 0
    for citation in find_citations(statutes):
        found = set(_provisions(citation))
        before = statutes[: citation.start].translate(_FULL_WIDTH)
        remark = before.rfind("（") > before.rfind("）")  # open; that of 解释（一） is closed
        broken = "\n" in statutes[end : citation.start]
        if not lines or (not remark and (broken or lines[-1].remark)):
            lines.append(Line())
        (lines[-1].remark if remark else lines[-1].provisions).update(found)
        end = citation.end
    return tuple(line for line in lines if line.provisions)


_FULL_WIDTH: Final = str.maketrans("()", "（）")


def articles_in(text: str) -> set[Provision]:
    """The articles that a text cites."""
    return {found for citation in find_citations(text) for found in _provisions(citation)}


def _provisions(citation: Citation) -> Iterator[Provision]:
    """The articles of a citation of law, which has one spelling; nothing for contracts, or where no
    law is named. An abbreviation that can mean several laws stays as it is."""
    if citation.law is None:
        return
    plain = normalise_name(citation.law)
    meant = abbreviations.get(plain, ())
    law = without_courts(normalise_name(meant[0]) if len(meant) == 1 else plain)
    for position in citation.expand():
        if position.article is not None:
            yield law, position.article, position.article_sub or 0


def _at(level: str, provisions: set[Provision]) -> set[Key]:
    return {provision[0] if level == "laws" else provision for provision in provisions}


def _share(held: set[Key], of: set[Key]) -> float:
    return len(held & of) / len(of) if of else 0.0
