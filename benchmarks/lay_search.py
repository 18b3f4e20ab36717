"""How often the provision that answers a layperson's question is among the first ten hits.

    python benchmarks/lay_search.py [--library FILE]

Two sets of questions: forty of our own (tests/library/lay_questions.jsonl), and those of STARD of
which a labelled article is in force in the library, with most of the words that the label has.
Compared are the ranking of articles without and with the table of lay words, and `hengfa law
search`, which puts literal hits first.

Writes an index beside the library, else nothing. Needs the shared data (HENGFA_SHARED, or next to
the checkout).
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hengfa.errors import HengfaError
from hengfa.law.citation_positions import parse_position
from hengfa.library.article_index import articles_of
from hengfa.library.building.build import build_library
from hengfa.library.lay_words import with_legal_words
from hengfa.library.names import find_law
from hengfa.library.search import search, versions_of
from hengfa.library.store import Library
from shared_data import shared_folder

OWN = Path(__file__).resolve().parents[1] / "tests" / "library" / "lay_questions.jsonl"
TODAY = datetime.now(UTC).date()
DEPTH = 10
ALIKE = 0.6
"""So much must two texts share of their pairs of characters: else another version was labelled."""

# 劳动合同法第十九条; not 劳动合同法
LABEL = re.compile(r"(?P<law>[^第]+)(?P<article>第[^第]+)")


class Question(NamedTuple):
    text: str
    right: frozenset[str]  # ids of the index


class Articles:
    """The articles in force, and questions that they answer."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.all = articles_of(library, print)
        self.only = self.all.within(versions_of(library, None, (), TODAY, "in force on"))
        numbers = np.flatnonzero(self.only).tolist()
        self.number = {self.all.ids[number]: number for number in numbers}
        places = {name: self.all.place(number) for name, number in self.number.items()}
        self.id_at = {
            (version.law, position.article, position.article_sub): name
            for name, (version, position) in places.items()
        }

    def text(self, name: str) -> str:
        return self.all.texts[self.number[name]]

    def find(self, law: str, article: str) -> str | None:
        """The id of an article, if it is in force."""
        position = parse_position(article)
        if position is None:
            return None
        with suppress(HengfaError):
            return self.id_at.get((find_law(self.library, law).name, *position[:2]))
        return None

    def ranked(self, queries: Sequence[str]) -> list[list[str]]:
        """The ids of the articles that fit queries best, these taken as they are."""
        hits = self.all.index.search(queries, DEPTH, only=self.only)
        return [[hit.id for hit in of_query] for of_query in hits]

    def searched(self, queries: Sequence[str]) -> list[list[str]]:
        """The ids of the articles that `hengfa law search` gives."""
        return [
            [
                self.id_at.get((hit.version.law, *hit.position[:2]), "")
                for hit in search(self.library, query, on=TODAY, limit=DEPTH)
            ]
            for query in queries
        ]

    def own(self) -> Iterator[Question]:
        for line in OWN.read_text("utf-8").splitlines():
            row = json.loads(line)
            right = frozenset(self.find(row["law"], article) or "" for article in row["articles"])
            assert "" not in right, row
            yield Question(row["question"], right)

    def stard(self) -> Iterator[Question]:
        folder = shared_folder() / "data" / "corpora" / "stard_lecoqa"
        named: dict[str, str] = {}
        for row in rows(folder / "gold_articles.jsonl.gz"):
            label = LABEL.fullmatch(row["name"])
            name = label and self.find(label["law"], label["article"])
            if name and alike(row["text"], self.text(name)):
                named[row["name"]] = name
        for row in rows(folder / "queries.jsonl.gz"):
            if right := frozenset(named[name] for name in row["gold_names"] if name in named):
                yield Question(row["question"], right)


def rows(file: Path) -> Iterator[dict[str, str]]:
    yield from map(json.loads, gzip.decompress(file.read_bytes()).splitlines())


def alike(text: str, other: str) -> bool:
    pairs = [{each[at : at + 2] for at in range(len(each) - 1)} for each in (text, other)]
    return len(pairs[0] & pairs[1]) >= ALIKE * len(pairs[0] | pairs[1])


def ranks(questions: Sequence[Question], hits: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """For each question one over the rank of its first right article; 0 where there is none."""
    return np.array(
        [
            next((1 / rank for rank, name in enumerate(names, 1) if name in question.right), 0.0)
            for question, names in zip(questions, hits, strict=True)
        ]
    )


def print_row(name: str, reciprocal: NDArray[np.float64], milliseconds: float | None) -> None:
    right = int((reciprocal > 0).sum())
    first = int((reciprocal == 1).sum())
    took = "" if milliseconds is None else f"{milliseconds:.1f}"
    share = f"{right / len(reciprocal):.1%}"
    print(
        f"| {name} | {right} | {share} | {first} | {reciprocal.mean():.4f} | {took} |", flush=True
    )


def print_set(name: str, articles: Articles, questions: Sequence[Question]) -> None:
    print(f"\n| {name}: {len(questions)} | in the first ten | | first | MRR@10 | ms |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    texts = [question.text for question in questions]
    ways: dict[str, Callable[[], list[list[str]]]] = {
        "ranking of articles": lambda: articles.ranked(texts),
        "with the table of lay words": lambda: articles.ranked([*map(with_legal_words, texts)]),
        "`hengfa law search`": lambda: articles.searched(texts),
    }
    for way, find in ways.items():
        find()  # files are read the first time
        began = time.perf_counter()
        hits = find()
        took = (time.perf_counter() - began) * 1000 / len(questions)
        print_row(way, ranks(questions, hits), took)


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--library", type=Path, help="a library file, instead of building one")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = chosen.library or Path(folder) / "law.sqlite"
        if chosen.library is None:
            build_library([shared_folder() / "data" / "statutes"], file)
        with Library.open(file) as library:
            articles = Articles(library)
            own, stard = [*articles.own()], [*articles.stard()]
            print(f"{len(articles.all):,} articles, {len(articles.number):,} of them in force")
            print_set("our own", articles, own)
            print_set("STARD", articles, stard)


if __name__ == "__main__":
    main()
