"""How sure the figures of a board are: intervals, ranks, and each run against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import median
from typing import Final, NamedTuple

import numpy as np

from hengfa.report.site.gather import Board
from hengfa.report.site.model import Comparisons, PairDifference
from hengfa.results.statistics.contest import SWAPS, Contest, RankRange, rank_ranges
from hengfa.results.statistics.evidence import Evidence, shared, with_names
from hengfa.results.statistics.intervals import Estimate
from hengfa.runs.evidence import further_draws, further_estimates, read_evidence
from hengfa.runs.sitting import Notify, quiet
from hengfa.suites.base import Rules

MOST_CONTESTS: Final = 100
"""Runs that were asked different samples are compared group by group, up to so many groups."""
MANY: Final = 16
SWAPS_OF_MANY: Final = 1_999
"""With more runs on a board than so many, each pair is swapped less often; what so few swaps cannot
show is bounded all the same."""
_DIGITS: Final = 6


class Rank(NamedTuple):
    """A rank, 1 being the best, and the range it can lie in."""

    rank: int
    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class Known:
    """What the statistics need of a run."""

    number: int
    builtin: bool
    tasks: Mapping[str, Evidence]


@dataclass(slots=True)
class Statistics:
    """Of the runs of a board under one set of rules, by number.

    ``estimates`` are by task and figure. A run without a rank lacks a task, or is a yardstick:
    floor, ceiling and retrieval are ranked only where nobody else is.
    """

    estimates: dict[int, dict[str, Estimate]] = field(default_factory=dict)
    ranks: dict[int, Rank] = field(default_factory=dict)
    comparisons: Comparisons = field(default_factory=lambda: Comparisons({}, {}))


def statistics_of(board: Board, rules: Rules, notify: Notify = quiet) -> Statistics:
    """All that can be said about a board."""
    statistics = Statistics()
    runs: list[Known] = []
    headline: dict[int, list[float]] = {}
    for source in board.under(rules):
        evidence = read_evidence(source.folder, rules)
        drawn = evidence.drawn() if board.suite.further is not None else {}
        draws = further_draws(evidence, drawn)
        statistics.estimates[source.number] = further_estimates(evidence, drawn, draws)
        if draws and all(board.suite.headline in draw for draw in draws):
            headline[source.number] = [draw[board.suite.headline] for draw in draws]
        if evidence.tasks:
            tasks = with_names(evidence.tasks, runs[0].tasks if runs else {})
            runs.append(Known(source.number, source.builtin, tasks))
    groups = _groups(runs)
    contests = [_contest(board, group) for group in groups]
    for group, contest in zip(groups, contests, strict=True):
        for place, run in enumerate(group):
            of_rows = {row: contest.estimate(row, place) for row in contest.rows}
            statistics.estimates[run.number] |= of_rows
    statistics.ranks = _ranks(board, groups, contests, statistics.estimates, headline)
    statistics.comparisons = _comparisons(board, groups, contests, notify)
    return statistics


def _groups(runs: Sequence[Known]) -> list[list[Known]]:
    """Runs together that were asked the same samples of the same tasks."""
    groups: list[list[Known]] = []
    for run in runs:
        group = next((group for group in groups if _same_asked(group[0], run)), None)
        if group is None:
            groups.append([run])
        else:
            group.append(run)
    return groups


def _same_asked(one: Known, other: Known) -> bool:
    """Whether both were asked the same samples, in whichever order."""

    def same(task: str) -> bool:
        samples, others = one.tasks[task].samples, other.tasks[task].samples
        return samples == others or (len(samples) == len(others) and set(samples) == set(others))

    return one.tasks.keys() == other.tasks.keys() and all(map(same, one.tasks))


def _contest(board: Board, runs: Sequence[Known]) -> Contest:
    """Runs on the samples that all of them have."""
    common = [task for task in board.suite.tasks if all(task in run.tasks for run in runs)]
    tasks = {task: shared([run.tasks[task] for run in runs]) for task in common}
    return Contest(
        {task: several for task, several in tasks.items() if several[0].samples},
        board.suite.figures,
        swaps=SWAPS if len(runs) <= MANY else SWAPS_OF_MANY,
    )


def _headline(board: Board, estimates: Mapping[int, Mapping[str, Estimate]]) -> str | None:
    """The row that ranks are by: the suite's headline, or the only task."""
    tasks = list(board.suite.tasks)
    names = [board.suite.headline, *(tasks if len(tasks) == 1 else ())]
    return next((name for name in names if any(name in of for of in estimates.values())), None)


