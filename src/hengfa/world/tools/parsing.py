"""Case numbers and addresses taken apart.

A case number has a year, a court code, a kind of case and a serial number (legalagentbench.md 2.1).
The province, city and county of an address come from the table, else from the names in it; the
names are those of all regions that the world's tables know. An address that fits several regions
equally well is answered with all of them rather than with one of them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec

from hengfa.law.grammar.case_numbers import plain
from hengfa.world.tables.schema import LOOKUP_OF
from hengfa.world.tables.world import World, quote_name
from hengfa.world.tools.observation import Observation, Status, echo, observe, read, refusal_of


class _Arguments(msgspec.Struct, forbid_unknown_fields=True):
    identifier: str


_LONGEST_NUMBER: Final = 60
# "（2020）苏0282民初31号", "（2021）最高法民终5号之一"; not "第2200507124号", which no court gave
_CASE: Final = re.compile(
    r"（(?P<year>[0-9]{4})）(?P<court>最高法|[一-鿿][0-9]{0,4})"
    r"(?P<kind>[一-鿿]+?)(?P<serial>[0-9]+)号(?P<part>之[一二三四五六七八九十0-9]+)?"
)


class CaseNumber(msgspec.Struct, frozen=True):
    number: str
    year: int
    court: str
    kind: str
    serial: int


def read_case_number(text: str) -> CaseNumber | None:
    """The parts of a court's case number in any width and brackets, or None."""
    if len(text) > _LONGEST_NUMBER:
        return None
    bare = plain(text)
    match = _CASE.fullmatch(bare)
    if match is None:
        return None
    return CaseNumber(bare, int(match["year"]), match["court"], match["kind"], int(match["serial"]))


def parse_case_number(world: World, arguments: Any) -> Observation:
    """The parts, and the court to which the code belongs."""
    asked = read(arguments, _Arguments)
    case = read_case_number(asked.identifier)
    if case is None:
        problem = f"“{echo(asked.identifier)}”不是法院案号，例如（2020）苏0282民初31号"
        return refusal_of(Status.BAD_ARGUMENTS, problem)
    lookup = LOOKUP_OF["get_court_code"]
    courts = world.find(lookup.table, lookup.match, (case.court,), first=True)
    name = courts[0].cells[lookup.table.place["法院名称"]] if courts else None
    return observe(
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


Region = tuple[str, str, str]
_LONGEST_ADDRESS: Final = 300
_MOST: Final = 5

_COLUMNS: Final = {
    "AddrInfo": ("省份", "城市", "区县"),
    "CourtInfo": ("法院省份", "法院城市", "法院区县"),
    "LawfirmInfo": ("事务所省份", "事务所城市", "事务所区县"),
}

_ENDINGS: Final = ("特别行政区", "维吾尔自治区", "壮族自治区", "回族自治区", "自治区", "省", "市")


def parse_address(world: World, arguments: Any) -> Observation:
    """The region of an address, and whether the table has it or it was read from the names."""
    address = read(arguments, _Arguments).identifier
    lookup = LOOKUP_OF["get_address_info"]
    rows = world.find(lookup.table, lookup.match, (address,), first=True)
    if rows:
        place = lookup.table.place
        names = [rows[0].cells[place[name]] for name in _COLUMNS["AddrInfo"]]
        return observe(_region_row(*names) | {"from": "table"})
    regions = regions_in(address, _regions(world.path, world.fingerprint))
    if not regions:
        return refusal_of(Status.NO_DATA, f"看不出“{echo(address)}”在哪个省市区县")
    if len(regions) > 1:
        return observe(
            {"candidates": [_region_row(*region) for region in regions[:_MOST]], "from": "names"}
        )
    return observe(_region_row(*regions[0]) | {"from": "names"})


def regions_in(address: str, regions: tuple[Region, ...]) -> list[Region]:
    """The regions whose names stand in an address, only those with the most of them."""
    text = "".join(unicodedata.normalize("NFKC", address[:_LONGEST_ADDRESS]).split())
    best: list[Region] = []
    most = 0
    for region in regions:
        province, city, county = region
        if not county or county not in text:
            continue
        named = 1 + (_bare(province) in text) + (_bare(city) in text)
        if named > most:
            most, best = named, []
        if named == most:
            best.append(region)
    longest = max((len(region[2]) for region in best), default=0)
    return [region for region in best if len(region[2]) == longest]


def _bare(name: str) -> str:
    """A province or city as addresses abbreviate it: 江苏 for 江苏省."""
    for ending in _ENDINGS:
        if name.endswith(ending) and len(name) - len(ending) >= 2:
            return name.removesuffix(ending)
    return name


@lru_cache(maxsize=4)
def _regions(path: Path, _fingerprint: str) -> tuple[Region, ...]:
    """All regions that a world file knows, each once, in order; read once for each world."""
    regions: dict[Region, None] = {}
    with World(path) as world:
        for table, columns in _COLUMNS.items():
            names = ", ".join(map(quote_name, columns))
            sql = f'SELECT DISTINCT {names} FROM "{table}" ORDER BY {names}'  # noqa: S608 - our names
            for region in world.connection.execute(sql):
                if all(isinstance(name, str) and name != "-" for name in region):
                    regions[region] = None
    return tuple(regions)


def _region_row(province: Any, city: Any, county: Any) -> dict[str, Any]:
    return {"省份": province, "城市": city, "区县": county}
