"""Asking a model which errors the answers of a run have, where their grades do not tell.

It is kept as graders are, in `errors/MODEL/` of the run; `errors.json` there says what was said of
each answer, with the words that show it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from hengfa.base.data.jsonfile import read_json, write_atomically
from hengfa.base.errors import EndpointDown, UsageError
from hengfa.base.progress import Notify, quiet
from hengfa.evals.engine.messages import Status, parse_key
from hengfa.evals.engine.session import Session
from hengfa.evals.grading.error_types import ErrorType
from hengfa.evals.grading.grader import ERRORS_VERSION, errors_in, errors_key, errors_request
from hengfa.evals.grading.rubric import Span
from hengfa.evals.grading.submission import Submission
from hengfa.evals.runs.folder import GRADER, JOURNAL, answer_statuses, read_manifest, safe_name
from hengfa.evals.runs.grading import (
    GraderChoice,
    GraderManifest,
    ask_one,
    check_screen,
    replies_in,
)
from hengfa.evals.runs.models import open_outside
from hengfa.evals.runs.score import submissions_of
from hengfa.evals.suites.registry import get_suite

ERRORS, ERRORS_FILE = "errors", "errors.json"


_Answers = dict[str, dict[str, dict[str, tuple[Span, ...] | None]]]
_Types = Mapping[str, Sequence[ErrorType]]


class AskedErrors(msgspec.Struct, frozen=True):
    """What a model said: by task, answer and type the words that show an error, none where it is
    absent; None where the reply shows nothing, and no answer of which it said nothing.

    Answers go by their sample, and `sample~2` for the second time that it was asked.
    """

    model: str
    answers: _Answers

    def value(self, task: str, sample: str, repeat: int, type_: str) -> float:
        """1, 0, or NaN where that is open."""
        spans = self.answers.get(task, {}).get(_name(sample, repeat), {}).get(type_)
        return math.nan if spans is None else float(bool(spans))

    def counts(self) -> Iterator[str]:
        """How many answers have which error, a line for each."""
        for task, answers in self.answers.items():
            for type_ in next(iter(answers.values()), ()):
                known = [of[type_] for of in answers.values() if of[type_] is not None]
                number = f"{sum(map(bool, known))} of {len(known)} answers"
                yield f"{self.model}, {task}, {type_}: {number}"


def read_asked(folder: Path) -> list[AskedErrors]:
    """All who were asked about a run."""
    files = sorted((folder / ERRORS).glob(f"*/{ERRORS_FILE}"))
    return [read_json(file, AskedErrors) for file in files]


def ask_errors(folder: Path, choice: GraderChoice, notify: Notify = quiet) -> AskedErrors:
    """Ask one model about every answer of a run; nothing is asked twice.

    It must be a model: no rule can tell what these types are about.
    """
    check_screen(choice.name, "--grader")
    types, submissions = _questions(folder, answer_statuses(folder))
    if not submissions:
        raise UsageError(f"{folder} has no answers with types of error to ask about")
    place = folder / ERRORS / safe_name(choice.name)
    model = open_outside(choice.name, choice.connection)

    async def ask(session: Session, submission: Submission) -> None:
        of_task = types[_place(submission)[0]]
        await session.ask(errors_request(submission, of_task, choice.options))

    tally = ask_one(place, model, submissions, ask, choice, ERRORS_VERSION, notify)
    if (failed := tally.statuses[Status.FAILED]) and failed == tally.statuses.total():
        raise EndpointDown(
            f"{choice.name} answered nothing: {tally.last_failure}. Check its name, its address "
            "and the key; the answers are kept"
        )
    errors = _write_errors(place, submissions, types, choice.name)
    count = sum(map(len, errors.answers.values()))
    notify(f"{choice.name}: of {count} of {len(submissions)} answers it said something that counts")
    return errors


def retell(folder: Path, accept: frozenset[Status]) -> None:
    """Write anew what the journals tell, once they hold more: after parts of a run are merged."""
    places = sorted(file.parent for file in (folder / ERRORS).glob(f"*/{GRADER}"))
    if places:
        types, submissions = _questions(folder, accept)
        for place in places:
            name = read_json(place / GRADER, GraderManifest).grader
            _write_errors(place, submissions, types, name)


def _questions(folder: Path, accept: frozenset[Status]) -> tuple[_Types, list[Submission]]:
    """By task the types of error to ask about, and the answers to tasks that have such."""
    tasks = get_suite(read_manifest(folder).suite).tasks
    types = {
        id_: [type_ for type_ in task.errors if type_.decide is None] for id_, task in tasks.items()
    }
    answers = submissions_of(folder, accept)
    return types, [answer for answer in answers if types.get(_place(answer)[0])]


def _name(sample: str, repeat: int) -> str:
    return sample if repeat == 1 else f"{sample}~{repeat}"


def _place(submission: Submission) -> tuple[str, str]:
    """Task and name of an answer, from suite/task/setting/sample@hash."""
    key = submission.key.rpartition("@")[0]
    parts = parse_key(key)
    if parts is None:
        raise ValueError(f"{key!r} is no key of a question")
    return parts.task, _name(key.split("/", 3)[-1], parts.repeat)


def _write_errors(
    place: Path, submissions: Sequence[Submission], types: _Types, name: str
) -> AskedErrors:
    """What the journal says of each answer, also written beside it."""
    replies = replies_in(place / JOURNAL)
    answers: _Answers = {}
    for submission in submissions:
        task, sample = _place(submission)
        errors_of = errors_in(submission, types[task], replies.get(errors_key(submission)))
        if errors_of is not None:
            answers.setdefault(task, {})[sample] = dict(errors_of)
    errors = AskedErrors(name, answers)
    write_atomically(place / ERRORS_FILE, msgspec.json.encode(errors) + b"\n")
    return errors
