"""What an expert says about responses, kept change by change before the page hears "saved".

A change holds the whole new state of one item or fault, so that sending it twice does no harm and
the last one stands. The notebook has one line per change; the score table is written anew from it
after every change. Each rater has a notebook; several may share one table, where each replaces only
the rows that are theirs.
"""

from __future__ import annotations

import hashlib
import random
import zlib
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Final

import msgspec
from filelock import FileLock, Timeout

from hengfa.base.data.appended import Appended
from hengfa.base.data.jsonfile import json_decoder
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import JournalError, RunLocked, UsageError
from hengfa.evals.grading.people.score_table import (
    ScoreRow,
    mark_of_person,
    read_scores,
    scores_of_person,
    write_scores,
)
from hengfa.evals.grading.rubric import Deduction, Gate, Mark, Penalty
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import Award, Fault, Verdict

_LONGEST_COMMENT: Final = 10_000
_MOST_EVIDENCE: Final = 50
_MOST_TIMES: Final = 99


class ItemAnswer(msgspec.Struct, frozen=True, tag="item", forbid_unknown_fields=True):
    """An item as it now stands; without points it is not scored, whatever else is said of it."""

    id: str
    points: float | None = None
    level: str = ""
    evidence: tuple[str, ...] = ()
    comment: str = ""


class FaultAnswer(msgspec.Struct, frozen=True, tag="fault", forbid_unknown_fields=True):
    """A deduction, gate or penalty as it now stands: how often it applies, 0 for not at all."""

    id: str
    times: int = 0
    points: float | None = None


Answer = ItemAnswer | FaultAnswer


class Answers(msgspec.Struct):
    """All that one rater has said about one submission."""

    items: dict[str, ItemAnswer] = {}
    faults: dict[str, FaultAnswer] = {}

    def put(self, answer: Answer) -> None:
        if isinstance(answer, ItemAnswer):
            self.items[answer.id] = answer
        else:
            self.faults[answer.id] = answer

    def is_complete(self, submission: Submission) -> bool:
        scored = {answer.id for answer in self.items.values() if answer.points is not None}
        return all(item.id in scored for item in submission.rubric.items())

    def verdict(self) -> Verdict:
        """As a grader would report it; items without points are left out."""
        awards = tuple(
            Award(answer.id, answer.points, answer.evidence, answer.comment, answer.level)
            for answer in self.items.values()
            if answer.points is not None
        )
        ticked = (answer for answer in self.faults.values() if answer.times)
        return Verdict(awards, tuple(Fault(one.id, one.times, one.points) for one in ticked))


class NotAccepted(ValueError):
    """An answer that the rubric or the response does not allow, and why."""


def check(answer: Answer, submission: Submission) -> None:
    """Refuse what cannot be: the page would not send it, but somebody else might."""
    if isinstance(answer, FaultAnswer):
        _check_fault(answer, submission)
        return
    item = {item.id: item for item in submission.rubric.items()}.get(answer.id)
    if item is None:
        raise NotAccepted(f"no item {answer.id!r}")
    points = answer.points
    if points is not None and not (isfinite(points) and 0 <= points <= item.maximum):
        raise NotAccepted(f"{points} is not from 0 to {item.maximum:g}")
    if item.levels and points is not None:
        worth = {level.name: level.points for level in item.levels}
        if worth.get(answer.level) != points:
            raise NotAccepted(f"{answer.level!r} is no level worth {points:g}")
    elif answer.level:
        raise NotAccepted("the item has no levels, or no points were given")
    if len(answer.comment) > _LONGEST_COMMENT or len(answer.evidence) > _MOST_EVIDENCE:
        raise NotAccepted("too long")
    if not all(words and words in submission.response for words in answer.evidence):
        raise NotAccepted("evidence that is not in the response")


def _check_fault(answer: FaultAnswer, submission: Submission) -> None:
    fault = {fault.id: fault for fault in submission.rubric.faults()}.get(answer.id)
    if fault is None:
        raise NotAccepted(f"no deduction, gate or penalty {answer.id!r}")
    if not 0 <= answer.times <= most_times(fault):
        raise NotAccepted(f"{answer.times} times is not from 0 to {most_times(fault)}")
    if answer.points is not None:
        most = fault.most if isinstance(fault, Deduction) else None
        if isinstance(fault, Gate) or most is None or not fault.points <= answer.points <= most:
            raise NotAccepted(f"{answer.points} is outside the range of the deduction")


def most_times(fault: Deduction | Gate | Penalty) -> int:
    """How often it can apply."""
    if isinstance(fault, Deduction):
        return _MOST_TIMES if fault.each else 1
    if isinstance(fault, Penalty) and not fault.all:
        return _MOST_TIMES if fault.times is None else fault.times
    return 1


class Line(msgspec.Struct, frozen=True):
    """One change. ``of`` is a hash of what was looked at: scores of another text are not its."""

    submission: str
    of: str
    answer: Answer


_decode = json_decoder(Line)


