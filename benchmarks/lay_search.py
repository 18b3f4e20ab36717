"""How often the provision that answers a layperson's question is among the first ten hits.

    python benchmarks/lay_search.py [--library FILE] [--learn]

Questions of our own (tests/law/library/lay_questions.jsonl): forty that the table of lay words was
made with, and 136 that were written before anybody had tried them, of which one half, told by the
question's SHA-256, was kept back when the table was extended with the other. And those of STARD of
which a labelled article is in force in the library, with most of the words that the label has.
Compared are the ranking of articles as it is, with the table of lay words and more weight for
statutes, and `hengfa law search`, which puts literal hits first.

With --learn also what could be gained if legal words, besides those of the table, were learned from
questions of STARD with their articles (IBM's first translation model): on questions that were not
learned from, once in five parts by chance, once in five parts that share no article. How many words
are added, and what they weigh, is chosen within what is learned from. Nothing of this ships.

Needs the shared data (HENGFA_SHARED, or next to the checkout). Writes an index beside the library,
else nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, lil_matrix

from hengfa.base.errors import HengfaError
from hengfa.law.grammar.citation_positions import parse_position
from hengfa.law.library.article_index import articles_of
from hengfa.law.library.building.build import build_library
from hengfa.law.library.citing.minimal_pairs import is_held_back
from hengfa.law.library.lay_words import with_legal_words
from hengfa.law.library.names import find_law
from hengfa.law.library.search import search, versions_of
from hengfa.law.library.store import Library
from hengfa.law.text.segmentation import cut
from shared_data import read_arguments, shared_folder

OWN = Path(__file__).resolve().parents[1] / "tests" / "law" / "library" / "lay_questions.jsonl"
TODAY = datetime.now(UTC).date()
FIRST = 40
DEPTH = 10
ALIKE = 0.6
"""So much must two texts share of their pairs of characters: else another version was labelled."""

PARTS = 5
SEED = 20
Setting: TypeAlias = tuple[int, float]
SETTINGS: tuple[Setting, ...] = ((0, 0.0), (10, 0.2), (10, 0.4), (30, 0.2), (30, 0.4))
"""How many learned words may be added, and what they weigh beside the question."""
ROUNDS = 5
SEEN = 3
"""What was learned from fewer questions is not used."""
COMMON = 0.05
"""Words in a larger share of articles are not learned."""

NO_WORD = ""
"""Stands in every question that is learned from: words of articles that go with none go with it."""

Words: TypeAlias = tuple[str, ...]

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

    def searched_text(self, name: str) -> str:
        """With the law and its headings."""
        return self.all.names[self.number[name]] + self.text(name)

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

    def ranked_for_laypeople(self, queries: Sequence[str]) -> list[list[str]]:
        """By lay words too, and statutes counting more."""
        hits = self.all.search(queries, DEPTH, only=self.only)
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

    def own(self, part: str) -> Iterator[Question]:
        """The first forty, or of the others those of one half."""
        for number, line in enumerate(OWN.read_text("utf-8").splitlines()):
            row = json.loads(line)
            half = "held back" if is_held_back(row["question"]) else "seen"
            if part != ("first" if number < FIRST else half):
                continue
            found = [self.find(row["law"], article) for article in row["articles"]]
            if right := frozenset(filter(None, found)):  # regulations are not in every library
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


class Learned:
    """Which words of articles go with words of questions: IBM's first translation model."""

    def __init__(self, pairs: Sequence[tuple[Words, Words]]) -> None:
        self.times = Counter(word for asked, _ in pairs for word in asked)
        self.shares: dict[str, dict[str, float]] = {}
        for _ in range(ROUNDS):
            self.shares = self._round(pairs)

    def _round(self, pairs: Sequence[tuple[Words, Words]]) -> dict[str, dict[str, float]]:
        counts: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        for asked, answers in pairs:
            known = [self.shares.get(word, {}) for word in asked]
            for answer in answers:
                weights = [shares.get(answer, 0.0) if self.shares else 1.0 for shares in known]
                total = sum(weights)
                for word, weight in zip(asked, weights, strict=True):
                    counts[word][answer] += weight / total
        return {
            word: {answer: count / sum(of_word.values()) for answer, count in of_word.items()}
            for word, of_word in counts.items()
        }

    def beside(self, asked: Words, most: int) -> list[tuple[str, float]]:
        """The words that go best with those of a question, and how well."""
        sums: defaultdict[str, float] = defaultdict(float)
        for word in asked:
            if self.times[word] >= SEEN:
                for answer, share in self.shares[word].items():
                    sums[answer] += share
        fresh = [(word, share) for word, share in sums.items() if word not in asked]
        return sorted(fresh, key=lambda pair: -pair[1])[:most]


