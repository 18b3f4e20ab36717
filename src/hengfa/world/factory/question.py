"""A plan as a question in Chinese: one sentence for short paths, steps for long ones.

Every hop gives a noun phrase: the parent of a company, the case with the largest amount among some.
Short paths nest them; long ones name them one after the other and go on with 该公司, 该法院. What a
rewriting must not lose is collected on the way.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final, NamedTuple

from hengfa.world.factory import words
from hengfa.world.factory.canonical import WAN, YI, Shown
from hengfa.world.factory.follow import OF_ALL_ROWS, Outcome
from hengfa.world.factory.graph import Entity, held
from hengfa.world.factory.task import Ask, Filter, Hop, Plan, Start
from hengfa.world.schema import LOOKUP_OF

NESTED_HOPS: Final = 2
NESTED_LENGTH: Final = 70

_CLOSINGS: Final = (
    "请问{q}？",
    "请帮我查一下，{q}？",
    "麻烦核实一下：{q}？",
    "我需要弄清楚{q}，请帮忙查询。",
    "能否告诉我，{q}？",
)
_OPENINGS: Final = (
    "请按顺序核查：",
    "这件事要一步一步查：",
    "请依次查询：",
    "我想沿着一条线索查下去：",
)
_STEPS: Final = (
    ("先找到", "再找到", "然后找到", "接着找到", "随后找到", "之后找到", "继而找到"),
    ("先确定", "再确定", "接下来确定", "然后确定", "随后确定", "之后确定", "继而确定"),
)


class Question(NamedTuple):
    """The text, and the pieces that must stay in it to the letter."""

    text: str
    keep: tuple[str, ...]


def ask_question(outcome: Outcome, rng: random.Random) -> Question:
    """The template question of a plan that was followed."""
    plan = outcome.plan
    writer = _Writer(plan)
    hint = _hint(outcome.answers)
    nested = writer.nested()
    short = len(nested) + len(hint) <= NESTED_LENGTH or len(plan.hops) <= NESTED_HOPS
    if short:
        text = rng.choice(_CLOSINGS).format(q=nested + hint)
    else:
        steps, last = writer.stepwise()
        verbs = rng.choice(_STEPS)
        listed = "；".join(f"{verbs[n % len(verbs)]}{step}" for n, step in enumerate(steps))
        text = f"{rng.choice(_OPENINGS)}{listed}。{rng.choice(_CLOSINGS).format(q=last + hint)}"
    keep = (*writer.keep(), *([hint] if hint else ()))
    return Question(text, tuple(dict.fromkeys(keep)))


def answer_sentence(ask: Ask, table: str, keys: Sequence[str]) -> str:
    """The answer in a sentence: what was asked, and all keys."""
    return f"{_subject(ask, table)}：{'、'.join(keys)}。"


def named(start: Start) -> tuple[str, ...]:
    """What the question names, to the letter; a municipality is named once."""
    if start.entity is Entity.REGION:
        return ("".join(dict.fromkeys(start.values)),)
    return start.values


class _Writer:
    """Turns the hops of one plan into phrases."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._kept: list[str] = []

    def keep(self) -> list[str]:
        return [*named(self.plan.start), *self._kept]

    def nested(self) -> str:
        """Everything in one phrase."""
        self._kept = []
        x, raw = self._start()
        for hop in self.plan.hops[:-1]:
            if hop.each:
                return self._each(hop, x)
            x, raw = self._led(hop, x, raw=raw), False
        return self._asked(self.plan.hops[-1], x, raw=raw)

    def stepwise(self) -> tuple[list[str], str]:
        """The phrases one after the other, and what is asked at last."""
        self._kept = []
        x, raw = self._start()
        steps: list[str] = []
        for hop in self.plan.hops[:-1]:
            if hop.each:
                return steps, self._each(hop, x)
            phrase = self._led(hop, x, raw=raw)
            if phrase != x or not steps:
                steps.append(phrase)
            x, raw = words.THIS[_entity_after(hop)], False
        return steps, self._asked(self.plan.hops[-1], x, raw=raw)

    def _start(self) -> tuple[str, bool]:
        """What is named, and whether it is a bare case number."""
        start, first = self.plan.start, self.plan.hops[0].tool
        name = named(start)[0]
        if start.entity is Entity.CASE:
            by_code = first == "get_court_code"
            return (words.COURT_OF_CASE.format(name), False) if by_code else (name, True)
        if start.entity is Entity.SHORT:
            form = words.STOCK_CODE if name.isdecimal() else words.SHORT_NAME
            return form.format(name), False
        return words.STARTS.get(start.entity, "{}").format(name), False

    # --- rows ---

    def _all(self, hop: Hop, x: str) -> str:
        """All rows of a list that count."""
        lists = words.LISTS[hop.tool]
        role = lists.role
        conditions = []
        for condition in hop.filters:
            if condition.kind == "role":
                role = words.ROLES[condition.column]
                self._kept.append(role)
            else:
                conditions.append(self._condition(condition))
        self._kept.append(lists.all.rpartition("}")[2])
        return lists.all.format(x=x, f="".join(conditions), r=role)

    def _row(self, hop: Hop, x: str, *, raw: bool) -> str:
        if hop.tool in words.LISTS:
            rows = self._all(hop, x)
            if hop.pick is None or hop.pick.order == "frequent":
                return rows
            ranked = words.AMOUNTS.get(hop.pick.column) or words.DATES[hop.pick.column]
            self._kept.append(f"{ranked}{words.ORDERS[hop.pick.order]}")
            return f"{rows}中{self._kept[-1]}的{words.LISTS[hop.tool].one}"
        if hop.tool in words.ONE_ROW:
            phrase = words.ONE_ROW[hop.tool][0 if raw else 1]
            self._kept.append(phrase.removeprefix("{x}").removeprefix("对应").removeprefix("的"))
            return phrase.format(x=x)
        return x

    def _led(self, hop: Hop, x: str, *, raw: bool) -> str:
        """What a hop leads to."""
        row, table = self._row(hop, x, raw=raw), LOOKUP_OF[hop.tool].table_name
        if hop.cut:
            phrase = words.COURT_OF.get(table, words.COURT_BY_NUMBER)
        elif len(hop.link) > 1:
            phrase = words.REGION_OF
        else:
            phrase = words.LINKS.get((table, hop.link[0]), "{x}")
        said = phrase.removeprefix("{x}").removeprefix("的")
        if said:
            self._kept.append(said)
        if hop.pick is not None and hop.pick.order == "frequent":
            return self._frequent(row, said)
        return phrase.format(x=row)

    def _frequent(self, rows: str, noun: str) -> str:
        self._kept += ["出现次数最多", noun]
        return f"{rows}中出现次数最多的{noun}"

    def _condition(self, condition: Filter) -> str:
        if condition.kind == "year":
            text = f"{words.DATES[condition.column]}在{condition.value}年的"
        elif condition.kind == "over":
            text = f"{words.AMOUNTS[condition.column]}超过{_amount(int(condition.value or 0))}的"
        else:
            text = words.SHARES[condition.column].format(condition.value)
        self._kept.append(text.removesuffix("的"))
        return text

    # --- what is asked ---

    def _asked(self, hop: Hop, x: str, *, raw: bool) -> str:
        ask = self.plan.ask
        if ask.kind == "listed":
            self._kept.append("是否为上市公司")
            return f"{x}是否为上市公司"
        row = self._row(hop, x, raw=raw)
        if ask.kind in OF_ALL_ROWS:
            return self._asked_of_all(ask, hop, row)
        table = LOOKUP_OF[hop.tool].table_name
        nouns = [words.asked_words(table, column) for column in ask.columns]
        if hop.pick is not None and hop.pick.order == "frequent":
            return f"{self._frequent(row, nouns[0].noun)}{nouns[0].question}"
        return self._asked_of_one(ask, table, row, nouns)

    def _asked_of_one(self, ask: Ask, table: str, row: str, nouns: list[words.Asked]) -> str:
        self._kept += [asked.noun for asked in nouns]
        if ask.kind == "days":
            self._kept.append("多少天")
            return f"{row}的{nouns[0].noun}与{nouns[1].noun}相隔多少天"
        if ask.kind == "mentions":
            return f"{row}中{nouns[0].noun}{nouns[0].question}"
        joint = "所在的" if table == "AddrInfo" else "的"
        if len(nouns) == 1:
            return f"{row}{joint}{nouns[0].noun}{nouns[0].question}"
        *first, last = (asked.noun for asked in nouns)
        return f"{row}{joint}{'、'.join(first)}和{last}分别是什么"

    def _asked_of_all(self, ask: Ask, hop: Hop, rows: str) -> str:
        lists, table = words.LISTS[hop.tool], LOOKUP_OF[hop.tool].table_name
        if ask.kind == "count":
            self._kept.append(f"多少{lists.measure}")
            return f"{rows}有多少{lists.measure}"
        if ask.kind == "sum":
            noun = words.AMOUNTS[ask.columns[0]]
            self._kept += [noun, "合计"]
            return f"{rows}的{noun}合计是多少"
        if ask.kind == "share" and ask.of is not None:
            self._kept.append("占百分之多少")
            return f"{rows}中，{self._condition(ask.of)}占百分之多少"
        noun = words.asked_words(table, ask.columns[0]).noun
        self._kept += [noun, "有哪些"]
        return f"{rows}的{noun}有哪些"

    def _each(self, hop: Hop, x: str) -> str:
        rows, last = self._all(hop, x), self.plan.hops[-1]
        if self.plan.ask.kind == "each_total":
            lists = words.LISTS[last.tool]
            self._kept.append(f"合计有多少{lists.measure}")
            return f"{self._all(last, rows)}合计有多少{lists.measure}"
        measure = words.LISTS[hop.tool].measure
        has = words.LISTS[last.tool].has if last.tool in words.LISTS else IS_OF_THE_LISTED
        self._kept += [f"有多少{measure}", has]
        return f"{rows}中有多少{measure}{has}"


