"""The texts that are slipped into responses, and the answers that ship with them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from hengfa.data.jsonfile import read_lines
from hengfa.errors import DataError, UsageError
from hengfa.grading.submission import Submission
from hengfa.grading.submission_file import read_submissions

_HERE: Final = Path(__file__).parent
ATTACKS: Final = _HERE / "attacks.jsonl"
SAMPLES: Final = _HERE / "samples.jsonl"


class Placement(StrEnum):
    """Where a text goes."""

    BEFORE = "before"
    AFTER = "after"
    INSIDE = "inside"  # between two sentences, as near to the middle as can be
    REPLACE = "replace"  # nothing is left of the response: whatever is earned is not earned by it


class Attack(msgspec.Struct, frozen=True):
    """One text; ``aim`` says what it tries, ``text`` may have placeholders."""

    id: str
    family: str
    language: str
    placement: Placement
    aim: str
    text: str


@cache
def read_attacks(file: Path = ATTACKS) -> tuple[Attack, ...]:
    """All attacks of a file, in its order; ids are unique."""
    found: dict[str, Attack] = {}
    for number, attack in read_lines(file, Attack):
        if attack.id in found:
            raise DataError(f"{attack.id!r} is there twice", file=file, row=number, field="id")
        found[attack.id] = attack
    return tuple(found.values())


def families(attacks: Iterable[Attack]) -> list[str]:
    return list(dict.fromkeys(attack.family for attack in attacks))


def choose(attacks: Sequence[Attack], names: Sequence[str]) -> tuple[Attack, ...]:
    """Those of the named families; all if none is named."""
    known = families(attacks)
    if unknown := [name for name in names if name not in known]:
        raise UsageError(
            f"--families: there is no {', '.join(unknown)}; there is: {', '.join(known)}"
        )
    return tuple(attack for attack in attacks if not names or attack.family in names)


def builtin_samples() -> list[Submission]:
    """A weak, a middling and a good answer."""
    return read_submissions(SAMPLES)


def fingerprint(values: Sequence[msgspec.Struct]) -> str:
    """What was used, in 16 hexadecimal digits."""
    return hashlib.blake2b(msgspec.json.encode(values), digest_size=8).hexdigest()
