"""The rules of every group: the keys of a task in the two closing texts (legalagentbench.md 5).

Success is the share of the keys that the answer has; process the share of keys and intermediate
keys, as one list, that the summary has. Both are given in part. Without fixes the rules are the
published ones to the letter: containment, lists with what they have twice, texts as they are.

Where the response tells what the agent did, there are metrics of its way too: how near it stayed to
the gold path, which is one way to the answer and not the only one, and what went wrong. Errors are
counts; how large a share of all calls they are is a figure of a run (`suite.further`). A task that
failed has one class of error, by the first thing that went wrong (`first_cause`), under one of the
names of the paper.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, NamedTuple

from rapidfuzz.distance import LCSseq

from hengfa.evals.grading.error_types import By, ErrorType
from hengfa.evals.results.trace import Finding, Span, Spans, Trace
from hengfa.evals.suites.base import Answer, AnswerStatus, Fixes, Metrics, RuleSet, Score
from hengfa.evals.suites.findings import places
from hengfa.law.text.bertscore import load_scorer
from hengfa.world.agents.trajectory import SILENCE, Cause, Ended, Step, Trajectory, read_reply
from hengfa.world.suites.legalagentbench.dataset import AgentSample
from hengfa.world.suites.matching import Match, literal, tolerant
from hengfa.world.tables.schema import LOOKUP_OF
from hengfa.world.tools.catalogue import FINAL_ANSWER, TOOL_OF
from hengfa.world.tools.observation import Status

TRACED: Final = "traced"
"""Whether the response tells what the agent did; the metrics that need it are None elsewhere."""

ON_PATH: Final = ("path_recall", "path_precision", "call_efficiency")
CALLS, UNPARSABLE, REPEATS, UNOBSERVED = "calls", "unparsable", "repeats", "unobserved"
NO_DATA, BAD_COLUMN, BAD_CALL, TOOL_FAILED = "no_data", "bad_column", "bad_call", "tool_failed"
DATABASE_CALLS, UNFINISHED = "database_calls", "unfinished"
ERRORS: Final[Mapping[str, frozenset[Status]]] = {
    NO_DATA: frozenset({Status.NO_DATA}),
    BAD_COLUMN: frozenset({Status.BAD_COLUMN}),
    BAD_CALL: frozenset({Status.BAD_ARGUMENTS, Status.UNKNOWN_TOOL}),
    TOOL_FAILED: frozenset({Status.RETRIEVAL_ERROR, Status.UNAVAILABLE}),
}
ENDS: Final[Mapping[str, Ended]] = {
    "step_limit": Ended.STEP_LIMIT,
    "context_overflow": Ended.CONTEXT_OVERFLOW,
}
ARGUMENT, PLANNING, LENGTH, LOOPING = "argument", "planning", "length", "loop"
CLASSES: Final[tuple[ErrorType, ...]] = tuple(
    # the rules that a score goes by say whether it failed, not the answer alone
    ErrorType(id_, By.RULE, *titles, "section 4.3", lambda _answer: None)
    for id_, titles in {
        ARGUMENT: ("参数错误", "argument errors"),
        PLANNING: ("规划错误", "planning errors"),
        LENGTH: ("超出长度限制", "length limits exceeded"),
        LOOPING: ("循环", "loops"),
    }.items()
)
"""The classes of errors of the paper that a trajectory shows, by the first cause."""
_CLASS_OF: Final[Mapping[str, str]] = {
    **dict.fromkeys(Cause, ARGUMENT),
    Cause.LOOP: LOOPING,
    Ended.STEP_LIMIT: LOOPING,
    Ended.CONTEXT_OVERFLOW: LENGTH,
}
_OF_CLASSES: Final = tuple(class_.metric for class_ in CLASSES)
OF_TRAJECTORY: Final = (
    *(*ON_PATH, CALLS, *ERRORS, UNPARSABLE, REPEATS, UNOBSERVED),
    *(*ENDS, DATABASE_CALLS, UNFINISHED, *_OF_CLASSES),
)
SHARES: Final[Mapping[str, tuple[str, str]]] = {
    f"{error}_share": (error, calls)
    for calls, errors in (
        (DATABASE_CALLS, (NO_DATA, BAD_COLUMN)),
        (CALLS, (BAD_CALL, TOOL_FAILED, UNPARSABLE, REPEATS)),
    )
    for error in errors
}
"""Errors by the calls among which they can happen, pooled over tasks (legalagentbench.md 5)."""


class Way(NamedTuple):
    """The metrics of a way, and the places of the gold path whose tools were called in order."""

    metrics: Metrics
    called: frozenset[int] = frozenset()


def first_cause(trajectory: Trajectory) -> str:
    """What went wrong first on a way that led to no answer, or how it ended; "" where it came to an
    end by itself and nothing did. A model that gave no reply, and a prompt that was too long for
    it, end a task whatever was done before; that the steps or the budget were used up comes of
    something, if something went wrong."""
    ended = trajectory.ended
    if ended in (Ended.FAILED, Ended.CONTEXT_OVERFLOW):
        return str(ended)
    if (fault := trajectory.first_fault()) is not None:
        return str(fault.cause)
    return "" if ended in (Ended.FINISHED, Ended.PLAN_OVER) else str(ended)


def classify(path: Sequence[str], way: Way, error: str) -> Metrics:
    """The class of a task that failed: 1 for the one that it is of, None where nothing is told. Who
    came to an end by itself and left out steps of the gold path planned badly; who made them all is
    of none of these: the paper's other classes are about law."""
    if not way.metrics[TRACED]:
        return dict.fromkeys(_OF_CLASSES)
    left_out = error not in ("", *Ended) and len(way.called) < len(path)
    of = _CLASS_OF.get(error, PLANNING if left_out else "")
    return {class_.metric: float(class_.id == of) for class_ in CLASSES}


