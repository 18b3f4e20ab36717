"""Predictions that other tools saved, to attempts: whose they are, and which sample each answers.

A suite declares the layouts in which people have them on disk; `RowLayout` is the usual one, a file
for each task. Lines of `{task, id, prediction}` are read for every suite.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from hengfa.base.data.catalogue import load_entry
from hengfa.base.data.jsonfile import read_rows
from hengfa.base.data.packs import repair
from hengfa.base.errors import DataError, UsageError, counted
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites.base import Attempt, PredictionContext, Sample, SavedRun, Suite
from hengfa.evals.suites.line_predictions import read_line_predictions
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
    if runs := read_line_predictions(suite.name, path, context):
        return runs
    known = [layout.expected for layout in suite.layouts]
    raise UsageError(
        f"{path} holds no {suite.name} predictions: expected "
        + "; ".join([*known, "files *.jsonl of task, id and prediction"])
    )


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
        files: dict[tuple[str, str], dict[str, Path]] = {}
        for file in _files(path.resolve()):
            if (named := self._named(suite, file, context.setting)) is None:
                continue
            of_run = files.setdefault((named.model, named.setting), {})
            if named.task in of_run:
                raise DataError(f"task {named.task} is in {of_run[named.task]} too", file=file)
            of_run[named.task] = file
        number = suite.layouts.index(self)
        return [
            RowRun(model, setting, suite.name, number, tuple(of_run.items()), context)
            for (model, setting), of_run in files.items()
        ]

    def _named(self, suite: Suite, file: Path, setting: str) -> _Named | None:
        matched = _expression(self.pattern).search(file.as_posix())
        if matched is None:
            return None
        parts = matched.groupdict()
        setting = parts.get("setting", setting)
        setting = self.settings.get(setting, setting)
        task = parts.get("task") or (next(iter(suite.tasks)) if len(suite.tasks) == 1 else "")
        if task not in suite.tasks or setting not in suite.settings:
            return None
        return _Named(parts.get("model") or file.parent.name, setting, task)


class _Named(NamedTuple):
    """What the name of a file says of it."""

    model: str
    setting: str
    task: str


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    yield from (file for file in sorted(path.rglob("*")) if file.name.endswith(_FILES))


@lru_cache(maxsize=64)
def _expression(pattern: str) -> re.Pattern[str]:
    """The pattern as an expression: what stands in braces is any name without a slash."""
    words = re.split(r"\{(\w+)\}", pattern)
    parts = (
        f"(?P<{word}>[^/]+)" if place % 2 else re.escape(word) for place, word in enumerate(words)
    )
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
        file, known = dict(self.files)[task], self._known(task)
        texts, other = self._texts(task, known)
        missing = [id_ for id_ in known if id_ not in texts]
        if missing and not self.context.partial:
            release = (
                f"; {counted(other, 'row')} to other questions than the data has" if other else ""
            )
            raise DataError(
                f"no prediction for {len(missing)} of {len(known)} samples, the first of them "
                f"{missing[0]}{release}; --partial scores what is there",
                file=file,
                row=f"{task}/{missing[0]}",
            )
        return [
            Attempt(sample, Response(Status.ANSWERED, text=texts[id_]))
            for id_, sample in known.items()
            if id_ in texts
        ]

    def notices(self, task: str) -> Sequence[str]:
        if self._layout().same is None:
            return ()
        texts, other = self._texts(task, self._known(task))
        if not other:
            return ()
        notice = (
            f"{self.model}, {task}: {other} of {other + len(texts)} predictions answer other "
            "questions than today's data has (made with another release?) and are left out"
        )
        return (notice,)

    def _known(self, task: str) -> Mapping[str, Sample]:
        suite = get_suite(self.suite)
        if self.context.data is None:
            raise UsageError(
                f"the references are in the data, and the pack {suite.pack!r} is not installed: "
                f"{repair(load_entry(suite.pack))}, or name a folder with --data"
            )
        options = dict(self.context.options)
        samples = suite.tasks[task].samples(self.context.data, self.setting, options)
        return {sample.id: sample for sample in samples}

    def _texts(self, task: str, known: Mapping[str, Sample]) -> tuple[dict[str, str], int]:
        """Texts by the id of the sample they answer, and how many rows answer none of today's."""
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
        return texts, other

    def _layout(self) -> RowLayout[Any]:
        layout = get_suite(self.suite).layouts[self.layout]
        assert isinstance(layout, RowLayout)  # noqa: S101 - it was made by one
        return layout
