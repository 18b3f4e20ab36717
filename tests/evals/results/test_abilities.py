"""Correlations between abilities: by hand, against scipy's formulas, and in simulation."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from hengfa.base.statistics.correlation import Correlation, associate
from hengfa.evals.results.published.papers import published


def names(n: int) -> list[str]:
    return [f"model {number}" for number in range(n)]


def test_pearson_with_fishers_interval_by_hand() -> None:
    """r = 0.8 of these five; artanh 0.8 = 1.0986, half-width 1.96 / √2 = 1.3859."""
    x, y = [1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 3.0, 2.0, 5.0, 4.0]
    found = associate(names(5), x, y)
    assert found.pearson is not None
    assert found.pearson.value == pytest.approx(0.8)
    assert found.pearson.low == pytest.approx(math.tanh(math.atanh(0.8) - 1.959964 / math.sqrt(2)))
    assert found.pearson.high == pytest.approx(math.tanh(math.atanh(0.8) + 1.959964 / math.sqrt(2)))
    assert found.spearman is not None
    assert found.spearman.value == pytest.approx(0.8)
    assert (found.spearman.low, found.spearman.high) == (None, None)  # too few for ranks


def test_spearman_has_the_wider_interval_of_bonett_and_wright() -> None:
    x = [float(number) for number in range(1, 11)]
    y = [2.0, 1.0, 4.0, 3.0, 6.0, 5.0, 8.0, 7.0, 10.0, 9.0]
    found = associate(names(10), x, y).spearman
    assert found is not None
    value = 1 - 6 * 10 / (10 * 99)  # ten differences of one
    reach = 1.959964 * math.sqrt((1 + value**2 / 2) / 7)
    assert found.value == pytest.approx(value)
    assert found.low == pytest.approx(math.tanh(math.atanh(value) - reach), abs=1e-6)


def test_below_four_points_there_is_nothing_and_below_twelve_a_warning() -> None:
    three = associate(names(3), [1.0, 2.0, 3.0], [1.0, 3.0, 2.0])
    assert (three.pearson, three.spearman) == (None, None)
    assert "3 points are too few" in three.warnings[0]
    random = np.random.default_rng(1)
    for n, warned in ((4, True), (11, True), (12, False)):
        x, y = random.normal(size=(2, n)).tolist()
        found = associate(names(n), x, y)
        assert found.pearson is not None
        assert any(f"only {n} points" in warning for warning in found.warnings) is warned


def test_points_of_one_model_are_not_taken_for_independent_without_saying_so() -> None:
    random = np.random.default_rng(2)
    x, y = random.normal(size=(2, 24)).tolist()
    found = associate([f"model {number % 8}" for number in range(24)], x, y)
    assert "16 of the 24 points" in found.warnings[0]


def test_a_figure_that_is_the_same_for_all_has_no_correlation() -> None:
    found = associate(names(12), [0.5] * 12, [float(number) for number in range(12)])
    assert found.pearson is None
    assert found.warnings == ("a figure is the same for all models",)


def test_a_perfect_correlation_has_no_interval() -> None:
    x = [float(number) for number in range(12)]
    assert associate(names(12), x, x).pearson == Correlation(1.0, None, None)


def drawn(
    random: np.random.Generator, shape: str, rho: float, n: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    x, noise = random.normal(size=(2, n))
    y = rho * x + math.sqrt(1 - rho**2) * noise
    return (np.exp(x) if shape == "skewed" else x), y


@pytest.mark.parametrize("rho", [0.0, 0.6, 0.9])
@pytest.mark.parametrize("n", [8, 10, 24, 51])
def test_pearsons_interval_covers_93_to_97_of_100_if_both_are_normal(rho: float, n: int) -> None:
    random = np.random.default_rng([17, n])
    hits = 0
    for _ in range(1500):
        x, y = drawn(random, "normal", rho, n)
        found = associate(names(n), list(x), list(y)).pearson
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= rho <= found.high
    assert 0.93 <= hits / 1500 <= 0.97


@pytest.mark.parametrize("rho", [0.0, 0.6, 0.9])
@pytest.mark.parametrize("n", [10, 24, 51])
def test_spearmans_interval_covers_93_to_97_of_100_even_if_one_is_skewed(
    rho: float, n: int
) -> None:
    """The truth of normal pairs is 6/π · asin(ρ/2); bending an axis does not move ranks."""
    random = np.random.default_rng([23, n])
    truth = 6 / math.pi * math.asin(rho / 2)
    hits = 0
    for _ in range(1500):
        x, y = drawn(random, "skewed", rho, n)
        found = associate(names(n), list(x), list(y)).spearman
        assert found is not None
        if found.low is None or found.high is None:
            continue  # the same order: no interval, which does not cover
        hits += found.low <= truth <= found.high
    assert 0.93 <= hits / 1500 <= 0.975


def test_what_claw_says_of_its_four_printed_accuracies_cannot_be_told_from_them() -> None:
    """The paper's 0.61 is over ten models; four of their accuracies are printed."""
    rows = [row for row in published("claw") if "article_accuracy" in row.figures]
    found = associate(
        [row.model for row in rows],
        [row.figures["article_accuracy"] for row in rows],
        [row.figures["case_overall@Gemini-2.5-Pro"] for row in rows],
    )
    assert found.n == 4
    assert found.pearson is not None
    assert found.pearson.low is not None
    assert found.pearson.high is not None
    assert found.pearson.low < 0.61 < found.pearson.high


def test_tokens_do_not_buy_success_in_legalagentbench() -> None:
    """By method the correlation is negative: the weakest model spends the most (table 3)."""
    for method in ("react", "plan-solve", "plan-execute"):
        rows = published("legalagentbench", method)
        found = associate(
            [row.model for row in rows],
            [row.figures["tokens"] for row in rows],
            [row.figures["success/all"] for row in rows],
        )
        assert found.n == 8
        assert found.pearson is not None
        assert found.pearson.value < 0
