"""A plan as a question in Chinese, as somebody would ask it, without telling the steps.

Every hop gives a noun phrase: the parent of a company, the case with the largest amount among some.
A question nests them in one sentence; or says whom it is about and asks of that one, named by the
part that it plays (该原告, 该子公司); or asks first and says afterwards whom it means. What a
rewriting must not lose is collected hop by hop.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final, Literal, NamedTuple

import msgspec

from hengfa.world.factory import words
from hengfa.world.factory.follow import CASE, OF_ALL_ROWS, WAN, YI, Outcome
from hengfa.world.factory.graph import entity_in
from hengfa.world.factory.task import Filter, Hop, Pick, Plan, Start, Wish
from hengfa.world.tables.schema import PUBLISHED, Entity, Schema, WorldTable

Style = Literal["nested", "about", "goal"]
STYLES: Final[tuple[Style, ...]] = ("nested", "about", "goal")
NESTED_LENGTH: Final = 50
PART_LENGTH: Final = 44
LONGEST_PART: Final = 3
SITUATED: Final = 0.6  # so many of the questions in a style of their own tell why somebody asks
_WHICH: Final = "是哪"  # nobody asks which one 一家法院 is, and says afterwards which
_PLACES: Final[frozenset[str]] = frozenset({Entity.ADDRESS, Entity.REGION})
"""Nobody makes these a subject of their own: 该公司住所所在区县的法院."""
# What templates put in: "{x}" in "{x}旗下子公司"; not "（x）"
_SLOT: Final = re.compile(r"\{[a-z]?\}")


class Question(NamedTuple):
    """The text, and the pieces that must stay in it to the letter."""

    text: str
    keep: tuple[str, ...]


def ask_question(outcome: Outcome, rng: random.Random) -> Question:
    """The template question of a plan that was followed."""
    plan = outcome.plan
    hints = dict.fromkeys(answer.hint for answer in outcome.answers if answer.hint)
    hint = f"（{'；'.join(hints)}）" if hints else ""
    schema = outcome.schema
    short = len(_Writer(plan, schema).nest()) <= NESTED_LENGTH
    text = _body(plan, hint, "nested" if short else "about", rng, schema)
    pieces = (piece for group in kept_groups(plan, schema) for piece in group)
    return Question(text, tuple(dict.fromkeys((*pieces, *([hint] if hint else ())))))


def restyle(plan: Plan, hint: str, rng: random.Random, schema: Schema = PUBLISHED) -> str:
    """The same question in another style, at times with the reason for which somebody asks."""
    reason = rng.choice(words.situations(schema.lookup_of[plan.hops[-1].tool]))
    style = rng.choice(STYLES)
    if style == "nested" and len(_Writer(plan, schema).nest()) > NESTED_LENGTH:
        style = rng.choice(STYLES[1:])
    body = _body(plan, hint, style, rng, schema)
    return reason + body if rng.random() < SITUATED else body


def kept_groups(plan: Plan, schema: Schema = PUBLISHED) -> list[tuple[str, ...]]:
    """The pieces that decide the answer, by hop: what is named, then each hop's own."""
    writer = _Writer(plan, schema)
    writer.nest()
    return [names_of_start(plan.start), *(tuple(group) for group in writer.groups if group)]


def answer_sentence(ask: Wish, table: WorldTable, keys: Sequence[str]) -> str:
    if ask.kind in words.WORDS.subjects:
        asked = words.WORDS.subjects[ask.kind]
    elif ask.kind == "sum":
        asked = f"{words.amounts(table)[ask.columns[0]]}合计"
    else:
        asked = "、".join(words.asked_columns(table)[column].noun for column in ask.columns)
    return f"{asked}：{'、'.join(keys)}。"


def answer_to(outcome: Outcome) -> str:
    plan = outcome.plan
    return answer_sentence(plan.ask, outcome.schema.lookup_of[plan.tools[-1]].table, outcome.keys)


def names_of_start(start: Start) -> tuple[str, ...]:
    """What the question names, to the letter; a municipality is named once."""
    if start.entity == Entity.REGION:
        return ("".join(dict.fromkeys(start.values)),)
    return start.values


