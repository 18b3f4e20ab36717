"""Scoring from Python, and what comes of it: figures, frames, and tables in a notebook."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, overload

from msgspec.structs import replace

from hengfa.base.data.output import private_folder
from hengfa.base.data.paths import StrPath
from hengfa.base.errors import UsageError
from hengfa.base.page.tables import html_table, points
from hengfa.base.progress import Progress
from hengfa.base.workers import Executor, Processes
from hengfa.evals.results.figures import Band, TaskFigures
from hengfa.evals.results.tables import read_records, read_responses
from hengfa.evals.runs.folder import (
    MANIFEST,
    Asked,
    Manifest,
    RunFigures,
    read_manifest,
    scores_of,
)
from hengfa.evals.runs.look import find_run
from hengfa.evals.runs.score import (
    HowScored,
    rule_sets,
    score_files,
    score_runs,
)
from hengfa.evals.runs.sitting import Notify, quiet
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.plan import parse_target
from hengfa.evals.suites.predictions import Rows, rows_in_memory
from hengfa.evals.suites.scoring import ANSWERS, ANSWERS_AND_CUT

if TYPE_CHECKING:
    import polars as pl

Tables = Callable[[Path], Sequence[Path]]
"""Where records and responses lie. Those that lie nowhere yet are written into the given folder."""

_NAMES = ("suite", "setting", "model", "rules", "grader", "task")
_FIGURES = (
    "metric", "score", "standard_error", "n", "lenient", "abstention", "floor", "ceiling", "skill",
    "ungraded",
)  # fmt: skip


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


class Scores(Sequence[RunFigures]):
    """The figures of some models: an item for each model, setting, set of rules and grader.

    `outcomes` are those that were scored just now.
    """

    def __init__(
        self,
        suite: str,
        items: Sequence[RunFigures],
        tables: Tables,
        outcomes: Sequence[RunFigures] = (),
    ) -> None:
        self.suite = suite
        self.outcomes = outcomes
        self._items = tuple(items)
        self._tables = tables

    @overload
    def __getitem__(self, index: int) -> RunFigures: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RunFigures, ...]: ...
    def __getitem__(self, index: int | slice) -> RunFigures | tuple[RunFigures, ...]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    @property
    def figures(self) -> dict[str, float]:
        """The figures of the suite, such as `overall`; of several models or rules take an item."""
        only = self._only()
        return {**only.figures, **only.further}

    @property
    def tasks(self) -> dict[str, TaskFigures]:
        """Task to its figures; of several models or rules take an item."""
        return self._only().tasks

    def under(self, rules: str | Rules) -> Scores:
        """Only those by one set of rules."""
        return self._those(rules=rules)

    def by(self, grader: str) -> Scores:
        """Only those of one grader or panel."""
        return self._those(grader=grader)

    def _those(self, **having: str) -> Scores:
        def fits(one: RunFigures) -> bool:
            return all(getattr(one, name) == value for name, value in having.items())

        outcomes = [outcome for outcome in self.outcomes if fits(outcome)]
        return Scores(self.suite, [item for item in self if fits(item)], self._tables, outcomes)

    def frame(self) -> pl.DataFrame:
        """One row for each model, set of rules and task."""
        import polars as pl  # noqa: PLC0415 - for those who ask for it

        rows = [
            (
                *(self.suite, item.setting, item.model, str(item.rules), item.grader, task),
                *(getattr(figures, name) for name in _FIGURES),
            )
            for item in self
            for task, figures in item.tasks.items()
        ]
        schema: dict[str, pl.DataType] = dict.fromkeys((*_NAMES, *_FIGURES), pl.Float64())
        schema.update({**dict.fromkeys((*_NAMES, "metric"), pl.String()), "n": pl.Int64()})
        return pl.DataFrame(rows, schema, orient="row")

    def records(self) -> pl.DataFrame:
        """One row for each sample and metric, as docs/run-format.md says."""
        return self._read(read_records)

    def responses(self) -> pl.DataFrame:
        """One row for each response, with its texts and how it was read."""
        return self._read(read_responses)

    def __repr__(self) -> str:
        told = [f"{item.model}, {_under(item)}: {_told(item)}" for item in self]
        return f"<{self.suite}: {'; '.join(told) or 'not scored'}>"

    def _repr_html_(self) -> str:
        models = [f"{item.model}\n{_under(item)}" for item in self]
        rows: list[tuple[object, ...]] = []
        for task in dict.fromkeys(task for item in self for task in item.tasks):
            figures = [item.tasks.get(task) for item in self]
            metric = next(told.metric for told in figures if told is not None)
            cells = (
                told and (told.band or points(told.score, told.standard_error)) for told in figures
            )
            rows.append((task, metric, *cells))
        rows += [
            (name, "", *(item.bands.get(name) or points(item.figures.get(name)) for item in self))
            for name in dict.fromkeys(name for item in self for name in _all_figures(item))
        ]
        return html_table(("", "metric", *models), rows, title=self.suite)

    def _only(self) -> RunFigures:
        if len(self) == 1:
            return self[0]
        if not self:
            raise UsageError("nothing is scored yet: hengfa.score(SUITE, RUN)")
        raise UsageError(
            f"there are figures of {len(self)} models, settings, rules or graders: take one of "
            "them, such as scores[0].figures, scores.under('official').figures or "
            "scores.by('keywords').figures, or all with frame()"
        )

    def _read(self, read: Callable[[Iterable[Path]], pl.DataFrame]) -> pl.DataFrame:
        import polars as pl  # noqa: PLC0415 - for those who ask for it

        with private_folder() as scratch:
            frame = read(self._tables(scratch))
        rules = {str(item.rules) for item in self}
        tasks = {task for item in self for task in item.tasks}
        graders = {item.grader for item in self}
        return frame.filter(
            pl.col("rules").is_in(rules),
            pl.col("task").is_in(tasks),
            pl.col("grader").fill_null("").is_in(graders),
        )


def _under(item: RunFigures) -> str:
    return ", ".join(filter(None, (item.setting, str(item.rules), item.grader)))


def _told(item: RunFigures) -> str:
    scores: dict[str, float | Band | None] = {**_all_figures(item)}
    scores = scores or {task: told.band or told.score for task, told in item.tasks.items()}
    return ", ".join(
        f"{name} {score if isinstance(score, Band) else points(score) or '–'}"
        for name, score in scores.items()
    )


def _all_figures(item: RunFigures) -> dict[str, float | Band]:
    return {**item.figures, **item.bands}


@dataclass(frozen=True, repr=False)
class Run(os.PathLike[str]):
    """A run in its folder; wherever a run is named, this can be given."""

    folder: Path
    manifest: Manifest
    scores: Scores
    asked: Asked | None = None
    """What was asked just now, and what came from the journal; None where nothing was asked."""

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def suite(self) -> str:
        return self.manifest.suite

    @property
    def setting(self) -> str:
        return self.manifest.setting

    @property
    def model(self) -> str:
        return self.manifest.model

    @property
    def figures(self) -> dict[str, float]:
        """As those of its scores."""
        return self.scores.figures

    @property
    def tasks(self) -> dict[str, TaskFigures]:
        """As those of its scores."""
        return self.scores.tasks

    def frame(self) -> pl.DataFrame:
        """One row for each set of rules and task."""
        return self.scores.frame()

    def records(self) -> pl.DataFrame:
        """One row for each sample and metric, as docs/run-format.md says."""
        return self.scores.records()

    def responses(self) -> pl.DataFrame:
        """One row for each response, with its texts and how it was read."""
        return self.scores.responses()

    def __fspath__(self) -> str:
        return str(self.folder)

    def __repr__(self) -> str:
        return f"<run {self.folder} {self.scores!r}>"

    def _repr_html_(self) -> str:
        return self.scores._repr_html_()


def open_run(folder: Path, outcomes: Sequence[RunFigures] = ()) -> Run:
    """The run of a folder, from its own files alone."""
    manifest = read_manifest(folder)
    items = [
        replace(figures, suite=manifest.suite, model=manifest.model, setting=manifest.setting)
        for figures in scores_of(folder)
    ]
    scores = Scores(manifest.suite, items, lambda _: [folder], outcomes)
    return Run(folder, manifest, scores, outcomes[0].asked if outcomes else None)


def load_run(run: StrPath, *, runs: StrPath = "runs") -> Run:
    """A run by its folder or by its name below `runs`; neither data nor suite are needed."""
    return open_run(find_run(os.fspath(run), Path(runs)))


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
