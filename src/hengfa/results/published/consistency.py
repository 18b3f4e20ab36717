"""Do published figures agree with each other? Rules that recompute one printed number from others.

A rule looks at one row and says what its figure can be, given that every printed number is rounded.
`rules.py` says which rules hold in which table; `claims.py` does the same for what papers
say in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Protocol

from hengfa.results.published.papers import PublishedRun
from hengfa.results.published.printed import (
    Range,
    exactly,
    harmonic_mean,
    multiples_around,
    printed_range,
    weighted_mean,
)

Tables = Mapping[str, Sequence[PublishedRun]]
"""All tables by name, for rules that compare one with another."""


class Outcome(NamedTuple):
    """What is printed, what it can be, and whether the printed number is one of these.

    `possible` is None where there is nothing that it can be.
    """

    printed: str
    possible: Range | None
    fits: bool


class Rule(Protocol):
    """Recomputes `figure`; `certain` is false where that rests on more than arithmetic."""

    @property
    def figure(self) -> str: ...

    @property
    def says(self) -> str:
        """How the figure follows, in words."""

    @property
    def certain(self) -> bool: ...

    def check(self, row: PublishedRun, tables: Tables) -> Outcome | None:
        """None where a number that is needed is not printed."""


COUNTS = frozenset(
    {"documents", "keys_listed", "questions", "records", "test", "tokens", "train"}
    | {f"{part}_{end}" for part in ("input", "output") for end in ("max", "min")}
)
"""Columns that hold counts, which are printed as they are; all other numbers are rounded."""


def number(row: PublishedRun, name: str) -> Range:
    """What the printed number in a column stands for."""
    text = row.printed[name]
    is_count = name in COUNTS or name.startswith("tasks/")
    return exactly(Fraction(text)) if is_count else printed_range(text)


def cells(row: PublishedRun, names: Sequence[str]) -> list[Range] | None:
    """The printed numbers of these names, or None if one is missing."""
    if any(name not in row.printed for name in names):
        return None
    return [number(row, name) for name in names]


def _against(row: PublishedRun, figure: str, possible: Range) -> Outcome:
    return Outcome(row.printed[figure], possible, number(row, figure).meets(possible))


@dataclass(frozen=True, slots=True)
class Weighted:
    """A mean of other columns, with weights that are known, known within limits, or printed.

    A weight is a number, a range, or `(count, name)`: the count times what column `name` prints.
    """

    figure: str
    parts: tuple[str, ...]
    weights: tuple[int | Range | tuple[int, str], ...]
    says: str
    certain: bool = True

    def check(self, row: PublishedRun, _tables: Tables) -> Outcome | None:
        named = [weight[1] for weight in self.weights if isinstance(weight, tuple)]
        values = cells(row, (*self.parts, *named, self.figure))
        if values is None:
            return None
        weights = [self._weight(row, weight) for weight in self.weights]
        return _against(row, self.figure, weighted_mean(values[: len(self.parts)], weights))

    @staticmethod
    def _weight(row: PublishedRun, weight: int | Range | tuple[int, str]) -> Range:
        if isinstance(weight, Range):
            return weight
        if isinstance(weight, int):
            return exactly(weight)
        count, name = weight
        return exactly(count) * number(row, name)


def mean(figure: str, parts: Sequence[str], says: str) -> Weighted:
    """The plain mean of columns."""
    return Weighted(figure, tuple(parts), (1,) * len(parts), says)


@dataclass(frozen=True, slots=True)
class F1:
    """The harmonic mean of a precision and a recall."""

    figure: str
    precision: str
    recall: str
    certain: bool = True

    @property
    def says(self) -> str:
        return f"F1 of {self.precision} and {self.recall}"

    def check(self, row: PublishedRun, _tables: Tables) -> Outcome | None:
        values = cells(row, (self.precision, self.recall, self.figure))
        if values is None:
            return None
        return _against(row, self.figure, harmonic_mean(values[0], values[1]))


@dataclass(frozen=True, slots=True)
class Total:
    """A sum, or with `product` a product, of other columns.

    `unit` is the step to which the figure was plainly rounded, where it is coarser than its digits.
    """

    figure: str
    parts: tuple[str, ...]
    says: str
    product: bool = False
    unit: int | None = None
    certain: bool = True

    def check(self, row: PublishedRun, _tables: Tables) -> Outcome | None:
        values = cells(row, self.parts)
        if values is None or self.figure not in row.printed:
            return None
        possible = values[0]
        for value in values[1:]:
            possible = (
                possible * value
                if self.product
                else Range(possible.low + value.low, possible.high + value.high)
            )
        if self.unit is None:
            return _against(row, self.figure, possible)
        meant = printed_range(row.printed[self.figure], Fraction(self.unit))
        return Outcome(row.printed[self.figure], possible, meant.meets(possible))


@dataclass(frozen=True, slots=True)
class Grid:
    """A mean of n whole steps, so a multiple of step / n: an accuracy of n questions, for instance.

    `only` names the setting for which that n holds.
    """

    figure: str
    step: Fraction
    says: str
    only: str | None = None
    certain: bool = True

    def check(self, row: PublishedRun, _tables: Tables) -> Outcome | None:
        if self.figure not in row.printed or self.only not in (None, row.setting):
            return None
        around, fits = multiples_around(number(row, self.figure), self.step)
        return Outcome(row.printed[self.figure], around, fits)


@dataclass(frozen=True, slots=True)
class Counted:
    """Means of the same n ratings, each a multiple of `step`; the paper says how many ratings.

    What is possible is the smallest and the largest n, up to the stated one, with which all the
    columns can be such means; nothing, if they cannot be of one n. `figure` names that n.
    """

    figure: str
    means: tuple[str, ...]
    step: int
    stated: int
    says: str
    certain: bool = True

    def check(self, row: PublishedRun, _tables: Tables) -> Outcome | None:
        values = cells(row, self.means)
        if values is None:
            return None
        counts = [
            n
            for n in range(1, self.stated + 1)
            if all(multiples_around(value, Fraction(self.step, n))[1] for value in values)
        ]
        possible = Range(Fraction(counts[0]), Fraction(counts[-1])) if counts else None
        return Outcome(str(self.stated), possible, self.stated in counts)


@dataclass(frozen=True, slots=True)
class AtMost:
    """A figure that cannot be above another one."""

    figure: str
    other: str
    says: str
    certain: bool = True

    def check(self, row: PublishedRun, _tables: Tables) -> Outcome | None:
        values = cells(row, (self.figure, self.other))
        if values is None:
            return None
        figure, other = values
        possible = Range(Fraction(0), other.high)
        return Outcome(row.printed[self.figure], possible, figure.low <= other.high)


@dataclass(frozen=True, slots=True)
class Same:
    """The same number printed a second time: in another table, or in another column.

    Where the other table has one row per version of the evaluator, `versions` is true: the version
    is taken that agrees with most of the columns `among`, and must agree with this one too.
    """

    figure: str
    says: str
    table: str | None = None
    column: str | None = None
    versions: bool = False
    among: tuple[str, ...] = ()
    certain: bool = True

    def check(self, row: PublishedRun, tables: Tables) -> Outcome | None:
        column = self.column or self.figure
        others = [row] if self.table is None else self._others(row, tables[self.table])
        others = [other for other in others if column in other.printed]
        if self.figure not in row.printed or not others:
            return None
        other = max(others, key=lambda one: self._agreeing(row, one))
        return _against(row, self.figure, number(other, column))

    def _others(self, row: PublishedRun, rows: Sequence[PublishedRun]) -> list[PublishedRun]:
        return [
            other
            for other in rows
            if other.model == row.model and (self.versions or other.setting == row.setting)
        ]

    def _agreeing(self, row: PublishedRun, other: PublishedRun) -> int:
        return sum(
            printed_range(row.printed[name]).meets(printed_range(other.printed[name]))
            for name in self.among
            if name in row.printed and name in other.printed
        )
