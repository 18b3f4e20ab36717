"""The best fusion for the 501 test facts that uses no article cited in a fact, honestly chosen.

Five folds of the facts. For each fold everything is chosen on the other four: which parts, their
settings, their weights (:data:`SPACE`), by answers of parts that saw neither the measured fold nor
the one asked about. Facts of the CAIL sample and fifty judgments are further examples; those too
close to a test fact are removed first. Everything is done twice: with facts as they are, and with
every mention of an article taken out of them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from hengfa.law.retrieval.corpus import Example, Query
from hengfa.law.retrieval.evaluating import figures_of, gains_of
from hengfa.law.retrieval.leakage import find_leakage
from hengfa.law.retrieval.measures import STANDARD, Values, folds, measure
from hengfa.law.retrieval.methods import BM25, Linear, Method, Neighbours
from hengfa.law.terminal.retrieval import show_difference, show_interval
from retrieval_experiments.articles import without_articles
from retrieval_experiments.choosing import (
    Aim,
    Asked,
    Measured,
    Slot,
    asked_of_all,
    nested,
    scaled,
)
from retrieval_experiments.data import Facts
from retrieval_experiments.table import Scores, learned, scores_of

SEEDS = (0, 1, 2, 10, 11, 12)
TOO_CLOSE = 0.75
AIM = Aim(first=100, recalled=10)

OWN: dict[str, Method] = {
    "linear, words": Linear(),
    "linear, pairs": Linear("bigrams"),
    "near, k 10": Neighbours(k=10),
    "near, k 5": Neighbours(k=5),
    "near, k 20": Neighbours(k=20),
    "near, words, k 10": Neighbours("words", k=10),
}
"""What learns from test facts of other folds and the fifty judgments."""
CAIL: dict[str, Method] = {
    "CAIL linear": Linear(),
    "CAIL near, k 20": Neighbours(k=20),
    "CAIL near, k 10": Neighbours(k=10),
    "CAIL near, k 50": Neighbours(k=50),
}
LEXICAL: dict[str, Method] = {
    "BM25 .9/.4": BM25(),
    "BM25 1.2/.75": BM25(k1=1.2, b=0.75),
    "BM25 words": BM25("words"),
}
APPENDED = ", 之一 appended"

SPACE = (
    Slot(("linear, words", "linear, pairs"), (1.0, 0.5, 0.25, 2.0)),
    Slot(
        ("near, k 10", "near, k 5", "near, k 20", "near, words, k 10"),
        (1.0, 0.5, 0.25, 2.0),
    ),
    Slot((*LEXICAL, *(name + APPENDED for name in LEXICAL)), (0.1, 0.05, 0.2, 0.4)),
    Slot(("prior",), (0.0005, 0.02, 0.1, 0.3)),
    Slot(("CAIL linear",), (0.4, 0.1, 0.2, 0.6, 1.0)),
    Slot(("CAIL near, k 20", "CAIL near, k 10", "CAIL near, k 50"), (0.4, 0.1, 0.2, 0.6, 1.0)),
)
"""All that is tried in every fold; each slot may stay empty."""

Pairs = Collection[tuple[int, int]]


class Answers:
    """What every part says of every fact, each learning computed once."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.texts = [query.text for query in facts.queries]
        self.outside = self._outside()
        self._known: dict[bytes, dict[str, Scores]] = {}

    def _outside(self) -> dict[str, Scores]:
        """Parts that need no folds: nothing in them has seen a test fact's label."""
        facts, texts = self.facts, self.texts
        found = {"prior": np.tile(facts.frequency, (len(texts), 1))}
        for name, method in LEXICAL.items():
            found[name] = scaled(scores_of(facts.documents, method, texts))
            found[name + APPENDED] = scaled(scores_of(facts.with_appended, method, texts))
        for name, method in CAIL.items():
            found[name] = learned(facts, method, facts.cail, texts)
        return found

    def ask(self, learn: NDArray[np.int64], rows: NDArray[np.int64]) -> Asked:
        own = self._own(learn)
        scores = {name: each[rows] for name, each in (self.outside | own).items()}
        return asked_of_all(scores, self.facts.relevant[rows], self.facts.precedence)

    def _own(self, learn: NDArray[np.int64]) -> dict[str, Scores]:
        """Scores of all facts that these do not teach; theirs stay 0."""
        key = learn.tobytes()
        if key not in self._known:
            others = np.setdiff1d(np.arange(len(self.texts)), learn)
            texts = [self.texts[place] for place in others]
            examples = [*self.facts.labelled(learn.tolist()), *self.facts.judgments]
            self._known[key] = {}
            for name, method in OWN.items():
                scores = np.zeros(self.facts.relevant.shape, np.float32)
                scores[others] = learned(self.facts, method, examples, texts)
                self._known[key][name] = scores
        return self._known[key]

    def forget(self) -> None:
        """The folds of another seed share nothing with these."""
        self._known.clear()


