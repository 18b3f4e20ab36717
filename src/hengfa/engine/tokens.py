"""Estimates of token counts before anything is sent.

No tokenizer is loaded: the estimate is a range that holds for the common ones. Qwen3's tokenizer
needs 0.51 to 0.82 tokens per character on LawBench prompts (1,200 prompts, all 20 tasks), older
ones more than one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from hengfa.engine.messages import Message, Request, Response

LEAST_PER_CHARACTER = 0.5
MOST_PER_CHARACTER = 1.2
PER_MESSAGE = 8
ASSUMED_ANSWER = 4096
"""Tokens of an answer whose length is not limited: thinking models are wordy."""


class TokenRange(NamedTuple):
    """A count of tokens that is at least `low` and at most `high`."""

    low: int
    high: int

    def plus(self, other: TokenRange) -> TokenRange:
        return TokenRange(self.low + other.low, self.high + other.high)


def estimate_text(text: str) -> TokenRange:
    """Tokens of a text."""
    return TokenRange(int(len(text) * LEAST_PER_CHARACTER), int(len(text) * MOST_PER_CHARACTER) + 1)


def estimate_prompt(messages: Iterable[Message]) -> TokenRange:
    """Tokens of a conversation, the chat template's included."""
    total = TokenRange(0, 0)
    for message in messages:
        total = total.plus(estimate_text(message.content)).plus(TokenRange(2, PER_MESSAGE))
        for call in message.tool_calls:
            total = total.plus(estimate_text(call.id + call.name + call.arguments))
    return total


def estimate_request(request: Request) -> TokenRange:
    """Tokens of all that the model reads: the conversation, the tools and the schema."""
    total = estimate_prompt(request.messages)
    for given in (*request.options.tools, request.options.reply_schema):
        if given is not None:
            total = total.plus(estimate_text(msgspec.json.encode(given).decode()))
    return total


def estimate_reply(response: Response) -> TokenRange:
    """Tokens of a reply whose server did not count them."""
    total = estimate_text(response.text).plus(estimate_text(response.reasoning))
    for call in response.tool_calls:
        total = total.plus(estimate_text(call.name + call.arguments))
    return total
