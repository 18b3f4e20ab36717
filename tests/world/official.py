"""Whether the gold path of an official task leads to its keys in a world.

Official tasks have no plan: how a row is chosen from a list is only in the words of the question.
So this is a check, not a solver, and what it does is fixed here.

1. It knows the identifiers of the world that stand in the question. A region counts as named if its
   county and its city or province are, with or without 省, 市, 区, 县. Where the first tool takes
   none of them, tools that do are called before (`bridged`): some paths leave out the call that
   turns a short name, a case number or a court into what their first tool takes.
2. It calls the tools of the path in order, each with all identifiers it knows of the kinds that the
   tool takes; court codes are cut out of case numbers. From the rows it learns the identifiers that
   the question or the keys name, and where they name none of a kind, all of that kind. That stands
   for the selectors, which only people can read. If a key is missing then, all is done once more
   with the identifiers that stand in the keys as well (`from_keys`): questions have names that are
   misspelt or shortened.
3. A key is there if a cell holds it (`found`), if a cell or a number in a text has the same value
   in another form (`converted`), or if it follows from rows (`computed`): their number or the sum
   of a column, for one call or for all calls of a tool, of all rows or of those that one filter
   leaves (a year or an amount that the question names, a role, full ownership, a word of the
   question in a cell); the days between two dates of a row; how many calls of a tool find anything;
   whether a company is listed; that nothing is found.

A count can be met by chance, so a pass says that the rows allow the answer, not that they force it.

Keys of writing tasks are looked for in the registers and law firms that the complaint names, and in
the complaint itself; provisions among the world's articles.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations
from typing import Final, Literal, NamedTuple

import msgspec

from hengfa.world.factory.follow import LookThroughTools, Row, amount_of, day_of, names_in
from hengfa.world.factory.graph import entity_in, inputs_of, links_of, region_columns
from hengfa.world.factory.words import WORDS
from hengfa.world.factory.writing import FIRM, REGISTER
from hengfa.world.tables.cells import blank, exact_amount, is_number
from hengfa.world.tables.schema import (
    ARTICLES,
    LOOKUP_OF,
    TABLE_OF,
    TABLES,
    Entity,
    Kind,
    Lookup,
    WorldTable,
)
from hengfa.world.tables.world import World
from hengfa.world.tools.parsing import read_case_number
from hengfa.world.tools.texts import Provisions
from hengfa.world.tools.toolbox import Toolbox

How = Literal["found", "converted", "computed", "missing"]
_MOST_CALLS: Final = 120
_ENDINGS: Final = "省市区县"

_BRIDGES: Final = (
    "get_company_info",
    "get_legal_document",
    "get_court_code",
    "get_court_info",
    "get_lawfirm_info",
)

_PATH_OF_WRITING: Final = (REGISTER, FIRM)
_WIDE: Final = str.maketrans("()", "（）")
Known = dict[str, dict[tuple[str, ...], None]]


class Checked(msgspec.Struct, frozen=True):
    """How each key was come by; `calls` is how many tool calls that took."""

    keys: dict[str, How]
    calls: int
    bridged: bool = False
    from_keys: bool = False

    @property
    def solved(self) -> bool:
        """Whether every key is there."""
        return "missing" not in self.keys.values()


class _Called(NamedTuple):
    """One call and its rows."""

    lookup: Lookup
    values: tuple[str, ...]
    rows: tuple[Row, ...]


class OfficialOracle:
    """Checks official tasks against one world."""

    def __init__(self, world: World) -> None:
        self._toolbox = Toolbox(world, "strict")
        self._values: dict[str, dict[tuple[str, ...], None]] = defaultdict(dict)
        for table in TABLES:
            region = region_columns(table)
            for row in world.all_rows(table.name):
                for column in table.names:
                    entity = entity_in(table, column)
                    if entity is not None and isinstance(cell := row[column], str):
                        self._values[entity][(cell,)] = None
                triple = tuple(row[column] for column in region)
                if triple and all(isinstance(part, str) and not blank(part) for part in triple):
                    self._values[Entity.REGION][tuple(map(str, triple))] = None
        for table_name, columns, values in world.recorded_answers:
            self._learn_recorded(TABLE_OF[table_name], columns, values)
        self._law = Provisions(world.texts(ARTICLES))

    def _learn_recorded(
        self, table: WorldTable, columns: tuple[str, ...], values: tuple[str, ...]
    ) -> None:
        """What recorded calls asked with: some of it stands in no row that is whole."""
        if len(values) > 1:
            self._values[Entity.REGION][values] = None
            return
        for column in columns:
            if (entity := entity_in(table, column)) is not None:
                self._values[entity][values] = None

    def check(
        self, question: str, keys: Sequence[str], middle: Sequence[str], path: Sequence[str]
    ) -> Checked:
        """Follow the path and look for every key."""
        told = "\n".join((question, *keys, *middle)).translate(_WIDE)
        checked = self._check(question.translate(_WIDE), told, question, keys, path)
        if checked.solved:
            return checked
        again = self._check(told, told, question, keys, path)
        return msgspec.structs.replace(again, from_keys=True) if again.solved else checked

    def _check(
        self, begun: str, told: str, question: str, keys: Sequence[str], path: Sequence[str]
    ) -> Checked:
        look = LookThroughTools(self._toolbox.call)
        known = self._named_in(begun)
        called: list[_Called] = []
        way = list(path) or list(_PATH_OF_WRITING)
        bridged = next(_asked(known, LOOKUP_OF[way[0]]), None) is None
        for tool in [*_BRIDGES, *way] if bridged else way:
            lookup = LOOKUP_OF[tool]
            here = []
            for values in list(dict.fromkeys(_asked(known, lookup)))[:_MOST_CALLS]:
                rows = look(lookup, values, lookup.table.names)
                here.append(_Called(lookup, values, tuple(rows)))
            called += here
            self._learn(known, here, lookup, told)
        keys_found = {key: _how_found(key, called, question) for key in keys}
        for key, how in keys_found.items():
            told_by_complaint = not path and key in question
            if how == "missing" and (told_by_complaint or key in self._law):
                keys_found[key] = "found"
        return Checked(keys_found, len(look.calls), bridged)

    def _named_in(self, told: str) -> Known:
        known: Known = defaultdict(dict)
        for entity, values in self._values.items():
            for value in values:
                there = _region_named(value, told) if entity == Entity.REGION else value[0] in told
                if there and not blank(value[0]):
                    known[entity][value] = None
        for start in range(len(told)):
            if told[start] == "（":
                _learn_case(known, told[start : start + 40])
        return known

    def _learn(self, known: Known, called: Iterable[_Called], lookup: Lookup, told: str) -> None:
        for link in links_of(lookup):
            if link.cut:
                continue
            seen: dict[tuple[str, ...], None] = {}
            for call in called:
                for row in call.rows:
                    value = tuple(row.get(column) for column in link.columns)
                    if all(isinstance(part, str) and not blank(part) for part in value):
                        seen[tuple(map(str, value))] = None
            named = [value for value in seen if all(part in told for part in value)]
            known[link.entity].update(dict.fromkeys(named or seen))


def _asked(known: Known, lookup: Lookup) -> Iterator[tuple[str, ...]]:
    for entity in inputs_of(lookup):
        yield from known[entity]
        if entity == Entity.COURT_CODE:
            for (case,) in known[Entity.CASE]:
                if (parts := read_case_number(case)) is not None:
                    yield (parts.court,)


def _learn_case(known: Known, text: str) -> None:
    """A case number that begins here, be it in the tables or not."""
    end = text.find("号")
    if end > 0 and read_case_number(text[: end + 1]) is not None:
        known[Entity.CASE][(text[: end + 1],)] = None


def _region_named(region: tuple[str, ...], told: str) -> bool:
    province, city, county = (part.rstrip(_ENDINGS) or part for part in region)
    return county in told and (city in told or province in told)


# --- whether a key follows from tool answers: point 3 ---

# A number with its unit as keys have it: "0.90亿元", "14次", "65"; not "2019年02月22日"
_NUMBER: Final = re.compile(
    r"(?P<number>[0-9]+(?:\.(?P<decimals>[0-9]+))?)(?P<unit>[万亿]?)(?P<rest>\D{0,2})"
)
# Numbers in prose: "5,911", "2955.5", "30.5万"
_IN_PROSE: Final = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?[万亿]?")
# Years and amounts that a question names: "2020年", "12.5亿", "300万", "10000"
_YEARS: Final = re.compile(r"(?:19|20)[0-9]{2}(?=年)")
_AMOUNTS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?[万亿]?|百万|千万|亿")
_UNIT: Final = {"": 1, "万": 10_000, "亿": 100_000_000}
_SPOKEN: Final = {"百万": 1_000_000, "千万": 10_000_000, "亿": 100_000_000}
_PAUSES: Final = re.compile(r"[，。；、]")
_MOST_FILTERS: Final = 1
SHORT: Final = 4
_OWNED: Final = "上市公司参股比例"
_LISTED: Final = "get_company_info"
_CHOOSING_WORDS: Final = ("劳动", "劳务", "执行", "股份", "人民法院")
"""Words by which official questions choose rows."""


class _Filtered(NamedTuple):
    """Rows that a filter leaves, as places in the list."""

    kind: str
    places: frozenset[int]


def _how_found(key: str, called: Sequence[_Called], question: str) -> How:
    """The plainest way in which a key follows from what was called."""
    cells = [
        str(cell)
        for call in called
        for row in call.rows
        for cell in row.values()
        if cell is not None
    ]
    if _held(key, called, cells):
        return "found"
    if _converted(key, called, cells):
        return "converted"
    return "computed" if _computed(key, called, question) else "missing"


def _held(key: str, called: Sequence[_Called], cells: Iterable[str]) -> bool:
    """Whether a cell has the key; a short number must be the whole value of a number's cell."""
    if key.isdecimal() and len(key) < SHORT:
        return any(value == int(key) for value in _numbers(called, ("number", "numeral")))
    return any(key in cell for cell in cells)


