"""Printed numbers as ranges: exact arithmetic, by hand and against random numbers behind them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.evals.results.published.consistency import (
    Range,
    exactly,
    harmonic_mean,
    multiples_around,
    printed_range,
    weighted_mean,
)

HUNDREDTHS = st.integers(0, 10_000)
"""Numbers from 0 to 100 with two decimals, as whole hundredths."""


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("53.5", "53.45", "53.55"),
        ("53.50", "53.495", "53.505"),
        ("7", "6.5", "7.5"),
        ("0.1200", "0.11995", "0.12005"),
    ],
)
def test_a_printed_number_stands_for_half_a_digit_to_both_sides(
    text: str, low: str, high: str
) -> None:
    assert printed_range(text) == Range(Fraction(low), Fraction(high))


def test_a_coarser_unit_can_be_named() -> None:
    assert printed_range("11000", Fraction(1000)) == Range(Fraction(10500), Fraction(11500))


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not a number"):
        printed_range("nan")


def test_ranges_meet_also_at_their_ends() -> None:
    assert printed_range("0.5").meets(printed_range("0.6"))
    assert not printed_range("0.5").meets(printed_range("0.7"))


def test_the_mean_of_two_printed_numbers_by_hand() -> None:
    # 58.25 and 63.42 stand for 58.245-58.255 and 63.415-63.425: 60.83 to 60.84
    values = [printed_range("58.25"), printed_range("63.42")]
    assert weighted_mean(values, [exactly(1), exactly(1)]) == Range(
        Fraction("60.83"), Fraction("60.84")
    )


def test_unknown_weights_give_the_widest_range() -> None:
    # values 10 and 20; weights 1 to 3 and 1: the mean is lowest with 3 (12.5), highest with 1 (15)
    values = [exactly(10), exactly(20)]
    assert weighted_mean(values, [Range(Fraction(1), Fraction(3)), exactly(1)]) == Range(
        Fraction("12.5"), Fraction(15)
    )


def test_f1_of_rounded_precision_and_recall_by_hand() -> None:
    # 2·0.745·0.495/1.24 = 0.5948 and 2·0.755·0.505/1.26 = 0.6052
    found = harmonic_mean(printed_range("0.75"), printed_range("0.50"))
    assert float(found.low) == pytest.approx(2 * 0.745 * 0.495 / 1.24, abs=1e-12)
    assert float(found.high) == pytest.approx(2 * 0.755 * 0.505 / 1.26, abs=1e-12)
    assert harmonic_mean(printed_range("0.00"), printed_range("0.00")).low == 0


def test_multiples_next_to_a_printed_number() -> None:
    # thirds: 6.67 can be 20/3; of 254 ratings of 10 it cannot: 169 make 6.654, 170 make 6.693
    assert multiples_around(printed_range("6.67"), Fraction(10, 3)) == (
        Range(Fraction(20, 3), Fraction(20, 3)),
        True,
    )
    assert multiples_around(printed_range("6.67"), Fraction(10, 254)) == (
        Range(Fraction(1690, 254), Fraction(1700, 254)),
        False,
    )


@given(st.lists(st.tuples(HUNDREDTHS, st.integers(1, 9)), min_size=1, max_size=5), st.data())
def test_what_is_computed_before_rounding_is_always_possible(
    parts: list[tuple[int, int]], data: st.DataObject
) -> None:
    """No false alarm: whatever the numbers behind the printed ones, their mean is in the range."""
    behind = [
        Fraction(hundredths, 100) + Fraction(data.draw(st.integers(-50, 50)), 10_000)
        for hundredths, _ in parts
    ]
    ranges = [printed_range(f"{hundredths / 100:.2f}") for hundredths, _ in parts]
    weights = [weight for _, weight in parts]
    true = sum((v * w for v, w in zip(behind, weights, strict=True)), Fraction(0)) / sum(weights)
    found = weighted_mean(ranges, [exactly(weight) for weight in weights])
    assert found.low <= true <= found.high
    assert printed_range(f"{float(round(true, 2)):.2f}").meets(found)


@given(st.integers(0, 500), st.integers(1, 500))
def test_a_rounded_accuracy_is_always_a_multiple(right: int, asked: int) -> None:
    right = min(right, asked)
    text = f"{100 * right / asked:.2f}"
    assert multiples_around(printed_range(text), Fraction(100, asked))[1]
