"""Runs against each other: weights of tasks, differences, ranks, corrections, power."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hengfa.base.statistics.contest import (
    Contest,
    difference_between,
    holm,
    rank_ranges,
    weights_of,
)
from hengfa.base.statistics.evidence import Evidence, evidence_of
from hengfa.base.statistics.intervals import smallest_difference
from hengfa.evals.suites.registry import OWN, get_suite

PS = st.lists(st.floats(0, 1), min_size=1, max_size=20)


def half_and_half(scores: object) -> dict[str, float]:
    assert isinstance(scores, dict)
    return {"overall": (scores["a"] + scores["b"]) / 2}


def contest(level: tuple[float, ...] = (0.7, 0.5), n: int = 200) -> Contest:
    random = np.random.default_rng(1)
    tasks: dict[str, list[Evidence]] = {}
    for task in ("a", "b"):
        hard = random.random(n)
        tasks[task] = [
            evidence_of([str(i) for i in range(n)], (hard < one).astype(np.float64))
            for one in level
        ]
    return Contest(tasks, half_and_half)


@pytest.mark.parametrize("name", OWN)
def test_the_figures_of_every_suite_are_weighted_sums_of_its_tasks(name: str) -> None:
    suite = get_suite(name)
    found = weights_of(suite.figures, list(suite.tasks))
    for weights in found.values():
        assert sum(weights.values()) == pytest.approx(1)


def test_weights_of_lawbench_and_plawbench() -> None:
    lawbench = get_suite("lawbench")
    weights = weights_of(lawbench.figures, list(lawbench.tasks))
    assert weights["memorization"] == pytest.approx({"1-1": 0.5, "1-2": 0.5})
    assert weights["overall"] == pytest.approx(dict.fromkeys(lawbench.tasks, 1 / 20))
    plawbench = get_suite("plawbench")
    overall = weights_of(plawbench.figures, list(plawbench.tasks))["overall"]
    assert sorted(overall.values()) == pytest.approx([0.15, 0.15, 0.2, 0.5])


def test_a_figure_that_is_no_weighted_sum_is_refused() -> None:
    with pytest.raises(ValueError, match="'product' is not a weighted sum"):
        weights_of(lambda scores: {"product": scores["a"] * scores["b"]}, ["a", "b"])


def test_scores_differences_and_counts() -> None:
    found = contest()
    assert found.rows == ["a", "b", "overall"]
    for row in found.rows:
        assert found.estimate(row, 0).value == found.value(row, 0)
    apart = found.pair(0, 1).difference("overall")
    assert apart.estimate.value == found.value("overall", 0) - found.value("overall", 1)
    assert (apart.losses, apart.wins + apart.ties) == (0, 400)
    assert apart.wins == round(2 * 200 * apart.estimate.value)
    assert apart.p < 1e-6
    back = found.pair(1, 0).difference("overall")
    assert back.estimate.low == pytest.approx(-(apart.estimate.high or 0))


def test_a_pair_is_surer_than_two_scores_apart() -> None:
    """Both runs fail on the same hard samples, so their difference varies less."""
    found = contest()
    one, other = (found.estimate("a", run).standard_error for run in (0, 1))
    assert found.pair(0, 1).difference("a").estimate.standard_error < math.hypot(one, other) / 1.3


def test_two_runs_alike_are_not_told_apart_but_may_differ() -> None:
    apart = contest((0.6, 0.6)).pair(0, 1).difference("overall")
    assert (apart.p, apart.wins, apart.ties, apart.losses) == (1, 0, 400, 0)
    assert apart.estimate.low is not None
    assert apart.estimate.low < 0
    assert apart.smallest > 0


def test_ranks_of_runs_that_are_far_apart_are_sure_and_of_equals_are_not() -> None:
    sure = contest((0.9, 0.2, 0.5)).ranks("overall")
    assert [(one.rank, one.low, one.high) for one in sure] == [(1, 1, 1), (3, 3, 3), (2, 2, 2)]
    first, second = contest((1.0, 1.0)).ranks("overall")
    assert (first.rank, second.rank) == (1, 1)
    assert (first.low, first.high) == (1, 2)


def test_ranks_by_hand() -> None:
    draws = np.array([[3.0, 3, 1, 3], [2, 3, 2, 2], [1, 1, 3, 1]])
    one, two, three = rank_ranges(np.array([3.0, 2.0, 1.0]), draws)
    assert one.shares == (0.75, 0.0, 0.25)
    assert two.shares == (0.25, 0.75, 0.0)
    assert three.shares == (0.25, 0.0, 0.75)
    assert [(r.rank, r.low, r.high) for r in (one, two, three)] == [(1, 1, 3), (2, 1, 2), (3, 1, 3)]


def test_ranges_of_ranks_hold_the_true_rank() -> None:
    """Five runs, one point apart; each draw of 300 samples orders them anew."""
    random = np.random.default_rng(2)
    names = [str(i) for i in range(300)]
    true = np.array([0.64, 0.61, 0.58, 0.55, 0.52])
    held = []
    for number in range(200):
        tasks = {
            "a": [evidence_of(names, (random.random(300) < one).astype(float)) for one in true]
        }
        found = Contest(tasks, lambda _scores: {}, seed=number, draws=200).ranks("a")
        held += [one.low <= place <= one.high for place, one in enumerate(found, 1)]
    assert np.mean(held) > 0.95


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


@given(PS)
def test_holm_keeps_the_order_and_lies_between_one_and_all_comparisons(ps: list[float]) -> None:
    found = holm(ps)
    for p, corrected in zip(ps, found, strict=True):
        assert p <= corrected <= min(1.0, len(ps) * p)
    order = sorted(range(len(ps)), key=lambda place: ps[place])
    assert [found[place] for place in order] == sorted(found)


def test_the_smallest_difference_is_found_four_times_of_five() -> None:
    random = np.random.default_rng(3)
    n, spread = 60, 0.3
    gap = smallest_difference(spread / np.sqrt(n), n - 1)
    values = random.normal(gap, spread, (4000, n))
    found = (stats.ttest_1samp(values, 0.0, axis=1).pvalue < 0.05).mean()
    assert found == pytest.approx(0.8, abs=0.02)
    assert smallest_difference(0.01, 59, comparisons=20) > smallest_difference(0.01, 59)


def test_runs_that_share_no_sample_make_a_contest_without_tasks() -> None:
    contest = Contest({}, lambda _scores: {})
    assert (contest.runs, contest.rows) == (0, [])


def test_two_graders_are_compared_on_what_both_graded_and_by_clusters() -> None:
    random = np.random.default_rng(4)
    level = random.random(60)
    names = [str(i) for i in range(60)]
    one = evidence_of(names, level, [str(i // 2) for i in range(60)])
    other = evidence_of([*names[10:], "x"], [*(level[10:] * 0.9), 1.0])
    found = difference_between(one, other)
    assert found is not None
    assert found.estimate.value == pytest.approx(0.1 * level[10:].mean())
    assert (found.estimate.samples, found.estimate.clusters, found.wins) == (50, 25, 50)
    assert found.p < 0.001
    assert difference_between(one, evidence_of("xyz", [0, 1, 1])) is None
