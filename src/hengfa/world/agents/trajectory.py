"""What an agent did on its way to an answer, and the JSON text in which it hands both in.

A response of an agent of ours is a text ``{"answer": …, "summary": …, "steps": […], "ended": …}``:
`answer` is the concise closing text, `summary` the detailed one (legalagentbench.md 4.1), `steps`
every call of a tool and every action that could not be read. Responses without steps, such as the
published runs, are the same text with the two closing texts only.
"""

from __future__ import annotations

import json
from collections.abc import Container
from enum import StrEnum
from typing import Any, Final, NamedTuple

import msgspec

from hengfa.evals.engine.messages import ToolUse
from hengfa.world.tools.observation import Status

SILENCE: Final = "silence"
"""What published agents hand in where they failed (legalagentbench.md 4.1), and ours too."""


class Ended(StrEnum):
    """Why an agent stopped."""

    FINISHED = "finished"  # it gave its final answer
    PLAN_OVER = "plan over"  # every step of the plan was carried out, and there was no answer
    STEP_LIMIT = "step limit"
    CONTEXT_OVERFLOW = "context overflow"  # the transcript became too long for the model
    BUDGET = "budget"  # a limit on tokens, cost or time
    FAILED = "failed"


class Cause(StrEnum):
    """What can go wrong with one action."""

    UNREADABLE = "unreadable action"
    UNKNOWN_TOOL = "unknown tool"
    BAD_ARGUMENTS = "bad arguments"
    BAD_COLUMN = "wrong column"
    NO_DATA = "no data"
    TOOL_FAILED = "tool failed"
    LOOP = "loop"  # a call that was made before, with the same arguments


_CAUSES: Final = {
    Status.NO_DATA: Cause.NO_DATA,
    Status.BAD_COLUMN: Cause.BAD_COLUMN,
    Status.BAD_ARGUMENTS: Cause.BAD_ARGUMENTS,
    Status.UNKNOWN_TOOL: Cause.UNKNOWN_TOOL,
    Status.RETRIEVAL_ERROR: Cause.TOOL_FAILED,
    Status.UNAVAILABLE: Cause.TOOL_FAILED,
}
_OF_A_TOOL: Final = frozenset(
    {Cause.BAD_ARGUMENTS, Cause.BAD_COLUMN, Cause.NO_DATA, Cause.TOOL_FAILED}
)


class Misstep(NamedTuple):
    """An action that went wrong, by its place from 1 on; `tool` is empty where none was read."""

    place: int
    cause: Cause
    tool: str


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One action: the call of a tool and how it ended. Without a tool it could not be read.

    `unobserved` counts the cells that were answered as null only because no published run ever
    showed them.
    """

    tool: str | None = None
    arguments: dict[str, Any] = {}
    status: Status = Status.OK
    unobserved: int = 0


class Trajectory(msgspec.Struct, frozen=True):
    """All actions in order, those of one turn one after the other, and why there are no more."""

    steps: tuple[Step, ...]
    ended: Ended

    def calls(self) -> list[Step]:
        return [step for step in self.steps if step.tool is not None]

    def count(self, statuses: Container[Status]) -> int:
        return sum(step.status in statuses for step in self.calls())

    def unparsable(self) -> int:
        return len(self.steps) - len(self.calls())

    def repeats(self) -> int:
        """How many calls had been made before, with the same arguments."""
        return sum(self._repeat_flags())

    def first_fault(self) -> Misstep | None:
        """The first action that went wrong and was not put right; what follows comes of it.

        A look-up is put right by a later answer of the same tool; what could not be read, a tool
        that there is not and a call made before, by any later call that is new and answered. Who
        came to an end by itself was in no loop.
        """
        answered: set[str | None] = set()
        first: Misstep | None = None
        told = list(zip(self.steps, self._repeat_flags(), strict=True))
        for place, (step, repeated) in reversed(list(enumerate(told, start=1))):
            cause = Cause.LOOP if repeated else _CAUSES.get(step.status)
            if step.tool is None:
                cause = Cause.UNREADABLE
            if cause is None:
                answered.add(step.tool)
            elif cause is Cause.LOOP and self.ended in (Ended.FINISHED, Ended.PLAN_OVER):
                continue
            elif step.tool not in answered if cause in _OF_A_TOOL else not answered:
                first = Misstep(place, cause, step.tool or "")
        return first

    def _repeat_flags(self) -> list[bool]:
        made: set[tuple[str, bytes]] = set()
        told: list[bool] = []
        for step in self.steps:
            if step.tool is None:
                told.append(False)
                continue
            call = step.tool, msgspec.json.encode(step.arguments, order="deterministic")
            told.append(call in made)
            made.add(call)
        return told


class Texts(msgspec.Struct, frozen=True):
    """The two closing texts."""

    answer: str
    summary: str


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an agent hands in.

    `at_line` are the texts that stand in a saved file at this task's line, where the line says that
    they belong to another task; `again` says that several lines claim to be this task's.
    """

    answer: str
    summary: str
    steps: tuple[Step, ...] | None = None
    ended: Ended | None = None
    at_line: Texts | None = None
    again: bool = False

    @property
    def trajectory(self) -> Trajectory | None:
        if self.steps is None or self.ended is None:
            return None
        return Trajectory(self.steps, self.ended)


def write_reply(reply: Reply) -> str:
    """The JSON text of a response, also of half a surrogate pair, which models do write."""
    return json.dumps(msgspec.to_builtins(reply), ensure_ascii=False)


def read_reply(text: str) -> Reply | None:
    """The reply in a response; None for any other text, whatever JSON it may be. Raises ValueError
    where it has both texts and is nevertheless not in this form."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        reply = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not all(isinstance(reply.get(field), str) for field in Texts.__struct_fields__):
        return None
    return msgspec.convert(reply, Reply)


def listed_calls(response: str) -> list[ToolUse]:
    """The calls that the response of an agent lists; what tools answered is not in it."""
    try:
        reply = read_reply(response)
    except ValueError:
        return []
    steps = reply.steps if reply is not None and reply.steps else ()
    return [ToolUse(step.tool, step.arguments, "", step.status) for step in steps if step.tool]