def _body(plan: Plan, hint: str, style: Style, rng: random.Random, schema: Schema) -> str:
    writer, styles = _Writer(plan, schema), words.WORDS.styles
    parts = [] if style == "nested" else _some_parts(writer, rng)
    if not parts:
        return rng.choice(styles.closings).format(q=writer.nest() + hint)
    phrases, begin = [], 0
    for end in parts:
        phrases.append(writer.phrase(begin, end))
        begin = end
    about = style == "about" or writer.question(begin, "").startswith(_WHICH)
    forms = [rng.choice(styles.about), *rng.sample(styles.more, len(styles.more))]
    first = phrases if about else phrases[:-1]
    before = "".join(form.format(p=p) for form, p in zip(forms, first, strict=False))
    if about:
        asked = writer.question(begin, writer.again(begin)) + hint
        return before + rng.choice(styles.closings).format(q=asked)
    _, some, this = words.nouns(_entity_after(plan.hops[begin - 1], schema), schema)
    asked = writer.question(begin, some) + hint
    return before + rng.choice(styles.goals).format(q=asked, this=this, p=phrases[-1])


def _some_parts(writer: _Writer, rng: random.Random) -> list[int]:
    """Where the way to what is asked about is cut: few parts, none of them long if that can be, and
    what stands at the cuts is told apart by its name; nothing where there is no such way."""
    hops = list(writer.leading)
    while hops and _entity_after(hops[-1], writer.schema) in _PLACES:
        hops.pop()
    found: list[tuple[int, list[int]]] = []
    for number in range((len(hops) + 1) // 2, min(len(hops), len(words.WORDS.styles.more) + 1) + 1):
        for sizes in _compositions(len(hops), number):
            ends = list(accumulate(sizes))
            if length := _longest(writer, ends):
                found.append((length, ends))
        fit = [ends for length, ends in found if length <= PART_LENGTH]
        if fit:
            return rng.choice(fit)
    return min(found)[1] if found else []


def _longest(writer: _Writer, ends: Sequence[int]) -> int:
    """The length of the longest part of some, or 0 if they cannot be told so."""
    last = [writer.leading[end - 1] for end in ends]
    roles = {role_after(hop, writer.schema) for hop in last}
    places = [_entity_after(hop, writer.schema) in _PLACES for hop in last]
    phrases = [writer.phrase(*span) for span in zip([0, *ends], ends, strict=False)]
    nothing_new = {f"该{role}" for role in roles} & set(phrases)
    if len(roles) < len(ends) or nothing_new or any(places):
        return 0
    return max(map(len, phrases))


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as so many parts of one to LONGEST_PART."""
    if parts == 1:
        if 1 <= total <= LONGEST_PART:
            yield (total,)
        return
    for first in range(1, min(total, LONGEST_PART) + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def role_after(hop: Hop, schema: Schema = PUBLISHED) -> str:
    """What a hop leads to is called by the part that it plays: 原告, 子公司, 审理法院."""
    noun = _link_noun(hop, schema)
    if noun == words.REGION_OF or not noun:
        lookup, entity = schema.lookup_of[hop.tool], _entity_after(hop, schema)
        if lookup.returns == "list" and entity != Entity.REGION:
            return words.list_words(lookup).noun
        return words.nouns(entity, schema)[0]
    return noun.removeprefix("工商")


class _Writer:
    """Turns the hops of one plan into phrases; `groups` are the pieces of each hop."""

    def __init__(self, plan: Plan, schema: Schema) -> None:
        self.plan = plan
        self.schema = schema
        self.groups: list[list[str]] = []
        spread = 2 if any(hop.each for hop in plan.hops) else 1
        self.leading = plan.hops[:-spread]
        self._first_list = next((hop for hop in plan.hops if self._is_list(hop)), None)

    def nest(self) -> str:
        self.groups = []
        return self.question(0, None)

    def phrase(self, begin: int, end: int) -> str:
        """The hops from one place to another as one noun phrase."""
        x, raw = self._begin() if begin == 0 else (self.again(begin), False)
        for hop in self.leading[begin:end]:
            x, raw = self._led(hop, x, raw=raw), False
        return x

    def question(self, place: int, x: str | None) -> str:
        """What is asked of what the hops before a place led to, which is called so, or of what is
        named; the hops after it are told within the question."""
        raw = False
        if x is None:
            x, raw = self._begin()
        for hop in self.leading[place:]:
            x, raw = self._led(hop, x, raw=raw), False
        if len(self.plan.hops) - len(self.leading) > 1:
            return self._each(self.plan.hops[-2], x)
        return self._ask(self.plan.hops[-1], x, raw=raw)

    def again(self, place: int) -> str:
        """What the hops before a place led to, taken up again: 该原告; but never 该原告作为原告."""
        role = role_after(self.leading[place - 1], self.schema)
        roles = [wanted.column for wanted in self.plan.hops[place].filters if wanted.kind == "role"]
        return "上述公司" if role in roles else f"该{role}"

    def _begin(self) -> tuple[str, bool]:
        """What is named, and whether it is a bare case number."""
        start, first = self.plan.start, self.plan.hops[0].tool
        name = names_of_start(start)[0]
        if start.entity == Entity.CASE:
            by_code = first == "get_court_code"
            return (words.COURT_OF_CASE.format(name), False) if by_code else (name, True)
        if start.entity == Entity.SHORT:
            form = words.STOCK_CODE if name.isdecimal() else words.SHORT_NAME
            return form.format(name), False
        return words.start_words(start.entity, self.schema).format(name), False

    def _is_list(self, hop: Hop) -> bool:
        return self.schema.lookup_of[hop.tool].returns == "list"

    def _lists(self, hop: Hop) -> words.ListWords:
        return words.list_words(self.schema.lookup_of[hop.tool])

    def _table(self, hop: Hop) -> WorldTable:
        return self.schema.lookup_of[hop.tool].table

    def _keep(self, *pieces: str) -> None:
        self.groups[-1] += [piece for piece in pieces if piece]

    # --- rows ---

    def _all(self, hop: Hop, x: str) -> str:
        lists, table = self._lists(hop), self._table(hop)
        role, year, conditions = lists.role, "", []
        for condition in hop.filters:
            if condition.kind == "role":
                role = words.WORDS.roles[condition.column]
                self._keep(role)
            elif condition.kind == "year" and "{y}" in lists.all:
                year = f"在{condition.value}年"
                self._keep(f"{condition.value}年")
            else:
                conditions.append(_condition(condition, table))
        self._keep(*conditions, role if role == lists.role else "")
        template = lists.under if conditions else lists.all
        self._keep(*_pieces(template))
        which = "、".join(conditions)
        which += "" if not which or which == words.WHOLLY_OWNED else "的"
        return template.format(x=x, f=which, r=role, y=year)

    def _first(self, hop: Hop, pick: Pick, x: str) -> str:
        """The row that a pick means: 旗下投资额最高的子公司, or, among rows under conditions or of
        what was itself chosen from a list, 涉诉的案件中涉案金额最高的一件."""
        lists, order, table = self._lists(hop), words.WORDS.orders[pick.order], self._table(hop)
        amount = words.amounts(table).get(pick.column)
        first = f"{amount}{order}" if amount else f"{order}{words.dates(table)[pick.column]}"
        if lists.first and not hop.filters and hop is self._first_list:
            self._keep(first, *_pieces(lists.first))
            return lists.first.format(x=x, s=first)
        rows = self._all(hop, x)
        self._keep(first)
        return f"{rows}中{first}的{lists.one}"

    def _row(self, hop: Hop, x: str, *, raw: bool) -> str:
        self.groups.append([])
        if self._is_list(hop):
            if hop.pick is None or hop.pick.order == "frequent":
                return self._all(hop, x)
            return self._first(hop, hop.pick, x)
        forms = words.row_words(self.schema.lookup_of[hop.tool])
        if forms is not None:
            phrase = forms[0 if raw else 1]
            self._keep(*_pieces(phrase))
            return phrase.format(x=x)
        return x

    def _led(self, hop: Hop, x: str, *, raw: bool) -> str:
        row, noun = self._row(hop, x, raw=raw), _link_noun(hop, self.schema)
        self._keep(noun)
        if hop.pick is not None and hop.pick.order == "frequent":
            return self._frequent(row, noun)
        if not noun:
            return row
        if noun == words.REGION_OF:
            return f"{row}{noun}"
        return f"{row}{_joint(row)}{noun}"

    def _frequent(self, rows: str, noun: str) -> str:
        self._keep("出现次数最多", noun)
        return f"{rows}中出现次数最多的{noun}"

    # --- what is asked ---

    def _ask(self, hop: Hop, x: str, *, raw: bool) -> str:
        ask = self.plan.ask
        if ask.kind == "listed":
            self.groups.append(["是否为上市公司"])
            return f"{x}是否为上市公司"
        if ask.kind in _OF_PLACE and self.schema.lookup_of[hop.tool].match.rule == "all":
            how = _OF_PLACE[ask.kind].format(self._lists(hop).measure)
            row = self._row(hop, f"{x}{how}", raw=False)
            self._keep(how)
            return row.replace(f"{how}的", how, 1)
        row = self._row(hop, x, raw=raw)
        if ask.kind in OF_ALL_ROWS:
            return self._ask_of_all(ask, hop, row)
        nouns = [_words_for(hop, column, self.schema) for column in ask.columns]
        if hop.pick is not None and hop.pick.order == "frequent":
            return f"{self._frequent(row, nouns[0].noun)}{nouns[0].question}"
        return self._ask_of_one(ask, self._table(hop).name, row, nouns)

    def _ask_of_one(self, ask: Wish, table: str, row: str, nouns: list[words.ColumnWords]) -> str:
        first = nouns[0]
        if len(nouns) == 1 and first.whole:
            self._keep(*_pieces(first.whole)[-1:])
            return first.whole.format(x=row)
        self._keep(*(asked.noun for asked in nouns))
        if table == "AddrInfo":
            return f"{row}位于{'、'.join(f'哪个{asked.noun}' for asked in nouns)}"
        joint = _joint(row)
        if table == "CompanyRegister":
            joint = f"，其{words.REGISTERED}" if row.endswith("一家") else words.REGISTERED
        if ask.kind == "days":
            self._keep("多少天")
            return f"{row}{joint}{first.noun}与{nouns[1].noun}相隔多少天"
        if len(nouns) == 1:
            return f"{row}{joint}{first.noun}{first.question}"
        *some, last = (asked.noun for asked in nouns)
        kinds = {asked.question for asked in nouns}
        question = kinds.pop() if kinds <= {words.WHO} or kinds <= {words.MUCH} else "是什么"
        return f"{row}{joint}{'、'.join(some)}和{last}分别{question}"

    def _ask_of_all(self, ask: Wish, hop: Hop, rows: str) -> str:
        lists, table = self._lists(hop), self._table(hop)
        if ask.kind == "count":
            many = f"有多少{lists.measure}"
            self._keep(many)
            return f"{rows}{many}"
        if ask.kind == "sum":
            noun = words.amounts(table)[ask.columns[0]]
            self._keep(noun, "合计")
            return f"{rows}，{noun}合计是多少"
        if ask.kind == "share" and ask.of is not None:
            part = _condition(ask.of, table)
            self._keep(part, "占百分之多少")
            return f"{rows}中，{part}的占百分之多少"
        if ask.columns[0] == CASE or table.declared:
            noun = _words_for(hop, ask.columns[0], self.schema).noun
            self._keep(noun)
            return f"{rows}的{noun}分别是什么"
        self._keep("有哪些")
        return f"{rows}有哪些"

    def _each(self, hop: Hop, x: str) -> str:
        self.groups.append([])
        rows, last = self._all(hop, x), self.plan.hops[-1]
        if self.plan.ask.kind == "each_total":
            total = self._lists(last).total
            self._keep(*_pieces(total))
            return total.format(x=rows)
        measure = self._lists(hop).measure
        has = self._lists(last).has if self._is_list(last) else IS_LISTED_ITSELF
        self._keep(f"有多少{measure}", has)
        return f"{rows}中有多少{measure}{has}"


_OF_PLACE: Final = {"count": "有多少{}", "names": "有哪些"}
"""What is asked of a place comes before what it has: 该区县有哪些法院."""
IS_LISTED_ITSELF: Final = "本身是上市公司"


def _condition(condition: Filter, table: WorldTable) -> str:
    if condition.kind == "year":
        return f"{condition.value}年{words.dates(table)[condition.column]}"
    if condition.kind == "over":
        yuan = int(condition.value or 0)  # a round amount as people say it: 50万元, 1亿元
        units = ((YI, "亿元"), (WAN, "万元"), (1, "元"))
        unit, name = next(one for one in units if yuan >= one[0] and yuan % one[0] == 0)
        return f"{words.amounts(table)[condition.column]}超过{yuan // unit}{name}"
    return words.condition_words(table, condition.column).format(condition.value)


def _words_for(hop: Hop, column: str, schema: Schema) -> words.ColumnWords:
    """The words for a column; the parent's share and investment are its own where it was asked
    about."""
    lookup = schema.lookup_of[hop.tool]
    asked = words.asked_columns(lookup.table)[column]
    if lookup.returns == "list" and column in words.OF_THE_PARENT:
        return msgspec.structs.replace(asked, whole="")
    return asked


def _link_noun(hop: Hop, schema: Schema) -> str:
    """What a hop's cell is to its row; nothing where it is the row itself."""
    if hop.cut:
        return words.COURT_BY_NUMBER
    if len(hop.link) > 1:
        return words.REGION_OF
    return words.link_words(schema.lookup_of[hop.tool].table, hop.link[0])


def _entity_after(hop: Hop, schema: Schema) -> str:
    if hop.cut:
        return Entity.COURT_CODE
    if len(hop.link) > 1:
        return Entity.REGION
    entity = entity_in(schema.lookup_of[hop.tool].table, hop.link[0])
    if entity is None:
        raise ValueError(f"{hop.link[0]} leads nowhere")
    return entity


def _joint(row: str) -> str:
    """终本记录载明的执行法院, but 母公司的注册地址."""
    return words.ON_RECORD if row.endswith(words.RECORD) else "的"


def _pieces(template: str) -> list[str]:
    """What a template says itself, without what is put in."""
    return [text for part in _SLOT.split(template) if (text := part.strip("的、"))]
