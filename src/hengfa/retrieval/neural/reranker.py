"""A cross-encoder: reads the query and a passage together and says how well they fit.

It learns from groups of one relevant passage and several that a first retriever ranked high
although they are not relevant, and is to pick the first out of its group (a softmax over the list).
A folder that was trained here says where texts are cut (`hengfa_reranker.json`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hengfa.errors import DataError, UsageError
from hengfa.retrieval.neural.batches import Batches, dice, padded
from hengfa.retrieval.neural.checkpoints import Settings
from hengfa.retrieval.neural.encoder import longest_input
from hengfa.retrieval.neural.examples import CandidateChoice, LabelledQuery, fingerprint
from hengfa.retrieval.neural.libraries import (
    best_device,
    check_installed,
    library,
    load_model,
    load_tokenizer,
)
from hengfa.retrieval.neural.loop import Loss

SETTINGS = "hengfa_reranker.json"
_HEAD = "ForSequenceClassification"


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
    """A model with one score for a pair of texts."""

    def __init__(self, folder: Path, lengths: PairLengths | None = None, seed: int = 0) -> None:
        self.lengths = lengths or PairLengths()
        self.tokenizer = load_tokenizer(folder)
        self.model = load_model(
            folder, "AutoModelForSequenceClassification", seed=seed, num_labels=1
        )
        if self.model.config.num_labels != 1:
            raise UsageError(f"{folder} has {self.model.config.num_labels} scores, not one")
        self._longest = min(self.lengths.pair_tokens, longest_input(self.model, self.tokenizer))

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
        (folder / SETTINGS).write_text(text, "utf-8")


def read_lengths(folder: Path) -> PairLengths:
    """Where the folder says that texts are cut; the usual lengths where it says nothing."""
    file = folder / SETTINGS
    if not file.exists():
        return PairLengths()
    try:
        return PairLengths(**json.loads(file.read_text("utf-8")))
    except (ValueError, TypeError) as error:
        raise DataError(f"does not hold the lengths of a reranker: {error}", file=file) from error


class RerankerTraining:
    """Listwise training on groups, as a task of the training loop."""

    def __init__(
        self,
        encoder: CrossEncoder,
        queries: Sequence[LabelledQuery],
        passages: Mapping[str, str],
        *,
        hard: Mapping[str, Sequence[str]],
        negatives: int = 7,
        groups: int = 4,
        seed: int,
    ) -> None:
        self.encoder, self.model = encoder, encoder.model
        self._queries, self._passages = queries, list(passages.values())
        self._choice = CandidateChoice(queries, list(passages), negatives, hard)
        self._seed = seed
        self.batches = Batches(len(queries), groups, seed)
        self.settings: Settings = {
            "task": "reranker",
            "negatives": negatives,
            "groups": groups,
            **asdict(encoder.lengths),
            "data": fingerprint(queries, passages),
        }

    def loss(self, number: int, device: str) -> Loss:
        torch = library("torch")
        chance = dice(self._seed, number)
        groups = [(row, self._choice.group(row, chance)) for row in self.batches[number]]
        asked = [self._queries[row].text for row, group in groups for _ in group]
        offered = [self._passages[passage] for _, group in groups for passage in group]
        pairs = self.encoder.pairs(asked, offered)
        scores = self.encoder.scores(pairs, device)
        lists = scores.split([len(group) for _, group in groups])
        # The relevant passage stands first in its group.
        losses = [-torch.log_softmax(one, dim=0)[0] for one in lists]
        return Loss(torch.stack(losses).mean(), sum(len(ids) for ids, _ in pairs))

    def save(self, folder: Path) -> None:
        self.encoder.save(folder)
