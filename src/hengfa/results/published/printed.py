"""Printed numbers: a rounded number stands for all that could have been rounded to it.

Arithmetic on them is exact, with fractions. Whether figures of a paper agree is then a question
with an answer, not one of tolerances: a printed mean is wrong if no numbers behind the printed
parts can have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import ceil, floor


@dataclass(frozen=True, slots=True)
class Range:
    """All numbers from `low` to `high`, both included."""

    low: Fraction
    high: Fraction

    def meets(self, other: Range) -> bool:
        """Whether some number is in both."""
        return self.low <= other.high and other.low <= self.high

    def __mul__(self, other: Range) -> Range:
        """Products of numbers that are not negative, as all of ours are."""
        return Range(self.low * other.low, self.high * other.high)


def exactly(number: int | Fraction) -> Range:
    """A number that is known, such as how many tasks there are."""
    return Range(Fraction(number), Fraction(number))


def printed_range(text: str, unit: Fraction | None = None) -> Range:
    """What a printed number stands for: half of its last digit to both sides.

    `53.5` is 53.45 to 53.55; both ends belong to it, because papers do not say how they round a
    half. `unit` names a coarser step where the last digits are plainly not meant, as in 11,000.
    """
    number = Decimal(text)
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int):
        raise ValueError(f"{text!r} is not a number")
    half = (unit if unit is not None else Fraction(10) ** exponent) / 2
    return Range(Fraction(number) - half, Fraction(number) + half)


def weighted_mean(values: Sequence[Range], weights: Sequence[Range]) -> Range:
    """All means that the values can have with these weights; exact.

    A weighted mean rises with each value, and as a function of one weight it is monotonic. So its
    ends are at ends of the weights, of which all combinations are tried: 64 for six parts.
    """
    choices = [{weight.low, weight.high} for weight in weights]
    lows: list[Fraction] = []
    highs: list[Fraction] = []
    for chosen in product(*choices):
        total = sum(chosen)
        lows.append(sum((w * v.low for w, v in zip(chosen, values, strict=True)), _ZERO) / total)
        highs.append(sum((w * v.high for w, v in zip(chosen, values, strict=True)), _ZERO) / total)
    return Range(min(lows), max(highs))


def harmonic_mean(one: Range, other: Range) -> Range:
    """F1 of precision and recall: it rises with both, so its ends are at their ends."""
    return Range(_harmonic(one.low, other.low), _harmonic(one.high, other.high))


def multiples_around(printed: Range, step: Fraction) -> tuple[Range, bool]:
    """The multiples of a step next to a printed number, and whether one may be meant by it.

    A mean of n whole numbers is a multiple of 1/n. Where none of them rounds to the printed number,
    it is not the mean of n such numbers.
    """
    first, last = ceil(printed.low / step), floor(printed.high / step)
    if first <= last:
        return Range(first * step, last * step), True
    return Range(last * step, first * step), False


_ZERO = Fraction(0)


def _harmonic(one: Fraction, other: Fraction) -> Fraction:
    one, other = max(one, _ZERO), max(other, _ZERO)
    return 2 * one * other / (one + other) if one + other else _ZERO
