"""BERTScore: how near the tokens of two texts are to each other in the eyes of a language model.

Each token of one side is matched with the most similar token of the other, by the cosine of their
contextual vectors; precision is the mean over the answer's tokens, recall over the reference's, F1
is of both. No inverse document frequencies, no rescaling; the marks that begin and end a text can
be matched but are not counted, as in the package bert-score. The vectors are those of one hidden
layer: unless another is named, the one two thirds up (the eighth of twelve). On a card the model
computes in bfloat16; vectors are compared in float32 everywhere.

The model is a folder on this machine, in the layout of Hugging Face; nothing is ever downloaded.
Torch and transformers are an optional part (`hengfa[bertscore]`), imported when first used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hengfa.base.errors import DataError, MissingExtra, UsageError
from hengfa.law.text.token_rows import Numbers, TokenBudget, TokenRows, ahead, precision

EXTRA = "bertscore"
LIBRARIES = ("torch", "transformers")
LONGEST = 512
"""Tokens beyond this are cut, or beyond what the model can take."""

_TOKENS_HELD = 524_288
"""So many tokens have their vectors in memory at a time: 1.6 GB of a width of 768."""

Pair = tuple[str, str]


class _Part(NamedTuple):
    """Some of the pairs: their numbers, the two texts of each, and the tokens of all texts."""

    numbers: list[int]
    sides: Numbers
    rows: TokenRows
    counted: Any


class BertScorer:
    """A model that compares texts. Use `load_scorer`, which keeps it for the next time."""

    def __init__(
        self, folder: Path, layer: int | None = None, batch_tokens: int | None = None
    ) -> None:
        check_model_folder(folder)
        check_installed()
        try:
            self._torch, transformers = (import_module(name) for name in LIBRARIES)
        except ImportError as error:
            raise MissingExtra(EXTRA, "BERTScore") from error
        transformers.utils.logging.disable_progress_bar()
        try:
            local = {"local_files_only": True}
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **local)
            self._model = transformers.AutoModel.from_pretrained(str(folder), **local)
        except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
            raise DataError(f"cannot be loaded as a model: {error}", file=folder) from error
        layers: int = self._model.config.num_hidden_layers
        self.layer = round(layers * 2 / 3) if layer is None else layer
        if not 0 < self.layer <= layers:
            raise UsageError(f"this model has the layers 1 to {layers}, not {self.layer}")
        self._is_cut = _cut(self._model, self.layer)
        self._budget = TokenBudget(batch_tokens)
        known = getattr(self._model.config, "max_position_embeddings", None) or LONGEST
        self._longest = min(LONGEST, known)
        self._device = "cuda" if self._torch.cuda.is_available() else "cpu"
        kind = precision(self._device)
        self._model.to(self._device, kind).eval()
        self.name = f"bertscore/{folder.resolve().name}/layer-{self.layer}"
        if kind != self._torch.float32:
            self.name += f"/{str(kind).removeprefix('torch.')}"  # the scores are not quite the same

    def f1(self, pairs: Sequence[Pair]) -> list[float]:
        """The F1 of each (answer, reference); 1 for equal texts, 0 where one side is empty."""
        scores = [float(answer == reference and bool(answer)) for answer, reference in pairs]
        for part in ahead(self._parts(pairs)):
            with self._torch.inference_mode():
                matched = self._match(part, self._vectors(part.rows)).tolist()
            for number, (p, r) in zip(part.numbers, matched, strict=True):
                scores[number] = 2 * p * r / (p + r) if p > 0 and r > 0 else 0.0
        return scores

    def _parts(self, pairs: Sequence[Pair]) -> Iterator[_Part]:
        """The pairs to be compared, those of one reference together: a text is encoded once."""
        open_ = [
            number
            for number, (answer, reference) in enumerate(pairs)
            if answer and reference and answer != reference
        ]
        open_.sort(key=lambda number: (pairs[number][1], number))
        texts: dict[str, int] = {}
        start = size = 0
        for end, number in enumerate(open_, 1):
            for text in pairs[number]:
                if text not in texts:
                    texts[text] = len(texts)
                    size += min(len(text), self._longest)
            if size >= _TOKENS_HELD or end == len(open_):
                numbers = open_[start:end]
                sides = np.array([[texts[text] for text in pairs[n]] for n in numbers])
                yield _Part(numbers, sides, *self._tokens(list(texts)))
                texts, start, size = {}, end, 0

    def _tokens(self, texts: list[str]) -> tuple[TokenRows, Any]:
        """Token ids, and for each whether it counts: the marks at both ends do not."""
        encoded = self._tokenizer(
            texts,
            truncation=True,
            max_length=self._longest,
            return_special_tokens_mask=True,
            return_attention_mask=False,
            return_token_type_ids=False,
        )
        rows = TokenRows(encoded["input_ids"], self._tokenizer.pad_token_id or 0, self._device)
        return rows, rows.beside(encoded["special_tokens_mask"], 1) == 0

    def _vectors(self, rows: TokenRows) -> Any:
        """A vector of length 1 for every token, and a last one that stands for padding."""
        shape = len(rows.ids), self._model.config.hidden_size
        vectors = self._torch.zeros(shape, device=self._device)

        def work(numbers: Numbers) -> None:
            places, there = rows.rectangle(numbers)
            given = {"input_ids": rows.ids[places], "attention_mask": rows.mask(numbers, there)}
            if self._is_cut:
                hidden = self._model(**given)[0]
            else:
                states = self._model(**given, output_hidden_states=True)
                hidden = states.hidden_states[self.layer]
            vectors[places] = self._torch.nn.functional.normalize(hidden.float(), dim=-1)

        self._budget.run(rows.lengths, self._device, work)
        return vectors

    def _match(self, part: _Part, vectors: Any) -> Any:
        rows, counted = part.rows, part.counted
        both = self._torch.empty((len(part.sides), 2), device=self._device)

        def work(numbers: Numbers) -> None:
            mine, is_mine = rows.rectangle(part.sides[numbers, 0])
            other, is_other = rows.rectangle(part.sides[numbers, 1])
            # Similarity of each token of one side to each of the other; padding is no match.
            near = self._torch.bmm(vectors[mine], vectors[other].transpose(1, 2))
            near = near.masked_fill(~is_other.unsqueeze(1), -1.0)
            precise = _mean(near.max(dim=2).values, counted[mine])
            near = near.masked_fill(~is_mine.unsqueeze(2), -1.0)
            recalled = _mean(near.max(dim=1).values, counted[other])
            both[rows.put(numbers)] = self._torch.stack((precise, recalled), dim=1)

        self._budget.run(rows.lengths[part.sides].sum(axis=1), self._device, work)
        return both


def _cut(model: Any, layer: int) -> bool:
    """Take away the layers above this one, where an encoder is its layers and nothing else."""
    encoder = getattr(model, "encoder", None)
    if encoder is None or [name for name, _ in encoder.named_children()] != ["layer"]:
        return False
    encoder.layer = encoder.layer[:layer]
    return True


def _mean(values: Any, counted: Any) -> Any:
    """The mean over the tokens that count; 0 where none does."""
    return (values * counted).sum(dim=1) / counted.sum(dim=1).clamp(min=1)


@lru_cache(maxsize=2)
def load_scorer(folder: Path) -> BertScorer:
    return BertScorer(folder)


def check_model_folder(folder: Path) -> None:
    """Refuse early what is no model: a name of a model on the internet is not fetched."""
    if not (folder / "config.json").is_file():
        raise UsageError(
            f"{folder} is no folder of a model: it has no config.json; models are not downloaded"
        )


def check_installed() -> None:
    """Refuse early where the optional part is missing; nothing is imported."""
    if any(find_spec(name) is None for name in LIBRARIES):
        raise MissingExtra(EXTRA, "BERTScore")