def measure_way(path: Sequence[str], trajectory: Trajectory | None) -> Way:
    """How near an agent stayed to the gold path, and what went wrong on the way.

    Recall is the longest part of the path that was called in order, whatever was called in between;
    a call counts that found nothing, since that is the answer to some questions. Precision is the
    share of the database calls whose tool is on the path. Efficiency is the length of the path by
    the number of actions, at most 1: a path that leads through a list needs more calls than it has
    tools.
    """
    if trajectory is None:
        return Way({TRACED: 0.0, **dict.fromkeys(OF_TRAJECTORY)})
    actions = len(trajectory.steps)
    asked = [step for step in trajectory.calls() if _is_look_up(step)]
    heard = [str(step.tool) for step in asked if step.status in (Status.OK, Status.NO_DATA)]
    equal = (block for block in LCSseq.opcodes(list(path), heard) if block.tag == "equal")
    called = frozenset(at for block in equal for at in range(block.src_start, block.src_end))
    on_path: list[float | None] = [None, None, None]
    if path:
        on_path = [
            len(called) / len(path),
            sum(step.tool in path for step in asked) / len(asked) if asked else 0.0,
            min(1.0, len(path) / actions) if actions else 0.0,
        ]
    metrics = {
        TRACED: 1.0,
        **dict(zip(ON_PATH, on_path, strict=True)),
        CALLS: float(actions),
        **{name: float(trajectory.count(statuses)) for name, statuses in ERRORS.items()},
        UNPARSABLE: float(trajectory.unparsable()),
        REPEATS: float(trajectory.repeats()),
        UNOBSERVED: float(sum(step.unobserved for step in trajectory.steps)),
        **{name: float(trajectory.ended is ended) for name, ended in ENDS.items()},
        DATABASE_CALLS: float(len(asked)),
        UNFINISHED: float(trajectory.ended is not Ended.FINISHED),
    }
    return Way(metrics, called)


def _is_look_up(step: Step) -> bool:
    """Whether a call asked a table: one of the 28 tools, or one that the world's owner declared."""
    if step.tool in LOOKUP_OF:
        return True
    own = step.tool not in TOOL_OF and step.tool != FINAL_ANSWER
    return own and step.status is not Status.UNKNOWN_TOOL


def way_findings(
    path: Sequence[str], called: frozenset[int], trajectory: Trajectory, error: str
) -> Iterator[Finding]:
    """The tools of the gold path, which of them were called in this order; and which action went
    wrong first, where that is why a task failed."""
    for place, tool in enumerate(path):
        right = place in called
        yield Finding("path", given=tool if right else "", expected=tool, right=right)
    fault = trajectory.first_fault()
    if fault is not None and error == fault.cause:
        note = f"action {fault.place} of {len(trajectory.steps)}: {fault.cause}"
        yield Finding("cause", given=fault.tool, right=False, note=note)


# --- the keys in the two texts ---


