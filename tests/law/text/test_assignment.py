"""The best one-to-one matching, against all matchings there are."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.text.assignment import best_matching

Weights = list[list[float]]


@st.composite
def tables(draw: st.DrawFn) -> Weights:
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    weight = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0])
    row = st.lists(weight, min_size=columns, max_size=columns)
    return draw(st.lists(row, min_size=rows, max_size=rows))


def best_of_all(weights: Weights) -> float:
    rows, columns = len(weights), len(weights[0])
    if rows > columns:
        return best_of_all([list(column) for column in zip(*weights, strict=True)])
    return max(
        sum(weights[row][column] for row, column in enumerate(chosen))
        for chosen in permutations(range(columns), rows)
    )


@given(tables())
def test_no_matching_is_better(weights: Weights) -> None:
    assert best_matching(weights) == pytest.approx(best_of_all(weights), abs=1e-12)


@given(tables())
def test_rows_and_columns_are_alike(weights: Weights) -> None:
    turned = list(zip(*weights, strict=True))
    assert best_matching(turned) == pytest.approx(best_matching(weights), abs=1e-12)


@pytest.mark.parametrize(
    ("weights", "best"),
    [
        ([], 0.0),
        ([[]], 0.0),
        ([[0.3]], 0.3),
        ([[1.0, 0.9], [0.9, 0.0]], 1.8),  # the best pair is not part of the best matching
        ([[0.2, 0.7, 0.1]], 0.7),
        ([[0.2], [0.7], [0.1]], 0.7),
        ([[0.0, 0.0], [0.0, 0.0]], 0.0),
    ],
)
def test_known_cases(weights: Weights, best: float) -> None:
    assert best_matching(weights) == pytest.approx(best, abs=1e-15)


def test_the_table_is_left_as_it_is() -> None:
    weights = [[0.1, 0.9], [0.8, 0.7]]
    best_matching(weights)
    assert weights == [[0.1, 0.9], [0.8, 0.7]]
