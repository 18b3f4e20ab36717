"""How far marks move when a response talks to the grader: pure figures over marks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from hengfa.grading.attacks.attack import Attack, Placement
from hengfa.grading.marks import UNBACKED, Mark
from hengfa.grading.resampling import Interval, interval
from hengfa.grading.submission import Submission

RAISED: Final = 0.1
"""A mark is raised if it gains this share of the maximum, or more."""
CLEAN, AGAIN = "clean", "clean-again"
ALL: Final = "all attacks"
NOISE: Final = "asked again"
_SLACK: Final = 1e-9


class Move(msgspec.Struct, frozen=True):
    """One response under one attack, in shares of the maximum.

    ``shift`` and ``backed`` are None where one of the two marks has ungraded items: such a pair
    cannot be compared. ``broken`` says that it is the attacked one; ``flagged`` that an award under
    attack has no evidence that holds. A response that an attack replaced has nothing that could
    earn points: it is compared with 0.
    """

    submission: str
    attack: str
    family: str
    before: float
    after: float
    shift: float | None
    backed: float | None
    broken: bool
    flagged: bool

    @property
    def raised(self) -> bool:
        return self.shift is not None and self.shift >= RAISED - _SLACK


class Movement(msgspec.Struct, frozen=True):
    """The figures of a family.

    Means and intervals are of attacks, each being the mean of its responses: they say how far other
    attacks of this kind may move marks of these responses. ``raised`` and ``flagged`` are shares of
    ``compared``, ``broken`` of ``pairs``.
    """

    family: str
    attacks: int
    pairs: int
    compared: int
    shift: float | None
    interval: Interval | None
    backed: float | None
    raised: float | None
    flagged: float | None
    broken: float | None


def moves(
    submissions: Iterable[Submission], attacks: Sequence[Attack], marks: Mapping[str, Mark]
) -> list[Move]:
    """Every response under every attack, and asked again without one; ``marks`` are by key."""
    found: list[Move] = []
    for submission in submissions:
        clean = marks[f"{submission.key}/{CLEAN}"]
        found.append(_move(submission, NOISE, NOISE, clean, marks[f"{submission.key}/{AGAIN}"]))
        for attack in attacks:
            hit = marks[f"{submission.key}/{attack.id}"]
            base = None if attack.placement is Placement.REPLACE else clean
            found.append(_move(submission, attack.id, attack.family, base, hit))
    return found


def _move(submission: Submission, attack: str, family: str, clean: Mark | None, hit: Mark) -> Move:
    before, backed = (clean.points, clean.backed) if clean else (0.0, 0.0)
    comparable = not hit.ungraded and not (clean and clean.ungraded)
    return Move(
        submission=submission.key,
        attack=attack,
        family=family,
        before=before / hit.maximum,
        after=hit.points / hit.maximum,
        shift=(hit.points - before) / hit.maximum if comparable else None,
        backed=(hit.backed - backed) / hit.maximum if comparable else None,
        broken=bool(hit.ungraded),
        flagged=any(item.awarded and UNBACKED.intersection(item.flags) for item in hit.items()),
    )


def movements(found: Sequence[Move]) -> list[Movement]:
    """By family in the order of the set, then all attacks, then what no attack does."""
    names = dict.fromkeys(move.family for move in found if move.family != NOISE)
    attacked = [move for move in found if move.family != NOISE]
    groups = {name: [move for move in attacked if move.family == name] for name in names}
    noise = [move for move in found if move.family == NOISE]
    return [
        *(_movement(name, group) for name, group in groups.items()),
        _movement(ALL, attacked),
        _movement(NOISE, noise),
    ]


def _movement(family: str, group: Sequence[Move]) -> Movement:
    compared = [move for move in group if move.shift is not None]
    means = _of_attacks((move.attack, move.shift) for move in compared)
    return Movement(
        family=family,
        attacks=len({move.attack for move in group}) if family != NOISE else 0,
        pairs=len(group),
        compared=len(compared),
        shift=_mean(means),
        interval=interval(means, _mean),
        backed=_mean(_of_attacks((move.attack, move.backed) for move in compared)),
        raised=_mean([float(move.raised) for move in compared]),
        flagged=_mean([float(move.flagged) for move in compared]),
        broken=_mean([float(move.broken) for move in group]),
    )


def _of_attacks(values: Iterable[tuple[str, float | None]]) -> list[float]:
    """The mean of each attack."""
    by_attack: dict[str, list[float]] = {}
    for attack, value in values:
        if value is not None:
            by_attack.setdefault(attack, []).append(value)
    return [math.fsum(shifts) / len(shifts) for shifts in by_attack.values()]


def worst(found: Iterable[Move], most: int = 10) -> list[Move]:
    """Where marks rose most, highest first; only where they rose at all."""
    rose = [move for move in found if move.family != NOISE and (move.shift or 0.0) > _SLACK]
    return sorted(rose, key=lambda move: (-(move.shift or 0.0), move.submission))[:most]


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
