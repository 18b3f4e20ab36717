"""Two ways to look up rows: in the world with every doubt checked, and through published tools.

The factory uses the first: a task must not rest on a cell that nobody observed, nor on the first of
several rows. The oracle uses the second and sees only what an agent sees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from hengfa.world.factory.refusal import Reason, Refused
from hengfa.world.factory.rows import Row
from hengfa.world.schema import Lookup
from hengfa.world.tools.lookups import hidden
from hengfa.world.tools.observation import Observation, Status
from hengfa.world.world import FoundRow, World


class Look(Protocol):
    """The rows of one look-up, with the columns that are needed; none where nothing is found."""

    def __call__(
        self, lookup: Lookup, values: tuple[str, ...], columns: Sequence[str]
    ) -> list[Row]: ...


class LookInWorld:
    """Rows from the tables, refused where they are in doubt.

    What was found is remembered until :meth:`forget`, since one start is tried in several ways.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._found: dict[tuple[str, tuple[str, ...]], list[FoundRow]] = {}

    def forget(self) -> None:
        """Another start is tried."""
        self._found.clear()

    def __call__(
        self, lookup: Lookup, values: tuple[str, ...], columns: Sequence[str]
    ) -> list[Row]:
        table = lookup.table
        found = self._found.get((lookup.name, values))
        if found is None:
            found = self._world.find(table, lookup.match, values)
            self._found[lookup.name, values] = found
        if lookup.returns != "list" and len(found) > 1:
            raise Refused(Reason.SEVERAL_ROWS)
        wanted = tuple(columns)
        if any(hidden(table, row.unseen, wanted) for row in found if row.unseen):
            raise Refused(Reason.UNOBSERVED)
        places = [(name, table.place[name]) for name in wanted]
        return [{name: row.cells[place] for name, place in places} for row in found]


class Call(msgspec.Struct, frozen=True):
    """A tool that was called, as a trajectory has it."""

    tool: str
    arguments: dict[str, object]
    observation: str
    status: Status


class LookThroughTools:
    """Rows from tool calls; every call is kept."""

    def __init__(self, call: Callable[[object, object], Observation]) -> None:
        self._call = call
        self.calls: list[Call] = []

    def __call__(
        self, lookup: Lookup, values: tuple[str, ...], columns: Sequence[str]
    ) -> list[Row]:
        arguments: dict[str, object] = dict(zip(lookup.arguments, values, strict=True))
        if lookup.returns != "name":
            arguments["columns"] = list(columns)
        seen = self._call(lookup.name, arguments)
        self.calls.append(Call(lookup.name, arguments, seen.text, seen.status))
        return [dict(row) for row in seen.rows]
