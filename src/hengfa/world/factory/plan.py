"""How a task is solved, step by step, in a form that programs follow.

A plan says what the question names, which tools are called in which order, how a row is chosen from
a list, which cell leads on, and what is asked of the last answer. It is kept with the task, so that
anyone can solve it again.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from hengfa.world.factory.entities import Entity

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
    """One tool call. `link` are the cells that lead on; the last hop has none.

    With `each` every row of the list leads on, and the last tool is called once for each.
    """

    tool: str
    filters: tuple[Filter, ...] = ()
    pick: Pick | None = None
    link: tuple[str, ...] = ()
    cut: bool = False
    each: bool = False


class Ask(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is wanted of the last answer; `of` are the rows whose share is asked for."""

    kind: AskKind
    columns: tuple[str, ...] = ()
    of: Filter | None = None


class Start(msgspec.Struct, frozen=True):
    """What the question names: an identifier, or the three parts of a region."""

    entity: Entity
    values: tuple[str, ...]


class Plan(msgspec.Struct, frozen=True, tag="path", tag_field="kind"):
    """From what is named to what is asked."""

    start: Start
    hops: tuple[Hop, ...]
    ask: Ask

    @property
    def tools(self) -> tuple[str, ...]:
        """The gold path."""
        return tuple(hop.tool for hop in self.hops)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The pairs of tools on it."""
        return tuple(zip(self.tools, self.tools[1:], strict=False))


class Ground(msgspec.Struct, frozen=True):
    """A provision that a defence must cite: the one article of this law with all these words."""

    law: str
    words: tuple[str, ...]


class WritingPlan(msgspec.Struct, frozen=True, tag="writing", tag_field="kind"):
    """Look-ups beside one another: each defendant's register, the law firm, and provisions."""

    plaintiff: str
    defendants: tuple[str, ...]
    firm: str
    grounds: tuple[Ground, ...]
    arguments: tuple[str, ...]


AnyPlan = Plan | WritingPlan
