"""The collections that retrieval is measured on, from the shared folder."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hengfa.law.retrieval.corpus import Document, Example, Query
from hengfa.law.retrieval.evaluating import read_qrels
from retrieval_experiments.articles import article_id, base_article
from shared_data import shared_folder

# From the name of the Criminal Law to the next title or the end of the sentence
_CITED = re.compile("《中华人民共和国刑法》(?P<articles>[^《。]*)")
_ARTICLE = re.compile("第[一二三四五六七八九十百零]+条(?:之[一二三四五六七八九十]+)?")


def rows(file: Path) -> Iterator[dict[str, Any]]:
    raw = file.read_bytes()
    content = gzip.decompress(raw) if file.suffix == ".gz" else raw
    for line in content.splitlines():
        yield json.loads(line)  # some rows hold NaN, which is no JSON


class Facts:
    """The 501 test facts, the 452 articles with their labels, and what there is to learn from."""

    def __init__(self) -> None:
        data = shared_folder() / "data"
        self.judge, self.corpora = data / "JuDGE" / "data", data / "corpora"
        tested = list(rows(self.judge / "test.json"))
        self.queries = [Query(row["text_id"], row["text"]) for row in tested]
        self.documents = [
            Document(row["text_id"], row["text"], row["name"])
            for row in rows(self.judge / "law_corpus.jsonl")
        ]
        self.ids = [document.id for document in self.documents]
        self.qrels = read_qrels(self.judge / "qrels_file_test")

    @cached_property
    def relevant(self) -> NDArray[np.bool_]:
        column = {name: place for place, name in enumerate(self.ids)}
        relevant = np.zeros((len(self.queries), len(self.ids)), bool)
        for row, query in enumerate(self.queries):
            relevant[row, [column[name] for name in self.qrels[query.id]]] = True
        return relevant

    @cached_property
    def precedence(self) -> NDArray[np.int64]:
        return np.argsort(np.argsort(np.array(self.ids)))

    @cached_property
    def frequency(self) -> NDArray[np.float32]:
        """For each article the share of the published training cases that cite it."""
        train = read_qrels(self.judge / "qrels_file_train")
        cited = [name for judged in train.values() for name in judged]
        return np.array([cited.count(name) / len(train) for name in self.ids], np.float32)

    @cached_property
    def all_articles(self) -> list[Document]:
        """The 505 articles of the Criminal Law, 之一 apart."""
        return [
            Document(article_id(row["article"]) or "", row["text"], row["law"] + row["article"])
            for row in rows(self.corpora / "statutes_cn" / "criminal_law_2024.jsonl.gz")
        ]

    @cached_property
    def with_appended(self) -> list[Document]:
        """The 452, each with the texts of its 之一 articles behind its own."""
        more: dict[str, str] = {}
        for one in self.all_articles:
            if "-" in one.id:
                more[base_article(one.id)] = more.get(base_article(one.id), "") + one.text
        return [Document(d.id, d.text + more.get(d.id, ""), d.name) for d in self.documents]

    @cached_property
    def cail(self) -> list[Example]:
        """Facts with their offence articles; articles that the 452 lack are left out."""
        known = set(self.ids)
        return [
            Example(f"cail{number}", row["fact"], _known(row["articles"], known), "cail")
            for number, row in enumerate(rows(self.corpora / "cail2018_sample" / "cases.jsonl.gz"))
        ]

    @cached_property
    def judgments(self) -> list[Example]:
        """Fifty judgments: their facts, and the articles that their text cites."""
        known = set(self.ids)
        found = []
        for row in rows(self.corpora / "criminal_docs" / "caseformer_demo.jsonl.gz"):
            cited = {
                base_article(article_id(article) or "")
                for span in _CITED.finditer(row["content"])
                for article in _ARTICLE.findall(span["articles"])
            }
            found.append(Example(row["id"], row["fact"], _known(cited, known), "judgments"))
        return found

    def labelled(self, places: Sequence[int]) -> list[Example]:
        """Test facts with their labels, for folds that learn from them."""
        chosen = [self.queries[place] for place in places]
        return [Example(one.id, one.text, tuple(self.qrels[one.id])) for one in chosen]


class Questions:
    """The STARD questions and the 58,908 national articles."""

    def __init__(self) -> None:
        corpora = shared_folder() / "data" / "corpora"
        self.documents = [
            Document(str(row["id"]), row["text"], row["law"] + (row["chapter"] or ""), row["law"])
            for row in rows(corpora / "statutes_cn" / "national.jsonl.gz")
        ]
        self.queries = [
            Query(str(row["qid"]), row["question"])
            for row in rows(corpora / "stard_lecoqa" / "queries.jsonl.gz")
        ]
        self.qrels = read_qrels(corpora / "stard_lecoqa" / "qrels_national.tsv")

    def labelled(self, places: Sequence[int]) -> list[Example]:
        """Questions with the articles that answer them, for folds that learn from them."""
        chosen = [self.queries[place] for place in places]
        return [Example(one.id, one.text, tuple(self.qrels[one.id])) for one in chosen]


def _known(labels: Any, known: set[str]) -> tuple[str, ...]:
    return tuple(sorted(set(map(str, labels)) & known))
