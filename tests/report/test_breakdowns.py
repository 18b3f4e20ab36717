"""Scores by kind, computed by hand."""

from __future__ import annotations

import pytest

from hengfa.report.site.breakdowns import is_breakdown, part, parts
from hengfa.report.site.model import Part
from hengfa.suites.base import
from hengfa.results.figures import Pooled

FACETS = [{"law": "甲法"}, {"law": "乙法"}, {"law": "甲法"}, {}]


def test_the_mean_of_each_kind_counts_no_answer_as_nothing() -> None:
    values: list[dict[str, float | None]] = [{"f": 1.0}, {"f": 0.25}, {"f": None}, {"f": 1.0}]
    found = parts("f", None, values, FACETS, {"law": ["甲法", "乙法", "丙法"]})
    assert found == {"law": {"甲法": Part(0.5, 2), "乙法": Part(0.25, 1)}}


def test_what_the_rules_leave_out_is_left_out() -> None:
    values: list[dict[str, float | None]] = [{"f": 1.0}, {}, {}, {}]
    found = parts("f", None, values, FACETS, {"law": ["甲法", "乙法"]})
    assert found == {"law": {"甲法": Part(1.0, 1)}}


def test_a_figure_of_sums_is_made_of_the_sums_of_the_kind() -> None:
    pooled = Pooled(("right", "all"), lambda right, every: right / every)
    values = [{"f": 1.0, "right": 1.0, "all": 4.0}, {"f": 0.0, "right": 2.0, "all": 2.0}]
    assert part("f", pooled, values) == Part(0.5, 2)


@pytest.mark.parametrize(
    ("kinds", "samples", "says_something"),
    [(1, 100, False), (2, 4, True), (2, 3, False), (400, 800, True), (401, 9000, False)],
)
def test_kinds_that_name_single_samples_are_no_breakdown(
    kinds: int, samples: int, says_something: bool
) -> None:
    assert is_breakdown(kinds, samples) is says_something