def _converted(key: str, called: Sequence[_Called], cells: Iterable[str]) -> bool:
    """Amounts in another form, also those in prose; other numbers only from cells that count."""
    written = _NUMBER.fullmatch(key)
    if written is None:
        parts = [part for part in _PAUSES.split(key) if part]
        return len(parts) > 1 and all(any(part in cell for cell in cells) for part in parts)
    if not written["unit"] and not written["rest"].startswith("元"):
        return any(value == Decimal(written["number"]) for value in _numbers(called, ("number",)))
    numbers = set(_numbers(called, ("yuan", "money", "number", "numeral")))
    for cell in cells:
        for text in _IN_PROSE.findall(cell):
            value = exact_amount(text.replace(",", ""))
            if value is not None:
                numbers.add(Decimal(value))
    return any(_rounds_to(number, *_value(written)) for number in numbers)


def _numbers(called: Sequence[_Called], kinds: Sequence[Kind]) -> Iterator[Decimal]:
    for call in called:
        columns = [column.name for column in call.lookup.table.columns if column.kind in kinds]
        for row in call.rows:
            for column in columns:
                if (value := amount_of(row.get(column))) is not None:
                    yield Decimal(value)


def _computed(key: str, called: Sequence[_Called], question: str) -> bool:
    if "上市公司" in key:
        listed = any(call.lookup.name == _LISTED and call.rows for call in called)
        return listed or key.startswith("不是")
    if key == "无":
        return any(not call.rows for call in called)
    written = _NUMBER.fullmatch(key)
    if written is None:
        return False
    wanted, unit, decimals = _value(written)
    if wanted == 0 and any(not call.rows for call in called):
        return True
    if written["rest"] == "天":
        return any(wanted == days for call in called for row in call.rows for days in _spans(row))
    by_tool: dict[str, list[_Called]] = defaultdict(list)
    for call in called:
        by_tool[call.lookup.name].append(call)
    lists = [[call] for call in called] + [group for group in by_tool.values() if len(group) > 1]
    return any(
        _rounds_to(result, wanted, unit, decimals)
        for group in lists
        for result in _results(group, question)
    )


