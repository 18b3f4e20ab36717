"""How a pack is made that no repository has as it is: by the wing that owns the thing."""

from __future__ import annotations

from hengfa.base.data.pull import Derivation
from hengfa.base.hooks import load, offered


def derivation_of(pack: str) -> Derivation | None:
    """How a pack is made; None if its files are taken as they are."""
    rooms = offered("derivations")
    if pack not in rooms:
        return None
    room = load(rooms[pack])
    return Derivation(room.VERSION, room.derive)
