"""A case number taken apart: year, court code, kind of case, serial number (specification, 2.1)."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Final

import msgspec

from hengfa.world.schema import LOOKUP_OF
from hengfa.world.tools.helpful.answering import echo, read, refused, said
from hengfa.world.tools.observation import Observation, Status
from hengfa.world.world import World

_LONGEST: Final = 60
_BRACKETS: Final = str.maketrans("()[]〔〕【】", "（）" * 4)
# "（2020）苏0282民初31号", "（2021）最高法民终5号之一"; not "第2200507124号", which no court gave
_CASE: Final = re.compile(
    r"（(?P<year>[0-9]{4})）(?P<court>最高法|[一-鿿][0-9]{0,4})"
    r"(?P<kind>[一-鿿]+?)(?P<serial>[0-9]+)号(?P<part>之[一二三四五六七八九十0-9]+)?"
)


class CaseNumber(msgspec.Struct, frozen=True):
    """The parts of a case number."""

    number: str
    year: int
    court: str
    kind: str
    serial: int


class _Asked(msgspec.Struct, forbid_unknown_fields=True):
    identifier: str


def read_case_number(text: str) -> CaseNumber | None:
    """The parts of a court's case number in any width and brackets, or None."""
    if len(text) > _LONGEST:
        return None
    bare = "".join(unicodedata.normalize("NFKC", text).split()).translate(_BRACKETS)
    found = _CASE.fullmatch(bare)
    if found is None:
        return None
    return CaseNumber(bare, int(found["year"]), found["court"], found["kind"], int(found["serial"]))


def parse_case_number(world: World, arguments: Any) -> Observation:
    """The parts, and the court to which the code belongs."""
    asked = read(arguments, _Asked)
    case = read_case_number(asked.identifier)
    if case is None:
        problem = f"“{echo(asked.identifier)}”不是法院案号，例如（2020）苏0282民初31号"
        return refused(Status.BAD_ARGUMENTS, problem)
    lookup = LOOKUP_OF["get_court_code"]
    courts = world.find(lookup.table, lookup.match, (case.court,), first=True)
    name = courts[0].cells[lookup.table.place["法院名称"]] if courts else None
    return said(
        {
            "案号": case.number,
            "年份": case.year,
            "法院代字": case.court,
            "法院名称": name,
            "案件类型": case.kind,
            "序号": case.serial,
        },
        Status.OK if courts else Status.NO_DATA,
    )
