"""Records on disk: Parquet, readable with Polars, DuckDB or pandas, never half-written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hengfa.errors import DataError
from hengfa.results.record import Record

if TYPE_CHECKING:
    import polars as pl


def write_records(records: Sequence[Record], file: Path) -> None:
    """Write one Parquet file; it appears whole or not at all."""
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    columns = {
        field.name: [getattr(record, field.name) for record in records]
        for field in msgspec.structs.fields(Record)
    }
    frame = pl.DataFrame(columns, schema=_schema())
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as part:
        try:
            frame.write_parquet(part, compression="zstd")
            part.flush()
            os.fsync(part.fileno())
            Path(part.name).replace(file)
        except BaseException:
            Path(part.name).unlink(missing_ok=True)
            raise


def read_records(places: Iterable[Path]) -> pl.DataFrame:
    """All records in these Parquet files and run folders."""
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    files: list[Path] = []
    for place in places:
        found = sorted(place.rglob("records/*.parquet")) if place.is_dir() else [place]
        if not found:
            raise DataError("there are no records here; score the run first", file=place)
        files.extend(found)
    try:
        frames = [pl.read_parquet(file, schema=_schema()) for file in files]
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(
            f"not a file of records: {error}", file=", ".join(map(str, files))
        ) from None
    return pl.concat(frames)


def _schema() -> dict[str, pl.DataType]:
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    numbers = {
        "value": pl.Float64(),
        "seconds": pl.Float64(),
        "counted": pl.Boolean(),
        "input_tokens": pl.Int64(),
        "output_tokens": pl.Int64(),
    }
    return {
        field.name: numbers.get(field.name, pl.String()) for field in msgspec.structs.fields(Record)
    }
