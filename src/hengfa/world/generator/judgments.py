"""Judgments: who sued whom, where, what for, how it ended, and what is written about it.

They are numbered company by company. How many a company has is cut from a running sum of weights,
which is walked through and never kept, so that the number of all is exact and memory stays flat.
A result has literal backslash-n between its parts, as the real table has
(legalagentbench.md 2).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

from hengfa.world.generator.companies import Companies, Company
from hengfa.world.generator.courts import Court, Courts, Docket, Dockets
from hengfa.world.generator.dice import Dice, Shuffle, Stream, Weighted, cut
from hengfa.world.generator.lawfirms import Firms
from hengfa.world.generator.lists import LISTS, CaseCause, CaseKind, Level
from hengfa.world.generator.names import party_person
from hengfa.world.generator.values import amount_in_cents, in_year, later, plain
from hengfa.world.tables.cells import write_date
from hengfa.world.tables.world import Row

_CAUSES: Final = Weighted((cause, cause.weight) for cause in LISTS.cases.causes)
_CASE_KINDS: Final = Weighted(
    ((kind, Weighted(kind.levels.items())), kind.weight) for kind in LISTS.cases.kinds
)
_FIRST_OF_PROPERTY: Final = CaseKind("知民初", "一审", "civil")
_PROPERTY_CAUSES: Final = frozenset({"侵害商标权纠纷", "侵害作品信息网络传播权纠纷"})

_MEDIAN_YUAN: Final = 311_000.0
_DEVIATION: Final = 1.6
"""With the sizes of the causes this gives the spread of the observed amounts (1.82)."""

_PARTNERS: Final = 12  # so many companies each company usually deals with
_MOST_WEIGHT: Final = 60_000
_PLAINTIFFS: Final = Weighted([(1, 935), (2, 45), (3, 20)])
_DEFENDANTS: Final = Weighted([(1, 614), (2, 214), (3, 126), (4, 35), (5, 17), (6, 8)])
_WITH_AMOUNT: Final = {"民事判决书": 0.57, "民事裁定书": 0.055, "执行裁定书": 0.19}


class InventedCase(NamedTuple):
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
    cause: CaseCause
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
        self, companies: Companies, courts: Courts, firms: Firms, dockets: Dockets
    ) -> None:
        seed = companies.map.seed
        self.sizes = companies.sizes
        self._companies = companies
        self._courts = courts
        self._firms = firms
        self._map = companies.map
        self._dockets = dockets
        self._stream = Stream(seed, "LegalDoc")
        self._counsel = Stream(seed, "counsel")
        self._partners = Stream(seed, "partners")
        self._weights = Stream(seed, "cases per company")

    def numbers(self) -> Iterator[tuple[int, int]]:
        """Number of the case and number of its company, from first to last."""
        total = self.sizes.judgments
        weight = sum(map(self._weight, range(self.sizes.companies)))
        before = 0
        for company in range(self.sizes.companies):
            first = cut(total, before, weight)
            before += self._weight(company)
            for number in range(first, cut(total, before, weight)):
                yield number, company

    def __call__(self, number: int, of: int) -> InventedCase:
        """The case with this number, filed under company number ``of``."""
        dice = self._stream.dice(number)
        company = self._companies(of)
        kind, levels = _CASE_KINDS.pick(dice)
        cause = _CAUSES.pick(dice)
        level = levels.pick(dice)
        if cause.name in _PROPERTY_CAUSES and kind.sign == "民初" and level == "intermediate":
            kind = _FIRST_OF_PROPERTY
        document = _document(dice, kind)
        plaintiffs, defendants = self._parties(dice, company, kind, cause)
        docket = self._dockets(number)
        filed = in_year(dice, docket.year)
        cents = 0
        if dice.chance(_WITH_AMOUNT.get(document, 0.0)):
            cents = amount_in_cents(dice, _MEDIAN_YUAN * cause.size, _DEVIATION)
        county = company.county if dice.chance(0.65) else self._map.somewhere(dice)
        return InventedCase(
            number,
            company,
            kind,
            document,
            docket,
            self._court(kind, level, county),
            plaintiffs,
            defendants,
            " -"
            if dice.chance(0.44)
            else self._some_firms(dice, company, plaintiffs, 2 if dice.chance(0.03) else 1),
            self._defendant_firms(dice, company, defendants),
            cause,
            cents,
            filed,
            later(dice, filed, 10, 90),
        )

    def _weight(self, company: int) -> int:
        """Log-normal: most have a few cases, some several hundred; the listed ones more."""
        drawn = int(self._weights.dice(company).lognormal(100.0, 1.6))
        listed = company < self.sizes.listed
        return min(_MOST_WEIGHT, drawn * 3 if listed else drawn) + 1

    def _parties(
        self, dice: Dice, company: Company, kind: CaseKind, cause: CaseCause
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if kind.family == "administrative":
            county = self._map.county(company.county)
            return (company.name,), (f"{county.name}{dice.pick(LISTS.cases.authorities)}",)
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
            dice = self._partners.dice(company.number * _PARTNERS + dice.below(_PARTNERS))
        return self._companies.another(dice, company)

    def _court(self, kind: CaseKind, level: Level, county: int) -> Court:
        province = self._map.province_of(self._map.county(county).city.number)
        if level == "supreme":
            return self._courts.supreme()
        if level == "high":
            return self._courts.high(province)
        if level == "intermediate":
            special = self._courts.property(province) if kind is _FIRST_OF_PROPERTY else None
            return special or self._courts.intermediate(county)
        return self._courts.basic(county)

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
        names = []
        if company.name in side and dice.chance(0.45):
            always = self._counsel.dice(company.number)
            names.append(self._firms.near(always, company.city).name)
        while len(names) < count:
            city = company.city if dice.chance(0.5) else self._map.some_city(dice)
            name = self._firms.near(dice, city).name
            if name not in names:
                names.append(name)
        return ",".join(names)


def _document(dice: Dice, kind: CaseKind) -> str:
    if kind.family == "enforcement":
        return "执行裁定书" if not dice.chance(0.01) else "结案通知书"
    if kind.family == "administrative":
        return "行政判决书" if dice.chance(0.79) else "行政裁定书"
    ruling = 1.0 if kind.sign == "民申" else 0.47
    return "民事裁定书" if dice.chance(ruling) else "民事判决书"


# --- what is written about them ---

_PART: Final = " \\n \\n"
"""Between the parts of a result: the two characters backslash and n, not a line break."""


class JudgmentTexts:
    """The rows of LegalDoc and LegalAbstract, and the texts of LegalCases."""

    def __init__(self, seed: int, judgments: Judgments) -> None:
        self._judgments = judgments
        self._sizes = judgments.sizes
        self._wording = Stream(seed, "wording of judgments")
        self._unnamed = Stream(seed, "judgments without a cause")
        self._chosen = Shuffle(Stream(seed, "chosen judgments"), judgments.sizes.judgments)

    def documents(self) -> Iterator[Row]:
        for number, company in self._judgments.numbers():
            case, dice = self._judgments(number, company), self._unnamed.dice(number)
            unnamed = case.kind.family == "administrative" or dice.chance(0.06)
            yield {
                "关联公司": case.company.name,
                "标题": case.title,
                "案号": case.case_number,
                "文书类型": case.document,
                "原告": ",".join(case.plaintiffs),
                "被告": ",".join(case.defendants),
                "原告律师事务所": case.plaintiff_firms,
                "被告律师事务所": case.defendant_firms,
                "案由": " -" if unnamed else case.cause.name,
                "涉案金额（元）": case.cents / 100,
                "判决结果": _PART.join(self._result(case)),
                "日期": write_date(case.on),
                "文件名": f"{case.case_number}.txt",
            }

    def abstracts(self) -> Iterator[Row]:
        for case in self._some(0, self._sizes.abstracts):
            head = "" if self._wording.dice(case.number).chance(0.3) else "\n"
            parties = "、".join(case.plaintiffs), "、".join(case.defendants)
            claim = (
                f"请求支付{case.cause.claim}{plain(case.cents)}元" if case.cents else "请求依法裁判"
            )
            text = (
                f"{head}{'与'.join(parties)}之间发生{case.cause.name}，由{case.court.name}审理。"
                f"{parties[0]}称，{case.cause.facts}，{claim}。{case.court.name}于"
                f"{write_date(case.on)}作出{case.document}：{''.join(self._result(case))}"
            )
            yield {"文件名": f"{case.case_number}.txt", "案号": case.case_number, "文本摘要": text}

    def typical_cases(self) -> Iterator[str]:
        first = self._sizes.abstracts
        for case in self._some(first, first + self._sizes.typical_cases):
            plaintiff, defendant = case.plaintiffs[0], case.defendants[0]
            more = "等" if len(case.defendants) > 1 else ""
            amount = f"，涉及{case.cause.claim}{plain(case.cents)}元" if case.cents else ""
            yield (
                f"{plaintiff}诉{defendant}{more}{case.cause.name}案\n\n"
                f"【基本案情】\n{write_date(case.filed)}，{case.court.name}立案受理本案。"
                f"{case.cause.facts}{amount}。\n\n"
                f"【裁判结果】\n{case.case_number}{case.document}：{''.join(self._result(case))}\n\n"
                f"【典型意义】\n处理{case.cause.name}，应当先查明双方约定和履行的经过，"
                f"再确定{case.cause.claim}由谁负担、负担多少。"
            )

    def _some(self, first: int, end: int) -> Iterator[InventedCase]:
        """Judgments whose place in a random order lies in this range, in the order of numbers."""
        for number, company in self._judgments.numbers():
            if first <= self._chosen(number) < end:
                yield self._judgments(number, company)

    def _result(self, case: InventedCase) -> list[str]:
        if case.kind.family == "enforcement":
            return _enforced(case)
        if case.document.endswith("裁定书"):
            return self._ruled(case)
        return _decided(case)

    def _ruled(self, case: InventedCase) -> list[str]:
        dice = self._wording.dice(case.number)
        plaintiff, defendant = case.plaintiffs[0], "、".join(case.defendants)
        if case.cents:
            return [f"冻结{defendant}名下价值{plain(case.cents)}元的财产。", "本裁定立即执行。"]
        if case.kind.sign == "民申":
            return [f"驳回{plaintiff}的再审申请。"]
        if case.kind.instance == "二审":
            return [f"准许{plaintiff}撤回上诉。", "本裁定为终审裁定。"]
        if dice.below(4) == 0:
            return [f"本案按{plaintiff}撤诉处理。"]
        fee = dice.between(25, 4_000)
        return [f"准许原告{plaintiff}撤回起诉。", f"案件受理费减半收取{fee}元，由{plaintiff}负担。"]


def _decided(case: InventedCase) -> list[str]:
    plaintiff, defendant = "、".join(case.plaintiffs), "、".join(case.defendants)
    if not case.cents:
        if case.kind.sign == "民再":
            return ["维持原生效判决。"]
        if case.kind.instance == "二审":
            return ["驳回上诉，维持原判。", "本判决为终审判决。"]
        return [f"驳回原告{plaintiff}的全部诉讼请求。", f"案件受理费由{plaintiff}负担。"]
    fee = plain(case.cents // 50 // 100 * 100 + 5_000)
    owed = f"{case.cause.claim}{plain(case.cents)}元"
    return [
        f"一、{defendant}于本判决生效之日起十日内支付{plaintiff}{owed}；",
        f"二、驳回{plaintiff}的其他诉讼请求。",
        f"案件受理费{fee}元，由{defendant}负担。",
    ]


def _enforced(case: InventedCase) -> list[str]:
    against = "、".join(case.defendants)
    if case.cents:
        return [f"冻结、划拨被执行人{against}的存款{plain(case.cents)}元。", "本裁定立即执行。"]
    if case.document == "结案通知书":
        return ["本案已经执行完毕，予以结案。"]
    return ["终结本次执行程序。", "发现可供执行的财产时，可以再次申请执行。"]
