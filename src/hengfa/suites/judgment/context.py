"""What stands in a prompt besides the facts: an example, provisions, related judgments (spec 11).

Judgments come from a training split. Those that give away a test case are taken out of it before
anything is searched or learnt, and a line in the log says how many.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from hengfa.data.jsonfile import read_lines
from hengfa.errors import UsageError
from hengfa.retrieval.corpus import Corpus, Document, Example
from hengfa.retrieval.index import Index
from hengfa.retrieval.methods import LEXICAL, SUPERVISED
from hengfa.suites.judgment.cases import FOLDS, Case, fold_of, other_folds, read_cases
from hengfa.suites.judgment.dataset import FEW_SHOT, RAG, AskedWith, JudgmentSample, all_samples
from hengfa.suites.judgment.leaks import Leaks, find_leaks
from hengfa.suites.judgment.options import OWN_FOLDS

TRAINING_FILE: Final = Path("data", "train.json")
STATUTES_FILE: Final = Path("data", "law_corpus.jsonl")
ENOUGH_LABELLED: Final = 20
"""From so many labelled cases on it pays to learn which provisions go with which facts."""
LONGEST_CASE, SHORTEST_CASE = 2048, 400
"""Characters of a judgment that can be an example: upstream's limit, and what is no fragment."""
DEPTH: Final = 100
"""How far down the ranking of related judgments one looks for such that fit, as upstream does."""

_LOG: Final = logging.getLogger(__name__)


class Context(msgspec.Struct, frozen=True):
    """What a prompt has besides the facts, best first, with the ids of provisions and cases.

    `refused` counts the judgments that were too close to these facts.
    """

    examples: tuple[str, ...] = ()
    provisions: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    article_ids: tuple[str, ...] = ()
    case_ids: tuple[str, ...] = ()
    refused: int = 0


class Budget(msgspec.Struct, frozen=True):
    """How much may stand in a prompt."""

    provisions: int = 10
    provision_chars: int = 4_000
    cases: int = 1
    case_chars: int = LONGEST_CASE


class _Provision(msgspec.Struct, frozen=True):
    text_id: str
    text: str
    name: str = ""


class Shelf:
    """A collection of cases and the provisions, with what is needed to search them."""

    def __init__(self, cases: Sequence[Case], provisions: Sequence[Document]) -> None:
        self.cases = cases
        self.provisions = {one.id: one for one in provisions}
        facts = tuple(Document(str(number), one.fact) for number, one in enumerate(cases))
        self.by_fact = Index.build(Corpus(facts), LEXICAL)
        labelled = [(one, labels) for one in cases if (labels := self._labels(one))]
        examples = tuple(Example(one.id, one.fact, labels) for one, labels in labelled)
        learn = len(examples) >= ENOUGH_LABELLED
        corpus = Corpus(tuple(provisions), examples if learn else ())
        self.by_law = Index.build(corpus, SUPERVISED if learn else LEXICAL)

    def _labels(self, case: Case) -> tuple[str, ...]:
        """What a case applies of the provisions at hand; 133-1 is 133 where only that is there."""
        known = (one if one in self.provisions else one.partition("-")[0] for one in case.articles)
        return tuple(dict.fromkeys(one for one in known if one in self.provisions))

    def related(self, samples: Sequence[JudgmentSample], budget: Budget) -> list[Context]:
        """Provisions and related judgments for each sample."""
        facts = [sample.fact.strip() for sample in samples]
        found = self.by_law.search(facts, 4 * budget.provisions)
        near = self.by_fact.search(facts, DEPTH)
        return [
            self._context(
                [self.provisions[hit.id] for hit in laws if hit.id in self.provisions],
                [self.cases[int(hit.id)] for hit in cases],
                budget,
            )
            for laws, cases in zip(found, near, strict=True)
        ]

    def _context(self, ranked: Sequence[Document], near: Sequence[Case], budget: Budget) -> Context:
        kept: list[Document] = []
        room = budget.provision_chars
        for one in ranked:
            size = len(one.name) + len(one.text) + 1
            if len(kept) < budget.provisions and size <= room:
                kept.append(one)
                room -= size
        fitting = [case for case in near if len(case.document) <= budget.case_chars]
        shortest = sorted(near, key=lambda case: len(case.document))
        chosen = (fitting or shortest)[: budget.cases]
        return Context(
            provisions=tuple(f"{one.name}：{one.text}" for one in kept),
            cases=tuple(case.document for case in chosen),
            article_ids=tuple(one.id for one in kept),
            case_ids=tuple(case.id for case in chosen),
        )


