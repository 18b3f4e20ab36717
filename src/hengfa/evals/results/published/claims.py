"""What papers say of their figures in words, and whether the printed figures bear it out.

Kinds of claims; `claims.toml` has the claims. One gives as many checks as it speaks of rows or
columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from importlib import resources
from math import acos, asin, cos, pi, sqrt
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from hengfa.base.data.jsonfile import read_toml
from hengfa.base.statistics.correlation import Numbers, pearson, spearman
from hengfa.evals.results.published.consistency import Outcome, Range, Tables, number, printed_range
from hengfa.evals.results.published.papers import PublishedRun


class Checked(NamedTuple):
    """One check: of which row and figure, and what came of it."""

    title: str
    setting: str
    figure: str
    outcome: Outcome


class _Claim(msgspec.Struct, frozen=True, tag_field="kind", tag=str.lower):
    """`table` holds the figures that are spoken of, `place` is where the paper does so."""

    table: str
    place: str


def _find(tables: Tables, table: str, title: str, setting: str) -> PublishedRun:
    return next(row for row in tables[table] if row.title == title and setting in (row.setting, ""))


class Quoted(_Claim, frozen=True):
    """The text repeats a number of a table, or says which one a table should hold."""

    row: str
    figure: str
    printed: str
    setting: str = ""

    @property
    def says(self) -> str:
        return "quoted from the table"

    def check(self, tables: Tables) -> Iterator[Checked]:
        row = _find(tables, self.table, self.row, self.setting)
        held = number(row, self.figure)
        fits = printed_range(self.printed).meets(held)
        yield Checked(row.title, row.setting, self.figure, Outcome(self.printed, held, fits))


class Best(_Claim, frozen=True):
    """A row is said, or printed in bold, to be the best of a column (`of`: among these rows)."""

    row: str
    figures: tuple[str, ...]
    setting: str = ""
    of: tuple[str, ...] = ()

    @property
    def says(self) -> str:
        return "said to be the best of its column"

    def check(self, tables: Tables) -> Iterator[Checked]:
        best = _find(tables, self.table, self.row, self.setting)
        others = [
            row
            for row in tables[self.table]
            if self.setting in (row.setting, "") and (not self.of or row.title in self.of)
        ]
        for figure in self.figures:
            ranges = [number(row, figure) for row in others if figure in row.printed]
            limit = max(value.low for value in ranges)
            possible = Range(limit, max(value.high for value in ranges))
            fits = number(best, figure).high >= limit
            outcome = Outcome(best.printed[figure], possible, fits)
            yield Checked(best.title, best.setting, figure, outcome)


class Places(_Claim, frozen=True):
    """These rows are said to take these places of a column, in any order among themselves."""

    rows: tuple[str, ...]
    figures: tuple[str, ...]
    first: int
    lowest: tuple[str, ...] = ()
    """Of the figures, those of which less is better."""

    @property
    def says(self) -> str:
        if len(self.rows) == 1:
            return f"said to be in place {self.first}"
        return f"said to be in places {self.first} to {self.first + len(self.rows) - 1}"

    def check(self, tables: Tables) -> Iterator[Checked]:
        last = self.first + len(self.rows) - 1
        for figure in self.figures:
            rows = [row for row in tables[self.table] if figure in row.printed]
            for row in (row for row in rows if row.title in self.rows):
                value = number(row, figure)
                above = [number(other, figure) for other in rows if other is not row]
                if figure in self.lowest:
                    surely = sum(other.high < value.low for other in above)
                    perhaps = sum(other.low <= value.high for other in above)
                else:
                    surely = sum(other.low > value.high for other in above)
                    perhaps = sum(other.high >= value.low for other in above)
                places = Range(Fraction(surely + 1), Fraction(perhaps + 1))
                fits = places.meets(Range(Fraction(self.first), Fraction(last)))
                said = str(self.first) if last == self.first else f"{self.first}-{last}"
                yield Checked(row.title, row.setting, figure, Outcome(said, places, fits))


class Falling(_Claim, frozen=True):
    """Every row is said to fall from column to column; each step of each row is a check."""

    figures: tuple[str, ...]
    settings: tuple[str, ...]

    @property
    def says(self) -> str:
        return "said to fall with every hop"

    def check(self, tables: Tables) -> Iterator[Checked]:
        for row in tables[self.table]:
            if row.setting not in self.settings:
                continue
            for before, after in zip(self.figures, self.figures[1:], strict=False):
                limit, value = number(row, before), number(row, after)
                possible = Range(Fraction(0), limit.high)
                outcome = Outcome(row.printed[after], possible, value.low <= limit.high)
                yield Checked(row.title, row.setting, after, outcome)


class Correlated(_Claim, frozen=True):
    """Two columns are said to correlate so and so; `ranks` asks for Spearman's, else Pearson's."""

    x: str
    y: str
    printed: str
    ranks: bool = False

    @property
    def says(self) -> str:
        return f"{'Spearman' if self.ranks else 'Pearson'} correlation with {self.y}"

    def check(self, tables: Tables) -> Iterator[Checked]:
        rows = tables[self.table]
        complete = [row for row in rows if self.x in row.printed and self.y in row.printed]
        if len(complete) < len(rows):
            return  # a claim about all rows says nothing of some of them
        x, y = ([number(row, name) for row in rows] for name in (self.x, self.y))
        possible = _spearman_range(x, y) if self.ranks else pearson_range(x, y)
        fits = printed_range(self.printed).meets(possible)
        yield Checked(f"all {len(rows)} rows", "", self.x, Outcome(self.printed, possible, fits))


def pearson_range(x: Sequence[Range], y: Sequence[Range]) -> Range:
    """Limits of Pearson's correlation of rounded numbers; no numbers within them can be outside.

    A correlation is the cosine of the angle between the centred columns. Rounding moves a column of
    length L by at most e·√n, and so turns it by at most asin(e·√n / L).
    """
    turn = 0.0
    columns: list[Numbers] = []
    for column in (x, y):
        middle = np.array([float((cell.low + cell.high) / 2) for cell in column])
        off = max(float(cell.high - cell.low) / 2 for cell in column)
        length = float(np.linalg.norm(middle - middle.mean()))
        reach = off * sqrt(len(column))
        turn += asin(min(1.0, reach / length)) if length else pi / 2
        columns.append(middle)
    middle_r = pearson(*columns)
    if middle_r is None:
        return Range(Fraction(-1), Fraction(1))
    angle = acos(middle_r)
    low, high = cos(min(pi, angle + turn)), cos(max(0.0, angle - turn))
    return Range(Fraction(low), Fraction(high))


def _spearman_range(x: Sequence[Range], y: Sequence[Range]) -> Range:
    """Of ranks as printed: which of two equal numbers was higher before rounding is not asked."""
    columns = [np.array([float((cell.low + cell.high) / 2) for cell in c]) for c in (x, y)]
    value = spearman(*columns)
    rank = Fraction(-1 if value is None else value)
    return Range(rank, Fraction(1) if value is None else rank)


class _Claims(msgspec.Struct):
    claims: tuple[Quoted | Best | Places | Falling | Correlated, ...]


CLAIMS = read_toml(Path(str(resources.files(__package__).joinpath("claims.toml"))), _Claims).claims
