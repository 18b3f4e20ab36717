"""The map: provinces, their cities, their counties, how weighty each city is, and addresses.

Only the borders are kept (which numbers of cities lie in a province, of counties in a city); names
and codes are computed when they are asked for. Cities and counties are numbered through the whole
country.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final, Literal, NamedTuple

from hengfa.world.generator.dice import Dice, Stream, shares
from hengfa.world.generator.lists import Province
from hengfa.world.generator.names import PROVINCES, STREETS, Houses, Name, Places
from hengfa.world.tables.world import Row

_COUNTIES_IN_PROVINCE: Final = 30  # so many counties at least before a further province appears
_FEWEST_COUNTIES: Final = 4
_MOST_CITIES: Final = 70  # court codes from 71 on belong to special courts
_COUNTIES_IN_CITY: Final = 9
_MOST_DISTRICTS_OF_MUNICIPALITY: Final = 16
_MOST_DISTRICTS: Final = 18  # division codes 02 to 19
_MOST_COUNTY_CITIES: Final = 9
ROOM_FOR_CITIES: Final = 2_000
"""Names of places below this number are for cities, so that more counties rename no city."""

CountyKind = Literal["区", "县", "市", "开发区"]
_ZONES: Final = ("经济技术开发区", "高新技术产业开发区")


class City(NamedTuple):
    """``number`` through the country, ``code`` inside the province (1 to 70)."""

    number: int
    province: Province
    code: int
    stem: Name

    @property
    def name(self) -> str:
        return f"{self.stem.text}市"


class County(NamedTuple):
    """A district, county, county-level city or development zone; ``code`` inside the city."""

    number: int
    city: City
    kind: CountyKind
    code: int
    name: str

    @property
    def division(self) -> int:
        """The six digits of the administrative division."""
        return division_code(self.city, self.code)

    @property
    def region(self) -> tuple[str, str, str]:
        """Province, city and county as all tables name them."""
        return self.city.province.name, self.city.name, self.name


def division_code(city: City, county: int = 0) -> int:
    return city.province.code * 10_000 + city.code * 100 + county


class Geography:
    """``counties`` counties in as many provinces as these fill."""

    def __init__(self, seed: int, counties: int) -> None:
        self.seed = seed
        self._places = Places(seed)
        count = min(len(PROVINCES), max(3, counties // _COUNTIES_IN_PROVINCE))
        self.provinces: Final = PROVINCES[:count]
        in_province = _divide(Stream(seed, "provinces"), self.provinces, counties)
        self._cities_before = [0]
        self._counties_before = [0]
        cities = Stream(seed, "cities")
        for number, share in enumerate(in_province):
            sizes, dice = [share], cities.dice(number)
            if not self.provinces[number].municipality:
                towns = min(_MOST_CITIES, max(1, -(-share // _COUNTIES_IN_CITY)))
                weights = [dice.between(60, 140) for _ in range(towns)]
                sizes = [1 + more for more in shares(share - towns, weights)]
            for size in sizes:
                self._counties_before.append(self._counties_before[-1] + size)
            self._cities_before.append(len(self._counties_before) - 1)
        self._weights = list(accumulate(self._weight(i) for i in range(self.cities)))
        self.city = lru_cache(4096)(self._make_city)
        self.county = lru_cache(4096)(self._make_county)

    @property
    def cities(self) -> int:
        return len(self._counties_before) - 1

    @property
    def counties(self) -> int:
        return self._counties_before[-1]

    def cities_of(self, province: int) -> range:
        """The cities of a province; the first is its capital."""
        return range(self._cities_before[province], self._cities_before[province + 1])

    def counties_of(self, city: int) -> range:
        """The counties of a city; its courts and offices are in the first."""
        return range(self._counties_before[city], self._counties_before[city + 1])

    def province_of(self, city: int) -> int:
        return bisect_right(self._cities_before, city) - 1

    def some_city(self, dice: Dice) -> int:
        """A city, the weighty ones more often."""
        return bisect_right(self._weights, dice.below(self._weights[-1]))

    def some_county(self, dice: Dice, city: int) -> int:
        """A county of a city, the central ones more often."""
        inside = self.counties_of(city)
        return inside[dice.skewed(len(inside)) if dice.chance(0.5) else dice.below(len(inside))]

    def somewhere(self, dice: Dice) -> int:
        return self.some_county(dice, self.some_city(dice))

    def weight_before(self, city: int) -> int:
        """The weight of all cities before this one; of all, for the number of cities."""
        return self._weights[city - 1] if city else 0

    def _weight(self, city: int) -> int:
        """Log-normal; the capital of a province weighs more, a municipality most."""
        province = self.province_of(city)
        drawn = int(Stream(self.seed, "city weights").dice(city).lognormal(100.0, 0.9)) + 10
        if self.provinces[province].municipality:
            return drawn * 6 + 400
        return drawn * 3 if city == self._cities_before[province] else drawn

    def _make_city(self, number: int) -> City:
        place = self.province_of(number)
        province = self.provinces[place]
        if province.municipality:
            return City(number, province, 1, Name(province.stem, province.pinyin))
        code = number - self._cities_before[place] + 1
        return City(number, province, code, self._places(number))

    def _make_county(self, number: int) -> County:
        at = bisect_right(self._counties_before, number) - 1
        city = self.city(at)
        inside = self.counties_of(at)
        place, size = number - inside.start, len(inside)
        stem = self._places(ROOM_FOR_CITIES + number).text
        if city.province.municipality:
            return County(number, city, "区", place + 1, f"{stem}区")
        # districts come first, then counties, county-level cities and perhaps one zone
        zone = size > 4 and city.number % 4 == 1
        districts = min(_MOST_DISTRICTS, -(-size * 2 // 5))
        last_county = size - zone - min(_MOST_COUNTY_CITIES, size // 7)
        if zone and place == size - 1:
            kind_of_zone = _ZONES[city.number // 4 % 2]
            return County(number, city, "开发区", 91, f"{city.stem.text}{kind_of_zone}")
        if place < districts:
            return County(number, city, "区", 2 + place, f"{stem}区")
        if place < last_county:
            return County(number, city, "县", 21 + place - districts, f"{stem}县")
        return County(number, city, "市", 81 + place - last_county, f"{stem}市")


def _divide(stream: Stream, provinces: Sequence[Province], counties: int) -> Sequence[int]:
    """How many counties each province has; a municipality has few."""
    dice = stream.dice(0)
    weights = [
        dice.between(50, 150) // (3 if province.municipality else 1) for province in provinces
    ]
    spare = counties - _FEWEST_COUNTIES * len(provinces)
    counts = [_FEWEST_COUNTIES + share for share in shares(spare, weights)]
    excess = 0
    for at, province in enumerate(provinces):
        if province.municipality and counts[at] > _MOST_DISTRICTS_OF_MUNICIPALITY:
            excess += counts[at] - _MOST_DISTRICTS_OF_MUNICIPALITY
            counts[at] = _MOST_DISTRICTS_OF_MUNICIPALITY
    others = [at for at, province in enumerate(provinces) if not province.municipality]
    for at, more in zip(others, shares(excess, [counts[at] for at in others]), strict=True):
        counts[at] += more
    return counts


class Addresses:
    """Who lives where; the caller knows the county.

    Each address belongs to one house, and AddrInfo knows the region of every one. Courts, law
    firms, registered seats and offices have numbers of their own, one range after the other, so the
    house is computed from who lives there.
    """

    def __init__(self, seed: int, courts: int, firms: int, companies: int) -> None:
        self._houses = Houses(seed)
        self._stream = Stream(seed, "addresses")
        self._firms = courts
        self._companies = self._firms + firms
        self._offices = self._companies + companies

    def of_court(self, number: int, county: County) -> str:
        return self._write(number, county, rooms=0.0)

    def of_firm(self, number: int, county: County) -> str:
        return self._write(self._firms + number, county, rooms=0.7)

    def of_company(self, number: int, county: County) -> str:
        return self._write(self._companies + number, county, rooms=0.3)

    def of_office(self, listed: int, county: County) -> str:
        return self._write(self._offices + listed, county, rooms=0.6)

    def _write(self, number: int, county: County, *, rooms: float) -> str:
        dice = self._stream.dice(number)
        return _region(dice, county) + self._houses(number) + _room(dice, rooms)


def address_row(address: str, county: County) -> Row:
    province, city, name = county.region
    return {"地址": address, "省份": province, "城市": city, "区县": name}


def _region(dice: Dice, county: County) -> str:
    """All three levels, without the province, or the county alone: the tables mix them."""
    province, city, name = county.region
    prefix = "" if province == city else province
    style = dice.below(10)
    if style < 6:
        return prefix + city + name
    if style < 9:
        return city + name
    return name


def _room(dice: Dice, probability: float) -> str:
    if not dice.chance(probability):
        return ""
    floor, room = dice.between(1, 28), dice.between(1, 20)
    style = dice.below(4)
    if style == 0:
        return f"{floor}层"
    if style == 1:
        return f"{dice.pick('ABCD')}座{floor}{room:02d}室"
    if style == 2:
        return f"{dice.between(1, 12)}幢{floor}{room:02d}"
    return f"{dice.pick(STREETS.buildings)}{floor}楼"