IS_OF_THE_LISTED: Final = "属于上市公司"


def _entity_after(hop: Hop) -> Entity:
    if hop.cut:
        return Entity.COURT_CODE
    if len(hop.link) > 1:
        return Entity.REGION
    entity = held(LOOKUP_OF[hop.tool].table, hop.link[0])
    if entity is None:
        raise ValueError(f"{hop.link[0]} leads nowhere")
    return entity


def _amount(yuan: int) -> str:
    """A round amount as people say it: 50万元, 1亿元."""
    for unit, name in ((YI, "亿元"), (WAN, "万元")):
        if yuan >= unit and yuan % unit == 0:
            return f"{yuan // unit}{name}"
    return f"{yuan}元"


def _hint(answers: Sequence[Shown]) -> str:
    hints = list(dict.fromkeys(answer.hint for answer in answers if answer.hint))
    return f"（{'；'.join(hints)}）" if hints else ""


def _subject(ask: Ask, table: str) -> str:
    fixed = {
        "count": "数量",
        "share": "占比",
        "listed": "是否上市",
        "days": "相隔天数",
        "each_has": "数量",
        "each_total": "合计数量",
    }
    if ask.kind in fixed:
        return fixed[ask.kind]
    if ask.kind == "sum":
        return f"{words.AMOUNTS[ask.columns[0]]}合计"
    return "、".join(words.asked_words(table, column).noun for column in ask.columns)
