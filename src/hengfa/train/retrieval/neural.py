"""Neural models in local folders, as they search: texts to vectors, and pairs of texts to scores.

A folder that was trained here says how its vectors are made (`hengfa_encoder.json`: pooling,
likeness and lengths) or where its texts are cut (`hengfa_reranker.json`). For any other model that
is chosen by the caller. `hengfa.train.recipes` makes such folders.

On a card texts are encoded in bfloat16, in batches by tokens, while the next ones are cut into
tokens; models keep their weights in full precision, for they may learn on. That is why texts do not
go through sentence-transformers here: its vectors are the same, its batches leave a card idle.

Torch and transformers are an optional part (`hengfa[train]`). Nothing here imports them before they
are used, and nothing is fetched from the internet.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from hengfa.base.errors import DataError, MissingExtra, UsageError
from hengfa.base.progress import Progress
from hengfa.law.text.bertscore import check_model_folder
from hengfa.law.text.token_rows import Numbers, TokenBudget, TokenRows, ahead, fetch, precision

T = TypeVar("T")
Vectors = npt.NDArray[np.float32]
EXTRA = "train"
LIBRARIES = ("torch", "transformers")
ENCODER_SETTINGS = "hengfa_encoder.json"
RERANKER_SETTINGS = "hengfa_reranker.json"
POOLINGS = ("cls", "mean")
LIKENESSES = ("dot", "cosine")
HEAD = "ForSequenceClassification"
_CPU_TEXTS, _CARD_TEXTS = 128, 16_384  # cut into tokens at a time


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
        self._longest = longest_input(model, tokenizer)
        self.budget = TokenBudget()

    @classmethod
    def load(
        cls, folder: Path, settings: EncoderSettings | None = None, seed: int = 0
    ) -> TextEncoder:
        """From a folder; without settings, those the folder says, else the usual ones."""
        model, tokenizer = load_model(folder, "AutoModel", seed=seed), load_tokenizer(folder)
        known = folder / ENCODER_SETTINGS
        settings = settings or _read(known, EncoderSettings, "the settings of an encoder")
        return cls(model, tokenizer, settings)

    def tokens(self, texts: Sequence[str], longest: int) -> list[list[int]]:
        """Token ids with the marks at both ends, cut at `longest` or what the model can take."""
        most = min(longest, self._longest)
        backend = getattr(self.tokenizer, "backend_tokenizer", None)
        if backend is not None:  # twice as fast as through transformers
            backend.enable_truncation(most)
            backend.no_padding()
            return [encoding.ids for encoding in backend.encode_batch_fast(list(texts))]
        encoded = self.tokenizer(
            list(texts), truncation=True, max_length=most, return_attention_mask=False
        )
        ids: list[list[int]] = encoded["input_ids"]
        return ids

    def _pooled(self, hidden: Any, there: Any) -> Any:
        if self.settings.pooling == "cls":
            vectors = hidden[:, 0].float()
        else:
            share = there.unsqueeze(-1).float()
            vectors = (hidden * share).sum(dim=1) / share.sum(dim=1)
        if self.settings.likeness == "cosine":
            vectors = library("torch").nn.functional.normalize(vectors, dim=-1)
        return vectors

    def encode(self, texts: Sequence[str], longest: int, watch: Progress | None = None) -> Vectors:
        """The vectors of texts; texts of like length are encoded together."""
        device = best_device()
        model = inferring(self.model, device)
        vectors = np.zeros((len(texts), self.model.config.hidden_size), dtype=np.float32)
        parts = ahead(self._parts(texts, longest, device))
        done = 0
        # While a part is waited for the next is computed, and the one after is cut into tokens.
        for numbers, wait in ahead((n, self._begin(model, rows, device)) for n, rows in parts):
            if watch:
                watch(done, len(texts))
            vectors[numbers] = wait()
            done += len(numbers)
        return vectors

    def _parts(
        self, texts: Sequence[str], longest: int, device: str
    ) -> Iterator[tuple[list[int], TokenRows]]:
        """Numbers of texts with their tokens, the longest first."""
        order = sorted(range(len(texts)), key=lambda number: -len(texts[number]))
        step = _CPU_TEXTS if device == "cpu" else _CARD_TEXTS
        for start in range(0, len(order), step):
            part = order[start : start + step]
            tokens = self.tokens([texts[number] for number in part], longest)
            yield part, TokenRows(tokens, self.tokenizer.pad_token_id, device)

    def _begin(self, model: Any, rows: TokenRows, device: str) -> Callable[[], Vectors]:
        """Have the vectors of some texts computed; the function waits for them."""
        torch = library("torch")
        shape = len(rows.lengths), self.model.config.hidden_size
        vectors = torch.empty(shape, device=device)

        def work(numbers: Numbers) -> None:
            places, there = rows.rectangle(numbers)
            hidden = model(input_ids=rows.ids[places], attention_mask=rows.mask(numbers, there))[0]
            vectors[rows.put(numbers)] = self._pooled(hidden, there)

        with torch.inference_mode():
            self.budget.run(rows.lengths, device, work)
            return fetch(vectors)

    def encode_queries(self, texts: Sequence[str], watch: Progress | None = None) -> Vectors:
        return self.encode(texts, self.settings.query_tokens, watch)

    def encode_passages(self, texts: Sequence[str], watch: Progress | None = None) -> Vectors:
        return self.encode(texts, self.settings.passage_tokens, watch)

    def save(self, folder: Path) -> None:
        _save(self, folder / ENCODER_SETTINGS, asdict(self.settings))


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
        # The last layer, which makes the score, computes in full precision on a card too:
        # in bfloat16 there are only some hundred scores, and many passages would share one.
        linear = library("torch").nn.Linear
        self._head = [module for module in self.model.modules() if isinstance(module, linear)][-1]
        kind = self._head.weight.dtype
        self._head.register_forward_pre_hook(lambda _, given: (given[0].to(kind),))
        self.budget = TokenBudget()
        self._longest = min(self.lengths.pair_tokens, longest_input(self.model, self.tokenizer))

    @classmethod
    def open(cls, folder: Path) -> CrossEncoder:
        """A reranker that has been trained, with its own lengths. A mere encoder is refused: its
        scores would come from weights drawn at random."""
        check_installed("reranking")
        reranker = cls(folder, read_lengths(folder))
        kinds = reranker.model.config.architectures or []
        if not any(kind.endswith(HEAD) for kind in kinds):
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

    @property
    def knows_segments(self) -> bool:
        """Whether the model is told which tokens are of the query and which of the passage."""
        return getattr(self.model.config, "type_vocab_size", 0) > 1

    def rerank(
        self, query: str, passages: Mapping[str, str], watch: Callable[[int], None] | None = None
    ) -> list[tuple[str, float]]:
        """The passages with their scores, best first; equal scores by id, as text, descending.
        ``watch`` is told how many have been read."""
        if not passages:
            return []
        torch, device = library("torch"), best_device()
        model = inferring(self.model, device, self._head)
        pairs = self.pairs([query] * len(passages), list(passages.values()))
        rows = TokenRows([ids for ids, _ in pairs], self.tokenizer.pad_token_id, device)
        kinds = rows.beside([kinds for _, kinds in pairs], 0)
        scores = torch.empty(len(pairs), device=device)
        read = 0

        def work(numbers: Numbers) -> None:
            nonlocal read
            places, there = rows.rectangle(numbers)
            mask = rows.mask(numbers, there)
            given = {"input_ids": rows.ids[places], "attention_mask": mask}
            if self.knows_segments:
                given["token_type_ids"] = kinds[places]
            scores[rows.put(numbers)] = model(**given).logits[:, 0].float()
            read += len(numbers)
            if watch:
                watch(read)

        with torch.inference_mode():
            self.budget.run(rows.lengths, device, work)
        ranked = zip(passages, scores.tolist(), strict=True)
        return sorted(ranked, key=lambda pair: (pair[1], pair[0]), reverse=True)

    def save(self, folder: Path) -> None:
        _save(self, folder / RERANKER_SETTINGS, asdict(self.lengths))


class Encoding:
    """Texts to vectors as work: an item is a list of texts."""

    def __init__(self, encoder: Path, *, queries: bool) -> None:
        self.files: Mapping[str, Path] = {"encoder": encoder}
        self._queries = queries

    def open(self, files: Mapping[str, Path]) -> Callable[[list[str]], Vectors]:
        check_installed("search by vectors")
        encoder = TextEncoder.load(files["encoder"])
        return encoder.encode_queries if self._queries else encoder.encode_passages


class Reranking:
    """Reading hits again as work: an item is a query with its passages by id."""

    def __init__(self, reranker: Path) -> None:
        self.files: Mapping[str, Path] = {"reranker": reranker}

    def open(
        self, files: Mapping[str, Path]
    ) -> Callable[[tuple[str, Mapping[str, str]]], list[tuple[str, float]]]:
        reranker = CrossEncoder.open(files["reranker"])
        return lambda item: reranker.rerank(*item)


def read_lengths(folder: Path) -> PairLengths:
    """Where the folder says that texts are cut; the usual lengths where it says nothing."""
    return _read(folder / RERANKER_SETTINGS, PairLengths, "the lengths of a reranker")


def _read(file: Path, kind: type[T], what: str) -> T:
    if not file.exists():
        return kind()
    try:
        return kind(**json.loads(file.read_text("utf-8")))
    except (ValueError, TypeError, RecursionError) as error:
        raise DataError(f"does not hold {what}: {error}", file=file) from error


def _save(trained: TextEncoder | CrossEncoder, file: Path, settings: Mapping[str, object]) -> None:
    """A model with its tokenizer, and the file beside them that says how it is used."""
    trained.model.save_pretrained(file.parent)
    trained.tokenizer.save_pretrained(file.parent)
    file.write_text(json.dumps(settings, indent=2) + "\n", "utf-8")


def longest_input(model: Any, tokenizer: Any) -> int:
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
    return _load(
        getattr(transformers, kind), folder, "cannot be loaded as a model", options
    ).float()


def load_tokenizer(folder: Path) -> Any:
    """The tokenizer that lies with the model."""
    check_model_folder(folder)
    kind = library("transformers").AutoTokenizer
    return _load(kind, folder, "has no tokenizer that can be loaded", {})


def _load(kind: Any, folder: Path, problem: str, options: Mapping[str, Any]) -> Any:
    try:
        return kind.from_pretrained(str(folder), local_files_only=True, **options)
    except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
        raise DataError(f"{problem}: {error}", file=folder) from error


def best_device() -> str:
    """A GPU where there is one; CUDA_VISIBLE_DEVICES chooses among several."""
    return "cuda" if library("torch").cuda.is_available() else "cpu"


def inferring(model: Any, device: str, *but: Any) -> Callable[..., Any]:
    """The model as it computes when it does not learn: in the precision that suits the device. Its
    own weights, and the layers named, stay as they are."""
    model.to(device).eval()
    kind = precision(device)
    if kind == model.dtype:
        return model  # type: ignore[no-any-return]
    exact = {id(weight) for layer in but for weight in layer.parameters()}
    weights = {
        name: weight.to(kind)
        for name, weight in chain(model.named_parameters(), model.named_buffers())
        if weight.is_floating_point() and id(weight) not in exact
    }
    call = library("torch").func.functional_call
    return lambda **given: call(model, weights, (), given)
