"""The parts of an index at work: how each way is built into arrays and scores from them.

All share one shape, postings: for every term the targets it speaks for, and how strongly. In BM25
and TF-IDF a target is a document; in the nearest neighbours an example, whose labels then vote; in
the linear classifier a label, the weight being its coefficient.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hengfa.retrieval import methods, weighting
from hengfa.retrieval.corpus import Corpus, Document, fields_of
from hengfa.retrieval.counting import Counts, Floats, QueryCounts, count, count_queries
from hengfa.retrieval.fitting import fit_linear
from hengfa.retrieval.terms import Integers, terms_of

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
_UNUSED = 0.05
"""A group that no example names counts as if this part of an example had named it."""

Scores: TypeAlias = NDArray[np.float32]


class Material(NamedTuple):
    """What a part is built from: targets in their order, and examples with the labels' numbers."""

    targets: Sequence[Document]
    groups: Integers  # the number of each target's group
    examples: Sequence[str]
    labels: Sequence[Sequence[int]]
    sources: Sequence[str]

    @classmethod
    def of(cls, corpus: Corpus) -> Material:
        targets = corpus.targets()
        number = {target.id: place for place, target in enumerate(targets)}
        named = {group: place for place, group in enumerate(sorted({t.group for t in targets}))}
        return cls(
            targets,
            np.array([named[target.group] for target in targets], np.int64),
            [one.text for one in corpus.examples],
            [sorted({number[label] for label in one.labels}) for one in corpus.examples],
            [one.source for one in corpus.examples],
        )

    def read(self, source: str | None) -> Material:
        """The examples of one source, or of all, that have a text to learn from."""
        kept = [
            place
            for place, text in enumerate(self.examples)
            if text.strip() and source in {None, self.sources[place]}
        ]
        return self._replace(
            examples=[self.examples[place] for place in kept],
            labels=[self.labels[place] for place in kept],
            sources=[self.sources[place] for place in kept],
        )

    def labels_at(self, level: methods.Level) -> Sequence[Sequence[int]]:
        """The labels of every example, or the groups that they are of."""
        if level == "target":
            return self.labels
        return [sorted({int(self.groups[label]) for label in one}) for one in self.labels]

    def size_at(self, level: methods.Level) -> int:
        """How many targets there are, or groups."""
        return len(self.targets) if level == "target" else int(self.groups.max(initial=-1)) + 1


def build_part(method: methods.Method, material: Material) -> dict[str, NDArray[Any]]:
    """The arrays of one part."""
    match method:
        case methods.BM25():
            counts = count(terms_of(fields_of(material.targets, method.fields), method.terms))
            weights = weighting.bm25(counts, method.k1, method.b, method.rarity)
            return _postings(counts, weights)
        case methods.TfIdf():
            texts = fields_of(material.targets, method.fields)
            return _vectors(count(terms_of(texts, method.terms), method.least), method.sublinear)
        case methods.Neighbours():
            return _neighbours(method, material.read(method.source))
        case methods.Linear():
            return _classifier(method, material.read(method.source))
        case methods.Frequency():
            return {"frequency": _frequency(method, material)}


def score_part(
    method: methods.Method, arrays: Arrays, queries: Sequence[str], targets: int
) -> Scores:
    """The scores of all targets for each query."""
    match method:
        case methods.BM25():
            counted = count_queries(terms_of(queries, method.terms), arrays["codes"])
            said = counted.times if method.repeats else np.ones(len(counted.times))
            return _sums(arrays, counted, said.astype(float), targets)
        case methods.TfIdf():
            return _cosines(method, arrays, queries, targets)
        case methods.Neighbours():
            examples = len(arrays["label_starts"]) - 1
            similar = _cosines(method, arrays, queries, examples)
            if method.level == "target":
                return _votes(method.k, arrays, similar, targets)
            groups = arrays["groups"]
            votes = _votes(method.k, arrays, similar, int(groups.max(initial=-1)) + 1)
            return np.ascontiguousarray(votes[:, groups])
        case methods.Linear():
            known = arrays["label_numbers"]
            sums = _cosines(method, arrays, queries, len(known))
            scores = np.zeros((len(queries), targets), np.float32)
            scores[:, known] = 1 / (1 + np.exp(-(sums + arrays["intercepts"])))
            return scores
        case methods.Frequency():
            return np.tile(arrays["frequency"].astype(np.float32), (len(queries), 1))


