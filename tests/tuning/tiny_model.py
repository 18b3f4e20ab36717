"""A tiny causal model and fictional rows for the tests of fine-tuning."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from hengfa.tuning.rows import TargetRow

needs_torch = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("transformers") is None,
    reason="the extra 'train' (torch, transformers) is not installed",
)
needs_peft = pytest.mark.skipif(
    find_spec("peft") is None, reason="the extra 'train' (peft) is not installed"
)
ROWS = [
    TargetRow("处拘役。", prompt="事实：甲驾船未检查。判决："),
    TargetRow("处罚金。", prompt="事实：乙放风筝过灯塔。判决："),
]
CHAT = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>"


def make_tokenizer() -> Any:
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


def write_tiny_model(folder: Path) -> Path:
    """Two layers of Qwen's shape with random weights."""
    torch, transformers = import_module("torch"), import_module("transformers")
    tokenizer = make_tokenizer()
    torch.manual_seed(7)
    config = transformers.Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=128,
        initializer_range=0.3,  # a last layer that tells tokens apart, for LoRA leaves it as it is
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.eos_token_id,
    )
    transformers.Qwen2ForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
