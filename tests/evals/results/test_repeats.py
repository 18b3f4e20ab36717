"""Several tries at each sample: every figure against all ways to take k of the tries."""

from __future__ import annotations

from itertools import combinations
from math import comb, isfinite, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.statistics.contest import Contest
from hengfa.base.statistics.evidence import shared
from hengfa.base.statistics.intervals import ALIKE, ALIKE_WITHOUT_BOUNDS, estimate, sampled
from hengfa.base.statistics.repeats import (
    Repeated,
    Tries,
    chance_of_all,
    repeated,
    tries_of,
)

VALUES = st.sampled_from([-0.25, 0.0, 0.2, 0.6, 0.75, 1.0])
RAGGED = st.lists(st.lists(VALUES, min_size=1, max_size=7), min_size=1, max_size=6)


def of(values: list[list[float]], threshold: float = 0.6, **more: object) -> Tries:
    names = [str(number) for number in range(len(values))]
    return tries_of(names, values, threshold, **more)  # type: ignore[arg-type]


def average(values: list[float]) -> float:
    return sum(values) / len(values)


@given(RAGGED)
@settings(deadline=None)
def test_chances_and_worst_values_are_means_over_all_subsets(
    values: list[list[float]],
) -> None:
    tries = of(values)
    for k in range(1, max(map(len, values)) + 1):
        subsets = [list(combinations(tried, k)) for tried in values if len(tried) >= k]
        for evidence, of_subset in (
            (tries.any_right(k), lambda subset: float(max(subset) >= 0.6)),
            (tries.all_right(k), lambda subset: float(min(subset) >= 0.6)),
            (tries.worst(k), min),
        ):
            expected = [average([of_subset(subset) for subset in every]) for every in subsets]
            assert evidence.values == pytest.approx(expected)
            assert evidence.value == pytest.approx(average(expected))


@given(RAGGED)
@settings(max_examples=25, deadline=None)
def test_what_is_shown_is_what_was_computed(values: list[list[float]]) -> None:
    tries = of(values)
    found = repeated(tries, draws=50)
    numbers = [len(tried) for tried in values]
    assert (found.samples, found.fewest, found.most) == (len(values), min(numbers), max(numbers))
    assert [at.k for at in found.at] == list(range(1, max(numbers) + 1))
    for at in found.at:
        assert at.left_out == sum(number < at.k for number in numbers)
        assert at.any_right.samples == len(values) - at.left_out
        assert at.any_right.value == tries.any_right(at.k).value
        assert at.all_right.value == tries.all_right(at.k).value
        assert at.worst.value == tries.worst(at.k).value


def test_of_all_tries_the_worst_is_the_smallest_and_of_one_the_mean() -> None:
    tries = of([[0.3, 0.9, 0.6], [1.0, 0.2, 0.2]])
    assert tries.worst(3).values.tolist() == [0.3, 0.2]
    assert tries.worst(1).values == pytest.approx(tries.mean().values)
    assert tries.any_right(1).values == pytest.approx(tries.all_right(1).values)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_always_right_or_always_wrong_is_steady_but_not_certain(value: float) -> None:
    found = repeated(of([[value] * 5] * 30))
    every = [found.mean] + [e for at in found.at for e in (at.any_right, at.all_right, at.worst)]
    assert {figure.value for figure in every} == {value}
    assert all(figure.note == ALIKE and figure.low != figure.high for figure in every)
    assert found.unsteady is not None
    assert found.spread is not None
    assert found.unsteady.value == found.spread.value == 0
    assert found.unsteady.high == pytest.approx(1 - 0.025 ** (1 / 30))


def test_a_single_try_has_no_spread() -> None:
    found = repeated(of([[1.0], [0.0], [1.0]]))
    assert (found.spread, found.unsteady, len(found.at)) == (None, None, 1)
    assert found.at[0].any_right == found.at[0].all_right == found.mean


