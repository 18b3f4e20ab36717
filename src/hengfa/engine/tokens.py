"""Estimates of token counts before anything is sent.

No tokenizer is loaded: the estimate is a range that holds for the common ones. Qwen3's tokenizer
needs 0.51 to 0.82 tokens per character on LawBench prompts (1,200 prompts, all 20 tasks), older
ones more than one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from hengfa.engine.messages import Message

LEAST_PER_CHARACTER = 0.5
MOST_PER_CHARACTER = 1.2
PER_MESSAGE = 8


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
    return total