class Notebook:
    """One rater's answers to submissions in this rater's own order."""

    def __init__(self, submissions: Sequence[Submission], table: Path, rater: str) -> None:
        if not rater.strip():
            raise UsageError("--rater: a name is needed, to tell raters apart")
        self.rater = rater
        self.table = table
        self.submissions = blind_order(submissions, rater)
        self.answers = [Answers() for _ in self.submissions]
        self.notices: list[str] = []
        self.last: int | None = None  # where the last change was made
        self._place = {submission.key: number for number, submission in enumerate(self.submissions)}
        seen = [(of.question, of.response, of.rubric) for of in self.submissions]
        self._hashes = [hashlib.sha256(msgspec.json.encode(one)).hexdigest()[:16] for one in seen]
        self._rows: dict[int, list[ScoreRow]] = {}
        self.path = table.with_name(f"{table.stem}.{_file_part(rater)}.journal.jsonl")
        with disk_errors(table):
            table.parent.mkdir(parents=True, exist_ok=True)
        before = self._table_rows()  # what is there and no score table is refused here
        self._lock = FileLock(self.path.with_suffix(".lock"), blocking=False)
        try:
            self._lock.acquire()
        except Timeout:
            problem = f"{self.path}: {rater} is scoring in another window of this machine already"
            raise RunLocked(problem) from None
        try:
            self._file = Appended(self.path, _decode, "remove it, or name another file with -o")
            self._read()
            if self._rows:
                self._write_table()
            own = any(row.rater == rater and row.points is not None for row in before)
            if own and self._file.is_empty():
                problem = f"{table} has scores of {rater} that were not given on this page"
                raise UsageError(f"{problem} and would be replaced: name another table with -o")
        except BaseException:
            self._lock.release()
            raise

    def close(self) -> None:
        self._file.close()
        self._lock.release()

    def put(self, number: int, answer: Answer) -> Mark:
        """Keep one change; when this returns it is on disk, and the table has it."""
        check(answer, self.submissions[number])
        line = Line(self.submissions[number].key, self._hashes[number], answer)
        with disk_errors(self.path):
            self._file.append(msgspec.json.encode(line) + b"\n")
            self._file.flush()
        self.answers[number].put(answer)
        self.last = number
        self._rows[number] = self._rows_of(number)
        self._write_table()
        return self.mark(number)

    def mark(self, number: int) -> Mark:
        """What a submission has come to so far."""
        return mark_of_person(self.submissions[number], self.answers[number].verdict())

    def start(self) -> int:
        """Where to go on: at the last change if that is unfinished, else at the first gap."""
        answered = enumerate(zip(self.answers, self.submissions, strict=True))
        unfinished = [number for number, (said, of) in answered if not said.is_complete(of)]
        if self.last in unfinished:
            return self.last
        return unfinished[0] if unfinished else 0

    def _rows_of(self, number: int) -> list[ScoreRow]:
        verdict = self.answers[number].verdict()
        return list(scores_of_person(self.submissions[number], verdict, self.rater))

    def _read(self) -> None:
        gone = set()
        for place, line in self._file:
            number = self._place.get(line.submission)
            if number is None:
                gone.add(line.submission)
            elif line.of != self._hashes[number]:
                problem = f"{line.submission} has another response or rubric now than when it was"
                where = f"{self.path}, line {place.line}"
                raise JournalError(f"{where}: {problem} scored; name another file with -o")
            else:
                self.answers[number].put(line.answer)
                self.last = number
        self.notices += self._file.notices
        for number, answers in enumerate(self.answers):
            if answers.items or answers.faults:
                self._rows[number] = self._rows_of(number)
        if gone:
            problem = f"{len(gone)} scored submissions are not in this file, such as {min(gone)}"
            self.notices.append(f"{self.path}: {problem}; the table leaves them out")

    def _write_table(self) -> None:
        """This rater's rows in place of those that were there; other raters' as they are."""
        rows = [row for number in sorted(self._rows) for row in self._rows[number]]
        rows = [row for row in rows if row.points is not None]
        with FileLock(self.table.with_name(f".{self.table.name}.lock")):
            others = [row for row in self._table_rows() if row.rater != self.rater]
            write_scores(self.table, [*others, *rows])

    def _table_rows(self) -> list[ScoreRow]:
        if not self.table.exists() or not self.table.stat().st_size:
            return []
        return read_scores(self.table, empty=True)


def blind_order(submissions: Sequence[Submission], rater: str) -> list[Submission]:
    """An order that tells nothing of where a response comes from, and is each rater's own. It
    depends on the rater and the keys alone, so that a restart goes on in the same order."""
    ordered = sorted(submissions, key=lambda submission: submission.key)
    random.Random(hashlib.sha256(rater.encode()).digest()).shuffle(ordered)
    return ordered


def _file_part(rater: str) -> str:
    """A rater as a part of a file name; two raters never share one."""
    plain = "".join(c if c.isalnum() or c in "-_" else "_" for c in rater)[:40]
    return plain if plain == rater else f"{plain}-{zlib.crc32(rater.encode()):08x}"
