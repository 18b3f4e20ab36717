"""Answers of runs as they are put before people: under keys that tell no model.

Two runs may have the same answer to the same question, so a key is made of the run as well: of the
name of its folder, its model, and when it was begun. It is the same whichever runs are taken
together, since scores of people are put to what graders gave by it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from hengfa.base.data.jsonfile import encode_json
from hengfa.base.errors import UsageError
from hengfa.evals.grading.marking import Choices
from hengfa.evals.grading.order import Way
from hengfa.evals.grading.people.pilot import Candidate
from hengfa.evals.grading.people.score_table import Score, scores_of
from hengfa.evals.grading.submission import Submission
from hengfa.evals.runs.folder import Manifest, accepted, read_manifest
from hengfa.evals.runs.grading import Grades, scored_by
from hengfa.evals.runs.score import scored_options, submitted


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
        if _asked(submission) != _asked(first.submission):
            problem = f"{candidate.task}/{candidate.sample} has another question or rubric in"
            raise UsageError(f"{problem} {candidate.run} than in {first.run}: take them apart")
    return every


def _candidates(folder: Path, by: str | None) -> Iterator[Candidate]:
    manifest = read_manifest(folder)
    origin, facets = _origin(folder, manifest), set[str]()
    for task, attempt, submission in submitted(folder, accepted(folder)):
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


def _asked(submission: Submission) -> tuple[object, ...]:
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


def graded_scores(folders: Sequence[Path], graders: Sequence[str] = ()) -> list[Score]:
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
    return [row for folder in folders for row in _graded(folder, frozenset(graders))]


def _graded(folder: Path, wanted: frozenset[str]) -> Iterator[Score]:
    manifest, grades = read_manifest(folder), Grades(folder)
    origin = _origin(folder, manifest)
    choices = Choices(Way(scored_options(folder).get("marking", Way.PAPER)))
    for _, _, plain in submitted(folder, accepted(folder)):
        submission = grades.screened(plain)
        blind = msgspec.structs.replace(submission, key=_blind(submission.key, origin))
        for grader, given in grades.graded(submission).marks(choices):
            if not wanted or grader in wanted:
                yield from scores_of(blind, given, grader, manifest.model)
