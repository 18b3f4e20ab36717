"""What is asked of a matter, by which items it is scored, and a document that has them all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import read_toml
from hengfa.world.causes import Defence, Ground, written
from hengfa.world.matters.facts import Facts, Party
from hengfa.world.matters.matter import GROUND, IN_FORCE, Item, Kind

HEAD, CLAIMS, BODY, EVIDENCE, END = "head", "claims", "body", "evidence", "end"


class Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document by its title and headings; what stands above the first heading is its head."""

    title: str
    layout: str
    headings: dict[str, str]


class _Wanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rules: str
    tools: str
    forms: dict[Kind, Form]


_WANTED: Final = read_toml(Path(__file__).with_name("forms.toml"), _Wanted)
FORMS: Final = _WANTED.forms


def question_of(facts: Facts) -> str:
    """What the agent is asked; neither facts nor law are told."""
    form = FORMS[facts.kind]
    today = written(facts.case.days.filed)
    if facts.kind == "claim":
        wanted = (
            f"你代理原告。今天是{today}。请根据案卷起草一份民事起诉状，向应当承担责任的公司起诉，"
            "递交有管辖权的基层人民法院。事实与理由要写明合同的签订、约定的履行期限、数额、"
            f"最近一次有效催款的日期和起诉没有超过{facts.papers.period}、法律依据，一项依据写一段。"
        )
    else:
        paper = "民事答辩状" if facts.kind == "defence" else "法律意见书"
        wanted = (
            f"你代理案卷中起诉状所列的被告。起诉日期是{today}。请根据案卷起草一份{paper}，"
            "逐项写明能够成立的抗辩，每一项写成一段，写明事实、数额和最直接的法律依据；"
            "受诉法院没有管辖权的，写明有管辖权的基层人民法院。"
        )
    return f"{wanted}\n\n{_WANTED.tools}\n\n{_WANTED.rules}\n\n格式：\n{form.layout}"


# --- items ---


def key_of(facts: Facts) -> tuple[Item, ...]:
    """Everything that a hand-in must get right."""
    made = _of_claim(facts) if facts.kind == "claim" else _of_defence(facts)
    cited = tuple(ground.citation for ground in grounds_of(facts))
    return (*made, Item(IN_FORCE, BODY, cites=cited))


def grounds_of(facts: Facts) -> tuple[Ground, ...]:
    """The provisions that must be cited."""
    case = facts.case
    rules = case.cause.grounds if facts.kind == "claim" else (one.rule for one in case.defences)
    return tuple(case.grounds[rule] for rule in rules)


def _of_claim(facts: Facts) -> Iterator[Item]:
    case, wrong, words = facts.case, facts.wrong, facts.words()
    paper = facts.paper
    ours = facts.plaintiff
    yield Item("plaintiff", HEAD, (ours.name, ours.code, ours.head), (wrong.plaintiff_head,))
    yield _right_party("defendant", facts)
    yield _particulars("defendant_particulars", facts)
    yield Item("cause", HEAD, (case.cause.named_on(case.days.filed),))
    yield Item("amount", CLAIMS, (_yuan(words["sum"]),), _yuans(wrong.said, wrong.judged))
    yield Item("signed", BODY, (case.cause.contract, words["signed"]), (written(wrong.signed),))
    yield Item("due", BODY, (words["due"],), (written(wrong.due),))
    if "{price}" in case.cause.story:
        yield Item("price", BODY, (_yuan(words["price"]),), _yuans(wrong.price))
    yield Item("evidence", EVIDENCE, (paper.confirmed, paper.performed), ("往来稿",))
    reminded = written(facts.demanded or facts.misdirected)
    kept = (reminded, facts.papers.period)
    yield Item("limitation", BODY, kept, (written(facts.misdirected),), critical=True)
    yield Item("court", END, (facts.court,), _other_courts(facts), critical=True)
    for ground in grounds_of(facts):
        yield Item(f"{GROUND}{ground.rule}", BODY, cites=(ground.citation,))


def _of_defence(facts: Facts) -> Iterator[Item]:
    yield _right_party("respondent", facts)
    yield _particulars("respondent_particulars", facts)
    opponent = (facts.plaintiff.name, facts.plaintiff.code)
    yield Item("plaintiff", HEAD, opponent, (facts.wrong.plaintiff_head,))
    yield _court(facts)
    yield _limitation(facts)
    for one in facts.defences:
        ground = facts.case.grounds[one.rule]
        if not _lapses(facts, one) and one.rule not in _OF_COURTS:
            has = (*one.terms, *_amounts(facts, one))
            yield Item(f"plea:{one.rule}", BODY, has, _misremembered(facts, one))
        yield Item(f"{GROUND}{one.rule}", BODY, one.terms, cites=(ground.citation,))


def _right_party(name: str, facts: Facts) -> Item:
    party, other = facts.defendant, facts.namesake
    return Item(name, HEAD, (party.name, party.code), (other.name, other.code), critical=True)


def _particulars(name: str, facts: Facts) -> Item:
    party, wrong = facts.defendant, facts.wrong
    return Item(name, HEAD, (party.head, party.address), (wrong.head, wrong.address))


def _court(facts: Facts) -> Item:
    """Who says that the court has no jurisdiction names the one that has; nobody else says it."""
    others = _other_courts(facts)
    for one in facts.defences:
        if one.rule in _OF_COURTS:
            return Item("court", BODY, (*one.terms, facts.court), others, critical=True)
    return Item("court", END, (facts.court,), (*others, *_OBJECTIONS), critical=True)


