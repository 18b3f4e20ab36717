"""Random draws that are the same everywhere: on any machine, with any version of Python.

Every draw is a pure function of (seed, stream, entity, how many draws before). Streams have names
and are independent: a draw more for courts does not move what companies get. Nothing here depends
on Python's own ``random`` or ``hash``, on the C library's logarithms, or on the order of sets; the
only arithmetic on floats is that which IEEE 754 fixes to the last bit (+ - * / and square root).
"""

from __future__ import annotations

import hashlib
import math
import struct
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_WORDS: Final = struct.Struct("<8Q")
_MASK: Final = 2**64 - 1
_LOG2_E: Final = 1.4426950408889634
_LOW16: Final = 0xFFFF


# 2 to the power of 1/2, 1/4, 1/8, …: repeated square roots, which are exact everywhere
_ROOTS: Final = (*accumulate(range(23), lambda root, _: math.sqrt(root), initial=math.sqrt(2.0)),)


class Stream:
    """All draws for one purpose; ``dice(i)`` are those of entity ``i``."""

    def __init__(self, seed: int, name: str) -> None:
        self.seed = seed
        self.name = name
        self._base = hashlib.blake2b(f"hengfa world/{seed}/{name}/".encode(), digest_size=64)

    def dice(self, entity: int) -> Dice:
        return Dice(self._base, entity)


class Dice:
    """The draws of one entity, one after the other."""

    __slots__ = ("_at", "_base", "_block", "_entity", "_words")

    def __init__(self, base: hashlib.blake2b, entity: int) -> None:
        self._base = base
        self._entity = entity
        self._block = 0
        self._at = 8
        self._words: tuple[int, ...] = ()

    def word(self) -> int:
        """64 random bits."""
        if self._at == 8:
            digest = self._base.copy()
            digest.update(struct.pack("<QI", self._entity, self._block))
            self._words = _WORDS.unpack(digest.digest())
            self._block += 1
            self._at = 0
        word = self._words[self._at]
        self._at += 1
        return word

    def below(self, limit: int) -> int:
        """A number from 0 to ``limit`` - 1."""
        return self.word() * limit >> 64

    def between(self, low: int, high: int) -> int:
        """A number from ``low`` to ``high``, both included."""
        return low + (self.word() * (high - low + 1) >> 64)

    def chance(self, probability: float) -> bool:
        return self.word() < probability * 2.0**64

    def pick(self, choices: Sequence[T]) -> T:
        return choices[self.word() * len(choices) >> 64]

    def skewed(self, limit: int) -> int:
        """A number below ``limit`` in which small ones are frequent: a quarter of all draws lies
        in the first sixty-fourth."""
        first = self.word() >> 11
        scaled = first * first // 2**53
        return scaled * first * limit // 2**106

    def normal(self) -> float:
        """Nearly normal, mean 0 and deviation 1: the sum of twelve even draws less six."""
        total = 0
        for word in (self.word(), self.word(), self.word()):
            total += (word & _LOW16) + (word >> 16 & _LOW16)
            total += (word >> 32 & _LOW16) + (word >> 48)
        return total / 65_536 - 6.0

    def lognormal(self, median: float, deviation: float) -> float:
        """Log-normal: amounts, sizes and counts of the real tables are so distributed."""
        return median * exp2(self.normal() * deviation * _LOG2_E)


class Weighted(Generic[T]):
    """Choices of which some are more frequent; weights are whole numbers."""

    def __init__(self, weighted: Iterable[tuple[T, int]]) -> None:
        listed = list(weighted)
        self.choices = tuple(choice for choice, _ in listed)
        self._sums = list(accumulate(weight for _, weight in listed))

    def pick(self, dice: Dice) -> T:
        return self.choices[bisect_right(self._sums, dice.below(self._sums[-1]))]


class Shuffle:
    """A bijection of the numbers below ``size``, computed one by one and never stored.

    The number is split in two parts; each in turn is moved by an amount that depends on the other,
    which can be undone, so no two numbers meet. A result outside the range goes round again. This
    is what makes names and codes unique however many there are, without remembering any.
    """

    def __init__(self, stream: Stream, size: int, entity: int = 0) -> None:
        self.size = size
        self._left = math.isqrt(max(size - 1, 0)) + 1
        self._right = -(-size // self._left)
        dice = stream.dice(entity)
        self._keys = tuple((dice.word(), dice.word()) for _ in range(2))

    def __call__(self, number: int) -> int:
        if not 0 <= number < self.size:
            raise ValueError(f"{number} is not below {self.size}")
        left_size, right_size = self._left, self._right
        while True:
            left, right = divmod(number, right_size)
            for key, other in self._keys:
                right = (right + _mix(left + key)) % right_size
                left = (left + _mix(right + other)) % left_size
            number = left * right_size + right
            if number < self.size:
                return number


def _mix(number: int) -> int:
    """Scatters a number over 64 bits."""
    mixed = number * 0xBF58476D1CE4E5B9 & _MASK
    mixed = (mixed ^ mixed >> 29) * 0x94D049BB133111EB & _MASK
    return mixed ^ mixed >> 32


def exp2(power: float) -> float:
    """2 to a power, from square roots alone, so that the last bit is the same everywhere."""
    whole = math.floor(power)
    rest = power - whole
    value = 1.0
    for root in _ROOTS:
        rest *= 2.0
        if rest >= 1.0:
            rest -= 1.0
            value *= root
    return math.ldexp(value, whole)


def shares(total: int, weights: Sequence[int]) -> list[int]:
    """``total`` divided by weight, to the last one: the same cut as :func:`cut` makes."""
    sums = [0, *accumulate(weights)]
    return [
        cut(total, after, sums[-1]) - cut(total, before, sums[-1])
        for before, after in pairwise(sums)
    ]


def cut(total: int, before: int, of: int) -> int:
    """How many of ``total`` lie before the point ``before`` of ``of``."""
    return total * before // of
