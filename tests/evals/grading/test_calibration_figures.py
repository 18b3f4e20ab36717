"""Resampled figures: the same as of each resample alone, and as scipy and scikit-learn say."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.statistics.correlation import (
    kendall,
    mae,
    pearson,
    spearman,
    weighted_kappa,
)
from hengfa.evals.grading.people.calibration_figures import (
    FIGURES,
    Array,
    Estimate,
    Whole,
    agreement,
    resampled,
    resampled_means,
)

DRAWN = [name for name in FIGURES if name not in {"mae", "bias"}]


def one_by_one(
    x: Array, y: Array, cluster: Whole, seed: int, many: int
) -> dict[str, list[float | None]]:
    """Every resample written out, and the plain functions on it."""
    rng = np.random.default_rng(seed)
    clusters = int(cluster.max()) + 1
    found: dict[str, list[float | None]] = {name: [] for name in DRAWN}
    for drawn in rng.integers(0, clusters, (many, clusters)):
        places = np.concatenate([np.flatnonzero(cluster == one) for one in drawn])
        a, b = x[places], y[places]
        found["pearson"].append(pearson(a, b))
        found["spearman"].append(spearman(a, b))
        found["kendall"].append(kendall(a, b))
        found["kappa"].append(weighted_kappa(a, b))
    return found


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_all_at_once_equals_one_by_one(data: st.DataObject) -> None:
    levels = st.sampled_from([0.0, 0.25, 0.5, 1.0])
    cluster = data.draw(st.lists(st.integers(0, 5), min_size=2, max_size=20))
    numbers = np.unique(np.array(cluster), return_inverse=True)[1]
    n = len(cluster)
    x = np.array(data.draw(st.lists(levels, min_size=n, max_size=n)))
    y = np.array(data.draw(st.lists(levels, min_size=n, max_size=n)))
    together = resampled(x, y, numbers, seed=7, resamples=20)
    for name, alone in one_by_one(x, y, numbers, 7, 20).items():
        expected = np.array([np.nan if one is None else one for one in alone])
        np.testing.assert_allclose(together[name], expected, atol=1e-9, err_msg=name)


def test_figures_are_those_of_scipy_and_scikit_learn() -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    rng = np.random.default_rng(1)
    levels = rng.integers(0, 5, 60)
    others = np.clip(levels + rng.integers(-1, 2, 60), 0, 4)
    x, y = levels / 4, others / 4
    units = [(f"s{number}", "") for number in range(60)]
    n, submissions, found = agreement(
        dict(zip(units, x, strict=True)), dict(zip(units, y, strict=True)), resamples=200
    )
    assert (n, submissions) == (60, 60)
    assert found["pearson"].value == pytest.approx(stats.pearsonr(x, y).statistic)
    assert found["spearman"].value == pytest.approx(stats.spearmanr(x, y).statistic)
    assert found["kendall"].value == pytest.approx(stats.kendalltau(x, y).statistic)
    assert found["mae"].value == pytest.approx(metrics.mean_absolute_error(x, y) * 100)
    kappa = metrics.cohen_kappa_score(levels, others, weights="quadratic")
    assert found["kappa"].value == pytest.approx(kappa)


def test_intervals_are_those_of_scipys_bootstrap() -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    rng = np.random.default_rng(2)
    x = rng.normal(size=80)
    y = x + rng.normal(size=80)
    drawn = resampled(x, y, np.arange(80), seed=3)["pearson"]
    theirs = stats.bootstrap(
        (x, y),
        lambda a, b: stats.pearsonr(a, b).statistic,
        paired=True,
        vectorized=False,
        method="percentile",
        n_resamples=2000,
        rng=np.random.default_rng(4),
    ).confidence_interval
    assert np.percentile(drawn, [2.5, 97.5]) == pytest.approx([theirs.low, theirs.high], abs=0.02)


def estimated(
    x: Array, y: Array, items: int = 1, *, seed: int = 0, resamples: int = 1000
) -> dict[str, Estimate]:
    """Two raters of submissions, each with so many equal items."""
    units = [(f"s{number:03}", str(item)) for number in range(len(x)) for item in range(items)]
    target, rated = (dict(zip(units, values.repeat(items), strict=True)) for values in (x, y))
    return agreement(target, rated, seed=seed, resamples=resamples)[2]


def test_items_of_one_submission_are_drawn_together() -> None:
    """Twenty equal items are one piece of evidence: the interval is that of the submissions."""
    rng = np.random.default_rng(5)
    x, y = rng.random(30), rng.random(30)
    single = resampled(x, y, np.arange(30), seed=1)["kappa"]
    repeated = resampled(x.repeat(20), y.repeat(20), np.arange(30).repeat(20), seed=1)["kappa"]
    np.testing.assert_allclose(single, repeated)
    for name in ("mae", "bias"):
        alone, twenty = (estimated(x, y, items)[name] for items in (1, 20))
        assert (alone.low, alone.high) == pytest.approx((twenty.low, twenty.high))


def test_intervals_cover_what_is_true_about_as_often_as_they_say() -> None:
    """Mean differences around 0, 40 submissions: 95 of 100 intervals should hold 0."""
    rng = np.random.default_rng(6)
    held = 0
    for seed in range(300):
        x = rng.normal(size=40)
        y = x + rng.normal(size=40)
        bias = estimated(x, y, seed=seed, resamples=400)["bias"]
        assert bias.low is not None and bias.high is not None
        held += bias.low <= 0 <= bias.high
    assert 0.92 <= held / 300 <= 0.98


def test_means_of_models_equal_the_plain_functions() -> None:
    rng = np.random.default_rng(8)
    group = np.arange(5).repeat(6)
    x = rng.random(30)
    y = x + rng.normal(scale=0.2, size=30)
    drawn = resampled_means(x, y, group, seed=9, resamples=50)
    # the draws again, one model after the other
    rng = np.random.default_rng(9)
    places = [6 * model + rng.integers(0, 6, (50, 6)) for model in range(5)]
    for number in range(50):
        a = np.array([x[one[number]].mean() for one in places])
        b = np.array([y[one[number]].mean() for one in places])
        assert drawn["pearson"][number] == pytest.approx(pearson(a, b))
        assert drawn["spearman"][number] == pytest.approx(spearman(a, b))
        assert drawn["kendall"][number] == pytest.approx(kendall(a, b))
        assert drawn["kappa"][number] == pytest.approx(weighted_kappa(a, b))
        assert drawn["mae"][number] == pytest.approx(mae(a, b))


@pytest.mark.deep
def test_ten_thousand_resamples_of_five_hundred_take_seconds() -> None:
    rng = np.random.default_rng(10)
    x = rng.random(500)
    started = time.process_time()
    found = resampled(x, x + rng.random(500), np.arange(500), seed=0)
    assert len(found["kendall"]) == 10_000
    assert time.process_time() - started < 20  # 3 s of two cores where nothing else runs
