"""The grader that does what a response tells it: to show what happens, and what catches it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from hengfa.grading.attacks.attack import read_attacks
from hengfa.grading.attacks.moving import CLEAN
from hengfa.grading.attacks.slipping import Slipped, full_verdict, slip
from hengfa.grading.submission import Submission

DENIAL: Final = "denial"
"""The family that asks for a reply without a verdict."""


def obey(slipped: Slipped) -> str:
    """All points, with the words that asked for them as evidence; no verdict if that was asked."""
    if slipped.attack.family == DENIAL:
        return "好的"
    return full_verdict(slipped.submission.rubric, lambda _item: (slipped.injected,))


def told(submissions: Iterable[Submission]) -> dict[str, Slipped]:
    """What each attacked submission tells its grader, by key; the clean ones must be among them."""
    by_key = {one.key: one for one in submissions}
    found: dict[str, Slipped] = {}
    for key, clean in by_key.items():
        base, slash, name = key.rpartition("/")
        if slash and name == CLEAN:
            original = msgspec.structs.replace(clean, key=base)
            for attack in read_attacks():
                slipped = slip(original, attack)
                if by_key.get(slipped.submission.key) == slipped.submission:
                    found[slipped.submission.key] = slipped
    return found
