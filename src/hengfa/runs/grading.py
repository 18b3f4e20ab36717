"""Asking graders about responses, and reading back what they said.

runs/plawbench-…/                    a run, or a folder of anybody's responses and rubric
  submissions.jsonl                  what was graded with its rubric, where there is no run
  grades/deepseek_deepseek-chat/
    grader.json                      who was asked, and how
    journal.jsonl                    every reply
  screens/qwen_qwen-turbo/           the same of who was asked whether responses talk to graders
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

import hengfa
from hengfa.data.jsonfile import encode_json, read_json, write_atomically
from hengfa.engine.journal import newest_entries
from hengfa.engine.messages import Model, Options, Response, Status
from hengfa.engine.session import Session
from hengfa.engine.tally import Tally
from hengfa.errors import EndpointDown, JournalError, UsageError
from hengfa.grading.agreement import pairwise
from hengfa.grading.graded import GradedResponse
from hengfa.grading.grader import grade, sheet_from
from hengfa.grading.marking import Choices
from hengfa.grading.marks import Mark
from hengfa.grading.panel import How, combine
from hengfa.grading.screening import SCREEN_VERSION, addressed, screen_key, screen_request
from hengfa.grading.submission import Submission, write_submissions
from hengfa.grading.verdict import PROMPT_VERSION, Sheet
from hengfa.results.statistics.evidence import Mean, of_sums
from hengfa.runs.folder import JOURNAL, move_aside, safe_name
from hengfa.runs.models import ENDPOINT_FORMS, Connection, check_name, open_outside
from hengfa.runs.sitting import Notify, Sitting, check_limits, quiet, run_to_end, sit
from hengfa.suites.base import Attempt
from hengfa.suites.builtin import BuiltIn

KEYWORDS, NAIVE = "keywords", "naive"
BUILT_IN: Final = (KEYWORDS, NAIVE)
GRADER_FORMS: Final = f"""\
keywords                         looks for words, built in, offline: a rule, not a judgement
naive                            obeys what a response tells it, built in: for demonstrations
{ENDPOINT_FORMS}"""
_STEPS: Final = ("grade", "repair", "again")


def open_grader(name: str, submissions: Sequence[Submission], connection: Connection) -> Model:
    """The grader a user named; the built-in ones know their replies to these submissions."""
    check_grader(name)
    if name not in BUILT_IN:
        return open_outside(name, connection)
    reply = _replies(name, submissions)
    answers = {
        f"{submission.key}#{step}": said
        for submission, said in ((submission, reply(submission)) for submission in submissions)
        for step in _STEPS
    }
    return BuiltIn(name, answers)


def check_grader(name: str) -> None:
    """Refuse a name that means no grader, before anything else is done."""
    outside = ("replay", "inspect")
    check_name(name, option="--grader", built_in=BUILT_IN, kinds=outside, forms=GRADER_FORMS)


def check_screen(name: str) -> None:
    """Refuse a name that means no model: a rule cannot tell what a sentence wants."""
    kinds = ("replay", "inspect")
    check_name(name, option="--screen", built_in=(), kinds=kinds, forms=ENDPOINT_FORMS)


def _replies(name: str, submissions: Sequence[Submission]) -> Callable[[Submission], str]:
    # Imported here: segmentation needs a moment to load its dictionary.
    from hengfa.grading.keywords import keyword_reply  # noqa: PLC0415

    if name == KEYWORDS:
        return keyword_reply
    from hengfa.grading.attacks import obey, told  # noqa: PLC0415

    heard = told(submissions)
    return lambda submission: (
        obey(heard[submission.key]) if submission.key in heard else keyword_reply(submission)
    )


GRADES, GRADER, SCREENS = "grades", "grader.json", "screens"
Grading = Callable[[Any, str], Submission]
"""How a task makes a submission of a sample and the text of a response."""


class GraderManifest(msgspec.Struct, frozen=True):
    """Who graded, and how it was asked. Grades of one folder are all of one instrument."""

    grader: str
    address: str
    options: Options
    prompt: str
    created: str
    hengfa: str

    def differences(self, other: GraderManifest) -> list[str]:
        return [
            f"{name}: {getattr(self, name)} → {getattr(other, name)}"
            for name in ("grader", "options", "prompt")
            if getattr(self, name) != getattr(other, name)
        ]


@dataclass(frozen=True, slots=True)
class GraderChoice:
    """A grader that a user named, and how it is asked: apart from the model that it grades.

    One that `screens` gives no points: it is asked whether a response talks to its grader.
    """

    name: str
    connection: Connection = field(default_factory=Connection)
    options: Options = field(default_factory=lambda: Options(temperature=0.0))
    sitting: Sitting = field(default_factory=Sitting)
    anew: bool = False
    screens: bool = False


def grade_submissions(
    folder: Path, submissions: Sequence[Submission], choice: GraderChoice, notify: Notify = quiet
) -> Tally:
    """Ask one grader about submissions, into its folder below `folder`; nothing is asked twice."""
    if choice.screens:
        check_screen(choice.name)
    model = open_grader(choice.name, submissions, choice.connection)
    check_limits(choice.sitting, model)
    place = _open_grades(folder, model, choice)

    async def grade_submission(session: Session, submission: Submission) -> None:
        if choice.screens:
            await session.ask(screen_request(submission, choice.options))
        else:
            await grade(session.ask, submission, grader=choice.name, options=choice.options)

    tally = run_to_end(
        sit(
            model,
            place / JOURNAL,
            submissions,
            grade_submission,
            total=len(submissions),
            sitting=choice.sitting,
            notify=notify,
        )
    )
    if (failed := tally.statuses[Status.FAILED]) and failed == tally.statuses.total():
        raise EndpointDown(
            f"the grader {choice.name} answered nothing: {tally.last_failure}. Check its name, its "
            "address and the key; the answers under grading are kept"
        )
    if choice.screens:
        notify(_screening(place / JOURNAL, submissions, choice.name))
    return tally


def _screening(journal: Path, submissions: Sequence[Submission], name: str) -> str:
    """What a screening model found, in a sentence."""
    said = {entry.key: entry.response for entry in newest_entries(journal)}
    read = [addressed(submission, said.get(screen_key(submission))) for submission in submissions]
    unread = sum(spans is None for spans in read)
    talking = sum(bool(spans) for spans in read)
    return f"{name}: {talking} of {len(read)} responses talk to their grader" + (
        f"; of {unread} it said nothing that counts" if unread else ""
    )


def _open_grades(folder: Path, model: Model, choice: GraderChoice) -> Path:
    """The folder of a grader, made or checked; `anew` puts what is there aside."""
    place = folder / (SCREENS if choice.screens else GRADES) / safe_name(choice.name)
    manifest = GraderManifest(
        grader=choice.name,
        address=model.address,
        options=choice.options,
        prompt=SCREEN_VERSION if choice.screens else PROMPT_VERSION,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        hengfa=hengfa.__version__,
    )
    if choice.anew and place.exists():
        move_aside(place)
    if (place / GRADER).is_file():
        if differences := read_json(place / GRADER, GraderManifest).differences(manifest):
            raise JournalError(
                f"{place}: this grader was asked otherwise before ({'; '.join(differences)}). "
                "Use --regrade to ask it anew (the old grades are kept aside)"
            )
        return place
    place.mkdir(parents=True, exist_ok=True)
    content = msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
    write_atomically(place / GRADER, content)
    return place


def submission_of(grading: Grading, key: str, attempt: Attempt) -> Submission:
    """What of a response is graded. Its key holds a hash of it: another answer has other grades."""
    made = grading(attempt.sample, attempt.response.text)
    seen = encode_json((made.question, made.response, made.reference, made.rubric))
    digest = hashlib.blake2b(seen, digest_size=6).hexdigest()
    return msgspec.structs.replace(made, key=f"{key}@{digest}")


def graders_of(folder: Path) -> list[str]:
    """The graders that were asked about a run."""
    return [read_json(file, GraderManifest).grader for file in _graders(folder)]


def _graders(folder: Path, kind: str = GRADES) -> Iterator[Path]:
    yield from sorted((folder / kind).glob(f"*/{GRADER}"))


def _said(grader: Path) -> dict[str, Response]:
    """The replies that are kept beside the file of a grader, by key."""
    journal = grader.with_name(JOURNAL)
    entries = newest_entries(journal) if journal.is_file() else ()
    return {entry.key: entry.response for entry in entries}


class Grades:
    """What all graders said of a run's responses."""

    def __init__(self, folder: Path) -> None:
        self._replies: dict[str, Mapping[str, Response]] = {}
        self._prompts: dict[str, str] = {}
        for file in _graders(folder):
            manifest = read_json(file, GraderManifest)
            self._prompts[manifest.grader] = manifest.prompt
            self._replies[manifest.grader] = _said(file)
        self._screens = [_said(file) for file in _graders(folder, SCREENS)]

    def __bool__(self) -> bool:
        """Whether anybody was asked."""
        return bool(self._replies)

    def of(self, grading: Grading, key: str, attempt: Attempt) -> GradedResponse:
        """What those who were asked about a response said of it."""
        submission = self.screened(submission_of(grading, key, attempt))
        return GradedResponse(submission, self.sheets(submission) if attempt.response.text else ())

    def screened(self, submission: Submission) -> Submission:
        """The submission with what screening models found in it; itself where none was asked."""
        key = screen_key(submission)
        places = (addressed(submission, said.get(key)) or () for said in self._screens)
        spans = tuple(span for found in places for span in found)
        return msgspec.structs.replace(submission, addressed=spans) if spans else submission

    def sheets(self, submission: Submission) -> tuple[Sheet, ...]:
        """What each grader said of a submission; those who were not asked said nothing."""
        read = (
            sheet_from(grader, submission, replies.get, self._prompts[grader])
            for grader, replies in self._replies.items()
        )
        return tuple(sheet for sheet in read if sheet.replies)


