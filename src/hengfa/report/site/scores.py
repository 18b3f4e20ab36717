"""What each run scored, as the site shows it: cells, figures, ranks."""

from __future__ import annotations

from collections.abc import Mapping

from hengfa.report.site.gather import Board, Source
from hengfa.report.site.model import Cell, Figure, Scores
from hengfa.report.site.statistics import Statistics
from hengfa.report.site.task_files import CellExtras
from hengfa.results.statistics.intervals import Estimate
from hengfa.runs.folder import RunFigures, TaskFigures
from hengfa.suites.base import Rules, Suite


def figures_of(suite: Suite) -> dict[str, tuple[str, str]]:
    """The figures of a suite that people are shown, each with its titles, Chinese and English.

    Those that a suite made of its task scores and gave no titles keep their names.
    """
    made = suite.figures(dict.fromkeys(suite.tasks, 0.0))
    return {name: (name, name) for name in made} | dict(suite.abilities) | dict(suite.titles)


def scores_of(
    board: Board,
    source: Source,
    extras: Mapping[str, CellExtras],
    statistics: Mapping[Rules, Statistics],
) -> dict[str, Scores]:
    """By rules."""
    found: dict[str, Scores] = {}
    for rules, run in source.figures.items():
        known = statistics[rules]
        estimates = known.estimates.get(source.number, {})
        rank = known.ranks.get(source.number)
        found[str(rules)] = Scores(
            cells={
                task: cell_of(run.tasks[task], extras[task], rules, estimates.get(task))
                for task in board.suite.tasks
                if task in run.tasks
            },
            figures=_figures(board.suite, run, estimates),
            rank=rank.rank if rank else None,
            rank_low=rank.low if rank else None,
            rank_high=rank.high if rank else None,
        )
    return found


def cell_of(task: TaskFigures, extras: CellExtras, rules: Rules, estimate: Estimate | None) -> Cell:
    return Cell(
        score=None if task.score is None else with_interval(task.score, estimate),
        n=task.n,
        lenient=task.lenient,
        abstention=task.abstention,
        floor=task.floor,
        ceiling=task.ceiling,
        statuses=task.statuses,
        answers=task.answers,
        errors=extras.errors[rules],
        more=task.more,
        parts=extras.parts[rules],
    )


def with_interval(value: float, estimate: Estimate | None) -> Figure:
    """The value as it was printed when it was scored, with the interval of its estimate."""
    return Figure(value) if estimate is None else Figure(value, estimate.low, estimate.high)


def _figures(suite: Suite, run: RunFigures, estimates: Mapping[str, Estimate]) -> dict[str, Figure]:
    """Made anew from the scores of the tasks, because a file may be older than the suite."""
    scores = {task: one.score for task, one in run.tasks.items() if one.score is not None}
    values = {**run.further, **suite.figures(scores)}
    return {
        name: with_interval(values[name], estimates.get(name))
        for name in figures_of(suite)
        if name in values
    }
