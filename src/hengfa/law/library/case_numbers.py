"""Which case numbers of a document cannot exist, and which are known here.

A number "cannot exist" where a rule forbids it, which is named. It is "known" where a source has
it, which is named too. All others are well formed and "not known here": nobody can tell from a
number alone that there is such a case. Where it is not certain that a rule was followed everywhere,
as with courts that kept their old letters in 2016, there is a remark and no verdict.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, Self, TypeAlias, TypeVar

import msgspec

from hengfa.base.data.archives import LARGEST
from hengfa.base.data.catalogue import load_entry
from hengfa.base.data.jsonfile import read_lines
from hengfa.base.data.packs import status_of
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.law.grammar.case_numbers import (
    ABOVE_BASIC,
    FACTS,
    HIGH_COURTS,
    TYPES,
    CaseNumber,
    Form,
    GuidingNumber,
    find_case_numbers,
    find_guiding_cases,
)
from hengfa.law.library.documents import decode
from hengfa.law.library.words import Slot, in_words

COURTS: Final = "court_code_rebuilt.jsonl"
"""The list of courts in the pack of that name."""
COURTS_PACK: Final = "legalagentbench"
GUIDING_PACK: Final = "guiding-cases"
_FIRST_YEAR: Final = 1949
_WITHDRAWN_SINCE: Final = "2021-01-01"
_FIRST_GUIDING: Final = "最高人民法院2011年12月20日发布指导案例1号"
Verdict: TypeAlias = Literal["cannot exist", "not known here", "known"]
VERDICTS: Final[tuple[Verdict, ...]] = ("cannot exist", "not known here", "known")
Problem: TypeAlias = Literal[
    "year to come",
    "year too early",
    "before the standard",
    "not of the standard",
    "no such court code",
    "digits of the court code",
    "court not yet founded",
    "type of a higher court",
    "type of a lower court",
    "two types in one",
    "number zero",
]
Matter: TypeAlias = Literal[
    "court not listed",
    "no list of courts",
    "type not listed",
    "old words",
    "old letters in 2016",
    "one character off",
    "withdrawn",
    "no guiding cases",
]


class Reason(msgspec.Struct, frozen=True):
    """Why a number cannot exist, in both languages, and the rule that says so."""

    problem: Problem
    zh: str
    en: str
    rule: str


class Remark(msgspec.Struct, frozen=True):
    """What a reader should know besides, in both languages."""

    matter: Matter
    zh: str
    en: str


class CheckedCase(msgspec.Struct, frozen=True):
    """One case number, where it stands, its parts, and what was found.

    ``court_name`` and ``type_name`` are empty where no list has them, ``source`` where the number
    is not known here. A number that a source has is known even if a rule speaks against it; the
    ``reasons`` are given all the same.
    """

    line: int
    start: int
    end: int
    written: str
    number: str
    form: Form | Literal["guiding"]
    verdict: Verdict
    year: int | None = None
    court: str = ""
    court_name: str = ""
    kind: str = ""
    type_name: str = ""
    serial: int = 0
    reasons: tuple[Reason, ...] = ()
    source: str = ""
    remarks: tuple[Remark, ...] = ()


class CaseReport(msgspec.Struct, frozen=True):
    """All case numbers of one document, in order; ``day`` is the day after which none was filed."""

    name: str
    day: date
    numbers: tuple[CheckedCase, ...]
    notes: tuple[str, ...] = ()

    def counts(self) -> dict[Verdict, int]:
        """How many numbers have each verdict."""
        verdicts = [checked.verdict for checked in self.numbers]
        return {verdict: verdicts.count(verdict) for verdict in VERDICTS}


class _Court(msgspec.Struct):
    name: str = msgspec.field(name="法院名称")
    code: str = msgspec.field(name="法院代字")


class _GuidingCase(msgspec.Struct):
    no: int
    title: str
    facts: str = ""
    result: str = ""
    reasoning: str = ""
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Register:
    """What is known here: courts by their code, cases by their number, guiding cases by theirs."""

    courts: Mapping[str, str] = field(default_factory=dict)
    cases: Mapping[str, str] = field(default_factory=dict)
    """The number (`CaseNumber.key`) to its source."""
    guiding: Mapping[int, str] = field(default_factory=dict)
    withdrawn: frozenset[int] = frozenset()

    @classmethod
    def installed(cls, courts: Path | None = None, cases: Path | None = None) -> Self:
        """Of the packs that are installed, and of files that a user gives."""
        listed = _rows_of(COURTS_PACK, COURTS, _Court)
        guiding = list(_rows_of(GUIDING_PACK, "cases.jsonl", _GuidingCase))
        spoken_of = {
            found.key: f"最高人民法院指导性案例{case.no}号：{case.title}"
            for case in guiding
            for found in find_case_numbers(f"{case.facts}\n{case.result}\n{case.reasoning}")
        }
        return cls(
            courts={court.code.strip(): court.name for court in listed}
            | (dict(_given_courts(courts)) if courts else {}),
            cases=spoken_of | (dict(_given_cases(cases)) if cases else {}),
            guiding={case.no: case.title for case in guiding},
            withdrawn=frozenset(case.no for case in guiding if case.withdrawn),
        )

    def court_name(self, code: str) -> str:
        """The court of a code, empty if it is in no list."""
        later = FACTS.later_courts.get(code)
        return later[0] if later else self.courts.get(code, "")


def check_case_numbers(
    text: str, register: Register, today: date, *, name: str = "", notes: tuple[str, ...] = ()
) -> CaseReport:
    """Check every case number of a text, and every guiding case that it names by number."""
    ends = [at for at, character in enumerate(text) if character == "\n"]
    found = list(find_case_numbers(text))
    near = _near(found)
    checked = [_check(case, register, today, near.get(case.key, ())) for case in found]
    checked += [_check_guiding(case, register) for case in find_guiding_cases(text)]
    said: set[Matter] = set()
    numbers: list[CheckedCase] = []
    for case in sorted(checked, key=lambda case: case.start):
        remarks = tuple(remark for remark in case.remarks if remark.matter not in said)
        said |= {remark.matter for remark in remarks} & _OF_ALL
        line = bisect_right(ends, case.start - 1) + 1
        numbers.append(msgspec.structs.replace(case, line=line, remarks=remarks))
    return CaseReport(name, today, tuple(numbers), notes)


_OF_ALL: Final[frozenset[Matter]] = frozenset({"no list of courts", "no guiding cases"})
"""What holds for all numbers is said of the first."""


# --- one number ---


def _check(case: CaseNumber, register: Register, today: date, near: Iterable[str]) -> CheckedCase:
    reasons = tuple(_reasons(case, today))
    source = register.cases.get(case.key, "")
    verdict: Verdict = "known" if source else "cannot exist" if reasons else "not known here"
    remarks = [] if reasons else list(_form_remarks(case, register))
    remarks += (_remark("one character off", other=other) for other in near)
    stands = 0, case.start, case.end, case.written, case.number
    court_name = type_name = ""
    if case.form == "standard":
        court_name, type_name = register.court_name(case.court), TYPES.get(case.type, "")
    parts = case.year, case.court, court_name, case.kind, type_name, case.serial
    found = (*stands, case.form, verdict, *parts, reasons, source, tuple(remarks))
    return CheckedCase(*found)


def _reason(problem: Problem, rule: str, code: str = "", **slots: Slot) -> Reason:
    code = f"case {code or problem}"
    return Reason(problem, in_words(code, "zh", **slots), in_words(code, "en", **slots), rule)


def _remark(matter: Matter, **slots: Slot) -> Remark:
    code = f"case {matter}"
    return Remark(matter, in_words(code, "zh", **slots), in_words(code, "en", **slots))


def _reasons(case: CaseNumber, today: date) -> Iterator[Reason]:
    """Every rule that forbids the number."""
    year = case.year
    if year > today.year:
        yield _reason("year to come", f"{FACTS.standard}第二条", year=year, today=str(today))
    if year < _FIRST_YEAR:
        yield _reason("year too early", "中华人民共和国成立于1949年", year=year)
    if case.serial == 0:
        yield _reason("number zero", f"{FACTS.standard}第十条")
    if case.form == "standard":
        yield from _standard_reasons(case)
    elif year > FACTS.standard_year:  # some courts went on with their letters in its first year
        yield _reason(
            "not of the standard",
            f"{FACTS.standard}第三条至第五条",
            since=FACTS.standard_year,
            year=case.year,
            number=case.number,
        )


def _standard_reasons(case: CaseNumber) -> Iterator[Reason]:
    court, year, since = case.court, case.year, FACTS.standard_year
    letters = court.rstrip("0123456789")
    digits = court[len(letters) :]
    if year < since:
        rule = f"{FACTS.standard}（自{since}年1月1日起施行）"
        yield _reason("before the standard", rule, court=court, since=since, year=year)
    if letters != FACTS.supreme and letters not in HIGH_COURTS:
        yield _reason("no such court code", f"{FACTS.standard}第四条、第五条", letters=letters)
    elif len(digits) not in ((0,) if letters == FACTS.supreme else (0, 2, 4)):
        rule = f"{FACTS.standard}第四条、第五条"
        yield _reason("digits of the court code", rule, court=court, n=len(digits))
    name, founded = FACTS.later_courts.get(court, ("", 0))
    if year < founded:
        rule = f"{name}{founded}年成立"
        yield _reason("court not yet founded", rule, court=court, name=name, year=founded)
    kind, name = case.type, TYPES.get(case.type, "")
    if case.level == "basic" and kind in ABOVE_BASIC:
        rule = ABOVE_BASIC[kind]
        yield _reason("type of a higher court", rule, court=court, name=name, kind=kind)
    if case.level in {"high", "supreme"} and kind in FACTS.only_below_high:
        rule = FACTS.only_below_high[kind]
        yield _reason("type of a lower court", rule, court=court, name=name, kind=kind)
    # 民初督, which begins and ends as types do; what else is not listed may be a court's own
    whole = next((one for one in TYPES if len(one) > 1 and case.kind.startswith(one)), "")
    if not kind and whole and any(one.endswith(case.kind.removeprefix(whole)) for one in TYPES):
        rule = "《人民法院案件类型及其代字标准》"
        yield _reason("two types in one", rule, kind=case.kind, whole=whole)


def _form_remarks(case: CaseNumber, register: Register) -> Iterator[Remark]:
    if case.form != "standard":
        if case.year == FACTS.standard_year:
            yield _remark("old letters in 2016", since=FACTS.standard_year)
        return
    if not register.courts:
        yield _remark("no list of courts")
    elif not register.court_name(case.court):
        yield _remark("court not listed", court=case.court)
    if not case.type:
        yield _remark("type not listed", kind=case.kind)
    if case.old_words and case.year >= FACTS.standard_year:
        yield _remark("old words", since=FACTS.standard_year, number=case.key)


def _near(cases: Sequence[CaseNumber]) -> dict[str, list[str]]:
    """By its key, the numbers that differ from one in a character: another, or one more or less.

    Not where it is the last digit: cases that were filed one after the other are named together.
    """
    numbers = {case.key: case.number for case in reversed(cases)}  # as first written
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    pairs: set[tuple[str, str]] = set()
    for key in numbers:
        for at in range(len(key)):
            shorter = key[:at] + key[at + 1 :]
            if shorter in numbers:
                pairs |= {(key, shorter), (shorter, key)}
            if key[at + 1 :] != "号":
                places[key[:at], key[at + 1 :]].append(key)
    for alike in places.values():
        if len(alike) > 1:
            pairs |= {*pairwise(alike), *pairwise(reversed(alike))}
    near: dict[str, list[str]] = defaultdict(list)
    for one, other in sorted(pairs):
        near[one].append(numbers[other])
    return near


def _check_guiding(case: GuidingNumber, register: Register) -> CheckedCase:
    number = f"指导性案例{case.no}号"
    title = register.guiding.get(case.no, "")
    reasons = () if case.no else (_reason("number zero", _FIRST_GUIDING, "guiding number zero"),)
    verdict: Verdict = "known" if title else "cannot exist" if reasons else "not known here"
    remarks: tuple[Remark, ...] = () if register.guiding else (_remark("no guiding cases"),)
    if case.no in register.withdrawn:
        remarks += (_remark("withdrawn", day=_WITHDRAWN_SINCE),)
    stands = 0, case.start, case.end, case.written, number
    source = f"最高人民法院{number}：{title}" if title else ""
    return CheckedCase(
        *stands, "guiding", verdict, serial=case.no, reasons=reasons, source=source, remarks=remarks
    )


# --- what is known ---

_T = TypeVar("_T")


def _rows_of(name: str, file: str, kind: type[_T]) -> Iterator[_T]:
    """The rows of a pack's file; none where the pack is not here."""
    pack = status_of(load_entry(name)).pack
    if pack is not None:
        yield from (row for _, row in read_lines(pack.file(file), kind))


def _given_courts(file: Path) -> Iterator[tuple[str, str]]:
    """`沪01` and the court's name in each line, a tab or comma between them."""
    for number, line in _given_lines(file):
        code, separator, name = line.replace("，", ",").replace("\t", ",").partition(",")
        if not separator or not code.strip() or not name.strip():
            raise DataError("expected a code, a comma and the court's name", file=file, row=number)
        yield code.strip(), name.strip()


def _given_cases(file: Path) -> Iterator[tuple[str, str]]:
    """A case number in each line; what else is in the line is the source, else the file is."""
    for number, line in _given_lines(file):
        found = next(find_case_numbers(line), None)
        if found is None:
            raise DataError("there is no case number in this line", file=file, row=number)
        rest = f"{line[: found.start]} {line[found.end :]}".strip(" \t,，;；:：")
        yield found.key, rest or file.name


def _given_lines(file: Path) -> Iterator[tuple[int, str]]:
    with disk_errors(file), file.open("rb") as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise DataError(f"larger than {LARGEST // 1024 // 1024} MB: split it", file=file)
    lines = decode(content)[0].splitlines()
    yield from ((number, line) for number, line in enumerate(lines, 1) if line.strip())
