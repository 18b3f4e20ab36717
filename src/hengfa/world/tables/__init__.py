"""The legal world: tables and texts in one SQLite file, tools over them, and what makes both anew.

schema       the fourteen tables, three collections of texts and 28 look-ups
world        a world file: opened for reading, and written
cells        what a cell means: amount, date
opening      a world by name: recovered, a file, an address
logs         what published runs show of it: calls, and answers as Python prints them
recovery     the pack of the benchmark's own world, derived from them
recovered    the benchmark's own world, made from that pack
importing    a user's own workbook or folder
declaration  a user's own tables and tools, said in a TOML file
remote       a world behind a web service
tools        the 37 tools as published, and as they should be
causes       causes of action: claims, defences, and the provisions of each day
generator    makes worlds
factory      makes tasks over any world
"""

from __future__ import annotations

from hengfa.world.tables.schema import (
    CORPORA,
    CORPUS_OF,
    TABLE_OF,
    TABLES,
    Column,
    Corpus,
    Match,
    Table,
)
from hengfa.world.tables.world import Cell, FoundRow, Recorded, Row, World, write_world

__all__ = [
    "CORPORA",
    "CORPUS_OF",
    "TABLES",
    "TABLE_OF",
    "Cell",
    "Column",
    "Corpus",
    "FoundRow",
    "Match",
    "Recorded",
    "Row",
    "Table",
    "World",
    "write_world",
]
