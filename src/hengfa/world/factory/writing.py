"""Writing tasks: a complaint against companies of the world, to be answered by a defence.

The look-ups stand beside one another (specification, 6.6): the register of each defendant, the law
firm, and provisions. Which provision is meant is told by words that only one article of the named
law has, so that the citation is exact; the number of the article is for the writer to find.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from hengfa.world.cells import blank
from hengfa.world.factory.canonical import shown, single_text
from hengfa.world.factory.entities import Entity
from hengfa.world.factory.grounds import Law
from hengfa.world.factory.looking import Look, LookInWorld
from hengfa.world.factory.plan import Ground, WritingPlan
from hengfa.world.factory.refusal import Reason, Refused
from hengfa.world.factory.starts import Starts
from hengfa.world.factory.task import Task
from hengfa.world.factory.writing_words import DISPUTES, LAYOUT, PLACES, Argument, Dispute
from hengfa.world.schema import LOOKUP_OF
from hengfa.world.world import World

REGISTER: Final = "get_company_register"
FIRM: Final = "get_lawfirm_info"
ARTICLES: Final = "LegalArticle"
PARTY_COLUMNS: Final = {
    "地址": "企业地址",
    "法定代表人": "法定代表人",
    "统一社会信用代码": "统一社会信用代码",
    "联系电话": "联系电话",
}
FIRM_COLUMNS: Final = ("律师事务所负责人", "通讯电话")
TRIES: Final = 200
MOST_ARGUMENTS: Final = 3

Facts = dict[str, str]
Attempt = Callable[[Callable[[], Task]], Task | None]
"""Makes a task or counts why not."""


def writing_tasks(world: World, number: int, seed: int, attempt: Attempt) -> Iterator[Task]:
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
    rows = look(LOOKUP_OF[REGISTER], (company,), tuple(PARTY_COLUMNS.values()))
    if not rows:
        raise Refused(Reason.EMPTY)
    return {label: shown(rows[0][column], "text").text for label, column in PARTY_COLUMNS.items()}


def firm_facts(look: Look, firm: str) -> tuple[str, ...]:
    """The head of a law firm and its phone."""
    rows = look(LOOKUP_OF[FIRM], (firm,), FIRM_COLUMNS)
    if not rows:
        raise Refused(Reason.EMPTY)
    return tuple(shown(rows[0][column], "text").text for column in FIRM_COLUMNS)


def draft(
    plan: WritingPlan,
    parties: Mapping[str, Facts],
    firm: Sequence[str],
    citations: Sequence[str],
) -> str:
    """The statement of defence with everything that was looked up."""
    lines = []
    for place, (name, facts) in enumerate(parties.items()):
        label = f"答辩人{PLACES[place]}" if len(parties) > 1 else "答辩人"
        lines += [f"{label}：{name}", *(f"{what}：{value}" for what, value in facts.items())]
    lines += [
        f"委托诉讼代理人：{plan.firm}，{'，'.join(firm)}",
        f"被答辩人：{plan.plaintiff}",
        "答辩意见：",
    ]
    for place, (plea, citation) in enumerate(zip(plan.arguments, citations, strict=True)):
        lines.append(f"{PLACES[place]}、{plea}（依据：{citation}）。")
    lines.append("综上，请求驳回原告的诉讼请求。")
    return "\n".join(lines)


class _WritingFactory:
    """Draws disputes between parties of one world."""

    def __init__(self, world: World, rng: random.Random) -> None:
        self._rng = rng
        self._look = LookInWorld(world)
        self._starts = Starts(world)
        self._law = Law(world.texts(ARTICLES))
        self._used: set[tuple[str, ...]] = set()

    def task(self) -> Task:
        self._look.forget()
        dispute = self._rng.choice(DISPUTES)
        argued = self._arguments(dispute)
        companies = [self._company() for _ in range(self._rng.choice((2, 2, 3)))]
        if len(set(companies)) < len(companies) or tuple(companies) in self._used:
            raise Refused(Reason.TWICE)
        plaintiff, *defendants = companies
        firm = single_text(self._starts.draw(LOOKUP_OF[FIRM], Entity.FIRM, self._rng).values[0])
        plan = WritingPlan(
            plaintiff,
            tuple(defendants),
            firm,
            tuple(ground for _, ground in argued),
            tuple(argument.plea for argument, _ in argued),
        )
        parties = {name: party_facts(self._look, name) for name in defendants}
        head = firm_facts(self._look, firm)
        citations = [self._law.citation(ground) for ground in plan.grounds]
        self._used.add(tuple(companies))
        keys = [text for name, facts in parties.items() for text in (name, *facts.values())]
        question = self._question(dispute, plan, [one for one, _ in argued])
        told = [*(one for facts in parties.values() for one in facts.values()), *head, *citations]
        if any(text in question for text in told):
            raise Refused(Reason.TOLD)
        return Task(
            id=0,
            question=question,
            answer=draft(plan, parties, head, citations),
            key=tuple(dict.fromkeys([*keys, firm, *head, *citations])),
            key_middle=tuple(phrase for argument, _ in argued for phrase in argument.phrases),
            type="",
            way="",
            hops=0,
            plan=plan,
        )

    def _company(self) -> str:
        start = self._starts.draw(LOOKUP_OF[REGISTER], Entity.COMPANY, self._rng)
        name = start.values[0]
        if blank(name) or not self._look(LOOKUP_OF[REGISTER], (name,), ("公司名称",)):
            raise Refused(Reason.EMPTY)
        return name

    def _arguments(self, dispute: Dispute) -> list[tuple[Argument, Ground]]:
        """Arguments that rest on a provision of this world; at least one, each on its own."""
        found: dict[str, tuple[Argument, Ground]] = {}
        for argument in dispute.arguments:
            ground = self._law.ground(argument.grounds)
            if ground is not None:
                found.setdefault(self._law.citation(ground), (argument, ground))
        if not found:
            raise Refused(Reason.NO_PROVISION)
        return list(found.values())[:MOST_ARGUMENTS]

    def _question(self, dispute: Dispute, plan: WritingPlan, arguments: list[Argument]) -> str:
        plaintiff = plan.plaintiff
        defendants = "、".join(plan.defendants)
        amount = str(self._rng.randrange(20, 900) * 1_000)
        day = f"{self._rng.randrange(2018, 2022)}年{self._rng.randrange(1, 13)}月"
        said = {"p": plaintiff, "d": defendants, "sum": amount, "day": day}
        facts = "\n".join(f"{n}. {one.fact}。" for n, one in enumerate(arguments, 1))
        basis = "\n".join(
            f"{n}. 《{ground.law}》中写有{'、'.join(f'“{word}”' for word in ground.words)}的那一条"
            for n, ground in enumerate(plan.grounds, 1)
        )
        return (
            f"{plaintiff}起诉{defendants}，起诉状如下。\n\n民事起诉状\n"
            f"原告：{plaintiff}\n被告：{defendants}\n案由：{dispute.cause}\n"
            f"诉讼请求：{dispute.claim.format(**said)}。\n"
            f"事实与理由：{dispute.story.format(**said)}\n（起诉状完）\n\n"
            f"被告委托{plan.firm}应诉，由该所负责人代理。起诉状没有提到、而被告方掌握的情况有：\n"
            f"{facts}\n\n请代该负责人拟一份答辩状。意见部分针对上述情况逐项展开，并援引下列规定，"
            f"写明法律名称和条号（如“某某法第某条”，法律名称不加书名号）：\n{basis}\n\n"
            f"答辩状格式：\n{LAYOUT}"
        )