TOLERANT_MATCH, UNIQUE_KEYS, NO_ECHO, BY_NAME = "tolerant", "unique", "echo", "alignment"
NO_GUESS: Final = "guess"
FIXES: Final[Mapping[str, str]] = {
    TOLERANT_MATCH: "find a key in another form of the same value (width, blanks, commas, "
    "元/万/亿, dates), and no number inside a longer one",
    UNIQUE_KEYS: "count a key once that a list has twice, or that is an answer and a step",
    NO_ECHO: "do not count keys that stand in the question, unless all do",
    NO_GUESS: "do not count 3家 in an answer that also has more than five other numbers of 家",
    BY_NAME: "take a saved line for the task that it names, not for the task at its place",
}
"""What the corrected rules repair (legalagentbench.md 5, corner cases)."""

SUCCESS, PROCESS, EXACT, BERTSCORE = "success", "process", "exact", "bertscore"
TOLERANT, TOLERANT_PROCESS, UNECHOED = "tolerant", "tolerant_process", "unechoed"
OF_TEXTS: Final = (SUCCESS, PROCESS, EXACT, TOLERANT, TOLERANT_PROCESS, UNECHOED, BERTSCORE)

ANSWER, SUMMARY = "answer", "summary"
NO_ANSWER, INCOMPLETE, WRONG = "no answer", "incomplete", "wrong"
_SAME_VALUE: Final = "written otherwise, the same value"
_MOST_PLACES: Final = 3
_MOST_GUESSES: Final = 5
# "3家", "12 次"; not "3.5家", "2020年", "1,200家"
_COUNT: Final = re.compile(r"(?<![0-9.,])([0-9]{1,4})\s*([家件次起人名天个份])")


class Submitted(NamedTuple):
    """Success is judged by `answer`, process by `summary`. A plain text is both."""

    answer: str
    summary: str
    trajectory: Trajectory | None = None


_NOTHING: Final = Submitted("", "")


class _KeyCount(NamedTuple):
    keys: Sequence[str]
    there: Sequence[bool]

    @property
    def share(self) -> float:
        return sum(self.there) / len(self.keys)


@dataclass(frozen=True)
class KeywordRules(RuleSet[AgentSample, Submitted]):
    """Success, process and exact success by these rules; beside them, whatever the rules are, the
    published success with the tolerant match and without the keys that the question has."""

    fixes: Fixes
    data: Path | None = None
    _models: dict[str, str] = field(default_factory=dict, init=False)
    """Names of the BERT models that were asked, by their folder."""

    def read(self, response: str) -> Answer[Submitted]:
        """Where a saved file names another task at this line, the official rules go by the line and
        the fix `alignment` by the name; that there was a doubt is said either way."""
        try:
            reply = read_reply(response)
        except ValueError:
            return _answer(response, Submitted(response, response), AnswerStatus.MALFORMED)
        if reply is None:
            submitted, doubt = Submitted(response, response), False
        elif reply.at_line is not None and BY_NAME not in self.fixes:
            submitted, doubt = Submitted(reply.at_line.answer, reply.at_line.summary), True
        else:
            submitted = Submitted(reply.answer, reply.summary, reply.trajectory)
            doubt = reply.at_line is not None or reply.again
        if submitted.answer.strip() in ("", SILENCE):
            return _answer(response, submitted, AnswerStatus.ABSTAINED)
        status = AnswerStatus.AMBIGUOUS if doubt else AnswerStatus.EXTRACTED
        return _answer(response, submitted, status)

    def score(self, sample: AgentSample, answer: Answer[Submitted]) -> Score:
        score = self._by_keys(sample, answer)
        if not sample.bertscore:
            return score
        text, model = (answer.value or _NOTHING).answer, sample.bertscore
        self._models.setdefault(model, load_scorer(Path(model)).name)
        like = _bertscore(model, text, sample.answer)
        return score._replace(metrics={**score.metrics, BERTSCORE: like})

    def silence(self, sample: AgentSample) -> Metrics:
        """What is no answer has none of the keys, and tells nothing of the way there."""
        metrics = self._by_keys(sample, Answer(_NOTHING, AnswerStatus.ABSTAINED)).metrics
        return {**metrics, BERTSCORE: 0.0} if sample.bertscore else metrics

    def instrument(self) -> str:
        return "+".join(["keywords", *self._models.values()])

    def _by_keys(self, sample: AgentSample, answer: Answer[Submitted]) -> Score:
        texts = answer.value or _NOTHING
        every = (*sample.key, *sample.key_middle)
        of_answer = partial(_count_keys, sample.key, texts.answer, sample.question)
        of_summary = partial(_count_keys, every, texts.summary, sample.question)
        # a summary tells every number that was seen
        keys, steps = of_answer(self.fixes), of_summary(self.fixes - {NO_GUESS})
        way, error = measure_way(sample.path, texts.trajectory), _error(answer, keys)
        metrics = {
            SUCCESS: keys.share,
            PROCESS: steps.share,
            EXACT: float(keys.share == 1.0),
            TOLERANT: of_answer(frozenset({TOLERANT_MATCH})).share,
            TOLERANT_PROCESS: of_summary(frozenset({TOLERANT_MATCH})).share,
            UNECHOED: of_answer(frozenset({NO_ECHO})).share,
            **way.metrics,
            **classify(sample.path, way, error),
        }

        def explain() -> Trace:
            where, done = answer.where(), texts.trajectory
            findings = (
                *_key_findings("answer", keys, texts.answer, where.get(ANSWER, ())),
                *_key_findings("process", steps, texts.summary, where.get(SUMMARY, ())),
                *(way_findings(sample.path, way.called, done, error) if done else ()),
            )
            return Trace("keywords", findings, error)

        return Score(metrics, explain)


