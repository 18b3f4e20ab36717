"""The look-ups exactly as published: order of checks, texts, and Python's own way of writing rows.

Specification, section 3: the row is looked for before the columns are checked, so a wrong column on
an unknown identifier says "no data"; a blank cell is `nan`; quotes are single.
"""

from __future__ import annotations

from typing import Any, Final

from hengfa.world.schema import Lookup, Table
from hengfa.world.tools.observation import BAD_CALL, BAD_COLUMN, NO_DATA, Observation, Status
from hengfa.world.world import Cell, FoundRow, World

BLANK: Final = float("nan")

BAD_CALL_SEEN: Final = Observation(BAD_CALL, Status.BAD_ARGUMENTS)
_NO_DATA_SEEN: Final = Observation(NO_DATA, Status.NO_DATA)
_BAD_COLUMN_SEEN: Final = Observation(BAD_COLUMN, Status.BAD_COLUMN)

NAME: Final = "公司名称"


def look_up(world: World, lookup: Lookup, arguments: Any) -> Observation:
    """Answer one of the 28 look-ups."""
    given = arguments if isinstance(arguments, dict) else {}
    values = [given.get(name) for name in lookup.arguments]
    if not all(isinstance(value, str) for value in values):
        return BAD_CALL_SEEN
    found = world.find(lookup.table, lookup.match, values, first=lookup.returns != "list")
    if not found:
        return _NO_DATA_SEEN
    if lookup.returns == "name":
        return _name(lookup.table, found[0])
    return _rows(lookup, found, given.get("columns") or lookup.table.names)


def _rows(lookup: Lookup, found: list[FoundRow], columns: Any) -> Observation:
    table = lookup.table
    try:
        if not all(column in table.place for column in columns):
            return _BAD_COLUMN_SEEN
    except TypeError:  # not a list, or a column that is a list itself
        return BAD_CALL_SEEN
    chosen = tuple(dict.fromkeys(columns))
    unobserved = sum(hidden(table, row.unseen, chosen) for row in found if row.unseen)
    rows = tuple(project(table, row, chosen) for row in found)
    shown = [_with_blanks(row) for row in rows]
    text = str(shown) if lookup.returns == "list" else str(shown[0])
    return Observation(text, rows=rows, unobserved=unobserved)


def project(table: Table, row: FoundRow, columns: tuple[str, ...]) -> dict[str, Cell]:
    """The cells of some columns, in the order in which they were asked for."""
    if columns is table.names or columns == table.names:
        return dict(zip(columns, row.cells, strict=True))
    return {name: row.cells[table.place[name]] for name in columns}


def hidden(table: Table, unseen: int, columns: tuple[str, ...]) -> int:
    """How many of these cells were never observed."""
    return sum(unseen >> table.place[name] & 1 for name in columns)


def _with_blanks(row: dict[str, Cell]) -> dict[str, Cell]:
    if None in row.values():
        return {name: BLANK if cell is None else cell for name, cell in row.items()}
    return row


def _name(table: Table, row: FoundRow) -> Observation:
    only = (NAME,)
    cells = project(table, row, only)
    name = BLANK if cells[NAME] is None else cells[NAME]
    return Observation(
        str(name), rows=(cells,), value=cells[NAME], unobserved=hidden(table, row.unseen, only)
    )
