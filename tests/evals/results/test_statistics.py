"""Means and their standard errors."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.base.statistics.evidence import mean, of_sums

SCORES = st.lists(st.floats(0, 1), min_size=2, max_size=200)


@given(SCORES)
def test_agrees_with_the_standard_library(values: list[float]) -> None:
    found = mean(values)
    assert found is not None
    assert found.n == len(values)
    assert found.value == pytest.approx(statistics.fmean(values), abs=1e-12)
    expected = statistics.stdev(values) / len(values) ** 0.5
    assert found.standard_error == pytest.approx(expected, abs=1e-9)


def test_of_nothing_there_is_no_mean_and_of_one_value_no_error() -> None:
    assert mean([]) is None
    assert mean([0.5]) == (0.5, None, 1)


def test_known_case() -> None:
    assert mean([0.0, 1.0, 1.0, 0.0]) == pytest.approx((0.5, (1 / 12) ** 0.5, 4))


@given(SCORES)
def test_the_jackknife_of_a_mean_is_the_usual_standard_error(values: list[float]) -> None:
    found = of_sums([(value, 1.0) for value in values], lambda total, count: total / count)
    usual = mean(values)
    assert found is not None
    assert usual is not None
    assert found.n == usual.n
    assert found.value == pytest.approx(usual.value, abs=1e-12)
    assert found.standard_error == pytest.approx(usual.standard_error, abs=1e-9)


def test_a_figure_of_no_rows_is_none_and_of_one_row_has_no_error() -> None:
    def share(right: float, wrong: float) -> float:
        return right / (right + wrong)

    assert of_sums([], share) is None
    assert of_sums([(1.0, 3.0)], share) == (0.25, None, 1)


def test_a_figure_is_of_the_sums_not_the_mean_of_figures() -> None:
    found = of_sums([(1.0, 0.0), (0.0, 3.0)], lambda right, wrong: right / (right + wrong))
    assert found == pytest.approx((0.25, 0.5, 2))
