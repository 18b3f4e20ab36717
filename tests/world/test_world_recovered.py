"""The benchmark's own world answers every recorded call as it was answered then."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hengfa.base.data.catalogue import load_entry
from hengfa.base.data.install import add
from hengfa.base.data.jsonfile import read_lines
from hengfa.base.errors import DataError
from hengfa.law.library.building.build import build_library
from hengfa.law.library.store import default_file
from hengfa.world.opening import open_local, open_world, recovered_world
from hengfa.world.tables.schema import LOOKUP_OF, TABLES
from hengfa.world.tables.world import World
from hengfa.world.tools.observation import Status
from hengfa.world.tools.toolbox import Toolbox
from tests.law.library.fictional import row, write_rows

pytestmark = pytest.mark.shared

BLANK = float("nan")


class Replay(NamedTuple):
    """A world, and the records that it must answer."""

    records: Path
    world: World


@pytest.fixture(params=["as added", "derived, asked the same", "derived, asked all"])
def replay(request: pytest.FixtureRequest, shared: Path) -> Replay:
    world = request.getfixturevalue("recovered" if "added" in request.param else "derived")
    if request.param.endswith("all"):
        return Replay(request.getfixturevalue("derived_pack"), world)
    return Replay(shared / "data" / "LegalAgentBench", world)


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    file = folder / f"replay_{name}.jsonl"
    return [line for _, line in read_lines(file, dict[str, Any])]


def arguments(record: dict[str, Any], **more: Any) -> dict[str, Any]:
    given = record["identifier"]
    values = [given] if isinstance(given, str) else given
    return dict(zip(LOOKUP_OF[record["tool"]].arguments, values, strict=True)) | more


def shown(row: dict[str, Any], columns: list[str]) -> dict[str, Any]:
    """As Python writes what pandas gave: a blank cell is nan."""
    return {name: BLANK if row[name] is None else row[name] for name in columns}


def test_all_single_answers_are_as_recorded(replay: Replay) -> None:
    toolbox = Toolbox(replay.world)
    singles = lines(replay.records, "singles")
    assert len(singles) in {460, 480}
    for record in singles:
        columns = list(record["cells"])
        found = toolbox.call(record["tool"], arguments(record, columns=columns))
        if record["tool"] == "get_company_register_name":
            assert found.text == record["cells"]["公司名称"]
        else:
            assert found.text == str(shown(record["cells"], columns)), record
        assert (found.status, found.unobserved) == (Status.OK, 0)
        backwards = columns[::-1]
        if record["tool"] != "get_company_register_name":
            found = toolbox.call(record["tool"], arguments(record, columns=backwards))
            assert found.text == str(shown(record["cells"], backwards))
            wrong = toolbox.call(record["tool"], arguments(record, columns=["没有这一列"]))
            assert wrong.text == "One or more specified columns do not exist."


def test_all_lists_are_as_recorded_whole_and_in_order(replay: Replay) -> None:
    toolbox = Toolbox(replay.world)
    lists = lines(replay.records, "lists")
    assert len(lists) in {312, 316}
    complete = 0
    for record in lists:
        columns = list(record["rows"][0])
        names = list(LOOKUP_OF[record["tool"]].table.names)
        found = toolbox.call(record["tool"], arguments(record, columns=columns))
        assert found.text == str([shown(row, columns) for row in record["rows"]]), record["tool"]
        assert (len(found.rows), found.unobserved) == (len(record["rows"]), 0)
        if columns == names:
            complete += 1
            everything = toolbox.call(record["tool"], arguments(record))
            assert everything.text == str([shown(row, names) for row in record["rows"]])
            assert everything.unobserved == 0
    assert complete >= 155


def test_all_misses_find_nothing_whatever_the_columns(replay: Replay) -> None:
    toolbox = Toolbox(replay.world)
    misses = lines(replay.records, "misses")
    assert len(misses) in {768, 778}
    for record in misses:
        for columns in ([], ["没有这一列"]):
            found = toolbox.call(record["tool"], arguments(record, columns=columns))
            assert found.text == "No data found for the specified identifier."
            assert found.status is Status.NO_DATA


def test_cells_that_were_never_observed_are_null_and_counted(
    shared: Path, recovered: World
) -> None:
    toolbox = Toolbox(recovered)
    counted: Counter[str] = Counter()
    folder = shared / "data" / "LegalAgentBench"
    for record in lines(folder, "singles") + lines(folder, "lists"):
        found = toolbox.call(record["tool"], arguments(record))
        blanks = sum(cell is None for row in found.rows for cell in row.values())
        assert found.unobserved <= blanks
        counted["unobserved"] += found.unobserved
        counted["cells"] += sum(map(len, found.rows))
    assert counted == {"unobserved": 11_007, "cells": 43_289}


def test_doubtful_rows_are_left_out_and_courts_filled_in(recovered: World) -> None:
    rows = {table.name: recovered.count(table.name) for table in TABLES}
    assert rows["LawfirmInfo"] == 1_105 - 138
    assert rows["LegalDoc"] == 1_328 - 51
    assert rows["CourtCode"] == 3_582
    assert recovered.unobserved("CourtCode") == 1  # the class of the supreme court
    assert recovered.count("LegalArticle") == 1_637


def test_it_is_made_from_the_pack_on_first_use(shared: Path, own_home: Path) -> None:
    with pytest.raises(DataError, match="data add legalagentbench"):
        recovered_world()
    add(load_entry("legalagentbench"), shared / "data" / "LegalAgentBench")
    with open_local() as world:
        file, first = world.path, world.path.stat().st_mtime_ns
        assert file.is_relative_to(own_home)
        assert world.source == "recovered"
    again = open_world("recovered")
    assert isinstance(again, World)
    assert again.path.stat().st_mtime_ns == first


def test_with_a_law_library_it_has_the_articles_that_no_run_was_shown(
    shared: Path, own_home: Path
) -> None:
    add(load_entry("legalagentbench"), shared / "data" / "LegalAgentBench")
    with recovered_world() as world:
        before = set(world.texts("LegalArticle"))
    rows = [
        row(title, "2001-01-01", f"# {title}\n\n**第一条**　灯塔须长明。\n", effective="2001-01-01")
        for title in ("中华人民共和国劳动合同法", "月湖灯塔法")
    ]
    folder = write_rows(own_home / "laws", rows)
    build_library([folder], default_file())
    with recovered_world() as world:
        texts = set(world.texts("LegalArticle"))
        assert texts - before == {"月湖灯塔法第一条：灯塔须长明。"}
        assert before < texts  # what runs were shown of the other law stays
        assert "library" in world.meta["note"]
