"""Where the published rules and the corrected ones read the same judgment differently.

What is compared is what the published evaluator compares: the sum of months, the sum of fines, the
charges, the articles of the Criminal Law without 之一, and where the sections begin and end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from hengfa.law.judgment.charges import Charges, clean
from hengfa.law.judgment.document import SECTIONS, Judgment, SectionKind
from hengfa.law.judgment.parse import parse_judgment
from hengfa.suites.judgment.official import (
    DEATH_MONTHS,
    LIFE_MONTHS,
    NOTHING,
    Canonical,
    OfficialSections,
    PenaltyRule,
    canonical_names,
    cut_sections,
    normalise,
    official_articles,
    official_charges,
)

Element: TypeAlias = Literal["months", "fine", "charges", "articles"] | SectionKind

_COMPARED: Final[tuple[SectionKind, ...]] = SECTIONS[:4]
_RULE: Final = PenaltyRule()
_WITHOUT_LENGTH: Final = {
    **dict.fromkeys(("死刑", "死缓"), DEATH_MONTHS),
    "无期徒刑": LIFE_MONTHS,
    **dict.fromkeys(("免予刑事处罚", "不负刑事责任", "无罪"), 0),
}
"""Penalties and findings without a term, in months as the published rules count them."""
_SHOWN: Final = 40
"""Letters of a section that are shown from each end."""


class ReadingDifference(Struct, frozen=True):
    """One element as the published rules read it, and as the corrected ones do."""

    element: Element
    official: str
    corrected: str


def differences(text: str, charges: Charges | None = None) -> list[ReadingDifference]:
    """What the two readings of a document do not have in common."""
    parts, made = cut_sections(normalise(text)), parse_judgment(text, charges)
    both = (*_penalties(text, parts, made), *_names(text, parts, made, charges))
    found = [ReadingDifference(*one) for one in both if one[1] != one[2]]
    return [*found, *_sections(text, parts, made)]


def _penalties(
    text: str, parts: OfficialSections, made: Judgment
) -> Iterator[tuple[Element, str, str]]:
    final = [person.final for person in made.defendants if person.final]
    terms = [_WITHOUT_LENGTH.get(one.kind or "", one.months) for one in final]
    months = [one for one in terms if one is not None]
    yield "months", str(_RULE.months(parts.judgment, text)), str(sum(months) if months else NOTHING)
    fine = NOTHING if made.fine_total is None else made.fine_total
    yield "fine", str(_RULE.fine(parts.judgment, text)), str(fine)


def _names(
    text: str, parts: OfficialSections, made: Judgment, charges: Charges | None
) -> Iterator[tuple[Element, str, str]]:
    canonical: Canonical = clean if charges is None else canonical_names(charges)
    named = official_charges(parts.judgment, text, canonical)
    yield "charges", _listed(sorted(named)), _listed(sorted(made.charges))
    cited = {int(one) for one in official_articles(parts.reason, text)}
    applied = {one.article for one in made.statutes if one.criminal}
    yield "articles", _listed(sorted(cited)), _listed(sorted(applied))


def _listed(names: Iterable[object]) -> str:
    return "、".join(map(str, names)) or "–"


def _sections(text: str, parts: OfficialSections, made: Judgment) -> Iterator[ReadingDifference]:
    """The appendix is what is left, and says nothing of its own."""
    for kind, official in zip(_COMPARED, parts, strict=False):
        one, other = _letters(official), _letters(normalise(made.text_of(text, kind)))
        if one != other:
            yield ReadingDifference(kind, _ends(one), _ends(other))


def _letters(section: str) -> str:
    return "".join(section.split())


def _ends(section: str) -> str:
    """How a section begins and ends, and its length."""
    if len(section) > 2 * _SHOWN:
        shown = f"{section[:_SHOWN]}…{section[-_SHOWN:]}"
    else:
        shown = section or "–"
    return f"{shown} ({len(section)})"
