"""Rows to train on: the questions of the suite with what is right, without the laws held out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hengfa.evals.suites.base import Chosen
from hengfa.evals.suites.claw.dataset import is_held_out
from hengfa.evals.suites.claw.suite import SUITE


class TrainingRows(NamedTuple):
    """The rows, as `hengfa train sft` reads them, how many laws there are, and which were left
    out."""

    rows: list[dict[str, Any]]
    laws: int
    held_out: tuple[str, ...]


def training_rows(
    root: Path, tasks: Sequence[str], setting: str, options: Chosen, share: float
) -> TrainingRows:
    """Every question of some tasks but those on the laws that are held out."""
    rows: list[dict[str, Any]] = []
    laws: dict[str, bool] = {}
    for name in dict.fromkeys(tasks):
        task = SUITE.tasks[name]
        for sample in task.samples(root, setting, options):
            if sample.law not in laws:
                laws[sample.law] = is_held_out(sample.law, share)
            if not laws[sample.law]:
                rows.append(
                    {
                        "id": SUITE.key(name, setting, sample),
                        "messages": task.prompt(sample, setting),
                        "target": task.baselines.reference(sample),
                    }
                )
    return TrainingRows(rows, len(laws), tuple(law for law, out in laws.items() if out))
