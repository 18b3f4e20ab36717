"""The ways to find: their settings, how each is built into arrays, and how it scores from them.

Every way gives each target (a provision, an article, a case) a score for a query; a higher one is
better and one of 0 is no hit. A plan is one way or several whose scores are added with weights.

All share one shape, postings: for every term the targets it speaks for, and how strongly. In BM25
and TF-IDF a target is a document; in the nearest neighbours an example, whose labels then vote; in
the linear classifier a label, the weight being its coefficient. Only the classifier needs
scikit-learn, and only when it is built (extra `retrieval`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from hengfa.base.errors import MissingExtra
from hengfa.law.retrieval.corpus import Corpus, Document, Example, fields_of
from hengfa.law.retrieval.terms import (
    Counts,
    Floats,
    Integers,
    QueryCounts,
    TermKind,
    count,
    count_queries,
    terms_of,
)

if TYPE_CHECKING:
    from hengfa.law.retrieval.folder import IndexFolder

Fields: TypeAlias = Literal["text", "name+text"]
Scale: TypeAlias = Literal["none", "max"]
"""Scores as they are, or divided by the query's highest, so that different ways can be added."""

Level: TypeAlias = Literal["target", "group"]
"""Whether labels speak for themselves, or for everything in their group (the whole law)."""

Rarity: TypeAlias = Literal["lucene", "okapi"]
"""How the rarity of a term counts: log(1 + …), never below 0; or log(…) as in rank_bm25, where what
falls below 0 (a term in more than half of the texts) is a quarter of the mean of all terms."""


class BM25(msgspec.Struct, frozen=True, tag="bm25"):
    """Words shared, rare ones counting more. k1 .9 and b .4 find statutes better than 1.2 and .75.

    ``repeats``: a term that the query says twice counts twice, which long facts profit from.
    """

    terms: TermKind = "bigrams"
    fields: Fields = "name+text"
    k1: float = 0.9
    b: float = 0.4
    rarity: Rarity = "lucene"
    repeats: bool = True


class TfIdf(msgspec.Struct, frozen=True, tag="tfidf"):
    """The cosine of TF-IDF vectors. ``least``: terms of fewer texts are dropped."""

    terms: TermKind = "bigrams"
    fields: Fields = "name+text"
    sublinear: bool = False
    least: int = 1


class Neighbours(msgspec.Struct, frozen=True, tag="knn"):
    """The labels of the k most similar examples, each voting with its share of the similarity."""

    terms: TermKind = "grams"
    k: int = 10
    sublinear: bool = True
    least: int = 2
    level: Level = "target"
    source: str | None = None


class Linear(msgspec.Struct, frozen=True, tag="linear"):
    """A logistic regression for each label on TF-IDF. ``strength`` is the C of scikit-learn.

    A label that fewer than ``examples`` examples bear is never given.
    """

    terms: TermKind = "words"
    strength: float = 10.0
    sublinear: bool = True
    least: int = 2
    examples: int = 1
    source: str | None = None


class Frequency(msgspec.Struct, frozen=True, tag="frequency"):
    """How often the examples bear a label, whatever the query says: the floor of any comparison.

    Of groups the logarithm counts, from 0 for one that no example names to 1 for the commonest.
    """

    level: Level = "target"
    source: str | None = None


Method: TypeAlias = BM25 | TfIdf | Neighbours | Linear | Frequency


class Part(msgspec.Struct, frozen=True):
    """One way in a plan, and what its scores count."""

    method: Method
    weight: float = 1.0
    scale: Scale = "none"


Plan: TypeAlias = tuple[Part, ...]
LEXICAL: Final = (
    Part(BM25("bigrams", k1=1.2, b=0.75), 0.65, "max"),
    Part(BM25("words", k1=1.2, b=0.75), 0.35, "max"),
)
SUPERVISED: Final = (
    Part(Linear()),
    Part(Neighbours(), 0.5),
    Part(Frequency(), 0.0005),
    Part(BM25(), 0.1, "max"),
)
NAMED: Final[dict[str, Plan]] = {
    "bm25-bigrams": (Part(BM25("bigrams")),),
    "bm25-words": (Part(BM25("words")),),
    "tfidf": (Part(TfIdf()),),
    "frequency": (Part(Frequency()),),
    "knn": (Part(Neighbours()),),
    "linear": (Part(Linear()),),
    "fusion": LEXICAL,
}
"""What `--method` can name. With labelled examples `fusion` is :data:`SUPERVISED`."""


