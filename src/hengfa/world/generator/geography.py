"""The map: provinces, their cities, their counties, and how weighty each city is.

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
from hengfa.world.generator.names import Name, Places
from hengfa.world.generator.provinces import PROVINCES, Province

COUNTIES_IN_PROVINCE: Final = 30
"""So many counties at least before a further province appears."""

FEWEST_COUNTIES: Final = 4
MOST_CITIES: Final = 70  # court codes from 71 on belong to special courts
MOST_COUNTIES: Final = 80
COUNTIES_IN_CITY: Final = 9
MOST_DISTRICTS_OF_MUNICIPALITY: Final = 16
MOST_DISTRICTS: Final = 18  # division codes 02 to 19
MOST_COUNTY_CITIES: Final = 9
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
        self._places = Places(seed)
        self._seed = seed
        count = min(len(PROVINCES), max(3, counties // COUNTIES_IN_PROVINCE))
        self.provinces: Final = PROVINCES[:count]
        in_province = _divide(Stream(seed, "provinces"), self.provinces, counties)
        self._cities_before = [0]
        self._counties_before = [0]
        cities = Stream(seed, "cities")
        for number, share in enumerate(in_province):
            for size in self._in_cities(cities.dice(number), number, share):
                self._counties_before.append(self._counties_before[-1] + size)
            self._cities_before.append(len(self._counties_before) - 1)
        self._weights = list(accumulate(self._weight(i) for i in range(self.cities)))
        self._city = lru_cache(4096)(self._make_city)
        self._county = lru_cache(4096)(self._make_county)

    @property
    def cities(self) -> int:
        return len(self._counties_before) - 1

    @property
    def counties(self) -> int:
        return self._counties_before[-1]

    def city(self, number: int) -> City:
        return self._city(number)

    def county(self, number: int) -> County:
        return self._county(number)

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

    def weight_before(self, city: int) -> int:
        """The weight of all cities before this one; of all, for the number of cities."""
        return self._weights[city - 1] if city else 0

    def _weight(self, city: int) -> int:
        """Log-normal; the capital of a province weighs more, a municipality most."""
        province = self.province_of(city)
        drawn = int(Stream(self._seed, "city weights").dice(city).lognormal(100.0, 0.9)) + 10
        if self.provinces[province].municipality:
            return drawn * 6 + 400
        return drawn * 3 if city == self._cities_before[province] else drawn

    def _in_cities(self, dice: Dice, province: int, counties: int) -> Sequence[int]:
        if self.provinces[province].municipality:
            return [counties]
        cities = min(MOST_CITIES, max(1, -(-counties // COUNTIES_IN_CITY)))
        spare = counties - cities
        return [1 + one for one in shares(spare, [dice.between(60, 140) for _ in range(cities)])]

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
        if city.province.municipality:
            stem = self._places(ROOM_FOR_CITIES + number).text
            return County(number, city, "区", place + 1, f"{stem}区")
        return self._placed(number, city, place, size)

    def _placed(self, number: int, city: City, place: int, size: int) -> County:
        """Districts come first, then counties, county-level cities and perhaps one zone."""
        zone = size > 4 and city.number % 4 == 1
        districts = min(MOST_DISTRICTS, -(-size * 2 // 5))
        county_cities = min(MOST_COUNTY_CITIES, size // 7)
        last_county = size - zone - county_cities
        if zone and place == size - 1:
            kind_of_zone = _ZONES[city.number // 4 % 2]
            return County(number, city, "开发区", 91, f"{city.stem.text}{kind_of_zone}")
        stem = self._places(ROOM_FOR_CITIES + number).text
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
    spare = counties - FEWEST_COUNTIES * len(provinces)
    found = [FEWEST_COUNTIES + one for one in shares(spare, weights)]
    excess = 0
    for at, province in enumerate(provinces):
        if province.municipality and found[at] > MOST_DISTRICTS_OF_MUNICIPALITY:
            excess += found[at] - MOST_DISTRICTS_OF_MUNICIPALITY
            found[at] = MOST_DISTRICTS_OF_MUNICIPALITY
    others = [at for at, province in enumerate(provinces) if not province.municipality]
    for at, more in zip(others, shares(excess, [found[at] for at in others]), strict=True):
        found[at] += more
    return found
