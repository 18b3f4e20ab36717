"""Addresses: each belongs to one house, and AddrInfo knows the region of every one.

Courts, law firms, registered seats and offices have numbers of their own, one range after the
other, so the house is computed from who lives there.
"""

from __future__ import annotations

from hengfa.world import Row
from hengfa.world.generator.dice import Dice, Stream
from hengfa.world.generator.geography import County
from hengfa.world.generator.names import Houses
from hengfa.world.generator.sizes import Sizes
from hengfa.world.generator.syllables import BUILDINGS


class Addresses:
    """Who lives where; the caller knows the county."""

    def __init__(self, seed: int, sizes: Sizes) -> None:
        self._houses = Houses(seed)
        self._stream = Stream(seed, "addresses")
        self._firms = sizes.courts
        self._companies = self._firms + sizes.firms
        self._offices = self._companies + sizes.companies

    def of_court(self, number: int, county: County) -> str:
        return self._written(number, county, rooms=0.0)

    def of_firm(self, number: int, county: County) -> str:
        return self._written(self._firms + number, county, rooms=0.7)

    def of_company(self, number: int, county: County) -> str:
        return self._written(self._companies + number, county, rooms=0.3)

    def of_office(self, listed: int, county: County) -> str:
        return self._written(self._offices + listed, county, rooms=0.6)

    def _written(self, number: int, county: County, *, rooms: float) -> str:
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
    return f"{dice.pick(BUILDINGS)}{floor}楼"