NO_CONTEXT: Final = Context()


def context_of(sample: JudgmentSample) -> Context:
    """What the prompt of a sample has besides the facts; made for all samples at once."""
    if sample.asked_with is None or sample.method not in {FEW_SHOT, RAG}:
        return NO_CONTEXT
    return _contexts(sample.asked_with, sample.method)[sample.id]


@lru_cache(maxsize=4)
def _contexts(asked: AskedWith, method: str) -> dict[str, Context]:
    """Warnings go to standard error, for the person who runs this."""
    root = Path(asked.root)
    budget = Budget(provisions=asked.provisions, cases=asked.related)
    contexts, leaks = make_contexts(root, method, _source(root, asked.cases), budget)
    for one in leaks:
        if one.found:
            _LOG.warning("%s", one)
    return contexts


def _source(root: Path, given: str) -> str:
    """What was chosen, else upstream's training split, else the other folds of the test set."""
    file = root / TRAINING_FILE
    if given or file.is_file():
        return given or str(file)
    _LOG.warning(
        "%s is not there: judgments for the prompts come from the other fifths of the test set "
        "(--set cases=folds; --set cases=FILE takes them from a file)",
        file,
    )
    return OWN_FOLDS


def make_contexts(
    root: Path, method: str, source: str, budget: Budget
) -> tuple[dict[str, Context], list[Leaks]]:
    """A context for every sample by its id, from a file of judgments or from the other folds."""
    samples = all_samples(root)
    parts: list[tuple[Sequence[JudgmentSample], Sequence[Case]]] = [
        ([one for one in samples if fold_of(one.id) == fold], other_folds(samples, fold))
        for fold in range(FOLDS)
    ]
    if source != OWN_FOLDS:
        parts = [(samples, read_cases(Path(source)))]
    contexts: dict[str, Context] = {}
    leaks: list[Leaks] = []
    for asked, cases in parts:
        if asked:
            made, found = _part(root, asked, cases, method, budget)
            contexts |= made
            leaks.append(found)
    return contexts, leaks


def _part(
    root: Path,
    samples: Sequence[JudgmentSample],
    cases: Sequence[Case],
    method: str,
    budget: Budget,
) -> tuple[dict[str, Context], Leaks]:
    """The contexts of samples that share a collection."""
    leaks = find_leaks(samples, cases)
    refused = leaks.refused
    kept = [case for place, case in enumerate(cases) if place not in refused]
    if not kept:
        raise UsageError(f"no judgment is left for examples: {leaks}")
    if method == FEW_SHOT:
        contexts = [_example(kept)] * len(samples)
    else:
        contexts = Shelf(kept, _provisions(root / STATUTES_FILE)).related(samples, budget)
    return {
        sample.id: msgspec.structs.replace(context, refused=leaks.refused_for(sample.id))
        for sample, context in zip(samples, contexts, strict=True)
    }, leaks


def _example(cases: Sequence[Case]) -> Context:
    """One judgment for all, as in the paper: of those that fit, the one of middle length."""
    fitting = [case for case in cases if SHORTEST_CASE <= len(case.document) <= LONGEST_CASE]
    by_length = sorted(fitting, key=lambda case: len(case.document))
    nearest = min(cases, key=lambda case: abs(len(case.document) - LONGEST_CASE))
    case = by_length[len(by_length) // 2] if by_length else nearest
    return Context(examples=(case.document,), case_ids=(case.id,))


@lru_cache(maxsize=2)
def _provisions(file: Path) -> tuple[Document, ...]:
    return tuple(
        Document(row.text_id, row.text, row.name) for _, row in read_lines(file, _Provision)
    )
