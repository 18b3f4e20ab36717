"""How sure the figures of a board are: intervals, ranks, and each run against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import median
from typing import Final, NamedTuple

from hengfa.report.site.gather import Board
from hengfa.report.site.model import Comparisons, PairDifference
from hengfa.results.statistics.contest import SWAPS, Contest
from hengfa.results.statistics.evidence import Evidence, shared, with_names
from hengfa.results.statistics.intervals import Estimate
from hengfa.runs.evidence import OVERALL, RunEvidence, further_estimates, read_evidence
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
    for source in board.under(rules):
        evidence = read_evidence(source.folder, rules)
        statistics.estimates[source.number] = _further(evidence)
        if evidence.tasks:
            tasks = with_names(evidence.tasks, runs[0].tasks if runs else {})
            runs.append(Known(source.number, source.builtin, tasks))
    groups = _groups(runs)
    contests = [_contest(board, group) for group in groups]
    for group, contest in zip(groups, contests, strict=True):
        for place, run in enumerate(group):
            of_rows = {row: contest.estimate(row, place) for row in contest.rows}
            statistics.estimates[run.number] |= of_rows
    statistics.ranks = _ranks(board, groups, contests, statistics.estimates)
    statistics.comparisons = _comparisons(board, groups, contests, notify)
    return statistics


def _further(evidence: RunEvidence) -> dict[str, Estimate]:
    """Figures of a suite that need more than task scores; drawing them takes a while."""
    if evidence.suite.further is None:
        return {}
    return further_estimates(evidence, evidence.drawn())


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


def _headline(board: Board) -> str | None:
    """The row that ranks are by: the overall figure, or the only task."""
    if OVERALL in board.suite.figures(dict.fromkeys(board.suite.tasks, 0.0)):
        return OVERALL
    return next(iter(board.suite.tasks)) if len(board.suite.tasks) == 1 else None


def _ranks(
    board: Board,
    groups: Sequence[Sequence[Known]],
    contests: Sequence[Contest],
    estimates: Mapping[int, Mapping[str, Estimate]],
) -> dict[int, Rank]:
    """Ranks with their ranges; without ranges where not all were asked the same samples."""
    row = _headline(board)
    runs = [run for group in groups for run in group if row in estimates[run.number]]
    ranked = [run for run in runs if not run.builtin] or runs
    if row is None or not ranked:
        return {}
    for group, contest in zip(groups, contests, strict=True):
        if all(run in group for run in ranked):
            same = contest if len(ranked) == len(group) else _contest(board, ranked)
            standings = zip(ranked, same.ranks(row), strict=True)
            return {run.number: Rank(rank.rank, rank.low, rank.high) for run, rank in standings}
    values = {run.number: estimates[run.number][row].value for run in ranked}
    return {
        number: Rank(1 + sum(other > value for other in values.values()), None, None)
        for number, value in values.items()
    }


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
