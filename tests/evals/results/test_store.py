"""Records on disk: any tool can read them, and they are never half-written."""

from __future__ import annotations

from pathlib import Path

import msgspec
import polars as pl
import pytest

from hengfa.base.errors import DataError
from hengfa.evals.results.tables import Record, read_records, write_records

RECORD = Record(
    run="r",
    suite="lawbench",
    task="1-1",
    setting="zero_shot",
    rules="official",
    model="m",
    sample="0",
    metric="rouge_l",
    value=0.25,
    counted=True,
    status="answered",
    answer_status="extracted",
    input_tokens=10,
    output_tokens=None,
    seconds=0.5,
    instrument="jieba",
    data="abc",
)


def test_records_come_back_as_they_were(tmp_path: Path) -> None:
    failed = msgspec.structs.replace(RECORD, sample="1", value=None, status="failed")
    write_records([RECORD, failed], tmp_path / "records" / "1-1.official.parquet")
    frame = read_records([tmp_path])
    assert frame.rows(named=True) == [msgspec.to_builtins(RECORD), msgspec.to_builtins(failed)]


def test_the_shape_is_the_same_when_a_column_holds_nothing(tmp_path: Path) -> None:
    empty = msgspec.structs.replace(RECORD, value=None, input_tokens=None, instrument=None)
    write_records([RECORD], tmp_path / "records" / "a.parquet")
    write_records([empty], tmp_path / "records" / "b.parquet")
    write_records([], tmp_path / "records" / "c.parquet")
    frame = read_records([tmp_path])
    assert frame.height == 2
    assert frame.schema["value"] == pl.Float64
    assert frame.schema["input_tokens"] == pl.Int64


def test_duckdb_reads_them(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    write_records([RECORD], tmp_path / "records" / "a.parquet")
    query = f"select avg(value), count(*) from '{tmp_path}/records/*.parquet'"
    assert duckdb.sql(query).fetchall() == [(0.25, 1)]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "records" / "a.parquet"
    write_records([RECORD], file)
    before = file.read_bytes()

    def no_space(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", no_space)
    with pytest.raises(DataError, match=r"a\.parquet: no space left"):
        write_records([RECORD, RECORD], file)
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_a_place_without_records_and_a_file_that_is_none_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no records here"):
        read_records([tmp_path])
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 nonsense")
    with pytest.raises(DataError, match=r"broken\.parquet"):
        read_records([broken])
