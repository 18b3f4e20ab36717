"""Sample to messages, in our own words, with what a prompt has besides the facts (judgment.md 11).

Each method of asking has a text of its own in `prompts.toml`. What it needs besides the facts (an
example for few-shot, provisions and related judgments for retrieval) comes as `context`. Judgments
come from a training split. Those that give away a test case are taken out of it before anything is
searched or learnt, and a line in the log says how many.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np

from hengfa.base.data.jsonfile import read_lines, read_toml
from hengfa.base.data.output import MANIFEST
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.engine.messages import Message
from hengfa.evals.suites.base import Chosen
from hengfa.evals.suites.judgment import dataset
from hengfa.evals.suites.judgment.cases import (
    FOLDS,
    Case,
    Leaks,
    case_of,
    find_leaks,
    fold_of,
    read_cases,
)
from hengfa.evals.suites.judgment.dataset import DIRECT, FEW_SHOT, RAG, AskedWith, JudgmentSample
from hengfa.law.retrieval.corpus import Corpus, Document, Example
from hengfa.law.retrieval.index import Index
from hengfa.law.retrieval.methods import LEXICAL, SUPERVISED
from hengfa.law.retrieval.opening import Searcher, open_index

WORDS: Final = read_toml(Path(__file__).with_suffix(".toml"), dict[str, str])


class Context(msgspec.Struct, frozen=True):
    """What a prompt has besides the facts, best first, with the ids of provisions and cases.
    `refused` counts the judgments that were too close to these facts."""

    examples: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    provisions: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    article_ids: tuple[str, ...] = ()
    case_ids: tuple[str, ...] = ()
    refused: int = 0


def _shown(context: Context) -> dict[str, str]:
    """The words of a prompt besides the facts, by their places in it."""
    cases, provisions = enumerate(context.cases, 1), enumerate(context.provisions, 1)
    return {
        "examples": "\n\n".join(context.examples or context.pairs),
        "cases": "\n\n".join(f"【相关判决书{number}】\n{text}" for number, text in cases),
        "provisions": "\n".join(f"{number}. {text}" for number, text in provisions),
    }


def sample_prompt(sample: JudgmentSample, _setting: str = "") -> tuple[Message, ...]:
    """The question by the method of the sample's setting."""
    return prompt_with(sample, context_of(sample))


def prompt_with(sample: JudgmentSample, context: Context) -> tuple[Message, ...]:
    """The question with what stands in it besides the facts."""
    text = WORDS[sample.method].format(
        fact=sample.fact.strip(),
        opening=WORDS["to_learn_from" if context.pairs else "for_the_form"],
        wanted=WORDS["wanted"],
        **_shown(context),
    )
    return Message("system", WORDS["system"]), Message("user", text)


def _of(method: str, place: str) -> Callable[[JudgmentSample], str]:
    """A field that only the prompts of one method have."""

    def field(sample: JudgmentSample) -> str:
        if sample.method != method:
            raise UsageError(f"--prompts: a field is of the setting {method}, not {sample.method}")
        return _shown(context_of(sample))[place]

    return field


FIELDS: Final[Mapping[str, Callable[[JudgmentSample], str]]] = {
    "fact": lambda sample: sample.fact.strip(),
    "examples": _of(FEW_SHOT, "examples"),
    "cases": _of(RAG, "cases"),
    "provisions": _of(RAG, "provisions"),
}


# What stands in a prompt besides the facts

TRAINING_FILE: Final = Path("data", "train.json")
STATUTES_FILE: Final = Path("data", "law_corpus.jsonl")
ENOUGH_LABELLED: Final = 20
"""From so many labelled cases on it pays to learn which provisions go with which facts."""
_LONGEST_CASE, _SHORTEST_CASE = 2048, 400
"""Characters of a judgment that can be an example: upstream's limit, and what is no fragment."""
PROVISION_CHARS: Final = 4_000  # so much of provisions there is room for
_DEPTH: Final = 100
"""How far down the ranking of related judgments one looks for such that fit, as upstream does."""

_LOG: Final = logging.getLogger(__name__)


