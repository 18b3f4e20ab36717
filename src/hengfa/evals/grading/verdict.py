"""What a grader reports, awards and faults with their evidence and no sums; read from its replies.

A reply holds one JSON object with ``awards``, where the rubric has any ``faults``, and the ``code``
of the question (:mod:`hengfa.evals.grading.prompt` describes it). Only an object with that code is
a verdict: the response under grading cannot know it, so nothing that stands in it, however it is
written, and however it is echoed, is taken for the grader's word. The last such object counts:
models think first. Points are checked against the rubric item by item, so one bad award does not
cost the others; whatever cannot stand is named and left out.

The object lies loose among fences, thoughts and other words, and must be real JSON. No sign but
JSON's own is structure, and what a grader sees of a response has none that ends a string
(:func:`hengfa.evals.grading.prompt.grader_view`), so words copied from a response stay words. Only
line breaks inside of strings are forgiven. Curved or full-width marks and trailing commas are not:
such a reply cannot be read, and the grader is asked for another.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from hengfa.evals.engine.messages import Status
from hengfa.evals.engine.replies import one_line
from hengfa.evals.grading.rubric import Deduction, Gate, Item, Penalty, Rubric, faults_of
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.tampering import VERDICT

Value = str | float | int | bool | None | list["Value"] | dict[str, "Value"]
Entry = Mapping[str, Value]

_DEEPEST: Final = 16
"""A verdict is four levels deep; of objects that all break at one place no more are tried."""
_PATIENCE: Final = 2_000_000
"""Attempts that fail may read so many characters; after that no object is looked for."""
_EFFORT: Final = 100
"""What an attempt costs beside what it reads, in characters; its error counts lines."""
_LONGEST_NUMBER: Final = 40  # digits; no number of points has more

# "{" and what can follow it in an object: '{"', '{ }'; not "{x" in a formula
_OPENING: Final = re.compile(r"\{(?=[ \t\r\n]*+[\"}])")


class ObjectInText(NamedTuple):
    """An object at ``text[start:end]``."""

    start: int
    end: int
    value: dict[str, Value]


def find_objects(text: str) -> list[ObjectInText]:
    """The outermost JSON objects of a text from left to right. No string makes this raise. An
    object inside another one, or inside of a string of it, is not looked for, so that quoted JSON
    is never taken for the JSON that quotes it."""
    objects: list[ObjectInText] = []
    place, patience, broken, tried = 0, _PATIENCE, -1, 0
    while patience > 0 and (opening := _OPENING.search(text, place)):
        start = opening.start()
        try:
            value, place = _DECODER.raw_decode(text, start)
            objects.append(ObjectInText(start, place, _whole(value)))
        except json.JSONDecodeError as stopped:
            patience -= stopped.pos - start + _EFFORT
            tried = tried + 1 if stopped.pos <= broken else 0
            broken = max(broken, stopped.pos)
            place = max(broken, start + 1) if tried == _DEEPEST else start + 1
        except RecursionError:
            break
    return objects


def _once(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    """An object that has a name twice says nothing."""
    made = dict(pairs)
    return made if len(made) == len(pairs) else {}


_DECODER: Final = json.JSONDecoder(
    strict=False,
    object_pairs_hook=_once,
    parse_int=lambda digits: int(digits) if len(digits) <= _LONGEST_NUMBER else float(digits),
)


def _whole(value: Any) -> Any:
    """Without halves of surrogate pairs, which could not be stored."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(part) for part in value]
    if isinstance(value, dict):
        return {_whole(name): _whole(part) for name, part in value.items()}
    return value


