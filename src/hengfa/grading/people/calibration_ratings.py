"""Two score tables as comparable numbers: the share of its maximum that each unit was given.

A unit is an item of a submission, or a submission as a whole, or one of its dimensions. Shares make
items of 2 and of 20 points comparable; with points, a correlation over items would mostly say that
large items get more points. What one side has not scored is not compared: an unscored item leaves
its total out (never a zero), and both are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from hengfa.errors import DataError
from hengfa.grading.people.score_table import Score

Unit = tuple[str, str]
"""Submission and item."""


class About(NamedTuple):
    """What is known of a unit, whoever scores it."""

    task: str
    dimension: str
    maximum: float
    is_item: bool
    counts: bool


class Table:
    """The ratings of several raters, side by side.

    ``points`` has for each rater what was scored; ``blank`` how many rows were left empty.
    """

    def __init__(self, scores: Sequence[Score], unnamed: str) -> None:
        self.points: dict[str, dict[Unit, float]] = {}
        self.about: dict[Unit, About] = {}
        self.models: dict[str, str] = {}
        self.blank: Counter[str] = Counter()
        for one in scores:
            unit, rater = (one.submission, one.item), one.rater or unnamed
            known = About(one.task, one.dimension, one.maximum, one.is_item, one.counts)
            _check(unit, self.about.setdefault(unit, known), known)
            if one.model:
                self.models[one.submission] = one.model
            given = self.points.setdefault(rater, {})
            if one.points is not None:
                given[unit] = one.points
            elif one.is_item:
                self.blank[rater] += 1

    def scored(self) -> set[Unit]:
        """Items that somebody scored."""
        return {
            unit for given in self.points.values() for unit in given if self.about[unit].is_item
        }


def merged(*tables: Table) -> dict[Unit, About]:
    """What all tables know of the units; maxima that differ belong to different rubrics."""
    about: dict[Unit, About] = {}
    for table in tables:
        for unit, known in table.about.items():
            _check(unit, about.setdefault(unit, known), known)
    return about


def _check(unit: Unit, before: About, now: About) -> None:
    if before.is_item and before.maximum != now.maximum:
        problem = f"the maximum is {before.maximum:g} in one row and {now.maximum:g} in another"
        where = f"submission {unit[0][:80]}, item {unit[1][:80]}"
        raise DataError(f"{problem}: these are not scores by one rubric", file=where)


class Scope(NamedTuple):
    """Which units are looked at; an empty word means all of them."""

    task: str = ""
    dimension: str = ""

    def holds(self, about: About) -> bool:
        return self.task in {"", about.task} and self.dimension in {"", about.dimension}


def scopes(about: Mapping[Unit, About]) -> list[Scope]:
    """All, each task, each dimension of a task; none twice."""
    items = [one for one in about.values() if one.is_item]
    tasks = list(dict.fromkeys(one.task for one in items))
    found = [Scope()]
    for task in tasks:
        if len(tasks) > 1 and task:
            found.append(Scope(task))
        within = list(dict.fromkeys(one.dimension for one in items if one.task == task))
        if len(within) > 1:
            found += [Scope(task, dimension) for dimension in within if dimension]
    return found


def item_shares(
    given: Mapping[Unit, float], about: Mapping[Unit, About], scope: Scope
) -> dict[Unit, float]:
    """The share of its maximum that each item was given."""
    shares = {}
    for unit, points in given.items():
        known = about[unit]
        if known.is_item and known.maximum > 0 and scope.holds(known):
            shares[unit] = _rounded(points / known.maximum)
    return shares


def total_shares(
    given: Mapping[Unit, float], about: Mapping[Unit, About], scope: Scope
) -> dict[Unit, float]:
    """The share of each submission in scope that is scored to the last item.

    Items beside the total stay beside it, unless their dimension is what is asked for. What was
    taken from a section belongs to its dimension, what was taken from the whole to the whole.
    """
    maxima: dict[str, list[float]] = {}
    points: dict[str, list[float]] = {}
    lacking: set[str] = set()
    for unit, known in about.items():
        submission = unit[0]
        if not scope.holds(known) or not (known.counts or scope.dimension):
            continue
        maxima.setdefault(submission, []).append(known.maximum)
        if unit in given:
            points.setdefault(submission, []).append(given[unit])
        elif known.is_item:
            lacking.add(submission)
    return {
        (submission, ""): _rounded(fsum(found) / fsum(maxima[submission]))
        for submission, found in points.items()
        if submission not in lacking and fsum(maxima[submission]) > 0
    }


def mean_shares(several: Iterable[Mapping[Unit, float]]) -> dict[Unit, float]:
    """The mean of all who rated a unit."""
    collected: dict[Unit, list[float]] = {}
    for shares in several:
        for unit, share in shares.items():
            collected.setdefault(unit, []).append(share)
    return {unit: _rounded(fsum(found) / len(found)) for unit, found in collected.items()}


def _rounded(share: float) -> float:
    """So that 2/6 and 1/3 tie, as they must for ranks."""
    return round(share, 12)
