"""Scored samples of a task taken apart: by law, by level, by the age of the version, by reading.

The paper averages over entries, so that a law with many articles counts more; the mean over
statutes is beside it. Means over those who answered leave out abstentions and failures.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Final, cast

import msgspec

from hengfa.suites.base import ABSTAINED, AnswerStatus
from hengfa.suites.claw.dataset import ClawSample
from hengfa.suites.scoring import Scored

PERIODS: Final = (1980, 1990, 2000, 2005, 2010, 2015, 2020, 2023)
"""The years in which periods of promulgation begin."""


class Means(msgspec.Struct, frozen=True):
    """The metrics of some samples, each averaged over those that it counts."""

    n: int
    metrics: dict[str, float]


class Breakdown(msgspec.Struct, frozen=True):
    """A task's metrics by entry, by statute, over those who answered, and by groups."""

    n: int
    by_entry: dict[str, float]
    by_statute: dict[str, float]
    answered: Means
    groups: dict[str, dict[str, Means]]


def period(sample: ClawSample) -> str:
    """When the version was promulgated: 2015–2019."""
    year = sample.version.year
    begin = max((one for one in PERIODS if one <= year), default=None)
    if begin is None:
        return f"1949–{PERIODS[0] - 1}"
    after = next((one for one in PERIODS if one > year), None)
    return f"{begin}–" if after is None else f"{begin}–{after - 1}"


GROUPS: Final[Mapping[str, Callable[[ClawSample], str]]] = {
    "level": lambda sample: sample.level,
    "promulgated": period,
    "version": lambda sample: "superseded" if sample.superseded else "latest",
    "in force on that day": lambda sample: sample.in_force,
    "law": lambda sample: sample.law,
}
"""What samples are grouped by."""


def breakdown(scored: Sequence[Scored]) -> Breakdown:
    """Take a task's scored samples apart."""
    by_law = _grouped(scored, GROUPS["law"])
    laws = [_means(members).metrics for members in by_law.values()]
    whole = _means(scored)
    return Breakdown(
        n=whole.n,
        by_entry=whole.metrics,
        by_statute={
            name: fmean(law[name] for law in laws if name in law) for name in whole.metrics
        },
        answered=_means([one for one in scored if _answered(one)]),
        groups={
            name: {key: _means(members) for key, members in _grouped(scored, group).items()}
            for name, group in GROUPS.items()
        },
    )


def _answered(one: Scored) -> bool:
    if one.answer is None:
        return False
    return not one.metrics.get(ABSTAINED, float(one.answer is AnswerStatus.ABSTAINED))


def _grouped(
    scored: Iterable[Scored], group: Callable[[ClawSample], str]
) -> dict[str, list[Scored]]:
    found: defaultdict[str, list[Scored]] = defaultdict(list)
    for one in scored:
        found[group(cast("ClawSample", one.sample))].append(one)
    return dict(sorted(found.items()))


def _means(scored: Sequence[Scored]) -> Means:
    values: defaultdict[str, list[float]] = defaultdict(list)
    for one in scored:
        for name, value in one.metrics.items():
            if value is not None:
                values[name].append(value)
    return Means(len(scored), {name: fmean(found) for name, found in values.items()})