def context_of(sample: JudgmentSample) -> Context:
    """What the prompt of a sample has besides the facts; made for all samples at once."""
    asked = sample.asked_with
    if asked is None or sample.method not in {FEW_SHOT, RAG}:
        return Context()
    root = Path(asked.root)
    files = [root / name for name in (dataset.TEST_FILE, TRAINING_FILE, STATUTES_FILE)]
    files += [Path(asked.cases), Path(asked.law_index, MANIFEST), Path(asked.case_index, MANIFEST)]
    # what was made of an older state of the files does not count
    changed = tuple(file.stat().st_mtime_ns for file in files if file.is_file())
    return _contexts(asked, sample.method, changed)[sample.id]


def statutes_in_prompt(sample: JudgmentSample) -> float:
    """How many of the articles that the court's document cites stood in the prompt, of all."""
    gold = set(map(str, sample.articles))
    return len(gold.intersection(context_of(sample).article_ids)) / len(gold) if gold else 0.0


@lru_cache(maxsize=4)
def _contexts(asked: AskedWith, method: str, _changed: tuple[int, ...]) -> dict[str, Context]:
    """Warnings go to standard error, for the person who runs this."""
    contexts, leaks = make_contexts(asked, method)
    for part_leaks in leaks:
        if part_leaks.each:
            _LOG.warning("%s", part_leaks)
    return contexts


def make_contexts(asked: AskedWith, method: str) -> tuple[dict[str, Context], list[Leaks]]:
    """A context for every sample by its id, from the judgments that were chosen, else from
    upstream's training split, else from the other folds of the test set."""
    samples = dataset.all_samples(Path(asked.root))
    file = Path(asked.root) / TRAINING_FILE
    source = asked.cases or str(file)
    if not asked.cases and not file.is_file():
        source = dataset.OWN_FOLDS
        _LOG.warning(
            "%s is not there: judgments for the prompts come from the other fifths of the test set "
            "(--set cases=folds; --set cases=FILE takes them from a file)",
            file,
        )
    if source == dataset.OWN_FOLDS:
        parts = by_folds(samples, list(map(case_of, samples)))
    else:
        parts = [(samples, read_cases(Path(source)))]
    return contexts_of(parts, method, asked)


_Part: TypeAlias = tuple[Sequence[JudgmentSample], Sequence[Case]]
"""Samples, and the judgments that may stand in their prompts."""


def by_folds(samples: Sequence[JudgmentSample], cases: Sequence[Case]) -> list[_Part]:
    """The samples of each fold with the cases of the others."""
    return [
        (asked, [case for case in cases if fold_of(case.id) != fold])
        for fold in range(FOLDS)
        if (asked := [sample for sample in samples if fold_of(sample.id) == fold])
    ]


def contexts_of(
    parts: Sequence[_Part], method: str, asked: AskedWith
) -> tuple[dict[str, Context], list[Leaks]]:
    """A context for every sample of some parts by its id, and what was refused in each."""
    folders = (asked.law_index, asked.case_index)
    law, near = (open_index(Path(folder)) if folder else None for folder in folders)
    contexts: dict[str, Context] = {}
    leaks: list[Leaks] = []
    for samples, cases in parts:
        part_leaks = find_leaks(samples, cases)
        kept = [case for place, case in enumerate(cases) if place not in part_leaks.refused]
        if not kept:
            raise UsageError(f"no judgment is left for examples: {part_leaks}")
        made = _contexts_for(samples, kept, method, asked, law, near)
        for sample, context in zip(samples, made, strict=True):
            refused = part_leaks.refused_for(sample.id)
            contexts[sample.id] = msgspec.structs.replace(context, refused=refused)
        leaks.append(part_leaks)
    return contexts, leaks


def _contexts_for(
    samples: Sequence[JudgmentSample],
    cases: Sequence[Case],
    method: str,
    asked: AskedWith,
    law_index: Searcher | None,
    case_index: Searcher | None,
) -> list[Context]:
    """The contexts of samples that share a collection, of which nothing is refused any more."""
    facts = [sample.fact.strip() for sample in samples]
    if method == FEW_SHOT and not asked.examples:
        return [_example(cases)] * len(samples)
    if method == FEW_SHOT and asked.pick != dataset.NEAR:  # in an order of ids and seed alone
        drawn = sorted(cases, key=lambda c: blake2b(f"{asked.pick} {c.id}".encode()).digest())
        return [_pairs(drawn, asked.examples)] * len(samples)
    near = _near(facts, cases, case_index)
    if method == FEW_SHOT:
        return [_pairs(ranked, asked.examples) for ranked in near]
    law = _provisions_for(facts, cases, asked, law_index)
    return [_related(*found, asked) for found in zip(law, near, strict=True)]


