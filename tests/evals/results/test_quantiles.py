"""Quantiles by hand against scipy's."""

from __future__ import annotations

import pytest
from scipy import stats

from hengfa.base.statistics.intervals import normal_quantile, t_quantile, two_sided_p


@pytest.mark.parametrize("freedom", [1, 1.5, 2, 3.7, 10, 29, 100, 499, 130_000])
@pytest.mark.parametrize("share", [0.01, 0.5, 0.8, 0.975, 0.9995])
def test_students_quantiles_are_those_of_scipy(freedom: float, share: float) -> None:
    expected = stats.t.ppf(share, freedom)
    assert t_quantile(share, freedom) == pytest.approx(expected, rel=2e-4, abs=1e-9)


def test_normal_quantiles_and_tails_are_those_of_scipy() -> None:
    assert normal_quantile(0.975) == pytest.approx(stats.norm.ppf(0.975))
    assert two_sided_p(-2.5) == pytest.approx(2 * stats.norm.sf(2.5))
