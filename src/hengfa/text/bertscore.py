"""BERTScore: how near the tokens of two texts are to each other in the eyes of a language model.

Each token of one side is matched with the most similar token of the other, by the cosine of their
contextual vectors; precision is the mean over the answer's tokens, recall over the reference's, F1
is of both. No inverse document frequencies, no rescaling; the marks that begin and end a text can
be matched but are not counted, as in the package bert-score. The vectors are those of one hidden
layer: unless another is named, the one two thirds up (the eighth of twelve).

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

from hengfa.errors import DataError, MissingExtra, UsageError

EXTRA = "bertscore"
LIBRARIES = ("torch", "transformers")
BATCH = 64
LONGEST = 512
"""Tokens beyond this are cut, or beyond what the model can take."""

Pair = tuple[str, str]


class _Encoded(NamedTuple):
    """Vectors of length 1 for each text, where there is a token at all, and which tokens count."""

    vectors: Any
    there: Any
    counted: Any


class BertScorer:
    """A model that compares texts. Use `load_scorer`, which keeps it for the next time."""

    def __init__(self, folder: Path, layer: int | None = None, batch: int = BATCH) -> None:
        check_model_folder(folder)
        self._torch, transformers = _libraries()
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
        self.batch = batch
        known = getattr(self._model.config, "max_position_embeddings", None) or LONGEST
        self._longest = min(LONGEST, known)
        self._device = "cuda" if self._torch.cuda.is_available() else "cpu"
        self._model.to(self._device).eval()
        self.name = f"bertscore/{folder.resolve().name}/layer-{self.layer}"

    def f1(self, pairs: Sequence[Pair]) -> list[float]:
        """The F1 of each (answer, reference); 1 for equal texts, 0 where one side is empty."""
        scores = [float(answer == reference and bool(answer)) for answer, reference in pairs]
        open_ = [
            number
            for number, (answer, reference) in enumerate(pairs)
            if answer and reference and answer != reference
        ]
        # Texts of like length stand together: a batch is as long as its longest.
        open_.sort(key=lambda number: len(pairs[number][0]) + len(pairs[number][1]))
        with self._torch.inference_mode():
            for start in range(0, len(open_), self.batch):
                chunk = open_[start : start + self.batch]
                values = self._batch([pairs[number] for number in chunk])
                for number, value in zip(chunk, values, strict=True):
                    scores[number] = value
        return scores

    def _batch(self, pairs: Sequence[Pair]) -> Iterator[float]:
        mine = self._encode([answer for answer, _ in pairs])
        other = self._encode([reference for _, reference in pairs])
        # Similarity of every token of one side to every token of the other; padding is no match.
        near = self._torch.bmm(mine.vectors, other.vectors.transpose(1, 2))
        near = near.masked_fill(~other.there.unsqueeze(1), -1.0)
        precision = _mean(near.max(dim=2).values, mine.counted)
        near = near.masked_fill(~mine.there.unsqueeze(2), -1.0)
        recall = _mean(near.max(dim=1).values, other.counted)
        for p, r in zip(precision.tolist(), recall.tolist(), strict=True):
            yield 2 * p * r / (p + r) if p > 0 and r > 0 else 0.0

    def _encode(self, texts: Sequence[str]) -> _Encoded:
        encoded = self._tokenizer(
            list(texts),
            padding=True,
            truncation=True,
            max_length=self._longest,
            return_special_tokens_mask=True,
            return_tensors="pt",
        ).to(self._device)
        special = encoded.pop("special_tokens_mask").bool()
        hidden = self._model(**encoded, output_hidden_states=True).hidden_states[self.layer]
        vectors = self._torch.nn.functional.normalize(hidden.float(), dim=-1)
        there = encoded["attention_mask"].bool()
        return _Encoded(vectors, there, there & ~special)


def _mean(values: Any, counted: Any) -> Any:
    """The mean over the tokens that count; 0 where none does."""
    return (values * counted).sum(dim=1) / counted.sum(dim=1).clamp(min=1)


@lru_cache(maxsize=2)
def load_scorer(folder: Path) -> BertScorer:
    """The scorer of a model folder, loaded once."""
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


def _libraries() -> tuple[Any, Any]:
    check_installed()
    try:
        torch, transformers = (import_module(name) for name in LIBRARIES)
    except ImportError as error:
        raise MissingExtra(EXTRA, "BERTScore") from error
    return torch, transformers
