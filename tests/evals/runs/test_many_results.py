"""Runs of many responses: only what is needed is read, and it is what a plain reader reads."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.bounded import told_within
from tests.evals.report.made import Made, make_run

from hengfa.evals.results.tables import (
    read_records,
    read_responses,
    read_table,
    records_file,
    responses_file,
)
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.registry import get_suite

SAMPLES = 50_000
REASONING = "蜂" * 3_000
"""Packs to nothing on disk, and is 450 MB in each run for whoever reads its responses whole."""
MEGABYTES = 400


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of fifty laws, a thousand samples each: 200,000 records of 100,000 responses."""
    folder = tmp_path_factory.mktemp("many")
    for number, model in enumerate(("甲", "乙")):
        laws = [Made((law + number) % 3 / 2, more={"length": 1.0}) for law in range(50)]
        run = make_run(folder / model, {"1-1": laws}, model=model, data_source="sample")
        for file in (records_file, responses_file):
            multiply(file(run, "1-1", Rules.OFFICIAL))
    return folder


def multiply(file: Path) -> None:
    rows = pl.read_parquet(file).with_columns(cluster=pl.lit("法") + pl.col("sample"))
    often = pl.DataFrame({"copy": range(SAMPLES // 50)}).join(rows, how="cross")
    often = often.with_columns(sample=pl.format("{}-{}", "sample", "copy")).drop("copy")
    if "facets" in rows.columns:
        law = pl.concat_str(pl.lit('{"law":"'), "cluster", pl.lit('"}'))
        often = often.with_columns(facets=law, reasoning=pl.lit(REASONING) + pl.col("sample"))
    often.write_parquet(file, compression="zstd")


RESULTS = """
from hengfa.evals.runs.breakdown import break_down
told = break_down(runs / "甲", "law").tasks[0]
assert (told.whole.figure.n, len(told.kinds)) == (50_000, 50)
"""
COMPARE = """
from hengfa.evals.runs.compare import compare_runs
told = compare_runs([runs / "甲", runs / "乙"])
assert told.rows["1-1"].estimates[0].samples == 50_000
"""
REPORT = """
import hengfa
assert hengfa.report(runs, out=runs.parent / "site", samples=100).exists()
"""


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(RESULTS, id="results"),
        pytest.param(COMPARE, id="compare", marks=pytest.mark.deep),
        pytest.param(REPORT, id="report", marks=pytest.mark.deep),
    ],
)
def test_texts_that_are_not_shown_are_not_read(runs: Path, code: str) -> None:
    opened = f"from pathlib import Path\nruns = Path({str(runs)!r})\n"
    assert told_within(opened + code, MEGABYTES) == "no error"


def test_some_columns_and_rows_are_those_of_the_whole_table(runs: Path) -> None:
    file = responses_file(runs / "甲", "1-1", Rules.OFFICIAL)
    few = pl.col("sample").is_in(["7-3", "9-999"])
    whole = read_responses([file])
    chosen = read_responses([file], ["response", "sample"], few & (pl.col("repeat") == 1))
    assert chosen.equals(whole.filter(few).select("response", "sample"))
    assert len(chosen) == 2


def test_a_table_without_repeats_can_be_asked_for_the_first(tmp_path: Path) -> None:
    """Early versions had no such column."""
    file = records_file(make_run(tmp_path, {"1-1": [Made(1.0)]}), "1-1", Rules.OFFICIAL)
    pl.read_parquet(file).drop("repeat").write_parquet(file)
    assert len(read_records([file], ["sample"], pl.col("repeat") == 1)) == 1


def plainly_read(file: Path) -> dict[str, Any]:
    """A table row by row: what each response counts in each metric."""
    rows = pl.read_parquet(file).rows(named=True)
    responses = {(row["sample"], row["repeat"]): row for row in reversed(rows)}
    order = list(dict.fromkeys((row["sample"], row["repeat"]) for row in rows))
    columns: dict[str, list[float]] = {}
    for row in rows:
        metric, is_rest = row["metric"], row["metric"] == "abstained"
        rest = [float(is_rest and responses[key]["answer_status"] == "abstained") for key in order]
        column = columns.setdefault(metric, rest if is_rest else [np.nan] * len(order))
        counts = row["value"] if row["strict"] is None else row["strict"]
        value = 0.0 if counts is None else counts
        column[order.index((row["sample"], row["repeat"]))] = value if row["counted"] else np.nan
    return {
        "samples": tuple(sample for sample, _ in order),
        "repeats": tuple(repeat for _, repeat in order),
        "statuses": tuple(responses[key]["status"] for key in order),
        "answers": tuple(responses[key]["answer_status"] for key in order),
        "clusters": tuple(responses[key]["cluster"] for key in order),
        "columns": columns,
    }


def test_a_table_is_what_a_plain_reader_makes_of_its_rows(tmp_path: Path) -> None:
    made = [Made(0.5, more={"abstained": 1.0}), Made(None), Made(0.25), Made(1.0)]
    run = make_run(tmp_path, {"1-1": made})
    file = records_file(run, "1-1", Rules.OFFICIAL)
    rows = pl.read_parquet(file)
    again = rows.with_columns(repeat=pl.lit(2, pl.Int64), value=pl.col("value") / 2)
    odd = pl.concat([again.reverse(), rows]).with_columns(
        counted=pl.col("sample") != "3",
        strict=pl.when(pl.col("sample") == "2").then(0.125),
        cluster=pl.when(pl.col("sample") == "0").then(pl.lit("甲法")),
        answer_status=pl.when(pl.col("sample") == "2")
        .then(pl.lit("abstained"))
        .otherwise("answer_status"),
    )
    odd.write_parquet(file)
    table, plain = read_table(run, "1-1", Rules.OFFICIAL), plainly_read(file)
    assert list(table.columns) == list(plain["columns"])
    for name, column in table.columns.items():
        np.testing.assert_array_equal(column, plain["columns"][name])
    for name in ("samples", "repeats", "statuses", "answers", "clusters"):
        assert getattr(table, name) == plain[name]


def test_a_table_goes_when_it_is_no_longer_needed(tmp_path: Path) -> None:
    """Of many runs one after the other only one is in memory, without waiting for the collector."""
    table = read_table(make_run(tmp_path, {"1-1": [Made(1.0), Made(0.0)]}), "1-1", Rules.OFFICIAL)
    gone = weakref.ref(table)
    gc.disable()
    try:
        assert table.figure(get_suite("lawbench").tasks["1-1"].recipe(Rules.OFFICIAL)).score == 0.5
        del table
        assert gone() is None
    finally:
        gc.enable()
