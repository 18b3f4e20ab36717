"""Trains retrievers on queries with the passages that answer them: dual encoders and rerankers.

A dual encoder is one encoder for queries and passages: a query near what answers it, far from the
rest. Each query of a batch is to pick its passage out of all passages of the batch: the others' and
the sampled negatives. With few passages (a criminal code has some hundred articles) all of them can
be candidates at every step. That learns more than contrast: passages that come up in one batch
after another are not pushed away for being frequent, so the scores keep how often an article
applies.

A reranker learns from groups of one relevant passage and several that a first retriever ranked high
although they are not relevant, and is to pick the first out of its group (a softmax over the list).
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hengfa.base.errors import UsageError


@dataclass(frozen=True)
class LabelledQuery:
    """A query with its relevant passages.

    `unjudged` passages are neither good nor bad for it: labels that list only offences say
    nothing about the general part of the Criminal Law, so it must not count as wrong there.
    """

    id: str
    text: str
    relevant: frozenset[str]
    unjudged: frozenset[str] = field(default=frozenset())


@dataclass(frozen=True)
class Contrast:
    """How a batch is made."""

    batch: int = 16
    negatives: int | None = 7
    """Sampled for each query; None takes all passages at every step."""


@dataclass(frozen=True)
class Candidates:
    """The passages a batch is ranked over, and what each is to each query of the batch.

    A passage that is neither positive nor negative for a query does not count there: another
    relevant passage (a false negative, if it counted), or an unjudged one.
    """

    pool: list[int]
    positive: list[list[bool]]
    negative: list[list[bool]]


class CandidateChoice:
    """Draws passages for a batch: a positive of each query, negatives, and all of them for all.

    `negatives` are drawn for each query from `hard` (the passages a first retriever ranked high)
    or from all passages; None means that every passage is a candidate at every step.
    """

    def __init__(
        self,
        queries: Sequence[LabelledQuery],
        passages: Sequence[str],
        negatives: int | None,
        hard: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        number = {name: place for place, name in enumerate(passages)}
        if len(number) < len(passages):
            raise UsageError("two passages have the same id")
        self._size, self._negatives = len(passages), negatives
        self._relevant = [sorted(number[p] for p in q.relevant if p in number) for q in queries]
        self._out = [{number[p] for p in q.relevant | q.unjudged if p in number} for q in queries]
        for query, relevant in zip(queries, self._relevant, strict=True):
            if not relevant:
                raise UsageError(f"query {query.id} has no relevant passage among those given")
        ranked = ([number[p] for p in (hard or {}).get(q.id, ()) if p in number] for q in queries)
        self._hard = [
            [passage for passage in high if passage not in out]
            for high, out in zip(ranked, self._out, strict=True)
        ]

    def group(self, query: int, dice: random.Random) -> list[int]:
        """One positive of a query, first, and its negatives."""
        positive, out = dice.choice(self._relevant[query]), self._out[query]
        wanted, hard = self._negatives or 0, self._hard[query]
        if hard:
            return [positive, *dice.sample(hard, min(wanted, len(hard)))]
        # Drawn a few too many, then those that are out are left away: no list of the rest is made.
        drawn = dice.sample(range(self._size), min(self._size, wanted + len(out)))
        return [positive, *[passage for passage in drawn if passage not in out][:wanted]]

    def batch(self, queries: Sequence[int], dice: random.Random) -> Candidates:
        """The candidates of a batch; every query's are candidates for the others too."""
        if self._negatives is None:
            pool = list(range(self._size))
            chosen = [set(self._relevant[query]) for query in queries]
        else:
            groups = [self.group(query, dice) for query in queries]
            pool = sorted({passage for group in groups for passage in group})
            chosen = [{group[0]} for group in groups]
        return Candidates(
            pool,
            [[passage in mine for passage in pool] for mine in chosen],
            [[passage not in self._out[query] for passage in pool] for query in queries],
        )


def fingerprint(queries: Sequence[LabelledQuery], passages: Mapping[str, str]) -> str:
    """Changes when anything changes that a training learns from."""
    rows = ((one.id, one.text, sorted(one.relevant), sorted(one.unjudged)) for one in queries)
    return fingerprint_of(map(repr, (*rows, *passages.items())))


def fingerprint_of(parts: Iterable[str | bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() if isinstance(part, str) else part)
    return digest.hexdigest()[:16]
