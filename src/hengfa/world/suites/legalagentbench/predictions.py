"""Saved runs to (sample, response) pairs: the published layout, `{task, id, prediction}` lines, or
the records of agents that sat at our tools.

Published runs are files `<method>__<model>.json` of JSON lines `{id, res, summary}`, one for each
task in the order of the data. The published evaluator goes by that order and not by `id`
(legalagentbench.md 5).
Where a line names another task than the one at its place, or two lines name the same, the response
carries what either reading gives: the rules choose, and the answer counts as ambiguous. A file with
fewer lines has no order to go by; with `--partial` it is read by `id`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.catalogue import load_entry
from hengfa.base.data.jsonfile import first_line, read_lines
from hengfa.base.data.packs import repair
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites.base import Attempt, PredictionContext, SavedRun, Suite
from hengfa.evals.suites.predictions import LineRun, as_text, model_of
from hengfa.world.agents.seats import MANIFEST, Over, Seats, read_over, recorded
from hengfa.world.agents.solver import MODE, TOOLS, WORLD, open_toolbox
from hengfa.world.agents.trajectory import SILENCE, Reply, Texts, write_reply
from hengfa.world.suites.legalagentbench.dataset import GROUPS, AgentSample, all_samples, load
from hengfa.world.tables.remote import RemoteWorld
from hengfa.world.tables.world import RECOVERED
from hengfa.world.tools.catalogue import Mode

NAME: Final = "legalagentbench"
METHODS: Final = {
    "react": "react",
    "plan_solve": "plan-solve",
    "plan_execute": "plan-execute",
    "plan_excute": "plan-execute",  # as upstream's code writes it
}
"""Names on disk to settings."""

# "react__glm-4", "plan_solve__gpt-4o-mini"; not "glm-4"
_FILE: Final = re.compile(r"(?P<method>[a-z_-]+?)__(?P<model>.+)")
_LINES: Final = ("*__*.json", "*.jsonl", "*.jsonl.gz")


class _Row(msgspec.Struct, frozen=True):
    id: int | str
    res: str
    summary: str


class Runs:
    """The run in a file, or those in the files of a folder; the name tells method and model."""

    expected = "<method>__<model>.json, lines of id, res and summary; or a folder of records"

    def runs(self, _suite: Suite, path: Path, context: PredictionContext) -> Sequence[SavedRun]:
        if records := recorded_in(path):
            root = _data(context)
            return [RecordedRun(as_text(f.name), f, root, context) for f in records]
        files = [path] if path.is_file() else sorted(f for p in _LINES for f in path.glob(p))
        return [_run(file, context) for file in files]


def _run(file: Path, context: PredictionContext) -> SavedRun:
    """A published file has `res` in its first line."""
    name = model_of(file).removesuffix(".json")
    method, model = context.setting, name
    if (named := _FILE.fullmatch(name)) and named["method"] in (*METHODS, *METHODS.values()):
        method, model = METHODS.get(named["method"], named["method"]), named["model"]
    first = b"" if file.suffix == ".gz" else first_line(file)
    if b'"res"' in first and b'"prediction"' not in first:
        return _Published(file, model, method, context)
    return LineRun(NAME, file, model, method, context)


@dataclass(frozen=True)
class _Published(SavedRun):
    """A file of the published layout; it travels to other processes as its path."""

    file: Path
    model: str
    setting: str
    context: PredictionContext

    def tasks(self) -> Sequence[str]:
        there = {sample.group for sample, _ in self._pairs()}
        return [group for group in GROUPS if group in there]

    def attempts(self, task: str) -> list[Attempt]:
        options = dict(self.context.options)
        samples = load(task, _data(self.context), self.setting, options)
        known = {sample.id: sample for sample in samples}
        pairs = ((known.get(sample.id), response) for sample, response in self._pairs())
        return [Attempt(sample, response) for sample, response in pairs if sample is not None]

    def _pairs(self) -> list[tuple[AgentSample, Response]]:
        """A whole run is read by its lines; part of one by id, which must not come twice then."""
        samples, rows = all_samples(_data(self.context)), _published_rows(self.file)
        if len(rows) > len(samples):
            raise DataError(f"{len(rows)} lines for {len(samples)} tasks", file=self.file)
        by_id: dict[str, list[_Row]] = {sample.id: [] for sample in samples}
        for number, row in enumerate(rows, start=1):
            if str(row.id) not in by_id:
                problem = f"there is no task {row.id}"
                raise DataError(problem, file=self.file, row=number, field="id")
            by_id[str(row.id)].append(row)
        if len(rows) == len(samples):
            pairs = zip(samples, rows, strict=True)
            return [(sample, _response(by_id[sample.id], row)) for sample, row in pairs]
        missing = [id_ for id_, own in by_id.items() if not own]
        if missing and not self.context.partial:
            raise DataError(
                f"no line for {len(missing)} of {len(samples)} tasks, the first of them "
                f"{missing[0]}; --partial scores what is there",
                file=self.file,
            )
        if twice := [row.id for row in rows if len(by_id[str(row.id)]) > 1]:
            raise DataError(f"the id {twice[0]} is there twice", file=self.file, field="id")
        answered = ((sample, by_id[sample.id]) for sample in samples if by_id[sample.id])
        return [(sample, _response(own, own[0])) for sample, own in answered]


def _response(own: Sequence[_Row], at_line: _Row) -> Response:
    """What a task got: by its id, and by its line where that is another row."""
    mine = at_line if at_line in own else next(iter(own), None)
    if mine is at_line and len(own) == 1:
        if mine.res == mine.summary == SILENCE:
            return Response(status=Status.FAILED, reason=f"the agent wrote {SILENCE!r}")
        return Response(Status.ANSWERED, text=write_reply(Reply(mine.res, mine.summary)))
    reply = Reply(
        answer=mine.res if mine else "",
        summary=mine.summary if mine else "",
        at_line=None if mine is at_line else Texts(at_line.res, at_line.summary),
        again=len(own) > 1,
    )
    return Response(Status.ANSWERED, text=write_reply(reply))


def _published_rows(file: Path) -> Sequence[_Row]:
    """The lines of a published run; a file that has not changed is read once."""
    with disk_errors(file):
        seen = file.stat()
    return _read_published(file, seen.st_mtime_ns, seen.st_size)


@lru_cache(maxsize=8)
def _read_published(file: Path, _changed: int, _size: int) -> Sequence[_Row]:
    return [row for _, row in read_lines(file, _Row)]


def _data(context: PredictionContext) -> Path:
    if context.data is None:
        raise UsageError(
            "the keys are in the data, and the pack 'legalagentbench' is not installed: "
            f"{repair(load_entry('legalagentbench'))}, or name a folder with --data"
        )
    return context.data


# --- any agent at the table: a seat for each task, and the records as a saved run ---


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
