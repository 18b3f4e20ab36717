"""What training data have of the questions of a plan (`--trained-on DIR`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hengfa.evals.runs.folder import TrainedOn
from hengfa.evals.suites.plan import Plan
from hengfa.train.rewards.data import digest_of, read_export
from hengfa.train.rewards.overlap import find_overlaps


def declared(folders: Sequence[Path], plan: Plan) -> tuple[TrainedOn, ...]:
    """What each export has of the tasks of a plan; all their questions, not only those asked."""
    exports = [read_export(folder) for folder in folders]
    made: list[TrainedOn] = []
    for export in exports:
        checked = find_overlaps(export.rows, plan.questions)
        seen = checked.seen()
        made.append(
            TrainedOn(
                export.manifest.name,
                digest_of(export.rows),
                export.manifest.contaminates,
                {
                    task.partition("/")[2]: (seen.get(task, 0), count)
                    for task, count in checked.questions.items()
                },
            )
        )
    return tuple(made)