def _example(cases: Sequence[Case]) -> Context:
    """One judgment for all, as in the paper: of those that fit, the one of middle length."""
    fitting = [case for case in cases if _SHORTEST_CASE <= len(case.document) <= _LONGEST_CASE]
    by_length = sorted(fitting, key=lambda case: len(case.document))
    nearest = min(cases, key=lambda case: abs(len(case.document) - _LONGEST_CASE))
    case = by_length[len(by_length) // 2] if by_length else nearest
    return Context(examples=(case.document,), case_ids=(case.id,))


def _pairs(ranked: Sequence[Case], count: int) -> Context:
    """The first that fit, with their facts."""
    fitting = [case for case in ranked if _SHORTEST_CASE <= len(case.document) <= _LONGEST_CASE]
    chosen = (fitting or ranked)[:count]
    if len(chosen) < count:
        raise UsageError(f"examples={count}: only {len(chosen)} judgments can be shown")
    return Context(
        pairs=tuple(
            f"【示例{number}：案件事实】\n{case.fact}\n\n【示例{number}：判决书】\n{case.document}"
            for number, case in enumerate(chosen, 1)
        ),
        case_ids=tuple(case.id for case in chosen),
    )


def _near(facts: Sequence[str], cases: Sequence[Case], index: Searcher | None) -> list[list[Case]]:
    """For each of the facts the judgments with the most similar ones, best first."""
    if index is None:
        texts = tuple(Document(str(number), case.fact) for number, case in enumerate(cases))
        found = Index.build(Corpus(texts), LEXICAL).search(facts, _DEPTH)
        return [[cases[int(hit.id)] for hit in hits] for hits in found]
    known = {case.id: case for case in cases}
    only = np.array([name in known for name in index.ids], np.bool_)
    if not only.any():
        raise UsageError(
            "case_index: none of its ids is that of a judgment that may be shown, such as "
            f"{cases[0].id!r}; `hengfa suite judgment training --for case-index` writes an index"
        )
    return [[known[hit.id] for hit in hits] for hits in index.search(facts, _DEPTH, only=only)]


def _provisions_for(
    facts: Sequence[str], cases: Sequence[Case], asked: AskedWith, index: Searcher | None
) -> list[list[Document]]:
    """For each of the facts more provisions than can be shown, best first. Our own search learns
    from the judgments where they are enough: from what each applies of the provisions at hand;
    133-1 is 133 where only that is there."""
    if index is None:
        provisions = read_provisions(Path(asked.root) / STATUTES_FILE)
        known = {provision.id for provision in provisions}
        examples: list[Example] = []
        for case in cases:
            names = (name if name in known else name.partition("-")[0] for name in case.articles)
            if labels := tuple(dict.fromkeys(name for name in names if name in known)):
                examples.append(Example(case.id, case.fact, labels))
        learn = len(examples) >= ENOUGH_LABELLED
        corpus = Corpus(provisions, tuple(examples) if learn else ())
        index = Index.build(corpus, SUPERVISED if learn else LEXICAL)
    return [
        [
            Document(hit.id, index.texts[hit.number], index.names[hit.number])
            for hit in hits
            if index.texts[hit.number]
        ]
        for hits in index.search(facts, 4 * asked.provisions)
    ]


def _related(ranked: Sequence[Document], near: Sequence[Case], asked: AskedWith) -> Context:
    """As many provisions and related judgments as there is room for."""
    kept: list[Document] = []
    room = PROVISION_CHARS
    for provision in ranked:
        size = len(provision.name) + len(provision.text) + 1
        if len(kept) < asked.provisions and size <= room:
            kept.append(provision)
            room -= size
    fitting = [case for case in near if len(case.document) <= _LONGEST_CASE]
    shortest = sorted(near, key=lambda case: len(case.document))
    chosen = (fitting or shortest)[: asked.related]
    return Context(
        provisions=tuple(f"{provision.name}：{provision.text}" for provision in kept),
        cases=tuple(case.document for case in chosen),
        article_ids=tuple(provision.id for provision in kept),
        case_ids=tuple(case.id for case in chosen),
    )


class _Provision(msgspec.Struct, frozen=True):
    text_id: str
    text: str
    name: str = ""


@lru_cache(maxsize=2)
def read_provisions(file: Path) -> tuple[Document, ...]:
    rows = (row for _, row in read_lines(file, _Provision))
    return tuple(Document(row.text_id, row.text, row.name) for row in rows)


# Rows to train on, made of judgments with their facts: the pack's training split, or one's own. A
# judgment that is too close to a case of the test set is left out, as it is out of prompts: a model
# that has read the answer would be measured by it. What a method shows beside the facts comes from
# the other fifths of the judgments, so that none is shown its own answer.

Purpose = Literal["sft", "retriever", "case-index"]


class TrainingRows(NamedTuple):
    """The rows, as `hengfa train` or `retrieve build` reads them, and what was left out."""

    rows: list[dict[str, Any]]
    leaks: Leaks


def training_rows(
    root: Path,
    purpose: Purpose,
    file: Path | None = None,
    method: str = DIRECT,
    asked: AskedWith | None = None,
) -> TrainingRows:
    """Rows of the judgments in a file, by default the training split beside the test set. Questions
    are asked by a method, with what `asked` says of it; where the judgments come from is said by
    `file`."""
    file = file or root / TRAINING_FILE
    if not file.is_file():
        how = "`hengfa data pull judge --with train` brings it, or name a file of judgments"
        raise DataError(f"the training split is not here: {how}", file=file)
    cases = read_cases(file)
    leaks = find_leaks(dataset.all_samples(root), cases)
    kept = [case for place, case in enumerate(cases) if place not in leaks.refused]
    if purpose == "case-index":  # the facts, to be found by those of another case
        rows = [{"id": case.id, "text": case.fact} for case in kept]
    elif purpose == "retriever":
        rows = list(_for_retriever(kept, root))
    else:
        rows = list(_for_sft(kept, method, asked or dataset.asked_with(root, {})))
    return TrainingRows(rows, leaks)


def _for_sft(cases: Sequence[Case], method: str, asked: AskedWith) -> Iterator[dict[str, Any]]:
    """The question that the test asks, and the court's judgment."""
    samples = [JudgmentSample(case.id, case.fact, case.document, (), method) for case in cases]
    contexts: dict[str, Context] = {}
    if method != DIRECT:
        contexts, _ = contexts_of(by_folds(samples, cases), method, asked)
    for sample in samples:
        prompt = prompt_with(sample, contexts.get(sample.id, Context()))
        messages = [{"role": message.role, "content": message.content} for message in prompt]
        yield {"id": sample.id, "messages": messages, "target": sample.document}


def _for_retriever(cases: Sequence[Case], root: Path) -> Iterator[dict[str, Any]]:
    """Every provision, then the facts with the provisions that the judgment applies."""
    provisions = read_provisions(root / STATUTES_FILE)
    known = {provision.id for provision in provisions}
    for provision in provisions:
        yield {"id": provision.id, "name": provision.name, "text": provision.text}
    for case in cases:
        if labels := [article for article in case.articles if article in known]:
            yield {"id": f"case-{case.id}", "text": case.fact, "labels": labels}


def prompt_rows(root: Path, method: str, options: Chosen) -> list[dict[str, Any]]:
    """The questions of the test set with what stands in them, which is not to be learnt from."""
    samples = dataset.load(root, method, options)
    return [
        {
            "task": dataset.TASK,
            "id": sample.id,
            "messages": prompt_with(sample, context),
            "target": sample.document,
            "gold": sample.articles,
            "retrieved": context.article_ids,
            "related": context.case_ids,
            "statutes_in_prompt": statutes_in_prompt(sample),
            "refused": context.refused,
        }
        for sample, context in zip(samples, map(context_of, samples), strict=True)
    ]
