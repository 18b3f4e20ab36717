"""Saved predictions to (sample, response) pairs, from the layouts people have on disk.

- LawBench's own: `<setting>/<model>/<task>.json`, one model's folder, or many below one folder;
- OpenCompass's: `predictions/<model>/lawbench-<task>-<name>-<0|1>-shot.json`, or in parts, `…_0`;
  both an object keyed "0", "1", … with `prediction` and the gold in `refr` or `gold`
  (lawbench.md 0).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from hengfa.base.data.jsonfile import read_rows
from hengfa.base.errors import DataError
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites.base import Attempt, PredictionContext, SavedRun, Suite
from hengfa.evals.suites.lawbench import dataset
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.evals.suites.predictions import as_text, refuse_gaps
from hengfa.law.text.proofreading import source_of_prompt

# A task's file. Matches "2-10"; not "notes".
_OWN = re.compile(r"(?P<task>\d+-\d+)")
# OpenCompass's name of one. Matches "lawbench-2-8-argument_mining-0-shot_1"; not "ceval-1".
_OPENCOMPASS = re.compile(
    r"lawbench-(?P<task>\d+-\d+)-\w+?-(?P<shots>[01])-shot(?:_(?P<part>\d+))?"
)


class Released:
    """LawBench's own files, and OpenCompass's."""

    expected = (
        "<setting>/<model>/<task>.json; "
        "OpenCompass's predictions/<model>/lawbench-<task>-<name>-0-shot.json"
    )

    def runs(self, _suite: Suite, path: Path, context: PredictionContext) -> Sequence[SavedRun]:
        place = path.resolve()
        folders: defaultdict[tuple[Path, str], list[_File]] = defaultdict(list)
        for file in [place] if place.is_file() else sorted(place.rglob("*.json")):
            if named := _prediction_file(file, context.setting):
                folders[file.parent, named.setting].append(named)
        names = Counter((folder.name, setting) for folder, setting in folders)
        runs = []
        for (folder, setting), files in folders.items():
            name = folder.name
            if names[name, setting] > 1 and folder != place:  # OpenCompass's runs of several days
                name = str(folder.relative_to(place))
            runs.append(_Folder(as_text(name), setting, _in_order(files), context))
        return runs


class _File(NamedTuple):
    """Which predictions a file holds; sorts as tasks and parts do."""

    order: tuple[int, ...]
    part: int
    task: str
    setting: str
    path: Path


_WHOLE = -1


def _prediction_file(file: Path, setting: str) -> _File | None:
    if file.suffix != ".json":
        return None
    if own := _OWN.fullmatch(file.stem):
        above = file.parent.parent.name
        part, setting = _WHOLE, above if above in dataset.SETTINGS else setting
        task = own["task"]
    elif other := _OPENCOMPASS.fullmatch(file.stem):
        # its scores have the names of the predictions; models with a slash lie deeper
        kinds = [above for above in file.parts if above in {"predictions", "results"}]
        if kinds[-1:] == ["results"]:
            return None
        part, setting = int(other["part"] or _WHOLE), dataset.SETTINGS[int(other["shots"])]
        task = other["task"]
    else:
        return None
    if task not in dataset.TASK_IDS:
        raise DataError(f"LawBench has no task {task!r}", file=file)
    return _File(tuple(map(int, task.split("-"))), part, task, setting, file)


def _in_order(files: Sequence[_File]) -> tuple[_File, ...]:
    """By task and part; a task is there once, or in parts that begin with 0 and have no gap."""
    ordered = tuple(sorted(files))
    for task, group in groupby(ordered, key=lambda file: file.task):
        of_task = list(group)
        parts = [file.part for file in of_task]
        if parts not in ([_WHOLE], list(range(len(parts)))):
            need = "must be in one file, or in parts from _0 on without a gap"
            names = ", ".join(file.path.name for file in of_task)
            folder = of_task[0].path.parent
            raise DataError(f"task {task} {need}; there is: {names}", file=folder)
    return ordered


@dataclass(frozen=True)
class _Folder(SavedRun):
    """One model's files."""

    model: str
    setting: str
    files: tuple[_File, ...]
    context: PredictionContext

    def tasks(self) -> Sequence[str]:
        return list(dict.fromkeys(file.task for file in self.files))

    def attempts(self, task: str) -> list[Attempt]:
        known = _samples_by_id(task, self.context, self.setting)
        attempts: list[Attempt] = []
        for file in (file.path for file in self.files if file.task == task):
            rows = {key: row for key, _, row in read_rows(file, dict[str, Any])}
            for number in range(len(rows)):
                if (row := rows.get(str(number))) is None:
                    problem = f"no entry with this id among {len(rows)}"
                    raise DataError(problem, file=file, row=number)
                sample = _sample(task, str(len(attempts)), row, known, file, number)
                text = row.get("prediction")
                if not isinstance(text, str):
                    raise DataError("expected text", file=file, row=number, field="prediction")
                attempts.append(Attempt(sample, Response(status=Status.ANSWERED, text=text)))
        ids = {attempt.sample.id for attempt in attempts}
        refuse_gaps(task, known, ids, self.context, file, name="id ")
        return attempts


def _sample(
    task: str,
    id_: str,
    row: dict[str, Any],
    known: Mapping[str, LawBenchSample],
    file: Path,
    number: int,
) -> LawBenchSample:
    """The data's sample where the gold is the same; else what the row says of it. Of the turns of a
    prompt that was sent the first is the one that counts (lawbench.md 0)."""
    sent = row.get("origin_prompt")
    if isinstance(sent, list) and sent and isinstance(sent[0], dict):
        sent = sent[0].get("prompt")
    sent = sent if isinstance(sent, str) else None
    field = "gold" if "gold" in row and "refr" not in row else "refr"
    gold = row.get(field)
    mine = known.get(id_)
    if gold is None and mine is not None:
        return msgspec.structs.replace(mine, sent=sent)
    if gold is None:
        problem = "no gold answer, and the data, if it is here, has none for this id"
        raise DataError(problem, file=file, row=number, field=field)
    if not isinstance(gold, str):
        raise DataError("expected text", file=file, row=number, field=field)
    if mine is not None and mine.answer == gold:
        return msgspec.structs.replace(mine, sent=sent)
    dataset.check_gold(task, gold, file, number, field)
    if task == "2-1" and source_of_prompt(sent or "") is None:
        problem = "the sentence to correct is neither in this prompt nor in the data"
        raise DataError(problem, file=file, row=number, field="origin_prompt")
    return LawBenchSample(id_, "", "", gold, sent)


@lru_cache(maxsize=64)
def _samples_by_id(
    task: str, context: PredictionContext, setting: str
) -> Mapping[str, LawBenchSample]:
    """The data's samples by id; none where the data is not here."""
    if context.data is None or not (context.data / "data" / setting / f"{task}.json").is_file():
        return {}
    return {sample.id: sample for sample in dataset.load(task, context.data, setting)}
