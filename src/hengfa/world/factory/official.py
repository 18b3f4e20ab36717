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

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

import msgspec

from hengfa.world.cells import blank
from hengfa.world.factory.entities import Entity, held, region_columns
from hengfa.world.factory.graph import consumed, yielded
from hengfa.world.factory.grounds import Law
from hengfa.world.factory.looking import LookThroughTools
from hengfa.world.factory.official_keys import Called, how_found
from hengfa.world.factory.writing import ARTICLES, FIRM, REGISTER
from hengfa.world.schema import LOOKUP_OF, TABLE_OF, TABLES, Lookup, Table
from hengfa.world.tools.parsing import read_case_number
from hengfa.world.tools.toolbox import Toolbox
from hengfa.world.world import World

How = Literal["found", "converted", "computed", "missing"]
MOST_CALLS: Final = 120
_ENDINGS: Final = "省市区县"
_BRIDGES: Final = (
    "get_company_info",
    "get_legal_document",
    "get_court_code",
    "get_court_info",
    "get_lawfirm_info",
)
_PATH_OF_WRITING: Final = (REGISTER, FIRM)

Known = dict[Entity, dict[tuple[str, ...], None]]


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


class OfficialOracle:
    """Checks official tasks against one world."""

    def __init__(self, world: World) -> None:
        self._toolbox = Toolbox(world, "strict")
        self._values: dict[Entity, dict[tuple[str, ...], None]] = defaultdict(dict)
        for table in TABLES:
            region = region_columns(table)
            for row in world.all_rows(table.name):
                for column in table.names:
                    entity = held(table, column)
                    if entity is not None and isinstance(cell := row[column], str):
                        self._values[entity][(cell,)] = None
                triple = tuple(row[column] for column in region)
                if triple and all(isinstance(part, str) and not blank(part) for part in triple):
                    self._values[Entity.REGION][tuple(map(str, triple))] = None
        for table_name, columns, values in world.recorded:
            self._learn_recorded(TABLE_OF[table_name], columns, values)
        self._law = Law(world.texts(ARTICLES))

    def _learn_recorded(
        self, table: Table, columns: tuple[str, ...], values: tuple[str, ...]
    ) -> None:
        """What recorded calls asked with: some of it stands in no row that is whole."""
        if len(values) > 1:
            self._values[Entity.REGION][values] = None
            return
        for column in columns:
            if (entity := held(table, column)) is not None:
                self._values[entity][values] = None

    def check(
        self,
        question: str,
        keys: Sequence[str],
        middle: Sequence[str],
        path: Sequence[str],
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
        called: list[Called] = []
        way = list(path) or list(_PATH_OF_WRITING)
        bridged = next(_asked(known, LOOKUP_OF[way[0]]), None) is None
        for tool in [*_BRIDGES, *way] if bridged else way:
            lookup = LOOKUP_OF[tool]
            here = []
            for values in list(dict.fromkeys(_asked(known, lookup)))[:MOST_CALLS]:
                rows = look(lookup, values, lookup.table.names)
                here.append(Called(lookup, values, tuple(rows)))
            called += here
            self._learn(known, here, lookup, told)
        found = {key: how_found(key, called, question) for key in keys}
        for key, how in found.items():
            told_by_complaint = not path and key in question
            if how == "missing" and (told_by_complaint or self._law.has(key)):
                found[key] = "found"
        return Checked(found, len(look.calls), bridged)

    def _named_in(self, told: str) -> Known:
        known: Known = defaultdict(dict)
        for entity, values in self._values.items():
            for value in values:
                there = _region_named(value, told) if entity is Entity.REGION else value[0] in told
                if there and not blank(value[0]):
                    known[entity][value] = None
        for start in range(len(told)):
            if told[start] == "（":
                _learn_case(known, told[start : start + 40])
        return known

    def _learn(self, known: Known, called: Iterable[Called], lookup: Lookup, told: str) -> None:
        for link in yielded(lookup):
            if link.cut:
                continue
            seen: dict[tuple[str, ...], None] = {}
            for one in called:
                for row in one.rows:
                    value = tuple(row.get(column) for column in link.columns)
                    if all(isinstance(part, str) and not blank(part) for part in value):
                        seen[tuple(map(str, value))] = None
            named = [value for value in seen if all(part in told for part in value)]
            known[link.entity].update(dict.fromkeys(named or seen))


def _asked(known: Known, lookup: Lookup) -> Iterator[tuple[str, ...]]:
    for entity in consumed(lookup):
        yield from known[entity]
        if entity is Entity.COURT_CODE:
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


_WIDE: Final = str.maketrans("()", "（）")