def _count_keys(keys: Sequence[str], text: str, question: str, fixes: Fixes) -> _KeyCount:
    """Of the keys that the rules count, always at least one, those that stand in a text."""
    match: Match = tolerant if TOLERANT_MATCH in fixes else literal
    if UNIQUE_KEYS in fixes:
        keys = list(dict.fromkeys(keys))
    if NO_ECHO in fixes:
        echoed = match(question)
        keys = [key for key in keys if not echoed(key)] or keys
    there = list(map(match(text), keys))
    if NO_GUESS in fixes:
        guessed = _guessed(keys, text)
        there = [has and key not in guessed for key, has in zip(keys, there, strict=True)]
    return _KeyCount(keys, there)


def _guessed(keys: Sequence[str], text: str) -> set[str]:
    """The counts among the keys beside which a text has many others: 1家、2家、3家、……."""
    counts = {key: found[2] for key in keys if (found := _COUNT.fullmatch(key))}
    if not counts:
        return set()
    given = set(_COUNT.findall(unicodedata.normalize("NFKC", text)))
    others = Counter(measure for number, measure in given if f"{number}{measure}" not in counts)
    return {key for key, measure in counts.items() if others[measure] > _MOST_GUESSES}


@lru_cache(maxsize=8192)
def _bertscore(model: str, text: str, gold: str) -> float:
    """Asked for one text at a time, since there are 300; kept for the other rules."""
    return load_scorer(Path(model)).f1([(text, gold)])[0]


def _answer(response: str, submitted: Submitted, status: AnswerStatus) -> Answer[Submitted]:
    return Answer(submitted, status, partial(_where, response, submitted))


def _where(response: str, submitted: Submitted) -> dict[str, Spans]:
    """Where the two texts stand in the response: the whole of it, or a field of its JSON, unless
    that is not written as we write it."""
    if submitted.answer == response:
        return dict.fromkeys((ANSWER, SUMMARY), ((0, len(response)),))
    spans: dict[str, Spans] = {}
    for name, text in ((ANSWER, submitted.answer), (SUMMARY, submitted.summary)):
        head, written = f'"{name}": "', _escape(text)
        at = response.find(f'{head}{written}"')
        if at >= 0:
            spans[name] = ((at + len(head), at + len(head) + len(written)),)
    return spans


def _escape(text: str) -> str:
    """A text as it is inside JSON, where some signs are escaped."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _key_findings(label: str, counted: _KeyCount, text: str, where: Spans) -> Iterator[Finding]:
    """Every key that the rules count. The share of right ones is the success or the process."""
    for key, right in zip(*counted, strict=True):
        note = _SAME_VALUE if right and key not in text else ""
        spans = _places(key, text, *where) if right and where else ()
        yield Finding(label, key if right else "", key, right, float(right), 1.0, note, spans)


def _places(key: str, text: str, within: Span) -> Spans:
    """Places of a key in the response, of which the text is a part, perhaps with escaped signs."""
    start, end = within
    escaped = end - start > len(text)

    def place(at: int) -> int:
        return start + (len(_escape(text[:at])) if escaped else at)

    return tuple((place(begin), place(end)) for begin, end in places(text, key, _MOST_PLACES))


def _error(answer: Answer[Submitted], keys: _KeyCount) -> str:
    """Why a run did not succeed, as far as it tells: what went wrong first on the way, or how it
    ended; else there is no answer, some keys are there, or none is."""
    if all(keys.there):
        return ""
    trajectory = answer.value.trajectory if answer.value else None
    if trajectory is not None and (cause := first_cause(trajectory)):
        return cause
    if answer.status is AnswerStatus.ABSTAINED:
        return NO_ANSWER
    return INCOMPLETE if any(keys.there) else WRONG
