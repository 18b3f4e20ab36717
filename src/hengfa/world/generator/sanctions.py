"""What befalls companies in trouble: enforcement and administrative penalties.

Cases that were closed without success, limits on spending and dishonest debtors are three views of
one list of cases. Most limits on spending belong to a case that was also closed, and so do some
entries of dishonesty; the same case number then stands in several tables, with the same company,
court and filing date, and the same amount in the writing of each table.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

from hengfa.world.generator.companies import Companies, Company
from hengfa.world.generator.courts import Court, Courts, Dockets
from hengfa.world.generator.dice import Dice, Shuffle, Stream, Weighted, cut
from hengfa.world.generator.lists import LISTS, Offence
from hengfa.world.generator.names import COUNTRY, starred_person
from hengfa.world.generator.sizes import Sizes
from hengfa.world.generator.values import amount_in_cents, as_number, in_year, later, plain
from hengfa.world.tables.cells import write_date
from hengfa.world.tables.world import Cell, Row

_CASES_EACH = 4


class _Troubled:
    """Cases of one kind, numbered company by company: a few companies with many cases, many with
    one (legalagentbench.md 8)."""

    def __init__(self, purpose: str, companies: Companies, cases: int) -> None:
        seed = companies.map.seed
        self._companies = companies
        stream = Stream(seed, purpose)
        self._who = Shuffle(stream, companies.sizes.companies)
        weights = Stream(seed, f"{purpose}, how many")
        before = [0]
        for place in range(max(2, min(cases // _CASES_EACH, companies.sizes.companies))):
            before.append(before[-1] + int(weights.dice(place).lognormal(100.0, 1.1)) + 1)
        self._before = [cut(cases, weight, before[-1]) for weight in before]

    def __call__(self, case: int) -> Company:
        return self._companies(self._who(bisect_right(self._before, case) - 1))


# --- enforcement ---

_MEDIAN_YUAN: Final = 900_000.0
_DEVIATION: Final = 1.7
_ALSO_CLOSED: Final = (7, 10)
"""So many of the limits on spending stand in a case that was closed too."""


def _limited_and_closed(sizes: Sizes) -> int:
    some, of = _ALSO_CLOSED
    return min(sizes.finalised, sizes.restrictions * some // of)


def _dishonest_and_closed(sizes: Sizes) -> int:
    return min(sizes.finalised // 2, sizes.dishonest // 2)


def enforcement_cases(sizes: Sizes) -> int:
    """How many different cases the three tables speak of."""
    closed = sizes.finalised
    only_limited = sizes.restrictions - _limited_and_closed(sizes)
    return closed + only_limited + sizes.dishonest - _dishonest_and_closed(sizes)


class _Enforced(NamedTuple):
    """One case; ``cents`` is what was to be enforced."""

    company: Company
    case_number: str
    court: Court
    filed: date
    applicant: str
    cents: int


class Enforcement:
    """The rows of FinalizedCase, RestrictionCase and DishonestyCase."""

    def __init__(self, companies: Companies, courts: Courts, dockets: Dockets) -> None:
        seed = companies.map.seed
        self._sizes = companies.sizes
        self._companies = companies
        self._courts = courts
        self._map = companies.map
        self._dockets = dockets
        self._stream = Stream(seed, "enforcement")
        self._closing = Stream(seed, "FinalizedCase")
        self._limiting = Stream(seed, "RestrictionCase")
        self._shaming = Stream(seed, "DishonestyCase")
        self._debtors = _Troubled("debtors", companies, enforcement_cases(self._sizes))

    def closings(self) -> Iterator[Row]:
        for number in range(self._sizes.finalised):
            case, dice = self._case(number), self._closing.dice(number)
            paid = case.cents * dice.below(80) // 100 if dice.chance(0.25) else 0
            yield {
                "终本公司名称": case.company.name,
                "案号": case.case_number,
                "被执行人": case.company.name,
                "疑似申请执行人": case.applicant,
                "未履行金额（元）": "-" if dice.chance(0.04) else as_number(case.cents - paid),
                "执行标的（元）": float(-(-case.cents // 100)),
                "执行法院": case.court.name,
                "立案日期": write_date(case.filed),
                "终本日期": write_date(later(dice, case.filed, 45, 240)),
            }

    def limits(self) -> Iterator[Row]:
        shared, closed = _limited_and_closed(self._sizes), self._sizes.finalised
        only = range(closed, closed + self._sizes.restrictions - shared)
        for number in (*range(shared), *only):
            case, dice = self._case(number), self._limiting.dice(number)
            style = dice.below(100)  # an amount is a number, the text of one, or missing
            amount: Cell = plain(case.cents) if style < 13 else as_number(case.cents)
            yield {
                "限制高消费企业名称": case.company.name,
                "案号": case.case_number,
                "法定代表人": case.company.representative,
                "申请人": case.applicant,
                "涉案金额（元）": "-" if style < 3 else amount,
                "执行法院": case.court.name,
                "立案日期": write_date(case.filed),
                "限高发布日期": write_date(later(dice, case.filed, 8, 200)),
            }

    def dishonesty(self) -> Iterator[Row]:
        shared, cases = _dishonest_and_closed(self._sizes), enforcement_cases(self._sizes)
        middle = self._sizes.finalised // 2
        only = range(cases - (self._sizes.dishonest - shared), cases)
        for number in (*range(middle, middle + shared), *only):
            case, dice = self._case(number), self._shaming.dice(number)
            yield {
                "失信被执行公司名称": case.company.name,
                "案号": case.case_number,
                "失信被执行人": case.company.name,
                "疑似申请执行人": case.applicant,
                "涉案金额（元）": case.cents / 100,
                "执行法院": case.court.name,
                "立案日期": write_date(case.filed),
                "发布日期": write_date(later(dice, case.filed, 5, 240)),
            }

    def _case(self, number: int) -> _Enforced:
        dice = self._stream.dice(number)
        company = self._debtors(number)
        docket = self._dockets(self._sizes.judgments + number)
        county = self._map.somewhere(dice) if dice.chance(0.3) else company.county
        above = dice.chance(0.12)
        court = self._courts.intermediate(county) if above else self._courts.basic(county)
        return _Enforced(
            company,
            docket.written(court, "执"),
            court,
            in_year(dice, docket.year),
            self._applicant(dice, company),
            amount_in_cents(dice, _MEDIAN_YUAN, _DEVIATION),
        )

    def _applicant(self, dice: Dice, company: Company) -> str:
        style = dice.below(100)
        if style < 4:
            return "-"
        if style < 35:
            return starred_person(dice)
        if style < 38:
            return ",".join(starred_person(dice) for _ in range(dice.between(2, 5)))
        return self._companies.another(dice, company)


# --- penalties: what a company did, who fined it, how the fine is written ---


_OFFENCES: Final = Weighted((offence, offence.weight) for offence in LISTS.cases.offences)
NATIONAL: Final = f"{COUNTRY}证券监督管理委员会"
_BRACKETS: Final = Weighted([(("〔", "〕"), 7), (("（", "）"), 3)])


class Penalties:
    """The rows of AdministrativeCase."""

    def __init__(self, companies: Companies) -> None:
        seed = companies.map.seed
        self._count = companies.sizes.penalties
        self._map = companies.map
        self._stream = Stream(seed, "AdministrativeCase")
        self._fined = _Troubled("fined companies", companies, self._count)
        self._dockets = Dockets(seed, self._count)

    def rows(self) -> Iterator[Row]:
        for number in range(self._count):
            dice, company = self._stream.dice(number), self._fined(number)
            offence, docket = _OFFENCES.pick(dice), self._dockets(number)
            county = self._map.county(company.county)
            result, fine = _fine(dice, offence)
            opening, closing = _BRACKETS.pick(dice)
            place = county.city.province.sign + county.name[0] if offence.office else ""
            year = f"{opening}{docket.year}{closing}"
            office = f"{county.name}{offence.office}" if offence.office else NATIONAL
            yield {
                "行政处罚公司名称": company.name,
                "案号": f"{place}{offence.sign}罚{year}{docket.serial}号",
                "事实": "-" if dice.chance(0.12) else offence.facts,
                "处罚结果": result,
                "处罚金额（元）": fine,
                "处罚单位": "-" if dice.chance(0.07) else office,
                "处罚日期": write_date(in_year(dice, docket.year)),
            }


def _fine(dice: Dice, offence: Offence) -> tuple[str, Cell]:
    """What was decided, and the fine as the table has it: an int, rarely a float, or missing."""
    style = dice.below(100)
    if style < 22:
        return ("警告" if style < 16 else "责令改正"), "-"
    yuan = max(100, int(dice.lognormal(offence.yuan, 0.8)))
    yuan = yuan // 1_000 * 1_000 if yuan >= 3_000 else yuan // 100 * 100
    if style < 25:
        cents = yuan * 100 + dice.between(1, 99)
        return f"没收违法所得并处罚款，合计{cents // 100}.{cents % 100:02d}元", cents / 100
    if style < 60 and yuan >= 10_000:
        return f"罚款{yuan / 10_000:g}万元", yuan
    return (f"责令改正，并处罚款人民币{yuan}元" if style < 80 else f"罚款{yuan}元"), yuan
