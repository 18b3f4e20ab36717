"""Saved predictions to (sample, response) pairs: JSON lines of `{task, id, prediction}`.

An id is the one of a sample, such as 民法典/2020-05-28/27.2.1. The gold comes from the data, so the
cut-off and the other options must be those with which the questions were made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from hengfa.engine.messages import Response, Status
from hengfa.errors import DataError, UsageError
from hengfa.suites.base import PredictionContext, Sample, SavedRun
from hengfa.suites.claw.dataset import ClawSample, load
from hengfa.suites.lawbench.prediction_files import read_lines

TASKS = ("id", "content")


def read_predictions(path: Path, context: PredictionContext) -> list[SavedRun]:
    """The predictions of one model in a file, or of several in the files of a folder."""
    if not path.exists():
        raise UsageError(f"there is nothing at {path}")
    files = [path] if path.is_file() else sorted(path.glob("*.jsonl*"))
    if not files:
        raise UsageError(f"{path} holds no CLaw predictions: expected files of JSON lines")
    return [_Lines(file, _model_of(file), context.setting, context) for file in files]


def _model_of(file: Path) -> str:
    return file.name.removesuffix(".gz").removesuffix(".jsonl")


@dataclass(frozen=True)
class _Lines:
    """One file; it travels to other processes as its path."""

    file: Path
    model: str
    setting: str
    context: PredictionContext

    def tasks(self) -> Sequence[str]:
        texts = read_lines(self.file)
        for task in texts:
            if task not in TASKS:
                row = next(iter(texts[task].values())).row
                raise DataError(f"CLaw has no task {task!r}", file=self.file, row=row, field="task")
        return sorted(texts, key=TASKS.index)

    def pairs(self, task: str) -> list[tuple[Sample, Response]]:
        lines = read_lines(self.file)[task]
        known = _known(task, self.context)
        for id_, line in lines.items():
            if id_ not in known:
                raise DataError(
                    f"task {task} has no sample {id_!r} in {self.setting} with these options",
                    file=self.file,
                    row=line.row,
                    field="id",
                )
        missing = [id_ for id_ in known if id_ not in lines]
        if missing and not self.context.partial:
            raise DataError(
                f"no prediction for {len(missing)} of {len(known)} samples, the first of them "
                f"{missing[0]}; --partial scores what is there",
                file=self.file,
                row=f"{task}/{missing[0]}",
            )
        return [
            (sample, Response(status=Status.ANSWERED, text=lines[id_].text))
            for id_, sample in known.items()
            if id_ in lines
        ]


@lru_cache(maxsize=4)
def _known(task: str, context: PredictionContext) -> Mapping[str, ClawSample]:
    if context.data is None:
        raise UsageError(
            "the gold texts are in the law library, and the pack 'statutes' is not installed: "
            "`hengfa data add statutes DIR`, then `hengfa law build`; or name a folder with --data"
        )
    samples = load(task, context.data, context.setting, dict(context.options))
    return {sample.id: sample for sample in samples}
