"""What one task may take, counted from the journal so that an interrupted run comes out the same.

Tokens and seconds are those of the model's replies, also of replies that an earlier sitting got:
whoever continues a run stops at the same step as whoever was never interrupted.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from hengfa.engine.messages import Request, Response, Status
from hengfa.engine.tokens import estimate_reply, estimate_request

# How servers say that a prompt is too long: "maximum context length is 8192", "prompt is too long",
# "Range of input length should be", "context_length_exceeded", "input token count exceeds", "超长";
# not "max_tokens is too large: it must be at most 4096", which is about the answer
_TOO_LONG: Final = re.compile(
    r"context[ _](?:length|window|size|limit)"
    r"|(?:prompt|input|messages?|request)\b[^.]{0,40}too (?:long|large)"
    r"|input (?:length|tokens?)|too many (?:input |prompt )?tokens"
    r"|超长|超出.{0,8}长度|上下文.{0,6}长度",
    re.IGNORECASE,
)


class Limits(msgspec.Struct, frozen=True):
    """Limits of one task; None leaves the number of steps to the method, the rest unlimited."""

    steps: int | None = None
    tokens: int | None = None
    seconds: float | None = None


class Meter:
    """Adds up what a task has taken."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.tokens = 0
        self.seconds = 0.0

    def add(self, request: Request, response: Response) -> None:
        """Count a reply; where the server did not count its tokens they are estimated."""
        self.seconds += response.seconds
        if response.usage is not None:
            self.tokens += response.usage.total
        else:
            self.tokens += estimate_request(request).low + estimate_reply(response).low

    @property
    def over(self) -> bool:
        """Whether a limit is reached, so that only the closing texts may follow."""
        limits = self.limits
        return (limits.tokens is not None and self.tokens >= limits.tokens) or (
            limits.seconds is not None and self.seconds >= limits.seconds
        )


def overflowed(response: Response) -> bool:
    """Whether the prompt was too long for the model."""
    if response.status is Status.TRUNCATED:
        return "context_window" in response.reason
    return (
        response.status is Status.FAILED
        and response.this_question_only
        and _TOO_LONG.search(response.reason) is not None
    )
