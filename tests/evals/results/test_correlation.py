"""Agreement figures, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.base.statistics.correlation import (
    Numbers,
    cohen_kappa,
    kendall,
    krippendorff,
    mae,
    pearson,
    spearman,
    weighted_kappa,
)


def numbers(*values: float) -> Numbers:
    return np.array(values, dtype=np.float64)


A, B = numbers(1, 2, 3, 4), numbers(1, 3, 2, 6)


def test_pearson() -> None:
    """Deviations -1.5 -.5 .5 1.5 and -2 0 -1 3: 7 / sqrt(5 · 14)."""
    assert pearson(A, B) == pytest.approx(7 / 70**0.5)


def test_spearman_shares_the_ranks_of_ties() -> None:
    """Ranks 1 2.5 2.5 4 and 1 2 3 4: deviations -1.5 0 0 1.5 and -1.5 -.5 .5 1.5: 4.5/√(4.5·5)."""
    assert spearman(numbers(1, 5, 5, 9), A) == pytest.approx(4.5 / (4.5 * 5) ** 0.5)
    assert spearman(A, B) == pytest.approx(0.8)  # 1 - 6 · 2 / (4 · 15)


def test_kendall_accounts_for_ties() -> None:
    """Of six pairs five agree and one does not; with a tie, five of five over √(5 · 6)."""
    assert kendall(A, B) == pytest.approx(4 / 6)
    assert kendall(numbers(1, 5, 5, 9), A) == pytest.approx(5 / 30**0.5)


def test_kendall_is_the_same_when_the_table_is_cut_in_rows() -> None:
    generator = np.random.default_rng(1)
    one, other = generator.integers(0, 9, (2, 2500)).astype(np.float64)
    signs = np.sign(one[:, None] - one) * np.sign(other[:, None] - other)
    ties = [float((np.sign(x[:, None] - x) != 0).sum()) for x in (one, other)]
    assert kendall(one, other) == pytest.approx(signs.sum() / (ties[0] * ties[1]) ** 0.5)


def test_mae() -> None:
    assert mae(A, B) == 1.0


def test_kappa_of_labels_is_agreement_beyond_chance() -> None:
    one, other = "aabbc", "abbbc"
    chance = (2 * 1 + 2 * 3 + 1 * 1) / 25
    assert cohen_kappa(one, other) == pytest.approx((0.8 - chance) / (1 - chance))
    assert cohen_kappa("ab", "ba") == -1
    assert cohen_kappa("ab", "ab") == 1
    assert cohen_kappa("aa", "aa") is None
    assert cohen_kappa("", "") is None


def test_kappa_of_two_labels_is_the_weighted_one_too() -> None:
    one, other = [0, 1, 1, 0, 1, 1], [0, 1, 0, 0, 1, 0]
    weighted = weighted_kappa(np.array(one, np.float64), np.array(other, np.float64))
    assert cohen_kappa(one, other) == pytest.approx(weighted)


def test_weighted_kappa() -> None:
    """Levels 0 10 20 by two raters, as the table of categories gives it.

    Weighted disagreement observed: one cell of two steps, one of one step, 4 + 1 of 5. Expected
    from the margins 2 1 2 and 1 2 2: (2·2·1 + 2·2·4 + 1·1·1 + 1·2·1 + 2·1·4 + 2·2·1) / 5 = 35 / 5.
    """
    one, other = numbers(0, 0, 10, 20, 20), numbers(0, 20, 10, 20, 10)
    assert weighted_kappa(one, other) == pytest.approx(1 - 5 / 7)


def test_weighted_kappa_sees_a_rater_who_is_always_too_generous() -> None:
    assert pearson(A, A + 2) == pytest.approx(1.0)
    assert weighted_kappa(A, A + 2) == pytest.approx(1 - 4 / (1.25 + 1.25 + 4))


def test_krippendorff() -> None:
    """Units (1, 2) and (3, 3); (4) says nothing of agreement.

    Observed: unit one gives (1 + 1)/(2 - 1) = 2, unit two 0; over 4 values 0.5. Expected: all
    ordered pairs of 1 2 3 3 differ by squares 1 4 4 1 1 0, twice 11 = 22, over 4 · 3.
    """
    units = [numbers(1, 2), numbers(3, 3), numbers(4)]
    assert krippendorff(units) == pytest.approx(1 - 0.5 / (22 / 12))


@pytest.mark.parametrize("figure", [pearson, spearman, kendall, weighted_kappa])
def test_undefined_figures_are_none(figure: object) -> None:
    assert callable(figure)
    assert figure(numbers(), numbers()) is None
    assert figure(numbers(1), numbers(1)) is None
    assert figure(numbers(2, 2, 2), numbers(2, 2, 2)) is None


def test_a_rater_who_always_says_the_same_has_no_correlation() -> None:
    constant = numbers(0.1, 0.1, 0.1, 0.1)
    assert [figure(A, constant) for figure in (pearson, spearman, kendall)] == [None] * 3
    assert weighted_kappa(A, constant) == pytest.approx(0.0)
    assert mae(numbers(), numbers()) is None
    assert krippendorff([]) is None
    assert krippendorff([constant, constant]) is None


VALUES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=30)


@given(VALUES)
def test_all_figures_stay_in_their_range_and_do_not_depend_on_who_comes_first(
    pairs: list[tuple[int, int]],
) -> None:
    one, other = np.array(pairs, dtype=np.float64).T
    for figure in (pearson, spearman, kendall, weighted_kappa):
        value = figure(one, other)
        assert value == pytest.approx(figure(other, one))
        assert value is None or -1 <= value <= 1 + 1e-12
        same = figure(one, one)
        assert same is None or same == pytest.approx(1.0)
