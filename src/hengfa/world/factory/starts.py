"""What a question can name: identifiers of a world, drawn with a seed.

Half of the draws take the tool's own table, so that the first call finds something; the others take
any table that is looked up by the same kind of identifier, each as often, so that the few companies
and courts of the small tables come up as often as the many of the large ones.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from hengfa.world.cells import blank
from hengfa.world.factory.canonical import JOINT
from hengfa.world.factory.entities import Entity, held
from hengfa.world.factory.graph import consumed
from hengfa.world.factory.plan import Start
from hengfa.world.factory.refusal import Reason, Refused
from hengfa.world.schema import LOOKUPS, TABLE_OF, Lookup
from hengfa.world.world import World, selection_by_id

_SHARED: Final = frozenset({Entity.COMPANY, Entity.COURT, Entity.FIRM})
_COURT_CODE: Final = "get_court_code"

Place = tuple[str, tuple[str, ...]]
"""A table and the columns that hold an identifier."""


class Starts:
    """Draws identifiers that a tool takes."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._counts = {name: world.count(name) for name in TABLE_OF}
        self._everywhere = {entity: self._places(LOOKUPS, entity) for entity in Entity}

    def kinds(self, lookup: Lookup) -> tuple[Entity, ...]:
        """What a question can name for this tool; a court by a case number, never by its code."""
        found = consumed(lookup)
        if lookup.name == _COURT_CODE:
            return tuple(Entity.CASE if one is Entity.COURT_CODE else one for one in found)
        return found

    def draw(self, lookup: Lookup, entity: Entity, rng: random.Random) -> Start:
        """An identifier; whether the tool finds anything is seen when it is called."""
        own = self._places((lookup,), entity)
        places = self._everywhere[entity]
        if own and not (entity in _SHARED and rng.random() < 0.5):
            places = own
        if not places:
            raise Refused(Reason.EMPTY)
        table, columns = rng.choice(places)
        number = rng.randrange(self._counts[table]) + 1
        row = self._world.connection.execute(selection_by_id(table), (number,)).fetchone()
        cells = [row[1 + TABLE_OF[table].place[column]] for column in columns]
        if any(blank(cell) or not isinstance(cell, str) for cell in cells):
            raise Refused(Reason.MISSING)
        if any(JOINT in cell for cell in cells):
            raise Refused(Reason.SEVERAL_VALUES)
        return Start(entity, tuple(cells))

    def _places(self, lookups: Sequence[Lookup], entity: Entity) -> list[Place]:
        """Match columns that hold this kind, in tables that have rows."""
        found: dict[Place, None] = {}
        for lookup in lookups:
            if not self._counts[lookup.table_name]:
                continue
            if entity is Entity.REGION and lookup.match.rule == "all":
                found[lookup.table_name, lookup.match.columns] = None
            elif lookup.match.rule == "any":
                for column in lookup.match.columns:
                    if held(lookup.table, column) is entity:
                        found[lookup.table_name, (column,)] = None
        return list(found)
