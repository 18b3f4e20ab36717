"""Rows to train on, made of judgments with their facts: the pack's training split, or one's own.

A judgment that is too close to a case of the test set is left out, as it is out of prompts
(`cases.find_leaks`): a model that has read the answer would be measured by it. What a method shows
beside the facts comes from the other fifths of the judgments, so that none is shown its own answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hengfa.base.errors import DataError
from hengfa.evals.suites.judgment.cases import Case, Leaks, find_leaks, read_cases
from hengfa.evals.suites.judgment.dataset import (
    DIRECT,
    AskedWith,
    JudgmentSample,
    all_samples,
    asked_with,
)
from hengfa.evals.suites.judgment.prompts import (
    STATUTES_FILE,
    TRAINING_FILE,
    Context,
    by_folds,
    contexts_of,
    prompt_with,
    read_provisions,
)

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
    """Rows of the judgments in a file, by default the training split beside the test set.

    Questions are asked by a method, with what `asked` says of it; where the judgments come from is
    said by `file`.
    """
    file = file or root / TRAINING_FILE
    if not file.is_file():
        raise DataError(
            "the training split is not here: `hengfa data pull judge --with train` brings it, or "
            "name a file of judgments",
            file=file,
        )
    cases = read_cases(file)
    leaks = find_leaks(all_samples(root), cases)
    kept = [case for place, case in enumerate(cases) if place not in leaks.refused]
    if purpose == "case-index":  # the facts, to be found by those of another case
        rows = [{"id": case.id, "text": case.fact} for case in kept]
    elif purpose == "retriever":
        rows = list(_for_retriever(kept, root))
    else:
        rows = list(_for_sft(kept, method, asked or asked_with(root, {})))
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
