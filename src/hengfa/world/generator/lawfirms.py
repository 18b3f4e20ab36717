"""Law firms: numbered city by city, so that a firm near a court is found by arithmetic."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple

from hengfa.world.generator import values
from hengfa.world.generator.dice import Dice, Shuffle, Stream, Weighted, cut
from hengfa.world.generator.geography import Addresses, County, Geography
from hengfa.world.generator.lists import LISTS
from hengfa.world.generator.names import FIRM, Name, Words, person
from hengfa.world.generator.sizes import Sizes
from hengfa.world.generator.values import day_between
from hengfa.world.tables.cells import write_date
from hengfa.world.tables.world import Row

_CAPITALS: Final = Weighted(LISTS.firms.capitals)


class Firm(NamedTuple):
    """What other tables need to know of a law firm."""

    number: int
    name: str
    word: Name
    city: int


class Firms:
    """All of them, by number; large cities have many."""

    def __init__(self, sizes: Sizes, geography: Geography) -> None:
        self.sizes = sizes
        self.map = geography
        self._words = Words(geography.seed, "firm names", FIRM)
        self._stream = Stream(geography.seed, "law firms")
        weight = geography.weight_before(geography.cities)
        self._before = [
            cut(sizes.firms, geography.weight_before(city), weight)
            for city in range(geography.cities + 1)
        ]
        self._get = lru_cache(2048)(self._make)

    def __call__(self, number: int) -> Firm:
        return self._get(number)

    def near(self, dice: Dice, city: int) -> Firm:
        """A firm of this city, the well-known ones more often; elsewhere if there is none."""
        first, end = self._before[city], self._before[city + 1]
        if first == end or dice.chance(0.12):
            return self(dice.below(self.sizes.firms))
        return self(first + dice.skewed(end - first))

    def _make(self, number: int) -> Firm:
        dice = self._stream.dice(number)
        city = self.map.city(bisect_right(self._before, number) - 1)
        word = self._words(number)
        province, stem = city.province.stem, city.stem.text
        style = dice.below(100)
        if style < 50:
            head = province
        elif style < 70:
            head = f"{province}市" if city.province.municipality else stem
        elif style < 90:
            head = stem
        else:
            return Firm(number, f"{word.text}（{stem}）律师事务所", word, city.number)
        return Firm(number, f"{head}{word.text}律师事务所", word, city.number)


class FirmRows:
    """The rows of LawfirmInfo and LawfirmLog."""

    def __init__(self, firms: Firms, addresses: Addresses) -> None:
        seed = firms.map.seed
        self._firms = firms
        self._map = firms.map
        self._addresses = addresses
        self._rooms = Stream(seed, "law firm rooms")
        self._rows = Stream(seed, "LawfirmInfo")
        self._log = Stream(seed, "LawfirmLog")
        self._ranked = Shuffle(Stream(seed, "ranked firms"), firms.sizes.firms)
        self._codes = Shuffle(Stream(seed, "firm codes"), 90_000_000)

    def infos(self) -> Iterator[Row]:
        for firm in map(self._firms, range(self._firms.sizes.firms)):
            county, dice = self.county(firm.number), self._rows.dice(firm.number)
            province, city, name = county.region
            province_code = county.city.province.code * 10_000
            own = values.organisation_code(10_000_000 + self._codes(firm.number), new=False)
            founded = day_between(dice, date(1988, 1, 1), date(2018, 11, 30))
            reach = values.mobile(dice) if dice.chance(0.2) else values.phone(dice, firm.city)
            authority = f"{city if province == city else province + city}{name}司法局"
            yield {
                "律师事务所名称": firm.name,
                "律师事务所唯一编码": values.credit_code(values.LAW_FIRM, province_code, own),
                "律师事务所负责人": person(dice),
                "事务所注册资本": _CAPITALS.pick(dice) or None,
                "事务所成立日期": write_date(founded),
                "事务所地址": self.address(firm.number),
                "事务所省份": province,
                "事务所城市": city,
                "事务所区县": name,
                "通讯电话": "-" if dice.chance(0.015) else reach,
                "通讯邮箱": values.mail(dice, firm.word.pinyin) if dice.chance(0.16) else "-",
                "事务所简介": _profile(dice, firm.name, founded.year),
                "律所登记机关": "-" if dice.chance(0.013) else authority,
            }

    def logs(self) -> Iterator[Row]:
        """The firms with the most listed clients, by rank; clients fall with the rank."""
        clients = 60 + self._log.dice(0).below(40)
        for rank in range(1, self._firms.sizes.logged_firms + 1):
            dice = self._log.dice(rank)
            served = max(1, clients // rank + (1 if rank < 40 else 0))
            violations = min(served, dice.skewed(served + 1))
            yield {
                "律师事务所名称": self._firms(self._ranked(rank - 1)).name,
                "业务量排名": rank,
                "服务已上市公司": served,
                "报告期间所服务上市公司违规事件": violations,
                "报告期所服务上市公司接受立案调查": min(violations, dice.skewed(3)),
            }

    def county(self, number: int) -> County:
        dice = self._rooms.dice(number)
        return self._map.county(self._map.some_county(dice, self._firms(number).city))

    def address(self, number: int) -> str:
        return self._addresses.of_firm(number, self.county(number))


def _profile(dice: Dice, name: str, year: int) -> str:
    if dice.chance(0.4):
        return "-"
    known = LISTS.firms.fields
    fields = "、".join(field for field in known if dice.chance(0.4)) or known[0]
    return f"{name}设立于{year}年，是一家合伙制律师事务所，主要办理{fields}等方面的业务。"
