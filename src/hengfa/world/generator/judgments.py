"""Judgments: who sued whom, where, what for, and how it ended.

They are numbered company by company. How many a company has is cut from a running sum of weights,
which is walked through and never kept, so that the number of all is exact and memory stays flat.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

from hengfa.world.generator.case_numbers import Docket, Dockets
from hengfa.world.generator.causes import (
    AUTHORITIES,
    CASE_KINDS,
    CAUSES,
    FIRST_OF_PROPERTY,
    PROPERTY_CAUSES,
    CaseKind,
    Cause,
)
from hengfa.world.generator.companies import Companies, Company
from hengfa.world.generator.courts import Court, Courts, Level
from hengfa.world.generator.days import in_year, later
from hengfa.world.generator.dice import Dice, Stream, Weighted, cut
from hengfa.world.generator.geography import Geography
from hengfa.world.generator.lawfirms import Firms
from hengfa.world.generator.money import amount_in_cents
from hengfa.world.generator.names import party_person

MEDIAN_YUAN: Final = 311_000.0
DEVIATION: Final = 1.6
"""With the sizes of the causes this gives the spread of the observed amounts (1.82)."""

PARTNERS: Final = 12
"""So many companies each company usually deals with."""

MOST_WEIGHT: Final = 60_000
_PLAINTIFFS: Final = Weighted([(1, 935), (2, 45), (3, 20)])
_DEFENDANTS: Final = Weighted([(1, 614), (2, 214), (3, 126), (4, 35), (5, 17), (6, 8)])
_WITH_AMOUNT: Final = {"民事判决书": 0.57, "民事裁定书": 0.055, "执行裁定书": 0.19}


class Judgment(NamedTuple):
    """All that the tables and texts say of one case; ``cents`` is 0 where no amount is named."""

    number: int
    company: Company
    kind: CaseKind
    document: str
    docket: Docket
    court: Court
    plaintiffs: tuple[str, ...]
    defendants: tuple[str, ...]
    plaintiff_firms: str
    defendant_firms: str | None
    cause: Cause
    cents: int
    filed: date
    on: date

    @property
    def case_number(self) -> str:
        return self.docket.written(self.court, self.kind.sign)

    @property
    def title(self) -> str:
        parties = f"{self.plaintiffs[0]}与{'、'.join(self.defendants[:2])}"
        more = "等" if len(self.defendants) > 2 else ""
        return f"{parties}{more}{self.cause.name}{self.kind.instance}{self.document}"


class Judgments:
    """Pure functions of a number and of the company that the case is filed under."""

    def __init__(
        self,
        seed: int,
        companies: Companies,
        courts: Courts,
        firms: Firms,
        geography: Geography,
        dockets: Dockets,
    ) -> None:
        self._companies = companies
        self._courts = courts
        self._firms = firms
        self._map = geography
        self._dockets = dockets
        self._stream = Stream(seed, "LegalDoc")
        self._counsel = Stream(seed, "counsel")
        self._partners = Stream(seed, "partners")
        self._weights = Stream(seed, "cases per company")

    def numbered(self) -> Iterator[tuple[int, int]]:
        """Number of the case and number of its company, from first to last."""
        total = self._companies.sizes.judgments
        weight = sum(map(self._weight, range(self._companies.sizes.companies)))
        before = 0
        for company in range(self._companies.sizes.companies):
            first = cut(total, before, weight)
            before += self._weight(company)
            for number in range(first, cut(total, before, weight)):
                yield number, company

    def __call__(self, number: int, of: int) -> Judgment:
        """The case with this number, filed under company number ``of``."""
        dice = self._stream.dice(number)
        company = self._companies(of)
        kind = CASE_KINDS.pick(dice)
        cause = CAUSES.pick(dice)
        level = kind.levels.pick(dice)
        if cause.name in PROPERTY_CAUSES and kind.sign == "民初" and level == "intermediate":
            kind = FIRST_OF_PROPERTY
        document = _document(dice, kind)
        plaintiffs, defendants = self._parties(dice, company, kind, cause)
        docket = self._dockets(number)
        filed = in_year(dice, docket.year)
        cents = 0
        if dice.chance(_WITH_AMOUNT.get(document, 0.0)):
            cents = amount_in_cents(dice, MEDIAN_YUAN * cause.size, DEVIATION)
        county = self._place(dice, company)
        return Judgment(
            number,
            company,
            kind,
            document,
            docket,
            self._court(kind, level, county),
            plaintiffs,
            defendants,
            self._plaintiff_firms(dice, company, plaintiffs),
            self._defendant_firms(dice, company, defendants),
            cause,
            cents,
            filed,
            later(dice, filed, 10, 90),
        )

    def _weight(self, company: int) -> int:
        """Log-normal: most have a few cases, some several hundred; the listed ones more."""
        drawn = int(self._weights.dice(company).lognormal(100.0, 1.6))
        listed = company < self._companies.sizes.listed
        return min(MOST_WEIGHT, drawn * 3 if listed else drawn) + 1

    # --- parties ---

    def _parties(
        self, dice: Dice, company: Company, kind: CaseKind, cause: Cause
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if kind.family == "administrative":
            county = self._map.county(company.county)
            return (company.name,), (f"{county.name}{dice.pick(AUTHORITIES)}",)
        sues = not cause.people and dice.chance(0.42)
        mine, theirs = [company.name], [self._opponent(dice, company, people=cause.people)]
        plaintiffs, defendants = (mine, theirs) if sues else (theirs, mine)
        for side, wanted in ((plaintiffs, _PLAINTIFFS), (defendants, _DEFENDANTS)):
            for _ in range(wanted.pick(dice) - 1):
                other = self._opponent(dice, company, people=side is plaintiffs and cause.people)
                if other not in plaintiffs and other not in defendants:
                    side.insert(dice.below(len(side) + 1), other)
        return tuple(plaintiffs), tuple(defendants)

    def _opponent(self, dice: Dice, company: Company, *, people: bool) -> str:
        """A person, or another registered company: mostly one of those it always deals with."""
        if people or dice.chance(0.4):
            return party_person(dice)
        if dice.chance(0.7):
            dice = self._partners.dice(company.number * PARTNERS + dice.below(PARTNERS))
        other = dice.below(self._companies.sizes.companies - 1)
        return self._companies(other + (other >= company.number)).name

    # --- where, and who appears ---

    def _place(self, dice: Dice, company: Company) -> int:
        """The county of the case: mostly the company's own."""
        if dice.chance(0.65):
            return company.county
        return self._map.some_county(dice, self._map.some_city(dice))

    def _court(self, kind: CaseKind, level: Level, county: int) -> Court:
        province = self._map.province_of(self._map.county(county).city.number)
        if level == "supreme":
            return self._courts.supreme()
        if level == "high":
            return self._courts.high(province)
        if level == "intermediate":
            special = self._courts.property(province) if kind is FIRST_OF_PROPERTY else None
            return special or self._courts.intermediate(county)
        return self._courts.basic(county)

    def _plaintiff_firms(self, dice: Dice, company: Company, side: tuple[str, ...]) -> str:
        if dice.chance(0.44):
            return " -"
        return self._some_firms(dice, company, side, 2 if dice.chance(0.03) else 1)

    def _defendant_firms(self, dice: Dice, company: Company, side: tuple[str, ...]) -> str | None:
        style = dice.below(100)
        if style < 31:
            return None
        if style < 66:
            return " - "
        more = dice.skewed(4) if dice.chance(0.4) else 0
        return self._some_firms(dice, company, side, 1 + more)

    def _some_firms(self, dice: Dice, company: Company, side: tuple[str, ...], count: int) -> str:
        """Firms joined by a comma; a company often takes the one it always takes."""
        found = []
        if company.name in side and dice.chance(0.45):
            always = self._counsel.dice(company.number)
            found.append(self._firms.near(always, company.city).name)
        while len(found) < count:
            city = company.city if dice.chance(0.5) else self._map.some_city(dice)
            name = self._firms.near(dice, city).name
            if name not in found:
                found.append(name)
        return ",".join(found)


def _document(dice: Dice, kind: CaseKind) -> str:
    if kind.family == "enforcement":
        return "执行裁定书" if not dice.chance(0.01) else "结案通知书"
    if kind.family == "administrative":
        return "行政判决书" if dice.chance(0.79) else "行政裁定书"
    ruling = 1.0 if kind.sign == "民申" else 0.47
    return "民事裁定书" if dice.chance(ruling) else "民事判决书"