def _results(group: Sequence[_Called], question: str) -> Iterator[Decimal]:
    """Counts and sums over the rows of some calls, and how many of the calls found anything."""
    table = group[0].lookup.table
    rows = [row for call in group for row in call.rows]
    yield Decimal(sum(bool(call.rows) for call in group))
    filters = list(_filters(group, rows, question))
    subsets = {frozenset(range(len(rows)))}
    for number in range(1, _MOST_FILTERS + 1):
        for some in combinations(filters, number):
            if len({chosen.kind for chosen in some}) == number:
                subsets.add(frozenset.intersection(*(chosen.places for chosen in some)))
    for places in subsets:
        yield Decimal(len(places))
        for column in table.names:
            if is_number(table.kinds[column]):
                values = [amount_of(rows[place].get(column)) for place in places]
                yield sum((Decimal(value) for value in values if value is not None), Decimal(0))


def _filters(group: Sequence[_Called], rows: Sequence[Row], question: str) -> Iterator[_Filtered]:
    table = group[0].lookup.table
    asked = {value for call in group for value in call.values}
    years = {int(year) for year in _YEARS.findall(question)}
    amounts = {_SPOKEN.get(text) or exact_amount(text) for text in _AMOUNTS.findall(question)}

    def of(kind: str, places: Iterable[int]) -> _Filtered:
        return _Filtered(kind, frozenset(places))

    for column in table.names:
        if column in WORDS.dates:
            days = [day_of(row.get(column)) for row in rows]
            for year in years:
                yield of(column, (n for n, on in enumerate(days) if on and on.year == year))
                yield of(column, (n for n, on in enumerate(days) if on and on.year >= year))
        if column in WORDS.amounts:
            values = [amount_of(row.get(column)) for row in rows]
            for amount in amounts:
                if amount is not None:
                    yield of(column, (n for n, v in enumerate(values) if v and v > amount))
                    yield of(f"{column}<", (n for n, v in enumerate(values) if v and v < amount))
        if column == _OWNED:
            yield of(column, (n for n, row in enumerate(rows) if amount_of(row.get(column)) == 100))
        if held_names := [names_in(row.get(column)) for row in rows]:
            yield of(column, (n for n, names in enumerate(held_names) if asked & set(names)))
        if table.kinds[column] == "text":
            for word in _CHOOSING_WORDS:
                if word in question:
                    there = (n for n, row in enumerate(rows) if word in str(row.get(column)))
                    yield of(f"{column} {word}", there)


def _spans(row: Row) -> Iterator[int]:
    days = [on for column in WORDS.dates if (on := day_of(row.get(column))) is not None]
    for first, second in combinations(days, 2):
        yield abs((first - second).days)


def _value(written: re.Match[str]) -> tuple[Decimal, int, int]:
    return Decimal(written["number"]), _UNIT[written["unit"]], len(written["decimals"] or "")


def _rounds_to(number: Decimal, wanted: Decimal, unit: int, decimals: int) -> bool:
    """Whether a number, written in this unit with so many decimals, is what is wanted."""
    return abs(number / unit - wanted) * 2 <= Decimal(1).scaleb(-decimals)
