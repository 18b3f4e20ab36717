"""Writing tasks: a complaint against companies of the world, to be answered by a defence.

The look-ups stand beside one another (legalagentbench.md 6.6): the register of each defendant, the
law firm, and provisions. Which provision is meant is told by words that only one article of the
named law has, so that the citation is exact; the number of the article is for the writer to find.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from hengfa.law.numerals import parse_article
from hengfa.world.cells import blank
from hengfa.world.factory.canonical import shown, single_text
from hengfa.world.factory.follow import Look, LookInWorld
from hengfa.world.factory.graph import Entity
from hengfa.world.factory.paths import Starts
from hengfa.world.factory.task import Ground, Reason, Refused, Task, WritingPlan
from hengfa.world.schema import ARTICLES, LOOKUP_OF
from hengfa.world.world import World

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
_MOST_ARGUMENTS: Final = 3
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
    rows = look(LOOKUP_OF[REGISTER], (company,), tuple(_PARTY_COLUMNS.values()))
    if not rows:
        raise Refused(Reason.EMPTY)
    return {label: shown(rows[0][column], "text").text for label, column in _PARTY_COLUMNS.items()}


def firm_facts(look: Look, firm: str) -> tuple[str, ...]:
    """The head of a law firm and its phone."""
    rows = look(LOOKUP_OF[FIRM], (firm,), _FIRM_COLUMNS)
    if not rows:
        raise Refused(Reason.EMPTY)
    return tuple(shown(rows[0][column], "text").text for column in _FIRM_COLUMNS)


def draft(
    plan: WritingPlan,
    parties: Mapping[str, Facts],
    firm: Sequence[str],
    citations: Sequence[str],
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
        dispute = self._rng.choice(_DISPUTES)
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
        question = self._question(dispute, plan, [argument for argument, _ in argued])
        told = [*(fact for facts in parties.values() for fact in facts.values()), *head, *citations]
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

    def _arguments(self, dispute: _Dispute) -> list[tuple[_Argument, Ground]]:
        """Arguments that rest on a provision of this world; at least one, each on its own."""
        argued: dict[str, tuple[_Argument, Ground]] = {}
        for argument in dispute.arguments:
            ground = self._law.ground(argument.grounds)
            if ground is not None:
                argued.setdefault(self._law.citation(ground), (argument, ground))
        if not argued:
            raise Refused(Reason.NO_PROVISION)
        return list(argued.values())[:_MOST_ARGUMENTS]

    def _question(self, dispute: _Dispute, plan: WritingPlan, arguments: list[_Argument]) -> str:
        plaintiff = plan.plaintiff
        defendants = "、".join(plan.defendants)
        amount = str(self._rng.randrange(20, 900) * 1_000)
        day = f"{self._rng.randrange(2018, 2022)}年{self._rng.randrange(1, 13)}月"
        said = {"p": plaintiff, "d": defendants, "sum": amount, "day": day}
        facts = "\n".join(f"{n}. {argument.fact}。" for n, argument in enumerate(arguments, 1))
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
            f"答辩状格式：\n{_LAYOUT}"
        )


# --- provisions of a world's law, found by what they say ---


class Law:
    """The articles of a world by law, in their order."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._articles: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for text in texts:
            head, colon, body = text.partition("：")
            name, mark, number = head.rpartition("第")
            if colon and name and parse_article(f"{mark}{number}"):
                self._articles[name].append((head, body))

    def ground(self, choices: Iterable[tuple[str, ...]]) -> Ground | None:
        """The law that has just one article with all words of a choice; the longest such law."""
        for wanted in choices:
            laws = [name for name in self._articles if len(self._having(name, wanted)) == 1]
            if laws:
                return Ground(max(laws, key=lambda name: len(self._articles[name])), wanted)
        return None

    def citation(self, ground: Ground) -> str:
        """The article as it is cited: the name of the law and the number."""
        citations = self._having(ground.law, ground.words)
        if len(citations) != 1:
            raise Refused(Reason.NO_PROVISION)
        return citations[0]

    def _having(self, law: str, wanted: tuple[str, ...]) -> list[str]:
        return [
            head
            for head, body in self._articles.get(law, ())
            if all(word in body for word in wanted)
        ]


# --- disputes: what a complaint claims, and what the defence can say to it ---
# Every argument stands on a provision. Which law a world has is not known here, so each argument
# names words by which its provision is found: in the law of the sample pack, or in the civil code.


class _Argument(NamedTuple):
    """A fact that only the defence knows, the argument, its key phrases, and the words of the
    provisions that it can rest on, any of them."""

    fact: str
    plea: str
    phrases: tuple[str, ...]
    grounds: tuple[tuple[str, ...], ...]


