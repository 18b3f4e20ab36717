"""Scores by kinds of samples, as the site shows them."""

from __future__ import annotations

import numpy as np
import pytest

from hengfa.evals.report.site.model import Part
from hengfa.evals.report.site.tasks import _is_breakdown, _parts
from hengfa.evals.results.figures import Pooled, Recipe, TaskTable

NAN = float("nan")


def table(columns: dict[str, list[float]], kinds: list[str | None]) -> TaskTable:
    size = len(kinds)
    return TaskTable(
        samples=tuple(map(str, range(size))),
        clusters=(None,) * size,
        statuses=("answered",) * size,
        answers=("extracted",) * size,
        columns={name: np.array(values) for name, values in columns.items()},
        facets=tuple({} if kind is None else {"law": kind} for kind in kinds),
    )


def test_means_by_kind_count_what_silence_counts_and_leave_out_what_does_not_count() -> None:
    scored = table({"accuracy": [1.0, 0.0, NAN, 1.0]}, ["甲", "甲", "甲", "乙"])
    found = _parts(scored, Recipe("accuracy"), {"law": ["乙", "甲"]})
    assert found == {"law": {"乙": Part(1.0, 1), "甲": Part(0.5, 2)}}


def test_a_figure_of_sums_is_made_of_the_sums_of_each_kind() -> None:
    pooled = Pooled(("right", "all"), lambda right, every: right / every)
    columns = {"f": [0.0, 0.0, 0.0], "right": [1.0, 2.0, 0.0], "all": [2.0, 4.0, 5.0]}
    scored = table(columns, ["甲", "甲", None])
    assert _parts(scored, Recipe("f", pooled), {"law": ["甲"]}) == {"law": {"甲": Part(0.5, 2)}}


def test_a_kind_of_which_no_sample_counts_is_left_out() -> None:
    assert _parts(table({"m": [NAN]}, ["甲"]), Recipe("m"), {"law": ["甲"]}) == {}


@pytest.mark.parametrize(
    ("kinds", "samples", "says_something"),
    [(1, 100, False), (2, 4, True), (3, 5, False), (400, 800, True), (401, 10_000, False)],
)
def test_facets_that_name_samples_are_no_breakdown(
    kinds: int, samples: int, says_something: bool
) -> None:
    assert _is_breakdown(kinds, samples) is says_something
