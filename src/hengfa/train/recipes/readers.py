"""A reader of tellings, trained on minimal pairs: its rows, and from where on its answers count.

How sure it has to be is chosen on laws that it was not trained on, and stands beside the model in
the `reader.toml` that `hengfa cite check --reader hf:DIR` reads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from hengfa.evals.runs.telling_classifier import SETTINGS, USUAL, ClassifierReader
from hengfa.law.library.citing.second_reader import ToRead

Label: TypeAlias = Literal["faithful", "differs"]
LABELS: Final[tuple[Label, Label]] = ("faithful", "differs")


class Pair(NamedTuple):
    """A provision, what is told of it, and what that is."""

    provision: str
    telling: str
    answer: Label


def set_thresholds(folder: Path, pairs: Sequence[Pair], mistakes: float) -> dict[Label, float]:
    """Write `reader.toml`: each answer counts from the probability on from which at most this share
    of the pairs that are the other is called so. Returns of each the share that is called right."""
    chances = ClassifierReader(folder).chances(
        [ToRead(one.provision, one.telling) for one in pairs]
    )
    scored = [(each, pair.answer) for each, pair in zip(chances, pairs, strict=True) if each]
    lines, right = ['first = "provision"', "", "[at_least]"], {}
    for label in LABELS:
        least = least_chance([each[label] for each, true in scored if true != label], mistakes)
        own = [each[label] >= least for each, true in scored if true == label]
        right[label] = sum(own) / max(len(own), 1)
        lines.append(f"{label} = {least}")
    lines += ["", "[labels]", *(f'{label} = "{label}"' for label in LABELS), ""]
    (folder / SETTINGS).write_text("\n".join(lines), "utf-8")
    return right


def least_chance(others: Sequence[float], mistakes: float) -> float:
    """From where on at most this share of what is something else is called so; a half at least.
    It may be above 1, which nothing reaches."""
    if not others:
        return USUAL
    first_too_many = sorted(others, reverse=True)[int(mistakes * len(others))]
    return max(0.5, math.floor(first_too_many * 1e6 + 1) / 1e6)