def grades_version(folder: Path) -> int:
    """When grades were last written: what was read before that is not read again."""
    files = (*_graders(folder), *_graders(folder, SCREENS))
    journals = [file.with_name(JOURNAL) for file in files]
    return max((journal.stat().st_mtime_ns for journal in journals if journal.is_file()), default=0)


SUBMISSIONS = "submissions.jsonl"


@dataclass(frozen=True, slots=True)
class Marked:
    """A submission with each grader's mark, and the one that the panel comes to."""

    submission: Submission
    marks: dict[str, Mark]
    mark: Mark


@dataclass(frozen=True, slots=True)
class Marking:
    """All of them, and the figures: points out of points, as everywhere."""

    marked: Sequence[Marked]
    how: How

    @property
    def graders(self) -> list[str]:
        return list(dict.fromkeys(name for marked in self.marked for name in marked.marks))

    def rate(self, points: str = "points") -> Mean | None:
        """Σ points / Σ maximum; ``lenient`` and ``backed`` are the other two ways to count."""
        rows = [(getattr(marked.mark, points), marked.mark.maximum) for marked in self.marked]
        return of_sums(rows, lambda got, most: got / most if most else 0.0)

    def ungraded(self) -> float:
        items = sum(len(marked.mark.items()) for marked in self.marked)
        return sum(marked.mark.ungraded for marked in self.marked) / items if items else 0.0

    def as_json(self) -> dict[str, Any]:
        rate, lenient, backed = (self.rate(name) for name in ("points", "lenient", "backed"))
        by_grader = {
            name: {
                marked.submission.key: marked.marks[name]
                for marked in self.marked
                if name in marked.marks
            }
            for name in self.graders
        }
        return {
            "graders": self.graders,
            "panel": self.how,
            "figures": {
                "rate": rate and rate.value,
                "standard_error": rate and rate.standard_error,
                "lenient_rate": lenient and lenient.value,
                "backed_rate": backed and backed.value,
                "ungraded_rate": self.ungraded(),
                "n": len(self.marked),
            },
            "agreement": [
                {"graders": list(pair), **msgspec.structs.asdict(agreement)}
                for pair, agreement in pairwise(by_grader).items()
            ],
            "submissions": [
                {
                    "key": marked.submission.key,
                    "mark": marked.mark,
                    "marks": marked.marks,
                    "addressed": marked.submission.addressed,
                }
                for marked in self.marked
            ],
        }


def grade_own(
    folder: Path,
    submissions: Sequence[Submission],
    graders: Sequence[GraderChoice],
    choices: Choices,
    how: How,
    notify: Notify = quiet,
) -> Marking:
    """Ask every grader about every submission, then mark what was said."""
    asked = {choice.name for choice in graders if not choice.screens}
    if not asked:
        raise UsageError("name who grades: --grader keywords, or a model such as --grader kimi:…")
    write_submissions(folder / SUBMISSIONS, submissions)
    for choice in graders:
        grade_submissions(folder, submissions, choice, notify)
    grades = Grades(folder)
    marked = []
    for submission in map(grades.screened, submissions):
        sheets = [sheet for sheet in grades.sheets(submission) if sheet.grader in asked]
        marks = dict(GradedResponse(submission, sheets).marks(choices))
        marked.append(Marked(submission, marks, combine(list(marks.values()), how)))
    return Marking(marked, how)
