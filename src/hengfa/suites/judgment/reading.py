"""A document to the elements that are compared, by the published rules with some fixes on.

Without fixes this is the published evaluator; with all of them it is the parser of
`hengfa.law.judgment`, as far as there is anything to repair.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import msgspec

from hengfa.law.judgment.charges import Charges, clean, read_charges
from hengfa.law.judgment.document import Defendant, Judgment
from hengfa.law.judgment.parse import parse_judgment
from hengfa.suites.base import Fixes
from hengfa.suites.judgment import fixes as fix
from hengfa.suites.judgment import official
from hengfa.suites.judgment.official import (
    DEATH_MONTHS,
    LIFE_MONTHS,
    NOTHING,
    Canonical,
    PenaltyRule,
    canonical_names,
    cut_sections,
    full_numbers,
    normalise,
    official_articles,
    official_charges,
)

CHARGES: Final = "charges.txt"
_KEPT, _KEPT_LENGTH = 4096, 20_000
"""Documents that were read are kept, since each is read under many rules; huge ones are not."""


parsed = lru_cache(maxsize=2048)(parse_judgment)
"""The structure of a reference, which comes again and again."""


class Penalty(NamedTuple):
    """What somebody got: months or yuan, -1 for nothing; `kind` where the verdict is no number."""

    who: str
    value: float
    kind: str = ""


class Elements(msgspec.Struct, frozen=True):
    """What is compared of a document. The published rules know one nameless defendant."""

    charges: frozenset[str]
    articles: frozenset[str]
    terms: tuple[Penalty, ...]
    fines: tuple[Penalty, ...]
    reason: str
    judgment: str

    def __str__(self) -> str:
        terms = "、".join(f"{one.who}{one.kind or one.value}" for one in self.terms)
        fines = "、".join(f"{one.who}{one.value}" for one in self.fines)
        charges, articles = ("、".join(sorted(names)) for names in (self.charges, self.articles))
        return f"{charges}; months {terms}; fine {fines}; articles {articles}"


Read: TypeAlias = Callable[[str], Elements]


class Readers(NamedTuple):
    """How documents are read: by the latest published rules with fixes, and by those of before."""

    head: Read
    official: Read
    notice: str


def readers(fixes: Fixes, data: Path | None) -> Readers:
    """The readers for some fixes; made once, with what they have read."""
    file = None if data is None else data / CHARGES
    changed = file.stat().st_mtime_ns if file is not None and file.is_file() else None
    return _readers(fixes, data if changed is not None else None, changed)


@lru_cache(maxsize=32)
def _readers(fixes: Fixes, data: Path | None, _changed: int | None) -> Readers:
    charges = None if data is None else read_charges(data)
    canonical: Canonical = clean if charges is None else canonical_names(charges)
    notice = (
        f"the data has no {CHARGES}: charges are compared as they are written, so their scores are "
        "not those of the published evaluator"
        if charges is None
        else ""
    )
    return Readers(_kept(_head(fixes, charges, canonical)), _kept(_legacy(canonical)), notice)


def _kept(read: Read) -> Read:
    again = lru_cache(maxsize=_KEPT)(read)
    return lambda text: again(text) if len(text) <= _KEPT_LENGTH else read(text)


def _head(fixes: Fixes, charges: Charges | None, canonical: Canonical) -> Read:
    whole_document = fix.OWN_SECTION not in fixes
    penalties = PenaltyRule(
        numbers=full_numbers if fix.NUMERALS in fixes else PenaltyRule.numbers,
        whole_document=whole_document,
        skipping=fix.EVERY_FINE not in fixes,
        bare_terms=fix.VERDICTS not in fixes,
        any_death=fix.DEATH not in fixes,
    )

    def read(text: str) -> Elements:
        cut = cut_sections(
            normalise(text),
            by_position=fix.POSITION in fixes,
            earliest=fix.EARLIEST in fixes,
        )
        parsed = parse_judgment(text, charges) if fixes & _PARSED else None
        if parsed is not None and fix.DEFENDANTS in fixes:
            named = frozenset(parsed.charges)
            terms = tuple(_term(one, fixes) for one in parsed.defendants)
            fines = tuple(_fine(one) for one in parsed.defendants)
        else:
            named = official_charges(cut.judgment, text, canonical, whole_document=whole_document)
            terms = (Penalty("", penalties.months(cut.judgment, text)),)
            fines = (Penalty("", penalties.fine(cut.judgment, text)),)
        if parsed is not None and fix.ARTICLES in fixes:
            articles = _articles(parsed)
        else:
            articles = official_articles(cut.reason, text if whole_document else "")
        return Elements(named, articles, terms, fines, cut.reason, cut.judgment)

    return read


_PARSED: Final = frozenset({fix.DEFENDANTS, fix.ARTICLES})
"""The fixes that need a judgment's structure."""

_NO_PENALTY: Final = frozenset({"免予刑事处罚", "不负刑事责任", "无罪"})
_DEATH: Final = frozenset({"死刑", "死缓"})


def _term(defendant: Defendant, fixes: Fixes) -> Penalty:
    """What is executed; a life sentence counts as many months as in the published rules."""
    final = defendant.final
    kind = None if final is None else final.kind
    if final is None or kind is None:
        return Penalty(defendant.name, NOTHING)
    if kind in _NO_PENALTY:
        return Penalty(defendant.name, 0, kind if fix.VERDICTS in fixes else "")
    if kind in _DEATH:
        return Penalty(defendant.name, DEATH_MONTHS, kind if fix.DEATH in fixes else "")
    if kind == "无期徒刑":
        return Penalty(defendant.name, LIFE_MONTHS)
    return Penalty(defendant.name, NOTHING if final.months is None else final.months)


def _fine(defendant: Defendant) -> Penalty:
    total = defendant.fine_total
    return Penalty(defendant.name, NOTHING if total is None else float(total))


def _articles(parsed: Judgment) -> frozenset[str]:
    return frozenset(
        f"{one.law}{one.article}" + (f"-{one.article_sub}" if one.article_sub else "")
        for one in parsed.statutes
    )


def _legacy(canonical: Canonical) -> Read:
    def read(text: str) -> Elements:
        result = official.legacy_judgment(text)
        reason, judgment = official.legacy_texts(text)
        return Elements(
            official.legacy_charges(result, text, canonical),
            official.legacy_articles(text),
            (Penalty("", official.LEGACY_PENALTIES.months(result, text)),),
            (Penalty("", official.LEGACY_PENALTIES.fine(result, text)),),
            reason,
            judgment,
        )

    return read
