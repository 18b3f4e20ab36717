"""A task's score by kinds of samples: by law, by number of hops, by scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hengfa.report.site.model import Part
from hengfa.results.figures import Recipe, TaskTable

MOST_KINDS = 400
"""A facet with more kinds, or with hardly two samples of each, names samples, not kinds."""


def is_breakdown(kinds: int, samples: int) -> bool:
    """Whether figures by these kinds say anything."""
    return 1 < kinds <= MOST_KINDS and 2 * kinds <= samples


def parts(
    table: TaskTable, recipe: Recipe, shown: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, Part]]:
    """By facet and kind, in the order in which they are shown; what does not count is left out."""
    found: dict[str, dict[str, Part]] = {}
    for facet, kinds in shown.items():
        tables = table.by(facet)
        scores = {kind: tables[kind].score(recipe) for kind in kinds if kind in tables}
        found[facet] = {kind: Part(one.value, one.n) for kind, one in scores.items() if one}
    return {facet: by_kind for facet, by_kind in found.items() if by_kind}
