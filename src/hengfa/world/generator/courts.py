"""Courts: which there are, their names and codes, which of them hears a case, and case numbers.

A court code is the province's sign and none, two or four digits (legalagentbench.md 2.1): the high
court has the bare sign, an intermediate court the city's two digits, a basic court the county's as
well. In a case number, （2020）霜0102民初345号, year and serial belong to one case only.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

from hengfa.world.generator.dice import Dice, Shuffle, Stream
from hengfa.world.generator.geography import County, Geography, division_code
from hengfa.world.generator.lists import LISTS, Level
from hengfa.world.generator.names import COUNTRY, person
from hengfa.world.generator.values import CASE_YEARS, day_between
from hengfa.world.tables.cells import write_date
from hengfa.world.tables.world import Row

_LEVELS: Final[dict[Level, str]] = {
    "basic": "基层法院",
    "intermediate": "中级法院",
    "high": "高级法院",
    "supreme": "最高法院",
    "special": "特殊法院",
}
NO_DIVISION: Final = " -"
"""As CourtCode writes that a court belongs to no division: with a blank before."""

_FOUNDED: Final = (date(1950, 1, 1), date(2018, 12, 31))
_RAILWAY_EVERY: Final = 3
_PROPERTY_EVERY: Final = 5
_TRIBUNAL_EVERY: Final = 45
_TRIBUNALS: Final = LISTS.places.tribunals


class Court(NamedTuple):
    """``seat`` is the county it sits in, ``rank`` the class of the real table (1 to 7)."""

    name: str
    code: str
    level: Level
    administrative: str
    division: int | None
    rank: int
    seat: int


class Courts:
    """All courts of the country; those with a code and the few tribunals without."""

    def __init__(self, geography: Geography) -> None:
        self._map = geography

    def supreme(self) -> Court:
        seat = self._map.counties_of(0).start
        return Court(f"{COUNTRY}最高人民法院", "最高法", "supreme", "国家级", None, 1, seat)

    def high(self, province: int) -> Court:
        place = self._map.provinces[province]
        division = place.code * 10_000
        seat = self._seat(self._map.cities_of(province).start)
        name = f"{place.name}高级人民法院"
        return Court(name, place.sign, "high", "省级", division, 1, seat)

    def intermediate(self, county: int) -> Court:
        """The intermediate court over a county; a municipality has two."""
        city = self._map.county(county).city
        province, seat = city.province, self._seat(city.number)
        if province.municipality:
            half = (county - seat) % 2
            name, code = f"{city.name}第{'一二'[half]}中级人民法院", f"{half + 1:02d}"
            return Court(name, province.sign + code, "intermediate", "市级", None, 2, seat + half)
        name, code = f"{province.name}{city.name}中级人民法院", f"{province.sign}{city.code:02d}"
        return Court(name, code, "intermediate", "市级", division_code(city), 1, seat)

    def basic(self, county: int) -> Court:
        seat = self._map.county(county)
        code = f"{seat.city.province.sign}{seat.city.code:02d}{seat.code:02d}"
        municipal = seat.city.province.municipality
        zone = seat.kind == "开发区"
        division = None if zone else seat.division
        administrative = "市级" if municipal else "区县级"
        # a district's court bears the city's name before its own; a county's does not
        name = f"{seat.city.name if seat.kind == '区' else ''}{seat.name}人民法院"
        return Court(name, code, "basic", administrative, division, 7 if zone else 1, county)

    def property(self, province: int) -> Court | None:
        """The court for intellectual property of a province, where it has one."""
        if province % _PROPERTY_EVERY:
            return None
        place = self._map.provinces[province]
        capital = self._map.cities_of(province).start
        name = f"{self._map.city(capital).stem.text}知识产权法院"
        seat = self._seat(capital)
        return Court(name, f"{place.sign}73", "intermediate", "市级", None, 5, seat)

    def with_code(self) -> Iterator[Court]:
        """From the supreme court down, province by province."""
        yield self.supreme()
        for number, province in enumerate(self._map.provinces):
            yield self.high(number)
            for city in self._map.cities_of(number):
                inside = self._map.counties_of(city)
                seats = inside[: 2 if province.municipality else 1]
                yield from map(self.intermediate, seats)
                yield from map(self.basic, inside)
            capital = self._map.cities_of(number).start
            stem, seat = self._map.city(capital).stem.text, self._seat(capital)
            if number % _RAILWAY_EVERY == 0:
                above, below = f"{province.sign}71", f"{province.sign}7101"
                yield Court(f"{stem}铁路运输中级法院", above, "special", "市级", None, 3, seat)
                yield Court(f"{stem}铁路运输法院", below, "special", "区县级", None, 3, seat)
            if court := self.property(number):
                yield court

    def tribunals(self) -> Iterator[Court]:
        """Branches of basic courts: they have an address and no code."""
        for county in range(_TRIBUNAL_EVERY // 2, self._map.counties, _TRIBUNAL_EVERY):
            above = self.basic(county)
            name = f"{above.name}{_TRIBUNALS[county % len(_TRIBUNALS)]}人民法庭"
            yield above._replace(name=name, code="")

    def _seat(self, city: int) -> int:
        return self._map.counties_of(city).start


def code_row(court: Court) -> Row:
    return {
        "法院名称": court.name,
        "行政级别": court.administrative,
        "法院级别": _LEVELS[court.level],
        "法院代字": court.code,
        "区划代码": NO_DIVISION if court.division is None else court.division,
        "级别": court.rank,
    }


def court_row(dice: Dice, number: int, court: Court, county: County, address: str) -> Row:
    """What CourtInfo says of a court; most of it is missing, as in the real table."""
    province, city, name = county.region
    return {
        "法院名称": court.name,
        "法院负责人": "-" if dice.chance(0.02) else person(dice),
        "成立日期": "-" if dice.chance(0.6) else write_date(day_between(dice, *_FOUNDED)),
        "法院地址": address,
        "法院省份": province,
        "法院城市": city,
        "法院区县": name,
        "法院联系电话": "12368" if dice.chance(0.03) else "-",
        "法院官网": f"http://www.court{number}.example" if dice.chance(0.28) else "-",
    }


class Docket(NamedTuple):
    """The year and serial that one case has, whatever court it goes to."""

    year: int
    serial: int

    def written(self, court: Court, kind: str) -> str:
        return f"（{self.year}）{court.code}{kind}{self.serial}号"


class Dockets:
    """As many as there are cases; no two have both year and serial in common.

    Most serials are small and some large: the last ones are drawn out, without losing their order
    and so without meeting.
    """

    def __init__(self, seed: int, cases: int) -> None:
        self._shuffle = Shuffle(Stream(seed, "case numbers"), cases)
        self._most = -(-cases // len(CASE_YEARS)) * max(map(CASE_YEARS.count, CASE_YEARS))

    def __call__(self, case: int) -> Docket:
        block, place = divmod(self._shuffle(case), len(CASE_YEARS))
        year = CASE_YEARS[place]
        inside = place - CASE_YEARS.index(year)
        plain = block * CASE_YEARS.count(year) + inside
        return Docket(year, 1 + plain + 4 * plain**8 // self._most**7)
