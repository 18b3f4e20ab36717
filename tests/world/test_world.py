"""World files: written, opened, looked into."""

from __future__ import annotations

import pickle
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hengfa.base.errors import DataError, UsageError
from hengfa.world.tables.schema import CORPORA, LOOKUP_OF, LOOKUPS, TABLE_OF, TABLES, Match
from hengfa.world.tables.world import (
    FRAGMENTS,
    RecordedAnswer,
    Row,
    World,
    selection,
    unobserved_columns,
    write_world,
)
from tests.world import tiny_world
from tests.world.tiny_world import COMPANY, FIRM, REGION


def test_the_schema_is_that_of_the_specification() -> None:
    sizes = {table.name: len(table.columns) for table in TABLES}
    assert list(sizes.values()) == [28, 18, 5, 13, 3, 9, 6, 13, 5, 4, 8, 9, 8, 7]
    assert [corpus.official_rows for corpus in CORPORA] == [26_951, 55_347, 2_370]
    assert [lookup.number for lookup in LOOKUPS] == list(range(1, 29))
    for table in TABLES:
        assert len(set(table.names)) == len(table.names)
        assert all(name in table.place for match in table.matches for name in match.columns)


@pytest.mark.shared
def test_the_schema_agrees_with_the_shared_files(shared: Path) -> None:
    import msgspec

    folder = shared / "data" / "LegalAgentBench"
    told = msgspec.json.decode((folder / "schema.json").read_bytes())["tables"]
    assert {name: [c["zh"] for c in table["columns"]] for name, table in told.items()} == {
        table.name: list(table.names) for table in TABLES
    }
    assert {name: tuple(table["key"]) for name, table in told.items()} == {
        table.name: table.key for table in TABLES
    }
    tools = msgspec.json.decode((folder / "tools.json").read_bytes())
    assert {
        (one["id"], one["name"], one["table"], tuple(one["match"]["columns"]))
        for one in tools
        if one.get("category") == "database"
    } == {(one.number, one.name, one.table_name, one.match.columns) for one in LOOKUPS}


def test_rows_come_in_sheet_order_with_the_types_they_were_written_with(tiny: World) -> None:
    amounts = [
        row["涉案金额（元）"] for row in tiny.rows("RestrictionCase", "执行法院", tiny_world.COURT)
    ]
    assert amounts == ["740564", 20, "-", 10.25]
    assert [type(one) for one in amounts] == [str, int, str, float]
    numbers = [row["案号"] for row in tiny.rows("LegalDoc", "关联公司", COMPANY)]
    assert numbers == [f"（2020）云0101民初{number}号" for number in (12, 3, 4)]
    assert list(tiny.all_rows("LegalDoc"))[1] == tiny_world.TABLES["LegalDoc"][1]


def test_a_value_is_found_in_any_of_several_columns_or_in_all_of_them(tiny: World) -> None:
    docs = TABLE_OF["LegalDoc"]
    found = tiny.find(docs, LOOKUP_OF["get_legal_document_law_list"].match, (FIRM,))
    assert [row.cells[docs.place["标题"]] for row in found] == ["第12份判决书", "第3份判决书"]
    courts = LOOKUP_OF["get_court_info_list"]
    assert len(tiny.find(courts.table, courts.match, REGION)) == 1
    assert tiny.find(courts.table, courts.match, (*REGION[:2], "别处")) == []


def test_counts_texts_and_what_the_file_says_of_itself(tiny: World) -> None:
    assert tiny.count("LegalDoc") == 3
    assert tiny.count("LegalAbstract") == 0
    assert tiny.count("LegalArticle") == 2
    assert list(tiny.texts("LegalCases")) == tiny_world.TEXTS["LegalCases"]
    assert (tiny.source, tiny.meta["note"]) == ("test", "fictional")
    assert tiny.unobserved("LegalDoc") == 0


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    one, two = (tiny_world.write(tmp_path / name) for name in ("one.sqlite", "two.sqlite"))
    assert one.read_bytes() == two.read_bytes()
    other = tmp_path / "other.sqlite"
    write_world(other, {"AddrInfo": tiny_world.TABLES["AddrInfo"]}, {}, source="test")
    assert len({World.open(file).fingerprint for file in (one, two, other)}) == 2


def test_a_column_that_is_not_there_is_unobserved_and_a_blank_one_is_not(tmp_path: Path) -> None:
    file = tmp_path / "world.sqlite"
    rows: list[Row] = [{"地址": "甲路1号", "省份": None, "城市": float("nan")}]
    write_world(file, {"AddrInfo": rows}, {}, source="test")
    world = World.open(file)
    table = TABLE_OF["AddrInfo"]
    (found,) = world.find(table, table.matches[0], ("甲路1号",))
    assert found.cells == ("甲路1号", None, None, None)
    assert unobserved_columns(table, found.unseen) == ("区县",)
    assert world.unobserved("AddrInfo") == 1


