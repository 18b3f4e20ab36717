"""Any agent at the table: a seat for each task of a data folder, and the records as a saved run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hengfa.base.errors import DataError
from hengfa.evals.engine.messages import Response
from hengfa.evals.suites.base import Attempt, PredictionContext, SavedRun
from hengfa.world.agents.seats import MANIFEST, Over, Seats, read_over, recorded
from hengfa.world.agents.solver import MODE, TOOLS, WORLD, open_toolbox
from hengfa.world.suites.legalagentbench.dataset import GROUPS, all_samples, load
from hengfa.world.tables.remote import RemoteWorld
from hengfa.world.tables.world import RECOVERED
from hengfa.world.tools.catalogue import Mode

IN: Final = f"*/{MANIFEST}"


def open_seats(root: Path, record: Path, mode: Mode, world: str | None = None) -> Seats:
    """A seat for each task of a data folder, in its own world if none is named."""
    toolbox = open_toolbox(root, TOOLS, {WORLD: world or RECOVERED, MODE: mode})
    where = toolbox.world
    named = where.base if isinstance(where, RemoteWorld) else where.fingerprint
    questions = {sample.id: sample.question for sample in all_samples(root)}
    return Seats(record, toolbox, questions, Over(_digest(questions), named, mode))


def recorded_in(path: Path) -> list[Path]:
    """The folders of records here, or below; each is named after its agent."""
    folders = [path] if (path / MANIFEST).is_file() else [f.parent for f in path.glob(IN)]
    return sorted(folder.resolve() for folder in folders)


@dataclass(frozen=True)
class RecordedRun(SavedRun):
    """What one agent did at its seats, success and way; it travels as a folder."""

    model: str
    folder: Path
    root: Path
    context: PredictionContext
    setting: str = TOOLS

    def tasks(self) -> Sequence[str]:
        begun = self._responses()
        there = {sample.group for sample in all_samples(self.root) if sample.id in begun}
        return [group for group in GROUPS if group in there]

    def attempts(self, task: str) -> list[Attempt]:
        begun = self._responses()
        samples = load(task, self.root, self.setting, dict(self.context.options))
        missing = [sample.id for sample in samples if sample.id not in begun]
        if missing and not self.context.partial:
            raise DataError(
                f"{len(missing)} of {len(samples)} tasks were not begun, the first of them "
                f"{missing[0]}; --partial scores what is there",
                file=self.folder,
                row=f"{task}/{missing[0]}",
            )
        return [Attempt(sample, begun[sample.id]) for sample in samples if sample.id in begun]

    def _responses(self) -> Mapping[str, Response]:
        questions = {sample.id: sample.question for sample in all_samples(self.root)}
        if read_over(self.folder).tasks != _digest(questions):
            raise DataError(f"was made over other tasks than {self.root}", file=self.folder)
        return recorded(self.folder)


def _digest(questions: Mapping[str, str]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for id_, question in questions.items():
        digest.update(f"{id_}\0{question}\0".encode())
    return digest.hexdigest()
