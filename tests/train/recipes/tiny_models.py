"""A tiny encoder, a tiny causal model, and fictional cases for them to learn."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from hengfa.train.recipes.fine_tuning import TargetRow
from hengfa.train.recipes.pretraining import (
    EncoderShape,
    build_vocabulary,
    make_tokenizer,
    new_encoder,
)
from hengfa.train.recipes.retrievers import LabelledQuery

needs_torch = pytest.mark.optional("torch", "transformers")
needs_trainers = pytest.mark.optional("sentence_transformers", "datasets", "accelerate")
needs_trl = pytest.mark.optional("trl", "peft")


class _Trainers:
    """The module of the trainers, which imports what is no part of a bare machine."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module("hengfa.train.recipes.trainers"), name)


trainers: Any = _Trainers()


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Models this small gain nothing from a second thread, and lose much on a busy machine."""
    if find_spec("torch") is None:
        yield
        return
    torch = import_module("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What asks for a server is heard of at the end, telemetry of a thread included."""
    asked: list[object] = []

    def refuse(*host: object, **_: object) -> None:
        asked.append(host)
        raise OSError("no network here")

    monkeypatch.setattr("socket.getaddrinfo", refuse)
    yield
    time.sleep(0.3)
    assert asked == []


ARTICLES = {
    "1": "渡船未经检查而出航的，处拘役。",
    "2": "风筝越过灯塔的，处罚金。",
    "3": "偷取蜂蜜的，处三年以下有期徒刑。",
    "4": "伪造鱼票的，处五年以下有期徒刑。",
    "5": "夜间敲钟扰民的，处管制。",
    "6": "自首的，可以从轻处罚。",
}
FACTS = [
    LabelledQuery("a", "被告人甲驾渡船出航，船底未检查。", frozenset({"1", "6"})),
    LabelledQuery("b", "被告人乙放风筝，线断，风筝飞过灯塔。", frozenset({"2"})),
    LabelledQuery("c", "被告人丙夜入蜂场，取走蜂蜜三桶。", frozenset({"3", "6"})),
    LabelledQuery("d", "被告人丁印制假鱼票二百张。", frozenset({"4"})),
    LabelledQuery("e", "被告人戊连夜敲钟，邻人不得眠。", frozenset({"5"})),
]
TINY = EncoderShape(layers=2, width=32, heads=2, longest=64)
ROWS = [
    TargetRow("处拘役。", prompt="事实：甲驾船未检查。判决："),
    TargetRow("处罚金。", prompt="事实：乙放风筝过灯塔。判决："),
]
CHAT = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>"


def write_tiny_encoder(folder: Path) -> Path:
    """Two layers of random weights that know the characters of the texts above."""
    texts = [*ARTICLES.values(), *(fact.text for fact in FACTS)]
    tokenizer = make_tokenizer(build_vocabulary(texts), TINY.longest)
    new_encoder(TINY, len(tokenizer), seed=7).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def causal_tokenizer() -> Any:
    """One token per byte, in the layout of Qwen's; no begin mark, and an end mark."""
    tokenizers, transformers = import_module("tokenizers"), import_module("transformers")
    signs = ["<end>", *sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())]
    numbers = {token: number for number, token in enumerate(signs)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(numbers, []))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<end>", pad_token="<end>", model_max_length=128
    )


def write_tiny_model(
    folder: Path, *, context: int = 128, template: str | None = None, seed: int = 7
) -> Path:
    """Two layers of Qwen's shape with random weights."""
    torch, transformers = import_module("torch"), import_module("transformers")
    tokenizer = causal_tokenizer()
    tokenizer.chat_template = template
    torch.manual_seed(seed)
    config = transformers.Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=context,
        initializer_range=0.3,  # a last layer that tells tokens apart, for LoRA leaves it as it is
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.eos_token_id,
    )
    transformers.Qwen2ForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
