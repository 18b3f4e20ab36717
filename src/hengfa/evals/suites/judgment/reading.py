"""A document to the elements that are compared, by the published rules with some fixes on.

Without fixes this is the published evaluator; with all of them it is the parser of
`hengfa.law.grammar.judgment`, as far as there is anything to repair. Whatever the text is, it is
read: a document without marks has one section, one without sentences no penalty.

`differences` tells where the two read the same judgment differently: in what the published
evaluator compares, which is the sum of months, the sum of fines, the charges, the articles of the
Criminal Law without 之一, and in where the sections begin and end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from hengfa.base.data.jsonfile import read_toml
from hengfa.evals.results.trace import Spans
from hengfa.evals.suites.base import AnswerStatus, Fixes
from hengfa.evals.suites.findings import places
from hengfa.evals.suites.judgment import official
from hengfa.evals.suites.judgment.official import NOTHING, Canonical, cut_sections, normalise
from hengfa.law.grammar.judgment.charges import Charges, clean, read_charges
from hengfa.law.grammar.judgment.document import SECTIONS, Defendant, SectionKind, Sentence
from hengfa.law.grammar.judgment.parse import parse_judgment

_KEPT, _KEPT_LENGTH = 4096, 20_000
"""Documents that were read are kept, since each is read under many rules; huge ones are not."""
_RESULT_MARK: Final = "判决如下"
_MOST_NAMES, _MOST_PLACES = 10, 3
"""So many charges are looked for in a response, and so many places of each are shown."""
_EDGE: Final = 12  # so many characters at either end of a section are enough to find it again


class JudgmentFix(StrEnum):
    """What the corrected rules repair; `fixes.toml` says it in a sentence each."""

    POSITION = "position"
    EARLIEST = "earliest"
    DEFENDANTS = "defendants"
    OWN_SECTION = "own-section"
    EVERY_FINE = "every-fine"
    GUARD = "guard"
    NUMERALS = "numerals"
    UNPARSED = "unparsed"
    ARTICLES = "articles"
    VERDICTS = "verdicts"
    DEATH = "death"


SENTENCES: Final = read_toml(Path(__file__).with_name("fixes.toml"), dict[str, str])


class Punishment(NamedTuple):
    """What somebody got: months or yuan, -1 for nothing; `kind` where the verdict is no number."""

    who: str
    value: float
    kind: str = ""


class Elements(msgspec.Struct, frozen=True):
    """What is compared of a document. The published rules know one nameless defendant."""

    charges: frozenset[str]
    articles: frozenset[str]
    terms: tuple[Punishment, ...]
    fines: tuple[Punishment, ...]
    reason: str
    judgment: str

    def __str__(self) -> str:
        terms = "、".join(f"{term.who}{term.kind or term.value}" for term in self.terms)
        fines = "、".join(f"{fine.who}{fine.value}" for fine in self.fines)
        charges, articles = ("、".join(sorted(names)) for names in (self.charges, self.articles))
        return f"{charges}; months {terms}; fine {fines}; articles {articles}"


class Reading(msgspec.Struct, frozen=True):
    """A document and what was read out of it."""

    text: str
    elements: Elements

    def __str__(self) -> str:
        return str(self.elements)

    @property
    def status(self) -> AnswerStatus:
        """Nothing there at all; no reasoning or no result; several results; or a judgment."""
        read = self.elements
        punished = any(penalty.kind or penalty.value >= 0 for penalty in (*read.terms, *read.fines))
        if not (read.charges or read.articles or punished):
            return AnswerStatus.ABSTAINED
        if not (read.reason.strip() and read.judgment.strip()):
            return AnswerStatus.MALFORMED
        several = self.text.count(_RESULT_MARK) > 1
        return AnswerStatus.AMBIGUOUS if several else AnswerStatus.EXTRACTED

    def where(self) -> Mapping[str, Spans]:
        """Where the names of charges stand, and the two sections that are compared."""
        charges = sorted(self.elements.charges, key=len, reverse=True)[:_MOST_NAMES]
        spans = (span for name in charges for span in places(self.text, name, _MOST_PLACES))
        return {
            "charges": tuple(sorted(spans)),
            "reason": _section_in(self.text, self.elements.reason),
            "judgment": _section_in(self.text, self.elements.judgment),
        }


def _section_in(text: str, section: str) -> Spans:
    """A section by its first and last characters: between them its punctuation was rewritten."""
    words = section.strip()
    head, tail = words[:_EDGE], words[-_EDGE:]
    start = text.find(head) if head else -1
    end = text.find(tail, start + max(len(words) // 2 - _EDGE, 0)) if start >= 0 else -1
    return ((start, end + len(tail)),) if end >= 0 else ()


_Read: TypeAlias = Callable[[str], Elements]


class Readers(NamedTuple):
    """How documents are read: by the latest published rules with fixes, and by those of before."""

    head: _Read
    legacy: _Read


def readers(fixes: Fixes, data: Path | None) -> Readers:
    """The readers for some fixes; made once, with what they have read. Data may name charges of its
    own; else they are those of the law."""
    file = None if data is None else data / "charges.txt"
    changed = file.stat().st_mtime_ns if file is not None and file.is_file() else None
    return _readers(fixes, data if changed is not None else None, changed)


@lru_cache(maxsize=32)
def _readers(fixes: Fixes, data: Path | None, _changed: int | None) -> Readers:
    charges = read_charges(data)
    canonical = official.canonical_names(charges)
    return Readers(_keep(_head(fixes, charges, canonical)), _keep(_legacy(canonical)))


def _keep(read: _Read) -> _Read:
    again = lru_cache(maxsize=_KEPT)(read)
    return lambda text: again(text) if len(text) <= _KEPT_LENGTH else read(text)


def _head(fixes: Fixes, charges: Charges | None, canonical: Canonical) -> _Read:
    whole = JudgmentFix.OWN_SECTION not in fixes
    exact = JudgmentFix.NUMERALS in fixes
    penalties = official.PenaltyRule(
        numbers=official.full_numbers if exact else official.PenaltyRule.numbers,
        whole_document=whole,
        skipping=JudgmentFix.EVERY_FINE not in fixes,
        bare_terms=JudgmentFix.VERDICTS not in fixes,
        any_death=JudgmentFix.DEATH not in fixes,
    )

    def read(text: str) -> Elements:
        cut = cut_sections(
            normalise(text),
            by_position=JudgmentFix.POSITION in fixes,
            earliest=JudgmentFix.EARLIEST in fixes,
        )
        parsed = parse_judgment(text, charges) if fixes & _PARSED else None
        if parsed is not None and JudgmentFix.DEFENDANTS in fixes:
            named = frozenset(parsed.charges)
            terms = tuple(_term(person, fixes) for person in parsed.defendants)
            totals = ((person.name, person.fine_total) for person in parsed.defendants)
            fines = tuple(
                Punishment(name, NOTHING if total is None else float(total))
                for name, total in totals
            )
        else:
            named = official.official_charges(cut.judgment, text, canonical, whole_document=whole)
            terms = (Punishment("", penalties.months(cut.judgment, text)),)
            fines = (Punishment("", penalties.fine(cut.judgment, text)),)
        if parsed is not None and JudgmentFix.ARTICLES in fixes:
            articles = frozenset(
                f"{cited.law}{cited.article}-{cited.article_sub or ''}".rstrip("-")
                for cited in parsed.statutes
            )
        else:
            articles = official.official_articles(cut.reason, text if whole else "")
        return Elements(named, articles, terms, fines, cut.reason, cut.judgment)

    return read


_PARSED: Final = frozenset({JudgmentFix.DEFENDANTS, JudgmentFix.ARTICLES})
"""The fixes that need a judgment's structure."""

