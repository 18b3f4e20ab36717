"""Trains one encoder for queries and passages: a query near what answers it, far from the rest.

Each query of a batch is to pick its passage out of all passages of the batch: the others' and the
sampled negatives. With few passages (a criminal code has some hundred articles) all of them can be
candidates at every step. That learns more than contrast: passages that come up in one batch after
another are not pushed away for being frequent, so the scores keep how often an article applies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hengfa.retrieval.neural.batches import Batches, dice
from hengfa.retrieval.neural.checkpoints import Settings
from hengfa.retrieval.neural.encoder import TextEncoder
from hengfa.retrieval.neural.examples import CandidateChoice, LabelledQuery, fingerprint
from hengfa.retrieval.neural.libraries import library
from hengfa.retrieval.neural.loop import Loss

_NO_CANDIDATE = -1e9
"""Instead of minus infinity, whose gradient is no number where a row has no negative at all."""


@dataclass(frozen=True)
class Contrast:
    """How a batch is made."""

    batch: int = 16
    negatives: int | None = 7
    """Sampled for each query; None takes all passages at every step."""


def contrastive_loss(scores: Any, positive: Any, negative: Any) -> Any:
    """-log of the share of each positive among itself and the negatives of its query, averaged.

    Other positives of the query are left out of the sum: they do not compete with each other.
    """
    torch = library("torch")
    scores = scores.float()
    rest = scores.masked_fill(~negative, _NO_CANDIDATE).logsumexp(dim=1, keepdim=True)
    # -log(e^s / (e^s + e^rest)) = log(1 + e^(rest - s))
    losses = torch.nn.functional.softplus(rest - scores) * positive
    return (losses.sum(dim=1) / positive.sum(dim=1).clamp(min=1)).mean()


class DualEncoderTraining:
    """Contrastive training, as a task of the training loop."""

    def __init__(
        self,
        encoder: TextEncoder,
        queries: Sequence[LabelledQuery],
        passages: Mapping[str, str],
        contrast: Contrast,
        *,
        seed: int,
        hard: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.encoder, self.model = encoder, encoder.model
        self._choice = CandidateChoice(queries, list(passages), contrast.negatives, hard)
        self._seed = seed
        kind = encoder.settings
        self._queries = encoder.tokens([query.text for query in queries], kind.query_tokens)
        self._passages = encoder.tokens(list(passages.values()), kind.passage_tokens)
        self.batches = Batches(len(queries), contrast.batch, seed)
        self.settings: Settings = {
            "task": "dual encoder",
            **asdict(contrast),
            **asdict(kind),
            "hard": hard is not None,
            "data": fingerprint(queries, passages),
        }

    def loss(self, number: int, device: str) -> Loss:
        torch = library("torch")
        rows = self.batches[number]
        drawn = self._choice.batch(rows, dice(self._seed, number))
        asked = [self._queries[row] for row in rows]
        offered = [self._passages[passage] for passage in drawn.pool]
        queries = self.encoder.vectors(asked, device)
        passages = self.encoder.vectors(offered, device)
        scores = queries @ passages.T / self.encoder.settings.temperature
        positive, negative = (
            torch.tensor(mask, device=device) for mask in (drawn.positive, drawn.negative)
        )
        value = contrastive_loss(scores, positive, negative)
        return Loss(value, sum(map(len, asked)) + sum(map(len, offered)))

    def save(self, folder: Path) -> None:
        self.encoder.save(folder)
