"""From where on the answers of a reader of tellings count: chosen on laws it was not trained on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias

from hengfa.evals.runs.telling_classifier import SETTINGS, USUAL, ClassifierReader
from hengfa.law.library.citing.second_reader import ToRead

Label: TypeAlias = Literal["faithful", "differs"]
Pair: TypeAlias = tuple[ToRead, Label]
LABELS: Final[tuple[Label, Label]] = ("faithful", "differs")


def set_thresholds(folder: Path, pairs: Sequence[Pair], mistakes: float) -> dict[Label, float]:
    """Write `reader.toml`, so that of what is one thing at most this share is called the other.
    Returns of each the share that is called right."""
    reader = ClassifierReader(folder)
    scored = [(each, true) for pair, true in pairs if (each := reader.chances(pair))]
    lines, right = ["[at_least]"], {}
    for label in LABELS:
        least = least_chance([each[label] for each, true in scored if true != label], mistakes)
        own = [each[label] >= least for each, true in scored if true == label]
        right[label] = sum(own) / max(len(own), 1)
        lines.append(f"{label} = {least}")
    (folder / SETTINGS).write_text("\n".join([*lines, ""]), "utf-8")
    return right


def least_chance(others: Sequence[float], mistakes: float) -> float:
    """A half at least; it may be above 1, which nothing reaches."""
    if not others:
        return USUAL
    first_too_many = sorted(others, reverse=True)[int(mistakes * len(others))]
    return max(0.5, math.floor(first_too_many * 1e6 + 1) / 1e6)