def test_samples_with_fewer_tries_are_left_out_and_counted() -> None:
    found = repeated(of([[1, 0, 1], [1, 1], [0]]))
    assert [at.left_out for at in found.at] == [0, 1, 2]
    assert found.at[1].all_right.value == pytest.approx((1 / 3 + 1) / 2)
    assert found.spread is not None
    assert found.unsteady is not None
    assert (found.spread.samples, found.unsteady.value) == (2, 0.5)
    assert found.spread.value == pytest.approx(np.std([1, 0, 1], ddof=1) / 2)


def test_the_interval_is_of_samples_and_their_clusters_not_of_tries() -> None:
    levels = np.random.default_rng(1).random(40)
    once = repeated(of([[level] for level in levels]))
    often = repeated(of([[level] * 50 for level in levels]))
    assert once.mean.standard_error == pytest.approx(often.mean.standard_error)
    named = [str(number // 10) for number in range(40)]
    together = repeated(of([[level] * 3 for level in levels], clusters=named))
    assert together.mean.clusters == together.at[2].worst.clusters == 4


def test_marks_below_zero_have_no_limits_but_their_chances_do() -> None:
    found = repeated(of([[-0.5, -0.5], [-0.5, -0.5]]))
    assert found.mean.note == found.at[0].worst.note == ALIKE_WITHOUT_BOUNDS
    assert found.at[1].any_right.note == ALIKE


def test_a_value_that_rounding_left_below_the_threshold_reaches_it() -> None:
    assert 0.1 + 0.7 < 0.8
    assert of([[0.1 + 0.7]], threshold=0.8).any_right(1).value == 1


def test_a_thousand_tries_neither_overflow_nor_lose_digits() -> None:
    chances = chance_of_all(1000)
    assert np.isfinite(chances).all()
    for c, k in [(1, 1), (500, 20), (999, 500), (999, 999), (1000, 1000), (990, 7), (700, 300)]:
        exact = comb(c, k) / comb(1000, k)  # of whole numbers of any length
        assert isfinite(exact)
        if exact:
            assert log(chances[c, k]) == pytest.approx(log(exact), abs=1e-9)
        else:
            assert chances[c, k] == 0
    values = np.random.default_rng(2).random((20, 1000))
    found = repeated(tries_of([str(n) for n in range(20)], list(values), 0.6), draws=100)
    assert found.at[-1].worst.value == pytest.approx(values.min(axis=1).mean())
    worst = [at.worst.value for at in found.at]
    assert worst == sorted(worst, reverse=True)


def test_two_runs_can_be_compared_in_every_figure() -> None:
    random = np.random.default_rng(3)
    one = of((random.random((60, 4)) < 0.7).astype(float).tolist())
    other = of((random.random((60, 4)) < 0.4).astype(float).tolist())
    pair = shared([one.all_right(3), other.all_right(3)])
    difference = Contest({"pass^3": pair}, lambda _: {}).pair(0, 1).difference("pass^3")
    assert difference.estimate.value == pytest.approx(pair[0].value - pair[1].value)
    assert difference.p < 0.05


@pytest.mark.parametrize(("k", "truth"), [(1, 0.4), (3, 2 / 5 * 3 / 6 * 4 / 7)])
def test_95_percent_intervals_hold_the_truth(k: int, truth: float) -> None:
    """The chance of a sample has the distribution Beta(2, 3), whose moments are known."""
    held, random = 0, np.random.default_rng(4)
    for _ in range(1000):
        right = random.random((50, 5)) < random.beta(2, 3, 50)[:, None]
        (figure,) = sampled([of(right.astype(float).tolist()).all_right(k)], "t", draws=300)
        found = estimate(figure)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert 930 <= held <= 970


def test_a_sample_without_a_try_is_refused() -> None:
    with pytest.raises(ValueError, match="without a try"):
        of([[1.0], []])


def test_figures_can_be_written_and_read() -> None:
    import msgspec

    found = repeated(of([[1, 0], [1, 1]]))
    assert msgspec.convert(msgspec.to_builtins(found), Repeated) == found