class Learning:
    """What learned words gain on questions that were not learned from."""

    def __init__(self, articles: Articles, questions: Sequence[Question]) -> None:
        self.articles, self.questions = articles, questions
        self.names = [*articles.number]
        held = [words_of(articles.searched_text(name)) for name in self.names]
        often = Counter(word for words in held for word in words)
        column = {word: at for at, word in enumerate(often) if often[word] < COMMON * len(held)}
        self.held = {
            name: tuple(word for word in words if word in column)
            for name, words in zip(self.names, held, strict=True)
        }
        self.column = column
        self.matrix = self._matrix(often)
        self.scores = self.plain(questions)

    def _matrix(self, often: Counter[str]) -> csr_matrix:
        """For each word and article BM25, a word counting once."""
        mean = np.mean([len(words) for words in self.held.values()])
        cells = [
            (
                np.log1p(len(self.held) / often[word])
                / (1 + 1.2 * (0.25 + 0.75 * len(words) / mean)),
                self.column[word],
                at,
            )
            for at, words in enumerate(self.held.values())
            for word in words
        ]
        values, rows_, columns = zip(*cells, strict=True)
        return csr_matrix((values, (rows_, columns)), (len(often), len(self.held)), np.float32)

    def plain(self, questions: Sequence[Question]) -> NDArray[np.float32]:
        """The scores of all articles in force, by the table of lay words."""
        numbers = [*self.articles.number.values()]
        queries = [with_legal_words(question.text) for question in questions]
        steps = range(0, len(queries), 64)
        scores = (self.articles.all.index.scores(queries[at : at + 64]) for at in steps)
        return np.concatenate([each[:, numbers] for each in scores])

    def learned(self, numbers: Sequence[int]) -> Learned:
        questions = [self.questions[number] for number in numbers]
        return Learned(
            [
                ((*words_of(question.text), NO_WORD), self.held[name])
                for question in questions
                for name in sorted(question.right)
            ]
        )

    def found(
        self,
        learned: Learned,
        questions: Sequence[Question],
        scores: NDArray[np.float32],
        setting: Setting,
    ) -> NDArray[np.float64]:
        """The ranks where the scores of learned words are added to those of the table."""
        most, weight = setting
        added = lil_matrix((len(questions), self.matrix.shape[0]), dtype=np.float32)
        for at, question in enumerate(questions):
            for word, share in learned.beside(words_of(question.text), most):
                added[at, self.column[word]] = share
        extra = (added.tocsr() @ self.matrix).toarray()
        highest = extra.max(axis=1, keepdims=True)
        np.divide(extra, highest, out=extra, where=highest > 0)
        best = np.argsort(-(scores + weight * extra), axis=1, kind="stable")[:, :DEPTH]
        return ranks(questions, [[self.names[at] for at in row] for row in best.tolist()])

    def held_out(self, parts: NDArray[np.int64], *, apart: bool) -> NDArray[np.float64]:
        """The ranks of all questions, each by what was learned from other parts."""
        reciprocal = np.zeros(len(self.questions))
        for part in range(PARTS):
            tested = np.flatnonzero(parts == part).tolist()
            others = self._others(tested, np.flatnonzero(parts != part).tolist(), apart=apart)
            inner = [number for number in others if parts[number] == (part + 1) % PARTS]
            outer = self._others(inner, sorted(set(others) - set(inner)), apart=apart)
            tried = [self._found_at(self.learned(outer), inner, each) for each in SETTINGS]
            setting = SETTINGS[int(np.argmax([(each > 0).sum() for each in tried]))]
            reciprocal[tested] = self._found_at(self.learned(others), tested, setting)
        return reciprocal

    def _found_at(
        self, learned: Learned, numbers: Sequence[int], setting: Setting
    ) -> NDArray[np.float64]:
        questions = [self.questions[number] for number in numbers]
        return self.found(learned, questions, self.scores[numbers], setting)

    def _others(self, tested: list[int], others: list[int], *, apart: bool) -> list[int]:
        answers = {name for number in tested for name in self.questions[number].right}
        return [n for n in others if not (apart and self.questions[n].right & answers)]


def print_learned(articles: Articles, own: Sequence[Question], stard: Sequence[Question]) -> None:
    learning = Learning(articles, stard)
    random = np.random.default_rng(SEED)
    chance = random.permutation(len(stard)) % PARTS
    firsts = np.unique([min(question.right) for question in stard], return_inverse=True)[1]
    apart = (random.permutation(firsts.max() + 1) % PARTS)[firsts]
    print("\n| table and learned words | in the first ten | | first | MRR@10 | ms |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    print_row("STARD, parts by chance", learning.held_out(chance, apart=False), None)
    print_row("STARD, parts that share no article", learning.held_out(apart, apart=True), None)
    learned, scores = learning.learned(range(len(stard))), learning.plain(own)
    for setting in SETTINGS:
        most, weight = setting
        reciprocal = learning.found(learned, own, scores, setting)
        print_row(f"our own, {most} words that weigh {weight}", reciprocal, None)


def words_of(text: str) -> Words:
    """The words of a text, each once, without single characters."""
    return tuple(dict.fromkeys(word for word in cut(text) if len(word) > 1))


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
        "with the table of lay words": lambda: articles.ranked_for_laypeople(texts),
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
    options.add_argument("--learn", action="store_true", help="learned words too: some minutes")
    chosen = read_arguments(options)
    with tempfile.TemporaryDirectory() as folder:
        file = chosen.library or Path(folder) / "law.sqlite"
        if chosen.library is None:
            build_library([shared_folder() / "data" / "statutes"], file)
        with Library.open(file) as library:
            articles = Articles(library)
            own, stard = [*articles.own("first")], [*articles.stard()]
            print(f"{len(articles.all):,} articles, {len(articles.number):,} of them in force")
            print_set("our own, first", articles, own)
            for half in ("seen", "held back"):
                print_set(f"our own, {half}", articles, [*articles.own(half)])
            print_set("STARD", articles, stard)
            if chosen.learn:
                print_learned(articles, own, stard)


if __name__ == "__main__":
    main()
