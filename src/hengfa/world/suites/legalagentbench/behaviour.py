"""What an agent did on its way, as metrics: how near it stayed to the gold path, what went wrong.

A gold path is one way to the answer and not the only one. Errors are counts; how large a share of
all calls they are is a figure of a run (`suite.further`). A task that failed has one class of
error, by the first thing that went wrong (`first_cause`), under one of the names of the paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from rapidfuzz.distance import LCSseq

from hengfa.evals.grading.error_types import By, ErrorType
from hengfa.evals.results.trace import Finding
from hengfa.evals.suites.base import Metrics
from hengfa.world.agents.trajectory import Cause, Ended, Step, Trajectory
from hengfa.world.suites.legalagentbench.dataset import TABLE_OF
from hengfa.world.tools.catalogue import FINAL_ANSWER, TOOL_OF
from hengfa.world.tools.observation import Status

TRACED: Final = "traced"
"""Whether the response tells what the agent did; the metrics that need it are None elsewhere."""

PATH_RECALL, PATH_PRECISION, EFFICIENCY = ON_PATH = (
    "path_recall",
    "path_precision",
    "call_efficiency",
)
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


class Travelled(NamedTuple):
    """The metrics of a way, and the places of the gold path whose tools were called in order."""

    metrics: Metrics
    called: frozenset[int] = frozenset()


def first_cause(trajectory: Trajectory) -> str:
    """What went wrong first on a way that led to no answer, or how it ended; "" where it came to an
    end by itself and nothing did.

    A model that gave no reply, and a prompt that was too long for it, end a task whatever was done
    before; that the steps or the budget were used up comes of something, if something went wrong.
    """
    ended = trajectory.ended
    if ended in (Ended.FAILED, Ended.CONTEXT_OVERFLOW):
        return str(ended)
    if (fault := trajectory.first_fault()) is not None:
        return str(fault.cause)
    return "" if ended in (Ended.FINISHED, Ended.PLAN_OVER) else str(ended)


def classified(path: Sequence[str], way: Travelled, error: str) -> Metrics:
    """The class of a task that failed: 1 for the one that it is of, None where nothing is told.

    Who came to an end by itself and left out steps of the gold path planned badly; who made them
    all is of none of these: the paper's other classes are about law.
    """
    if not way.metrics[TRACED]:
        return dict.fromkeys(_OF_CLASSES)
    left_out = error not in ("", *Ended) and len(way.called) < len(path)
    of = _CLASS_OF.get(error, PLANNING if left_out else "")
    return {class_.metric: float(class_.id == of) for class_ in CLASSES}


def travelled(path: Sequence[str], trajectory: Trajectory | None) -> Travelled:
    """How near an agent stayed to the gold path, and what went wrong on the way.

    Recall is the longest part of the path that was called in order, whatever was called in between;
    a call counts that found nothing, since that is the answer to some questions. Precision is the
    share of the database calls whose tool is on the path. Efficiency is the length of the path by
    the number of actions, at most 1: a path that leads through a list needs more calls than it has
    tools.
    """
    if trajectory is None:
        return Travelled({TRACED: 0.0, **dict.fromkeys(OF_TRAJECTORY)})
    actions = len(trajectory.steps)
    asked = [step for step in trajectory.calls() if _is_look_up(step)]
    heard = [str(step.tool) for step in asked if step.status in (Status.OK, Status.NO_DATA)]
    called = _in_order(path, heard)
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
    return Travelled(metrics, called)


def _is_look_up(step: Step) -> bool:
    """Whether a call asked a table: one of the 28 tools, or one that the world's owner declared."""
    if step.tool in TABLE_OF:
        return True
    own = step.tool not in TOOL_OF and step.tool != FINAL_ANSWER
    return own and step.status is not Status.UNKNOWN_TOOL


def _in_order(path: Sequence[str], heard: Sequence[str]) -> frozenset[int]:
    return frozenset(
        place
        for block in LCSseq.opcodes(list(path), heard)
        if block.tag == "equal"
        for place in range(block.src_start, block.src_end)
    )


def path_findings(path: Sequence[str], called: frozenset[int]) -> Iterator[Finding]:
    """The tools of the gold path: which of them were called, in this order."""
    for place, tool in enumerate(path):
        right = place in called
        yield Finding("path", given=tool if right else "", expected=tool, right=right)


def cause_findings(trajectory: Trajectory, error: str) -> Iterator[Finding]:
    """Which action went wrong first, where that is why a task failed."""
    fault = trajectory.first_fault()
    if fault is not None and error == fault.cause:
        note = f"action {fault.place} of {len(trajectory.steps)}: {fault.cause}"
        yield Finding("cause", given=fault.tool, right=False, note=note)
