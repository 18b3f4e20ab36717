"""What is asked of a matter, by which items it is scored, and a document that has them all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import read_toml
from hengfa.world.causes import Amounts, Defence, Ground, write_day
from hengfa.world.matters.facts import Facts
from hengfa.world.matters.matter import GROUND, IN_FORCE, Kind, MatterItem

HEAD, CLAIMS, BODY, EVIDENCE, END = "head", "claims", "body", "evidence", "end"


class Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document by its title and headings; what stands above the first heading is its head.

    `wanted` is what is asked; `right` is the document with every item right, a `ground` for each
    provision, and a `client` who is called so.
    """

    title: str
    layout: str
    headings: dict[str, str]
    wanted: str
    right: str
    ground: str
    client: str = ""


class _Wanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rules: str
    tools: str
    forms: dict[Kind, Form]


_WANTED: Final = read_toml(Path(__file__).with_name("forms.toml"), _Wanted)
FORMS: Final = _WANTED.forms


def question_of(facts: Facts) -> str:
    """What the agent is asked; neither facts nor law are told."""
    form = FORMS[facts.kind]
    filed = write_day(facts.case.days.filed)
    wanted = form.wanted.format(filed=filed, period=facts.papers.period)
    return f"{wanted}\n\n{_WANTED.tools}\n\n{_WANTED.rules}\n\n格式：\n{form.layout}"


def key_of(facts: Facts) -> tuple[MatterItem, ...]:
    """Everything that a hand-in must get right."""
    made = _of_claim(facts) if facts.kind == "claim" else _of_defence(facts)
    cited = tuple(ground.citation for ground in grounds_of(facts))
    return (*made, MatterItem(IN_FORCE, BODY, cites=cited))


def grounds_of(facts: Facts) -> tuple[Ground, ...]:
    case = facts.case
    rules = case.cause.grounds if facts.kind == "claim" else (one.rule for one in case.defences)
    return tuple(case.grounds[rule] for rule in rules)


def _of_claim(facts: Facts) -> Iterator[MatterItem]:
    case, wrong, words = facts.case, facts.wrong, facts.words()
    paper, ours = facts.paper, facts.plaintiff
    yield MatterItem("plaintiff", HEAD, (ours.name, ours.code, ours.head), (wrong.plaintiff_head,))
    yield from _defendant("defendant", facts)
    yield MatterItem("cause", HEAD, (case.cause.named_on(case.days.filed),))
    yield MatterItem("amount", CLAIMS, (_yuan(words["sum"]),), _yuans(wrong.said, wrong.judged))
    yield MatterItem(
        "signed", BODY, (case.cause.contract, words["signed"]), (write_day(wrong.signed),)
    )
    yield MatterItem("due", BODY, (words["due"],), (write_day(wrong.due),))
    if "{price}" in case.cause.story:
        yield MatterItem("price", BODY, (_yuan(words["price"]),), _yuans(wrong.price))
    yield MatterItem("evidence", EVIDENCE, (paper.confirmed, paper.performed), ("往来稿",))
    reminded = write_day(facts.demanded or facts.misdirected)
    kept = (reminded, facts.papers.period)
    yield MatterItem("limitation", BODY, kept, (write_day(facts.misdirected),), critical=True)
    yield MatterItem("court", END, (facts.court,), _other_courts(facts), critical=True)
    for ground in grounds_of(facts):
        yield MatterItem(f"{GROUND}{ground.rule}", BODY, cites=(ground.citation,))


def _of_defence(facts: Facts) -> Iterator[MatterItem]:
    yield from _defendant("respondent", facts)
    opponent = (facts.plaintiff.name, facts.plaintiff.code)
    yield MatterItem("plaintiff", HEAD, opponent, (facts.wrong.plaintiff_head,))
    yield _court(facts)
    yield _limitation(facts)
    for one in facts.defences:
        ground = facts.case.grounds[one.rule]
        if not _lapses(facts, one) and one.rule not in _OF_COURTS:
            has = (*one.terms, *_amounts(facts, one))
            remembered = _amounts(facts, one, facts.wrong.remembered)
            yield MatterItem(f"plea:{one.rule}", BODY, has, remembered)
        yield MatterItem(f"{GROUND}{one.rule}", BODY, one.terms, cites=(ground.citation,))


