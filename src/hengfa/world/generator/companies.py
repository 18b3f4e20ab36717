"""Companies: the listed ones come first, then their subsidiaries, parent by parent.

A company is a pure function of its number, so that a judgment can name any of them without a table
of all. Of the whole group only how many subsidiaries stand before each parent is kept.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple

from hengfa.world.generator.days import drawn, later
from hengfa.world.generator.dice import Dice, Shuffle, Stream, Weighted, cut
from hengfa.world.generator.geography import Geography
from hengfa.world.generator.names import Name, brands, person
from hengfa.world.generator.sizes import SAME_OFFICE, Sizes
from hengfa.world.generator.trades import PLACE_OF_WORD, TRADES, WORDS, Trade

_TRADES: Final = Weighted((trade, trade.weight) for trade in TRADES)
_LAST_FOUNDED: Final = date(2018, 6, 30)  # the first case is of 2019
_LAST_LISTED: Final = date(2018, 12, 28)
REMEMBERED: Final = 8_192
"""So many companies are kept because they may be named again soon, whatever the scale."""

MOST_WEIGHT: Final = 45_000
"""No group has more than about 250 subsidiaries, whatever the scale."""

CITIES_IN_ROUND: Final = 4
"""A group goes to so many cities with one word in its name before it takes the next word."""


class Company(NamedTuple):
    """What other tables need to know of a company; ``listed`` is None for a subsidiary."""

    number: int
    name: str
    brand: Name
    word: str
    trade: Trade
    city: int
    county: int
    founded: date
    listed: date | None
    representative: str


class _Named(NamedTuple):
    name: str
    brand: Name
    word: str
    trade: Trade
    city: int


class Companies:
    """All of them, by number."""

    def __init__(self, seed: int, sizes: Sizes, geography: Geography) -> None:
        self.sizes = sizes
        self._map = geography
        self._stream = Stream(seed, "companies")
        self._groups = Stream(seed, "groups")
        self._brands = brands(seed)
        self._offices = Shuffle(Stream(seed, "offices"), sizes.listed)
        self._before = self._divide(seed)
        self._get = lru_cache(REMEMBERED)(self._make)

    def __call__(self, number: int) -> Company:
        return self._get(number)

    # --- groups ---

    def parent(self, number: int) -> int | None:
        """The listed company that a subsidiary belongs to; None for a listed one."""
        if number < self.sizes.listed:
            return None
        return bisect_right(self._before, number - self.sizes.listed) - 1

    def subsidiaries(self, listed: int) -> range:
        """The numbers of a listed company's subsidiaries; some have none."""
        first = self.sizes.listed
        return range(first + self._before[listed], first + self._before[listed + 1])

    def has_own_office(self, listed: int) -> bool:
        """Whether the office is elsewhere than the registered seat."""
        some, of = SAME_OFFICE
        return self._offices(listed) >= self.sizes.listed * some // of

    def _divide(self, seed: int) -> list[int]:
        """Where each parent's subsidiaries begin: few have many (spec, section 8)."""
        stream = Stream(seed, "group sizes")
        before = [0]
        for parent in range(self.sizes.listed):
            weight = int(stream.dice(parent).lognormal(1000.0, 1.35))
            before.append(before[-1] + min(weight, MOST_WEIGHT))
        return [cut(self.sizes.subsidiaries, one, before[-1]) for one in before]

    # --- one company ---

    def _make(self, number: int) -> Company:
        dice = self._stream.dice(number)
        parent = self.parent(number)
        if parent is None:
            named, (founded, listed) = self._listed_name(dice, number), _listed_dates(dice)
        else:
            named, listed = self._group(dice, number, parent), None
            founded = drawn(dice, self(parent).founded, _LAST_FOUNDED)
        county = self._map.some_county(dice, named.city)
        return Company(number, *named, county, founded, listed, person(dice))

    def _listed_name(self, dice: Dice, number: int) -> _Named:
        city = self._map.some_city(dice)
        place = self._map.city(city).stem.text if dice.chance(0.55) else ""
        brand = self._brands.two(number)
        trade = _TRADES.pick(dice)
        word = dice.pick(trade.words)
        end = "集团股份有限公司" if dice.chance(0.15) else "股份有限公司"
        return _Named(f"{place}{brand.text}{word}{end}", brand, word, trade, city)

    def _group(self, dice: Dice, number: int, parent: int) -> _Named:
        if dice.chance(0.25):
            return self._acquired(dice, number)
        return self._branch(dice, number, parent)

    def _acquired(self, dice: Dice, number: int) -> _Named:
        """Bought: it keeps its own brand, which has three syllables and is nobody else's."""
        brand = self._brands.three(number)
        word, trade = dice.pick(WORDS)
        city = self._map.some_city(dice)
        place = self._map.city(city).stem.text if dice.chance(0.6) else ""
        return _Named(f"{place}{brand.text}{word}{_end(dice)}", brand, word, trade, city)

    def _branch(self, dice: Dice, number: int, parent: int) -> _Named:
        """Founded by the group: its brand, a place, a word.

        Place and word are counted off, so that no two branches of a group have both in common:
        with one word the group goes to some cities, then it takes the next word.
        """
        above = self(parent)
        brothers = self.subsidiaries(parent)
        cities = self._map.cities
        in_round = min(cities, max(CITIES_IN_ROUND, -(-len(brothers) // len(WORDS))))
        place = number - brothers.start
        city = Shuffle(self._groups, cities, parent)(place % cities)
        word, trade = WORDS[(PLACE_OF_WORD[above.word] + place // in_round) % len(WORDS)]
        name = _branch_name(dice, self._map.city(city).stem.text, above.brand.text, word)
        return _Named(name, above.brand, word, trade, city)


def _branch_name(dice: Dice, place: str, brand: str, word: str) -> str:
    style, end = dice.below(10), _end(dice)
    if style < 6:
        return f"{place}{brand}{word}{end}"
    if style < 8:
        return f"{brand}（{place}）{word}{end}"
    return f"{brand}{word}（{place}）{end}"


def _end(dice: Dice) -> str:
    return "有限责任公司" if dice.chance(0.15) else "有限公司"


def _listed_dates(dice: Dice) -> tuple[date, date | None]:
    """Founded, and listed some years later; both before the first case."""
    founded = drawn(dice, date(1986, 1, 1), date(2012, 12, 31))
    return founded, min(later(dice, founded, 400, 7_000), _LAST_LISTED)
