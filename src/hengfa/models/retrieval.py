"""The `retrieval` model: answers from law text and from the other samples, found by BM25.

A sample's own text is never among what it is answered from, so the figure is honest.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from hengfa.data.jsonfile import read_lines
from hengfa.retrieval.bm25 import BM25Index
from hengfa.suites.base import Baselines, Sample

PASSAGES = 5
LAW_FILE = Path("laws", "provisions.jsonl")


class Passage(msgspec.Struct, frozen=True):
    """A provision of a law, as it is found (`law`, `article`) and as it reads (`text`)."""

    law: str
    article: str
    text: str


def read_law(root: Path) -> list[Passage]:
    """The provisions of a pack's `laws/provisions.jsonl`; none if it has no such file."""
    file = root / LAW_FILE
    if not file.is_file():
        return []
    return [passage for _, passage in read_lines(file, Passage)]


def search_answers(
    baselines: Baselines[Any],
    samples: Sequence[Sample],
    law: Sequence[Passage],
    asked: Sequence[int] | None = None,
) -> list[str]:
    """What search finds among all samples, turned into a response to each of those `asked`."""
    asked = range(len(samples)) if asked is None else asked
    offers = [baselines.offer(sample) for sample in samples]
    law = law if baselines.law else ()
    found = [*(offer.found for offer in offers), *(passage.text for passage in law)]
    searched = [
        *(offer.searched for offer in offers),
        *(f"{passage.law}{passage.article}{passage.text}" for passage in law),
    ]
    queries = [baselines.query(samples[number]) for number in asked]
    hits = BM25Index(searched).search(queries, PASSAGES + 1)
    return [
        baselines.from_found(
            samples[number], [found[hit] for hit in best if hit != number][:PASSAGES]
        )
        for number, best in zip(asked, hits, strict=True)
    ]
