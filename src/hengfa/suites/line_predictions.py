"""Saved predictions as JSON lines of `{task, id, prediction}`, also gzipped, with every doubt said.

The references come from the data, so setting and options must be those of the questions.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from hengfa.data.jsonfile import read_lines
from hengfa.data.paths import disk_errors
from hengfa.engine.messages import Response, Status
from hengfa.errors import DataError, UsageError
from hengfa.suites.base import Attempt, PredictionContext, Sample, SavedRun
from hengfa.suites.registry import get_suite


class Line(NamedTuple):
    """A prediction and the row of the file it stands in."""

    text: str
    row: int


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
    """One file; it travels to other processes as its path."""

    suite: str
    file: Path
    model: str
    setting: str
    context: PredictionContext

    def tasks(self) -> Sequence[str]:
        tasks = list(get_suite(self.suite).tasks)
        texts = lines_by_task(self.file)
        for task, lines in texts.items():
            if task not in tasks:
                row = next(iter(lines.values())).row
                problem = f"{self.suite} has no task {task!r}"
                raise DataError(problem, file=self.file, row=row, field="task")
        return sorted(texts, key=tasks.index)

    def attempts(self, task: str) -> list[Attempt]:
        lines = lines_by_task(self.file)[task]
        if self.context.data is None:
            pack = get_suite(self.suite).pack
            raise UsageError(
                f"{self.file}: the references are in the data, and the pack {pack!r} is not "
                f"installed: run `hengfa data pull {pack}` or `hengfa data add {pack} DIR`; or "
                "name a folder with --data"
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


def lines_by_task(file: Path) -> Mapping[str, Mapping[str, Line]]:
    """Predictions by task and id; a file that has not changed is read once."""
    with disk_errors(file):
        seen = file.stat()
    return _read_lines(file, seen.st_mtime_ns, seen.st_size)


@lru_cache(maxsize=4)
def _read_lines(file: Path, _changed: int, _size: int) -> Mapping[str, Mapping[str, Line]]:
    texts: dict[str, dict[str, Line]] = {}
    for number, row in read_lines(file, _Row, half_pairs=True):
        of_task = texts.setdefault(row.task, {})
        if str(row.id) in of_task:
            raise DataError(f"task {row.task} has id {row.id} twice", file=file, row=number)
        of_task[str(row.id)] = Line(row.prediction, number)
    if not texts:
        raise DataError("there is nothing in this file", file=file)
    return texts
