"""Companies, and the rows of CompanyInfo, CompanyRegister and SubCompanyInfo.

The listed ones come first, then their subsidiaries, parent by parent. A company is a pure function
of its number, so that a judgment can name any of them without a table of all. Of the whole group
only how many subsidiaries stand before each parent is kept.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple

from hengfa.world.generator import values
from hengfa.world.generator.dice import Dice, Shuffle, Stream, Weighted, cut
from hengfa.world.generator.geography import Addresses, Geography
from hengfa.world.generator.lists import LISTS, Trade
from hengfa.world.generator.names import BRAND, Name, Words, person
from hengfa.world.generator.sizes import SAME_OFFICE, Sizes
from hengfa.world.generator.values import day_between, later
from hengfa.world.tables.cells import write_date
from hengfa.world.tables.world import Row

WORDS: Final = tuple((word, trade) for trade in LISTS.trades for word in trade.words)
"""Every word of a name with its trade: the word tells the industry."""

PLACE_OF_WORD: Final = {word: place for place, (word, _) in enumerate(WORDS)}
_TRADES: Final = Weighted((trade, trade.weight) for trade in LISTS.trades)
_LAST_FOUNDED: Final = date(2018, 6, 30)  # the first case is of 2019
_LAST_LISTED: Final = date(2018, 12, 28)
_REMEMBERED: Final = 8_192
"""So many companies are kept because they may be named again soon, whatever the scale."""

_MOST_WEIGHT: Final = 45_000  # no group has more than about 250 subsidiaries, whatever the scale
_CITIES_IN_ROUND: Final = 4
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


class _Naming(NamedTuple):
    name: str
    brand: Name
    word: str
    trade: Trade
    city: int


class Companies:
    def __init__(self, sizes: Sizes, geography: Geography) -> None:
        seed = geography.seed
        self.sizes = sizes
        self.map = geography
        self._stream = Stream(seed, "companies")
        self._groups = Stream(seed, "groups")
        self._brands = Words(seed, "brands", BRAND)
        self._offices = Shuffle(Stream(seed, "offices"), sizes.listed)
        self._before = self._divide(seed)
        self._get = lru_cache(_REMEMBERED)(self._make)

    def __call__(self, number: int) -> Company:
        return self._get(number)

    def another(self, dice: Dice, company: Company) -> str:
        """The name of any other company."""
        other = dice.below(self.sizes.companies - 1)
        return self(other + (other >= company.number)).name

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
        """Where each parent's subsidiaries begin: few have many (legalagentbench.md 8)."""
        stream = Stream(seed, "group sizes")
        before = [0]
        for parent in range(self.sizes.listed):
            weight = int(stream.dice(parent).lognormal(1000.0, 1.35))
            before.append(before[-1] + min(weight, _MOST_WEIGHT))
        return [cut(self.sizes.subsidiaries, start, before[-1]) for start in before]

    def _make(self, number: int) -> Company:
        dice = self._stream.dice(number)
        parent = self.parent(number)
        if parent is None:
            named = self._listed_name(dice, number)
            founded = day_between(dice, date(1986, 1, 1), date(2012, 12, 31))
            listed = min(later(dice, founded, 400, 7_000), _LAST_LISTED)
        else:
            bought = dice.chance(0.25)
            named = self._acquired(dice, number) if bought else self._branch(dice, number, parent)
            listed = None
            founded = day_between(dice, self(parent).founded, _LAST_FOUNDED)
        county = self.map.some_county(dice, named.city)
        return Company(number, *named, county, founded, listed, person(dice))

    def _listed_name(self, dice: Dice, number: int) -> _Naming:
        city = self.map.some_city(dice)
        place = self.map.city(city).stem.text if dice.chance(0.55) else ""
        brand = self._brands.two(number)
        trade = _TRADES.pick(dice)
        word = dice.pick(trade.words)
        end = "集团股份有限公司" if dice.chance(0.15) else "股份有限公司"
        return _Naming(f"{place}{brand.text}{word}{end}", brand, word, trade, city)

    def _acquired(self, dice: Dice, number: int) -> _Naming:
        """Bought: it keeps its own brand, which has three syllables and is nobody else's."""
        brand = self._brands.three(number)
        word, trade = dice.pick(WORDS)
        city = self.map.some_city(dice)
        place = self.map.city(city).stem.text if dice.chance(0.6) else ""
        return _Naming(f"{place}{brand.text}{word}{_end(dice)}", brand, word, trade, city)

    def _branch(self, dice: Dice, number: int, parent: int) -> _Naming:
        """Founded by the group: its brand, a place, a word.

        Place and word are counted off, so that no two branches of a group have both in common:
        with one word the group goes to some cities, then it takes the next word.
        """
        above = self(parent)
        brothers = self.subsidiaries(parent)
        cities = self.map.cities
        in_round = min(cities, max(_CITIES_IN_ROUND, -(-len(brothers) // len(WORDS))))
        place = number - brothers.start
        city = Shuffle(self._groups, cities, parent)(place % cities)
        word, trade = WORDS[(PLACE_OF_WORD[above.word] + place // in_round) % len(WORDS)]
        brand, stem = above.brand.text, self.map.city(city).stem.text
        style, end = dice.below(10), _end(dice)
        if style < 6:
            name = f"{stem}{brand}{word}{end}"
        elif style < 8:
            name = f"{brand}（{stem}）{word}{end}"
        else:
            name = f"{brand}{word}（{stem}）{end}"
        return _Naming(name, above.brand, word, trade, city)


def _end(dice: Dice) -> str:
    return "有限责任公司" if dice.chance(0.15) else "有限公司"


_NEW_CODES_SINCE: Final = date(2015, 10, 1)
_MARKETS: Final = Weighted(LISTS.companies.markets)
_SHARES: Final = Weighted(LISTS.companies.shares)


class CompanyRows:
    def __init__(self, companies: Companies, addresses: Addresses) -> None:
        seed = companies.map.seed
        self._companies = companies
        self._map = companies.map
        self._addresses = addresses
        self._info = Stream(seed, "CompanyInfo")
        self._register = Stream(seed, "CompanyRegister")
        self._shares = Stream(seed, "SubCompanyInfo")
        self._stock_codes = Shuffle(Stream(seed, "stock codes"), 10_000)
        self._old_codes = Shuffle(Stream(seed, "organisation codes"), 90_000_000)
        self._new_codes = Shuffle(Stream(seed, "new organisation codes"), 31**6)

    def infos(self) -> Iterator[Row]:
        for company in map(self._companies, range(self._companies.sizes.listed)):
            dice = self._info.dice(company.number)
            market, digits = _MARKETS.pick(dice)
            brand, latin = company.brand.text, company.brand.pinyin.lower()
            short = brand + (company.word[:2] if dice.chance(0.6) else "股份")
            city = self._map.city(company.city)
            indices = LISTS.companies.indices
            goods = "、".join(company.trade.goods[: dice.between(2, len(company.trade.goods))])
            manager = company.representative if dice.chance(0.35) else person(dice)
            proceeds = int(dice.lognormal(60_000.0, 0.8) * 100) / 100
            yield {
                "公司名称": company.name,
                "公司简称": short,
                "英文名称": f"{city.stem.pinyin} {latin.title()} {company.trade.english} Co., Ltd.",
                "关联证券": f"9{company.number:05d} {brand}Ｂ股" if dice.chance(0.04) else None,
                "公司代码": f"{digits}{self._stock_codes(company.number):04d}",
                "曾用简称": _former_short(dice, company),
                "所属市场": market,
                "所属行业": company.trade.industry,
                "成立日期": write_date(company.founded),
                "上市日期": write_date(company.listed or company.founded),
                "法人代表": company.representative,
                "总经理": manager,
                "董秘": person(dice),
                "邮政编码": self._map.county(company.county).division,
                "注册地址": self.seat(company),
                "办公地址": self.office(company),
                "联系电话": values.phone(dice, company.city),
                "传真": values.phone(dice, company.city),
                "官方网址": f"www.{latin}{company.number}.example",
                "电子邮箱": f"{dice.pick(('ir', 'zqb', 'dsh'))}@{latin}{company.number}.example",
                "入选指数": None
                if dice.chance(0.23)
                else (",".join(name for name in indices if dice.chance(0.35)) or indices[0]),
                "主营业务": f"主要从事{goods}等业务。",
                "经营范围": self._scope(dice, company),
                "机构简介": f"公司前身于{company.founded.year}年在{city.name}设立，"
                f"以{company.trade.goods[0]}起家，后整体变更为股份有限公司。"
                f"目前产品和服务包括{'、'.join(company.trade.goods)}。",
                "每股面值（元）": 1.0,
                "首发价格（元）": int(dice.lognormal(14.0, 0.6) * 100 + 100) / 100,
                "首发募资净额（元）": str(proceeds),
                "首发主承销商": f"{dice.pick(LISTS.companies.brokers)}股份有限公司",
            }

    def registers(self) -> Iterator[Row]:
        for company in map(self._companies, range(self._companies.sizes.companies)):
            dice = self._register.dice(company.number)
            listed = company.listed is not None
            division = self._map.county(company.county).division
            new = company.founded >= _NEW_CODES_SINCE
            old = 10_000_000 + self._old_codes(company.number)
            organisation = values.organisation_code(
                self._new_codes(company.number) if new else old, new=new
            )
            registered = values.registration_number(division, company.number)
            first, second, third = company.trade.levels
            by_mobile = not listed and dice.chance(0.35)
            reach = values.mobile(dice) if by_mobile else values.phone(dice, company.city)
            yield {
                "公司名称": company.name,
                "登记状态": "存续" if listed else _status(dice),
                "统一社会信用代码": values.credit_code(values.COMPANY, division, organisation),
                "法定代表人": company.representative,
                "注册资本": _capital(dice, listed=listed),
                "成立日期": write_date(company.founded),
                "企业地址": self.seat(company),
                "联系电话": "-" if dice.chance(0.02) else reach,
                "联系邮箱": "-" if dice.chance(0.07) else values.mail(dice, company.brand.pinyin),
                "注册号": "-" if dice.chance(0.12) else registered,
                "组织机构代码": f"{organisation[:8]}-{organisation[8]}",
                "参保人数": _staff(dice, listed=listed),
                "行业一级": first,
                "行业二级": "-" if dice.chance(0.02) else second,
                "行业三级": "-" if dice.chance(0.1) else third,
                "曾用名": _former_name(dice, company),
                "企业简介": f"{company.name}成立于{company.founded}，"
                f"位于{self._map.city(company.city).name}，主要从事{company.trade.goods[0]}等业务。",
                "经营范围": self._scope(dice, company),
            }

    def holdings(self) -> Iterator[Row]:
        for parent in range(self._companies.sizes.listed):
            for number in self._companies.subsidiaries(parent):
                dice = self._shares.dice(number)
                share = _SHARES.pick(dice)
                if not share:  # any from 5 to 100 percent; one in two is a whole number
                    odd = (
                        dice.between(5, 99) if dice.chance(0.5) else dice.between(500, 9_999) / 100
                    )
                    share = str(float(odd))
                yuan = int(dice.lognormal(40_000_000.0, 1.9))
                style = dice.below(100)
                round_up = yuan // 1_000_000 * 1_000_000 + 1_000_000
                amount = values.invested(yuan if style < 50 else round_up)
                if style >= 97:
                    amount = "0" if style == 99 else str(yuan % 90_000)
                yield {
                    "关联上市公司全称": self._companies(parent).name,
                    "上市公司关系": "子公司",
                    "上市公司参股比例": share,
                    "上市公司投资金额": " - " if dice.chance(0.12) else amount,
                    "公司名称": self._companies(number).name,
                }

    def seat(self, company: Company) -> str:
        return self._addresses.of_company(company.number, self._map.county(company.county))

    def office(self, company: Company) -> str:
        """Where a listed company can be visited: at its seat, or elsewhere in the same county."""
        if self._companies.has_own_office(company.number):
            return self._addresses.of_office(company.number, self._map.county(company.county))
        return self.seat(company)

    def _scope(self, dice: Dice, company: Company) -> str:
        goods = company.trade.goods
        listed = "；".join(goods[: dice.between(2, len(goods))])
        if dice.chance(0.5):
            return f"一般项目：{listed}。"
        return f"许可项目：{goods[0]}。一般项目：{listed}。（须经批准的项目，批准后方可经营）"


def _status(dice: Dice) -> str:
    style = dice.below(100)
    if style < 73:
        return "存续"
    if style < 95:
        return "在业"
    return f"注销（{day_between(dice, date(2022, 3, 1), date(2023, 11, 30))}）"


def _capital(dice: Dice, *, listed: bool) -> str:
    """In 万: mostly round; of listed companies to the last hundredth."""
    wan = int(dice.lognormal(45_000.0 if listed else 4_000.0, 0.9 if listed else 1.5)) + 10
    if listed and dice.chance(0.7):
        return values.capital(wan * 100 + dice.below(100))
    step = 1_000 if wan >= 3_000 else 100 if wan >= 300 else 10
    return values.capital(wan // step * step * 100)


def _staff(dice: Dice, *, listed: bool) -> str:
    if dice.chance(0.1):
        return "-"
    if not listed and dice.chance(0.15):
        return "0"
    return str(int(dice.lognormal(900.0 if listed else 24.0, 1.3)))


def _former_short(dice: Dice, company: Company) -> str:
    if not dice.chance(0.24):
        return "-"
    old = f"{company.brand.text}{company.trade.words[-1][:2]}"
    return f"{old}>> ST{company.brand.text}" if dice.chance(0.3) else old


def _former_name(dice: Dice, company: Company) -> str:
    """Mostly none. An old name ends as no company's name does now."""
    if not dice.chance(0.22):
        return "-"
    old = f"{company.brand.text}{company.word}厂"
    return f"{old},\n{company.brand.text}{company.word}总厂" if dice.chance(0.15) else old
