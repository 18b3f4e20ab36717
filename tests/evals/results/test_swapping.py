"""The permutation test, against scipy's and on data with no difference."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hengfa.base.statistics.contest import TAIL, Swapped, swap_test
from hengfa.base.statistics.evidence import Array, evidence_of
from hengfa.law.text.proofreading import f_half


def p_of(one: Array, other: Array, clusters: list[str | None] | None = None, **more: int) -> float:
    names = [str(n) for n in range(len(one))]
    data = [evidence_of(names, values, clusters) for values in (one, other)]
    swapped = Swapped(data, "task", **{"seed": 1, "swaps": 9_999, **more})
    return swap_test([(swapped.pair(0, 1), 1.0)])


def test_few_samples_are_swapped_in_every_way() -> None:
    random = np.random.default_rng(1)
    for _ in range(20):
        one, other = random.random((2, 7))
        expected = stats.permutation_test(
            (one, other), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=9_999
        ).pvalue
        assert p_of(one, other) == pytest.approx(expected)


def test_known_case() -> None:
    """Three differences of one sign: of 8 ways to swap, 2 are as extreme."""
    assert p_of(np.array([0.5, 0.4, 0.9, 0.3]), np.array([0.1, 0.1, 0.1, 0.3])) == 2 / 8
    assert p_of(np.array([0.5, 0.2]), np.array([0.5, 0.2])) == 1


@pytest.mark.parametrize("gap", [0.0, 0.02, 0.05])
def test_many_samples_agree_with_scipy(gap: float) -> None:
    random = np.random.default_rng(2)
    one, other = random.random((2, 80))
    expected = stats.permutation_test(
        (one + gap, other), lambda a, b, axis: (a - b).mean(axis=axis),
        vectorized=True, permutation_type="samples", n_resamples=20_000, rng=3,
    ).pvalue  # fmt: skip
    assert p_of(one + gap, other) == pytest.approx(expected, abs=0.015)


def test_clusters_are_swapped_whole() -> None:
    """Twelve samples of three laws can be swapped in 8 ways, not in 4,096."""
    one = np.repeat([0.9, 0.8, 0.7], 4)
    clusters: list[str | None] = [law for law in "abc" for _ in range(4)]
    assert p_of(one, np.zeros(12), clusters) == 2 / 8
    assert p_of(one, np.zeros(12)) == 2 / 4096


def test_what_random_swaps_cannot_show_is_bounded_and_never_too_small() -> None:
    """40 differ, 38 of them in favour of one: exact is the sign test."""
    one = np.array([1.0] * 38 + [0.0] * 2 + [1.0] * 60)
    other = np.array([0.0] * 38 + [1.0] * 2 + [1.0] * 60)
    exact = stats.binomtest(38, 40).pvalue
    found = p_of(one, other)
    assert exact < found < 1e-6
    normal = 2 * stats.norm.sf(36 / np.sqrt(40))
    assert found == pytest.approx(TAIL * normal, rel=0.6)
    assert pytest.approx(1 / (4 * stats.norm.sf(np.sqrt(2)))) == TAIL


def test_without_a_difference_five_of_a_hundred_come_out() -> None:
    random = np.random.default_rng(4)
    found = np.array([p_of(*random.beta(0.4, 1.6, (2, 25)), swaps=399) for _ in range(1500)])
    assert 0.035 < (found <= 0.05).mean() < 0.065
    assert stats.kstest(found, "uniform").statistic < 0.05


def test_a_figure_of_sums_is_swapped_in_the_sums() -> None:
    """By hand: sample 1 has 3 right in one run and 1 wrong in the other, sample 2 is alike."""
    parts = [[[3, 0, 0], [1, 1, 1]], [[0, 1, 3], [1, 1, 1]]]
    data = [evidence_of("ab", [0, 0], parts=part, figure=f_half) for part in parts]
    pair = Swapped(data, "task", seed=1, swaps=50).pair(0, 1)
    expected = f_half(4, 1, 1) - f_half(1, 2, 4)
    assert pair.observed == pytest.approx(expected)
    assert set(np.round(np.abs(pair.at_random), 9)) == {round(expected, 9)}
    assert swap_test([(pair, 1.0)]) == 1.0


def test_tasks_are_swapped_apart() -> None:
    """Two tasks of one differing sample each: 4 ways, of which 2 are as extreme."""
    pairs = []
    for task in ("x", "y"):
        data = [evidence_of("ab", values) for values in ([1.0, 0.5], [0.0, 0.5])]
        pairs.append((Swapped(data, task, seed=1, swaps=99).pair(0, 1), 0.5))
    assert swap_test(pairs) == 2 / 4
