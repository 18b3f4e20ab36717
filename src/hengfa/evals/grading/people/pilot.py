"""Drawing a pilot: a few responses of every kind, each of one model by chance, for people to score.

Of every stratum (a task, or a scenario of it) the same share is drawn, and at least one sample; of
the models that answered a drawn sample, one. Both are decided by hashes of the seed with what is
drawn from, so that the same call draws the same, a larger share contains a smaller one, and another
run leaves the samples as they are.

Who scores gets the submissions, which are blind. Whose each of them is stands in the key, a table
of its own that is kept from them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from math import ceil
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.output import whole_file
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.evals.grading.people.score_table import csv_rows, format_csv, guarded, unguarded
from hengfa.evals.grading.submission import Submission

KEY_COLUMNS: Final = ("submission", "model", "run", "task", "stratum", "sample")


class Candidate(msgspec.Struct, frozen=True):
    """A response that may be drawn; ``origin`` tells the runs apart, whatever they are called."""

    submission: Submission
    model: str
    run: str
    origin: str
    task: str
    stratum: str
    sample: str


def draw(candidates: Sequence[Candidate], *, share: float, seed: int) -> list[Candidate]:
    """The share of the samples of every stratum, rounded up, with one of their responses each."""
    strata: dict[tuple[str, str], dict[str, list[Candidate]]] = {}
    for candidate in candidates:
        samples = strata.setdefault((candidate.task, candidate.stratum), {})
        samples.setdefault(candidate.sample, []).append(candidate)
    drawn = []
    for (task, _), samples in strata.items():
        ranked = sorted(samples, key=partial(_lot, seed, task))
        for sample in ranked[: ceil(round(share * len(samples), 9))]:
            answers = samples[sample]
            for kind in ("model", "origin"):  # who has several runs, or answers, is no likelier
                names = {getattr(answer, kind) for answer in answers}
                chosen = min(names, key=partial(_lot, seed, task, sample))
                answers = [answer for answer in answers if getattr(answer, kind) == chosen]
            drawn.append(min(answers, key=lambda answer: _lot(seed, answer.submission.key)))
    return sorted(drawn, key=lambda candidate: candidate.submission.key)


def _lot(seed: int, *names: str) -> bytes:
    return hashlib.blake2b(msgspec.json.encode((seed, names)), digest_size=16).digest()


def write_pilot(out: Path, key: Path, drawn: Sequence[Candidate]) -> None:
    """Both files, or none: each takes its name once both are on disk."""
    for file in (out, key):
        with disk_errors(file):
            file.parent.mkdir(parents=True, exist_ok=True)
    lines = b"".join(msgspec.json.encode(one.submission) + b"\n" for one in drawn)
    rows = [KEY_COLUMNS, *(_key_row(candidate) for candidate in drawn)]
    with ExitStack() as files:
        files.enter_context(whole_file(out)).write(lines)
        files.enter_context(whole_file(key)).write(format_csv(rows).encode())


def _key_row(candidate: Candidate) -> list[str]:
    cells = (candidate.submission.key, *(getattr(candidate, name) for name in KEY_COLUMNS[1:]))
    return [guarded(cell) for cell in cells]


def read_key(file: Path) -> dict[str, str]:
    """Submission to model, as a key has them."""
    rows = csv_rows(file)
    line, head = next(rows, (1, []))
    names = [name.strip().lower() for name in head]
    for name in ("submission", "model"):
        if name not in names:
            raise DataError(f"has no column {name!r}: it is no key", file=file, row=line)
    models: dict[str, str] = {}
    for line, cells in rows:
        said = dict(zip(names, map(unguarded, cells), strict=False))
        for name in ("submission", "model"):
            if not said.get(name, "").strip():
                raise DataError("is empty", file=file, row=line, field=name)
        if models.setdefault(said["submission"], said["model"]) != said["model"]:
            problem = f"{said['submission'][:80]!r} has another model above"
            raise DataError(problem, file=file, row=line, field="model")
    return models
