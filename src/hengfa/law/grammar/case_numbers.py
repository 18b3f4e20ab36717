"""Case numbers in a text: 案号 such as （2022）沪01民终12345号, and guiding cases by their number.

Since 2016 a number is year, court code, type and serial number (`case_numbers.toml`).
Before, every court had words of its own: （2015）浦民一（民）初字第1234号. Numbers of arbitrators,
notaries, prosecutors and offices look much like these and are passed over.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Final, Literal

import msgspec

from hengfa.base.data.jsonfile import read_toml
from hengfa.law.grammar.law_names import table
from hengfa.law.grammar.numerals import parse_number

Form = Literal["standard", "old"]
Level = Literal["supreme", "high", "intermediate", "basic", ""]


class _Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the standard lays down: see the table."""

    standard: str
    standard_year: int
    supreme: str
    high_courts: str
    later_courts: dict[str, tuple[str, int]]
    above_basic: dict[str, str]
    only_below_high: dict[str, str]


FACTS: Final = read_toml(Path(__file__).with_name("case_numbers.toml"), _Facts)
HIGH_COURTS: Final = frozenset(FACTS.high_courts)
TYPES: Final = dict(table("case_types.tsv"))
"""The standard's words for types of cases, and what they stand for."""
ABOVE_BASIC: Final = {
    kind: law for like, law in FACTS.above_basic.items() for kind in TYPES if fnmatch(kind, like)
}
"""Types that no basic court has, and the law that says so."""

_BRACKETS: Final = str.maketrans("()[]〔〕【】", "（）" * 4)
_DIGIT: Final = "[0-9０-９]"
# "（2022）沪01民终12345号", "(2015) 浦民一（民）初字第1234号", "〔2016〕豫04执57-4号",
# "（2021）最高法民终5号之一"; not "法释〔2020〕17号", which has nothing between year and number
_NUMBER: Final = re.compile(
    rf"[（(〔\[【［﹝]\s?(?P<year>{_DIGIT}{{4}}|{_DIGIT}{{2}})\s?[）)〕\]】］﹞]\s{{0,2}}"
    rf"(?P<body>[一-鿿](?:[一-鿿]|{_DIGIT}|\s|[（(][一-鿿]{{1,4}}[）)]){{0,24}}?)"
    rf"\s{{0,2}}(?P<serial>{_DIGIT}{{1,10}})"
    rf"(?P<more>(?:\s?[-－—–~～至、，,]\s?{_DIGIT}{{1,10}}){{0,20}})\s{{0,2}}号"
    r"(?P<part>(?:之|[-－])[一二三四五六七八九十0-9]{1,3})?"
)
# "沪01民终", "最高法知民终", "滇01民初"; not "浦民一（民）初"
_CODED: Final = re.compile(
    rf"(?P<court>{FACTS.supreme}|[一-鿿])(?P<digits>[0-9]*)(?P<kind>[一-鿿]{{1,8}})"
)
# "浦民一（民）初", "二中刑终", "民提"; not "泰海证民内", which is a notary's
_OLD: Final = re.compile(
    r"(?P<court>[^民刑行执商经知破赔]*)(?P<kind>[一-鿿（）]*(?:[初终申再提抗监核辖复执异破他赔保督催特清限重恢立]|执行|复议))"
)
# "浦民一（民）初", "刑三复", "执异"; not "综执", which may be a city office's
_PLAINLY_COURTS: Final = re.compile(
    r"(?:[民刑行商经知][一-鿿（）]{0,4}[初终申再提抗监]|刑[一二三四五]?复|执[异复监恢])\Z"
)
_COURTLY: Final = re.compile("[民刑行执商经知破赔法]")
_OTHERS: Final = re.compile("[仲证检鉴政府罚援技侦税]|商标|商评|行复|公安")
"""Words of others who number what they issue."""
_MASK: Final = "某"
"""Stands where names were taken out, at times in a number."""
_FIRST_OF_CENTURY: Final = 49
"""Two digits are a year of the twentieth century, from this one on."""

# "指导案例24号", "指导性案例第24号、第25号"; not "检例第24号"
_GUIDING: Final = re.compile(
    rf"指导性?案例\s?(?:第\s?)?(?P<first>{_DIGIT}{{1,5}}|[零〇一二三四五六七八九十百]{{1,7}})\s?号"
    rf"(?P<more>(?:\s?[、，,和及与]\s?(?:第\s?)?(?:{_DIGIT}{{1,5}}|[零〇一二三四五六七八九十百]{{1,7}})\s?号){{0,30}})"
)
_ONE_OF: Final = re.compile(rf"({_DIGIT}+|[零〇一二三四五六七八九十百]+)\s?号")
_PROSECUTORS: Final = re.compile("检察|高检")
_BEFORE: Final = 12


