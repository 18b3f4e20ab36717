"""`citations_right`: the law that a response cites exists, was in force, is quoted right.

The answer key has the day of the case, by whose law citations are judged, and may have what should
be cited: then the score is the F1 of the two. Without it the score is the share of the citations
that are right, which one safe citation earns in full: a condition on other rewards rather than an
aim. The check is that of `hengfa cite check`: a citation that names its version is judged by that,
and what the library cannot say is not counted. Paid for is that the provision exists and was in
force, and that nothing is quoted or told otherwise than it says; what is told and not decided loses
nothing. The part `told_right` says of how much the content was verbatim or faithful.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from hengfa.base.data.jsonfile import encode_json
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites.base import AnswerStatus
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import Checked
from hengfa.law.library.names import find_law
from hengfa.law.library.store import Library
from hengfa.train.rewards.shapes import Marked, as_response, unanswered
from hengfa.train.rewards.tasks import key_decoder

if TYPE_CHECKING:
    from hengfa.train.rewards.named import Mark, Rewarder

_PAID: Final = frozenset({"right", "exists"})
_JUDGED: Final = _PAID | frozenset({"wording", "wrong", "unlike", "unclear"})
"""The statuses of citations that are right or are not; of the others nobody knows. A quotation of
which a word differs is not right: the word may be 不得."""


class CitationKey(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The day of the case; `expected` is a text that cites what should be cited, and `law` the law
    of citations that name none."""

    day: date
    expected: str = ""
    law: str = ""


def citation_key(day: date, expected: str = "", law: str = "") -> str:
    """The answer key of `citations_right`."""
    return encode_json(CitationKey(day, expected, law)).decode()


_decode_key = key_decoder(CitationKey)


class _Place(NamedTuple):
    """What is cited: the name of a law in full, and the position."""

    law: str
    position: str

    def covers(self, other: _Place) -> bool:
        """Whether the other is this, or a part of it: 第三条第一款 of 第三条; not 第三条之一."""
        at = other.position
        return self.law == other.law and (
            at == self.position or at.startswith(f"{self.position}第")
        )


def citations_right(rewarder: Rewarder) -> Mark:
    if rewarder.library is None:
        raise UsageError("citations_right needs a law library: rewarder(…, library=FILE)")
    library = rewarder.library

    def mark(key: str, said: str | Response) -> Marked:
        known, response = _decode_key(key), as_response(said)
        if response.status is not Status.ANSWERED:
            return unanswered(response)
        return _marked(library, known, response.text)

    return mark


def _marked(library: Path, key: CitationKey, text: str) -> Marked:
    cited: dict[tuple[str, ...], Checked] = {}
    for item in _own(library, key, text):  # the same words, as right or wrong as before, count once
        quoted = text[item.quotation.start : item.quotation.end] if item.quotation else ""
        cited[*_place(item), quoted, item.status] = item
    judged = [item for item in cited.values() if item.status in _JUDGED]
    parts = _parts(judged, len(cited))
    wanted = frozenset[_Place]()
    if key.expected:
        wanted = _expected_in(library, library.stat().st_mtime_ns, key)
    if not judged:
        unknown = bool(cited) and not wanted
        return Marked(
            Status.ANSWERED,
            None if unknown else 0.0,
            parts,
            str(AnswerStatus.ABSTAINED),
            "nothing that it cites is in this library" if unknown else "nothing is cited",
        )
    score = parts["right"]
    if wanted:
        parts["expected_f1"] = score = _f1(judged, wanted)
    return Marked(Status.ANSWERED, score, parts, str(AnswerStatus.EXTRACTED))


def _f1(judged: Iterable[Checked], wanted: frozenset[_Place]) -> float:
    """Of what is cited and what is expected. A place that is cited wrongly once is wrong; one that
    is more exact than expected is as good: 第三条第一款 for 第三条."""
    cited = {_place(item) for item in judged}
    right = cited - {_place(item) for item in judged if item.status not in _PAID}
    covered = {want for want in wanted if any(want.covers(at) for at in right)}
    more = {at for at in right if not any(want.covers(at) for want in wanted)}
    given = len(covered) + len(more) + len(cited - right)
    return 2 * len(covered) / (given + len(wanted))


def _parts(judged: Iterable[Checked], cited: int) -> dict[str, float | None]:
    """Shares of what was judged; None where there is nothing of that kind."""
    judged = list(judged)
    quoted = [item.quotation for item in judged if item.quotation is not None]
    return {
        "cited": float(cited),
        "judged": float(len(judged)),
        "right": _share(item.status in _PAID for item in judged),
        "exists": _share(item.exists == "yes" for item in judged),
        "in_force": _share(item.in_force == "yes" for item in judged),
        "told_right": _share(
            item.content in {"verbatim", "faithful"} for item in judged if item.content
        ),
        "quoted_right": _share(quotation.verdict == "exact" for quotation in quoted),
    }


def _share(values: Iterable[float]) -> float | None:
    counted = list(values)
    return sum(counted) / len(counted) if counted else None


def _place(item: Checked) -> _Place:
    return _Place(item.law or item.named or item.written, item.position)


def _own(library: Path, key: CitationKey, text: str) -> list[Checked]:
    checker = _checker(library, library.stat().st_mtime_ns, threading.get_ident())
    law = find_law(checker.library, key.law) if key.law else None
    report = checker.check(text, as_of=key.day, law=law)
    return [item for item in report.citations if not item.inside]


@lru_cache(maxsize=4096)
def _expected_in(library: Path, _changed: int, key: CitationKey) -> frozenset[_Place]:
    found = _own(library, key, key.expected)
    wrong = [item.written for item in found if item.status not in _PAID]
    if wrong or not found:
        problem = f"{'、'.join(wrong) or key.expected!r} is not right itself, on {key.day}"
        raise DataError(problem, file="answer key", field="expected")
    return frozenset(map(_place, found))


@lru_cache(maxsize=16)
def _checker(library: Path, _changed: int, _thread: int) -> Checker:
    """One for each thread: it keeps what it has read."""
    return Checker(Library.open(library))