def _borne(labels: Sequence[Sequence[int]], targets: int) -> Integers:
    """How many examples bear each target."""
    flat = np.array([label for one in labels for label in one], np.int64)
    return np.bincount(flat, minlength=targets)


def _postings(counts: Counts, weights: Floats) -> dict[str, NDArray[Any]]:
    return {
        "codes": counts.codes,
        "starts": np.concatenate(([0], np.cumsum(counts.held_by))).astype(np.int64),
        "targets": counts.text.astype(np.int32),
        "weights": weights.astype(np.float32),
    }


def _vectors(counts: Counts, sublinear: bool) -> dict[str, NDArray[Any]]:
    idf = weighting.inverse_frequency(counts)
    weights = weighting.tfidf(counts, idf, sublinear=sublinear)
    return _postings(counts, weights) | {"idf": idf}


def _neighbours(method: methods.Neighbours, material: Material) -> dict[str, NDArray[Any]]:
    counts = count(terms_of(list(material.examples), method.terms), method.least)
    labels = material.labels_at(method.level)
    arrays = _vectors(counts, method.sublinear) | {
        "label_starts": np.cumsum([0, *map(len, labels)], dtype=np.int64),
        "labels": np.array([label for one in labels for label in one], np.int32),
    }
    return arrays if method.level == "target" else arrays | {"groups": material.groups}


def _frequency(method: methods.Frequency, material: Material) -> Floats:
    """The share of examples that bear each target, or the common use of its group."""
    counted = [
        labels
        for labels, source in zip(material.labels_at(method.level), material.sources, strict=True)
        if method.source in {None, source}
    ]
    borne = _borne(counted, material.size_at(method.level))
    if method.level == "target":
        return borne / max(len(counted), 1)
    used = np.log1p(borne / _UNUSED)
    return np.asarray(used / max(used.max(initial=0.0), 1e-9), float)[material.groups]


def _classifier(method: methods.Linear, material: Material) -> dict[str, NDArray[Any]]:
    """Coefficients as postings of labels; every known term speaks for or against every label."""
    borne = _borne(material.labels, len(material.targets))
    known = np.flatnonzero(borne >= max(method.examples, 1))
    counts = count(terms_of(list(material.examples), method.terms), method.least)
    idf = weighting.inverse_frequency(counts)
    weights = weighting.tfidf(counts, idf, sublinear=method.sublinear)
    bears = np.zeros((len(material.examples), len(known)), bool)
    column = {label: place for place, label in enumerate(known.tolist())}
    for row, labels in enumerate(material.labels):
        bears[row, [column[label] for label in labels if label in column]] = True
    coefficients, intercepts = fit_linear(counts, weights, bears, method.strength)
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


def _cosines(
    method: methods.TfIdf | methods.Neighbours | methods.Linear,
    arrays: Arrays,
    queries: Sequence[str],
    targets: int,
) -> Scores:
    counted = count_queries(terms_of(queries, method.terms), arrays["codes"])
    said = weighting.tfidf_of_queries(counted, arrays["idf"], sublinear=method.sublinear)
    return _sums(arrays, counted, said, targets)


def _sums(arrays: Arrays, counted: QueryCounts, said: Floats, targets: int) -> Scores:
    from hengfa.retrieval.kernel import add_up  # noqa: PLC0415 - loads numba

    scores = np.zeros((len(counted.starts) - 1, targets), np.float32)
    postings = (arrays["starts"], arrays["targets"], arrays["weights"])
    add_up(counted.starts, counted.term, said, *postings, scores)
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
