"""The benchmark's own world answers every recorded call as it was answered then."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hengfa.data.catalogue import load_entry
from hengfa.data.install import add
from hengfa.data.jsonfile import read_lines
from hengfa.errors import DataError
from hengfa.world import TABLES, World
from hengfa.world.opening import open_local, open_world, recovered_world
from hengfa.world.schema import LOOKUP_OF
from hengfa.world.tools import Status, Toolbox

pytestmark = pytest.mark.shared

BLANK = float("nan")


def lines(shared: Path, name: str) -> list[dict[str, Any]]:
    file = shared / "data" / "LegalAgentBench" / f"replay_{name}.jsonl"
    return [line for _, line in read_lines(file, dict[str, Any])]


def arguments(record: dict[str, Any], **more: Any) -> dict[str, Any]:
    given = record["identifier"]
    values = [given] if isinstance(given, str) else given
    return dict(zip(LOOKUP_OF[record["tool"]].arguments, values, strict=True)) | more


def shown(row: dict[str, Any], columns: list[str]) -> dict[str, Any]:
    """As Python writes what pandas gave: a blank cell is nan."""
    return {name: BLANK if row[name] is None else row[name] for name in columns}


def test_all_single_answers_are_as_recorded(shared: Path, recovered: World) -> None:
    toolbox = Toolbox(recovered)
    singles = lines(shared, "singles")
    assert len(singles) == 460
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


def test_all_lists_are_as_recorded_whole_and_in_order(shared: Path, recovered: World) -> None:
    toolbox = Toolbox(recovered)
    lists = lines(shared, "lists")
    assert len(lists) == 312
    complete = 0
    for record in lists:
        columns = record["known_columns"]
        found = toolbox.call(record["tool"], arguments(record, columns=columns))
        assert found.text == str([shown(row, columns) for row in record["rows"]]), record["tool"]
        assert (len(found.rows), found.unobserved) == (record["n"], 0)
        if record["complete_columns"]:
            complete += 1
            everything = toolbox.call(record["tool"], arguments(record))
            names = list(LOOKUP_OF[record["tool"]].table.names)
            assert everything.text == str([shown(row, names) for row in record["rows"]])
            assert everything.unobserved == 0
    assert complete == 159


def test_all_misses_find_nothing_whatever_the_columns(shared: Path, recovered: World) -> None:
    toolbox = Toolbox(recovered)
    misses = lines(shared, "misses")
    assert len(misses) == 768
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
    for record in lines(shared, "singles") + lines(shared, "lists"):
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
