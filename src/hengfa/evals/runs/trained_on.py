"""Models that are declared to have been trained on an export (`--trained-on DIR`): how many of the
questions of a run stand in what they were trained on.

The mark stays with the run. A later command can add to it, and nothing takes it away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from hengfa.base.hooks import part
from hengfa.evals.runs.folder import Manifest, TrainedOn, read_manifest, write_manifest
from hengfa.evals.suites.plan import Plan


def declared(folders: Sequence[Path], plan: Plan) -> tuple[TrainedOn, ...]:
    """What each export has of the tasks of a plan; who makes exports can read them."""
    read: Callable[[Sequence[Path], Plan], tuple[TrainedOn, ...]] = part("trained on")
    return read(folders, plan)


def together(declarations: Iterable[TrainedOn]) -> tuple[TrainedOn, ...]:
    """Each export once, with what any declaration found of it."""
    known: dict[str, TrainedOn] = {}
    for told in declarations:
        before = known.get(told.digest, told)
        known[told.digest] = replace(told, seen={**before.seen, **told.seen})
    return tuple(known.values())


def keep_declared(folder: Path, told: Sequence[TrainedOn]) -> Manifest:
    """Say in a run's manifest what its model was trained on, besides what it says already."""
    manifest = read_manifest(folder)
    all_told = together((*manifest.trained_on, *told))
    if all_told == manifest.trained_on:
        return manifest
    marked = replace(manifest, trained_on=all_told)
    write_manifest(folder, marked)
    return marked
