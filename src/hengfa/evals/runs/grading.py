"""Asking graders about responses, and reading back what they said.

runs/plawbench-…/                    a run, or a folder of anybody's responses and rubric
  submissions.jsonl                  what was graded with its rubric, where there is no run
  grades/deepseek_deepseek-chat/
    grader.json                      who was asked, and how
    journal.jsonl                    every reply
  grades/median_of_…/
    panel.json                       a panel: of whom, and by which rule they make one mark
  screens/qwen_qwen-turbo/           the same of who was asked whether responses talk to graders

Every grader has a score of its own, and so has every panel that was asked for; no grader that is
asked later changes any of them.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import count
from math import fsum
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

import hengfa
from hengfa.base.data.jsonfile import encode_json, read_json, write_lines
from hengfa.base.errors import EndpointDown, JournalError, Ungraded, UsageError
from hengfa.base.progress import Notify, quiet
from hengfa.base.statistics.evidence import Mean, mean, of_sums
from hengfa.evals.engine.messages import Model, Options, Response, Status
from hengfa.evals.engine.session import Session, Sitting, Tally, check_limits, run_to_end, sit
from hengfa.evals.grading.graded import Agreement, GradedResponse, Grading, How, pairwise
from hengfa.evals.grading.grader import (
    SCREEN_VERSION,
    addressed,
    grade,
    screen_key,
    screen_request,
    sheet_from,
)
from hengfa.evals.grading.marking import Choices, mark
from hengfa.evals.grading.rubric import Mark, earns_all
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import PROMPT_VERSION
from hengfa.evals.results.figures import Band
from hengfa.evals.runs.folder import (
    GRADER,
    GRADES,
    JOURNAL,
    PANEL,
    entries_in,
    move_aside,
    run_of,
    safe_name,
    write_facts,
)
from hengfa.evals.runs.models import (
    GRADER_ADDRESS,
    GRADER_ENDPOINT_FORMS,
    OUTSIDE,
    Connection,
    check_name,
    open_outside,
)
from hengfa.evals.suites.base import Attempt
from hengfa.evals.suites.builtin import BuiltIn

KEYWORDS, NAIVE = "keywords", "naive"
BUILT_IN: Final = (KEYWORDS, NAIVE)
GRADER_FORMS: Final = f"""\
keywords                         looks for words, built in, offline: a rule, not a judgement
naive                            obeys what a response tells it, built in: for demonstrations
{GRADER_ENDPOINT_FORMS}"""
_STEPS: Final = ("grade", "repair", "again")
LEAST_OF_PANEL: Final = 2
_LONGEST: Final = 200
"""Bytes of a name that every file system takes."""


def open_grader(name: str, submissions: Sequence[Submission], connection: Connection) -> Model:
    """The grader a user named; the built-in ones know their replies to these submissions."""
    check_grader(name)
    if name not in BUILT_IN:
        return open_outside(name, connection)
    reply = _replies(name, submissions)
    said = {submission.key: reply(submission) for submission in submissions}
    return BuiltIn(name, {f"{key}#{step}": said[key] for key in said for step in _STEPS})


def check_grader(name: str) -> None:
    """Refuse a name that means no grader, before anything else is done."""
    check_name(name, option="--grader", built_in=BUILT_IN, kinds=OUTSIDE, forms=GRADER_FORMS)


def check_screen(name: str, option: str = "--screen") -> None:
    """Refuse a name that means no model: a rule cannot tell what a sentence wants, nor errors."""
    check_name(name, option=option, built_in=(), kinds=OUTSIDE, forms=GRADER_ENDPOINT_FORMS)


def _replies(name: str, submissions: Sequence[Submission]) -> Callable[[Submission], str]:
    # Imported here: segmentation needs a moment to load its dictionary.
    from hengfa.evals.grading.keywords import keyword_reply  # noqa: PLC0415

    if name == KEYWORDS:
        return keyword_reply
    from hengfa.evals.grading.attacks import attacks_in, obey  # noqa: PLC0415

    attacks = attacks_in(submissions)
    return lambda submission: (
        obey(attacks[submission.key]) if submission.key in attacks else keyword_reply(submission)
    )


SCREENS: Final = "screens"
Submitting = Callable[[Any, str], Submission]
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
        fields = ("grader", "options", "prompt")
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in fields}
        return [f"{name}: {one} → {two}" for name, (one, two) in pairs.items() if one != two]


@dataclass(frozen=True, slots=True)
class GraderChoice:
    """A grader that a user named, and how it is asked: apart from the model that it grades.

    It is asked about each response `repeats` times, to see how far it agrees with itself. One that
    `screens` gives no points: it is asked whether a response talks to its grader.
    """

    name: str
    connection: Connection = field(default_factory=Connection)
    options: Options = field(default_factory=lambda: Options(temperature=0.0))
    sitting: Sitting = field(default_factory=Sitting)
    anew: bool = False
    screens: bool = False
    repeats: int = 1


def again(submission: Submission, repeat: int) -> Submission:
    """The submission under the key by which a grader is asked about it again."""
    if repeat == 1:
        return submission
    return msgspec.structs.replace(submission, key=f"{submission.key}~{repeat}")


def grade_submissions(
    folder: Path, submissions: Sequence[Submission], choice: GraderChoice, notify: Notify = quiet
) -> Tally:
    """Ask one grader about submissions, into its folder below `folder`; nothing is asked twice."""
    if choice.screens:
        check_screen(choice.name)
    repeats = range(1, (1 if choice.screens else choice.repeats) + 1)
    submissions = [again(submission, repeat) for repeat in repeats for submission in submissions]
    model = open_grader(choice.name, submissions, choice.connection)
    place = grades_folder(folder, choice)

    async def grade_submission(session: Session, submission: Submission) -> None:
        if choice.screens:
            await session.ask(screen_request(submission, choice.options))
        else:
            knows = None if choice.name in BUILT_IN else session.knows
            await grade(
                session.ask, submission, grader=choice.name, options=choice.options, knows=knows
            )

    tally = ask_one(place, model, submissions, grade_submission, choice, prompt_of(choice), notify)
    if (failed := tally.statuses[Status.FAILED]) and failed == tally.statuses.total():
        raise EndpointDown(
            f"the grader {choice.name} answered nothing: {tally.last_failure}. Check its name, its "
            "address and the key; the answers under grading are kept"
        )
    if choice.screens:
        notify(_screening(place / JOURNAL, submissions, choice.name))
    return tally


def ask_one(
    place: Path,
    model: Model,
    submissions: Sequence[Submission],
    ask: Callable[[Session, Submission], Awaitable[None]],
    choice: GraderChoice,
    prompt: str,
    notify: Notify,
) -> Tally:
    """Ask one model about submissions; its folder says who it is, and has every reply.

    If it is asked anew, what is there is put aside.
    """
    check_limits(choice.sitting, model)
    if choice.anew and place.exists():
        move_aside(place)
    if not asked_before(place, choice, prompt):
        write_facts(place / GRADER, _manifest(choice, model.address, prompt))
    sitting, journal = choice.sitting, place / JOURNAL
    total = len(submissions)
    return run_to_end(
        sit(model, journal, submissions, ask, total=total, sitting=sitting, notify=notify)
    )


def mark_variants(
    folder: Path, variants: Sequence[Submission], choice: GraderChoice, notify: Notify = quiet
) -> dict[str, Mark]:
    """The mark of every variant of a submission by its key: attacked ones, and those of probes."""
    grade_submissions(folder, variants, choice, notify)
    say = replies_in(grades_folder(folder, choice) / JOURNAL).get
    return {one.key: mark(one, sheet_from(choice.name, one, say)) for one in variants}


def _screening(journal: Path, submissions: Sequence[Submission], name: str) -> str:
    """What a screening model found, in a sentence."""
    replies = replies_in(journal)
    read = [addressed(one, replies.get(screen_key(one))) for one in submissions]
    unread, talking = sum(spans is None for spans in read), sum(map(bool, read))
    told = f"; of {unread} it said nothing that counts" if unread else ""
    return f"{name}: {talking} of {len(read)} responses talk to their grader{told}"


def grades_folder(folder: Path, choice: GraderChoice) -> Path:
    """Where what a grader says is kept."""
    return folder / (SCREENS if choice.screens else GRADES) / safe_name(choice.name)


def mending(scored: Path) -> str:
    """The command that asks again what the graders of these scores left open."""
    run = run_of(scored)
    command = ["hengfa", "grade", "run", str(run)]
    by = next((one for one in scored_by(run) if one.folder == scored), None)
    for file in _graders(run):
        manifest = read_json(file, GraderManifest)
        if by is not None and manifest.grader in by.graders:
            command += ["--grader", manifest.grader]
            if manifest.grader.startswith("endpoint:") and manifest.address:
                command += [GRADER_ADDRESS, manifest.address]
            if manifest.options.max_new_tokens is not None:
                command += ["--grader-max-new-tokens", str(manifest.options.max_new_tokens)]
    return shlex.join(command)


def prompt_of(choice: GraderChoice) -> str:
    """The version of what a grader is asked."""
    return SCREEN_VERSION if choice.screens else PROMPT_VERSION


def asked_before(place: Path, choice: GraderChoice, prompt: str) -> bool:
    """Whether the grader was asked here already; an error if it was asked otherwise."""
    if not (place / GRADER).is_file():
        return False
    now = _manifest(choice, "", prompt)
    if differences := read_json(place / GRADER, GraderManifest).differences(now):
        raise JournalError(
            f"{place}: this grader was asked otherwise before ({'; '.join(differences)}). "
            "Use --regrade to ask it anew (the old grades are kept aside)"
        )
    return True


def same_grader(places: Sequence[Path]) -> None:
    """An error unless the grader of all these folders was asked alike."""
    first, *others = places
    for other in others:
        before, now = (read_json(place / GRADER, GraderManifest) for place in (first, other))
        if differences := before.differences(now):
            otherwise = f"this grader was asked otherwise than in {first}"
            raise JournalError(f"{other}: {otherwise} ({'; '.join(differences)})")


def _manifest(choice: GraderChoice, address: str, prompt: str) -> GraderManifest:
    now, version = datetime.now(UTC).isoformat(timespec="seconds"), hengfa.__version__
    return GraderManifest(choice.name, address, choice.options, prompt, now, version)


def submission_of(submitting: Submitting, key: str, attempt: Attempt) -> Submission:
    """What of a response is graded. Its key holds a hash of it: another answer has other grades."""
    made = submitting(attempt.sample, attempt.response.text)
    seen = encode_json((made.question, made.response, made.reference, made.rubric.as_graded()))
    digest = hashlib.blake2b(seen, digest_size=6).hexdigest()
    return msgspec.structs.replace(made, key=f"{key}@{digest}")


class PanelManifest(msgspec.Struct, frozen=True):
    """A panel: its graders, who stay the same whoever is asked later, and their rule."""

    rule: How
    graders: tuple[str, ...]
    created: str
    hengfa: str


def panel_name(rule: How, graders: Sequence[str]) -> str:
    """A panel as people read it."""
    return f"{rule} of {', '.join(graders)}"


def members(rule: How, choices: Sequence[GraderChoice]) -> list[str]:
    """The graders of a panel, in an order that does not depend on how they were named."""
    graders = sorted({choice.name for choice in choices if not choice.screens})
    if len(graders) < LEAST_OF_PANEL:
        raise UsageError(f"--panel {rule}: a panel needs two graders or more; --grader names them")
    return graders


def keep_panel(folder: Path, rule: How, graders: Sequence[str]) -> None:
    """Remember a panel, so that it is scored whenever its run is."""
    name = panel_name(rule, graders)
    place = folder / GRADES / safe_name(name)
    if len(place.name.encode()) > _LONGEST:
        digest = hashlib.blake2b(name.encode(), digest_size=6).hexdigest()
        place = place.with_name(f"{rule}_of_{len(graders)}_{digest}")
    if not (place / PANEL).is_file():
        now = datetime.now(UTC).isoformat(timespec="seconds")
        manifest = PanelManifest(rule, tuple(graders), now, hengfa.__version__)
        write_facts(place / PANEL, manifest)


class ScoredBy(NamedTuple):
    """Whose score it is: a grader's, or that of a panel by its rule; and where it is kept.

    Without graders it is nobody's, and kept in the run's own folder.
    """

    name: str
    folder: Path
    graders: tuple[str, ...] = ()
    rule: How | None = None

    def of(self, attempt: Attempt) -> Attempt:
        """An attempt with what these graders said of it."""
        graded = attempt.graded
        if graded is None:
            return attempt
        return attempt._replace(graded=graded.by(self.graders, self.rule))


def scored_by(run: Path) -> list[ScoredBy]:
    """The scores that a run has: one for each grader and each panel, or its only one."""
    graders = [
        ScoredBy(name := read_json(file, GraderManifest).grader, file.parent, (name,))
        for file in _graders(run)
    ]
    panels = [
        ScoredBy(panel_name(panel.rule, panel.graders), file.parent, panel.graders, panel.rule)
        for file in sorted((run / GRADES).glob(f"*/{PANEL}"))
        for panel in [read_json(file, PanelManifest)]
    ]
    return [*graders, *panels] or [ScoredBy("", run)]


def _graders(folder: Path, kind: str = GRADES) -> Iterator[Path]:
    yield from sorted((folder / kind).glob(f"*/{GRADER}"))


def replies_in(journal: Path) -> dict[str, Response]:
    """The replies that a journal keeps, by key; none where there is no journal."""
    return {key: entry.response for key, entry in entries_in(journal).items()}


class Grades:
    """What all graders said of a run's responses."""

    def __init__(self, folder: Path) -> None:
        self._replies: dict[str, Mapping[str, Response]] = {}
        self._manifests: dict[str, GraderManifest] = {}
        for file in _graders(folder):
            manifest = read_json(file, GraderManifest)
            self._manifests[manifest.grader] = manifest
            self._replies[manifest.grader] = replies_in(file.with_name(JOURNAL))
        screens = list(_graders(folder, SCREENS))
        self._screens = [replies_in(file.with_name(JOURNAL)) for file in screens]
        self._screened_by = [read_json(file, GraderManifest).grader for file in screens]

    def __bool__(self) -> bool:
        """Whether anybody was asked."""
        return bool(self._replies)

    def of(self, submitting: Submitting, key: str, attempt: Attempt) -> GradedResponse:
        """What those who were asked about a response said of it."""
        submission = self.with_screens(submission_of(submitting, key, attempt))
        return self.gradings_of(submission) if attempt.response.text else GradedResponse(submission)

    def with_screens(self, submission: Submission) -> Submission:
        """The submission with what screening models found in it; itself where none was asked."""
        key = screen_key(submission)
        places = (addressed(submission, said.get(key)) or () for said in self._screens)
        spans = tuple(span for found in places for span in found)
        return msgspec.structs.replace(submission, addressed=spans) if spans else submission

    def gradings_of(self, submission: Submission) -> GradedResponse:
        """What each grader said of a submission, as often as it was asked."""
        given: dict[str, list[Grading]] = {}
        for grader, replies in self._replies.items():
            manifest, instrument = self._manifests[grader], ""
            given[grader] = []
            for repeat in count(1):
                sheet = sheet_from(grader, again(submission, repeat), replies.get, manifest.prompt)
                if not sheet.replies:
                    break
                instrument = instrument or self._instrument(manifest, submission)
                given[grader].append(Grading(submission, sheet, instrument))
        return GradedResponse(submission, given)

    def _instrument(self, manifest: GraderManifest, submission: Submission) -> str:
        rubric = encode_json(submission.rubric.as_graded())
        digest = hashlib.blake2b(rubric, digest_size=4).hexdigest()
        options = encode_json(manifest.options).decode()
        screened = f", screened by {', '.join(self._screened_by)}" if self._screened_by else ""
        return f"{manifest.grader}, prompt {manifest.prompt}, rubric {digest}, {options}{screened}"


