"""All that a site says of some runs: read from their tables, task by task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from hengfa.report.site.gather import Board, Source, boards
from hengfa.report.site.model import PublishedInfo, RunInfo, Scores, TaskInfo
from hengfa.report.site.packing import Packer
from hengfa.report.site.pictures import Pictures, all_pictures, board_views
from hengfa.report.site.scores import scores_of
from hengfa.report.site.statistics import Statistics, statistics_of
from hengfa.report.site.task_files import CellExtras, TaskFiles
from hengfa.results.published.papers import published
from hengfa.runs.cells import Watch
from hengfa.runs.sitting import Notify, quiet
from hengfa.suites.base import Rules, Suite


@dataclass(frozen=True, slots=True)
class Collected:
    """What the pages of a site are about, but for its texts."""

    boards: list[Board]
    tasks: list[TaskInfo]
    runs: list[RunInfo]
    published: list[PublishedInfo]
    pictures: Pictures

    @property
    def suites(self) -> list[Suite]:
        return list({board.suite.name: board.suite for board in self.boards}.values())


def collect(
    sources: Sequence[Source],
    packer: Packer | None = None,
    notify: Notify = quiet,
    watch: Watch | None = None,
) -> Collected:
    """Read the tables of all runs; with a packer, write the files of tasks and comparisons.

    A step that is watched is a task that was read, or the statistics of a board.
    """
    by_board = boards(sources)
    steps = count(1)
    number = sum(len(board.tasks) + 1 for board in by_board)

    def step() -> None:
        if watch is not None:
            watch(next(steps), number)

    tasks: list[TaskInfo] = []
    runs: list[RunInfo] = []
    for board in by_board:
        extras: dict[int, dict[str, CellExtras]] = {one.number: {} for one in board.sources}
        for task_id in board.tasks:
            files = TaskFiles(board, board.suite.tasks[task_id], len(tasks))
            files.make(packer)
            tasks.append(files.info)
            for run, found in files.extras.items():
                extras[run][task_id] = found
            step()
        statistics = {rules: statistics_of(board, rules, notify) for rules in board.rules}
        if packer is not None:
            _put_comparisons(packer, board, statistics)
        step()
        for source in board.sources:
            of_run = extras[source.number]
            runs.append(_run_info(source, scores_of(board, source, of_run, statistics), of_run))
    rows = [one for board in by_board for one in _published_rows(board)]
    pictures = all_pictures(board_views(by_board, runs, tasks, rows))
    return Collected(by_board, tasks, runs, rows, pictures)


def _put_comparisons(packer: Packer, board: Board, statistics: Mapping[Rules, Statistics]) -> None:
    for rules, known in statistics.items():
        packer.put(f"compare/{board.suite.name}/{board.setting}/{rules}", known.comparisons)


def _run_info(
    source: Source, scores: dict[str, Scores], extras: Mapping[str, CellExtras]
) -> RunInfo:
    used = list(extras.values())
    currencies = {one.currency for one in used if one.currency is not None}
    manifest = source.manifest
    return RunInfo(
        number=source.number,
        name=source.name,
        model=manifest.model,
        suite=manifest.suite,
        setting=source.setting,
        created=manifest.created,
        samples=max(run.samples for run in source.figures.values()),
        scores=scores,
        builtin=source.builtin,
        sample=source.sample,
        input_tokens=_whole(_total(one.input_tokens for one in used)),
        output_tokens=_whole(_total(one.output_tokens for one in used)),
        seconds=_total(one.seconds for one in used),
        cost=_total(one.cost for one in used) if len(currencies) == 1 else None,
        currency=currencies.pop() if len(currencies) == 1 else None,
    )


def _published_rows(board: Board) -> list[PublishedInfo]:
    """The rows of the paper that stand beside the runs of a board.

    Figures that the paper leaves out are made of its tasks, where it has all that they need.
    """
    return [
        PublishedInfo(
            suite=board.suite.name,
            setting=board.setting,
            model=one.model,
            title=one.title,
            source=one.source,
            tasks=one.tasks,
            figures={**board.suite.figures(one.tasks), **one.figures},
        )
        for one in published(board.suite.name, board.setting)
    ]


def _total(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)
