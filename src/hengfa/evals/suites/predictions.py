"""Predictions that other tools saved, to attempts: whose they are, and which sample each answers.

A suite declares the layouts in which people have them on disk; `RowLayout` is the usual one, a file
for each task. Rows of `{task, id, prediction}` are read for every suite: the JSON lines of a file,
also gzipped, or rows in memory. The references come from the data, so setting and options must be
those of the questions.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from hengfa.base.data.catalogue import load_entry
from hengfa.base.data.jsonfile import problem_and_field, read_lines, read_rows
from hengfa.base.data.packs import repair
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError, UsageError, counted
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites.base import Attempt, PredictionContext, Sample, SavedRun, Suite
from hengfa.evals.suites.registry import get_suite

R = TypeVar("R")
_FILES = (".json", ".jsonl", ".jsonl.gz")


def read_predictions(suite: Suite, path: Path, context: PredictionContext) -> list[SavedRun]:
    """Every model's predictions in a file or folder, in the first layout that fits."""
    if not path.exists():
        raise UsageError(f"there is nothing at {path}")
    for layout in suite.layouts:
        if runs := layout.runs(suite, path, context):
            return list(runs)
    files = [path] if path.is_file() else sorted(path.glob("*.jsonl*"))
    if files:
        of, setting = suite.name, context.setting
        return [LineRun(of, file, model_of(file), setting, context) for file in files]
    known = [layout.expected for layout in suite.layouts]
    raise UsageError(
        f"{path} holds no {suite.name} predictions: expected "
        + "; ".join([*known, "files *.jsonl of task, id and prediction"])
    )


def _samples_by_id(
    suite: str, task: str, setting: str, context: PredictionContext
) -> Mapping[str, Sample] | None:
    """The samples of a task by their ids; None where the data is not here."""
    if context.data is None:
        return None
    task_ = get_suite(suite).tasks[task]
    samples = task_.samples(context.data, setting, dict(context.options))
    return {sample.id: sample for sample in samples}


_samples_again = lru_cache(maxsize=8)(_samples_by_id)


def without_data(pack: str) -> str:
    """What to do where predictions are here and the data is not."""
    return (
        f"the references are in the data, and the pack {pack!r} is not installed: "
        f"{repair(load_entry(pack))}, or name a folder with --data"
    )


def refuse_gaps(
    task: str,
    known: Iterable[str],
    there: Container[str],
    context: PredictionContext,
    file: Path | str,
    *,
    more: str = "",
    name: str = "",
) -> None:
    """A sample without a prediction does not go unnoticed, unless some are enough."""
    ids = list(known)
    missing = [id_ for id_ in ids if id_ not in there]
    if missing and not context.partial:
        raise DataError(
            f"no prediction for {len(missing)} of {len(ids)} samples, the first of them "
            f"{name}{missing[0]}{more}; --partial scores what is there",
            file=file,
            row=f"{task}/{missing[0]}",
        )


def _attempts(known: Mapping[str, Sample], texts: Mapping[str, str]) -> list[Attempt]:
    there = ((sample, texts[id_]) for id_, sample in known.items() if id_ in texts)
    return [Attempt(sample, Response(Status.ANSWERED, text=text)) for sample, text in there]


# --- a file for each task ---


@dataclass(frozen=True)
class RowLayout(Generic[R]):
    """A file for each task, or one for the only task, with a row for each sample.

    `pattern` is the end of a path: `{setting}/{model}/{task}.json`. Who has no `{model}` in it is
    called after the folder. Rows are lines, an array, or an object; `text` is what the model said.
    `id` is the sample that a row answers, where it says so; else rows are numbered as samples are.
    `same` tells whether today's sample is the one that was asked: rows that answer another, such as
    those of an older release, are left out and counted.
    """

    pattern: str
    row: type[R]
    text: Callable[[R], str]
    id: Callable[[R], object] | None = None
    same: Callable[[R, Any], bool] | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    """Names of settings on disk, where they are not ours."""

    @property
    def expected(self) -> str:
        return self.pattern

    def runs(self, suite: Suite, path: Path, context: PredictionContext) -> Sequence[SavedRun]:
        place = path.resolve()
        files: dict[tuple[str, str], dict[str, Path]] = {}
        for file in [place] if place.is_file() else sorted(place.rglob("*")):
            named = self._named(suite, file, context.setting)
            if named is None or (file != place and not file.name.endswith(_FILES)):
                continue
            model, setting, task = named
            of_run = files.setdefault((model, setting), {})
            if task in of_run:
                raise DataError(f"task {task} is in {of_run[task]} too", file=file)
            of_run[task] = file
        number = suite.layouts.index(self)
        return [
            RowRun(model, setting, suite.name, number, tuple(of_run.items()), context)
            for (model, setting), of_run in files.items()
        ]

    def _named(self, suite: Suite, file: Path, setting: str) -> tuple[str, str, str] | None:
        """Model, setting and task, as the path of a file says them."""
        matched = _expression(self.pattern).search(file.as_posix())
        if matched is None:
            return None
        parts = matched.groupdict()
        setting = parts.get("setting", setting)
        setting = self.settings.get(setting, setting)
        task = parts.get("task") or (next(iter(suite.tasks)) if len(suite.tasks) == 1 else "")
        if task not in suite.tasks or setting not in suite.settings:
            return None
        return parts.get("model") or file.parent.name, setting, task


