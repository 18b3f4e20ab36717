"""Scoring saved predictions from Python: runs of ours, what other tools saved, rows in memory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from msgspec.structs import replace

from hengfa.base.data.output import scratch_folder
from hengfa.base.data.packs import Pack
from hengfa.base.data.paths import StrPath
from hengfa.base.errors import DataError, UsageError
from hengfa.base.progress import Notify, Progress, quiet
from hengfa.base.workers import Executor, Processes
from hengfa.evals.engine.journal import Entry, write_entries
from hengfa.evals.engine.messages import Options
from hengfa.evals.runs.cells import Cell, Origin, score_cells
from hengfa.evals.runs.folder import (
    JOURNAL,
    MANIFEST,
    RunFigures,
    read_manifest,
    write_figures,
    write_imported,
)
from hengfa.evals.runs.look import Scores
from hengfa.evals.runs.score import HowScored, figures_by_run, rule_sets, score_runs
from hengfa.evals.suites.base import Attempt, Chosen, PredictionContext, Rules, SavedRun, Suite
from hengfa.evals.suites.plan import Picked, find_data, parse_target, pick
from hengfa.evals.suites.predictions import (
    IN_MEMORY,
    LineRun,
    Rows,
    read_predictions,
    rows_in_memory,
)
from hengfa.evals.suites.scoring import ANSWERS, ANSWERS_AND_CUT


class PolarsFrame(Protocol):
    """What is needed of a Polars frame."""

    def to_dicts(self) -> list[dict[str, Any]]: ...


class PandasFrame(Protocol):
    """What is needed of a pandas frame."""

    def to_dict(self, orient: Any) -> Any: ...


Predictions: TypeAlias = (
    StrPath | Sequence[StrPath] | Iterable[Mapping[str, Any]] | PolarsFrame | PandasFrame
)
"""Runs, files and folders; or rows and frames of `task`, `id` and `prediction`."""


def score(
    target: str,
    predictions: Predictions,
    *,
    data: StrPath | None = None,
    setting: str | None = None,
    rules: str | Rules = Rules.OFFICIAL,
    partial: bool = False,
    ids: Sequence[str] | None = None,
    options: Mapping[str, str] | None = None,
    accept_truncated: bool = False,
    model: str = "predictions",
    out: StrPath | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
    notify: Notify = quiet,
) -> Scores:
    """Score predictions by the rules of `SUITE`, or of `SUITE/TASK,…`; nothing is asked.

    They are runs, files or folders that `hengfa score` reads, or rows of `task`, `id` and
    `prediction`: a list of dicts, a Polars or a pandas frame. Rows need no `task` where the target
    is one task; `model` is the name that they go by. With `out` they become runs below it; of `ids`
    only these questions, `TASK/SAMPLE`, are scored, which is not for runs. An
    `executor` scores in place of `jobs` processes.
    """
    executor = executor or Processes(jobs)
    suite, tasks = parse_target(target)
    wanted = [task.id for task in tasks]
    places = _places(predictions, model, wanted[0] if len(wanted) == 1 else None)
    ours = [place for place in places if isinstance(place, Path) and (place / MANIFEST).is_file()]
    others = [place for place in places if place not in ours]
    if ours and ids is not None:
        raise UsageError(
            f"--ids: {ours[0]} is a run, of which all is scored; hengfa show {ours[0]} TASK/SAMPLE "
            "tells of one question"
        )
    accept = ANSWERS_AND_CUT if accept_truncated else ANSWERS
    chosen = rule_sets(rules)
    for place in ours:
        if (made_for := read_manifest(place).suite) != suite.name:
            raise UsageError(f"{place} is a run of {made_for}, not of {suite.name}")
    how = HowScored(chosen, wanted, accept, options)
    outcomes = score_runs(ours, how, executor=executor, watch=progress, notify=notify)
    if nothing := [outcome for outcome in outcomes if not outcome.tasks]:
        raise UsageError(f"{nothing[0].model} was asked nothing of {', '.join(wanted)}")

    def score_others(
        folder: Path | None, notify: Notify, watch: Progress | None
    ) -> list[RunFigures]:
        return score_files(
            suite, others, chosen, tasks=wanted,
            data=None if data is None else os.fspath(data), setting=setting, options=options,
            partial=partial, ids=ids, out=folder, executor=executor, watch=watch, notify=notify,
        )  # fmt: skip

    scored = score_others(Path(out) if out else None, notify, progress) if others else []

    def tables(scratch: Path) -> list[Path]:
        kept = scored if out or not others else score_others(scratch, quiet, None)
        return [*ours, *dict.fromkeys(Path(figures.folder) for figures in kept)]

    every = [*outcomes, *scored]
    return Scores(suite.name, every, tables, every)


def _places(predictions: Predictions, model: str, task: str | None) -> list[Path | Rows]:
    """Files and folders as paths, anything else as rows."""
    if isinstance(predictions, str | os.PathLike):
        return [Path(predictions)]
    if hasattr(predictions, "to_dicts"):
        rows = predictions.to_dicts()
    elif hasattr(predictions, "to_dict"):
        rows = predictions.to_dict("records")
    else:
        rows = list(predictions)
    paths = [Path(place) for place in rows if isinstance(place, str | os.PathLike)]
    if paths and len(paths) == len(rows):
        return [*paths]
    return [rows_in_memory(rows, model, task)]


def score_files(
    suite: Suite,
    places: Sequence[Path | Rows],
    rules: Sequence[Rules],
    *,
    tasks: Sequence[str] | None = None,
    data: str | None = None,
    setting: str | None = None,
    partial: bool = False,
    options: Chosen | None = None,
    ids: Sequence[str] | None = None,
    out: Path | None = None,
    executor: Executor | None = None,
    watch: Progress | None = None,
    notify: Notify = quiet,
) -> list[RunFigures]:
    """Score predictions that some other tool made; the texts enter as answers, as they are.

    They are files and folders, or rows in memory; only those to `tasks`, if any are named, count,
    and of them only those to the questions `ids`. With `out`, each of them becomes a run below it:
    all, or none where anything goes wrong.
    """
    pack, source = _find_data(suite, data, notify)
    root = None if pack is None else pack.root
    chosen = tuple(suite.choose(options or {}).items())
    picked = None if ids is None else pick(ids, tasks or list(suite.tasks), suite.name)
    partial = partial or picked is not None
    context = PredictionContext(setting or suite.settings[0], root, partial, chosen)
    saved_runs = [
        saved if picked is None else pick_from(saved, picked)
        for place in places
        for saved in _saved_runs(suite, place, context)
        if tasks is None or any(task in tasks for task in saved.tasks())
    ]
    with ExitStack() as stack:
        place = (
            None if out is None else stack.enter_context(_all_or_nothing(out, suite, saved_runs))
        )
        cells = [
            Cell(
                suite.name, saved, task, tuple(rules), root,
                keep=_keep(place, suite, saved), effects=len(rules) > 1, options=chosen,
            )
            for saved in saved_runs
            for task in saved.tasks()
            if tasks is None or task in tasks
        ]  # fmt: skip
        if not cells:
            raise UsageError(f"no predictions for {', '.join(tasks or ())} are among these")
        results = score_cells(cells, executor, watch, notify)
        figures = figures_by_run(
            suite, cells, results, accept=sorted(ANSWERS), options=dict(chosen)
        )
        if place is None or out is None:
            return figures
        for one in figures:
            write_figures(Path(one.folder), one)
        for saved in saved_runs:
            folder = place / saved_name(suite, saved)
            write_imported(
                folder, suite.name, saved.setting, saved.model, pack.fingerprint if pack else "",
                source, dict(chosen), str(picked or ""),
            )  # fmt: skip
            if pack is not None and any(task.grading for task in suite.tasks.values()):
                _write_journal(folder, suite, saved, tasks)
    return [replace(one, folder=str(out / Path(one.folder).name)) for one in figures]


def _write_journal(
    folder: Path, suite: Suite, saved: SavedRun, tasks: Sequence[str] | None
) -> None:
    """Keep what another tool saved as a run keeps it, so that graders can be asked about it."""
    entries = []
    for task in saved.tasks():
        for attempt in saved.attempts(task) if tasks is None or task in tasks else ():
            request = suite.request(suite.tasks[task], saved.setting, attempt.sample, Options())
            entries.append(
                Entry(request.key, request.prompt_hash(), saved.model, "", attempt.response)
            )
    write_entries(folder / JOURNAL, entries)


def _saved_runs(suite: Suite, place: Path | Rows, context: PredictionContext) -> list[SavedRun]:
    if isinstance(place, Path):
        return read_predictions(suite, place, context)
    return [LineRun(suite.name, IN_MEMORY, place.model, context.setting, context, place.lines)]


@contextmanager
def _all_or_nothing(out: Path, suite: Suite, saved_runs: Sequence[SavedRun]) -> Iterator[Path]:
    """A folder to write runs into, which move to `out` together once all are there."""
    names = Counter(saved_name(suite, saved) for saved in saved_runs)
    for name, times in names.items():
        if times > 1:
            raise UsageError(f"--out: {times} of these predictions would become {out / name}")
        if (out / name).exists():
            raise UsageError(f"--out: {out / name} is there already; choose another folder")
    there = next(folder for folder in (out, *out.absolute().parents) if folder.is_dir())
    with scratch_folder(there / "hengfa") as temporary:
        yield temporary
        out.mkdir(parents=True, exist_ok=True)
        for name in names:
            (temporary / name).rename(out / name)


def _keep(place: Path | None, suite: Suite, saved: SavedRun) -> tuple[Path, Origin] | None:
    if place is None:
        return None
    name = saved_name(suite, saved)
    return place / name, Origin(name, suite.name, saved.setting, saved.model, "")


def saved_name(suite: Suite, saved: SavedRun) -> str:
    """The run that another tool's predictions become."""
    name = f"{suite.name}-{saved.setting}-{saved.model.replace('/', '_')}"
    return f"{name}-{saved.picked.name}" if isinstance(saved, _PickedRun) else name


