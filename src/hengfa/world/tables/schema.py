"""What the legal world consists of: fourteen tables, three collections of texts, 28 look-ups.

The facts are those of the benchmark's own environment (`schema.toml`): every world, be it
recovered, generated or a user's own, has these tables with these columns in this order, because the
tools answer in this order. The tools over a world, the recovered rows and the task factory all go
by the list of look-ups. A world may have tables and look-ups of its own behind them
(:mod:`hengfa.world.tables.declaration`): which it has is said by its :class:`Schema`.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

import msgspec

from hengfa.base.data.jsonfile import read_toml

Kind = Literal["text", "date", "yuan", "money", "number", "numeral"]
"""What a cell holds, where it holds anything (`-` and null are missing in every kind).

`text` as it stands; `date` as 2020年01月31日; `yuan` a number of 元, at times the text of one;
`money` a text with a unit such as 9000万 or 1.06亿; `number` a number; `numeral` the text of one.
"""

Rule = Literal["any", "all"]


class Column(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One column: its name in the data, what it is in English, what it holds.

    `holds` is the kind of identifier in it. The rest is said of declared columns alone. `noun` is
    what questions call it where that is not its name, "" where nobody asks for it; `question`,
    `unit` and `before` go with it (是多少, 人, 第). `several` says that a cell may name several,
    `condition` how a value is made a condition: 状态为{}的.
    """

    name: str
    english: str
    kind: Kind = "text"
    holds: str = ""
    noun: str | None = None
    question: str = ""
    unit: str = ""
    before: str = ""
    several: bool = False
    condition: str = ""


class Match(msgspec.Struct, frozen=True):
    """How rows are found: one value equal in any of these columns, or one value for each of them.
    Every match is indexed in a world file."""

    columns: tuple[str, ...]
    rule: Rule = "any"


class WorldTable(msgspec.Struct, frozen=True, dict=True, eq=False):
    """One table; `matches` are all the ways in which tools look for its rows."""

    name: str
    title: str
    columns: tuple[Column, ...]
    matches: tuple[Match, ...]
    key: tuple[str, ...]
    """The columns that tell one row from another."""
    official_rows: int = 0
    """How many rows the benchmark's own environment has."""
    declared: bool = False
    """Whether it is one of a user's own."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def place(self) -> dict[str, int]:
        """Column name to its place in a row."""
        return {name: place for place, name in enumerate(self.names)}

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """Column name to what its cells hold."""
        return {column.name: column.kind for column in self.columns}

    @cached_property
    def identifiers(self) -> dict[str, str]:
        """Column name to the kind of identifier in it."""
        return {column.name: column.holds for column in self.columns if column.holds}


class Corpus(msgspec.Struct, frozen=True):
    """A collection of texts that is searched by meaning or words."""

    name: str
    title: str
    official_rows: int


KNOWLEDGE, ARTICLES, CASES = "LegalKnowledge", "LegalArticle", "LegalCases"

Returns = Literal["one", "list", "name"]
"""The first row, all rows, or only the name of the company in the first row."""

REGION: Final = ("prov", "city", "county")


class Wording(msgspec.Struct, frozen=True, omit_defaults=True):
    """How questions speak of what a declared look-up finds.

    `rows` are all rows, with {x} for who is asked about and {f} for conditions: {x}签订的{f}合同;
    `one` is one of them, `measure` counts them, `has` is true of who has any: 签订过合同.
    """

    rows: str = ""
    one: str = ""
    measure: str = ""
    has: str = ""


class Lookup(msgspec.Struct, frozen=True, eq=False):
    """One look-up; the match says in which columns its arguments are looked for. A declared one
    says itself what it is for, and how questions speak of it."""

    number: int
    name: str
    table: WorldTable
    match: Match
    returns: Returns
    title: str = ""
    words: Wording = Wording()

    @property
    def table_name(self) -> str:
        return self.table.name

    @property
    def arguments(self) -> tuple[str, ...]:
        """What must be given: an identifier, or the three parts of a region."""
        return REGION if self.match.rule == "all" else ("identifier",)


class _Lookup(msgspec.Struct, forbid_unknown_fields=True):
    """A look-up as the file has it: its table by name, its match by columns."""

    name: str
    table: str
    by: tuple[str, ...]
    returns: Returns


class _File(msgspec.Struct, forbid_unknown_fields=True):
    tables: tuple[WorldTable, ...]
    corpora: tuple[Corpus, ...]
    lookups: tuple[_Lookup, ...]


_FACTS: Final = read_toml(Path(__file__).with_name("schema.toml"), _File)

TABLES: Final = _FACTS.tables
CORPORA: Final = _FACTS.corpora
TABLE_OF: Final = {table.name: table for table in TABLES}
CORPUS_OF: Final = {corpus.name: corpus for corpus in CORPORA}


_MATCH_OF: Final = {(one.name, match.columns): match for one in TABLES for match in one.matches}
LOOKUPS: Final = tuple(
    Lookup(number, told.name, TABLE_OF[told.table], _MATCH_OF[told.table, told.by], told.returns)
    for number, told in enumerate(_FACTS.lookups, 1)
)
LOOKUP_OF: Final = {lookup.name: lookup for lookup in LOOKUPS}


class Entity(StrEnum):
    """A kind of identifier. The number of a penalty decision is one of its own, since no court gave
    it."""

    COMPANY = "company"
    SHORT = "short name or stock code"
    CREDIT = "credit code"
    CASE = "case number"
    DECISION = "decision number"
    COURT = "court"
    COURT_CODE = "court code"
    FIRM = "law firm"
    ADDRESS = "address"
    REGION = "region"
    AUTHORITY = "authority"


class Identifier(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of identifier that a user's own tables bring: 合同, how a question names one, and the
    word that counts them."""

    kind: str
    title: str
    named: str
    measure: str = "个"


class Schema(msgspec.Struct, frozen=True, dict=True, eq=False):
    """The tables and look-ups of one world: the published ones first, then its own."""

    tables: tuple[WorldTable, ...] = TABLES
    lookups: tuple[Lookup, ...] = LOOKUPS
    identifiers: tuple[Identifier, ...] = ()

    @cached_property
    def table_of(self) -> dict[str, WorldTable]:
        return {table.name: table for table in self.tables}

    @cached_property
    def lookup_of(self) -> dict[str, Lookup]:
        return {lookup.name: lookup for lookup in self.lookups}

    @cached_property
    def identifier_of(self) -> dict[str, Identifier]:
        """Kinds of identifiers of its own, by name."""
        return {identifier.kind: identifier for identifier in self.identifiers}

    @cached_property
    def declared(self) -> tuple[Lookup, ...]:
        return tuple(lookup for lookup in self.lookups if lookup.table.declared)


PUBLISHED: Final = Schema()
