"""A small BERT-like encoder that starts from nothing and learns by filling in blanks.

No Chinese encoder needs to be at hand: vocabulary and weights come from the texts given. Inputs
are whole sentences, as many as fit; 15 % of the tokens are to be guessed, of which 80 % are hidden,
10 % replaced by another token and 10 % left as they are (the masking of BERT).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hengfa.errors import UsageError
from hengfa.retrieval.neural.batches import Batches
from hengfa.retrieval.neural.checkpoints import Settings
from hengfa.retrieval.neural.libraries import library
from hengfa.retrieval.neural.loop import Loss
from hengfa.retrieval.neural.tokenizer import SPECIAL

Tokens = npt.NDArray[np.int64]
GUESSED, HIDDEN, REPLACED = 0.15, 0.8, 0.1
_TEXTS_AT_ONCE = 1_000
NOT_GUESSED = -100
"""What cross-entropy passes over."""

# A sentence with its end and what closes it. 甲。乙； is two, “甲。”乙 is “甲。” and 乙;
# 甲，乙 is one.
_SENTENCE = re.compile(r"[^。！？；\n]*(?:[。！？；\n]+[”’」』）]*|$)")


@dataclass(frozen=True)
class Shape:
    """The size of the encoder. As it stands: 6 layers, 384 wide, about 14 million weights."""

    layers: int = 6
    width: int = 384
    heads: int = 6
    longest: int = 512
    dropout: float = 0.1


def new_encoder(shape: Shape, vocabulary: int, seed: int) -> Any:
    """An encoder with random weights and a head that guesses tokens."""
    transformers = library("transformers")
    if shape.width % shape.heads:
        raise UsageError(f"{shape.heads} heads do not divide a width of {shape.width}")
    library("torch").manual_seed(seed)
    config = transformers.BertConfig(
        vocab_size=vocabulary,
        hidden_size=shape.width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=4 * shape.width,
        max_position_embeddings=shape.longest,
        hidden_dropout_prob=shape.dropout,
        attention_probs_dropout_prob=shape.dropout,
        pad_token_id=SPECIAL.index("[PAD]"),
    )
    return transformers.BertForMaskedLM(config)


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with its end."""
    return [part for part in _SENTENCE.findall(text) if part.strip()]


def pack(texts: Iterable[str], tokenizer: Any, longest: int) -> Tokens:
    """Rows of at most `longest` tokens: [CLS], whole sentences, [SEP] at the end of each text.

    Short texts share a row, in the order given, so that neighbouring articles of one law are
    read together. Only a sentence that is longer than a row is cut.
    """
    rows: list[list[int]] = []
    row = [tokenizer.cls_token_id]
    for piece in _pieces(texts, tokenizer, longest - 1):
        if len(row) + len(piece) > longest:
            rows.append(row)
            row = [tokenizer.cls_token_id]
        row += piece
    if len(row) > 1:
        rows.append(row)
    if not rows:
        raise UsageError("there is no text to learn from")
    packed = np.full((len(rows), longest), tokenizer.pad_token_id, dtype=np.int64)
    for number, content in enumerate(rows):
        packed[number, : len(content)] = content
    return packed


def _pieces(texts: Iterable[str], tokenizer: Any, longest: int) -> Iterator[list[int]]:
    for chunk in _chunks(filter(None, map(sentences, texts)), _TEXTS_AT_ONCE):
        flat = [sentence for parts in chunk for sentence in parts]
        encoded = iter(tokenizer(flat, add_special_tokens=False)["input_ids"])
        for parts in chunk:
            mine = [next(encoded) for _ in parts]
            mine[-1].append(tokenizer.sep_token_id)
            for tokens in mine:
                for start in range(0, len(tokens), longest):
                    yield tokens[start : start + longest]


def _chunks(parts: Iterable[list[str]], size: int) -> Iterator[list[list[str]]]:
    rest = iter(parts)
    while chunk := list(islice(rest, size)):
        yield chunk


def blanked(rows: Tokens, mask: int, vocabulary: int, seed: Sequence[int]) -> tuple[Tokens, Tokens]:
    """What the model reads, and what it must guess (`NOT_GUESSED` elsewhere)."""
    dice = np.random.default_rng(seed)
    ordinary = rows >= len(SPECIAL)
    guessed = ordinary & (dice.random(rows.shape) < GUESSED)
    fate = dice.random(rows.shape)
    other = dice.integers(len(SPECIAL), vocabulary, rows.shape)
    read = np.where(guessed & (fate < HIDDEN), mask, rows)
    read = np.where(guessed & (fate >= 1 - REPLACED), other, read)
    return read, np.where(guessed, rows, NOT_GUESSED)


class Pretraining:
    """Filling in blanks, as a task of the training loop."""

    def __init__(
        self, rows: Tokens, tokenizer: Any, shape: Shape, *, batch: int, seed: int
    ) -> None:
        self._rows, self._tokenizer, self._seed = rows, tokenizer, seed
        self._vocabulary = len(tokenizer)
        self.model = new_encoder(shape, self._vocabulary, seed)
        self.batches = Batches(len(rows), batch, seed)
        self.settings: Settings = {
            "task": "pre-training",
            "batch": batch,
            **asdict(shape),
            "data": hashlib.sha256(rows.tobytes()).hexdigest()[:16],
        }

    def loss(self, number: int, device: str) -> Loss:
        torch = library("torch")
        rows = self._rows[self.batches[number]]
        mask = self._tokenizer.mask_token_id
        read, guess = blanked(rows, mask, self._vocabulary, (self._seed, number))
        there = rows != self._tokenizer.pad_token_id
        ids, gold, attention = (
            torch.from_numpy(array).to(device, non_blocking=True) for array in (read, guess, there)
        )
        hidden = self.model.bert(input_ids=ids, attention_mask=attention.long())[0]
        # Only the tokens to be guessed go through the head: a seventh of the work of all of them.
        wanted = (gold != NOT_GUESSED).nonzero(as_tuple=True)
        logits = self.model.cls(hidden[wanted])
        value = torch.nn.functional.cross_entropy(logits.float(), gold[wanted], reduction="sum")
        return Loss(value / max(len(wanted[0]), 1), int(there.sum()))

    def save(self, folder: Path) -> None:
        self.model.save_pretrained(folder)
        self._tokenizer.save_pretrained(folder)