@lru_cache(maxsize=64)
def _expression(pattern: str) -> re.Pattern[str]:
    """The pattern as an expression: what stands in braces is any name without a slash."""
    words = re.split(r"\{(\w+)\}", pattern)
    parts = (f"(?P<{w}>[^/]+)" if place % 2 else re.escape(w) for place, w in enumerate(words))
    return re.compile(f"(?:^|/){''.join(parts)}$")


@dataclass(frozen=True)
class RowRun(SavedRun):
    """One model's files in a `RowLayout`; it travels to other processes as names and paths."""

    model: str
    setting: str
    suite: str
    layout: int
    files: tuple[tuple[str, Path], ...]
    context: PredictionContext

    def tasks(self) -> Sequence[str]:
        there = {task for task, _ in self.files}
        return [task for task in get_suite(self.suite).tasks if task in there]

    def attempts(self, task: str) -> list[Attempt]:
        file, (known, texts, other) = dict(self.files)[task], self._read(task)
        more = f"; {counted(other, 'row')} to other questions than the data has" if other else ""
        refuse_gaps(task, known, texts, self.context, file, more=more)
        return _attempts(known, texts)

    def notices(self, task: str) -> Sequence[str]:
        if self._layout().same is None:
            return ()
        _, texts, other = self._read(task)
        if not other:
            return ()
        notice = (
            f"{self.model}, {task}: {other} of {other + len(texts)} predictions answer other "
            "questions than today's data has (made with another release?) and are left out"
        )
        return (notice,)

    def _read(self, task: str) -> tuple[Mapping[str, Sample], dict[str, str], int]:
        """Samples and texts by the ids of samples, and how many rows answer none of today's."""
        known = _samples_by_id(self.suite, task, self.setting, self.context)
        if known is None:
            raise UsageError(without_data(get_suite(self.suite).pack))
        layout, file = self._layout(), dict(self.files)[task]
        texts: dict[str, str] = {}
        other = 0
        for key, number, row in read_rows(file, layout.row):
            id_ = key if layout.id is None else str(layout.id(row))
            sample = known.get(id_)
            if layout.same is not None and (sample is None or not layout.same(row, sample)):
                other += 1
            elif sample is None:
                problem = f"task {task} has no sample {id_!r} in {self.setting}"
                raise DataError(problem, file=file, row=number)
            elif id_ in texts:
                raise DataError(f"the sample {id_!r} is answered twice", file=file, row=number)
            else:
                texts[id_] = layout.text(row)
        return known, texts, other

    def _layout(self) -> RowLayout[Any]:
        layout = get_suite(self.suite).layouts[self.layout]
        assert isinstance(layout, RowLayout)  # noqa: S101 - it was made by one
        return layout


# --- rows of task, id and prediction ---


class Line(NamedTuple):
    """A prediction and the row it stands in."""

    text: str
    row: int


Lines = Mapping[str, Mapping[str, Line]]  # predictions by task and id


class Rows(NamedTuple):
    """The predictions of one model that are in memory."""

    model: str
    lines: Lines


class _Row(msgspec.Struct, frozen=True):
    task: str
    id: int | str
    prediction: str


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
        known = _samples_again(self.suite, task, self.setting, self.context)
        if known is None:
            raise UsageError(f"{self.file}: {without_data(get_suite(self.suite).pack)}")
        for id_, line in lines.items():
            if id_ not in known:
                problem = f"task {task} has no sample {id_!r} in {self.setting} with these options"
                raise DataError(problem, file=self.file, row=line.row, field="id")
        refuse_gaps(task, known, lines, self.context, self.file)
        return _attempts(known, {id_: line.text for id_, line in lines.items()})


IN_MEMORY = "predictions"  # what errors call rows that are in no file


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
        in_file = isinstance(file, Path)
        problem = "there is nothing in this file" if in_file else "there are none"
        raise DataError(problem, file=file)
    return texts
