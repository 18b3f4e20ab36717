"""Files of SQLite that others made: their tables must be ours, and their values of our types."""

from __future__ import annotations

import contextlib
import gc
import random
import sqlite3
import warnings
from pathlib import Path

import pytest
from tests.law.library.fictional import TEA, TEA_2001, row, write_rows

from hengfa.base.data import sqlite_file
from hengfa.base.errors import DataError
from hengfa.law.library import Library
from hengfa.law.library.building.build import build_library
from hengfa.world.tables.schema import TABLES
from hengfa.world.tables.world import World, write_world

LAWS = {
    "a view": "ALTER TABLE texts RENAME TO t; CREATE VIEW texts AS SELECT * FROM t",
    "a trigger": "CREATE TRIGGER evil AFTER INSERT ON laws BEGIN DELETE FROM laws; END",
    "no table": "DROP TABLE headings",
    "a column that counts": "DROP TABLE meta;"
    " CREATE TABLE meta (key TEXT, value TEXT AS (hex(zeroblob(900000000))))",
    "another column": "ALTER TABLE versions RENAME COLUMN form TO shape",
    "no date": "UPDATE versions SET promulgated = 'yesterday'",
    "no text": "UPDATE texts SET text = x'ff00'",
    "half a text": "UPDATE texts SET text = CAST(x'e88c' AS TEXT)",
    "a law of no name": "UPDATE laws SET name = x'00'",
    "a name of no law": "PRAGMA foreign_keys = OFF; UPDATE names SET law = 999",
    "no heading": "PRAGMA foreign_keys = OFF; UPDATE provisions SET heading = 999",
    "no position": "UPDATE provisions SET article = 'one'",
    "an odd kind": "UPDATE laws SET kind = 'poem'",
    "a part of nothing": "INSERT INTO parts VALUES (1, 'song', x'00', 1.5)",
    "a long text": "UPDATE texts SET text = hex(zeroblob(2000000))",
}


def change(file: Path, statements: str) -> None:
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.executescript(statements)


def read_all_law(file: Path) -> None:
    with Library.open(file) as library:
        assert library.meta
        for version in library.versions():
            for entry in library.entries(version, role=None):
                assert library.provision(version, entry.position)
            assert len(library.parts(version)) < 9
            assert library.sources(version)
        assert [*library.remarks(), *library.laws()]


@pytest.fixture
def law(tmp_path: Path) -> Path:
    folder = write_rows(tmp_path / "laws", [row(TEA, "2001-03-10", TEA_2001)])
    build_library([folder], tmp_path / "law.sqlite")
    return tmp_path / "law.sqlite"


@pytest.fixture
def world(tmp_path: Path) -> Path:
    table = TABLES[0]
    row = dict.fromkeys(table.names, "甲")
    write_world(tmp_path / "w.sqlite", {table.name: [row]}, {"LegalArticle": ["文"]}, source="s")
    return tmp_path / "w.sqlite"


def test_a_library_that_goes_in_a_ring_of_garbage_is_closed(law: Path) -> None:
    """From 3.13 on Python warns of connections that go without being closed."""
    ring: list[object] = [Library.open(law)]
    ring.append(ring)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        del ring
        gc.collect()
    assert [warning for warning in said if "sqlite" in str(warning.message)] == []


def test_a_library_of_ours_is_read(law: Path) -> None:
    read_all_law(law)


@pytest.mark.parametrize("name", LAWS)
def test_a_library_that_is_not_ours_is_refused(
    law: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "LARGEST_VALUE", 1_000_000)
    change(law, LAWS[name])
    with pytest.raises(DataError, match=r"law\.sqlite"):
        read_all_law(law)


WORLDS = {
    "a view": 'ALTER TABLE "{0}" RENAME TO t; CREATE VIEW "{0}" AS SELECT * FROM t',
    "bytes": 'UPDATE "{0}" SET "{1}" = x\'ff\'',
    "no bits": 'UPDATE "{0}" SET _unseen = NULL',
    "a text of bytes": "UPDATE LegalArticle SET contents = x'ff'",
    "nothing about it": "DELETE FROM meta",
    "no lists": "INSERT INTO recorded VALUES ('a', '{{', '[]', '[]')",
}


def read_all_world(file: Path) -> None:
    with World.open(file) as world:
        assert world.fingerprint
        assert world.source
        assert world.count(TABLES[0].name)
        assert [*world.all_rows(TABLES[0].name), *world.texts("LegalArticle")]
        assert world.rows(TABLES[0].name, TABLES[0].names[0], "甲")


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_that_is_not_ours_is_refused(world: Path, name: str) -> None:
    read_all_world(world)
    change(world, WORLDS[name].format(TABLES[0].name, TABLES[0].names[1]))
    with pytest.raises(DataError, match=r"w\.sqlite"):
        read_all_world(world)


def test_bytes_that_were_changed_make_no_other_error(law: Path) -> None:
    whole, chance = law.read_bytes(), random.Random(0)
    told = 0
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(20):
            content[chance.randrange(len(content))] = chance.randrange(256)
        law.write_bytes(content[: chance.choice([None, None, len(content) // 2])])
        with contextlib.suppress(AssertionError):  # nothing in it, but no error
            try:
                read_all_law(law)
            except DataError as error:
                told += 1
                assert "law.sqlite" in str(error)
    assert told
