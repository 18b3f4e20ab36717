"""The measured table of judgment.md 12, made again from the shared data.

The lexical rows and the floor here; those that learn are in `benchmarks/retrieval.py table`, which
takes minutes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hengfa.law.retrieval.corpus import Corpus, Document, Example, Query
from hengfa.law.retrieval.evaluating import read_qrels
from hengfa.law.retrieval.index import Index
from hengfa.law.retrieval.measures import folds, measure, parse_measure
from hengfa.law.retrieval.methods import BM25, Frequency, Method, Neighbours, Part, TfIdf

pytestmark = pytest.mark.shared

ROWS: dict[str, Method] = {
    "text jieba tfidf cos": TfIdf("words", "text"),
    "text bigram tfidf cos": TfIdf("bigrams", "text"),
    "text jieba bm25 k1=1.2 b=0.75 lucene qtf=True": BM25("words", "text", 1.2, 0.75),
    "text jieba bm25 k1=1.5 b=0.75 okapi qtf=False": BM25(
        "words", "text", 1.5, 0.75, "okapi", repeats=False
    ),
    "text bigram bm25 k1=0.9 b=0.4 lucene qtf=True": BM25("bigrams", "text"),
    "name+text bigram bm25 k1=0.9 b=0.4 lucene qtf=True": BM25("bigrams"),
    "name+text char bm25 k1=1.5 b=0.75 okapi qtf=True": BM25(
        "characters", k1=1.5, b=0.75, rarity="okapi"
    ),
}


class Judge:
    """The test facts, the articles, the judgments and the reference."""

    def __init__(self, shared: Path) -> None:
        data = shared / "data" / "JuDGE" / "data"
        self.queries = [Query(row["text_id"], row["text"]) for row in _lines(data / "test.json")]
        self.documents = tuple(
            Document(row["text_id"], row["text"], row["name"])
            for row in _lines(data / "law_corpus.jsonl")
        )
        self.qrels = read_qrels(data / "qrels_file_test")
        self.train = read_qrels(data / "qrels_file_train")
        reference = json.loads(
            (shared / "reference" / "judge_retrieval_baselines.json").read_text()
        )
        self.rows = {r["method"]: r for r in (*reference["lexical"], *reference["supervised"])}

    def check(self, name: str, scores: np.ndarray[Any, Any]) -> None:
        wanted = {key: value for key, value in self.rows[name].items() if key != "method"}
        ids = [document.id for document in self.documents]
        run = {
            query.id: list(zip(ids, row.tolist(), strict=True))
            for query, row in zip(self.queries, scores, strict=True)
        }
        values = measure(run, self.qrels, [parse_measure(one) for one in wanted])
        assert {key: round(float(one.mean()), 4) for key, one in values.items()} == wanted


@pytest.fixture(scope="module")
def judge(shared: Path) -> Judge:
    return Judge(shared)


@pytest.mark.parametrize("name", ROWS)
def test_lexical_rows_are_equal_to_four_decimals(judge: Judge, name: str) -> None:
    index = Index.build(Corpus(judge.documents), (Part(ROWS[name]),))
    judge.check(name, index.scores([query.text for query in judge.queries]))


def test_the_floor_is_equal(judge: Judge) -> None:
    examples = tuple(Example(name, "", tuple(cited)) for name, cited in judge.train.items())
    index = Index.build(Corpus(judge.documents, examples), (Part(Frequency()),))
    judge.check("prior(train qrels)", index.scores(["" for _ in judge.queries]))


@pytest.mark.deep
def test_nearest_neighbours_in_folds_are_equal(judge: Judge) -> None:
    texts = [query.text for query in judge.queries]
    train = tuple(Example(name, "", tuple(cited)) for name, cited in judge.train.items())
    prior = Index.build(Corpus(judge.documents, train), (Part(Frequency()),)).scores([""])
    scores = np.zeros((len(texts), len(judge.documents)))
    for fold in folds(len(texts), 5, seed=0):
        examples = tuple(
            Example(judge.queries[n].id, texts[n], tuple(judge.qrels[judge.queries[n].id]))
            for n in fold.learned
        )
        index = Index.build(Corpus(judge.documents, examples), (Part(Neighbours()),))
        scores[fold.measured] = index.scores([texts[n] for n in fold.measured])
    judge.check("5-fold kNN char1-3 10", scores + 0.001 * prior)


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]
