"""The province, city and county of an address: from the table, else from the names in it.

The names are those of all regions that the world's tables know. An address that fits several
regions equally well is answered with all of them rather than with one of them.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec

from hengfa.world.schema import LOOKUP_OF
from hengfa.world.tools.helpful.answering import echo, read, refused, said
from hengfa.world.tools.observation import Observation, Status
from hengfa.world.world import World, quoted

Region = tuple[str, str, str]

_LONGEST: Final = 300
_MOST: Final = 5
_COLUMNS: Final = {
    "AddrInfo": ("省份", "城市", "区县"),
    "CourtInfo": ("法院省份", "法院城市", "法院区县"),
    "LawfirmInfo": ("事务所省份", "事务所城市", "事务所区县"),
}
_ENDINGS: Final = ("特别行政区", "维吾尔自治区", "壮族自治区", "回族自治区", "自治区", "省", "市")


class _Asked(msgspec.Struct, forbid_unknown_fields=True):
    identifier: str


def parse_address(world: World, arguments: Any) -> Observation:
    """The region of an address, and whether the table has it or it was read from the names."""
    address = read(arguments, _Asked).identifier
    lookup = LOOKUP_OF["get_address_info"]
    found = world.find(lookup.table, lookup.match, (address,), first=True)
    if found:
        place = lookup.table.place
        region = [found[0].cells[place[name]] for name in _COLUMNS["AddrInfo"]]
        return said(_named(*region) | {"from": "table"})
    regions = regions_in(address, _regions(world.path, world.fingerprint))
    if not regions:
        return refused(Status.NO_DATA, f"看不出“{echo(address)}”在哪个省市区县")
    if len(regions) > 1:
        return said({"candidates": [_named(*one) for one in regions[:_MOST]], "from": "names"})
    return said(_named(*regions[0]) | {"from": "names"})


def regions_in(address: str, regions: tuple[Region, ...]) -> list[Region]:
    """The regions whose names stand in an address, only those with the most of them."""
    text = "".join(unicodedata.normalize("NFKC", address[:_LONGEST]).split())
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
    found: dict[Region, None] = {}
    with World(path) as world:
        for table, columns in _COLUMNS.items():
            names = ", ".join(map(quoted, columns))
            sql = f'SELECT DISTINCT {names} FROM "{table}" ORDER BY {names}'  # noqa: S608 - our names
            for region in world.connection.execute(sql):
                if all(isinstance(name, str) and name != "-" for name in region):
                    found[region] = None
    return tuple(found)


def _named(province: Any, city: Any, county: Any) -> dict[str, Any]:
    return {"省份": province, "城市": city, "区县": county}