class CaseNumber(msgspec.Struct, frozen=True):
    """A case number, where it stands (``text[start:end]``), and its parts.

    ``number`` is how the standard would write it: full-width brackets, no blanks. Of an old number
    ``court`` are the letters before the kind of case, as far as they tell. ``rest`` is what follows
    the serial number: 之一, -4, or further numbers of the same court.
    """

    start: int
    end: int
    written: str
    number: str
    form: Form
    year: int
    court: str
    kind: str
    serial: int
    rest: str = ""
    old_words: bool = False
    """字 or 字第 stands before the serial number."""

    @property
    def key(self) -> str:
        """The same for all ways of writing one number: without 字第 and 之一."""
        rest = "" if self.rest.startswith("之") else self.rest
        return f"（{self.year}）{self.court}{self.kind}{self.serial}{rest}号"

    @property
    def level(self) -> Level:
        """The level of the court, by its code: only a number of the standard tells it."""
        if self.form == "standard" and self.court.startswith(FACTS.supreme):
            return "supreme"
        levels: dict[int, Level] = {1: "high", 3: "intermediate", 5: "basic"}
        return levels.get(len(self.court), "") if self.form == "standard" else ""

    @property
    def type(self) -> str:
        """The standard's word in ``kind``, which may have 知 or 商 before it; empty if none is."""
        return next((word for word in (self.kind, self.kind[1:]) if word in TYPES), "")


class GuidingNumber(msgspec.Struct, frozen=True):
    """A guiding case of the Supreme People's Court that a text names by its number."""

    start: int
    end: int
    written: str
    no: int


def plain(text: str) -> str:
    """A number without blanks, in full-width round brackets and half-width digits."""
    return "".join(unicodedata.normalize("NFKC", text).split()).translate(_BRACKETS)


def find_case_numbers(text: str) -> Iterator[CaseNumber]:
    at = 0
    while (match := _NUMBER.search(text, at)) is not None:
        case = _parts_of(match)
        at = match.start() + 1 if case is None else match.end()
        if case is not None:
            yield case


def find_guiding_cases(text: str) -> Iterator[GuidingNumber]:
    """Every guiding case that is named by its number; those of the prosecutors are passed over."""
    for match in _GUIDING.finditer(text):
        if _PROSECUTORS.search(text, max(0, match.start() - _BEFORE), match.start()):
            continue
        for one in _ONE_OF.finditer(text, match.start("first"), match.end()):
            start = match.start() if one.start() == match.start("first") else one.start()
            no = parse_number(plain(one[1]))
            if no is not None:
                yield GuidingNumber(start, one.end(), text[start : one.end()], int(no))


def _parts_of(match: re.Match[str]) -> CaseNumber | None:
    """The parts, or None if no court gives such numbers."""
    body = plain(match["body"])
    bare = body.removesuffix("第").removesuffix("字")
    old_words = bare != body and "字" in body[len(bare) :]
    year = int(match["year"])
    if len(match["year"]) == 2:
        if not old_words or year < _FIRST_OF_CENTURY:
            return None
        year += 1900
    if _MASK in bare:
        return None
    parts = _standard_parts(bare, year, old_words) or _old_parts(bare, year, old_words)
    if parts is None:
        return None
    form, court, kind = parts
    rest = plain(match["more"]) + plain(match["part"] or "")
    serial, number = int(match["serial"]), plain(match[0])
    return CaseNumber(
        *match.span(), match[0], number, form, year, court, kind, serial, rest, old_words
    )


def _standard_parts(bare: str, year: int, old_words: bool) -> tuple[Form, str, str] | None:
    """Court and kind by the standard, where it is plain that they are meant to be.

    So are digits after the letter of a high court; after another one, or without digits, only where
    a type follows: 民3终字第5号 is of old.
    """
    match = _CODED.fullmatch(bare)
    if match is None:
        return None
    court, digits, kind = match["court"], match["digits"], match["kind"]
    typed = kind in TYPES or kind[1:] in TYPES
    if court == FACTS.supreme:
        meant = bool(digits) or year >= FACTS.standard_year or not old_words
    elif court in HIGH_COURTS:
        meant = bool(digits) or (typed and year >= FACTS.standard_year)
    else:
        meant = bool(digits) and typed and not old_words
    return ("standard", court + digits, kind) if meant else None


def _old_parts(bare: str, year: int, old_words: bool) -> tuple[Form, str, str] | None:
    """Court and kind as courts wrote them; without 字, or since the standard, none in doubt."""
    match = _OLD.fullmatch(bare)
    if match is None or not _COURTLY.search(bare) or _OTHERS.search(bare):
        return None
    if (not old_words or year > FACTS.standard_year) and not _PLAINLY_COURTS.search(bare):
        return None
    return "old", match["court"], match["kind"]
