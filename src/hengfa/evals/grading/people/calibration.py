"""How far a grader can be trusted: its agreement with people, next to that of people among them.

Two score tables are made comparable first: a unit is an item of a submission, or a submission as a
whole, or one of its dimensions, and what is compared is the share of its maximum that it was given.
Shares make items of 2 and of 20 points comparable; with points, a correlation over items would
mostly say that large items get more points. What one side has not scored is not compared: an
unscored item leaves its total out (never a zero), and both are counted.

A submission as a whole has up to two figures. Its total is the sum of its items, or what somebody
gave as a total without items. Some rubrics have a rating beside it, such as CLaw's overall: one
item that does not count, a judgement of its own. Where there is one, it is what is compared as
overall, and what a total without items is compared with; the sums of items come after it.

Figures and intervals are those of :mod:`.calibration_figures`. The same functions compare people
with people and graders with graders, on single ratings and on the means of models
(claw.md 7). Against the mean of a group that a rater belongs to, as PLawBench's paper has it, every
rater looks better than against the mean of the others; both are given for whole submissions, and a
grader is held against the same others as each person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import fsum
from typing import Final, Literal, NamedTuple

import msgspec
import numpy as np

from hengfa.base.errors import DataError
from hengfa.base.progress import Progress
from hengfa.base.statistics.correlation import krippendorff
from hengfa.evals.grading.people.calibration_figures import (
    RESAMPLES,
    Estimate,
    Unit,
    agreement,
    same_share,
)
from hengfa.evals.grading.people.score_table import ScoreRow

PEOPLE: Final = "people"
OTHERS: Final = "the others"
GROUP: Final = "the group"
SUM: Final = "sum of items"  # what a picture calls totals where there is an overall rating
FEW: Final = 20
"""With fewer submissions or models, the intervals of correlations are known to be too narrow."""
Level = Literal["overall", "totals", "items", "model means"]


class Agreement(msgspec.Struct, frozen=True):
    """How far ``rater`` agrees with ``against``, on ``n`` units of so many submissions."""

    rater: str
    against: str
    level: Level
    task: str
    dimension: str
    n: int
    submissions: int
    figures: dict[str, Estimate]

    @property
    def few(self) -> bool:
        return min(self.n, self.submissions) < FEW


class SameItems(msgspec.Struct, frozen=True):
    """How often raters gave an item the same points, and Krippendorff's alpha of all they gave.
    ``items`` are those that at least two of them scored; ``same`` is of two raters alone."""

    raters: tuple[str, ...]
    items: int
    submissions: int
    same: Estimate | None
    alpha: float | None


class Pair(msgspec.Struct, frozen=True):
    """One submission's total by a grader and by people, for a picture; in percent. ``of`` says what
    it is a total of: a task, a dimension of it, or everything if empty."""

    rater: str
    submission: str
    task: str
    of: str
    target: float
    rated: float


class Unmatched(msgspec.Struct, frozen=True):
    """Items that only one side scored: how many, and one of them; of a total the item is empty."""

    only_people: int
    only_graders: int
    example_people: tuple[str, str] | None
    example_graders: tuple[str, str] | None


class Calibration(msgspec.Struct, frozen=True):
    """Everything that two tables say about graders."""

    graders: tuple[Agreement, ...]
    people: tuple[Agreement, ...]
    between_graders: tuple[Agreement, ...]
    same_items: tuple[SameItems, ...]
    pairs: tuple[Pair, ...]
    unmatched: Unmatched
    blank: dict[str, int]  # rows without points, by rater
    incomplete: dict[str, int]
    """Submissions without a total because some item of theirs is not scored, by rater."""
    only_totals: dict[str, int]  # submissions with a total and no items, by rater
    rated: int  # submissions with an overall rating beside their total
    rescaled: dict[str, tuple[float, ...]]
    """Submissions whose totals were given out of different maxima."""
    seed: int
    resamples: int


def calibrate(
    human: Sequence[ScoreRow],
    graded: Sequence[ScoreRow],
    *,
    models: Mapping[str, str] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    progress: Progress | None = None,
) -> Calibration:
    """Compare every grader with the mean of the people, people and graders among themselves.
    ``models`` says whose response a submission is, beside what the tables say of it."""
    tables = _Tables(human, graded)
    unmatched = _unmatched(tables)
    models = {**tables.models, **(models or {})}
    whose = models if len({*models.values()}) > 1 else None
    plans = [
        *_against_people(tables, whose),
        *_among("people", tables.people, tables),
        *_among("between_graders", tables.graders, tables, whose),
    ]
    plans = [plan for plan in plans if not plan.target.keys().isdisjoint(plan.rated)]
    parts: dict[str, list[Agreement]] = {"graders": [], "people": [], "between_graders": []}
    for number, plan in enumerate(plans, start=1):
        n, submissions, figures = agreement(
            plan.target, plan.rated, seed=seed, resamples=resamples, models=plan.models
        )
        named = (plan.rater, plan.against, plan.level, *plan.scope)
        parts[plan.part].append(Agreement(*named, n, submissions, figures))
        if progress is not None:
            progress(number, len(plans))
    incomplete, only_totals = Counter[str](), Counter[str]()
    for name, sheet in (*tables.people.items(), *tables.graders.items()):  # may share a name
        incomplete[name] += _incomplete(sheet, tables)
        only_totals[name] += len(sheet.totals)
    return Calibration(
        **{part: tuple(agreements) for part, agreements in parts.items()},
        same_items=tuple(_same_items(tables, seed, resamples)),
        pairs=tuple(_pairs(tables)),
        unmatched=unmatched,
        blank=dict(tables.blank),
        incomplete=dict(+incomplete),
        only_totals=dict(+only_totals),
        rated=len(tables.rated),
        rescaled=_rescaled(tables),
        seed=seed,
        resamples=resamples,
    )


class _Plan(msgspec.Struct, frozen=True):
    part: str
    rater: str
    against: str
    level: Level
    scope: _Scope
    target: Mapping[Unit, float]
    rated: Mapping[Unit, float]
    models: Mapping[str, str] | None = None


class _About(NamedTuple):
    """What is known of a unit, whoever scores it."""

    task: str
    dimension: str
    maximum: float
    is_item: bool
    counts: bool


class _Sheet(NamedTuple):
    """What one rater said: points of items, and shares of submissions that have a total only."""

    points: dict[Unit, float]
    totals: dict[str, float]


_Raters = Mapping[str, _Sheet]


class _Tables:
    """What both tables say, and what all their rows together know: of units, of the tasks of
    submissions, and which have an overall rating: one item beside the total, and no more."""

    def __init__(self, human: Iterable[ScoreRow], graded: Iterable[ScoreRow]) -> None:
        self.about: dict[Unit, _About] = {}
        self.tasks: dict[str, str] = {}
        self.maxima: dict[str, set[float]] = {}
        self.models: dict[str, str] = {}
        self.blank: Counter[str] = Counter()
        self.people = self._take(human, "human")
        self.graders = self._take(graded, "grader")
        uncounted = [unit for unit, about in self.about.items() if not about.counts]
        beside = Counter(unit[0] for unit in uncounted if self.about[unit].is_item)
        self.rated = {submission for submission, items in beside.items() if items == 1}
        self.ratings = {unit for unit in uncounted if unit[0] in self.rated}
        self.overall = self._has_ratings(self.people) and self._has_ratings(self.graders)
        """Whether both sides have such ratings, which are then what is compared first."""
        for unit, about in self.about.items():
            self.about[unit] = about._replace(task=about.task or self.tasks.get(unit[0], ""))

    def _take(self, scores: Iterable[ScoreRow], unnamed: str) -> dict[str, _Sheet]:
        """The ratings of several raters, side by side."""
        raters: dict[str, _Sheet] = {}
        for score in scores:
            rater, submission = score.rater or unnamed, score.submission
            sheet = raters.setdefault(rater, _Sheet({}, {}))
            if score.model:
                self.models[submission] = score.model
            if score.task:
                self.tasks.setdefault(submission, score.task)
            if score.points is None and (score.is_item or score.is_total):
                self.blank[rater] += 1
            if score.is_total:
                self.maxima.setdefault(submission, set()).add(score.maximum)
                if score.points is not None:
                    sheet.totals[submission] = _round(score.points / score.maximum)
                continue
            self._learn(score)
            if score.points is not None:
                sheet.points[submission, score.item] = score.points
        return raters

    def _learn(self, score: ScoreRow) -> None:
        """Put what a row says of a unit to what is known; other maxima are of other rubrics."""
        unit = (score.submission, score.item)
        now = _About(score.task, score.dimension, score.maximum, score.is_item, score.counts)
        before = self.about.setdefault(unit, now)
        if before.is_item and before.maximum != now.maximum:
            problem = f"the maximum is {before.maximum:g} in one row and {now.maximum:g} in another"
            where = f"submission {unit[0][:80]}, item {unit[1][:80]}"
            raise DataError(f"{problem}: these are not scores by one rubric", file=where)
        # one may leave out task or dimension, or that it counts not
        self.about[unit] = before._replace(
            task=before.task or now.task,
            dimension=before.dimension or now.dimension,
            counts=before.counts and now.counts,
        )

    def _has_ratings(self, raters: _Raters) -> bool:
        return any(
            not self.ratings.isdisjoint(sheet.points) or not self.rated.isdisjoint(sheet.totals)
            for sheet in raters.values()
        )

    def scored(self, raters: _Raters) -> set[Unit]:
        """Items that somebody scored, and totals."""
        points = (unit for sheet in raters.values() for unit in sheet.points)
        items = {unit for unit in points if self.about[unit].is_item}
        return items | {(name, "") for sheet in raters.values() for name in sheet.totals}

    def units(self, scope: _Scope, *, overall: bool = False) -> dict[Unit, _About]:
        """Those in scope that make totals, or overall ratings. What stands beside the total and is
        no rating is taken where its dimension is asked for."""
        within = {unit: about for unit, about in self.about.items() if scope.holds(about)}
        return {
            unit: about
            for unit, about in within.items()
            if (unit in self.ratings) is overall and (overall or about.counts or scope.dimension)
        }


class _Scope(NamedTuple):
    """Which units are looked at; an empty word means all of them."""

    task: str = ""
    dimension: str = ""

    def holds(self, about: _About) -> bool:
        return self.task in {"", about.task} and self.dimension in {"", about.dimension}


def _scopes(tables: _Tables) -> list[_Scope]:
    """All, each task, each dimension of a task; none twice."""
    known = ((unit, about) for unit, about in tables.about.items() if about.is_item)
    items = [about for unit, about in known if unit not in tables.ratings]
    tasks = list(dict.fromkeys([*(item.task for item in items), *tables.tasks.values()]))
    scopes = [_Scope()]
    for task in tasks:
        if len(tasks) > 1 and task:
            scopes.append(_Scope(task))
        within = list(dict.fromkeys(item.dimension for item in items if item.task == task))
        if len(within) > 1:
            scopes += [_Scope(task, dimension) for dimension in within if dimension]
    return scopes


def _item_shares(sheet: _Sheet, tables: _Tables, scope: _Scope) -> dict[Unit, float]:
    """The share of its maximum that each item was given; an overall rating is none of them."""
    shares = {}
    for unit, points in sheet.points.items():
        about = tables.about[unit]
        compared = about.is_item and about.maximum > 0 and unit not in tables.ratings
        if compared and scope.holds(about):
            shares[unit] = _round(points / about.maximum)
    return shares


def _total_shares(sheet: _Sheet, tables: _Tables, scope: _Scope) -> dict[Unit, float]:
    """The share of each submission in scope that is scored to the last item, or as a total. What
    was taken from a section belongs to its dimension, what was taken from the whole to the whole. A
    total of what has an overall rating is such a rating, and no sum."""
    given = _given_totals(sheet, tables, scope, rated=False)
    return _sums(sheet.points, tables.units(scope)) | given


def _overall_shares(sheet: _Sheet, tables: _Tables, scope: _Scope) -> dict[Unit, float]:
    """The overall rating of each submission that can have one, and the total of every other."""
    if scope.dimension:
        return {}
    ratings = _sums(sheet.points, tables.units(scope, overall=True))
    totals = _total_shares(sheet, tables, scope)
    unrated = {unit: share for unit, share in totals.items() if unit[0] not in tables.rated}
    return unrated | ratings | _given_totals(sheet, tables, scope, rated=True)


def _given_totals(
    sheet: _Sheet, tables: _Tables, scope: _Scope, *, rated: bool
) -> dict[Unit, float]:
    return {
        (submission, ""): share
        for submission, share in sheet.totals.items()
        if not scope.dimension
        and scope.task in {"", tables.tasks.get(submission, "")}
        and (submission in tables.rated) is rated
    }


def _sums(given: Mapping[Unit, float], units: Mapping[Unit, _About]) -> dict[Unit, float]:
    """Points out of points, of submissions of which every item among these is scored."""
    maxima: dict[str, list[float]] = {}
    points: dict[str, list[float]] = {}
    lacking: set[str] = set()
    for unit, about in units.items():
        submission = unit[0]
        maxima.setdefault(submission, []).append(about.maximum)
        if unit in given:
            points.setdefault(submission, []).append(given[unit])
        elif about.is_item:
            lacking.add(submission)
    return {
        (submission, ""): _round(fsum(given_points) / fsum(maxima[submission]))
        for submission, given_points in points.items()
        if submission not in lacking and fsum(maxima[submission]) > 0
    }


def _mean_shares(several: Iterable[Mapping[Unit, float]], least: int = 1) -> dict[Unit, float]:
    """The mean of all who rated a unit, of units that at least so many did."""
    return {unit: _round(fsum(of) / len(of)) for unit, of in _by_unit(several, least).items()}


def _by_unit(several: Iterable[Mapping[Unit, float]], least: int) -> dict[Unit, list[float]]:
    """What all raters gave a unit, of units that at least so many rated."""
    units: dict[Unit, list[float]] = {}
    for shares in several:
        for unit, share in shares.items():
            units.setdefault(unit, []).append(share)
    return {unit: shares for unit, shares in units.items() if len(shares) >= least}


def _round(share: float) -> float:
    """So that 2/6 and 1/3 tie, as they must for ranks."""
    return round(share, 12)


_Shares = Callable[[_Sheet, _Tables, _Scope], dict[Unit, float]]


def _levels(tables: _Tables) -> dict[Level, _Shares]:
    """What is compared; the first stands for the submission as a whole."""
    overall: dict[Level, _Shares] = {"overall": _overall_shares} if tables.overall else {}
    return {**overall, "totals": _total_shares, "items": _item_shares}


def _comparisons(
    raters: _Raters, tables: _Tables, *, dimensions: bool
) -> Iterator[tuple[_Scope, Level, bool, dict[str, dict[Unit, float]]]]:
    """Scope, level, whether it stands for whole submissions, and the shares of each rater."""
    for scope in _scopes(tables):
        if scope.dimension and not dimensions:
            continue
        for number, (level, shares) in enumerate(_levels(tables).items()):
            by = {name: shares(sheet, tables, scope) for name, sheet in raters.items()}
            yield scope, level, number == 0 and not scope.dimension, by


def _against_people(tables: _Tables, models: Mapping[str, str] | None) -> Iterator[_Plan]:
    """Each grader against the mean of all people; then, as each person is, against the others."""
    rows = zip(
        _comparisons(tables.people, tables, dimensions=True),
        _comparisons(tables.graders, tables, dimensions=True),
        strict=True,
    )
    for (scope, level, whole, by_person), (_, _, _, by_grader) in rows:
        target = _mean_shares(by_person.values())
        for rater, rated in by_grader.items():
            yield _Plan("graders", rater, PEOPLE, level, scope, target, rated)
            if whole and models:
                yield _Plan("graders", rater, PEOPLE, "model means", scope, target, rated, models)
        if not whole or len(tables.people) < 2:
            continue
        for person, theirs in by_person.items():
            others = _mean_shares(other for name, other in by_person.items() if name != person)
            rest = {unit: share for unit, share in others.items() if unit in theirs}
            for rater, rated in by_grader.items():
                yield _Plan("graders", rater, but(person), level, scope, rest, rated)


def but(person: str) -> str:
    """What a grader is compared with to stand beside this person: all others."""
    return f"{PEOPLE} but {person}"


def _among(
    part: str, raters: _Raters, tables: _Tables, models: Mapping[str, str] | None = None
) -> Iterator[_Plan]:
    """Each of several against the mean of the others and, as a whole, of all; then each pair."""
    for scope, level, whole, by in _comparisons(raters, tables, dimensions=False):
        group = _mean_shares(by.values(), 2)
        for rater, rated in by.items() if len(by) > 2 else ():
            others = _mean_shares(theirs for name, theirs in by.items() if name != rater)
            yield _Plan(part, rater, OTHERS, level, scope, others, rated)
        for rater, rated in by.items() if whole and len(by) > 1 else ():
            yield _Plan(part, rater, GROUP, level, scope, group, rated)
        for first, other in combinations(by, 2):
            yield _Plan(part, first, other, level, scope, by[other], by[first])
            if whole and models:
                means: Level = "model means"
                yield _Plan(part, first, other, means, scope, by[other], by[first], models)


def _same_items(tables: _Tables, seed: int, resamples: int) -> Iterator[SameItems]:
    """Every two raters, and all people together if they are more."""
    raters = (*tables.people.items(), *tables.graders.items())  # may share a name
    everybody = [(name, _item_shares(sheet, tables, _Scope())) for name, sheet in raters]
    people = len(tables.people)
    groups = [tuple(everybody[:people])] if people > 2 else []
    for group in (*groups, *combinations(everybody, 2)):
        units = _by_unit((shares for _, shares in group), 2)
        if not units:
            continue
        names, several = zip(*group, strict=True)
        same = same_share(*several, seed=seed, resamples=resamples) if len(group) == 2 else None
        alpha = krippendorff([np.array(given) for given in units.values()])
        yield SameItems(names, len(units), len({name for name, _ in units}), same, alpha)


def _pairs(tables: _Tables) -> Iterator[Pair]:
    """Whole submissions as they are compared first; sums beside overall ratings; dimensions."""
    first = next(iter(_levels(tables).values()))
    pictured: list[tuple[_Scope, str, _Shares]] = []
    for scope in _scopes(tables):
        of = " · ".join(filter(None, scope))
        pictured.append((scope, of, _total_shares if scope.dimension else first))
        if tables.overall and not scope.dimension:
            pictured.append((scope, " · ".join(filter(None, (of, SUM))), _total_shares))
    for scope, of, shares in pictured:
        target = _mean_shares(shares(sheet, tables, scope) for sheet in tables.people.values())
        for rater, sheet in tables.graders.items():
            rated = shares(sheet, tables, scope)
            for unit in sorted(target.keys() & rated.keys()):
                percent = 100 * target[unit], 100 * rated[unit]
                yield Pair(rater, unit[0], tables.tasks.get(unit[0], ""), of, *percent)


def _unmatched(tables: _Tables) -> Unmatched:
    """What only one side scored; a total on one side is a counterpart of items on the other."""
    theirs, ours = tables.scored(tables.people), tables.scored(tables.graders)
    if not theirs or not ours:
        raise DataError("nothing has points", file="HUMAN" if not theirs else "GRADED")
    as_a_whole = {submission for submission, item in theirs | ours if not item}
    whole = as_a_whole & {unit[0] for unit in theirs} & {unit[0] for unit in ours}
    if not theirs & ours and not whole:
        first, other = min(theirs), min(ours)
        what = "submission" if as_a_whole else "item"
        problem = f"the tables share no {what}: one has {first}, the other {other}"
        raise DataError(problem, file="HUMAN and GRADED")
    only_people, only_graders = (
        {unit for unit in units if unit[0] not in whole} for units in (theirs - ours, ours - theirs)
    )
    examples = (min(units, default=None) for units in (only_people, only_graders))
    return Unmatched(len(only_people), len(only_graders), *examples)


def _incomplete(sheet: _Sheet, tables: _Tables) -> int:
    """Submissions that were begun and have no total, or lack the overall rating."""
    begun = {unit[0] for unit in sheet.points if tables.about[unit].counts}
    whole = {unit[0] for unit in _total_shares(sheet, tables, _Scope())}
    first = next(iter(_levels(tables).values()))
    compared = {unit[0] for unit in first(sheet, tables, _Scope())}
    return len(begun - (whole & compared))


def _rescaled(tables: _Tables) -> dict[str, tuple[float, ...]]:
    """Where totals were given out of other maxima than items have, or other totals."""
    of_items: dict[str, list[float]] = {}
    for rated in (False, True):
        for unit, about in tables.units(_Scope(), overall=rated).items():
            if (unit[0] in tables.rated) is rated:
                of_items.setdefault(unit[0], []).append(about.maximum)
    all_maxima = {
        submission: maxima | ({fsum(of_items[submission])} if submission in of_items else set())
        for submission, maxima in tables.maxima.items()
    }
    return {name: tuple(sorted(maxima)) for name, maxima in all_maxima.items() if len(maxima) > 1}
