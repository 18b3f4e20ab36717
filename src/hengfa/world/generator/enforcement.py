"""Enforcement: cases that were closed without success, limits on spending, dishonest debtors.

They are three views of one list of cases. Most limits on spending belong to a case that was also
closed, and so do some entries of dishonesty; the same case number then stands in several tables,
with the same company, court and filing date, and the same amount in the writing of each table.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

from hengfa.world import Cell, Row
from hengfa.world.generator.case_numbers import Dockets
from hengfa.world.generator.companies import Companies, Company
from hengfa.world.generator.courts import Court, Courts
from hengfa.world.generator.days import in_year, later, written
from hengfa.world.generator.debtors import Troubled
from hengfa.world.generator.dice import Dice, Stream
from hengfa.world.generator.geography import Geography
from hengfa.world.generator.money import amount_in_cents, as_number, plain
from hengfa.world.generator.names import starred_person
from hengfa.world.generator.sizes import Sizes

MEDIAN_YUAN: Final = 900_000.0
DEVIATION: Final = 1.7
ALSO_CLOSED: Final = (7, 10)
"""So many of the limits on spending stand in a case that was closed too."""


def limited_and_closed(sizes: Sizes) -> int:
    some, of = ALSO_CLOSED
    return min(sizes.finalised, sizes.restrictions * some // of)


def dishonest_and_closed(sizes: Sizes) -> int:
    return min(sizes.finalised // 2, sizes.dishonest // 2)


def enforcement_cases(sizes: Sizes) -> int:
    """How many different cases the three tables speak of."""
    closed = sizes.finalised
    only_limited = sizes.restrictions - limited_and_closed(sizes)
    return closed + only_limited + sizes.dishonest - dishonest_and_closed(sizes)


class Enforced(NamedTuple):
    """One case; ``cents`` is what was to be enforced."""

    company: Company
    case_number: str
    court: Court
    filed: date
    applicant: str
    cents: int


class Enforcement:
    """The rows of FinalizedCase, RestrictionCase and DishonestyCase."""

    def __init__(
        self,
        seed: int,
        companies: Companies,
        courts: Courts,
        geography: Geography,
        dockets: Dockets,
    ) -> None:
        self._sizes = companies.sizes
        self._companies = companies
        self._courts = courts
        self._map = geography
        self._dockets = dockets
        self._stream = Stream(seed, "enforcement")
        self._closing = Stream(seed, "FinalizedCase")
        self._limiting = Stream(seed, "RestrictionCase")
        self._shaming = Stream(seed, "DishonestyCase")
        cases = enforcement_cases(self._sizes)
        self._debtors = Troubled(seed, "debtors", companies, cases)

    # --- the three tables ---

    def closed(self) -> Iterator[Row]:
        for number in range(self._sizes.finalised):
            yield self._closed_row(self._case(number), self._closing.dice(number))

    def limits(self) -> Iterator[Row]:
        shared, closed = limited_and_closed(self._sizes), self._sizes.finalised
        only = range(closed, closed + self._sizes.restrictions - shared)
        for number in (*range(shared), *only):
            yield self._limit_row(self._case(number), self._limiting.dice(number))

    def dishonesty(self) -> Iterator[Row]:
        shared, cases = dishonest_and_closed(self._sizes), enforcement_cases(self._sizes)
        middle = self._sizes.finalised // 2
        only = range(cases - (self._sizes.dishonest - shared), cases)
        for number in (*range(middle, middle + shared), *only):
            yield self._dishonest_row(self._case(number), self._shaming.dice(number))

    # --- one case ---

    def _case(self, number: int) -> Enforced:
        dice = self._stream.dice(number)
        company = self._debtors(number)
        docket = self._dockets(self._sizes.judgments + number)
        county = company.county
        if dice.chance(0.3):
            county = self._map.some_county(dice, self._map.some_city(dice))
        above = dice.chance(0.12)
        court = self._courts.intermediate(county) if above else self._courts.basic(county)
        return Enforced(
            company,
            docket.written(court, "执"),
            court,
            in_year(dice, docket.year),
            self._applicant(dice, company),
            amount_in_cents(dice, MEDIAN_YUAN, DEVIATION),
        )

    def _applicant(self, dice: Dice, company: Company) -> str:
        style = dice.below(100)
        if style < 4:
            return "-"
        if style < 35:
            return starred_person(dice)
        if style < 38:
            return ",".join(starred_person(dice) for _ in range(dice.between(2, 5)))
        other = dice.below(self._sizes.companies - 1)
        return self._companies(other + (other >= company.number)).name

    def _closed_row(self, one: Enforced, dice: Dice) -> Row:
        wanted = -(-one.cents // 100)
        paid = one.cents * dice.below(80) // 100 if dice.chance(0.25) else 0
        left: Cell = "-" if dice.chance(0.04) else as_number(one.cents - paid)
        return {
            "终本公司名称": one.company.name,
            "案号": one.case_number,
            "被执行人": one.company.name,
            "疑似申请执行人": one.applicant,
            "未履行金额（元）": left,
            "执行标的（元）": float(wanted),
            "执行法院": one.court.name,
            "立案日期": written(one.filed),
            "终本日期": written(later(dice, one.filed, 45, 240)),
        }

    def _limit_row(self, one: Enforced, dice: Dice) -> Row:
        return {
            "限制高消费企业名称": one.company.name,
            "案号": one.case_number,
            "法定代表人": one.company.representative,
            "申请人": one.applicant,
            "涉案金额（元）": _mixed(dice, one.cents),
            "执行法院": one.court.name,
            "立案日期": written(one.filed),
            "限高发布日期": written(later(dice, one.filed, 8, 200)),
        }

    def _dishonest_row(self, one: Enforced, dice: Dice) -> Row:
        return {
            "失信被执行公司名称": one.company.name,
            "案号": one.case_number,
            "失信被执行人": one.company.name,
            "疑似申请执行人": one.applicant,
            "涉案金额（元）": one.cents / 100,
            "执行法院": one.court.name,
            "立案日期": written(one.filed),
            "发布日期": written(later(dice, one.filed, 5, 240)),
        }


def _mixed(dice: Dice, cents: int) -> Cell:
    """RestrictionCase writes an amount as a number, as the text of one, or as missing."""
    style = dice.below(100)
    if style < 3:
        return "-"
    return plain(cents) if style < 13 else as_number(cents)