K = TypeVar("K")
T = TypeVar("T")
PROMPT_VERSION: Final = "3"
"""Goes into records: marks made under different prompts are not of one instrument."""
UNCODED: Final = "1"
"""The prompt before there was a code; its replies are read as they were when they were made."""
MOST_TIMES: Final = 100  # a fault that is said to occur more often was not counted
LONGEST_REPLY: Final = 1_000_000  # of a longer reply only so many last characters are read
_SLACK: Final = 1e-9
_LONGEST_SHOWN: Final = 40
# "5", "5分", "+2.5 分", "-1"; not "5/10", "约5分"
_POINTS: Final = re.compile(r"\s*(?P<number>[-+]?\d{1,9}(?:\.\d{1,9})?)\s*分?\s*")
_WHITE: Final = re.compile(r"\s+")


class Award(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one item earns before anything is taken off; ``evidence`` are words of the response.
    ``level`` names the grade of an item that has levels, ``points`` is then what it is worth."""

    id: str
    points: float
    evidence: tuple[str, ...] = ()
    reason: str = ""
    level: str = ""


class Fault(msgspec.Struct, frozen=True, omit_defaults=True):
    """A deduction, gate or penalty that applies; ``points`` only where the rubric has a range."""

    id: str
    times: int = 1
    points: float | None = None
    evidence: tuple[str, ...] = ()
    reason: str = ""


class Problem(msgspec.Struct, frozen=True):
    """Why something in a reply was not accepted: which id (empty: the whole reply), and the reason.
    Codes: ``unreadable``, ``no code``, ``missing``, ``unknown``, ``duplicate``, ``above maximum``,
    ``negative``, ``no number``, ``out of range`` (of a fault), ``no level``, ``no answer``."""

    id: str
    code: str
    text: str


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was accepted of a grader's replies. Items without an award are ungraded, never zero."""

    awards: tuple[Award, ...]
    faults: tuple[Fault, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def whole(self) -> bool:
        return not self.problems


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a grader said to one request: ``step`` is grade, repair or again."""

    step: str
    status: str
    text: str = ""


class Sheet(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that one grader said of one submission, in order; marks are always made from it.
    ``prompt`` is the version of what it was asked, which says how its replies are read."""

    grader: str
    replies: tuple[Reply, ...] = ()
    prompt: str = PROMPT_VERSION


def verdict_code(response: str) -> str:
    """What a verdict on this response must carry: a text cannot hold the hash of itself. It is a
    function of the response, so that a journal can be read again, and of nothing else, so that no
    later change to rubrics or questions makes the replies of a journal unreadable."""
    seen = response.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(seen, digest_size=16, person=b"hengfa verdict").hexdigest()


def verdict_of(submission: Submission, sheet: Sheet) -> Verdict:
    """What one grader found, from all that it said. The first reply without a problem counts alone.
    Else the one with most accepted awards counts (the earlier of equals), and items that it lacks
    are taken from the other replies in the order in which they were given. The faults of an item
    come from the reply that its award is from, those of sections and of the whole from the reply
    that counts."""
    replies = [reply.text for reply in sheet.replies if reply.status == Status.ANSWERED]
    read = [read_verdict(submission, text, sheet.prompt) for text in replies]
    if not read:
        ends = "、".join(reply.status for reply in sheet.replies) or "never asked"
        return Verdict((), (), (Problem("", "no answer", f"no reply is an answer: {ends}"),))
    for verdict in read:
        if verdict.whole:
            return verdict
    best = max(read, key=lambda verdict: len(verdict.awards))
    return _completed(submission.rubric, best, [other for other in read if other is not best])


def read_verdict(submission: Submission, text: str, prompt: str = PROMPT_VERSION) -> Verdict:
    """The verdict in a reply; no text makes this raise."""
    rubric, text = submission.rubric, text[-LONGEST_REPLY:]
    if prompt == UNCODED:
        verdict = _find_uncoded(text, submission.response)
    else:
        shaped = [value for candidate in find_objects(text) for value in _shaped(candidate)]
        code = verdict_code(submission.response)
        coded = [value for value in shaped if _text(value.get("code")) == code]
        if shaped and not coded:
            return _refusal("no code", "no object with awards carries the code of the question")
        verdict = coded[-1] if coded else None
    if verdict is None:
        return _refusal("unreadable", "no JSON object with awards in the reply")
    given = verdict["awards"]
    if not isinstance(given, list):
        return _refusal("unreadable", "awards is not a list")
    known = {fault.id: fault for fault in rubric.faults()}
    awards, problems = _read_awards(rubric, given)
    faults: list[Fault] = []
    if known:
        listed = verdict.get("faults")
        if isinstance(listed, list):
            faults, more = _read_entries(known, listed, _fault)
            problems += more
        else:
            problems.append(Problem("", "missing", "no list of faults"))
    if VERDICT.search(submission.response):
        if problems:
            awards, faults = [], []  # any of them may be the response's
        elif _strays(verdict, "awards", "faults" if known else ""):
            return _refusal("unreadable", "a list or an object stands beside awards and faults")
    return Verdict(tuple(awards), tuple(faults), tuple(problems))


def _find_uncoded(text: str, response: str) -> dict[str, Value] | None:
    """The last object with awards that does not stand in the response letter by letter. Under the
    first prompt nothing else told a verdict from an echo of the response."""
    heard = _WHITE.sub("", response) if "awards" in response else ""
    for candidate in reversed(find_objects(text)):
        if heard and _WHITE.sub("", text[candidate.start : candidate.end]) in heard:
            continue
        if shaped := _shaped(candidate):
            return shaped[0]
    return None


def _shaped(candidate: ObjectInText) -> list[dict[str, Value]]:
    """What has the shape of a verdict: an object with awards, or a part of it that has them."""
    values = (candidate.value, *candidate.value.values())
    return [value for value in values if isinstance(value, dict) and "awards" in value]


def _strays(found: Mapping[str, Value], *lists: str) -> bool:
    """Whether there is a list or an object that nobody asked for. A grader that copies quotation
    marks without escapes lets the response write awards, but then what the grader itself wrote
    after them must go somewhere."""
    return any(isinstance(found[name], list | dict) and found[name] for name in {*found} - {*lists})


def _read_awards(rubric: Rubric, given: Sequence[Value]) -> tuple[list[Award], list[Problem]]:
    items = {item.id: item for item in rubric.items()}
    awards, problems = _read_entries(items, given, _award)
    seen = {award.id for award in awards} | {problem.id for problem in problems}
    missing = (name for name in items if name not in seen)
    problems += [Problem(name, "missing", "no award for this item") for name in missing]
    return awards, problems


def _read_entries(
    known: Mapping[str, K], given: Sequence[Value], read: Callable[[K, Entry], T | Problem]
) -> tuple[list[T], list[Problem]]:
    """What is accepted of a list, in the order of the rubric, and what is wrong with the rest."""
    entries: dict[str, list[dict[str, Value]]] = {}
    problems: list[Problem] = []
    for number, entry in enumerate(given, 1):
        if not isinstance(entry, dict) or _strays(entry, "id", "evidence", "reason", "points"):
            problems.append(Problem("", "unreadable", f"entry {number} is not an object as asked"))
        elif (name := _id(entry.get("id"))) in known:
            entries.setdefault(name, []).append(entry)
        else:
            problem = "the rubric has nothing of this id"
            problems.append(Problem(_excerpt(name), "unknown", problem))
    for name, of in entries.items():
        if len(of) > 1:
            problems.append(Problem(name, "duplicate", f"{len(of)} entries for this id"))
    accepted: dict[str, T] = {}
    for name, of in entries.items():
        if len(of) == 1:
            result = read(known[name], of[0])
            if isinstance(result, Problem):
                problems.append(result)
            else:
                accepted[name] = result
    return [accepted[name] for name in known if name in accepted], problems


def _award(item: Item, entry: Entry) -> Award | Problem:
    level = ""
    if item.levels:
        chosen = _level(item, entry)
        if isinstance(chosen, Problem):
            return chosen
        level, points = chosen
    else:
        number = _number(entry.get("points"))
        if number is None:
            excerpt = _excerpt(str(entry.get("points", "nothing")))
            return Problem(item.id, "no number", f"points is {excerpt}")
        if number < 0:
            return Problem(item.id, "negative", f"{number:g} points")
        if number > item.maximum + _SLACK:
            text = f"{number:g} points of at most {item.maximum:g}"
            return Problem(item.id, "above maximum", text)
        points = number
    return Award(item.id, points, _quotes(entry), _text(entry.get("reason")), level)


def _level(item: Item, entry: Entry) -> tuple[str, float] | Problem:
    """The level by its name; where none is given, by points that only one level has."""
    named = _plain(_text(entry.get("level")))
    points = None if named else _number(entry.get("points"))
    fitting = [
        level
        for level in item.levels
        if (named and _plain(level.name) == named)
        or (points is not None and abs(level.points - points) < _SLACK)
    ]
    if len(fitting) != 1:
        names = "、".join(level.name for level in item.levels)
        return Problem(item.id, "no level", f"{_excerpt(named) or 'nothing'} is none of {names}")
    return fitting[0].name, fitting[0].points


def _fault(meant: Deduction | Gate | Penalty, entry: Entry) -> Fault | Problem:
    times = _number(entry["times"]) if entry.get("times") is not None else 1.0
    if times is None or times != int(times) or not 1 <= times <= MOST_TIMES:
        excerpt = _excerpt(str(entry["times"]))
        return Problem(meant.id, "out of range", f"times is {excerpt}, not 1 to {MOST_TIMES}")
    points = None
    if isinstance(meant, Deduction) and meant.most is not None:
        points = _number(entry.get("points"))
        if points is None:
            excerpt = _excerpt(str(entry.get("points", "nothing")))
            return Problem(meant.id, "no number", f"points is {excerpt}")
        if not meant.points - _SLACK <= points <= meant.most + _SLACK:
            text = f"{points:g} points, not {meant.points:g} to {meant.most:g}"
            return Problem(meant.id, "out of range", text)
    return Fault(meant.id, int(times), points, _quotes(entry), _text(entry.get("reason")))


def _completed(rubric: Rubric, best: Verdict, others: Sequence[Verdict]) -> Verdict:
    awards = {award.id: award for award in best.awards}
    of_items = {fault.id: item.id for item in rubric.items() for fault in faults_of(item)}
    faults = {fault.id: fault for fault in best.faults}
    added: set[str] = set()
    for other in others:
        new = {award.id: award for award in other.awards if award.id not in awards}
        if not new:
            continue
        awards |= new
        added |= new.keys()
        kept = {name: fault for name, fault in faults.items() if of_items.get(name) not in new}
        theirs = {fault.id: fault for fault in other.faults if of_items.get(fault.id) in new}
        faults = kept | theirs
    return Verdict(
        tuple(awards[item.id] for item in rubric.items() if item.id in awards),
        tuple(faults[fault.id] for fault in rubric.faults() if fault.id in faults),
        tuple(problem for problem in best.problems if problem.id not in added),
    )


def _refusal(code: str, why: str) -> Verdict:
    return Verdict((), (), (Problem("", code, why),))


def _id(value: Value) -> str:
    """An id as text; models write 3 for "3"."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _number(value: Value) -> float | None:
    """A finite number, or a text that is one; None for anything else."""
    if isinstance(value, str):
        match = _POINTS.fullmatch(value)
        value = float(match["number"]) if match else None
    if value is None or isinstance(value, bool | list | dict):
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def _quotes(entry: Entry) -> tuple[str, ...]:
    """Models write one quotation without its list."""
    value = entry.get("evidence")
    listed = value if isinstance(value, list) else [value]
    return tuple(quote for quote in listed if isinstance(quote, str) and quote.strip())


def _text(value: Value) -> str:
    return value.strip() if isinstance(value, str) else ""


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold()


def _excerpt(text: str) -> str:
    return one_line(text[:_LONGEST_SHOWN])
