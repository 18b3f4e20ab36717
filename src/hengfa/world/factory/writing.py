"""Writing tasks: a complaint against companies of the world, to be answered by a defence.

The look-ups stand beside one another (legalagentbench.md 6.6): the register of each defendant, the
law firm, and provisions. A case comes from the table of causes: its facts call for defences, its
days for the law that was in force. Neither the law nor the words of art are told: both are for the
writer to find.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from hengfa.world.causes import (
    Case,
    Cause,
    Role,
    WorldLaw,
    draw_case,
    grounds_on,
    table_of,
    write_day,
)
from hengfa.world.factory.follow import Look, LookInWorld, key_of_cell, single_text
from hengfa.world.factory.paths import Starts
from hengfa.world.factory.task import FreshTask, Reason, Refused, WritingPlan
from hengfa.world.factory.words import WORDS
from hengfa.world.tables.cells import blank
from hengfa.world.tables.schema import ARTICLES, LOOKUP_OF, Entity
from hengfa.world.tables.world import World

REGISTER: Final = "get_company_register"
FIRM: Final = "get_lawfirm_info"

_PARTY_COLUMNS: Final = {
    "地址": "企业地址",
    "法定代表人": "法定代表人",
    "统一社会信用代码": "统一社会信用代码",
    "联系电话": "联系电话",
}

_FIRM_COLUMNS: Final = ("律师事务所负责人", "通讯电话")
TRIES: Final = 200
_DRAWS: Final = 40
_JOINT: Final = 1 / 3  # so many of the cases that may have two defendants have two
Facts = dict[str, str]
Attempt = Callable[[Callable[[], FreshTask]], FreshTask | None]  # makes a task or counts why not


def writing_tasks(world: World, number: int, seed: int, attempt: Attempt) -> Iterator[FreshTask]:
    """Up to so many writing tasks, still without numbers."""
    if number < 1:
        return
    factory = _WritingFactory(world, random.Random(f"writing {seed}"))
    for _ in range(TRIES * number):
        if number == 0:
            return
        task = attempt(factory.task)
        if task is not None:
            yield task
            number -= 1


def party_facts(look: Look, company: str) -> Facts:
    """What the head of a defence says of a company."""
    cells = _first_row(look, REGISTER, company, tuple(_PARTY_COLUMNS.values()))
    return dict(zip(_PARTY_COLUMNS, cells, strict=True))


def firm_facts(look: Look, firm: str) -> tuple[str, ...]:
    return _first_row(look, FIRM, firm, _FIRM_COLUMNS)


def _first_row(look: Look, tool: str, name: str, columns: Sequence[str]) -> tuple[str, ...]:
    rows = look(LOOKUP_OF[tool], (name,), columns)
    if not rows:
        raise Refused(Reason.EMPTY)
    return tuple(key_of_cell(rows[0][column], "text").text for column in columns)


def draft(
    plan: WritingPlan, parties: Mapping[str, Facts], firm: Sequence[str], citations: Sequence[str]
) -> str:
    """The statement of defence with everything that was looked up."""
    lines = []
    for place, (name, facts) in enumerate(parties.items()):
        label = f"答辩人{_PLACES[place]}" if len(parties) > 1 else "答辩人"
        lines += [f"{label}：{name}", *(f"{what}：{value}" for what, value in facts.items())]
    lines += [
        f"委托诉讼代理人：{plan.firm}，{'，'.join(firm)}",
        f"被答辩人：{plan.plaintiff}",
        "答辩意见：",
    ]
    for place, (plea, citation) in enumerate(zip(plan.arguments, citations, strict=True)):
        lines.append(f"{_PLACES[place]}、{plea}（依据：{citation}）。")
    lines.append("综上，请求依法驳回原告没有依据的诉讼请求。")
    return "\n".join(lines)


class _WritingFactory:
    def __init__(self, world: World, rng: random.Random) -> None:
        self._rng = rng
        self._look = LookInWorld(world)
        self._starts = Starts(world)
        self._law = WrittenLaw(world)
        self._used: set[tuple[str, ...]] = set()

    def task(self) -> FreshTask:
        self._look.forget()
        case = self._law.draw(self._rng)
        plaintiff, third, *defendants = companies = self._companies(case.cause)
        firm = single_text(self._starts.draw(LOOKUP_OF[FIRM], Entity.FIRM, self._rng).values[0])
        plan = WritingPlan(
            plaintiff,
            tuple(defendants),
            firm,
            case.cause.id,
            case.days,
            tuple(case.grounds[defence.rule] for defence in case.defences),
            tuple(case.say(defence.plea, "答辩人", third) for defence in case.defences),
        )
        parties = {name: party_facts(self._look, name) for name in defendants}
        head = firm_facts(self._look, firm)
        self._used.add(companies)
        citations = [ground.citation for ground in plan.grounds]
        terms = [term for defence in case.defences for term in defence.terms]
        question = _question(case, plan, third)
        findings = [*(fact for facts in parties.values() for fact in facts.values()), *head]
        laws = [ground.law for ground in plan.grounds]
        if any(text in question for text in (*findings, *laws, *terms)):
            raise Refused(Reason.TOLD)
        keys = [text for name, facts in parties.items() for text in (name, *facts.values())]
        return FreshTask(
            id=0,
            question=question,
            answer=draft(plan, parties, head, citations),
            key=tuple(dict.fromkeys([*keys, firm, *head, *citations])),
            key_middle=tuple(terms),
            type="",
            way="",
            hops=0,
            plan=plan,
        )

    def _companies(self, cause: Cause) -> tuple[str, ...]:
        """Plaintiff, a company that is no party, and one or two defendants, never the same ones."""
        roles: list[Role] = ["plaintiff", "third", "defendant"]
        if cause.joint and self._rng.random() < _JOINT:
            roles.append("defendant")
        companies = tuple(self._company(cause.fits.get(role, "")) for role in roles)
        if len(set(companies)) < len(companies) or companies in self._used:
            raise Refused(Reason.TWICE)
        return companies

    def _company(self, fitting: str) -> str:
        for _ in range(_DRAWS):
            name = self._starts.draw(LOOKUP_OF[REGISTER], Entity.COMPANY, self._rng).values[0]
            if re.search(fitting, name):
                break
        else:
            raise Refused(Reason.UNFIT)
        if blank(name) or not self._look(LOOKUP_OF[REGISTER], (name,), ("公司名称",)):
            raise Refused(Reason.EMPTY)
        return name


def _question(case: Case, plan: WritingPlan, third: str) -> str:
    """The complaint, what the defendant told and brought, and what is wanted."""
    defendant = "两被告" if len(plan.defendants) > 1 else "被告"

    def say(template: str) -> str:
        return case.say(template, defendant, third)

    cause = case.cause
    claims = [cause.claim, *(one.claim for one in case.defences if one.claim), _COSTS]
    joint = cause.joint if len(plan.defendants) > 1 else ""
    story = "".join([cause.story, joint, *(one.story for one in case.defences)])
    return WORDS.texts["writing"].format(
        plaintiff=plan.plaintiff,
        names="、".join(plan.defendants),
        defendants="\n".join(f"被告：{name}" for name in plan.defendants),
        cause=cause.named_on(case.days.filed),
        claims=_number_lines(f"{say(claim)}。" for claim in claims),
        story=say(story),
        evidence="、".join(map(say, cause.evidence)),
        filed=write_day(case.days.filed),
        defendant=defendant,
        firm=plan.firm,
        facts=_number_lines(
            f"{say(one.fact)}（材料：{say(one.proof)}）。" for one in case.defences
        ),
    )


def _number_lines(lines: Iterable[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


class WrittenLaw:
    """The table of causes of the law that a world lives under, held against its articles."""

    def __init__(self, world: World) -> None:
        self.articles = WorldLaw(world.texts(ARTICLES))
        self.table = table_of(self.articles)

    def draw(self, rng: random.Random) -> Case:
        case = draw_case(self.table, rng, self.articles) if self.table else None
        if case is None:
            raise Refused(Reason.NO_PROVISION)
        return case

    def citations(self, plan: WritingPlan) -> list[str]:
        """The provisions that a defence must cite, looked up again from the days of the case."""
        if self.table is None:
            raise Refused(Reason.NO_PROVISION)
        cause = self.table.cause(plan.cause)
        grounds = grounds_on(self.table, cause, plan.days, self.articles)
        if any(ground.rule not in grounds for ground in plan.grounds):
            raise Refused(Reason.NO_PROVISION)
        return [grounds[ground.rule].citation for ground in plan.grounds]


_COSTS: Final = "判令{d}负担本案诉讼费用"

_PLACES: Final = ("一", "二", "三", "四", "五")
