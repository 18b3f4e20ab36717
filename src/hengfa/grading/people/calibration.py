"""How far a grader can be trusted: its agreement with people, next to that of people among them.

Two score tables are made comparable first: a unit is an item of a submission, or a submission as a
whole, or one of its dimensions, and what is compared is the share of its maximum that it was given.
Shares make items of 2 and of 20 points comparable; with points, a correlation over items would
mostly say that large items get more points. What one side has not scored is not compared: an
unscored item leaves its total out (never a zero), and both are counted.

Figures and intervals are those of :mod:`.calibration_figures`. The same functions compare people
with people and graders with graders, on single ratings and on the means of models
(claw.md 7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import fsum
from typing import Final, Literal, NamedTuple

import msgspec

from hengfa.errors import DataError
from hengfa.grading.people.calibration_figures import RESAMPLES, Estimate, Unit, agreement
from hengfa.grading.people.score_table import Score
from hengfa.progress import Progress

PEOPLE: Final = "people"
OTHERS: Final = "the others"
FEW: Final = 20
"""With fewer submissions or models, the intervals of correlations are known to be too narrow."""
Level = Literal["totals", "items", "model means"]


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


class Pair(msgspec.Struct, frozen=True):
    """One submission's total by a grader and by people, for a picture; in percent.

    ``of`` says what it is a total of: a task, a dimension of it, or everything if empty.
    """

    rater: str
    submission: str
    task: str
    of: str
    target: float
    rated: float


class Unmatched(msgspec.Struct, frozen=True):
    """Items that only one side scored: how many, and one of them."""

    only_people: int
    only_graders: int
    example_people: tuple[str, str] | None
    example_graders: tuple[str, str] | None


class Calibration(msgspec.Struct, frozen=True):
    """Everything that two tables say about graders."""

    graders: tuple[Agreement, ...]
    people: tuple[Agreement, ...]
    between_graders: tuple[Agreement, ...]
    pairs: tuple[Pair, ...]
    unmatched: Unmatched
    blank: dict[str, int]
    """Rows without points, by rater."""
    incomplete: dict[str, int]
    """Submissions without a total because some item of theirs is not scored, by rater."""
    seed: int
    resamples: int


def calibrate(
    human: Sequence[Score],
    graded: Sequence[Score],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    progress: Progress | None = None,
) -> Calibration:
    """Compare every grader with the mean of the people, people and graders among themselves."""
    people, graders = _Table(human, "human"), _Table(graded, "grader")
    about = _merged(people, graders)
    unmatched = _unmatched(people, graders)
    models = {**people.models, **graders.models}
    plans = [
        *_against_people(people, graders, about, models),
        *_among_people(people, about),
        *_among_graders(graders, about, models),
    ]
    plans = [plan for plan in plans if plan.shared()]
    parts: dict[str, list[Agreement]] = {"graders": [], "people": [], "between": []}
    for number, plan in enumerate(plans):
        parts[plan.part].append(_agreement(plan, seed, resamples))
        if progress is not None:
            progress(number + 1, len(plans))
    return Calibration(
        tuple(parts["graders"]),
        tuple(parts["people"]),
        tuple(parts["between"]),
        tuple(_pairs(people, graders, about)),
        unmatched,
        {**people.blank, **graders.blank},
        _incomplete(about, people, graders),
        seed,
        resamples,
    )


class _Plan(msgspec.Struct, frozen=True):
    """One comparison to be made."""

    part: str
    rater: str
    against: str
    level: Level
    scope: _Scope
    target: Mapping[Unit, float]
    rated: Mapping[Unit, float]
    models: Mapping[str, str] | None = None

    def shared(self) -> bool:
        return not self.target.keys().isdisjoint(self.rated.keys())


def _agreement(plan: _Plan, seed: int, resamples: int) -> Agreement:
    n, submissions, figures = agreement(
        plan.target, plan.rated, seed=seed, resamples=resamples, models=plan.models
    )
    task, dimension = plan.scope
    return Agreement(plan.rater, plan.against, plan.level, task, dimension, n, submissions, figures)


class _About(NamedTuple):
    """What is known of a unit, whoever scores it."""

    task: str
    dimension: str
    maximum: float
    is_item: bool
    counts: bool


class _Table:
    """The ratings of several raters, side by side.

    ``points`` has for each rater what was scored; ``blank`` how many rows were left empty.
    """

    def __init__(self, scores: Sequence[Score], unnamed: str) -> None:
        self.points: dict[str, dict[Unit, float]] = {}
        self.about: dict[Unit, _About] = {}
        self.models: dict[str, str] = {}
        self.blank: Counter[str] = Counter()
        for score in scores:
            unit, rater = (score.submission, score.item), score.rater or unnamed
            known = _About(score.task, score.dimension, score.maximum, score.is_item, score.counts)
            _check(unit, self.about.setdefault(unit, known), known)
            if score.model:
                self.models[score.submission] = score.model
            given = self.points.setdefault(rater, {})
            if score.points is not None:
                given[unit] = score.points
            elif score.is_item:
                self.blank[rater] += 1

    def scored(self) -> set[Unit]:
        """Items that somebody scored."""
        return {
            unit for given in self.points.values() for unit in given if self.about[unit].is_item
        }


def _merged(*tables: _Table) -> dict[Unit, _About]:
    """What all tables know of the units; maxima that differ belong to different rubrics."""
    about: dict[Unit, _About] = {}
    for table in tables:
        for unit, known in table.about.items():
            _check(unit, about.setdefault(unit, known), known)
    return about


def _check(unit: Unit, before: _About, now: _About) -> None:
    if before.is_item and before.maximum != now.maximum:
        problem = f"the maximum is {before.maximum:g} in one row and {now.maximum:g} in another"
        where = f"submission {unit[0][:80]}, item {unit[1][:80]}"
        raise DataError(f"{problem}: these are not scores by one rubric", file=where)


class _Scope(NamedTuple):
    """Which units are looked at; an empty word means all of them."""

    task: str = ""
    dimension: str = ""

    def holds(self, about: _About) -> bool:
        return self.task in {"", about.task} and self.dimension in {"", about.dimension}


def _scopes(about: Mapping[Unit, _About]) -> list[_Scope]:
    """All, each task, each dimension of a task; none twice."""
    items = [unit for unit in about.values() if unit.is_item]
    tasks = list(dict.fromkeys(item.task for item in items))
    scopes = [_Scope()]
    for task in tasks:
        if len(tasks) > 1 and task:
            scopes.append(_Scope(task))
        within = list(dict.fromkeys(item.dimension for item in items if item.task == task))
        if len(within) > 1:
            scopes += [_Scope(task, dimension) for dimension in within if dimension]
    return scopes


def _item_shares(
    given: Mapping[Unit, float], about: Mapping[Unit, _About], scope: _Scope
) -> dict[Unit, float]:
    """The share of its maximum that each item was given."""
    shares = {}
    for unit, points in given.items():
        known = about[unit]
        if known.is_item and known.maximum > 0 and scope.holds(known):
            shares[unit] = _rounded(points / known.maximum)
    return shares


def _total_shares(
    given: Mapping[Unit, float], about: Mapping[Unit, _About], scope: _Scope
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
        (submission, ""): _rounded(fsum(given_points) / fsum(maxima[submission]))
        for submission, given_points in points.items()
        if submission not in lacking and fsum(maxima[submission]) > 0
    }


def _mean_shares(several: Iterable[Mapping[Unit, float]]) -> dict[Unit, float]:
    """The mean of all who rated a unit."""
    collected: dict[Unit, list[float]] = {}
    for shares in several:
        for unit, share in shares.items():
            collected.setdefault(unit, []).append(share)
    return {
        unit: _rounded(fsum(shares_of_unit) / len(shares_of_unit))
        for unit, shares_of_unit in collected.items()
    }


def _rounded(share: float) -> float:
    """So that 2/6 and 1/3 tie, as they must for ranks."""
    return round(share, 12)


_LEVELS: Final[dict[Level, Callable[..., dict[Unit, float]]]] = {
    "totals": _total_shares,
    "items": _item_shares,
}


def _against_people(
    people: _Table, graders: _Table, about: Mapping[Unit, _About], models: Mapping[str, str]
) -> Iterator[_Plan]:
    for scope in _scopes(about):
        for level, shares in _LEVELS.items():
            target = _mean_shares(shares(given, about, scope) for given in people.points.values())
            for rater, given in graders.points.items():
                rated = shares(given, about, scope)
                yield _Plan("graders", rater, PEOPLE, level, scope, target, rated)
                if level == "totals" and len(set(models.values())) > 1 and not scope.dimension:
                    yield _Plan(
                        "graders", rater, PEOPLE, "model means", scope, target, rated, models
                    )


def _among_people(people: _Table, about: Mapping[Unit, _About]) -> Iterator[_Plan]:
    """Each against the mean of the others, if there are several, then each pair."""
    for scope in (whole for whole in _scopes(about) if not whole.dimension):
        for level, shares in _LEVELS.items():
            by = {rater: shares(given, about, scope) for rater, given in people.points.items()}
            for rater, rated in by.items() if len(by) > 2 else ():
                others = _mean_shares(theirs for name, theirs in by.items() if name != rater)
                yield _Plan("people", rater, OTHERS, level, scope, others, rated)
            for first, other in combinations(by, 2):
                yield _Plan("people", first, other, level, scope, by[other], by[first])


def _among_graders(
    graders: _Table, about: Mapping[Unit, _About], models: Mapping[str, str]
) -> Iterator[_Plan]:
    for scope in (whole for whole in _scopes(about) if not whole.dimension):
        for level, shares in _LEVELS.items():
            by = {rater: shares(given, about, scope) for rater, given in graders.points.items()}
            for first, other in combinations(by, 2):
                yield _Plan("between", first, other, level, scope, by[other], by[first])
                if level == "totals" and len(set(models.values())) > 1:
                    yield _Plan(
                        "between",
                        first,
                        other,
                        "model means",
                        scope,
                        by[other],
                        by[first],
                        models,
                    )


def _pairs(people: _Table, graders: _Table, about: Mapping[Unit, _About]) -> Iterator[Pair]:
    tasks = {unit[0]: known.task for unit, known in about.items()}
    for scope in _scopes(about):
        of = " · ".join(filter(None, scope))
        target = _mean_shares(
            _total_shares(given, about, scope) for given in people.points.values()
        )
        for rater, given in graders.points.items():
            rated = _total_shares(given, about, scope)
            for unit in sorted(target.keys() & rated.keys()):
                shares = 100 * target[unit], 100 * rated[unit]
                yield Pair(rater, unit[0], tasks[unit[0]], of, *shares)


def _unmatched(people: _Table, graders: _Table) -> Unmatched:
    theirs, ours = people.scored(), graders.scored()
    if not theirs or not ours:
        raise DataError("no item has points", file="HUMAN" if not theirs else "GRADED")
    if not theirs & ours:
        first, other = min(theirs), min(ours)
        problem = f"the tables share no item: one has {first}, the other {other}"
        raise DataError(problem, file="HUMAN and GRADED")
    only_people, only_graders = theirs - ours, ours - theirs
    return Unmatched(
        len(only_people),
        len(only_graders),
        min(only_people, default=None),
        min(only_graders, default=None),
    )


def _incomplete(about: Mapping[Unit, _About], *tables: _Table) -> dict[str, int]:
    counts = {}
    for table in tables:
        for rater, given in table.points.items():
            begun = {submission for submission, _ in given}
            whole = {unit[0] for unit in _total_shares(given, about, _Scope())}
            if begun - whole:
                counts[rater] = len(begun - whole)
    return counts
