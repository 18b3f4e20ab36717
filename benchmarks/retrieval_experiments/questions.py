"""STARD's questions over 58,908 national articles, without neural models.

BM25 of pairs and words as textbooks have it; then a fusion of BM25 whose settings, fields and
weights are chosen in five folds, each time on the other four; then, besides, what those four teach:
the nearest questions vote for their articles and for the laws these are of, and laws that are often
asked about count more.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence

from hengfa.law.retrieval.corpus import Corpus
from hengfa.law.retrieval.evaluating import figures_of, gains_of, run_of
from hengfa.law.retrieval.index import Index
from hengfa.law.retrieval.leakage import find_leakage
from hengfa.law.retrieval.measures import Run, Values, folds, measure, parse_measure
from hengfa.law.retrieval.methods import LEXICAL as FIXED
from hengfa.law.terminal.retrieval import show_difference, show_interval
from retrieval_experiments.candidates import (
    FIELDS,
    LAW,
    LEXICAL,
    NEAR,
    NEAR_LAW,
    TERMS,
    TEXTBOOK,
    Candidates,
    lexical_index,
)
from retrieval_experiments.choosing import Aim, Measured, Slot, nested
from retrieval_experiments.data import Questions

MEASURES = [parse_measure(one) for one in ("MRR@10", "MRR@100", "R@5", "R@10", "R@100", "nDCG@10")]
SEEDS = (0, 1, 2, 10, 11, 12)
TOO_CLOSE = 0.75
AIM = Aim(first=10, recalled=100)

LABEL_FREE = tuple(
    Slot(tuple(name for name in LEXICAL if name.startswith(terms)), (1.0, 0.5, 0.25))
    for terms in TERMS
)
TAUGHT = (
    Slot(tuple(NEAR), (0.5, 0.1, 0.25, 1.0, 2.0)),
    Slot(tuple(NEAR_LAW), (0.5, 0.1, 0.25, 1.0, 2.0)),
    Slot(tuple(LAW), (0.25, 0.1, 0.5, 1.0)),
)
"""What is tried in every fold: first how BM25 is fused, then what other questions add to that."""


def print_questions() -> None:
    """Figures with intervals; each way is compared with BM25 over pairs as textbooks have it."""
    questions = Questions()
    values: dict[str, dict[str, Values]] = {}
    for terms in TERMS:
        index = lexical_index(questions, (terms, TEXTBOOK, FIELDS[0]))
        name = f"BM25 {terms} .9/.4, law and text"
        values[name] = show(name, questions, run_of(index, questions.queries), values)
    fixed = Index.build(Corpus(tuple(questions.documents)), FIXED)
    name = "fixed fusion, tuned on these questions"
    show(name, questions, run_of(fixed, questions.queries), values)
    texts = [query.text for query in questions.queries]
    close = find_leakage(texts, texts, TOO_CLOSE, same_places=True)
    print(f"questions among themselves: {close}; they do not teach each other")
    pairs = [(one.query, one.text) for one in close.refusals]
    began = time.process_time()
    candidates = Candidates(questions)
    print(
        f"{candidates.pool.shape[1]} candidates at most, {time.process_time() - began:.0f} s of CPU"
    )
    for seed in SEEDS:
        parts = [fold.measured for fold in folds(len(questions.queries), 5, seed)]
        began = time.process_time()
        free = list(nested(parts, candidates.ask_lexical, LABEL_FREE, AIM, pairs))
        show(f"fusion, seed {seed}", questions, run_of_folds(candidates, free), values)
        chosen = [one.weights for one in free]
        taught = list(nested(parts, candidates.ask, TAUGHT, AIM, pairs, given=chosen))
        name = f"fusion and other questions, seed {seed}"
        show(name, questions, run_of_folds(candidates, taught), values)
        for one in taught:
            print(f"    chosen: {one.weights}")
        print(f"    {time.process_time() - began:.0f} s of CPU", flush=True)
        candidates.forget()
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


def run_of_folds(candidates: Candidates, done: Sequence[Measured]) -> Run:
    run: dict[str, list[tuple[str, float]]] = {}
    for one in done:
        run |= candidates.run(one.asked, one.fused, one.rows)
    return run


def show(
    name: str, questions: Questions, run: Run, before: dict[str, dict[str, Values]]
) -> dict[str, Values]:
    values = measure(run, questions.qrels, MEASURES)
    print(name)
    for key, figure in figures_of(values).items():
        print(f"    {key:<8} {show_interval(figure)}")
    for other, first in list(before.items())[:1]:
        gains = gains_of(values, first)
        for key in ("MRR@10", "R@100"):
            print(f"    {key} less {other}: {show_difference(gains[key])}", flush=True)
    return values
