"""Neural models in local folders, as they search: texts to vectors, and pairs of texts to scores.

A folder that was trained here says how its vectors are made (`hengfa_encoder.json`: pooling,
likeness and lengths) or where its texts are cut (`hengfa_reranker.json`). For any other model that
is chosen by the caller. `hengfa.training` makes such folders.

Torch and transformers are an optional part (`hengfa[train]`). Nothing here imports them before they
are used, and nothing is fetched from the internet.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hengfa.errors import DataError, MissingExtra, UsageError
from hengfa.text.bertscore import check_model_folder

Vectors = npt.NDArray[np.float32]
EXTRA = "train"
LIBRARIES = ("torch", "transformers")
ENCODER_SETTINGS = "hengfa_encoder.json"
RERANKER_SETTINGS = "hengfa_reranker.json"
POOLINGS = ("cls", "mean")
LIKENESSES = ("dot", "cosine")
_HEAD = "ForSequenceClassification"


@dataclass(frozen=True)
class EncoderSettings:
    """How a vector is made of a text, and how two vectors are compared."""

    pooling: str = "cls"
    likeness: str = "dot"
    temperature: float = 1.0
    query_tokens: int = 512
    passage_tokens: int = 256

    def __post_init__(self) -> None:
        if self.pooling not in POOLINGS or self.likeness not in LIKENESSES:
            raise UsageError(
                f"pooling is one of {', '.join(POOLINGS)}, likeness one of {', '.join(LIKENESSES)}"
            )
        if self.temperature <= 0 or min(self.query_tokens, self.passage_tokens) < 3:
            raise UsageError("the temperature is above 0, and a text has at least 3 tokens")


class TextEncoder:
    """An encoder with its tokenizer and settings."""

    def __init__(self, model: Any, tokenizer: Any, settings: EncoderSettings) -> None:
        self.model, self.tokenizer, self.settings = model, tokenizer, settings
        self._longest = _longest_input(model, tokenizer)

    @classmethod
    def load(
        cls, folder: Path, settings: EncoderSettings | None = None, seed: int = 0
    ) -> TextEncoder:
        """From a folder; without settings, those the folder says, else the usual ones."""
        model = load_model(folder, "AutoModel", seed=seed)
        return cls(model, load_tokenizer(folder), settings or _read_settings(folder))

    def tokens(self, texts: Sequence[str], longest: int) -> list[list[int]]:
        """Token ids with the marks at both ends, cut at `longest` or what the model can take."""
        encoded = self.tokenizer(
            list(texts), truncation=True, max_length=min(longest, self._longest)
        )
        ids: list[list[int]] = encoded["input_ids"]
        return ids

    def vectors(self, rows: Sequence[Sequence[int]], device: str) -> Any:
        """The vectors of token rows, as a tensor that can learn."""
        ids, there = padded(rows, self.tokenizer.pad_token_id, device)
        hidden = self.model(input_ids=ids, attention_mask=there)[0]
        if self.settings.pooling == "cls":
            vectors = hidden[:, 0]
        else:
            share = there.unsqueeze(-1).to(hidden.dtype)
            vectors = (hidden * share).sum(dim=1) / share.sum(dim=1)
        vectors = vectors.float()
        if self.settings.likeness == "cosine":
            vectors = library("torch").nn.functional.normalize(vectors, dim=-1)
        return vectors

    def encode(self, texts: Sequence[str], longest: int, batch: int = 64) -> Vectors:
        """The vectors of texts; texts of like length are encoded together."""
        torch, device = library("torch"), best_device()
        self.model.to(device).eval()
        rows = self.tokens(texts, longest) if texts else []
        order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
        vectors = np.zeros((len(rows), self.model.config.hidden_size), dtype=np.float32)
        with torch.inference_mode():
            for start in range(0, len(order), batch):
                chunk = order[start : start + batch]
                vectors[chunk] = self.vectors([rows[n] for n in chunk], device).cpu().numpy()
        return vectors

    def encode_queries(self, texts: Sequence[str], batch: int = 64) -> Vectors:
        return self.encode(texts, self.settings.query_tokens, batch)

    def encode_passages(self, texts: Sequence[str], batch: int = 64) -> Vectors:
        return self.encode(texts, self.settings.passage_tokens, batch)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        text = json.dumps(asdict(self.settings), indent=2) + "\n"
        (folder / ENCODER_SETTINGS).write_text(text, "utf-8")


def _read_settings(folder: Path) -> EncoderSettings:
    """What the folder says of its vectors; the usual settings where it says nothing."""
    file = folder / ENCODER_SETTINGS
    if not file.exists():
        return EncoderSettings()
    try:
        return EncoderSettings(**json.loads(file.read_text("utf-8")))
    except (ValueError, TypeError, RecursionError) as error:
        raise DataError(f"does not hold the settings of an encoder: {error}", file=file) from error


@dataclass(frozen=True)
class PairLengths:
    """Where texts are cut: each alone, then the pair, the longer of the two first."""

    query_tokens: int = 512
    passage_tokens: int = 200
    pair_tokens: int = 512

    def __post_init__(self) -> None:
        if min(self.query_tokens, self.passage_tokens, self.pair_tokens) < 3:
            raise UsageError("a text, and a pair of texts, has at least 3 tokens")


class CrossEncoder:
    """Reads a query and a passage together and gives one score: how well they fit."""

    def __init__(self, folder: Path, lengths: PairLengths | None = None, seed: int = 0) -> None:
        self.lengths = lengths or PairLengths()
        self.tokenizer = load_tokenizer(folder)
        self.model = load_model(
            folder, "AutoModelForSequenceClassification", seed=seed, num_labels=1
        )
        if self.model.config.num_labels != 1:
            raise UsageError(f"{folder} has {self.model.config.num_labels} scores, not one")
        self._longest = min(self.lengths.pair_tokens, _longest_input(self.model, self.tokenizer))

    @classmethod
    def open(cls, folder: Path) -> CrossEncoder:
        """A reranker that has been trained, with its own lengths.

        A mere encoder is refused: its scores would come from weights drawn at random.
        """
        check_installed("reranking")
        reranker = cls(folder, read_lengths(folder))
        kinds = reranker.model.config.architectures or []
        if not any(kind.endswith(_HEAD) for kind in kinds):
            raise UsageError(
                f"{folder} is no reranker but {', '.join(kinds) or 'another model'}: "
                "`hengfa train reranker` makes one of it"
            )
        return reranker

    def cut(self, texts: Sequence[str], longest: int) -> list[str]:
        """Texts cut at a number of tokens of their own."""
        encoded = self.tokenizer(
            list(texts),
            truncation=True,
            max_length=longest,
            add_special_tokens=False,
            return_offsets_mapping=True,
        )
        return [
            text[: places[-1][1]] if places else ""
            for text, places in zip(texts, encoded["offset_mapping"], strict=True)
        ]

    def pairs(self, queries: Sequence[str], passages: Sequence[str]) -> list[tuple[Any, Any]]:
        """Token ids and segments of each pair."""
        encoded = self.tokenizer(
            self.cut(queries, self.lengths.query_tokens),
            self.cut(passages, self.lengths.passage_tokens),
            truncation="longest_first",
            max_length=self._longest,
            return_token_type_ids=True,
        )
        return list(zip(encoded["input_ids"], encoded["token_type_ids"], strict=True))

    def scores(self, pairs: Sequence[tuple[Any, Any]], device: str) -> Any:
        """One score for each pair, as a tensor that can learn."""
        ids, there = padded([ids for ids, _ in pairs], self.tokenizer.pad_token_id, device)
        given = {"input_ids": ids, "attention_mask": there}
        if getattr(self.model.config, "type_vocab_size", 0) > 1:
            given["token_type_ids"], _ = padded([kinds for _, kinds in pairs], 0, device)
        return self.model(**given).logits[:, 0].float()

    def rerank(
        self,
        query: str,
        passages: Mapping[str, str],
        batch: int = 64,
        watch: Callable[[int], None] | None = None,
    ) -> list[tuple[str, float]]:
        """The passages with their scores, best first; equal scores by id, as text, descending.

        ``watch`` is told how many have been read.
        """
        torch, device = library("torch"), best_device()
        self.model.to(device).eval()
        pairs = self.pairs([query] * len(passages), list(passages.values())) if passages else []
        scores: list[float] = []
        with torch.inference_mode():
            for start in range(0, len(pairs), batch):
                scores += self.scores(pairs[start : start + batch], device).tolist()
                if watch:
                    watch(len(scores))
        ranked = zip(passages, scores, strict=True)
        return sorted(ranked, key=lambda pair: (pair[1], pair[0]), reverse=True)

    def save(self, folder: Path) -> None:
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        text = json.dumps(asdict(self.lengths), indent=2) + "\n"
        (folder / RERANKER_SETTINGS).write_text(text, "utf-8")


def read_lengths(folder: Path) -> PairLengths:
    """Where the folder says that texts are cut; the usual lengths where it says nothing."""
    file = folder / RERANKER_SETTINGS
    if not file.exists():
        return PairLengths()
    try:
        return PairLengths(**json.loads(file.read_text("utf-8")))
    except (ValueError, TypeError, RecursionError) as error:
        raise DataError(f"does not hold the lengths of a reranker: {error}", file=file) from error


def _longest_input(model: Any, tokenizer: Any) -> int:
    """How many tokens fit: what the tokenizer says, and how many positions the model knows."""
    known = getattr(model.config, "max_position_embeddings", None) or tokenizer.model_max_length
    return int(min(known, tokenizer.model_max_length))


def check_installed(what_for: str, *more: str) -> None:
    """Refuse early where the optional part is missing; nothing is imported."""
    if any(find_spec(name) is None for name in (*LIBRARIES, *more)):
        raise MissingExtra(EXTRA, what_for)


def library(name: str, what_for: str = "training", extra: str = EXTRA) -> Any:
    """A library of the optional part, imported now."""
    try:
        module = import_module(name)
    except ImportError as error:
        raise MissingExtra(extra, what_for) from error
    if name == "transformers":
        module.utils.logging.disable_progress_bar()
        module.utils.logging.set_verbosity_error()  # it reports every weight it leaves aside
    return module


def load_model(folder: Path, kind: str, *, seed: int = 0, **options: Any) -> Any:
    """The model of a local folder as one of transformers' kinds (`AutoModel`, …).

    A head that the folder does not have is drawn from the seed, so that two trainings from one
    folder begin with the same weights. All weights are in full precision, however they lie there:
    mixed precision is the training's business.
    """
    check_model_folder(folder)
    transformers = library("transformers")
    library("torch").manual_seed(seed)
    try:
        model = getattr(transformers, kind).from_pretrained(
            str(folder), local_files_only=True, **options
        )
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        raise DataError(f"cannot be loaded as a model: {error}", file=folder) from error
    return model.float()


def load_tokenizer(folder: Path) -> Any:
    """The tokenizer that lies with the model."""
    check_model_folder(folder)
    transformers = library("transformers")
    try:
        return transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        raise DataError(f"has no tokenizer that can be loaded: {error}", file=folder) from error


def best_device() -> str:
    """A GPU where there is one; CUDA_VISIBLE_DEVICES chooses among several."""
    return "cuda" if library("torch").cuda.is_available() else "cpu"


def padded(rows: Sequence[Sequence[int]], filler: int, device: str) -> tuple[Any, Any]:
    """Token ids as one rectangle, and where in it there is a token."""
    torch = library("torch")
    width = max(map(len, rows))
    ids = torch.full((len(rows), width), filler, dtype=torch.long)
    there = torch.zeros((len(rows), width), dtype=torch.long)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = torch.tensor(row, dtype=torch.long)
        there[number, : len(row)] = 1
    if device == "cuda":
        ids, there = ids.pin_memory(), there.pin_memory()
    return ids.to(device, non_blocking=True), there.to(device, non_blocking=True)
