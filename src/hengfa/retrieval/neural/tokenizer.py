"""A tokenizer for Chinese from the texts at hand: one token per character.

The layout is BERT's WordPiece, so that any library can load it. Chinese characters and punctuation
are tokens of their own. Digits, letters and other signs stand together as words, so each of them
has a second token that goes on with a word: `2017` is `2 ##0 ##1 ##7`.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import Any

from hengfa.errors import UsageError
from hengfa.retrieval.neural.libraries import library

PAD, UNKNOWN, BEGIN, SEPARATOR, MASK = SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
VOCABULARY_SIZE = 8_000

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


def _stands_alone(character: str) -> bool:
    code = ord(character)
    return unicodedata.category(character)[0] == "P" or any(
        first <= code <= last for first, last in _IDEOGRAPHS
    )
