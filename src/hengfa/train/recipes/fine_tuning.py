"""Supervised fine-tuning of a causal model: all its weights, or small LoRA matrices beside them.

The model is any folder on this machine. LoRA needs far less memory and writes an adapter, a few
megabytes that any library with PEFT support can load onto the same base.

Only the target of a row is learnt. Where prompt and target are longer than the limit, the prompt is
kept whole and so is the END of the target: of a judgment, what must not be missing is the result,
and that the document ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hengfa.base.errors import UsageError

NOT_LEARNT = -100
"""The label that cross-entropy passes over."""


@dataclass(frozen=True)
class TargetRow:
    """A conversation (role, content) or a plain prompt, and what is to follow it."""

    target: str
    prompt: str = ""
    messages: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Lora:
    """Small matrices beside the linear layers; the base stays as it is."""

    rank: int = 16
    alpha: int = 32
    dropout: float = 0.05


@dataclass(frozen=True)
class LearningRow:
    """Token ids with their labels; `cut` counts the tokens of the target that did not fit."""

    ids: list[int]
    labels: list[int]
    cut: int = 0


def learning_rows(rows: Sequence[TargetRow], tokenizer: Any, longest: int) -> list[LearningRow]:
    """All rows as tokens; an impossible one is named by its number."""
    learning = []
    for number, row in enumerate(rows, 1):
        try:
            learning.append(learning_row(row, tokenizer, longest))
        except UsageError as error:
            raise UsageError(f"row {number}: {error}") from error
    return learning


def learning_row(row: TargetRow, tokenizer: Any, longest: int) -> LearningRow:
    """The tokens of prompt and target with the end mark; the prompt's labels are passed over."""
    text = prompt_text(row, tokenizer)
    # A chat template writes its own begin mark; a plain prompt gets the tokenizer's.
    prompt = tokenizer(text, add_special_tokens=not row.messages)["input_ids"]
    if tokenizer.eos_token_id is None:
        raise UsageError("the tokenizer has no end mark, so the model could never learn to end")
    if not row.messages and prompt and prompt[-1] == tokenizer.eos_token_id:
        prompt = prompt[:-1]  # some tokenizers close every text
    target = tokenizer(row.target, add_special_tokens=False)["input_ids"]
    target.append(tokenizer.eos_token_id)
    room = longest - len(prompt)
    if room < 1:
        raise UsageError(
            f"a prompt of {len(prompt)} tokens leaves no room for its target within {longest}: "
            "raise the limit or shorten the prompt"
        )
    kept = target[-room:]
    return LearningRow(
        prompt + kept, [NOT_LEARNT] * len(prompt) + kept, cut=len(target) - len(kept)
    )


def prompt_text(row: TargetRow, tokenizer: Any) -> str:
    """What the model reads first: the chat template where there are messages, else the prompt."""
    if not row.messages:
        return row.prompt
    if not getattr(tokenizer, "chat_template", None):
        raise UsageError(
            "the rows are conversations, but the model has no chat template: give 'prompt' instead"
        )
    messages = [{"role": role, "content": content} for role, content in row.messages]
    text: str = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    return text
