"""A service that ranks articles again for `hengfa law search`, by reranking or by embeddings.

It is reached as any endpoint is: the key goes nowhere else, redirects are not followed, a reply has
a largest size. Nothing is asked twice, and whatever fails is an error. Whether its scores can be is
checked where they are used (:mod:`hengfa.law.library.second_ranking`).
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from operator import mul
from typing import Final

import msgspec

from hengfa.base.errors import HengfaError, UsageError
from hengfa.evals.engine.endpoint import Endpoint
from hengfa.evals.engine.messages import JSONObject, Refused, Unavailable
from hengfa.evals.engine.session import run_to_end
from hengfa.evals.engine.vendors import PROVIDERS
from hengfa.evals.runs.models import Connection, open_outside

SECONDS: Final = 120.0
_AT_ONCE: Final = 10
"""DashScope embeds no more texts at a time; Text Embeddings Inference takes 32 of either kind."""
_OTHER_FIELDS: Final = 422


class _Item(msgspec.Struct):
    index: int
    relevance_score: float | None = None
    score: float | None = None
    embedding: tuple[float, ...] = ()


class _Reply(msgspec.Struct):
    results: tuple[_Item, ...] = ()
    data: tuple[_Item, ...] = ()


class RankingService:
    """Scores of texts for a question, by `/rerank` or by the cosines of `/embeddings`."""

    def __init__(self, option: str, endpoint: Endpoint, model: str) -> None:
        self.name = f"{option} {endpoint.address}"
        self._endpoint = endpoint
        self._scores = self._rerank if option == "--rerank-url" else self._embed
        self._model: JSONObject = {"model": model} if model else {}

    def scores(self, question: str, texts: Sequence[str]) -> list[tuple[int, float]]:
        async def ask() -> list[tuple[int, float]]:
            async with asyncio.timeout(SECONDS):
                return await self._scores(question, texts)

        try:
            return run_to_end(ask())
        except TimeoutError:
            raise HengfaError(f"{self.name}: no reply within {SECONDS:g} s") from None
        except (Unavailable, Refused, msgspec.ValidationError, ValueError) as error:
            raise HengfaError(f"{self.name}: {error}") from None

    async def _rerank(self, question: str, texts: Sequence[str]) -> list[tuple[int, float]]:
        fields = {**self._model, "query": question, "top_n": len(texts)}
        try:
            items = await self._ask("rerank", fields, "documents", texts, len(texts))
        except Refused as refused:
            if refused.status != _OTHER_FIELDS:
                raise
            fields = {"query": question, "truncate": True}  # Text Embeddings Inference
            items = await self._ask("rerank", fields, "texts", texts, _AT_ONCE)
        return [(item.index, _score(item)) for item in items]

    async def _embed(self, question: str, texts: Sequence[str]) -> list[tuple[int, float]]:
        items = await self._ask("embeddings", self._model, "input", [question, *texts], _AT_ONCE)
        vectors = {item.index: _unit(item.embedding) for item in items}
        lengths = set(map(len, vectors.values()))
        if not len(items) == len(vectors) == len(texts) + 1 or len(lengths) > 1:
            raise ValueError("not one vector, of one length, for each text")
        asked = vectors.pop(0)
        return [(number - 1, sum(map(mul, asked, vector))) for number, vector in vectors.items()]

    async def _ask(
        self, path: str, fields: JSONObject, field: str, texts: Sequence[str], at_once: int
    ) -> list[_Item]:
        """What it says of texts, which go so many at a time; `index` counts through all of them."""
        items: list[_Item] = []
        for start in range(0, len(texts), at_once):
            part = texts[start : start + at_once]
            said = await self._endpoint.call("POST", path, sent={**fields, field: part})
            reply = msgspec.convert(said, _Reply)
            for item in reply.results or reply.data:
                if not 0 <= item.index < len(part):
                    raise ValueError(f"there is no text {item.index} of {len(part)}")
                items.append(msgspec.structs.replace(item, index=start + item.index))
        return items


def open_ranking(option: str, url: str, model: str) -> RankingService:
    """The service at an address; for a model named PROVIDER:NAME it gets that provider's key."""
    kind, _, rest = model.partition(":")
    known = bool(rest) and kind in PROVIDERS
    connection = Connection(url, timeout=SECONDS, address_option=option)
    endpoint = open_outside(model if known else f"endpoint:{model}", connection)
    if not isinstance(endpoint, Endpoint):
        raise UsageError(f"{option} takes one address")
    return RankingService(option, endpoint, rest if known else model)


def _score(item: _Item) -> float:
    score = item.score if item.relevance_score is None else item.relevance_score
    if score is None:
        raise ValueError(f"text {item.index} has neither relevance_score nor score")
    return score


def _unit(vector: Sequence[float]) -> list[float]:
    norm = math.hypot(*vector)
    if not 0 < norm < math.inf:
        raise ValueError("a vector has no length, or one that is not finite")
    return [value / norm for value in vector]