def print_facts() -> None:
    """Figures with intervals, floor and fusion, for facts as they are and masked."""
    facts = Facts()
    close = remove_leakage(facts)
    floor = values_of(facts, np.tile(facts.frequency, (len(facts.queries), 1)))
    show("constant ranking (floor)", floor)
    for masked in (False, True):
        if masked:
            mask(facts)
        print(f"\n{'every mention of an article masked' if masked else 'facts as they are'}")
        answers = Answers(facts)
        means: list[dict[str, float]] = []
        for seed in SEEDS:
            began = time.process_time()
            parts = [fold.measured for fold in folds(len(facts.queries), 5, seed)]
            done = list(nested(parts, answers.ask, SPACE, AIM, close))
            values = values_of(facts, together(facts, done))
            show(f"fusion, seed {seed} ({time.process_time() - began:.0f} s of CPU)", values)
            gains = gains_of(values, floor)
            for key in ("MRR@100", "R@10"):
                print(f"    {key} less the floor: {show_difference(gains[key])}")
            show_choices(done)
            means.append({key: float(each.mean()) for key, each in values.items()})
            answers.forget()
        print(f"mean of seeds {SEEDS}")
        for key in means[0]:
            print(f"    {key:<8} {np.mean([one[key] for one in means]):.4f}")


def remove_leakage(facts: Facts) -> Pairs:
    """Take out examples too close to a test fact; which test facts are too close to each other."""
    texts = [query.text for query in facts.queries]
    for name, examples in (("CAIL sample", facts.cail), ("fifty judgments", facts.judgments)):
        report = find_leakage(texts, [one.text for one in examples], TOO_CLOSE)
        print(f"{name}: {report}")
        refused = report.refused()
        examples[:] = [one for place, one in enumerate(examples) if place not in refused]
    again = find_leakage(texts, texts, TOO_CLOSE, same_places=True)
    print(f"test facts among themselves: {again}; they do not teach each other")
    return [(one.query, one.text) for one in again.refusals]


def mask(facts: Facts) -> None:
    """Take every mention of an article out of all facts, also of those that are learned from."""
    facts.queries = [Query(one.id, without_articles(one.text)) for one in facts.queries]
    for examples in (facts.cail, facts.judgments):
        examples[:] = [
            Example(one.id, without_articles(one.text), one.labels, one.source) for one in examples
        ]


def together(facts: Facts, done: Sequence[Measured]) -> Scores:
    total = np.zeros(facts.relevant.shape, np.float32)
    for one in done:
        total[one.rows] = one.fused
    return total


def values_of(facts: Facts, scores: Scores) -> dict[str, Values]:
    run = {
        query.id: list(zip(facts.ids, row.tolist(), strict=True))
        for query, row in zip(facts.queries, scores, strict=True)
    }
    return measure(run, facts.qrels, STANDARD)


def show(name: str, values: dict[str, Values]) -> None:
    print(name)
    for key, figure in figures_of(values).items():
        print(f"    {key:<8} {show_interval(figure)}", flush=True)


def show_choices(done: Sequence[Measured]) -> None:
    """What was chosen, fold by fold, and how often each part was."""
    for one in done:
        print(f"    chosen: {one.weights}")
    print(f"    {dict(Counter(name for one in done for name in one.weights))}", flush=True)
