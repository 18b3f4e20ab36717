"""The measured table of judgment.md 12, made again from the data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import msgspec
import numpy as np
from numpy.typing import NDArray

from hengfa.law.grammar.numerals import parse_article
from hengfa.law.retrieval.corpus import Corpus, Document, Example
from hengfa.law.retrieval.index import Index
from hengfa.law.retrieval.measures import Measure, folds, measure, parse_measure
from hengfa.law.retrieval.methods import (
    BM25,
    Fields,
    Linear,
    Method,
    Neighbours,
    Part,
    Rarity,
    TfIdf,
)
from hengfa.law.retrieval.terms import TermKind
from retrieval_experiments.choosing import scaled
from retrieval_experiments.data import Facts
from shared_data import shared_folder

Scores = NDArray[np.float32]

COLUMNS = ("MRR@100", "P@5", "R@5", "P@10", "R@10", "R@100")
FIELDS: tuple[Fields, ...] = ("text", "name+text")
SETTINGS: tuple[tuple[float, float, Rarity], ...] = (
    (1.5, 0.75, "okapi"),
    (1.2, 0.75, "lucene"),
    (0.9, 0.4, "lucene"),
)
TERMS: dict[str, TermKind] = {"jieba": "words", "bigram": "bigrams", "char": "characters"}

# 《中华人民共和国刑法》第一百三十三条, then more articles up to the next title or sentence
_SPAN = re.compile("《(?:中华人民共和国)?刑法》(?P<articles>[^《。]*)")
_ARTICLE = re.compile("第[一二三四五六七八九十百零]+条")


def print_table() -> None:
    """Every row of the reference, ours beside it, and how many figures differ in four decimals."""
    facts = Facts()
    file = shared_folder() / "reference" / "judge_retrieval_baselines.json"
    reference = msgspec.json.decode(file.read_bytes())
    wanted = {
        row["method"]: row
        for part in ("lexical", "lexical_with_zhi_yi_articles_appended", "supervised")
        for row in reference[part]
    }
    equal = different = 0
    for name, scores in (*lexical(facts), *supervised(facts)):
        figures = figures_of(facts, scores)
        row = wanted.pop(name)
        apart = [one for one in COLUMNS if round(figures[one], 4) != row[one]]
        equal, different = equal + len(COLUMNS) - len(apart), different + len(apart)
        shown = "  ".join(f"{one} {figures[one]:.4f}" for one in COLUMNS)
        said = ", ".join(f"{one} is {row[one]:.4f} there" for one in apart)
        print(f"{name:<52}{shown}  {said}".rstrip(), flush=True)
    print(f"{equal} figures equal to four decimals, {different} different; rows not made:")
    for name in wanted:
        print(f"  {name}")


def figures_of(facts: Facts, scores: Scores) -> dict[str, float]:
    """Means over all queries; every article is ranked, also those with a score of 0."""
    run = {
        query.id: list(zip(facts.ids, row.tolist(), strict=True))
        for query, row in zip(facts.queries, scores, strict=True)
    }
    wanted: list[Measure] = [parse_measure(one) for one in COLUMNS]
    values = measure(run, facts.qrels, wanted)
    return {name: float(value.mean()) for name, value in values.items()}


def scores_of(documents: list[Document], method: Method, texts: list[str]) -> Scores:
    return Index.build(Corpus(tuple(documents)), (Part(method),)).scores(texts)


def lexical(facts: Facts) -> Iterator[tuple[str, Scores]]:
    """BM25 and TF-IDF in all variants, then with 之一 articles behind their base."""
    texts = [query.text for query in facts.queries]
    for fields, (short, terms) in product(FIELDS, TERMS.items()):
        cosine = TfIdf(terms, fields)
        yield f"{fields} {short} tfidf cos", scores_of(facts.documents, cosine, texts)
        for (k1, b, idf), repeats in product(SETTINGS, (True, False)):
            method = BM25(terms, fields, k1, b, idf, repeats)
            name = f"{fields} {short} bm25 k1={k1} b={b} {idf} qtf={repeats}"
            yield name, scores_of(facts.documents, method, texts)
    for short, terms in (("jieba", TERMS["jieba"]), ("bigram", TERMS["bigram"])):
        yield f"{short} tfidf", scores_of(facts.with_appended, TfIdf(terms), texts)
        for k1, b in ((1.2, 0.75), (0.9, 0.4)):
            name = f"{short} bm25 {k1} {b}"
            yield name, scores_of(facts.with_appended, BM25(terms, k1=k1, b=b), texts)


def supervised(facts: Facts) -> Iterator[tuple[str, Scores]]:
    """What learns from labels; five folds of the test facts, drawn with seed 0."""
    texts = [query.text for query in facts.queries]
    prior = np.tile(facts.frequency, (len(texts), 1))
    lexical_score = scaled(scores_of(facts.documents, BM25(), texts))
    yield "prior(train qrels)", prior
    for weight in (0.1, 0.2, 0.3, 0.5):
        yield f"bm25bi + prior {weight}", weight * lexical_score + (1 - weight) * prior
    cited = citations(facts)
    yield "bm25bi*.2+prior + cite", 0.2 * lexical_score + 0.8 * prior + cited
    for k in (5, 10, 20):
        near = in_folds(facts, Neighbours(k=k))
        yield f"5-fold kNN char1-3 {k}", near + 0.001 * prior
    words = in_folds(facts, Neighbours("words", k=10))
    yield "5-fold kNN jieba 10", words + 0.001 * prior
    linear = in_folds(facts, Linear())
    yield "5-fold LR jieba", linear
    near = in_folds(facts, Neighbours(k=10)) + 0.001 * prior
    for weight in (0.1, 0.2, 0.3):
        fused = linear + 0.5 * near + weight * lexical_score
        yield f"LR+kNN+bm25+cite {weight} (without citations)", fused
        yield f"LR+kNN+bm25+cite {weight} (with citations)", fused + cited


def in_folds(facts: Facts, method: Method, number: int = 5, seed: int = 0) -> Scores:
    """Scores of every fact from an index that learned from the other folds only."""
    scores = np.zeros((len(facts.queries), len(facts.ids)), np.float32)
    for fold in folds(len(facts.queries), number, seed):
        examples = facts.labelled(fold.learned.tolist())
        texts = [facts.queries[place].text for place in fold.measured]
        scores[fold.measured] = learned(facts, method, examples, texts)
    return scores


def learned(facts: Facts, method: Method, examples: list[Example], texts: list[str]) -> Scores:
    corpus = Corpus(tuple(facts.documents), tuple(examples))
    return Index.build(corpus, (Part(method),)).scores(texts)


def citations(facts: Facts) -> Scores:
    """1 for articles of the Criminal Law that a fact cites: right by the making of the labels."""
    column = {name: place for place, name in enumerate(facts.ids)}
    cited = np.zeros((len(facts.queries), len(facts.ids)), np.float32)
    for row, query in enumerate(facts.queries):
        for span in _SPAN.finditer(query.text):
            for article in _ARTICLE.findall(span["articles"]):
                read = parse_article(article)
                if read and str(read.number) in column:
                    cited[row, column[str(read.number)]] = 1
    return cited
