"""What an agent did on its way, as metrics: how near it stayed to the gold path, what went wrong.

A gold path is one way to the answer and not the only one. Errors are counts; how large a share of
all calls they are is a figure of a run (`suite.further`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from rapidfuzz.distance import LCSseq

from hengfa.agents.trajectory import Ended, Trajectory
from hengfa.results.trace import Finding
from hengfa.suites.base import Metrics
from hengfa.suites.legalagentbench.dataset import TABLE_OF
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
FAILED_CALLS: Final = frozenset().union(*ERRORS.values()) - {Status.NO_DATA}
ENDS: Final[Mapping[str, Ended]] = {
    "step_limit": Ended.STEP_LIMIT,
    "context_overflow": Ended.CONTEXT_OVERFLOW,
}
OF_TRAJECTORY: Final = (
    *(*ON_PATH, CALLS, *ERRORS, UNPARSABLE, REPEATS, UNOBSERVED),
    *(*ENDS, DATABASE_CALLS, UNFINISHED),
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
    asked = [step for step in trajectory.calls() if step.tool in TABLE_OF]
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