def grades_version(folder: Path) -> int:
    """When grades were last written: what was read before that is not read again."""
    files = (*_graders(folder), *_graders(folder, SCREENS))
    journals = [file.with_name(JOURNAL) for file in files]
    return max((journal.stat().st_mtime_ns for journal in journals if journal.is_file()), default=0)


SUBMISSIONS = "submissions.jsonl"


@dataclass(frozen=True, slots=True)
class Marked:
    """A submission with its marks by each grader and by the panel: one for each time of asking."""

    submission: Submission
    marks: dict[str, tuple[Mark, ...]]

    def passes(self) -> dict[str, list[bool | None]]:
        """Whether each of the marks earns every critical item."""
        earns = partial(earns_all, self.submission.rubric, backed=True)
        return {scorer: [*map(earns, marks)] for scorer, marks in self.marks.items()}

    def as_json(self) -> dict[str, Any]:
        known = {"key": self.submission.key, "marks": self.marks, "all_pass": self.passes()}
        return {**known, "addressed": self.submission.addressed}


@dataclass(frozen=True, slots=True)
class Marking:
    """All of them, and the figures: points out of points, as everywhere.

    No paper says how the rubrics of users count, so an award without evidence that holds is nought.
    `graders` are those who were asked; `panel` is the name of their panel, where one is wanted.
    """

    marked: Sequence[Marked]
    graders: Sequence[str]
    panel: str | None = None

    @property
    def scorers(self) -> list[str]:
        """Those who have a score: graders, and the panel."""
        return [*self.graders, *([self.panel] if self.panel else [])]

    def rate(self, scorer: str, points: str = "backed") -> Mean | None:
        """Σ points / Σ maximum; ``points`` and ``lenient`` are the other two ways to count."""
        rows = [
            (fsum(getattr(mark, points) for mark in marks) / len(marks), marks[0].maximum)
            for marks in self._of(scorer)
        ]
        return of_sums(rows, lambda got, most: got / most if most else 0.0)

    def ungraded(self, scorer: str) -> float:
        """The share of items without an award."""
        marks = [mark for marks in self._of(scorer) for mark in marks]
        items = sum(len(mark.items()) for mark in marks)
        return sum(mark.ungraded for mark in marks) / items if items else 0.0

    def band(self, scorer: str) -> Band | None:
        """What the rate lies between where items have no award, from none of them to all of them
        earned; else None."""
        rates = [self.rate(scorer, points) for points in ("backed", "lenient", "points")]
        backed, lenient, awarded = (rate.value if rate else 0.0 for rate in rates)
        share = self.ungraded(scorer)
        return Band(backed, backed + lenient - awarded, share) if share else None

    def check(self, allowed: float) -> None:
        """An error where a grader left more open than is allowed; built-in ones are rules."""
        shares = {name: self.ungraded(name) for name in self.graders if name not in BUILT_IN}
        if left := [f"{name} {of * 100:.1f} %" for name, of in shares.items() if of > allowed]:
            raise Ungraded(f"ungraded: {', '.join(left)}; the same command asks again")

    def figures(self, scorer: str) -> dict[str, float | int | Band | None]:
        band = self.band(scorer)
        known = (self.rate(scorer), self.rate(scorer, "points"), self.all_pass(scorer))
        rate, awarded, all_pass = (None, None, None) if band else known
        return {
            "rate": rate and rate.value,
            "standard_error": rate and rate.standard_error,
            **({"band": band} if band else {}),
            "awarded_rate": awarded and awarded.value,
            "ungraded_rate": self.ungraded(scorer),
            "all_pass": all_pass and all_pass.value,
            "n": len(self._of(scorer)),
        }

    def all_pass(self, scorer: str) -> Mean | None:
        """The share of responses that earn every critical item; those left open are left out."""
        passes = (marked.passes().get(scorer, ()) for marked in self.marked)
        known = [[passed for passed in of if passed is not None] for of in passes]
        return mean([fsum(of) / len(of) for of in known if of])

    def as_json(self) -> dict[str, Any]:
        return {
            "graders": self.graders,
            "panel": self.panel,
            "figures": {scorer: self.figures(scorer) for scorer in self.scorers},
            "agreement": [
                {"graders": list(pair), **msgspec.structs.asdict(agreement)}
                for pair, agreement in self.agreement().items()
            ],
            "submissions": [marked.as_json() for marked in self.marked],
        }

    def agreement(self) -> dict[tuple[str, str], Agreement]:
        """How far each two graders agree, when first asked."""
        first: dict[str, dict[str, Mark]] = {}
        for name in self.graders:
            there = (marked for marked in self.marked if marked.marks[name])
            first[name] = {marked.submission.key: marked.marks[name][0] for marked in there}
        return pairwise(first)

    def _of(self, scorer: str) -> list[tuple[Mark, ...]]:
        return [marked.marks[scorer] for marked in self.marked if marked.marks[scorer]]


def grade_own(
    folder: Path,
    submissions: Sequence[Submission],
    graders: Sequence[GraderChoice],
    choices: Choices,
    rule: How | None = None,
    notify: Notify = quiet,
) -> Marking:
    """Ask every grader about every submission, then mark what was said; a rule makes a panel."""
    asked = [choice.name for choice in graders if not choice.screens]
    if not asked:
        raise UsageError("name who grades: --grader keywords, or a model such as --grader kimi:…")
    scorers: dict[str, tuple[list[str], How | None]] = {name: ([name], None) for name in asked}
    panel = None
    if rule is not None:
        several = members(rule, graders)
        panel = panel_name(rule, several)
        scorers[panel] = (several, rule)
    write_lines(folder / SUBMISSIONS, submissions)
    for choice in graders:
        grade_submissions(folder, submissions, choice, notify)
    grades = Grades(folder)
    marked = []
    for submission in map(grades.with_screens, submissions):
        graded = grades.gradings_of(submission)
        rounds = {name: graded.by(*by).rounds for name, by in scorers.items()}
        marks = {name: tuple(one.mark(choices) for one in of) for name, of in rounds.items()}
        marked.append(Marked(submission, marks))
    return Marking(marked, asked, panel)
