"""Gold paths: the tools a task needs, in order, and the table each of them reads (spec 1.1 and 3).

Paths name the 28 database tools only. Retrievers and arithmetic, which many tasks need as well,
stand on no path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from hengfa.world.schema import LOOKUPS

TABLE_OF: Final[Mapping[str, str]] = {lookup.name: lookup.table_name for lookup in LOOKUPS}
"""The database tools, with the table that each of them reads."""

# What joins two tools: "----", and once "---"; not the "_" inside a name.
_JOINT: Final = re.compile("-{3,}")
USUAL_JOINT: Final = "----"
BRACKETS: Final = "【】"


def parse_path(way: str) -> tuple[str, ...]:
    """The tools of a path as the data writes it; empty for an empty text.

    Raises ValueError with the name of what is no database tool.
    """
    tools = tuple(part.strip(BRACKETS + " ") for part in _JOINT.split(way)) if way.strip() else ()
    for tool in tools:
        if tool not in TABLE_OF:
            raise ValueError(f"{tool!r} is no database tool")
    return tools


def tables_on(path: Sequence[str]) -> tuple[str, ...]:
    """The tables that a path reads, each once."""
    return tuple(dict.fromkeys(TABLE_OF[tool] for tool in path))
