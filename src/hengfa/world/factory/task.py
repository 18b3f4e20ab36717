"""A generated task: the fields of the benchmark, how it is solved, and why there may be none.

A plan says what the question names, which tools are called in which order, how a row is chosen from
a list, which cell leads on, and what is asked of the last answer, in a form that programs follow.
It is kept with the task, so that anyone can solve it again.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Final, Literal

import msgspec

from hengfa.base.data.jsonfile import read_lines, write_atomically
from hengfa.world.causes import Days, Ground
from hengfa.world.tables.schema import Lookup


class Reason(StrEnum):
    """Why a candidate did not become a task; reports count these."""

    EMPTY = "a call finds nothing"
    SEVERAL_ROWS = "an identifier finds several rows"
    UNOBSERVED = "a cell was never observed"
    MISSING = "a cell says nothing"
    SEVERAL_VALUES = "a cell names several"
    TIE = "two rows are first"
    TOO_MANY = "a list is too long"
    LOOP = "the path comes back to where it was"
    TRIVIAL = "the answer is trivial"
    INEXACT = "the answer cannot be written exactly"
    TOLD = "the question tells the answer"
    TWICE = "the same task is there already"
    RECOMPUTED = "a second computation finds another answer"
    NAMED = "another task names the same start"
    COMMON = "too many tasks have the answer"
    COPIED = "a task much like it has the answer"
    ONE_CALL = "one look-up of what is named shows the answer"
    HEEDLESS = "the answer is the same without its conditions"
    SEARCHED = "a search with the question finds the answer"
    NO_PROVISION = "no provision fits"
    UNFIT = "no company fits the case"


class Refused(Exception):
    """This candidate is no task."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


FilterKind = Literal["year", "over", "equals", "role"]
Order = Literal["largest", "second", "smallest", "latest", "earliest", "frequent"]
AskKind = Literal[
    "cells",
    "count",
    "sum",
    "share",
    "names",
    "days",
    "listed",
    "mentions",
    "each_has",
    "each_total",
]


class Filter(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rows that count: of a year, above an amount, with a value, or in which the company or firm
    that was asked about has this role. A value of None is still open and is bound on the way."""

    kind: FilterKind
    column: str
    value: int | str | None = None


class Pick(msgspec.Struct, frozen=True):
    """Which row of a list, or, with `frequent`, which value of the column that leads on."""

    order: Order
    column: str


class Hop(msgspec.Struct, frozen=True, omit_defaults=True):
    """One tool call. `link` are the cells that lead on; the last hop has none. With `each` every
    row of the list leads on, and the last tool is called once for each."""

    tool: str
    filters: tuple[Filter, ...] = ()
    pick: Pick | None = None
    link: tuple[str, ...] = ()
    cut: bool = False
    each: bool = False


class Wish(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is wanted of the last answer; `of` are the rows whose share is asked for."""

    kind: AskKind
    columns: tuple[str, ...] = ()
    of: Filter | None = None


class Start(msgspec.Struct, frozen=True):
    """What the question names: an identifier, or the three parts of a region. `entity` is one of
    :class:`~hengfa.world.tables.schema.Entity`, or a kind that was declared."""

    entity: str
    values: tuple[str, ...]


class Plan(msgspec.Struct, frozen=True, tag="path", tag_field="kind"):
    """From what is named to what is asked."""

    start: Start
    hops: tuple[Hop, ...]
    ask: Wish

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(hop.tool for hop in self.hops)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        return tuple(zip(self.tools, self.tools[1:], strict=False))


class WritingPlan(msgspec.Struct, frozen=True, tag="writing", tag_field="kind"):
    """Look-ups beside one another: each defendant's register, the law firm, and provisions, which
    follow from the cause of action and the days of the case. `arguments` belong to `grounds`."""

    plaintiff: str
    defendants: tuple[str, ...]
    firm: str
    cause: str
    days: Days
    grounds: tuple[Ground, ...]
    arguments: tuple[str, ...]


AnyPlan = Plan | WritingPlan

VERSION: Final = 2  # of the factory: another one makes other tasks of the same world and seed


class Wanted(msgspec.Struct, frozen=True):
    """What to make: `per_hop` tasks of each number of hops, and how many of them on one path.

    With `rewrite` "rules" questions are put into styles of their own as they are made; whatever
    else it names comes afterwards.
    """

    hops: tuple[int, ...] = (1, 2, 3, 4, 5)
    per_hop: int = 20
    writing: int = 0
    entities: int = 2
    seed: int = 0
    rewrite: str = "none"


class Origin(msgspec.Struct, frozen=True):
    """What makes a task again, byte for byte: which factory, which rows, what was wanted."""

    factory: int
    world: str
    wanted: Wanted


JOINT: Final = "----"  # joins the tools of a gold path (legalagentbench.md 1.1)


class FreshTask(msgspec.Struct, frozen=True):
    """One task. `template` is the question before it was rewritten, where it was."""

    id: int
    question: str
    answer: str
    key: tuple[str, ...]
    key_middle: tuple[str, ...]
    type: str
    way: str
    hops: int
    plan: AnyPlan
    template: str | None = None
    keep: tuple[str, ...] = ()
    """Pieces of the question that no rewriting may lose."""
    made: Origin | None = None


def type_number(lookup: Lookup) -> int:
    """The number of a tool in `type`, in which get_legal_abstract is 16. Rules: legalagentbench.md
    1.1."""
    if lookup.name == "get_legal_abstract":
        return 16
    return lookup.number - 1 if 8 <= lookup.number <= 16 else lookup.number


def write_tasks(file: Path, tasks: Iterable[FreshTask]) -> None:
    """All tasks as JSON lines; the file is there when it is whole."""
    encode = msgspec.json.Encoder().encode
    write_atomically(file, b"".join(encode(task) + b"\n" for task in tasks))


def read_tasks(file: Path) -> list[FreshTask]:
    """Generated tasks with their plans."""
    return [task for _, task in read_lines(file, FreshTask)]
