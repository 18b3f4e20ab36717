"""Scored samples taken apart: by group, by table, by the tool a path begins with; what went wrong.

A path was used for two questions as a rule, and whoever cannot go it fails on both. So intervals
come from drawing paths again, not tasks. An agent's errors are pooled over all its actions, as the
spec reports those of the published runs (spec 5).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, cast

import msgspec

from hengfa.agents.trajectory import Ended, Trajectory
from hengfa.grading.resampling import interval
from hengfa.suites.legalagentbench import score
from hengfa.suites.legalagentbench.dataset import AgentSample
from hengfa.suites.legalagentbench.extract import Submitted
from hengfa.suites.legalagentbench.paths import TABLE_OF, tables_on
from hengfa.suites.scoring import Scored

WITH_INTERVAL: Final = (score.SUCCESS, score.PROCESS, score.EXACT)

_Cluster = tuple[float, int]
"""The sum of a metric over the samples of one path, and how many they are."""


class Estimate(msgspec.Struct, frozen=True):
    """A mean over `n` samples with its 95 % interval; without one where there is a single path, and
    for metrics that have none."""

    mean: float
    n: int
    low: float | None = None
    high: float | None = None


Estimates = dict[str, Estimate]


class ErrorProfile(msgspec.Struct, frozen=True):
    """What agents did that helped nothing.

    Shares of the calls of database tools: `no_data`, `bad_column`. Of all actions: `bad_call`,
    `tool_failed`, `unparsable`, `repeats`. Of the tasks: `unfinished` (no final answer, for
    whatever reason), `step_limit`, `context_overflow`.
    """

    tasks: int
    actions_per_task: float
    shares: dict[str, float]


class Breakdown(msgspec.Struct, frozen=True):
    """All samples, the same by groups, and the errors where anything is told of them."""

    whole: Estimates
    groups: dict[str, dict[str, Estimates]]
    errors: ErrorProfile | None


GROUPS: Final[Mapping[str, Callable[[AgentSample], Sequence[str]]]] = {
    "group": lambda sample: (sample.group,),
    "table": lambda sample: tables_on(sample.path),
    "start": lambda sample: sample.path[:1],
}
"""What samples are grouped by; one that reads several tables counts for each of them."""


def breakdown(scored: Sequence[Scored]) -> Breakdown:
    """Take the scored samples of any tasks apart."""
    return Breakdown(
        whole=_estimates(scored),
        groups={
            name: {key: _estimates(members) for key, members in _grouped(scored, group).items()}
            for name, group in GROUPS.items()
        },
        errors=error_profile(_trajectories(scored)),
    )


def error_profile(trajectories: Sequence[Trajectory]) -> ErrorProfile | None:
    """The errors of some tasks together; None of no task."""
    tasks = len(trajectories)
    if not tasks:
        return None
    actions = sum(len(one.steps) for one in trajectories)
    asked = sum(step.tool in TABLE_OF for one in trajectories for step in one.calls())
    counts = {
        name: sum(one.count(statuses) for one in trajectories)
        for name, statuses in score.ERRORS.items()
    }
    counts[score.UNPARSABLE] = sum(one.unparsable() for one in trajectories)
    counts[score.REPEATS] = sum(one.repeats() for one in trajectories)
    of_tasks = {
        "unfinished": sum(one.ended is not Ended.FINISHED for one in trajectories),
        **{name: sum(one.ended is end for one in trajectories) for name, end in score.ENDS.items()},
    }
    shares = {
        name: count / max(1, asked if name in ("no_data", "bad_column") else actions)
        for name, count in counts.items()
    }
    shares |= {name: count / tasks for name, count in of_tasks.items()}
    return ErrorProfile(tasks, actions / tasks, shares)


def _trajectories(scored: Iterable[Scored]) -> list[Trajectory]:
    values = (one.value for one in scored)
    return [one.trajectory for one in values if isinstance(one, Submitted) and one.trajectory]


def _grouped(
    scored: Iterable[Scored], group: Callable[[AgentSample], Sequence[str]]
) -> dict[str, list[Scored]]:
    found: defaultdict[str, list[Scored]] = defaultdict(list)
    for one in scored:
        for key in group(cast("AgentSample", one.sample)):
            found[key].append(one)
    return dict(sorted(found.items()))


def _estimates(scored: Sequence[Scored]) -> Estimates:
    names = dict.fromkeys(name for one in scored for name in one.metrics)
    found = {name: _estimate(name, scored) for name in names if name != score.TRACED}
    return {name: estimate for name, estimate in found.items() if estimate is not None}


def _estimate(name: str, scored: Sequence[Scored]) -> Estimate | None:
    clusters: defaultdict[object, list[float]] = defaultdict(list)
    for one in scored:
        if (value := one.metrics.get(name)) is not None:
            sample = cast("AgentSample", one.sample)
            clusters[sample.path or sample.id].append(value)
    drawn: list[_Cluster] = [(sum(values), len(values)) for values in clusters.values()]
    if not drawn:
        return None
    n = sum(count for _, count in drawn)
    found = interval(drawn, _mean) if name in WITH_INTERVAL else None
    return Estimate(_mean(drawn), n, *(found or (None, None)))


def _mean(clusters: Sequence[_Cluster]) -> float:
    return sum(total for total, _ in clusters) / sum(count for _, count in clusters)
