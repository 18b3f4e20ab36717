"""Intervals: against scipy, against known truth in simulation, and where there is nothing to draw.

benchmarks/interval_coverage.py has the long simulation, and the kinds of data that are drawn here.
"""

from __future__ import annotations

import math
import runpy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.conftest import REPOSITORY

from hengfa.base.statistics.evidence import SHARE, Bounds, evidence_of, mean
from hengfa.base.statistics.intervals import (
    ALIKE,
    ALIKE_WITHOUT_BOUNDS,
    ONE_CLUSTER,
    Estimate,
    difference_of,
    estimate,
    interval,
    sampled,
    weighted,
)

EACH_KIND = (
    "right or wrong, 50%, n = 100",
    "right or wrong, 95%, n = 100",
    "skewed scores, n = 30",
    "mostly zero, n = 30",
    "right or wrong in 30 clusters",
    "scores in 30 clusters",
    "pooled F0.5, n = 30",
    "mean of five tasks, n = 30",
    "weighted 2:5:3, n = 30",
    "paired, right or wrong, n = 100",
    "paired, scores, n = 30",
)
SIMULATION = runpy.run_path(
    str(REPOSITORY / "benchmarks" / "interval_coverage.py"), run_name="simulation"
)
KINDS = {kind.name: kind for kind in SIMULATION["kinds"]()}


def names(n: int) -> list[str]:
    return [str(number) for number in range(n)]


def of(values: object, clusters: list[str | None] | None = None, **more: object) -> Estimate:
    column = np.asarray(values, dtype=np.float64)
    data = evidence_of(names(len(column)), column, clusters, **more)  # type: ignore[arg-type]
    return estimate(sampled([data], "task")[0])


def covered(name: str, repetitions: int) -> float:
    found: dict[str, float] = SIMULATION["coverage"](KINDS[name], repetitions, 300, ["Hengfa"])
    return found["Hengfa"]


@pytest.mark.deep
@pytest.mark.parametrize("name", EACH_KIND)
def test_95_percent_intervals_hold_the_truth_in_93_to_97_percent(name: str) -> None:
    """1,500 repetitions have a standard error of half a point."""
    assert 0.93 <= covered(name, 1500) <= 0.97


@pytest.mark.parametrize("name", [name for name in KINDS if name.endswith("n = 10")])
def test_of_ten_samples_intervals_are_rather_too_wide_than_too_narrow(name: str) -> None:
    assert covered(name, 300) >= 0.92


@pytest.mark.parametrize(("right", "n"), [(1, 30), (15, 30), (290, 300), (7, 500)])
def test_the_interval_of_right_and_wrong_is_wilsons(right: int, n: int) -> None:
    share = right / n
    expected = stats.binomtest(right, n).proportion_ci(method="wilson")
    found = interval(share, math.sqrt(share * (1 - share) / n), 1e7, SHARE, is_score=True)
    assert found == pytest.approx((expected.low, expected.high), abs=1e-6)
    drawn = of([1.0] * right + [0.0] * (n - right))
    assert (drawn.low, drawn.high) == pytest.approx(found, abs=0.02)


@pytest.mark.parametrize("n", [1, 5, 30, 500])
def test_all_right_claims_no_certainty_but_what_clopper_and_pearson_do(n: int) -> None:
    expected = stats.binomtest(n, n).proportion_ci(method="exact")
    found = of(np.ones(n))
    assert (found.low, found.high) == pytest.approx((expected.low, 1.0))
    assert found.note == (ONE_CLUSTER if n == 1 else ALIKE)
    wrong = of(np.zeros(n))
    assert (wrong.low, wrong.high) == pytest.approx((0.0, 1 - expected.low))


def test_alike_in_the_middle_leaves_room_on_both_sides() -> None:
    found = of(np.full(20, 0.4))
    assert found.low is not None
    assert found.high is not None
    assert 0.3 < found.low < 0.4 < found.high < 0.55


def test_alike_without_limits_has_no_interval_and_says_why() -> None:
    found = of(np.full(20, 7.0), bounds=None)
    assert (found.value, found.low, found.high) == (7.0, None, None)
    assert found.note == ALIKE_WITHOUT_BOUNDS


def test_a_single_cluster_says_next_to_nothing() -> None:
    found = of([0.0, 1.0, 1.0, 0.0], ["law"] * 4)
    assert (found.samples, found.clusters, found.note) == (4, 1, ONE_CLUSTER)
    assert (found.low, found.high) == pytest.approx((0.0125, 0.9875))


def test_the_standard_error_is_the_usual_one_and_scipys() -> None:
    values = np.random.default_rng(3).beta(0.4, 1.6, 60)
    usual = mean(values.tolist())
    assert usual is not None
    assert usual.standard_error is not None
    found = of(values)
    assert found.standard_error == pytest.approx(usual.standard_error, rel=0.05)
    scipys = stats.bootstrap((values,), np.mean, n_resamples=4000, rng=1)
    assert found.standard_error == pytest.approx(
        scipys.standard_error * math.sqrt(60 / 59), rel=0.06
    )