_NO_PENALTY: Final = frozenset({"免予刑事处罚", "不负刑事责任", "无罪"})
_DEATH: Final = frozenset({"死刑", "死缓"})
_MONTHS: Final[Mapping[str, int]] = {
    **dict.fromkeys(_DEATH, official.DEATH_MONTHS),
    "无期徒刑": official.LIFE_MONTHS,
    **dict.fromkeys(_NO_PENALTY, 0),
}
"""Penalties and findings without a length, in months as the published rules count them."""


def _months(final: Sentence | None) -> int:
    """The length of what is executed."""
    if final is None or final.kind is None:
        return NOTHING
    months = _MONTHS.get(final.kind, final.months)
    return NOTHING if months is None else months


def _term(defendant: Defendant, fixes: Fixes) -> Punishment:
    final = defendant.final
    kind = "" if final is None else final.kind or ""
    verdict = JudgmentFix.VERDICTS in fixes and kind in _NO_PENALTY
    death = JudgmentFix.DEATH in fixes and kind in _DEATH
    return Punishment(defendant.name, _months(final), kind if verdict or death else "")


def _legacy(canonical: Canonical) -> _Read:
    def read(text: str) -> Elements:
        result = official.legacy_judgment(text)
        return Elements(
            official.legacy_charges(result, text, canonical),
            official.legacy_articles(text),
            (Punishment("", official.LEGACY_PENALTIES.months(result, text)),),
            (Punishment("", official.LEGACY_PENALTIES.fine(result, text)),),
            *official.legacy_texts(text),
        )

    return read


# Where the published and the corrected rules differ

_Element: TypeAlias = Literal["months", "fine", "charges", "articles"] | SectionKind

_COMPARED: Final[tuple[SectionKind, ...]] = SECTIONS[:4]
_SHOWN: Final = 40  # letters of a section that are shown from each end


class ReadingDifference(msgspec.Struct, frozen=True):
    """One element as the published rules read it, and as the corrected ones do."""

    element: _Element
    official: str
    corrected: str


def differences(text: str, charges: Charges | None = None) -> list[ReadingDifference]:
    """What the two readings of a document do not have in common."""
    canonical = clean if charges is None else official.canonical_names(charges)
    published, made = _head(frozenset(), charges, canonical)(text), parse_judgment(text, charges)
    terms = (_months(person.final) for person in made.defendants)
    months = [term for term in terms if term != NOTHING]
    fine = NOTHING if made.fine_total is None else made.fine_total
    applied = {statute.article for statute in made.statutes if statute.criminal}
    both: tuple[tuple[_Element, str, str], ...] = (
        ("months", str(published.terms[0].value), str(sum(months) if months else NOTHING)),
        ("fine", str(published.fines[0].value), str(fine)),
        ("charges", _in_order(published.charges), _in_order(made.charges)),
        ("articles", _in_order(map(int, published.articles)), _in_order(applied)),
    )
    found = [ReadingDifference(*readings) for readings in both if readings[1] != readings[2]]
    # the appendix is what is left, and says nothing of its own
    for kind, section in zip(_COMPARED, cut_sections(normalise(text)), strict=False):
        mine, other = _letters(section), _letters(normalise(made.text_of(text, kind)))
        if mine != other:
            found.append(ReadingDifference(kind, _ends(mine), _ends(other)))
    return found


def _in_order(names: Iterable[str] | Iterable[int]) -> str:
    return "、".join(map(str, sorted(names))) or "–"


def _letters(section: str) -> str:
    return "".join(section.split())


def _ends(section: str) -> str:
    """How a section begins and ends, and its length."""
    long = len(section) > 2 * _SHOWN
    shown = f"{section[:_SHOWN]}…{section[-_SHOWN:]}" if long else section or "–"
    return f"{shown} ({len(section)})"
