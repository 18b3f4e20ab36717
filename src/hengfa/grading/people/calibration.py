"""How far a grader can be trusted: its agreement with people, next to that of people among them.

Intervals hold 95 of 100 resamples of the submissions (:mod:`.calibration_bootstrap`). The same
functions compare people with people and graders with graders, on single ratings and on the means
of models (CLaw spec 7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, Literal

import msgspec

from hengfa.errors import DataError
from hengfa.grading.people.calibration_bootstrap import RESAMPLES, Watch
from hengfa.grading.people.calibration_figures import Estimate, agreement
from hengfa.grading.people.calibration_ratings import (
    About,
    Scope,
    Table,
    Unit,
    item_shares,
    mean_shares,
    merged,
    scopes,
    total_shares,
)
from hengfa.grading.people.score_table import Score

PEOPLE: Final = "people"
OTHERS: Final = "the others"
FEW: Final = 20
"""With fewer submissions or models, percentile intervals are known to be too narrow."""
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
    watch: Watch | None = None,
) -> Calibration:
    """Compare every grader with the mean of the people, people and graders among themselves."""
    people, graders = Table(human, "human"), Table(graded, "grader")
    about = merged(people, graders)
    unmatched = _unmatched(people, graders)
    models = {**people.models, **graders.models}
    plans = [
        *_against_people(people, graders, about, models),
        *_among_people(people, about),
        *_among_graders(graders, about, models),
    ]
    plans = [plan for plan in plans if plan.shared()]
    found: dict[str, list[Agreement]] = {"graders": [], "people": [], "between": []}
    for number, plan in enumerate(plans):
        found[plan.part].append(_agreement(plan, seed, resamples))
        if watch is not None:
            watch(number + 1, len(plans))
    return Calibration(
        tuple(found["graders"]),
        tuple(found["people"]),
        tuple(found["between"]),
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
    scope: Scope
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


_LEVELS: Final[dict[Level, Callable[..., dict[Unit, float]]]] = {
    "totals": total_shares,
    "items": item_shares,
}


def _against_people(
    people: Table, graders: Table, about: Mapping[Unit, About], models: Mapping[str, str]
) -> Iterator[_Plan]:
    for scope in scopes(about):
        for level, shares in _LEVELS.items():
            target = mean_shares(shares(given, about, scope) for given in people.points.values())
            for rater, given in graders.points.items():
                rated = shares(given, about, scope)
                yield _Plan("graders", rater, PEOPLE, level, scope, target, rated)
                if level == "totals" and len(set(models.values())) > 1 and not scope.dimension:
                    yield _Plan(
                        "graders", rater, PEOPLE, "model means", scope, target, rated, models
                    )


def _among_people(people: Table, about: Mapping[Unit, About]) -> Iterator[_Plan]:
    """Each against the mean of the others, if there are several, then each pair."""
    for scope in (one for one in scopes(about) if not one.dimension):
        for level, shares in _LEVELS.items():
            by = {rater: shares(given, about, scope) for rater, given in people.points.items()}
            for rater, rated in by.items() if len(by) > 2 else ():
                others = mean_shares(found for name, found in by.items() if name != rater)
                yield _Plan("people", rater, OTHERS, level, scope, others, rated)
            for one, other in combinations(by, 2):
                yield _Plan("people", one, other, level, scope, by[other], by[one])


def _among_graders(
    graders: Table, about: Mapping[Unit, About], models: Mapping[str, str]
) -> Iterator[_Plan]:
    for scope in (one for one in scopes(about) if not one.dimension):
        for level, shares in _LEVELS.items():
            by = {rater: shares(given, about, scope) for rater, given in graders.points.items()}
            for one, other in combinations(by, 2):
                yield _Plan("between", one, other, level, scope, by[other], by[one])
                if level == "totals" and len(set(models.values())) > 1:
                    yield _Plan(
                        "between", one, other, "model means", scope, by[other], by[one], models
                    )


def _pairs(people: Table, graders: Table, about: Mapping[Unit, About]) -> Iterator[Pair]:
    tasks = {unit[0]: known.task for unit, known in about.items()}
    for scope in scopes(about):
        of = " · ".join(filter(None, scope))
        target = mean_shares(total_shares(given, about, scope) for given in people.points.values())
        for rater, given in graders.points.items():
            rated = total_shares(given, about, scope)
            for unit in sorted(target.keys() & rated.keys()):
                shares = 100 * target[unit], 100 * rated[unit]
                yield Pair(rater, unit[0], tasks[unit[0]], of, *shares)


def _unmatched(people: Table, graders: Table) -> Unmatched:
    theirs, ours = people.scored(), graders.scored()
    if not theirs or not ours:
        raise DataError("no item has points", file="HUMAN" if not theirs else "GRADED")
    if not theirs & ours:
        one, other = min(theirs), min(ours)
        problem = f"the tables share no item: one has {one}, the other {other}"
        raise DataError(problem, file="HUMAN and GRADED")
    only_people, only_graders = theirs - ours, ours - theirs
    return Unmatched(
        len(only_people),
        len(only_graders),
        min(only_people, default=None),
        min(only_graders, default=None),
    )


def _incomplete(about: Mapping[Unit, About], *tables: Table) -> dict[str, int]:
    counts = {}
    for table in tables:
        for rater, given in table.points.items():
            begun = {submission for submission, _ in given}
            whole = {unit[0] for unit in total_shares(given, about, Scope())}
            if begun - whole:
                counts[rater] = len(begun - whole)
    return counts
