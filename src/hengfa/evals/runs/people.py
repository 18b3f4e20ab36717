"""Answers of runs as they are put before people: under keys that tell no model.

Two runs may have the same answer to the same question, so a key is made of the run as well: of the
name of its folder, its model, and when it was begun. It is the same whichever runs are taken
together, since scores of people are put to what graders gave by it.

A pilot is a few responses of every kind, each of one model by chance. Of every stratum (a task, or
a scenario of it) the same share is drawn, and at least one sample; of the models that answered a
drawn sample, one. Both are decided by hashes of the seed with what is drawn from, so that the same
call draws the same, a larger share contains a smaller one, and another run leaves the samples as
they are. Whose each submission is stands in the key, a table that is kept from those who score.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from math import ceil
from pathlib import Path
from typing import Final

import msgspec

from hengfa.base.data.jsonfile import encode_json
from hengfa.base.data.output import whole_file
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.grading.marking import Choices, Way
from hengfa.evals.grading.people.score_table import (
    ScoreRow,
    csv_rows,
    format_csv,
    guarded,
    scores_of,
    unguarded,
)
from hengfa.evals.grading.submission import Submission
from hengfa.evals.runs.folder import Manifest, answer_statuses, read_manifest
from hengfa.evals.runs.grading import Grades, scored_by
from hengfa.evals.runs.score import scored_options, submissions_with_tasks

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


def candidates(folders: Sequence[Path], by: str | None = None) -> list[Candidate]:
    """What there is to score in runs; strata are those of the tasks, or the facet that is named."""
    every = [candidate for folder in folders for candidate in _candidates(folder, by)]
    keys: dict[str, Candidate] = {}
    asked: dict[tuple[str, str], Candidate] = {}
    for candidate in every:
        submission = candidate.submission
        if (other := keys.setdefault(submission.key, candidate)) is not candidate:
            problem = f"{candidate.run} and {other.run} are the same run"
            raise UsageError(f"{problem}: both have the answer {submission.key}")
        first = asked.setdefault((candidate.task, candidate.sample), candidate)
        if _question(submission) != _question(first.submission):
            problem = f"{candidate.task}/{candidate.sample} has another question or rubric in"
            raise UsageError(f"{problem} {candidate.run} than in {first.run}: take them apart")
    return every


def _candidates(folder: Path, by: str | None) -> Iterator[Candidate]:
    manifest = read_manifest(folder)
    origin, facets = _origin(folder, manifest), set[str]()
    for task, attempt, submission in submissions_with_tasks(folder, answer_statuses(folder)):
        kinds = task.facets(attempt.sample) if task.facets else {}
        facets |= kinds.keys()
        stratum = task.stratum(attempt.sample) if task.stratum else ""
        yield Candidate(
            submission=msgspec.structs.replace(submission, key=_blind(submission.key, origin)),
            model=manifest.model,
            run=folder.name,
            origin=origin,
            task=f"{manifest.suite}/{task.id}",
            stratum=stratum if by is None else kinds.get(by, ""),
            sample=attempt.sample.id,
        )
    if by is not None and by not in facets:
        there = ", ".join(sorted(facets)) or "none"
        raise UsageError(f"--by: no task in {folder} has the facet {by!r}; there is {there}")


def _question(submission: Submission) -> tuple[object, ...]:
    return submission.question, submission.reference, submission.rubric


def _origin(folder: Path, manifest: Manifest) -> str:
    """What makes a run this one, wherever it lies."""
    made = encode_json((folder.resolve().name, manifest.model, manifest.created))
    return hashlib.blake2b(made, digest_size=16).hexdigest()


def _blind(key: str, origin: str) -> str:
    digest = hashlib.blake2b(encode_json((key, origin)), digest_size=8).hexdigest()
    return f"{key.rpartition('@')[0]}@{digest}"


def blind_submissions(folders: Sequence[Path]) -> list[Submission]:
    """What there is to score in runs, of all of them in an order that tells nothing."""
    every = [candidate.submission for candidate in candidates(folders)]
    return sorted(every, key=lambda submission: submission.key) if len(folders) > 1 else every


def graded_scores(folders: Sequence[Path], graders: Sequence[str] = ()) -> list[ScoreRow]:
    """What graders gave the answers of runs, item by item; of all graders if none is named."""
    for folder in folders:
        there = [by.name for by in scored_by(folder) if by.graders and by.rule is None]
        if not there:
            advice = f"hengfa grade run {folder.name} --grader …"
            raise UsageError(f"{folder} was not graded yet: {advice}")
        for name in graders:
            if name not in there:
                by = ", ".join(there)
                raise UsageError(f"--grader: {folder} was graded by {by}, and not by {name!r}")
    return [row for folder in folders for row in _grader_scores(folder, frozenset(graders))]


def _grader_scores(folder: Path, wanted: frozenset[str]) -> Iterator[ScoreRow]:
    manifest, grades = read_manifest(folder), Grades(folder)
    origin = _origin(folder, manifest)
    choices = Choices(Way(scored_options(folder).get("marking", Way.PAPER)))
    for _, _, plain in submissions_with_tasks(folder, answer_statuses(folder)):
        submission = grades.with_screens(plain)
        blind = msgspec.structs.replace(submission, key=_blind(submission.key, origin))
        for grader, given in grades.gradings_of(submission).marks(choices):
            if not wanted or grader in wanted:
                yield from scores_of(blind, given, grader, manifest.model)


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
    columns = KEY_COLUMNS[1:]
    rows = [(one.submission.key, *(getattr(one, name) for name in columns)) for one in drawn]
    table = format_csv([KEY_COLUMNS, *([guarded(cell) for cell in row] for row in rows)])
    with ExitStack() as files:
        files.enter_context(whole_file(out)).write(lines)
        files.enter_context(whole_file(key)).write(table.encode())


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