_OF_COURTS: Final = ("agreed_court", "land_court")
_OBJECTIONS: Final = ("没有管辖权", "无管辖权", "管辖权异议")


def _limitation(facts: Facts) -> Item:
    """Who sues too late is told since when; else nothing is said of it beside what is."""
    for one in facts.defences:
        if _lapses(facts, one):
            day = written(facts.lapse or facts.case.days.filed)
            lacks = (written(facts.misdirected),)
            return Item("limitation", BODY, (*one.terms, day), lacks, critical=True)
    first = next(one for one in facts.defences if one.rule not in _OF_COURTS)
    return Item("limitation", BODY, first.terms, (facts.papers.period,), critical=True)


def _lapses(facts: Facts, defence: Defence) -> bool:
    return facts.lapse is not None and facts.case.grounds[defence.rule].on == facts.lapse


def _other_courts(facts: Facts) -> tuple[str, ...]:
    parties = (facts.plaintiff, facts.defendant, facts.third)
    named = dict.fromkeys([facts.wrong.court, *(party.place.court for party in parties)])
    return tuple(name for name in named if name and name not in (facts.court, facts.sued))


# the amounts of a plea: {part} in "已支付{part}元"; not {due}
_AMOUNT: Final = re.compile(r"\{(part|owed|kept|net|cost)\}")


def _amounts(facts: Facts, defence: Defence) -> tuple[str, ...]:
    words = facts.words()
    return tuple(_yuan(words[name]) for name in dict.fromkeys(_AMOUNT.findall(defence.plea)))


def _misremembered(facts: Facts, defence: Defence) -> tuple[str, ...]:
    words = facts.words(facts.wrong.remembered)
    return tuple(_yuan(words[name]) for name in dict.fromkeys(_AMOUNT.findall(defence.plea)))


def _yuan(amount: str) -> str:
    return f"{amount}元"


def _yuans(*amounts: int) -> tuple[str, ...]:
    return tuple(_yuan(str(amount)) for amount in amounts)


# --- the document that has them all ---


def answer_of(facts: Facts) -> str:
    """A hand-in with every item right, in the form that is asked for."""
    if facts.kind == "claim":
        return _statement_of_claim(facts)
    return _opinion(facts) if facts.kind == "opinion" else _statement_of_defence(facts)


def _party_line(label: str, party: Party) -> str:
    return (
        f"{label}：{party.name}，统一社会信用代码{party.code}，法定代表人{party.head}，"
        f"住所地{party.address}"
    )


def _statement_of_claim(facts: Facts) -> str:
    case, paper = facts.case, facts.paper

    def said(template: str) -> str:
        return case.say(template, "被告", facts.third.name)

    demanded = written(facts.demanded or facts.misdirected)
    agreed = f"以上约定见双方于{written(case.days.signed)}签章的{case.cause.contract}。"
    evidence = (case.cause.contract, paper.confirmed, paper.performed, "催款函（二）及签收回执")
    grounds = [
        f"依照{ground.citation}的规定，原告的请求应当得到支持。" for ground in grounds_of(facts)
    ]
    return "\n".join(
        [
            "民事起诉状",
            _party_line("原告", facts.plaintiff),
            _party_line("被告", facts.defendant),
            f"案由：{case.cause.named_on(case.days.filed)}",
            "诉讼请求：",
            f"1. {said(case.cause.claim)}；",
            "2. 判令被告负担本案诉讼费用。",
            "事实与理由：",
            f"{said(case.cause.story)}{agreed}",
            f"被告于{demanded}签收原告的催款函，原告起诉没有超过{facts.papers.period}。",
            *grounds,
            "证据：",
            f"{'、'.join(evidence)}。",
            "此致",
            facts.court,
            f"具状人：{facts.plaintiff.name}",
            written(case.days.filed),
        ]
    )


def _pleas(facts: Facts, client: str) -> Iterator[str]:
    for number, one in enumerate(facts.defences):
        plea = facts.case.say(one.plea, client, facts.third.name)
        if _lapses(facts, one):
            plea += f"，该期间已于{written(facts.lapse or facts.case.days.filed)}届满"
        if one.rule in _OF_COURTS:
            plea += f"，有管辖权的是{facts.court}"
        citation = facts.case.grounds[one.rule].citation
        yield f"{'一二三四五'[number]}、{plea}。依照{citation}的规定，该项抗辩应当得到支持。"


def _heads(facts: Facts, ours: str, theirs: str) -> list[str]:
    other = facts.plaintiff
    return [
        _party_line(ours, facts.defendant),
        f"{theirs}：{other.name}，统一社会信用代码{other.code}",
    ]


def _statement_of_defence(facts: Facts) -> str:
    return "\n".join(
        [
            "民事答辩状",
            *_heads(facts, "答辩人", "被答辩人"),
            "答辩意见：",
            *_pleas(facts, "答辩人"),
            "此致",
            facts.sued,
            f"答辩人：{facts.defendant.name}",
        ]
    )


def _opinion(facts: Facts) -> str:
    return "\n".join(
        [
            "法律意见书",
            *_heads(facts, "委托人", "对方当事人"),
            "法律分析：",
            *_pleas(facts, "委托人"),
            "结论：",
            f"本案应由{facts.court}管辖。建议委托人按上述各项抗辩，请求驳回原告没有依据的诉讼请求。",
        ]
    )
