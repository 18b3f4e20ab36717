"""Supervised fine-tuning of a causal model: all its weights, or small LoRA matrices beside them.

The model is any folder on this machine. LoRA needs far less memory and writes an adapter, a few
megabytes that any library with PEFT support can load onto the same base.

Only the target of a row is learnt. Where prompt and target are longer than the limit, the prompt is
kept whole and so is the END of the target: of a judgment, what must not be missing is the result,
and that the document ends.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hengfa.base.errors import UsageError
from hengfa.train.recipes.loop import Batches, Loss, Settings
from hengfa.train.retrieval.neural import best_device, library, load_model, load_tokenizer, padded

NOT_LEARNT = -100
"""The label that cross-entropy passes over."""

ADAPTER = "adapter_config.json"


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


class FineTuning:
    """Fine-tuning on prompts and targets, as a task of the training loop."""

    def __init__(
        self,
        base: Path,
        rows: Sequence[TargetRow],
        *,
        longest: int,
        batch: int,
        seed: int,
        lora: Lora | None = None,
        gradient_checkpointing: bool = False,
    ) -> None:
        if not rows:
            raise UsageError("there is no row to learn from")
        self.tokenizer = load_tokenizer(base)
        self.rows = learning_rows(rows, self.tokenizer, longest)
        self.model = load_model(base, "AutoModelForCausalLM", seed=seed)
        if gradient_checkpointing:
            self.model.gradient_checkpointing_enable({"use_reentrant": False})
            # Frozen embeddings would leave the first checkpointed layer nothing to differentiate.
            self.model.enable_input_require_grads()
        if lora is not None:
            self.model = with_lora(self.model, lora)
        self.batches = Batches(len(rows), batch, seed)
        self.settings: Settings = {
            "task": "fine-tuning",
            "base": str(base.resolve().name),
            "batch": batch,
            "longest": longest,
            **{f"lora_{name}": value for name, value in (asdict(lora) if lora else {}).items()},
            "data": _fingerprint(self.rows),
        }

    def loss(self, number: int, device: str) -> Loss:
        rows = [self.rows[row] for row in self.batches[number]]
        filler = self.tokenizer.pad_token_id
        ids, there = padded(
            [row.ids for row in rows],
            self.tokenizer.eos_token_id if filler is None else filler,
            device,
        )
        labels, _ = padded([row.labels for row in rows], NOT_LEARNT, device)
        logits = self.model(input_ids=ids, attention_mask=there, use_cache=False).logits
        value = library("torch").nn.functional.cross_entropy(
            logits[:, :-1].flatten(0, 1).float(),
            labels[:, 1:].flatten(),
            ignore_index=NOT_LEARNT,
        )
        return Loss(value, sum(len(row.ids) for row in rows))

    def save(self, folder: Path) -> None:
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def with_lora(model: Any, lora: Lora) -> Any:
    """The model with LoRA matrices beside all its linear layers but the last."""
    peft = library("peft", "fine-tuning with LoRA")
    torch = library("torch")
    if best_device() == "cuda" and torch.cuda.is_bf16_supported():
        model = model.to(torch.bfloat16)  # what does not learn may be half as large
    return peft.get_peft_model(
        model,
        peft.LoraConfig(
            task_type="CAUSAL_LM",
            r=lora.rank,
            lora_alpha=lora.alpha,
            lora_dropout=lora.dropout,
            target_modules="all-linear",
        ),
    )


def load_tuned(folder: Path, base: Path | None = None) -> tuple[Any, Any]:
    """A fine-tuned model and its tokenizer; an adapter is put onto its base."""
    if not (folder / ADAPTER).exists():
        return load_model(folder, "AutoModelForCausalLM").eval(), load_tokenizer(folder)
    if base is None:
        raise UsageError(f"{folder} holds an adapter: name the base model it was trained on")
    peft = library("peft", "loading an adapter")
    model = peft.PeftModel.from_pretrained(load_model(base, "AutoModelForCausalLM"), str(folder))
    return model.eval(), load_tokenizer(base)


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


def _fingerprint(rows: Sequence[LearningRow]) -> str:
    digest = hashlib.sha256()
    for row in rows:
        digest.update(f"{row.ids} {row.labels}\n".encode())
    return digest.hexdigest()[:16]
