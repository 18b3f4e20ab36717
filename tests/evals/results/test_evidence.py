"""Evidence: scores to the digit, clusters, and what several runs share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.base.statistics.evidence import evidence_of, mean, of_sums, shared, with_names
from hengfa.law.text.proofreading import f_half

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=100)


def names(n: int) -> list[str]:
    return [str(number) for number in range(n)]


@given(SCORES)
def test_a_mean_is_the_same_to_the_last_digit(values: list[float]) -> None:
    usual = mean(values)
    assert usual is not None
    assert evidence_of(names(len(values)), values).value == usual.value


@given(st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=1, max_size=50))
def test_a_figure_of_sums_is_the_same_to_the_last_digit(rows: list[tuple[int, ...]]) -> None:
    usual = of_sums(rows, f_half)
    assert usual is not None
    found = evidence_of(names(len(rows)), [0.0] * len(rows), parts=rows, figure=f_half, digits=4)
    assert found.value == round(usual.value, 4)


def test_clusters_are_summed_and_a_sample_without_one_stands_alone() -> None:
    found = evidence_of("abcde", [1, 2, 3, 4, 5], ["x", None, "x", "", None])
    assert found.clusters.tolist() == [0, 1, 0, 2, 3]
    assert found.cluster_sums.tolist() == [[4, 2], [2, 1], [4, 1], [5, 1]]
    assert found.sizes.tolist() == [2, 1, 1, 1]


def test_a_cluster_named_like_a_sample_is_not_that_sample() -> None:
    assert evidence_of("ab", [0, 1], ["b", None]).clusters.tolist() == [0, 1]


def test_unequal_clusters_have_fewer_degrees_of_freedom() -> None:
    assert evidence_of(names(30), np.zeros(30)).freedom == 29
    alike = evidence_of(names(30), np.zeros(30), [str(n % 10) for n in range(30)])
    assert alike.freedom == pytest.approx(9)
    one_large = evidence_of(names(30), np.zeros(30), ["x" if n < 20 else None for n in range(30)])
    assert one_large.freedom == pytest.approx(30**2 / (20**2 + 10) - 1)


def test_shared_samples_stand_in_the_order_of_the_first() -> None:
    one = evidence_of("abcd", [1, 2, 3, 4])
    other = evidence_of("dxb", [40, 50, 20], ["law", "law", "law"])
    first, second = shared([one, other])
    assert first.samples == second.samples == ("b", "d")
    assert first.values.tolist() == [2, 4]
    assert second.values.tolist() == [20, 40]
    assert first.clusters.tolist() == second.clusters.tolist() == [0, 0]


def test_nothing_in_common_leaves_nothing() -> None:
    first, second = shared([evidence_of("ab", [0, 1]), evidence_of("cd", [0, 1])])
    assert first.samples == second.samples == ()


def test_runs_on_the_same_samples_are_taken_as_they_are_with_the_coarsest_clusters() -> None:
    one = evidence_of(names(4), [0, 1, 1, 0], ["x", "x", "y", None])
    other = evidence_of(names(4), [1, 1, 0, 0])
    first, second = shared([other, one])
    assert first.samples is second.samples
    assert first.values is other.values
    assert first.clusters.tolist() == second.clusters.tolist() == one.clusters.tolist()


def test_the_same_names_of_samples_are_held_once() -> None:
    known = {"a": evidence_of(names(3), [0, 1, 1]), "b": evidence_of(names(2), [0, 1])}
    run = {"a": evidence_of(names(3), [1, 1, 1]), "b": evidence_of(names(3), [0, 1, 0])}
    light = with_names(run, known)
    assert light["a"].samples is known["a"].samples
    assert light["a"].values is run["a"].values
    assert light["b"] is run["b"]
