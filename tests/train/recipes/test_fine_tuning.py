"""Fine-tuning: what is learnt of a row, and a tiny model that learns two judgments by heart."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.errors import UsageError
from hengfa.train.recipes.fine_tuning import (
    NOT_LEARNT,
    Lora,
    TargetRow,
    learning_row,
    learning_rows,
)
from hengfa.train.recipes.schedule import Schedule
from hengfa.train.retrieval.neural import load_model, load_tokenizer
from tests.train.recipes.tiny_models import (
    CHAT,
    ROWS,
    causal_tokenizer,
    needs_torch,
    needs_trl,
    no_network,
    one_thread,
    trainers,
    write_tiny_model,
)

__all__ = ["no_network", "one_thread"]  # fixtures
pytestmark = needs_torch


def test_the_prompt_is_read_but_not_learnt_and_the_end_is() -> None:
    tokenizer = causal_tokenizer()
    row = learning_row(TargetRow("DEF", prompt="ABC"), tokenizer, 100)
    assert tokenizer.decode(row.ids[:3]) == "ABC"
    assert row.labels[:3] == [NOT_LEARNT] * 3
    assert row.labels[3:] == row.ids[3:] == [*map(tokenizer.vocab.get, "DEF"), 0]
    assert row.cut == 0


def test_where_there_is_no_room_the_prompt_and_the_end_of_the_target_stay() -> None:
    tokenizer = causal_tokenizer()
    row = learning_row(TargetRow("DEFGH", prompt="ABC"), tokenizer, 6)
    assert [tokenizer.decode([one]) for one in row.ids] == [*"ABC", "G", "H", "<end>"]
    assert row.labels == [NOT_LEARNT] * 3 + row.ids[3:]
    assert row.cut == 3


@settings(deadline=None, max_examples=50)
@given(st.text("ABCDE", max_size=20), st.text("FGHIJ", min_size=1, max_size=30), st.integers(1, 40))
def test_rows_never_exceed_the_limit_and_never_lose_prompt_or_end(
    prompt: str, target: str, longest: int
) -> None:
    tokenizer = causal_tokenizer()
    if len(prompt) >= longest:
        with pytest.raises(UsageError, match="leaves no room"):
            learning_row(TargetRow(target, prompt=prompt), tokenizer, longest)
        return
    row = learning_row(TargetRow(target, prompt=prompt), tokenizer, longest)
    text = tokenizer.convert_ids_to_tokens(row.ids)
    assert len(text) == min(longest, len(prompt) + len(target) + 1)
    assert "".join(text).startswith(prompt)
    assert text[-1] == "<end>"
    assert target.endswith("".join(text[len(prompt) : -1]))
    assert [label == NOT_LEARNT for label in row.labels] == [
        place < len(prompt) for place in range(len(text))
    ]


def test_a_conversation_goes_through_the_chat_template() -> None:
    tokenizer = causal_tokenizer()
    said = TargetRow("D", messages=(("user", "写"),))
    with pytest.raises(UsageError, match=r"row 1: .*no chat template"):
        learning_rows([said], tokenizer, 100)
    tokenizer.chat_template = CHAT
    row = learning_row(said, tokenizer, 100)
    assert tokenizer.decode(row.ids) == "<user>写<assistant>D<end>"
    assert sum(label != NOT_LEARNT for label in row.labels) == 2


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny-qwen"))


def tuning(base: Path, lora: Lora | None = None, **options: Any) -> Any:
    return trainers.FineTuning(base, ROWS, longest=90, batch=2, seed=1, lora=lora, **options)


def continued(model: Any, tokenizer: Any, prompt: str) -> str:
    torch = import_module("torch")
    ids = torch.tensor([tokenizer(prompt)["input_ids"]])
    with torch.no_grad():
        out = model.generate(
            input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=16, do_sample=False
        )
    text: str = tokenizer.decode(out[0][ids.shape[1] :])
    return text


@needs_trl
@pytest.mark.parametrize("checkpointing", [False, True])
def test_full_tuning_learns_saves_loads_and_generates(
    checkpointing: bool, base: Path, tmp_path: Path
) -> None:
    task = tuning(base, gradient_checkpointing=checkpointing)
    schedule = Schedule(epochs=60, learning_rate=5e-3, report_every=10)
    report = trainers.train(task, schedule, tmp_path / "tuned")
    assert report.first_loss is not None
    assert report.last_loss is not None
    assert report.last_loss < 0.1 * report.first_loss
    model = load_model(tmp_path / "tuned", "AutoModelForCausalLM").eval()
    tokenizer = load_tokenizer(tmp_path / "tuned")
    for row in ROWS:
        assert continued(model, tokenizer, row.prompt) == f"{row.target}<end>"


@needs_trl
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
    report = trainers.train(
        task, Schedule(epochs=100, learning_rate=2e-2, report_every=10), tmp_path / "adapter"
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
    plain = load_model(base, "AutoModelForCausalLM")
    model = import_module("peft").PeftModel.from_pretrained(plain, str(tmp_path / "adapter"))
    assert continued(model.eval(), load_tokenizer(base), ROWS[0].prompt) == f"{ROWS[0].target}<end>"


class Stopped(Exception):
    """Somebody pulled the plug."""


@needs_trl
@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("lora", [None, Lora(rank=2)])
def test_interrupted_and_resumed_ends_with_the_same_weights(
    lora: Lora | None, base: Path, tmp_path: Path
) -> None:
    schedule = Schedule(epochs=5, learning_rate=1e-3, checkpoint_every=2, report_every=3)
    whole = tuning(base, lora)
    trainers.train(whole, schedule, tmp_path / "whole")

    def stop(_step: int, _line: str) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        trainers.train(tuning(base, lora), schedule, tmp_path / "broken", watch=stop)
    resumed = tuning(base, lora)
    trainers.train(resumed, schedule, tmp_path / "broken", resume=True)
    torch = import_module("torch")
    expected = dict(whole.model.named_parameters())
    for name, value in resumed.model.named_parameters():
        assert torch.equal(value, expected[name]), name


@needs_trl
def test_nothing_to_learn_is_refused(base: Path) -> None:
    with pytest.raises(UsageError, match="no row"):
        trainers.FineTuning(base, [], longest=90, batch=2, seed=1)