def needs_examples(plan: Plan) -> bool:
    return any(isinstance(part.method, Neighbours | Linear | Frequency) for part in plan)


Arrays: TypeAlias = Mapping[str, NDArray[Any]]
Scores: TypeAlias = NDArray[np.float32]
_UNUSED = 0.05
"""A group that no example names counts as if this part of an example had named it."""

_SEED = 0  # of the solver's order of coordinates
_OKAPI_FLOOR = 0.25


class Material(NamedTuple):
    """What a part is built from: targets, examples, and the places of targets by their ids."""

    targets: Sequence[Document]
    places: Mapping[str, int]
    groups: Integers  # the number of each target's group
    examples: Sequence[Example]

    @classmethod
    def of(cls, corpus: Corpus) -> Material:
        targets = corpus.targets()
        places = {target.id: place for place, target in enumerate(targets)}
        named = {group: place for place, group in enumerate(sorted({t.group for t in targets}))}
        groups = np.array([named[target.group] for target in targets], np.int64)
        return cls(targets, places, groups, corpus.examples)

    def read(self, source: str | None) -> Material:
        """The examples of one source, or of all, that have a text to learn from."""
        kept = [
            each for each in self.examples if each.text.strip() and source in {None, each.source}
        ]
        return self._replace(examples=kept)

    def counts(self, terms: TermKind, least: int) -> Counts:
        return count(terms_of([example.text for example in self.examples], terms), least)

    def labels_at(self, level: Level) -> list[list[int]]:
        """The labels of every example, or the groups that they are of."""
        borne = [{self.places[label] for label in example.labels} for example in self.examples]
        if level == "group":
            borne = [{int(self.groups[place]) for place in places} for places in borne]
        return [sorted(places) for places in borne]

    def size_at(self, level: Level) -> int:
        return len(self.targets) if level == "target" else int(self.groups.max(initial=-1)) + 1


def build_part(method: Method, material: Material) -> dict[str, NDArray[Any]]:
    match method:
        case BM25():
            counts = count(terms_of(fields_of(material.targets, method.fields), method.terms))
            return _postings(counts, _bm25(counts, method))
        case TfIdf():
            texts = fields_of(material.targets, method.fields)
            return _vectors(count(terms_of(texts, method.terms), method.least), method.sublinear)
        case Neighbours():
            read = material.read(method.source)
            labels = read.labels_at(method.level)
            arrays = _vectors(read.counts(method.terms, method.least), method.sublinear) | {
                "label_starts": np.cumsum([0, *map(len, labels)], dtype=np.int64),
                "labels": np.array([label for borne in labels for label in borne], np.int32),
            }
            return arrays if method.level == "target" else arrays | {"groups": read.groups}
        case Linear():
            return _classifier(method, material.read(method.source))
        case Frequency():
            return {"frequency": _frequency(method, material)}


def check_part(method: Method, folder: IndexFolder, number: int, targets: int) -> None:
    """Refuse arrays of a part that scoring could not use: another kind, length or place."""
    match method:
        case BM25() | TfIdf():
            terms = _check_postings(folder, number, targets)
        case Neighbours():
            groups = targets
            if method.level == "group":
                column = folder.column(f"{number}.groups", np.int64, targets, below=targets)
                groups = int(column.max(initial=-1)) + 1
            labels = f"{number}.labels"
            examples = folder.starts(f"{number}.label_starts", labels, np.int32)
            folder.column(labels, np.int32, below=groups)
            terms = _check_postings(folder, number, examples)
        case Linear():
            known = len(folder.column(f"{number}.label_numbers", np.int64, below=targets))
            folder.column(f"{number}.intercepts", np.float64, known)
            terms = _check_postings(folder, number, known)
        case Frequency():
            folder.column(f"{number}.frequency", np.float64, targets)
            return
    if not isinstance(method, BM25):
        folder.column(f"{number}.idf", np.float64, terms)


def _check_postings(folder: IndexFolder, number: int, targets: int) -> int:
    spoken_for = f"{number}.targets"
    terms = folder.starts(f"{number}.starts", spoken_for, np.int32)
    folder.column(f"{number}.codes", np.uint64, terms)
    postings = folder.column(spoken_for, np.int32, below=targets)
    folder.column(f"{number}.weights", np.float32, len(postings))
    return terms


