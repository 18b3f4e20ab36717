"""The two tables of a run: records of values, and rows of texts.

Parquet, readable with Polars, DuckDB or pandas, never half-written. Once a run is scored they are
all that statistics, comparison, report and export need: neither the data nor a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeAlias, TypeVar

import msgspec

from hengfa.base.data.output import whole_file
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError

if TYPE_CHECKING:
    import polars as pl


class Record(msgspec.Struct, frozen=True):
    """A value and everything needed to know what it is a value of.

    `value` is null where the response is no answer (`status` says why) or where the rule leaves the
    sample out (`counted` is false): a failure never looks like a zero. `strict` is what the sample
    adds to the strict figure: its value, or what silence counts. `instrument` declares the
    segmenter and dictionary a value depends on, `data` the exact files; `cluster` names what
    samples share, such as a law or a case, so that they are not counted as independent; `repeat`
    counts from 1 where a question was asked more than once; `grader` is whose score it is, where
    there are graders, and `instrument` then says by which prompt, rubric and options too.
    """

    FOLDER: ClassVar[str] = "records"

    run: str
    suite: str
    task: str
    setting: str
    rules: str
    model: str
    sample: str
    metric: str
    value: float | None
    counted: bool
    status: str
    answer_status: str | None
    input_tokens: int | None
    output_tokens: int | None
    seconds: float | None
    instrument: str | None
    data: str
    cluster: str | None = None
    strict: float | None = None
    repeat: int = 1
    grader: str | None = None


class ResponseRow(msgspec.Struct, frozen=True):
    """What was asked, what came back, and how it was read under one set of rules.

    With it a run can be reported on any machine: neither the data nor the suite is needed to show
    a question beside its answer. `facets` and `trace` are JSON: the kinds a sample is of (its law,
    its number of hops), and a :class:`~hengfa.evals.results.trace.Trace`. `cluster` names what
    samples share, `reason` is why there is no answer, `cost` is in `currency`, null where no price
    is known.
    """

    FOLDER: ClassVar[str] = "responses"

    run: str
    suite: str
    task: str
    setting: str
    rules: str
    model: str
    sample: str
    cluster: str | None
    facets: str
    status: str
    answer_status: str | None
    prompt: str
    reference: str
    response: str
    reasoning: str
    extracted: str
    trace: str
    input_tokens: int | None
    output_tokens: int | None
    seconds: float | None
    cost: float | None
    currency: str | None
    reason: str | None = None
    repeat: int = 1
    grader: str | None = None


Row: TypeAlias = Record | ResponseRow
R = TypeVar("R", Record, ResponseRow)


def write_records(records: Sequence[Record], file: Path) -> None:
    """Write one file of records; it appears whole or not at all."""
    _write(records, Record, file)


def write_responses(responses: Sequence[ResponseRow], file: Path) -> None:
    """Write one file of responses; it appears whole or not at all."""
    _write(responses, ResponseRow, file)


def read_records(
    places: Iterable[Path], columns: Sequence[str] = (), where: pl.Expr | None = None
) -> pl.DataFrame:
    """All records in these Parquet files and run folders, or only some columns and rows of them."""
    return _read_rows(places, Record, columns, where)


def read_responses(
    places: Iterable[Path], columns: Sequence[str] = (), where: pl.Expr | None = None
) -> pl.DataFrame:
    """All responses in these Parquet files and run folders, or only some columns and rows."""
    return _read_rows(places, ResponseRow, columns, where)


def _write(rows: Sequence[R], kind: type[R], file: Path) -> None:
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    columns = {
        field.name: [getattr(row, field.name) for row in rows]
        for field in msgspec.structs.fields(kind)
    }
    frame = pl.DataFrame(columns, schema=_schema(kind))
    with disk_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file) as stream:
        try:
            frame.write_parquet(stream, compression="zstd")
        except pl.exceptions.ComputeError as error:  # as which Polars hands on what the disk said
            raise DataError(f"cannot be written: {error}", file=file) from error


def _read_rows(
    places: Iterable[Path], kind: type[Row], columns: Sequence[str], where: pl.Expr | None
) -> pl.DataFrame:
    """Rows of a kind; a column that an older version did not write is null.

    What is not asked for is not read from the disk: texts are most of what there is.
    """
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    files: list[Path] = []
    for place in places:
        tables = _tables(place, kind) if place.is_dir() else [place]
        if not tables:
            raise DataError(f"there are no {kind.FOLDER} here; score the run first", file=place)
        files.extend(tables)
    try:
        rows = pl.scan_parquet(_sources(files), schema=_schema(kind), missing_columns="insert")
        rows = rows.with_columns(pl.col("repeat").fill_null(1))
        chosen = rows if where is None else rows.filter(where)
        return chosen.select(columns or pl.all()).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        named = ", ".join(map(str, files[:3])) + (", …" if len(files) > 3 else "")
        raise DataError(f"not a file of {kind.FOLDER}: {error}", file=named) from None


def _tables(place: Path, kind: type[Row]) -> list[Path]:
    """The tables below a folder, without those that were put aside."""
    return [
        file
        for file in sorted(place.rglob(f"{kind.FOLDER}/*.parquet"))
        if not any(part.startswith(".") for part in file.relative_to(place).parts)
    ]


def _sources(files: list[Path]) -> list[Path] | list[bytes]:
    """What Polars is given: it opens no file whose name is not UTF-8."""
    try:
        "".join(map(str, files)).encode()
    except UnicodeEncodeError:
        return [file.read_bytes() for file in files]
    return files


def _schema(kind: type[Row]) -> dict[str, pl.DataType]:
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    numbers = {
        "value": pl.Float64(),
        "strict": pl.Float64(),
        "seconds": pl.Float64(),
        "cost": pl.Float64(),
        "counted": pl.Boolean(),
        "input_tokens": pl.Int64(),
        "output_tokens": pl.Int64(),
        "repeat": pl.Int64(),
    }
    return {
        field.name: numbers.get(field.name, pl.String()) for field in msgspec.structs.fields(kind)
    }
