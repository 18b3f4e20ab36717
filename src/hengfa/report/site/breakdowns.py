"""A task's score by kinds of samples: by law, by number of hops, by scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hengfa.report.site.model import Part
from hengfa.results.statistics.means import mean
from hengfa.suites.base import Pooled

MOST_KINDS = 400
"""A facet with more kinds, or with hardly two samples of each, names samples, not kinds."""

Values = Mapping[str, float | None]
"""The counted metrics of one sample; None where the response is no answer and earns nothing."""


def is_breakdown(kinds: int, samples: int) -> bool:
    """Whether figures by these kinds say anything."""
    return 1 < kinds <= MOST_KINDS and 2 * kinds <= samples


def parts(
    metric: str,
    pooled: Pooled | None,
    values: Sequence[Values],
    facets: Sequence[Mapping[str, str]],
    shown: Mapping[str, Sequence[str]],
) -> dict[str, dict[str, Part]]:
    """By facet and kind; a kind of which no sample counts is left out."""
    found: dict[str, dict[str, Part]] = {}
    for facet, kinds in shown.items():
        of_kind: dict[str, list[Values]] = {kind: [] for kind in kinds}
        for one, sample in zip(values, facets, strict=True):
            if metric in one and facet in sample:
                of_kind[sample[facet]].append(one)
        made = {kind: part(metric, pooled, them) for kind, them in of_kind.items()}
        found[facet] = {kind: one for kind, one in made.items() if one is not None}
    return {facet: by_kind for facet, by_kind in found.items() if by_kind}


def part(metric: str, pooled: Pooled | None, values: Sequence[Values]) -> Part | None:
    """The strict figure of some samples: no answer, no points."""
    if not values:
        return None
    if pooled is None:
        average = mean([one[metric] or 0.0 for one in values])
        return None if average is None else Part(average.value, average.n)
    sums = [sum(one.get(name) or 0.0 for one in values) for name in pooled.parts]
    return Part(pooled.figure(*sums), len(values))