def score_part(method: Method, arrays: Arrays, queries: Sequence[str], targets: int) -> Scores:
    match method:
        case BM25():
            counted = count_queries(terms_of(queries, method.terms), arrays["codes"])
            said = counted.times if method.repeats else np.ones(len(counted.times))
            return _sums(arrays, counted, said.astype(float), targets)
        case TfIdf():
            return _cosines(method, arrays, queries, targets)
        case Neighbours():
            examples = len(arrays["label_starts"]) - 1
            similar = _cosines(method, arrays, queries, examples)
            if method.level == "target":
                return _votes(method.k, arrays, similar, targets)
            groups = arrays["groups"]
            votes = _votes(method.k, arrays, similar, int(groups.max(initial=-1)) + 1)
            return np.ascontiguousarray(votes[:, groups])
        case Linear():
            known = arrays["label_numbers"]
            sums = _cosines(method, arrays, queries, len(known))
            scores = np.zeros((len(queries), targets), np.float32)
            scores[:, known] = 1 / (1 + np.exp(-(sums + arrays["intercepts"])))
            return scores
        case Frequency():
            return np.tile(arrays["frequency"].astype(np.float32), (len(queries), 1))


def _postings(counts: Counts, weights: Floats) -> dict[str, NDArray[Any]]:
    return {
        "codes": counts.codes,
        "starts": np.concatenate(([0], np.cumsum(counts.held_by))).astype(np.int64),
        "targets": counts.text.astype(np.int32),
        "weights": weights.astype(np.float32),
    }


def _vectors(counts: Counts, sublinear: bool) -> dict[str, NDArray[Any]]:
    idf = _inverse_frequency(counts)
    weights = _tfidf(counts, counts.text, counts.texts, idf, sublinear)
    return _postings(counts, weights) | {"idf": idf}


def _frequency(method: Frequency, material: Material) -> Floats:
    """The share of examples that bear each target, or the common use of its group."""
    kept = [each for each in material.examples if method.source in {None, each.source}]
    counted = material._replace(examples=kept).labels_at(method.level)
    borne = _borne(counted, material.size_at(method.level))
    if method.level == "target":
        return borne / max(len(counted), 1)
    used = np.log1p(borne / _UNUSED)
    return np.asarray(used / max(used.max(initial=0.0), 1e-9), float)[material.groups]


def _borne(labels: Sequence[Sequence[int]], targets: int) -> Integers:
    flat = np.array([label for borne in labels for label in borne], np.int64)
    return np.bincount(flat, minlength=targets)


def _classifier(method: Linear, material: Material) -> dict[str, NDArray[Any]]:
    """Coefficients as postings of labels; every known term speaks for or against every label."""
    labels = material.labels_at("target")
    borne = _borne(labels, len(material.targets))
    known = np.flatnonzero(borne >= max(method.examples, 1))
    counts = material.counts(method.terms, method.least)
    idf = _inverse_frequency(counts)
    weights = _tfidf(counts, counts.text, counts.texts, idf, method.sublinear)
    bears = np.zeros((len(material.examples), len(known)), bool)
    column = {label: place for place, label in enumerate(known.tolist())}
    for row, named in enumerate(labels):
        bears[row, [column[label] for label in named if label in column]] = True
    coefficients, intercepts = _fit_linear(counts, weights, bears, method.strength)
    terms = len(counts.codes)
    return {
        "codes": counts.codes,
        "starts": np.arange(terms + 1, dtype=np.int64) * len(known),
        "targets": np.tile(np.arange(len(known), dtype=np.int32), terms),
        "weights": coefficients.astype(np.float32).ravel(),
        "idf": idf,
        "label_numbers": known.astype(np.int64),
        "intercepts": intercepts,
    }


