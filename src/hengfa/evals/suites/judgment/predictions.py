"""Saved outputs to pairs of sample and response: upstream's `{id, document}`, or our own lines.

As in the published evaluator the ids must be those of the data, and of two lines with one id the
later counts (judgment.md 1). Files may be gzipped. Lines of `{task, id, prediction}` are read as
for every suite.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from hengfa.base.data.jsonfile import first_line, read_lines
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites.base import Attempt, PredictionContext, SavedRun, Suite
from hengfa.evals.suites.judgment.dataset import NAME, PACK, TASK, load
from hengfa.evals.suites.predictions import LineRun, model_of, without_data

_FILES: Final = ("*.jsonl", "*.jsonl.gz")
# The field of our own lines: '"prediction": '; not the value of another, nor words of a document
_OWN_LINE: Final = re.compile(rb'(?<!\\)"prediction"\s*:')


class _Row(msgspec.Struct, frozen=True):
    id: int | str
    document: str


class Outputs:
    """The output in a file, or those in the files of a folder; a file is named after its model."""

    expected = "<model>.jsonl of id and document"

    def runs(self, _suite: Suite, path: Path, context: PredictionContext) -> Sequence[SavedRun]:
        files = [path] if path.is_file() else sorted(f for p in _FILES for f in path.glob(p))
        return [
            LineRun(NAME, file, model_of(file), context.setting, context)
            if _OWN_LINE.search(first_line(file))
            else _Output(file, model_of(file), context.setting, context)
            for file in files
        ]


@dataclass(frozen=True)
class _Output(SavedRun):
    """A file of upstream's layout; it travels to other processes as its path."""

    file: Path
    model: str
    setting: str
    context: PredictionContext

    def tasks(self) -> Sequence[str]:
        return [TASK]

    def attempts(self, task: str) -> list[Attempt]:  # noqa: ARG002 - there is one
        if self.context.data is None:
            raise UsageError(without_data(PACK))
        samples = load(self.context.data, self.setting, dict(self.context.options))
        known = {sample.id: sample for sample in samples}
        documents = _documents(self.file)
        for id_, (row, _) in documents.items():
            if id_ not in known:
                raise DataError(f"there is no case {id_}", file=self.file, row=row, field="id")
        missing = [id_ for id_ in known if id_ not in documents]
        if missing and not self.context.partial:
            raise DataError(
                f"no document for {len(missing)} of {len(known)} cases, the first of them "
                f"{missing[0]}; --partial scores what is there",
                file=self.file,
            )
        # nobody knows what stood in the prompts of other people
        asked = (replace(known[id_], asked_with=None) for id_ in known if id_ in documents)
        return [Attempt(s, Response(Status.ANSWERED, documents[s.id][1])) for s in asked]


def _documents(file: Path) -> Mapping[str, tuple[int, str]]:
    """Row and document by id; a file that has not changed is read once."""
    with disk_errors(file):
        seen = file.stat()
    return _read_documents(file, seen.st_mtime_ns, seen.st_size)


@lru_cache(maxsize=8)
def _read_documents(file: Path, _changed: int, _size: int) -> Mapping[str, tuple[int, str]]:
    documents: dict[str, tuple[int, str]] = {}
    for number, row in read_lines(file, _Row, half_pairs=True):
        documents[str(row.id)] = (number, row.document)
    if not documents:
        raise DataError("there is nothing in this file", file=file)
    return documents