def _defendant(name: str, facts: Facts) -> Iterator[MatterItem]:
    party, other, wrong = facts.defendant, facts.namesake, facts.wrong
    yield MatterItem(name, HEAD, (party.name, party.code), (other.name, other.code), critical=True)
    right = (party.head, party.address)
    yield MatterItem(f"{name}_particulars", HEAD, right, (wrong.head, wrong.address))


def _court(facts: Facts) -> MatterItem:
    """Who says that the court has no jurisdiction names the one that has; nobody else says it."""
    others = _other_courts(facts)
    for one in facts.defences:
        if one.rule in _OF_COURTS:
            return MatterItem("court", BODY, (*one.terms, facts.court), others, critical=True)
    return MatterItem("court", END, (facts.court,), (*others, *_OBJECTIONS), critical=True)


_OF_COURTS: Final = ("agreed_court", "land_court")
_OBJECTIONS: Final = ("没有管辖权", "无管辖权", "管辖权异议")


def _limitation(facts: Facts) -> MatterItem:
    """Who sues too late is told since when; else nothing is said of it beside what is."""
    for one in facts.defences:
        if _lapses(facts, one):
            day = write_day(facts.lapse or facts.case.days.filed)
            lacks = (write_day(facts.misdirected),)
            return MatterItem("limitation", BODY, (*one.terms, day), lacks, critical=True)
    first = next(one for one in facts.defences if one.rule not in _OF_COURTS)
    return MatterItem("limitation", BODY, first.terms, (facts.papers.period,), critical=True)


def _lapses(facts: Facts, defence: Defence) -> bool:
    return facts.lapse is not None and facts.case.grounds[defence.rule].on == facts.lapse


def _other_courts(facts: Facts) -> tuple[str, ...]:
    parties = (facts.plaintiff, facts.defendant, facts.third)
    named = dict.fromkeys([facts.wrong.court, *(party.place.court for party in parties)])
    return tuple(name for name in named if name and name not in (facts.court, facts.sued))


# the amounts of a plea: {part} in "已支付{part}元"; not {due}
_AMOUNT: Final = re.compile(r"\{(part|owed|kept|net|cost)\}")


def _amounts(facts: Facts, defence: Defence, of: Amounts | None = None) -> tuple[str, ...]:
    """The amounts of a plea: the right ones, or those that somebody remembers."""
    words = facts.words(of)
    return tuple(_yuan(words[name]) for name in dict.fromkeys(_AMOUNT.findall(defence.plea)))


def _yuan(amount: str) -> str:
    return f"{amount}元"


def _yuans(*amounts: int) -> tuple[str, ...]:
    return tuple(_yuan(str(amount)) for amount in amounts)


def answer_of(facts: Facts) -> str:
    """A hand-in with every item right, in the form that is asked for."""
    case, form, third = facts.case, FORMS[facts.kind], facts.third.name
    grounds = [form.ground.format(citation=ground.citation) for ground in grounds_of(facts)]
    for place, one in enumerate(facts.defences):
        plea = case.say(one.plea, form.client, third)
        if _lapses(facts, one):
            plea += f"，该期间已于{write_day(facts.lapse or case.days.filed)}届满"
        if one.rule in _OF_COURTS:
            plea += f"，有管辖权的是{facts.court}"
        grounds[place] = f"{'一二三四五'[place]}、{plea}。{grounds[place]}"
    return form.right.format(
        plaintiff=facts.plaintiff,
        defendant=facts.defendant,
        paper=facts.paper,
        period=facts.papers.period,
        court=facts.court,
        sued=facts.sued,
        cause=case.cause.named_on(case.days.filed),
        contract=case.cause.contract,
        claim=case.say(case.cause.claim, "被告", third),
        story=case.say(case.cause.story, "被告", third),
        signed=write_day(case.days.signed),
        filed=write_day(case.days.filed),
        demanded=write_day(facts.demanded or facts.misdirected),
        grounds="\n".join(grounds),
    )
