"""A user's own tables and tools, said in a TOML file (docs/world.md).

A declaration names tables with their columns, what these hold, and the tools that look for rows in
them. It becomes a schema: the published tables and look-ups as they are, and behind them those of
the declaration. Everything else follows: tools are offered and called, and the task factory takes
paths through them in the words that the declaration gives.

A world file keeps its declaration, and a file may come from anybody. So whatever is read, from TOML
or from a world, is looked at as a whole before a name becomes part of a statement or a text a
template of a question.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from hengfa.base.data.jsonfile import json_decoder, problem_and_field
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.world.tables.cells import is_number
from hengfa.world.tables.schema import (
    CORPORA,
    LOOKUPS,
    TABLES,
    Column,
    Entity,
    Identifier,
    Lookup,
    Match,
    Schema,
    Wording,
    WorldTable,
)
from hengfa.world.tools.catalogue import FINAL_ANSWER, FIRST_OWN, TOOL_OF

MOST_TABLES: Final = 50
MOST_COLUMNS: Final = 60
MOST_TOOLS: Final = 20
LONGEST: Final = 80

# "ContractInfo", "matter_2"; not "合同", "2nd" or a name with a blank
_TABLE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
# "get_contract"; not "getContract": models are offered it as a function among the published ones
_TOOL: Final = re.compile(r"[a-z][a-z0-9_]{0,62}")
# "合同金额（元）", "Contract No."; not 'a"b', "a{b}", "a\nb", " a" or a name that is empty
_COLUMN: Final = re.compile(r'(?! )[^"{}\x00-\x1f\x7f]{0,79}[^"{}\x00-\x1f\x7f ]')
# "2019—2020{}": braces that are no place in a template
_BRACES: Final = re.compile(r"[{}]")
_INDEX: Final = "_by_"  # names of indexes have it between table and columns
_KEPT: Final = frozenset({"meta", "recorded", *(corpus.name.casefold() for corpus in CORPORA)})
_OUR_COLUMNS: Final = frozenset({"id", "_unseen", "rowid", "oid", "_rowid_"})
_OUR_KINDS: Final = frozenset(set(Entity) - {Entity.REGION})

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST)]
Line = Annotated[str, msgspec.Meta(max_length=LONGEST)]


class DeclaredTool(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A tool that finds the rows with one value in any of the columns `by`."""

    name: str
    title: Text
    english: Text
    by: tuple[str, ...]
    returns: Literal["one", "list"]
    rows: Line = ""
    one: Line = ""
    measure: Line = ""
    has: Line = ""