@dataclass(frozen=True)
class _PickedRun(SavedRun):
    """Another run's responses to some of its questions."""

    of: SavedRun
    picked: Picked
    model: str
    setting: str
    grader: str

    def tasks(self) -> Sequence[str]:
        return [task for task in self.of.tasks() if task in self.picked.tasks]

    def attempts(self, task: str) -> list[Attempt]:
        wanted = frozenset(self.picked.tasks[task])
        attempts = self.of.attempts(task)
        self.picked.check(task, [attempt.sample.id for attempt in attempts], self.model)
        return [attempt for attempt in attempts if attempt.sample.id in wanted]

    def notices(self, task: str) -> Sequence[str]:
        return self.of.notices(task)


def pick_from(saved: SavedRun, picked: Picked) -> SavedRun:
    """What a run has to the questions that were picked; an error if it has nothing to a task."""
    for task in picked.tasks:
        if task not in saved.tasks():
            raise UsageError(f"--ids {task}/…: {saved.model} has no predictions for {task}")
    return _PickedRun(saved, picked, saved.model, saved.setting, saved.grader)


def _find_data(suite: Suite, data: str | None, notify: Notify) -> tuple[Pack | None, str | None]:
    """The suite's data, and its name; predictions with their gold can do without."""
    try:
        return find_data(suite, data)
    except DataError as error:
        if data is not None:
            raise
        notify(f"without the data there are no skill figures: {error}")
        return None, None
