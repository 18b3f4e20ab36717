"""How sure the figures of a board are: intervals, ranks, and each run against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from hengfa.base.progress import Notify, quiet
from hengfa.base.statistics.contest import Contest, RankRange, rank_ranges
from hengfa.base.statistics.evidence import shared
from hengfa.base.statistics.intervals import Estimate
from hengfa.evals.report.site.boards import Board
from hengfa.evals.report.site.model import ComparedPair, Comparisons, PairDifference
from hengfa.evals.runs.compare import (
    LANGUAGES,
    Contrast,
    Support,
    contrasts,
    labels_of,
    sentences,
    why_not,
)
from hengfa.evals.runs.evidence import RunEvidence, further_draws, further_estimates, read_evidence
from hengfa.evals.suites.base import Rules

MOST_CONTESTS: Final = 100
"""Runs that were asked different samples are compared group by group, up to so many groups."""
_DIGITS: Final = 6


class Rank(NamedTuple):
    """A rank, 1 being the best, and the range it can lie in."""

    rank: int
    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class Contestant:
    """What the statistics need of a run."""

    number: int
    builtin: bool
    evidence: RunEvidence


@dataclass(slots=True)
class Statistics:
    """Of the runs of a board under one set of rules, by number.

    ``estimates`` are by task and figure. A run without a rank lacks a task, or is a yardstick:
    floor, ceiling and retrieval are ranked only where nobody else is.
    """

    estimates: dict[int, dict[str, Estimate]] = field(default_factory=dict)
    ranks: dict[int, Rank] = field(default_factory=dict)
    comparisons: Comparisons = field(default_factory=lambda: Comparisons({}))


def statistics_of(board: Board, rules: Rules, notify: Notify = quiet) -> Statistics:
    """All that can be said about a board."""
    statistics = Statistics()
    runs: list[Contestant] = []
    headline: dict[int, list[float]] = {}
    for source in board.under(rules):
        evidence = read_evidence(source.folder, rules)
        drawn = evidence.drawn() if board.suite.further is not None else {}
        draws = further_draws(evidence, drawn)
        statistics.estimates[source.number] = further_estimates(evidence, drawn, draws)
        if draws and all(board.suite.headline in draw for draw in draws):
            headline[source.number] = [draw[board.suite.headline] for draw in draws]
        if evidence.tasks:
            light = evidence.light([run.evidence for run in runs])
            runs.append(Contestant(source.number, source.builtin, light))
    groups = _groups(runs)
    contests = [_contest(board, group) for group in groups]
    for group, contest in zip(groups, contests, strict=True):
        for place, run in enumerate(group):
            of_rows = {row: contest.estimate(row, place) for row in contest.rows}
            statistics.estimates[run.number] |= of_rows
    statistics.ranks = _ranks(board, runs, statistics.estimates, headline)
    statistics.comparisons = _comparisons(board, groups, contests, notify)
    return statistics


def _groups(runs: Sequence[Contestant]) -> list[list[Contestant]]:
    """Runs together of which two are drawn alike whether or not the others are there."""
    groups: list[list[Contestant]] = []
    for run in runs:
        group = next((group for group in groups if _same_draws(group[0], run)), None)
        if group is None:
            groups.append([run])
        else:
            group.append(run)
    return groups


def _same_draws(one: Contestant, other: Contestant) -> bool:
    """Whether both were asked the same samples in the same order, with the same clusters."""

    def same(task: str) -> bool:
        a, b = one.evidence.tasks[task], other.evidence.tasks[task]
        return a.samples == b.samples and np.array_equal(a.clusters, b.clusters)

    return one.evidence.tasks.keys() == other.evidence.tasks.keys() and all(
        map(same, one.evidence.tasks)
    )


def _same_samples(one: Contestant, other: Contestant) -> bool:
    """Whether both were asked the same samples, in whichever order."""
    asked = [
        {task: set(of.samples) for task, of in run.evidence.tasks.items()} for run in (one, other)
    ]
    return asked[0] == asked[1]


def _contest(board: Board, runs: Sequence[Contestant]) -> Contest:
    """Runs on the samples that all of them have."""
    common = [task for task in board.suite.tasks if all(task in run.evidence.tasks for run in runs)]
    tasks = {task: shared([run.evidence.tasks[task] for run in runs]) for task in common}
    return Contest(
        {task: several for task, several in tasks.items() if several[0].samples},
        board.suite.figures,
    )


def _ranks(
    board: Board,
    runs: Sequence[Contestant],
    estimates: Mapping[int, Mapping[str, Estimate]],
    drawn: Mapping[int, Sequence[float]],
) -> dict[int, Rank]:
    """Ranks by the suite's headline, or the only task; without their ranges where not all were
    asked the same samples.

    `drawn` are the draws of a headline that is made of more than the scores of tasks.
    """
    tasks = list(board.suite.tasks)
    names = [board.suite.headline, *(tasks if len(tasks) == 1 else ())]
    row = next((name for name in names if any(name in of for of in estimates.values())), None)
    able = [run for run in runs if row in estimates[run.number]]
    ranked = [run for run in able if not run.builtin] or able
    if row is None or not ranked:
        return {}
    if all(_same_samples(ranked[0], run) for run in ranked):
        contest = _contest(board, ranked)
        if row in contest.rows:
            return _ranges(ranked, contest.ranks(row))
        if all(run.number in drawn and _same_draws(ranked[0], run) for run in ranked):
            now = np.array([estimates[run.number][row].value for run in ranked])
            draws = np.array([drawn[run.number] for run in ranked])
            return _ranges(ranked, rank_ranges(now, draws))
    values = {run.number: estimates[run.number][row].value for run in ranked}
    return {
        number: Rank(1 + sum(other > value for other in values.values()), None, None)
        for number, value in values.items()
    }


def _ranges(runs: Sequence[Contestant], ranks: Sequence[RankRange]) -> dict[int, Rank]:
    standings = zip(runs, ranks, strict=True)
    return {run.number: Rank(rank.rank, rank.low, rank.high) for run, rank in standings}


def _comparisons(
    board: Board,
    groups: Sequence[Sequence[Contestant]],
    contests: Sequence[Contest],
    notify: Notify,
) -> Comparisons:
    """Every two runs as `hengfa compare` would compare just these, where it would."""
    pairs: dict[str, ComparedPair] = {}
    for runs, contest, chosen in _matches(board, groups, contests, notify):
        for places in chosen:
            one, other = sorted(places, key=lambda place: runs[place].number)
            both = [runs[one].evidence, runs[other].evidence]
            if not why_not(*both):
                pairs[f"{runs[one].number},{runs[other].number}"] = _pair(contest, one, other, both)
    return Comparisons(pairs)


def _pair(contest: Contest, one: int, other: int, both: Sequence[RunEvidence]) -> ComparedPair:
    (found,) = contrasts(contest, [(one, other)])
    rows = {name: _difference(contrast) for name, contrast in found.rows.items()}
    for figure, weights in contest.weights.items():
        if len(weights) == 1:  # a task by another name
            rows[figure] = rows[next(iter(weights))]
    first, second = labels_of(both)
    said = {
        language: sentences(found, first, second, list(contest.tasks), language)
        for language in LANGUAGES
    }
    return ComparedPair(rows, said)


def _difference(contrast: Contrast) -> PairDifference:
    difference, estimate = contrast.difference, contrast.difference.estimate
    low, high = (end and round(end, _DIGITS) for end in (estimate.low, estimate.high))
    return PairDifference(
        value=round(estimate.value, _DIGITS),
        low=low,
        high=high,
        p=round(difference.p, _DIGITS),
        corrected=round(contrast.corrected, _DIGITS),
        smallest=round(difference.smallest, _DIGITS),
        n=estimate.samples,
        wins=difference.wins,
        losses=difference.losses,
        verdict="" if contrast.verdict is Support.NOT_SHOWN else str(contrast.verdict),
    )


def _matches(
    board: Board,
    groups: Sequence[Sequence[Contestant]],
    contests: Sequence[Contest],
    notify: Notify,
) -> Iterator[tuple[Sequence[Contestant], Contest, list[tuple[int, int]]]]:
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