class DeclaredTable(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A table; `source` is the file with its rows, and `sheet` the sheet of a workbook."""

    name: str
    title: Text
    english: Text
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    tools: tuple[DeclaredTool, ...]
    source: str = ""
    sheet: str = ""


class Declaration(
    msgspec.Struct, frozen=True, dict=True, omit_defaults=True, forbid_unknown_fields=True
):
    """Tables of a user's own, and the kinds of identifiers that only they know."""

    tables: tuple[DeclaredTable, ...]
    identifiers: tuple[Identifier, ...] = ()

    @cached_property
    def schema(self) -> Schema:
        """The published tables and look-ups, then these."""
        tables, lookups = list(TABLES), list(LOOKUPS)
        numbers = count(FIRST_OWN)
        for own in self.tables:
            matches = tuple(map(Match, dict.fromkeys(tool.by for tool in own.tools)))
            table = WorldTable(own.name, own.title, own.columns, matches, own.key, declared=True)
            tables.append(table)
            for tool in own.tools:
                title, by = f"{tool.title}（{tool.english}）", Match(tool.by)
                words = Wording(tool.rows, tool.one, tool.measure, tool.has)
                lookups.append(
                    Lookup(next(numbers), tool.name, table, by, tool.returns, title, words)
                )
        return Schema(tuple(tables), tuple(lookups), self.identifiers)

    def to_json(self) -> str:
        """As a world file keeps it: without the files from which the rows came."""
        bare = (msgspec.structs.replace(table, source="", sheet="") for table in self.tables)
        return msgspec.json.encode(Declaration(tuple(bare), self.identifiers)).decode()


def read_declaration(file: Path) -> Declaration:
    """The declaration in a TOML file; what is wrong with it is said with its table and column."""
    with disk_errors(file):
        content = file.read_bytes()
    try:
        raw = tomllib.loads(content.decode())
        declared = msgspec.convert(raw, Declaration)
    except msgspec.ValidationError as error:
        problem, place = problem_and_field(str(error))
        raise DataError(problem, file=file, field=_by_name(raw, place or "")) from None
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 at byte {error.start}", file=file) from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"not readable as TOML: {error}", file=file) from None
    return _check(declared, file)


def decode_declaration(text: str, file: Path) -> Declaration:
    """The declaration that a world file keeps."""
    return _check(_decode(text), file)


_decode = json_decoder(Declaration)


class _Wrong(Exception):
    """A rule that is broken, and where: `table 'ContractInfo', column '金额'`."""

    def __init__(self, problem: str, *place: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.place = place


def _check(declared: Declaration, file: Path) -> Declaration:
    try:
        kinds = _check_identifiers(declared.identifiers)
        _check_number("tables", declared.tables, MOST_TABLES)
        _check_once("table", (table.name for table in declared.tables), fold=True)
        for table in declared.tables:
            _check_table(table, kinds)
        tools = [tool.name for table in declared.tables for tool in table.tools]
        _check_once("tool", tools)
    except _Wrong as wrong:
        raise DataError(wrong.problem, file=file, field=", ".join(wrong.place) or None) from None
    return declared


def _check_identifiers(identifiers: tuple[Identifier, ...]) -> frozenset[str]:
    """All kinds that columns may hold."""
    _check_number("identifiers", identifiers, MOST_TABLES, least=0)
    _check_once("identifier", (identifier.kind for identifier in identifiers))
    for identifier in identifiers:
        place = f"identifier {identifier.kind[:LONGEST]!r}"
        if identifier.kind in set(Entity):
            raise _Wrong("is a kind that every world has: it needs no declaration", place)
        said = (identifier.kind, identifier.title, identifier.measure)
        if not all(text.strip() and len(text) <= LONGEST for text in said):
            problem = f"needs a kind, a title and a measure of up to {LONGEST} characters"
            raise _Wrong(problem, place)
        _check_template(identifier.named, ("{}",), "named", place)
    return _OUR_KINDS | {identifier.kind for identifier in identifiers}


def _check_table(table: DeclaredTable, kinds: frozenset[str]) -> None:
    place = f"table {table.name[:LONGEST]!r}"
    name = table.name.casefold()
    if not _TABLE.fullmatch(table.name) or name.startswith("sqlite_") or _INDEX in name:
        raise _Wrong("a table is named by letters, digits and _, such as ContractInfo", place)
    if name in _KEPT or any(name == published.name.casefold() for published in TABLES):
        raise _Wrong("every world has a table of this name: choose another", place)
    _check_number("columns", table.columns, MOST_COLUMNS, place)
    _check_number("tools", table.tools, MOST_TOOLS, place)
    _check_once("column", (column.name for column in table.columns), place, fold=True)
    for column in table.columns:
        _check_column(column, kinds, place)
    names = [column.name for column in table.columns]
    if not table.key:
        raise _Wrong("names no column: a key tells one row from another", place, "key")
    for column_name in table.key:
        if column_name not in names:
            raise _Wrong(f"there is no column {column_name[:LONGEST]!r}", place, "key")
    for tool in table.tools:
        _check_tool(tool, {column.name: column for column in table.columns}, place)


def _check_column(column: Column, kinds: frozenset[str], table: str) -> None:
    place = (table, f"column {column.name[:LONGEST]!r}")
    if not _COLUMN.fullmatch(column.name) or column.name.casefold() in _OUR_COLUMNS:
        raise _Wrong("cannot be the name of a column", *place)
    if _BRACES.search(column.noun or ""):
        raise _Wrong("is no template", *place, "noun")
    if column.holds and column.holds not in kinds:
        known = ", ".join(sorted(kinds))
        raise _Wrong(f"no kind of identifier is called {column.holds[:LONGEST]!r}: {known}", *place)
    if column.holds and column.kind != "text":
        raise _Wrong(f"holds an identifier, so its kind is text, not {column.kind}", *place)
    if column.several and column.kind != "text":
        raise _Wrong("only texts name several", *place)
    if (column.unit or column.before) and not is_number(column.kind):
        raise _Wrong("only numbers have a unit", *place)
    for name in ("english", "noun", "question", "unit", "before"):
        if len(getattr(column, name) or "") > LONGEST:
            raise _Wrong(f"is longer than {LONGEST} characters", *place, name)
    if column.condition:
        if column.kind != "text":
            raise _Wrong("a condition by value is for texts", *place, "condition")
        _check_template(column.condition, ("{}",), "condition", *place)


def _check_tool(tool: DeclaredTool, columns: dict[str, Column], table: str) -> None:
    place = (table, f"tool {tool.name[:LONGEST]!r}")
    if not _TOOL.fullmatch(tool.name):
        raise _Wrong("a tool is named by small letters, digits and _, as get_contract", *place)
    if tool.name in TOOL_OF or tool.name == FINAL_ANSWER:
        raise _Wrong("every world has a tool of this name: choose another", *place)
    if not tool.by or len(set(tool.by)) < len(tool.by):
        raise _Wrong("names the columns in which it looks, each once", *place, "by")
    for name in tool.by:
        if name not in columns:
            raise _Wrong(f"there is no column {name[:LONGEST]!r}", *place, "by")
        if not columns[name].holds:
            problem = f"column {name!r} does not say what kind of identifier it holds"
            raise _Wrong(problem, *place, "by")
    if tool.returns == "list":
        _check_template(tool.rows, ("{x}", "{f}"), "rows", *place)
        for field in ("one", "measure"):
            if not getattr(tool, field):
                raise _Wrong("a list needs it, for questions about its rows", *place, field)
    elif tool.rows:
        _check_template(tool.rows, ("{x}",), "rows", *place)
    for field in ("one", "measure", "has"):
        if _BRACES.search(getattr(tool, field)):
            raise _Wrong("is no template", *place, field)


def _check_template(text: str, places: tuple[str, ...], *place: str) -> None:
    """Each place once and nothing else in braces: a format may do more than put a text in."""
    field, *where = place
    rest = text
    for mark in places:
        if text.count(mark) != 1:
            raise _Wrong(f"{mark} stands in it once", *where, field)
        rest = rest.replace(mark, "")
    if _BRACES.search(rest) or len(text) > LONGEST:
        raise _Wrong(f"has braces besides {' and '.join(places)}, or is too long", *where, field)


def _check_number(
    what: str, given: tuple[object, ...], most: int, *place: str, least: int = 1
) -> None:
    if not least <= len(given) <= most:
        raise _Wrong(f"has {len(given)} {what}; from {least} to {most} are read", *place)


def _check_once(what: str, names: Iterable[str], *place: str, fold: bool = False) -> None:
    seen: set[str] = set()
    same: Callable[[str], str] = str.casefold if fold else str
    for name in names:
        if same(name) in seen:
            raise _Wrong("is there twice", *place, f"{what} {name[:LONGEST]!r}")
        seen.add(same(name))


# "tables[1]" and "columns" in "tables[1].columns[0].kind"
_PART: Final = re.compile(r"(?P<name>\w+)(?:\[(?P<at>[0-9]+)\])?")


def _by_name(raw: Any, place: str) -> str:
    """A place in the file by the names of its tables and columns instead of their numbers."""
    told: list[str] = []
    for part in _PART.finditer(place):
        raw = raw.get(part["name"]) if isinstance(raw, dict) else None
        if part["at"] is None:
            told.append(part["name"])
            continue
        there = isinstance(raw, list) and int(part["at"]) < len(raw)
        raw = raw[int(part["at"])] if there else None
        name = raw.get("name", raw.get("kind")) if isinstance(raw, dict) else None
        called = f"number {int(part['at']) + 1}" if name is None else repr(str(name)[:LONGEST])
        told.append(f"{part['name'].removesuffix('s')} {called}")
    return ", ".join(told)
