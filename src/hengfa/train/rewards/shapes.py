"""What a reward is: a value with its parts, or no value and the reason; and the shapes it comes in.

A shape says what of a score becomes the value. `graded` is the score as the suite gives it;
`strict` is 1 for an answer that is right and 0 for any other; `skill` is 0 at what cheap answers
earn and 1 at the reference, on the mean over a task. Skill is not clipped: below the floor it is
negative, and the narrower the scale, the more so. Were it clipped, a constant answer would keep
what it earns where it is right and lose little where it is wrong, and so earn something again.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from hengfa.base.errors import UsageError
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.engine.replies import read_reply
from hengfa.evals.suites.scoring import Scale

_SLACK: Final = 5e-4
"""What a right answer may lack: METEOR gives a text equal to the reference a little less than 1."""

OWN_SILENCE: Final = frozenset({Status.EMPTY, Status.REFUSED, Status.TRUNCATED})
"""How a model itself gives no answer. What was filtered or failed is nobody's policy."""


class Shape(StrEnum):
    """What of a score becomes the value."""

    STRICT = "strict"
    GRADED = "graded"
    SKILL = "skill"


class Silence(StrEnum):
    """What becomes of a model's own silence: it has no value, or that which the suite's strict
    figure counts for it, in the same shape."""

    MASK = "mask"
    SCORE = "score"


class Reward(msgspec.Struct, frozen=True):
    """What a response earned.

    `value` is None where there is nothing to judge: no answer, or a sample that the rules leave
    out. A trainer masks it; it is no zero. `parts` are the metrics that the suite itself gives this
    response, `status` how the response ended or how its answer was read, `reason` why there is no
    value.
    """

    value: float | None
    parts: Mapping[str, float | None]
    status: str
    reason: str = ""


class Marked(NamedTuple):
    """What a response earned before it is shaped: the `score`, and what shapes need to know. `end`
    is how the response ended, `right_at` the score from which on an answer is right."""

    end: Status
    score: float | None
    parts: Mapping[str, float | None]
    status: str
    reason: str = ""
    right_at: float = 1.0
    scale: Scale | None = None


def as_response(said: str | Response) -> Response:
    """A completion as the engine reads one that came to its end: thinking apart, and what is left
    blank, or never stops thinking, is no answer."""
    if isinstance(said, Response):
        return said
    return read_reply({"choices": [{"message": {"content": said}, "finish_reason": "stop"}]})


def unanswered(response: Response) -> Marked:
    """A response in which there is nothing to mark."""
    return Marked(response.status, 0.0, {}, str(response.status), response.reason)


def finished(marked: Marked, shape: Shape, silence: Silence) -> Reward:
    """The reward in a shape; no answer has no value, and says why."""
    if marked.end is not Status.ANSWERED and not (
        silence is Silence.SCORE and marked.end in OWN_SILENCE
    ):
        return Reward(None, marked.parts, marked.status, marked.reason or "no answer")
    if marked.score is None:
        reason = marked.reason or "the rules leave this sample out"
        return Reward(None, marked.parts, marked.status, reason)
    value = _shaped(marked, marked.score, shape)
    if value is None:
        reason = "no scale: what is cheap earns as much as the reference"
        return Reward(None, marked.parts, marked.status, reason)
    return Reward(value, marked.parts, marked.status, marked.reason)


def _shaped(marked: Marked, score: float, shape: Shape) -> float | None:
    if shape is Shape.GRADED:
        return score
    if shape is Shape.STRICT:
        return float(score >= marked.right_at - _SLACK)
    if marked.scale is None:
        raise UsageError(
            "skill needs the scale of a task: give `scale=scale_of(task, samples)`, or make answer "
            "keys with `answer_key(task, sample, scales_of(task, samples))`; what is no task's "
            "reward has none"
        )
    return marked.scale.skill(score)
