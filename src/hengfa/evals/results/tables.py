"""The two tables of a run: records of values, and rows of texts.

Parquet, readable with Polars, DuckDB or pandas, never half-written. Once a run is scored they are
all that statistics, comparison, report and export need: neither the data nor a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

import msgspec
import numpy as np

from hengfa.base.data.jsonfile import cell_decoder
from hengfa.base.data.output import whole_file
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.base.statistics.evidence import Array
from hengfa.evals.results.figures import ABSTAINED, TaskTable

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
    return _scan(places, Record, columns, where)


def read_responses(
    places: Iterable[Path], columns: Sequence[str] = (), where: pl.Expr | None = None
) -> pl.DataFrame:
    """All responses in these Parquet files and run folders, or only some columns and rows."""
    return _scan(places, ResponseRow, columns, where)


def _write(rows: Sequence[R], kind: type[R], file: Path) -> None:
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    columns = {name: [getattr(row, name) for row in rows] for name in kind.__struct_fields__}
    frame = pl.DataFrame(columns, schema=_schema(kind))
    with disk_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file) as stream:
        try:
            frame.write_parquet(stream, compression="zstd")
        except pl.exceptions.ComputeError as error:  # as which Polars hands on what the disk said
            raise DataError(f"cannot be written: {error}", file=file) from error


def _scan(
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

    numbers: dict[str, pl.DataType] = {
        **dict.fromkeys(("value", "strict", "seconds", "cost"), pl.Float64()),
        **dict.fromkeys(("input_tokens", "output_tokens", "repeat"), pl.Int64()),
        "counted": pl.Boolean(),
    }
    return {name: numbers.get(name, pl.String()) for name in kind.__struct_fields__}


# --- of a task under one set of rules ---


def read_instruments(folder: Path, task: str, rules: str) -> dict[str, str]:
    """By what each sample of a graded task was graded: who, with which prompt, rubric, options."""
    file = records_file(folder, task, rules)
    records = read_records([file], ["sample", "instrument"]).drop_nulls("instrument")
    return dict(records.unique(maintain_order=True).rows())


def records_file(folder: Path, task: str, rules: str) -> Path:
    return folder / Record.FOLDER / f"{task}.{rules}.parquet"


def responses_file(folder: Path, task: str, rules: str) -> Path:
    return folder / ResponseRow.FOLDER / f"{task}.{rules}.parquet"


def has_tables(folder: Path, task: str, rules: str) -> bool:
    """Whether values and texts of a task are there; early versions kept no texts."""
    files = records_file(folder, task, rules), responses_file(folder, task, rules)
    return all(file.is_file() for file in files)


def read_rows(
    folder: Path, task: str, rules: str, columns: Sequence[str] = (), where: pl.Expr | None = None
) -> pl.DataFrame:
    """The responses to a task with their texts, in the order in which they were scored; or only
    some columns and rows."""
    return read_responses([responses_file(folder, task, rules)], columns, where)


def read_table(folder: Path, task: str, rules: str, *, facets: bool = False) -> TaskTable:
    """What a run scored in a task; with `facets` also of which kinds its samples are."""
    frame = read_records([records_file(folder, task, rules)], _TABLE)
    response = ["sample", "repeat"]
    first = frame.unique(response, keep="first", maintain_order=True).with_row_index("place")
    frame = frame.join(first.select(*response, "place"), on=response, maintain_order="left")
    samples = tuple(first["sample"].to_list())
    columns: dict[str, Array] = {}
    counts = frame.select("metric", "place", strict=_strict(frame))
    for metric, places, values in counts.group_by("metric", maintain_order=True).all().rows():
        column = columns[metric] = np.full(len(samples), np.nan)
        if metric == ABSTAINED:  # where the rules do not say, the answer's status does
            column[:] = first["answer_status"].eq_missing(ABSTAINED).to_numpy()
        column[places] = values
    of_first = (_names(first[name]) for name in ("cluster", "status", "answer_status"))
    clusters, statuses, answers = of_first
    kinds = _read_facets(folder, task, rules, samples) if facets else ()
    repeats = tuple(first["repeat"].to_list())
    return TaskTable(samples, clusters, statuses, answers, columns, kinds, repeats)


_TABLE = (
    "sample", "repeat", "metric", "value", "counted", "strict", "cluster", "status",
    "answer_status",
)  # fmt: skip


def _names(column: pl.Series) -> tuple[Any, ...]:
    """A column of few names, each of which is in memory once."""
    names: dict[Any, Any] = {}
    return tuple(names.setdefault(name, name) for name in column.to_list())


def read_metrics(
    folder: Path, task: str, rules: str, sample: str, repeat: int = 1
) -> dict[str, float | None]:
    """What each metric of a response counts; None where the rules leave it out."""
    own = read_records([records_file(folder, task, rules)], where=_is_response(sample, repeat))
    counts = zip(
        own["metric"].to_list(), own["counted"].to_list(), _strict(own).to_list(), strict=True
    )
    return {metric: value if counted else None for metric, counted, value in counts}


def read_row(
    folder: Path, task: str, rules: str, sample: str, repeat: int = 1
) -> ResponseRow | None:
    """One response with its texts; None if it is not there."""
    rows = read_rows(folder, task, rules, where=_is_response(sample, repeat))
    return ResponseRow(**rows.row(0, named=True)) if len(rows) else None


def _is_response(sample: str, repeat: int) -> pl.Expr:
    import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

    return (pl.col("sample") == sample) & (pl.col("repeat") == repeat)


def _strict(records: pl.DataFrame) -> pl.Series:
    """What each record counts, NaN where the rules leave it out.

    Runs of format 1 do not say what silence counts: then it is nothing.
    """
    counts = records["strict"].fill_null(records["value"]).fill_null(0.0)
    return counts.set(~records["counted"], float("nan"))


def _read_facets(
    folder: Path, task: str, rules: str, samples: Sequence[str]
) -> tuple[dict[str, str], ...]:
    """Samples of the same kinds share one mapping."""
    rows = read_rows(folder, task, rules, ["sample", "facets"])
    decode = cell_decoder(dict[str, str], "facets")
    kinds = {text: decode(text) if text else {} for text in rows["facets"].unique().to_list()}
    texts = dict(rows.rows())
    return tuple(kinds.get(texts.get(sample), {}) for sample in samples)