class _Dispute(NamedTuple):
    """`{p}` is the plaintiff, `{d}` the defendants, `{sum}` the amount, `{day}` a date."""

    cause: str
    claim: str
    story: str
    arguments: tuple[_Argument, ...]


_TOO_LATE: Final = _Argument(
    "原告最后一次催告以后，超过法定期间没有再主张权利，也没有起诉",
    "原告没有在法定期间内主张权利，其请求已经超过法律保护的期间，依法应当驳回",
    ("法定期间", "超过法律保护的期间"),
    (("一年内", "起诉"), ("请求权", "二年内不行使而消灭"), ("诉讼时效期间为三年",)),
)

_SHARED_FAULT: Final = _Argument(
    "现场记录显示，原告的人员没有按约定做好防护，对损失的发生也有过失",
    "原告对损失的发生同样存在过失，应当按照过失的大小自行承担相应部分",
    ("过失", "自行承担相应部分"),
    (("过失大小", "分担"), ("同一损害", "过错", "减轻"), ("对损失的发生有过错",)),
)

_UNFORESEEN: Final = _Argument(
    "事发时当地突遇大风和雷击，气象部门此前没有发布预警",
    "损失由无法预料、无法躲避的情形造成，被告不应承担赔偿责任",
    ("无法预料", "不应承担赔偿责任"),
    (("无法预料", "自担损失"), ("不可抗力", "不承担民事责任"), ("不可抗力", "免除责任")),
)

_RETURNED: Final = _Argument(
    "原告取货以后一直在使用这批货物，没有在约定的期间内提出异议",
    "原告已经使用货物，又没有及时提出异议，无权再要求退货退款",
    ("使用货物", "无权再要求退货"),
    (("没有用过的货物", "退还"), ("检验期限", "怠于通知"), ("检验期限", "数量或者质量")),
)

_DEPOSIT: Final = _Argument(
    "原告付过定金，后来单方表示不再购买，原因与被告无关",
    "原告自己不履行约定，无权要求返还定金",
    ("不履行约定", "无权要求返还定金"),
    (("定钱", "无权要回"), ("定金", "双倍返还")),
)

_BOND: Final = _Argument(
    "租期届满以后，被告在法定期间内已经退还押金，原告签收了收据",
    "押金已经按期退还，不存在逾期，原告要求加付没有依据",
    ("押金已经按期退还", "不存在逾期"),
    (("押金", "租期届满"), ("租赁期限届满", "返还租赁物")),
)

_EXAGGERATED: Final = _Argument(
    "原告主张的违约金按日计算，累计已经超过货款本身的一半，而原告没有提交实际损失的凭证",
    "原告主张的数额明显超过实际损失，请求依法予以适当减少",
    ("明显超过实际损失", "适当减少"),
    (("违约金", "过分高于"),),
)

_DISPUTES: Final[tuple[_Dispute, ...]] = (
    _Dispute(
        "买卖合同纠纷",
        "判令{d}退还货款{sum}元并支付违约金",
        "{day}，{p}与{d}签订购销合同，约定由{d}供应一批设备。{p}已经支付货款{sum}元。"
        "{p}认为货物不合用，多次联系{d}退货，{d}没有同意。",
        (_RETURNED, _EXAGGERATED, _TOO_LATE, _DEPOSIT),
    ),
    _Dispute(
        "房屋租赁合同纠纷",
        "判令{d}返还押金并赔偿损失共计{sum}元",
        "{day}，{p}向{d}承租厂房一处并交付押金。租期届满以后，{p}搬离厂房，"
        "认为{d}没有及时退还押金，由此产生损失，合计{sum}元。",
        (_BOND, _TOO_LATE, _EXAGGERATED),
    ),
    _Dispute(
        "财产损害赔偿纠纷",
        "判令{d}赔偿财产损失{sum}元",
        "{day}，{d}在运输和装卸过程中与{p}的设施发生碰撞，设施受损。"
        "{p}自行委托维修，支出{sum}元，要求{d}全部承担。",
        (_SHARED_FAULT, _UNFORESEEN, _TOO_LATE),
    ),
    _Dispute(
        "定金合同纠纷",
        "判令{d}返还定金{sum}元",
        "{day}，{p}为采购货物向{d}支付定金{sum}元，此后双方没有继续交易。"
        "{p}要求{d}退还定金，{d}拒绝。",
        (_DEPOSIT, _TOO_LATE, _RETURNED),
    ),
)

_LAYOUT: Final = (
    "答辩人：……\n地址：……\n法定代表人：……\n统一社会信用代码：……\n联系电话：……\n"
    "（有几个答辩人就依次写明几个）\n"
    "委托诉讼代理人：律师事务所名称，负责人姓名，通讯电话\n被答辩人：……\n答辩意见：……"
)

_PLACES: Final = ("一", "二", "三", "四", "五")
