"""Predictions as rows of `{task, id, prediction}`, with every doubt said.

Rows are the JSON lines of a file, also gzipped, or they are in memory; both are read alike.

The references come from the data, so setting and options must be those of the questions.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from hengfa.base.data.catalogue import load_entry
from hengfa.base.data.jsonfile import problem_and_field, read_lines
from hengfa.base.data.packs import repair
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites.base import Attempt, PredictionContext, Sample, SavedRun
from hengfa.evals.suites.registry import get_suite


class Line(NamedTuple):
    """A prediction and the row it stands in."""

    text: str
    row: int


Lines = Mapping[str, Mapping[str, Line]]
"""Predictions by task and id."""


class Rows(NamedTuple):
    """The predictions of one model that are in memory."""

    model: str
    lines: Lines


class _Row(msgspec.Struct, frozen=True):
    task: str
    id: int | str
    prediction: str


def read_line_predictions(suite: str, path: Path, context: PredictionContext) -> list[SavedRun]:
    """The predictions of one model in a file, or of several in the files of a folder."""
    files = [path] if path.is_file() else sorted(path.glob("*.jsonl*"))
    return [LineRun(suite, file, model_of(file), context.setting, context) for file in files]


def model_of(file: Path) -> str:
    """A file of predictions is named after its model."""
    return as_text(file.name.removesuffix(".gz").removesuffix(".jsonl"))


def as_text(name: str) -> str:
    """A file name without bytes that are no UTF-8, such as Chinese in an older encoding."""
    return os.fsencode(name).decode("utf-8", "replace")


@dataclass(frozen=True)
class LineRun(SavedRun):
    """One file, which travels to other processes as its path; or rows `at_hand`, named `file`."""

    suite: str
    file: Path | str
    model: str
    setting: str
    context: PredictionContext
    at_hand: Lines | None = None

    def lines(self) -> Lines:
        return lines_by_task(Path(self.file)) if self.at_hand is None else self.at_hand

    def tasks(self) -> Sequence[str]:
        tasks = list(get_suite(self.suite).tasks)
        texts = self.lines()
        for task, lines in texts.items():
            if task not in tasks:
                row = next(iter(lines.values())).row
                problem = f"{self.suite} has no task {task!r}"
                raise DataError(problem, file=self.file, row=row, field="task")
        return sorted(texts, key=tasks.index)

    def attempts(self, task: str) -> list[Attempt]:
        lines = self.lines()[task]
        if self.context.data is None:
            pack = get_suite(self.suite).pack
            raise UsageError(
                f"{self.file}: the references are in the data, and the pack {pack!r} is not "
                f"installed: {repair(load_entry(pack))}, or name a folder with --data"
            )
        known = _known(self.suite, task, self.context.data, self.context)
        for id_, line in lines.items():
            if id_ not in known:
                problem = f"task {task} has no sample {id_!r} in {self.setting} with these options"
                raise DataError(problem, file=self.file, row=line.row, field="id")
        missing = [id_ for id_ in known if id_ not in lines]
        if missing and not self.context.partial:
            raise DataError(
                f"no prediction for {len(missing)} of {len(known)} samples, the first of them "
                f"{missing[0]}; --partial scores what is there",
                file=self.file,
                row=f"{task}/{missing[0]}",
            )
        return [
            Attempt(sample, Response(status=Status.ANSWERED, text=lines[id_].text))
            for id_, sample in known.items()
            if id_ in lines
        ]


@lru_cache(maxsize=8)
def _known(suite: str, task: str, data: Path, context: PredictionContext) -> Mapping[str, Sample]:
    options = dict(context.options)
    samples = get_suite(suite).tasks[task].samples(data, context.setting, options)
    return {sample.id: sample for sample in samples}


IN_MEMORY = "predictions"
"""What errors call rows that are in no file."""


def rows_in_memory(
    rows: Iterable[Mapping[str, object]], model: str, task: str | None = None
) -> Rows:
    """Rows as a file would have them; `task` is that of rows which name none."""

    def read(number: int, row: Mapping[str, object]) -> _Row:
        if task is not None and isinstance(row, Mapping):
            row = {"task": task, **row}
        try:
            return msgspec.convert(row, _Row)
        except msgspec.ValidationError as error:
            problem, field = problem_and_field(str(error))
            raise DataError(problem, file=IN_MEMORY, row=number, field=field) from error

    numbered = ((number, read(number, row)) for number, row in enumerate(rows, 1))
    return Rows(model, _by_task(numbered, IN_MEMORY))


def lines_by_task(file: Path) -> Lines:
    """Predictions by task and id; a file that has not changed is read once."""
    with disk_errors(file):
        seen = file.stat()
    return _read_lines(file, seen.st_mtime_ns, seen.st_size)


@lru_cache(maxsize=4)
def _read_lines(file: Path, _changed: int, _size: int) -> Lines:
    return _by_task(read_lines(file, _Row, half_pairs=True), file)


def _by_task(rows: Iterable[tuple[int, _Row]], file: Path | str) -> Lines:
    texts: dict[str, dict[str, Line]] = {}
    for number, row in rows:
        of_task = texts.setdefault(row.task, {})
        if str(row.id) in of_task:
            raise DataError(f"task {row.task} has id {row.id} twice", file=file, row=number)
        of_task[str(row.id)] = Line(row.prediction, number)
    if not texts:
        raise DataError(
            "there is nothing in this file" if isinstance(file, Path) else "there are none",
            file=file,
        )
    return texts