def _ranks(
    board: Board,
    groups: Sequence[Sequence[Known]],
    contests: Sequence[Contest],
    estimates: Mapping[int, Mapping[str, Estimate]],
    drawn: Mapping[int, Sequence[float]],
) -> dict[int, Rank]:
    """Ranks with their ranges; without ranges where not all were asked the same samples.

    `drawn` are the draws of a headline that is made of more than the scores of tasks.
    """
    row = _headline(board, estimates)
    runs = [run for group in groups for run in group if row in estimates[run.number]]
    ranked = [run for run in runs if not run.builtin] or runs
    if row is None or not ranked:
        return {}
    for group, contest in zip(groups, contests, strict=True):
        if not all(run in group for run in ranked):
            continue
        if row in contest.rows:
            same = contest if len(ranked) == len(group) else _contest(board, ranked)
            return _ranges(ranked, same.ranks(row))
        if all(run.number in drawn and _in_order(ranked[0], run) for run in ranked):
            now = np.array([estimates[run.number][row].value for run in ranked])
            draws = np.array([drawn[run.number] for run in ranked])
            return _ranges(ranked, rank_ranges(now, draws))
    values = {run.number: estimates[run.number][row].value for run in ranked}
    return {
        number: Rank(1 + sum(other > value for other in values.values()), None, None)
        for number, value in values.items()
    }


def _ranges(runs: Sequence[Known], ranks: Sequence[RankRange]) -> dict[int, Rank]:
    standings = zip(runs, ranks, strict=True)
    return {run.number: Rank(rank.rank, rank.low, rank.high) for run, rank in standings}


def _in_order(one: Known, other: Known) -> bool:
    """Whether both were asked the same samples in the same order, so that draws are of the same."""
    return all(one.tasks[task].samples == other.tasks[task].samples for task in one.tasks)


def _comparisons(
    board: Board,
    groups: Sequence[Sequence[Known]],
    contests: Sequence[Contest],
    notify: Notify,
) -> Comparisons:
    pairs: dict[str, dict[str, PairDifference]] = {}
    smallest: dict[str, list[float]] = {}
    for runs, contest, chosen in _matches(board, groups, contests, notify):
        for one, other in chosen:
            if runs[one].number > runs[other].number:
                one, other = other, one  # noqa: PLW2901 - the first less the second
            rows: dict[str, PairDifference] = {}
            pair = contest.pair(one, other)
            for row in contest.rows:
                difference = pair.difference(row)
                told = difference.estimate
                rows[row] = PairDifference(
                    value=round(told.value, _DIGITS),
                    low=_rounded(told.low),
                    high=_rounded(told.high),
                    p=_rounded(difference.p),
                    n=told.samples,
                    wins=difference.wins,
                    losses=difference.losses,
                )
                smallest.setdefault(row, []).append(difference.smallest)
            pairs[f"{runs[one].number},{runs[other].number}"] = rows
    shown = {row: round(median(values), _DIGITS) for row, values in smallest.items()}
    return Comparisons(pairs, shown)


def _matches(
    board: Board,
    groups: Sequence[Sequence[Known]],
    contests: Sequence[Contest],
    notify: Notify,
) -> Iterator[tuple[Sequence[Known], Contest, list[tuple[int, int]]]]:
    """Which runs are compared on what: all of a group, then group by group."""
    for group, contest in zip(groups, contests, strict=True):
        yield group, contest, list(combinations(range(len(group)), 2))
    across = list(combinations(groups, 2))
    if len(across) > MOST_CONTESTS:
        notify(
            f"{board.suite.name}, {board.setting}: runs were asked {len(groups)} different sets of "
            "samples; only those that were asked the same are compared"
        )
        return
    for first, second in across:
        runs = [*first, *second]
        contest = _contest(board, runs)
        if contest.tasks:
            places = range(len(first), len(runs))
            yield runs, contest, [(one, other) for one in range(len(first)) for other in places]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
