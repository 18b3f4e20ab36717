"""A small BERT-like encoder that starts from nothing and learns by filling in blanks.

No Chinese encoder needs to be at hand: vocabulary and weights come from the texts given. Inputs
are whole sentences, as many as fit; 15 % of the tokens are to be guessed, of which 80 % are hidden,
10 % replaced by another token and 10 % left as they are (the masking of BERT).

The tokenizer has one token per character, in the layout of BERT's WordPiece, so that any library
can load it. Chinese characters and punctuation are tokens of their own. Digits, letters and other
signs stand together as words, so each of them has a second token that goes on with a word: `2017`
is `2 ##0 ##1 ##7`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from hengfa.base.errors import UsageError
from hengfa.train.retrieval.neural import library

Tokens = npt.NDArray[np.int64]
PAD, UNKNOWN, BEGIN, SEPARATOR, MASK = SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
VOCABULARY_SIZE = 8_000
GUESSED, HIDDEN, REPLACED = 0.15, 0.8, 0.1
NOT_GUESSED = -100
"""What cross-entropy passes over."""

_TEXTS_AT_ONCE = 1_000
# The blocks that BERT cuts into single characters: Unified Ideographs with extensions A to E, and
# the compatibility ideographs. 甲 (U+7532) is one, 〇 (U+3007) is not.
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
# A sentence with its end and what closes it. 甲。乙； is two, “甲。”乙 is “甲。” and 乙;
# 甲，乙 is one.
_SENTENCE = re.compile(r"[^。！？；\n]*(?:[。！？；\n]+[”’」』）]*|$)")


def build_vocabulary(texts: Iterable[str], size: int = VOCABULARY_SIZE) -> list[str]:
    """The special tokens, then the characters of the texts, the most frequent first."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(text.lower())
    vocabulary = list(SPECIAL)
    for character, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        # What BERT's normalisation takes away never reaches the model: blanks, control characters.
        if character.isspace() or unicodedata.category(character)[0] == "C":
            continue
        forms = [character] if _stands_alone(character) else [character, f"##{character}"]
        if len(vocabulary) + len(forms) <= size:
            vocabulary += forms
    if len(vocabulary) == len(SPECIAL):
        raise UsageError("there is no character in the texts to make a vocabulary of")
    return vocabulary


def _stands_alone(character: str) -> bool:
    code = ord(character)
    return unicodedata.category(character)[0] == "P" or any(
        first <= code <= last for first, last in _IDEOGRAPHS
    )


def make_tokenizer(vocabulary: list[str], longest: int) -> Any:
    """A tokenizer with this vocabulary, as every version of transformers can load it."""
    tokenizers, transformers = library("tokenizers"), library("transformers")
    numbers = {token: number for number, token in enumerate(vocabulary)}
    model = tokenizers.models.WordPiece(numbers, unk_token=UNKNOWN)
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = tokenizers.decoders.WordPiece()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single=f"{BEGIN} $A {SEPARATOR}",
        pair=f"{BEGIN} $A {SEPARATOR} $B:1 {SEPARATOR}:1",
        special_tokens=[(token, numbers[token]) for token in (BEGIN, SEPARATOR)],
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        unk_token=UNKNOWN,
        cls_token=BEGIN,
        sep_token=SEPARATOR,
        mask_token=MASK,
        model_max_length=longest,
    )


@dataclass(frozen=True)
class EncoderShape:
    """The size of the encoder. As it stands: 6 layers, 384 wide, about 14 million weights."""

    layers: int = 6
    width: int = 384
    heads: int = 6
    longest: int = 512
    dropout: float = 0.1


def new_encoder(shape: EncoderShape, vocabulary: int, seed: int) -> Any:
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
    rest = filter(None, map(sentences, texts))
    while chunk := list(islice(rest, _TEXTS_AT_ONCE)):
        flat = [sentence for parts in chunk for sentence in parts]
        encoded = iter(tokenizer(flat, add_special_tokens=False)["input_ids"])
        for parts in chunk:
            mine = [next(encoded) for _ in parts]
            mine[-1].append(tokenizer.sep_token_id)
            for tokens in mine:
                for start in range(0, len(tokens), longest):
                    yield tokens[start : start + longest]


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