def _fit_linear(
    counts: Counts, weights: Floats, bears: NDArray[np.bool_], strength: float
) -> tuple[Floats, Floats]:
    """Coefficients (terms by labels) and intercepts of one logistic regression for each label.

    A label that every example bears has nothing to be told apart from: its coefficients are 0 and
    its intercept is the log-odds of its frequency, smoothed by one example either way.
    """
    try:
        from scipy.sparse import csr_matrix  # noqa: PLC0415 - an extra
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("retrieval", "the linear classifier") from error
    shape = (counts.texts, len(counts.codes))
    texts: Any = csr_matrix((weights, (counts.text, counts.term)), shape=shape)
    coefficients = np.zeros((shape[1], bears.shape[1]))
    intercepts = np.zeros(bears.shape[1])
    for label in range(bears.shape[1]):
        borne = int(bears[:, label].sum())
        if borne == counts.texts or not shape[1]:
            intercepts[label] = np.log((borne + 1) / (counts.texts - borne + 1))
            continue
        model = LogisticRegression(C=strength, solver="liblinear", random_state=_SEED)
        model.fit(texts, bears[:, label])
        coefficients[:, label], intercepts[label] = model.coef_[0], model.intercept_[0]
    return coefficients, intercepts


def _cosines(
    method: TfIdf | Neighbours | Linear, arrays: Arrays, queries: Sequence[str], targets: int
) -> Scores:
    counted = count_queries(terms_of(queries, method.terms), arrays["codes"])
    query = np.repeat(np.arange(len(queries)), np.diff(counted.starts))
    said = _tfidf(counted, query, len(queries), arrays["idf"], method.sublinear)
    return _sums(arrays, counted, said, targets)


def _sums(arrays: Arrays, counted: QueryCounts, said: Floats, targets: int) -> Scores:
    """For every query and target the sum over shared terms of weight in query times weight there.

    In single precision and in the order of the query's terms, so that equal scores stay equal.
    """
    scores = np.zeros((len(counted.starts) - 1, targets), np.float32)
    said = said.astype(np.float32)
    places, weights = arrays["targets"], arrays["weights"]
    for query, row, held in counted.postings(arrays["starts"]):
        np.add.at(scores[query], places[held], said[row] * weights[held])
    return scores


def _votes(k: int, arrays: Arrays, similar: Scores, targets: int) -> Scores:
    """The labels of the k nearest examples; of equally near ones the first ones vote."""
    scores = np.zeros((len(similar), targets), np.float32)
    starts, labels = arrays["label_starts"], arrays["labels"]
    nearest = np.argsort(-similar, axis=1, kind="stable")[:, :k]
    near = np.take_along_axis(similar, nearest, axis=1)
    total = near.sum(axis=1, keepdims=True)
    shares = np.divide(near, total, out=np.zeros_like(near), where=total > 0)
    for query, (examples, votes) in enumerate(zip(nearest, shares, strict=True)):
        for example, vote in zip(examples, votes, strict=True):
            scores[query, labels[starts[example] : starts[example + 1]]] += vote
    return scores


def _bm25(counts: Counts, method: BM25) -> Floats:
    """The weight of every row of the counts; that of a query's term is how often it says it."""
    held_by, texts = counts.held_by, counts.texts
    if method.rarity == "lucene":
        idf = np.log1p((texts - held_by + 0.5) / (held_by + 0.5))
    else:
        idf = np.log(texts - held_by + 0.5) - np.log(held_by + 0.5)
        idf = np.where(idf < 0, _OKAPI_FLOOR * idf.mean(), idf) if len(idf) else idf
    mean = counts.lengths.mean() if texts else 0.0
    lengths = counts.lengths / mean if mean else np.zeros(texts)
    damping = method.k1 * (1 - method.b + method.b * lengths)
    saturated = counts.times * (method.k1 + 1) / (counts.times + damping[counts.text])
    return (idf[counts.term] * saturated).astype(float)


def _inverse_frequency(counts: Counts) -> Floats:
    """The idf of TF-IDF, smoothed as if one more text held every term (scikit-learn's)."""
    return np.log((1 + counts.texts) / (1 + counts.held_by)) + 1


def _tfidf(
    counts: Counts | QueryCounts, text: Integers, texts: int, idf: Floats, sublinear: bool
) -> Floats:
    """The weight of every row, given its text; all weights of a text together have length 1.

    Terms of queries that the vocabulary does not know do not lengthen them.
    """
    times = 1 + np.log(counts.times) if sublinear else counts.times.astype(float)
    weights = times * idf[counts.term]
    squares = np.bincount(text, weights * weights, minlength=texts)
    return np.asarray(weights / np.sqrt(squares)[text], float)