def test_a_recorded_answer_goes_before_the_rows_and_only_it_shows_fragments(tmp_path: Path) -> None:
    file = tmp_path / "world.sqlite"
    match = Match(("案号",))
    rows: list[Row] = [{"案号": "甲", "文件名": "一"}, {"案号": "甲", "文件名": "二"}]
    write_world(
        file,
        {"LegalAbstract": rows},
        {},
        source="test",
        fragments={"LegalAbstract": [{"案号": "乙"}]},
        recorded=[
            RecordedAnswer("LegalAbstract", match, ("丙",), (2, FRAGMENTS)),
            RecordedAnswer("LegalAbstract", match, ("甲",), ()),
        ],
    )
    world = World.open(file)
    assert [row["文件名"] for row in world.rows("LegalAbstract", "案号", "丙")] == ["二", None]
    assert world.rows("LegalAbstract", "案号", "甲") == []
    assert world.rows("LegalAbstract", "案号", "乙") == []
    assert world.count("LegalAbstract") == 2


def test_no_look_up_walks_a_table(tiny: World) -> None:
    for table in TABLES:
        for match in table.matches:
            for first in (True, False):
                sql = selection(table.name, table.names, match.columns, match.rule, first=first)
                marks = ("x",) * len(match.columns)
                plan = tiny.connection.execute(f"EXPLAIN QUERY PLAN {sql}", marks).fetchall()
                steps = [step for *_, step in plan if table.name in step]
                assert steps
                for step in steps:
                    assert "USING INDEX" in step or "COVERING INDEX" in step or "rowid=?" in step


def test_wrong_tables_columns_and_cells_are_named(tmp_path: Path, tiny: World) -> None:
    file = tmp_path / "bad.sqlite"
    with pytest.raises(UsageError, match="no table is called 'Nothing'"):
        write_world(file, {"Nothing": []}, {}, source="test")
    with pytest.raises(UsageError, match="no collection"):
        write_world(file, {}, {"Nothing": []}, source="test")
    for row, what in (
        ({"地址": "甲", "邮编": "1"}, "邮编"),
        ({"地址": True}, "bool"),
        ({"地址": 2**70}, "int"),
        ({"地址": "\ud800"}, "half a character"),
    ):
        with pytest.raises(DataError, match=f"row 2.*{what}") as caught:
            write_world(file, {"AddrInfo": [{"地址": "好"}, row]}, {}, source="mine")
        assert "mine" in str(caught.value)
    assert not list(tmp_path.iterdir())
    with pytest.raises(UsageError, match="no column '邮编'"):
        tiny.rows("AddrInfo", "邮编", "1")
    with pytest.raises(UsageError, match="no table"):
        tiny.count("sqlite_master")
    with pytest.raises(UsageError, match="no collection"):
        list(tiny.texts("AddrInfo"))


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no world here"):
        World.open(tmp_path / "absent.sqlite")
    text = tmp_path / "text.sqlite"
    text.write_text("not a database, but long enough to be looked at" * 20)
    with pytest.raises(DataError, match="cannot be read as a world"):
        World.open(text)
    empty = tmp_path / "empty.sqlite"
    sqlite3.connect(empty).execute("CREATE TABLE x (y)").connection.close()
    with pytest.raises(DataError, match="not a world"):
        World.open(empty)


def test_the_file_cannot_be_written_to(tiny: World) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        tiny.connection.execute("DELETE FROM LegalDoc")


def test_threads_and_other_processes_read_alike(tiny: World) -> None:
    sizes: set[int] = set()

    def read() -> None:
        for _ in range(200):
            sizes.add(len(tiny.rows("LegalDoc", "关联公司", COMPANY)))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sizes == {3}
    assert pickle.loads(pickle.dumps(tiny)).fingerprint == tiny.fingerprint


def test_rows_are_streamed(tmp_path: Path) -> None:
    import tracemalloc

    def many(number: int) -> Iterator[Row]:
        for at in range(number):
            yield {"地址": f"星光路{at}号", "省份": "云川省", "城市": "云川市", "区县": "青岚区"}

    peaks = []
    for number in (5_000, 50_000):
        tracemalloc.start()
        write_world(tmp_path / "large.sqlite", {"AddrInfo": many(number)}, {}, source="test")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.5
