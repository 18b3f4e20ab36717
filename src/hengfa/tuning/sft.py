"""Supervised fine-tuning of a causal model: all its weights, or small LoRA matrices beside them.

The model is any folder on this machine. LoRA needs far less memory and writes an adapter, a few
megabytes that any library with PEFT support can load onto the same base.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hengfa.errors import UsageError
from hengfa.retrieval.neural.batches import Batches, padded
from hengfa.retrieval.neural.checkpoints import Settings
from hengfa.retrieval.neural.libraries import best_device, library, load_model, load_tokenizer
from hengfa.retrieval.neural.loop import Loss
from hengfa.tuning.rows import NOT_LEARNT, LearningRow, TargetRow, learning_rows

ADAPTER = "adapter_config.json"


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


def _fingerprint(rows: Sequence[LearningRow]) -> str:
    digest = hashlib.sha256()
    for row in rows:
        digest.update(f"{row.ids} {row.labels}\n".encode())
    return digest.hexdigest()[:16]
