"""Tables and texts of the legal world in one SQLite file.

schema       the fourteen tables and three collections of texts
write        rows -> file
world        that file, opened for reading
lookups      the 28 look-ups in the tables
opening      a world by name: recovered, a file, an address
recovered    the benchmark's own world, as far as it is known
importing    a user's own workbook or folder
remote       a world behind a web service
"""

from __future__ import annotations

from hengfa.world.schema import (
    CORPORA,
    CORPUS_OF,
    TABLE_OF,
    TABLES,
    Column,
    Corpus,
    Match,
    Table,
)
from hengfa.world.world import Found, World
from hengfa.world.write import Cell, Recorded, Row, write_world

__all__ = [
    "CORPORA",
    "CORPUS_OF",
    "TABLES",
    "TABLE_OF",
    "Cell",
    "Column",
    "Corpus",
    "Found",
    "Match",
    "Recorded",
    "Row",
    "Table",
    "World",
    "write_world",
]
