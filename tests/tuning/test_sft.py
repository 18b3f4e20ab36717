"""Fine-tuning from end to end: a tiny random model learns two judgments by heart."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from hengfa.errors import UsageError
from hengfa.retrieval.neural.loop import Schedule, StepReport, train
from hengfa.tuning.sft import FineTuning, Lora, load_tuned
from tests.retrieval.neural_fixtures import one_thread
from tests.tuning.tiny_model import ROWS, needs_peft, needs_torch, write_tiny_model

__all__ = ["one_thread"]  # used by every test here
pytestmark = needs_torch


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny-qwen"))


def tuning(base: Path, lora: Lora | None = None, **options: Any) -> FineTuning:
    return FineTuning(base, ROWS, longest=90, batch=2, seed=1, lora=lora, **options)


def continued(model: Any, tokenizer: Any, prompt: str) -> str:
    torch = import_module("torch")
    ids = torch.tensor([tokenizer(prompt)["input_ids"]])
    with torch.no_grad():
        out = model.generate(
            input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=16, do_sample=False
        )
    text: str = tokenizer.decode(out[0][ids.shape[1] :])
    return text


@pytest.mark.parametrize("checkpointing", [False, True])
def test_full_tuning_learns_saves_loads_and_generates(
    checkpointing: bool, base: Path, tmp_path: Path
) -> None:
    task = tuning(base, gradient_checkpointing=checkpointing)
    schedule = Schedule(steps=60, learning_rate=5e-3, report_every=10)
    report = train(task, schedule, tmp_path / "tuned")
    assert report.first_loss is not None
    assert report.last_loss is not None
    assert report.last_loss < 0.1 * report.first_loss
    model, tokenizer = load_tuned(tmp_path / "tuned")
    for row in ROWS:
        assert continued(model, tokenizer, row.prompt) == f"{row.target}<end>"


@needs_peft
def test_lora_learns_and_leaves_the_base_alone(base: Path, tmp_path: Path) -> None:
    torch = import_module("torch")
    task = tuning(base, Lora(rank=8, alpha=32, dropout=0.0))
    learning = {name for name, value in task.model.named_parameters() if value.requires_grad}
    assert learning
    assert all("lora_" in name for name in learning)
    frozen = {
        name: value.detach().clone()
        for name, value in task.model.named_parameters()
        if name not in learning
    }
    report = train(
        task, Schedule(steps=100, learning_rate=2e-2, report_every=10), tmp_path / "adapter"
    )
    assert report.first_loss is not None
    assert report.last_loss is not None
    assert report.last_loss < 0.5 * report.first_loss
    assert all(
        torch.equal(value, frozen[name])
        for name, value in task.model.named_parameters()
        if name in frozen
    )
    assert not (tmp_path / "adapter" / "model.safetensors").exists()
    with pytest.raises(UsageError, match="name the base model"):
        load_tuned(tmp_path / "adapter")
    model, tokenizer = load_tuned(tmp_path / "adapter", base)
    assert continued(model, tokenizer, ROWS[0].prompt) == f"{ROWS[0].target}<end>"


class Stopped(Exception):
    """Somebody pulled the plug."""


@needs_peft
@pytest.mark.parametrize("lora", [None, Lora(rank=2)])
def test_interrupted_and_resumed_ends_with_the_same_weights(
    lora: Lora | None, base: Path, tmp_path: Path
) -> None:
    schedule = Schedule(steps=5, learning_rate=1e-3, checkpoint_every=2, report_every=3)
    whole = tuning(base, lora)
    train(whole, schedule, tmp_path / "whole")

    def stop(_report: StepReport) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        train(tuning(base, lora), schedule, tmp_path / "broken", watch=stop)
    resumed = tuning(base, lora)
    train(resumed, schedule, tmp_path / "broken", resume=True)
    torch = import_module("torch")
    expected = dict(whole.model.named_parameters())
    for name, value in resumed.model.named_parameters():
        assert torch.equal(value, expected[name]), name


def test_nothing_to_learn_is_refused(base: Path) -> None:
    with pytest.raises(UsageError, match="no row"):
        FineTuning(base, [], longest=90, batch=2, seed=1)
