"""Following a plan: call after call to the exact answer, or a refusal that says why not.

Success is judged by literal containment, so a value has one form in which it counts as key, with a
hint that the question gives in parentheses. A value that has no exact form within its hint is
refused, never rounded (legalagentbench.md 5 and 6.5).

There are two ways to look up rows. The factory looks in the world with every doubt checked: a task
must not rest on a cell that nobody observed, nor on the first of several rows. The oracle looks
through the published tools and sees only what an agent sees.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

import msgspec

from hengfa.evals.engine.messages import ToolUse
from hengfa.world.factory.task import (
    AskKind,
    Filter,
    Hop,
    Pick,
    Plan,
    Reason,
    Refused,
    Start,
    Wish,
)
from hengfa.world.factory.words import asked_columns, list_words
from hengfa.world.tables.cells import Exact, blank, day, exact_amount, write_date
from hengfa.world.tables.schema import PUBLISHED, Entity, Kind, Lookup, Schema
from hengfa.world.tables.world import Cell, FoundRow, World
from hengfa.world.tools.lookups import count_hidden
from hengfa.world.tools.observation import Observation
from hengfa.world.tools.parsing import read_case_number

WAN: Final = 10_000
YI: Final = 100_000_000
LONGEST: Final = 60
CENT: Final = Decimal("0.01")

YUAN_HINT: Final = "金额单位为元，保留两位小数"
WAN_HINT: Final = "金额单位为万元，保留两位小数"
YI_HINT: Final = "金额单位为亿元，保留两位小数"
DATE_HINT: Final = "日期写成XXXX年XX月XX日"
PERCENT_HINT: Final = "用百分数表示，保留两位小数"
UNIT_HINT: Final = "数字写成“{}”"
LISTED_HINT: Final = "请用“已”或“未”加“上市”作答"

# What ends a sentence or a line: a cell with it is prose, which nobody repeats to the letter.
_PROSE: Final = re.compile(r"[。；\n\\]")
# An ASCII comma joins names in a cell: "甲公司,乙公司"; a full-width one belongs to a text.
JOINT: Final = ","


class KeyText(NamedTuple):
    """A value as key, and the hint that tells its form."""

    text: str
    hint: str = ""


@lru_cache(maxsize=65_536, typed=True)
def amount_of(cell: Cell) -> Exact | None:
    return None if blank(cell) else exact_amount(cell)


def names_in(cell: Cell) -> tuple[str, ...]:
    if not isinstance(cell, str):
        return ()
    parts = (part.strip() for part in cell.split(JOINT))
    return tuple(dict.fromkeys(part for part in parts if not blank(part)))


def single_text(cell: Cell) -> str:
    """The one name or text in a cell, as the cell has it: look-ups compare to the letter."""
    if blank(cell) or not isinstance(cell, str):
        raise Refused(Reason.MISSING)
    if JOINT in cell:
        raise Refused(Reason.SEVERAL_VALUES)
    return cell


def yuan(value: Exact) -> KeyText:
    """1234元 as 1234.00元."""
    exact = Decimal(value)
    if exact <= 0:
        raise Refused(Reason.TRIVIAL)
    return KeyText(f"{_two_places(exact)}元", YUAN_HINT)


def money(value: Exact) -> KeyText:
    """In the largest of 亿元, 万元 and 元 in which two decimals say all."""
    exact = Decimal(value)
    if exact <= 0:
        raise Refused(Reason.TRIVIAL)
    for unit, name, hint in ((YI, "亿元", YI_HINT), (WAN, "万元", WAN_HINT)):
        if exact >= unit and exact / unit == (exact / unit).quantize(CENT):
            return KeyText(f"{_two_places(exact / unit)}{name}", hint)
    return yuan(value)


def percent(part: int, whole: int) -> KeyText:
    """25.00%; a share of nothing or all is no question."""
    if not 0 < part < whole:
        raise Refused(Reason.TRIVIAL)
    exact = Decimal(100 * part) / whole
    rounded = exact.quantize(CENT)
    if abs(exact - rounded) * 1000 > Decimal("4.9"):
        raise Refused(Reason.INEXACT)  # so near to a half that calculators differ
    return KeyText(f"{rounded}%", PERCENT_HINT)


def key_of_count(number: int, measure: str) -> KeyText:
    """3家; nothing to count is no question."""
    if number < 1:
        raise Refused(Reason.TRIVIAL)
    return KeyText(f"{number}{measure}")


def key_of_cell(cell: Cell, kind: Kind, unit: str = "", before: str = "") -> KeyText:
    """A cell as key. `unit` and `before` are what people say with a plain number."""
    if blank(cell):
        raise Refused(Reason.MISSING)
    if kind == "date":
        on = day_of(cell)
        if on is None:
            raise Refused(Reason.INEXACT)
        return KeyText(write_date(on), DATE_HINT)
    if kind == "text":
        text, hint = str(cell).strip(), ""
        if len(text) > LONGEST or _PROSE.search(text):
            raise Refused(Reason.INEXACT)
    else:
        value = exact_amount(cell)
        if value is None:
            raise Refused(Reason.MISSING)
        if kind in ("yuan", "money"):
            return yuan(value) if kind == "yuan" else money(value)
        if value <= 0:
            raise Refused(Reason.TRIVIAL)
        text = f"{before}{plain(value)}{unit}"
        hint = UNIT_HINT.format(f"{before}X{unit}") if unit else ""
    if len(text) < 2:
        raise Refused(Reason.TRIVIAL)
    return KeyText(text, hint)


def in_passing(cell: Cell, kind: Kind) -> str | None:
    """A value on the way as the tables write it: 740564元, 24.05亿元; None for a blank."""
    if blank(cell):
        return None
    if kind == "money":
        text = str(cell).strip()
        return text if text.endswith("元") else f"{text}元"
    value = exact_amount(cell) if kind in ("yuan", "number", "numeral") else None
    if value is None:
        return str(cell).strip()
    return f"{plain(value)}元" if kind == "yuan" else plain(value)


def joined_region(values: tuple[str, ...]) -> str:
    """Province, city and county in one word, municipalities twice, as the official data has it."""
    return "".join(values)


def plain(value: Exact) -> str:
    """A number without needless zeros: 65.0 is 65, and 33.50 is 33.5."""
    text = f"{Decimal(value):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _two_places(exact: Decimal) -> str:
    rounded = exact.quantize(CENT)
    if rounded != exact:
        raise Refused(Reason.INEXACT)
    return f"{rounded:f}"


# --- following a plan ---


Row = dict[str, Cell]
Bind = Callable[[Filter, list[Row]], int | str]  # gives an open filter a value that the rows have
OF_ALL_ROWS: Final[frozenset[AskKind]] = frozenset({"count", "sum", "share", "names"})
MOST_NAMES: Final = 6
MOST_EACH: Final = 30
CASE: Final = "案号"
COURT_CODE_TOOL: Final = "get_court_code"
IS_LISTED, IS_NOT_LISTED = "已上市", "未上市"
"""None of them in the other, as 是上市公司 is in 不是上市公司: keys are found by containment."""
NAME_OF_COMPANY: Final = "公司名称"
COMPANY_MARK: Final = "公司"
# Dates as the texts write them: "2020年01月31日"; "2020年1月" is none.
_DATES: Final = re.compile(r"[0-9]{4}年[0-9]{1,2}月[0-9]{1,2}日")
_DIGIT: Final = re.compile("[0-9]")


class Outcome(msgspec.Struct, frozen=True):
    """Where a plan leads: what is asked with its hints, what was seen on the way, and the plan with
    all filters bound; `schema` has the look-ups that it names."""

    answers: tuple[KeyText, ...]
    middle: tuple[str, ...]
    plan: Plan
    schema: Schema = PUBLISHED

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(answer.text for answer in self.answers)


def follow(plan: Plan, look: Look, bind: Bind | None = None) -> Outcome:
    """Run a plan. Raises :class:`Refused` where it does not lead to exactly one answer."""
    return _Walk(look, bind).run(plan)


def step(hop: Hop, values: tuple[str, ...], look: Look, bind: Bind) -> tuple[Hop, tuple[str, ...]]:
    """One hop of a path that is still being drawn: the hop with its filters bound, and where it
    leads."""
    walk = _Walk(look, bind)
    bound, rows = walk.rows(hop, values, walk.columns(hop, None))
    return bound, walk.lead_on(bound, rows)


def first_values(start: Start, tool: str) -> tuple[str, ...]:
    """What the first tool is asked with; a court that is named by a case number by its code."""
    if start.entity == Entity.CASE and tool == COURT_CODE_TOOL:
        return (cut_court_code(start.values[0]),)
    return start.values


def cut_court_code(case: str) -> str:
    """The code of the court in a case number (legalagentbench.md 2.1)."""
    parts = read_case_number(case)
    if parts is None:
        raise Refused(Reason.MISSING)
    return parts.court


class _Walk:
    """One run: what is at hand, and what was seen."""

    def __init__(self, look: Look, bind: Bind | None) -> None:
        self._look = look
        self._lookup_of = look.schema.lookup_of
        self._bind = bind
        self._middle: list[str] = []
        self._asked: set[tuple[str, tuple[str, ...]]] = set()
        self._been: set[tuple[str, ...]] = set()

    def run(self, plan: Plan) -> Outcome:
        values, hops = first_values(plan.start, plan.hops[0].tool), []
        if values != plan.start.values:
            self._middle += values
        for hop in plan.hops[:-1]:
            if values in self._been:
                raise Refused(Reason.LOOP)
            self._been.add(values)
            bound, rows = self.rows(hop, values, self.columns(hop, None))
            hops.append(bound)
            if hop.each:
                last, answers = self._each(plan, bound, rows)
                return self._end(plan, [*hops, last], answers)
            values = self.lead_on(bound, rows)
        last = plan.hops[-1]
        if values in self._been:
            raise Refused(Reason.LOOP)
        if plan.ask.kind == "listed":
            if COMPANY_MARK not in values[0]:
                raise Refused(Reason.TRIVIAL)  # a person is never listed
            listed = self._call(last.tool, values, (NAME_OF_COMPANY,))
            text = IS_LISTED if listed else IS_NOT_LISTED
            return self._end(plan, [*hops, last], [KeyText(text, LISTED_HINT)])
        bound, rows = self.rows(last, values, self.columns(last, plan.ask))
        ask = plan.ask
        if ask.of is not None:
            ask = msgspec.structs.replace(ask, of=self._bound(ask.of, rows))
        answers = self._answers(ask, bound, rows, values[0])
        return self._end(msgspec.structs.replace(plan, ask=ask), [*hops, bound], answers)

    def _end(self, plan: Plan, hops: Sequence[Hop], answers: Sequence[KeyText]) -> Outcome:
        texts = [answer.text for answer in answers]
        if len(set(texts)) < len(texts):
            raise Refused(Reason.TRIVIAL)
        named = [text for text in texts if not _DIGIT.search(text)]
        if any(text in step for text in named for step in self._middle):
            raise Refused(Reason.LOOP)  # the answer was seen on the way
        middle = tuple(text for text in dict.fromkeys(self._middle) if text not in texts)
        bound = msgspec.structs.replace(plan, hops=tuple(hops))
        return Outcome(tuple(answers), middle, bound, self._look.schema)

    # --- one call ---

    def _call(self, tool: str, values: tuple[str, ...], columns: Sequence[str]) -> list[Row]:
        if (tool, values) in self._asked:
            raise Refused(Reason.LOOP)
        self._asked.add((tool, values))
        return self._look(self._lookup_of[tool], values, columns)

    def rows(
        self, hop: Hop, values: tuple[str, ...], columns: Sequence[str]
    ) -> tuple[Hop, list[Row]]:
        """The rows that count, and the hop with its filters bound."""
        rows = self._call(hop.tool, values, columns)
        filters = []
        for wanted in hop.filters:
            bound = self._bound(wanted, rows)
            rows = [row for row in rows if passes(row, bound, values[0])]
            filters.append(bound)
        if not rows:
            raise Refused(Reason.EMPTY)
        return msgspec.structs.replace(hop, filters=tuple(filters)), rows

    def _bound(self, wanted: Filter, rows: list[Row]) -> Filter:
        if wanted.value is not None or wanted.kind == "role":
            return wanted
        if self._bind is None:
            raise ValueError(f"the filter on {wanted.column} has no value")
        return msgspec.structs.replace(wanted, value=self._bind(wanted, rows))

    def columns(self, hop: Hop, ask: Wish | None) -> tuple[str, ...]:
        table = self._lookup_of[hop.tool].table
        wanted = [condition.column for condition in hop.filters]
        if hop.pick is not None:
            wanted.append(hop.pick.column)
            wanted += [CASE] if CASE in table.place else []
        wanted += hop.link
        if ask is not None:
            wanted += ask.columns
            wanted += [ask.of.column] if ask.of else []
        return tuple(dict.fromkeys(wanted)) or table.key[:1]

    # --- from one call to the next ---

    def lead_on(self, hop: Hop, rows: list[Row]) -> tuple[str, ...]:
        if hop.pick is not None and hop.pick.order == "frequent":
            value, times = most_frequent(rows, hop.pick.column)
            self._middle += [value, f"{times}次"]
            return (value,)
        row = self._choose_row(hop, rows)
        values = tuple(single_text(row[column]) for column in hop.link)
        if hop.cut:
            values = (cut_court_code(values[0]),)
        self._middle.append(joined_region(values))
        return values

    def _choose_row(self, hop: Hop, rows: list[Row], asked: Sequence[str] = ()) -> Row:
        """The row that is meant; what tells it apart is a step on the way."""
        lookup = self._lookup_of[hop.tool]
        if hop.pick is None:
            if len(rows) > 1:
                raise Refused(Reason.SEVERAL_ROWS)
            return rows[0]
        if len(rows) == 1:
            raise Refused(Reason.TRIVIAL)
        row = picked(rows, hop.pick)
        for column in (CASE, hop.pick.column):
            if column in row and column not in asked:
                seen = in_passing(row[column], lookup.table.kinds[column])
                self._middle += [seen] if seen else []
        return row

    def _each(self, plan: Plan, hop: Hop, rows: list[Row]) -> tuple[Hop, list[KeyText]]:
        """Every row of a list leads on: how many find something, or how much they find in all."""
        last = plan.hops[-1]
        names = dict.fromkeys(single_text(row[hop.link[0]]) for row in rows)
        if len(names) < 2:
            raise Refused(Reason.TRIVIAL)
        if len(names) > MOST_EACH:
            raise Refused(Reason.TOO_MANY)
        lookup = self._lookup_of[last.tool]
        columns = self.columns(last, None) or lookup.table.names[:1]
        counts = {name: len(self._look(lookup, (name,), columns)) for name in names}
        hits = [name for name, count in counts.items() if count]
        if len(hits) <= MOST_NAMES:
            self._middle += hits
        if plan.ask.kind == "each_total":
            return last, [key_of_count(sum(counts.values()), list_words(lookup).measure)]
        return last, [key_of_count(len(hits), list_words(self._lookup_of[hop.tool]).measure)]

    # --- the answer ---

    def _answers(self, ask: Wish, hop: Hop, rows: list[Row], asked: str) -> list[KeyText]:
        if ask.kind in OF_ALL_ROWS:
            return _of_all(ask, self._lookup_of[hop.tool], rows, asked)
        if hop.pick is not None and hop.pick.order == "frequent":
            value, times = most_frequent(rows, hop.pick.column)
            self._middle.append(f"{times}次")
            return [key_of_cell(value, "text")]
        row = self._choose_row(hop, rows, ask.columns)
        if ask.kind == "days":
            days = [on for column in ask.columns if (on := day_of(row[column])) is not None]
            self._middle += map(write_date, days)
            if len(days) < len(ask.columns):
                raise Refused(Reason.MISSING)
            return [key_of_count(abs((days[1] - days[0]).days), "天")]
        if ask.kind == "mentions":
            dates = set(_DATES.findall(str(row[ask.columns[0]] or "")))
            if len(dates) != 1:
                raise Refused(Reason.SEVERAL_VALUES if dates else Reason.MISSING)
            return [key_of_cell(dates.pop(), "date")]
        lookup = self._lookup_of[hop.tool]
        return [answer for column in ask.columns for answer in _cell(lookup, column, row)]


def _of_all(ask: Wish, lookup: Lookup, rows: list[Row], asked: str) -> list[KeyText]:
    if ask.kind == "sum":
        values = [amount_of(row[ask.columns[0]]) for row in rows]
        if None in values:
            raise Refused(Reason.MISSING)
        total = sum((Decimal(value) for value in values if value is not None), Decimal(0))
        return [yuan(total) if lookup.table.kinds[ask.columns[0]] == "yuan" else money(total)]
    if ask.kind == "names":
        names = [single_text(row[ask.columns[0]]) for row in rows]
        if len(names) > MOST_NAMES:
            raise Refused(Reason.TOO_MANY)
        return [key_of_cell(name, "text") for name in dict.fromkeys(names)]
    if ask.of is not None:
        return [percent(sum(passes(row, ask.of, asked) for row in rows), len(rows))]
    return [key_of_count(len(rows), list_words(lookup).measure)]


def _cell(lookup: Lookup, column: str, row: Row) -> list[KeyText]:
    words = asked_columns(lookup.table)[column]
    kind = lookup.table.kinds[column]
    if kind == "text" and words.several:
        names = names_in(row[column])
        if len(names) > MOST_NAMES:
            raise Refused(Reason.TOO_MANY)
        if not names:
            raise Refused(Reason.MISSING)
        return [key_of_cell(name, "text") for name in names]
    return [key_of_cell(row[column], kind, words.unit, words.before)]


# --- looking up ---


class Look(Protocol):
    """The rows of one look-up, with the columns that are needed; none where nothing is found."""

    @property
    def schema(self) -> Schema: ...

    def __call__(
        self, lookup: Lookup, values: tuple[str, ...], columns: Sequence[str]
    ) -> list[Row]: ...


class LookInWorld:
    """Rows from the tables, refused where they are in doubt. What was found is remembered until
    :meth:`forget`, since one start is tried in several ways."""

    def __init__(self, world: World) -> None:
        self.schema = world.schema
        self._world = world
        self._remembered: dict[tuple[str, tuple[str, ...]], list[FoundRow]] = {}

    def forget(self) -> None:
        self._remembered.clear()

    def __call__(
        self, lookup: Lookup, values: tuple[str, ...], columns: Sequence[str]
    ) -> list[Row]:
        table = lookup.table
        rows = self._remembered.get((lookup.name, values))
        if rows is None:
            rows = self._world.find(table, lookup.match, values)
            self._remembered[lookup.name, values] = rows
        if lookup.returns != "list" and len(rows) > 1:
            raise Refused(Reason.SEVERAL_ROWS)
        wanted = tuple(columns)
        if any(count_hidden(table, row.unseen, wanted) for row in rows if row.unseen):
            raise Refused(Reason.UNOBSERVED)
        places = [(name, table.place[name]) for name in wanted]
        return [{name: row.cells[place] for name, place in places} for row in rows]


class LookThroughTools:
    """Rows from tool calls; every call is kept."""

    def __init__(
        self, call: Callable[[object, object], Observation], schema: Schema = PUBLISHED
    ) -> None:
        self.schema = schema
        self._call = call
        self.calls: list[ToolUse] = []

    def __call__(
        self, lookup: Lookup, values: tuple[str, ...], columns: Sequence[str]
    ) -> list[Row]:
        arguments: dict[str, object] = dict(zip(lookup.arguments, values, strict=True))
        if lookup.returns != "name":
            arguments["columns"] = list(columns)
        seen = self._call(lookup.name, arguments)
        self.calls.append(ToolUse(lookup.name, arguments, seen.text, seen.status))
        return [dict(row) for row in seen.rows]


# --- choosing among rows: those that count, the first of them, and what occurs most ---


def passes(row: Row, wanted: Filter, asked: str) -> bool:
    """Whether a row counts; `asked` is what the tool was asked with."""
    cell = row[wanted.column]
    if wanted.kind == "role":
        return asked in names_in(cell)
    if wanted.kind == "year":
        on = day_of(cell)
        return on is not None and on.year == wanted.value
    if wanted.kind == "over":
        value = amount_of(cell)
        return value is not None and value > int(wanted.value or 0)
    if isinstance(wanted.value, int):
        return amount_of(cell) == wanted.value
    return cell == wanted.value


def day_of(cell: Cell) -> date | None:
    return day(cell) if isinstance(cell, str) and not blank(cell) else None


def picked(rows: Sequence[Row], pick: Pick) -> Row:
    """The row that a pick means, if it means one only."""
    dated, upwards = pick.order in ("latest", "earliest"), pick.order in ("smallest", "earliest")
    value_of: Callable[[Cell], Exact | date | None] = day_of if dated else amount_of
    values = [(value, row) for row in rows if (value := value_of(row[pick.column])) is not None]
    if not values or (upwards and len(values) < len(rows)):
        raise Refused(Reason.MISSING)  # nobody knows whether the blank one comes first
    values.sort(key=lambda pair: pair[0], reverse=not upwards)
    place = 1 if pick.order == "second" else 0
    if any(one[0] == next_[0] for one, next_ in pairwise(values[: place + 2])):
        raise Refused(Reason.TIE)
    if place == len(values):
        raise Refused(Reason.EMPTY)
    value, row = values[place]
    if not isinstance(value, date) and value <= 0:
        raise Refused(Reason.TRIVIAL)
    return row


def most_frequent(rows: Sequence[Row], column: str) -> tuple[str, int]:
    """The value that occurs most, and how often; it must occur twice."""
    counts = Counter(
        cell for row in rows if isinstance(cell := row[column], str) and not blank(cell)
    )
    ranked = counts.most_common(2)
    if not ranked:
        raise Refused(Reason.MISSING)
    value, times = ranked[0]
    if times < 2 or (len(ranked) > 1 and ranked[1][1] == times):
        raise Refused(Reason.TIE)
    return single_text(value), times
