"""Means and their standard errors."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.results.statistics import mean

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