def test_samples_of_a_cluster_count_together() -> None:
    """Each of 40 answers four times: no more is known than from the 40, and the formula for
    clusters of equal size says how much that is."""
    once = np.random.default_rng(4).random(40)
    clusters: list[str | None] = [str(n) for n in range(40) for _ in range(4)]
    alone, repeated = of(once), of(np.repeat(once, 4), clusters)
    assert repeated.value == pytest.approx(alone.value)
    assert repeated.standard_error == pytest.approx(alone.standard_error, rel=1e-9)
    assert repeated.clusters == 40
    naive = of(np.repeat(once, 4))
    assert naive.standard_error == pytest.approx(alone.standard_error / 2, rel=0.06)


def test_a_weighted_sum_of_independent_tasks_adds_variances() -> None:
    random = np.random.default_rng(5)
    tasks = {
        task: sampled([evidence_of(names(n), random.random(n))], task)[0]
        for task, n in (("a", 40), ("b", 90))
    }
    whole = weighted(tasks, {"a": 0.25, "b": 0.75}, 0.5)
    expected = math.hypot(*(w * tasks[t].standard_error for t, w in (("a", 0.25), ("b", 0.75))))
    assert whole.standard_error == pytest.approx(expected, rel=0.05)
    assert (whole.samples, whole.bounds) == (130, SHARE)
    assert 39 < whole.freedom < 128


def test_a_task_that_is_all_alike_still_adds_its_doubt_to_the_whole() -> None:
    certain = sampled([evidence_of(names(20), np.ones(20))], "a")[0]
    other = sampled([evidence_of(names(20), np.linspace(0, 1, 20))], "b")[0]
    whole = weighted({"a": certain, "b": other}, {"a": 0.5, "b": 0.5}, 0.75)
    assert whole.standard_error > other.standard_error / 2
    both = weighted({"a": certain, "c": certain}, {"a": 0.5, "c": 0.5}, 1.0)
    found = estimate(both)
    assert found.low is not None
    assert found.low < 1.0


def test_two_runs_that_never_differ_are_not_certainly_equal() -> None:
    values = np.random.default_rng(6).random(50)
    data = [evidence_of(names(50), values)] * 2
    one, other = sampled(data, "task")
    found = estimate(difference_of(one, other, data[0], "task"))
    most = 1 - 0.025 ** (1 / 50)
    assert (found.value, found.low, found.high) == pytest.approx((0.0, -most, most))
    assert found.note == ALIKE


def test_a_difference_has_the_interval_of_the_paired_t_test() -> None:
    random = np.random.default_rng(7)
    level = random.random(200)
    pair = [np.clip(level + random.normal(0, 0.1, 200), 0, 1) for _ in range(2)]
    data = [evidence_of(names(200), one) for one in pair]
    one, other = sampled(data, "task")
    found = estimate(difference_of(one, other, data[0], "task"))
    expected = stats.ttest_rel(*pair).confidence_interval()
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.002)


def test_draws_need_the_same_samples() -> None:
    with pytest.raises(ValueError, match="same samples"):
        sampled([evidence_of("ab", [0, 1]), evidence_of("ac", [0, 1])], "task")


def test_the_same_seed_gives_the_same_and_tasks_have_draws_of_their_own() -> None:
    data = [evidence_of(names(30), np.linspace(0, 1, 30))]
    first, again = (sampled(data, "1-1")[0] for _ in range(2))
    assert (first.draws == again.draws).all()
    assert (first.draws != sampled(data, "1-2")[0].draws).any()
    assert (first.draws != sampled(data, "1-1", seed=1)[0].draws).any()


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_an_interval_of_scores_holds_the_score_and_keeps_to_its_limits(values: list[float]) -> None:
    found = of(values)
    assert found.low is not None
    assert found.high is not None
    assert -1e-9 <= found.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.high <= 1 + 1e-9
    assert found.high - found.low > 0


def test_other_limits_are_kept_too() -> None:
    found = interval(-0.9, 0.3, 20, Bounds(-1.0, 1.0), is_score=False)
    assert found[0] == -1.0
    low, high = interval(4.5, 0.3, 20, Bounds(0.0, 5.0), is_score=True)
    assert 0 < low < 4.5 < high < 5


def test_what_was_not_seen_does_not_spread_a_score_at_its_limit_over_the_whole_scale() -> None:
    """A mean of two tasks, one all right, the other almost: both errors are a few points."""
    right = sampled([evidence_of(names(100), np.ones(100))], "a")[0]
    almost = sampled([evidence_of(names(100), np.r_[np.ones(99), 0.999])], "b")[0]
    half = {"a": 0.5, "b": 0.5}
    found = estimate(weighted({"a": right, "b": almost}, half, (right.value + almost.value) / 2))
    assert found.low is not None
    assert found.low > 0.9
    assert found.high == 1.0
