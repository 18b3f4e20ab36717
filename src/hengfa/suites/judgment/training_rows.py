"""Rows to train on, made of judgments with their facts: the pack's training split, or one's own.

A judgment that is too close to a case of the test set is left out, as it is out of prompts
(`cases.find_leaks`): a model that has read the answer would be measured by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hengfa.errors import DataError
from hengfa.suites.judgment.cases import Case, Leaks, find_leaks, read_cases
from hengfa.suites.judgment.dataset import all_samples
from hengfa.suites.judgment.prompts import (
    STATUTES_FILE,
    SYSTEM,
    TRAINING_FILE,
    direct_question,
    read_provisions,
)

Purpose = Literal["sft", "retriever"]


class TrainingRows(NamedTuple):
    """The rows, as `hengfa train` reads them, and which judgments were left out."""

    rows: list[dict[str, Any]]
    leaks: Leaks


def training_rows(root: Path, purpose: Purpose, file: Path | None = None) -> TrainingRows:
    """Rows of the judgments in a file, by default the training split beside the test set."""
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
    make = _for_sft if purpose == "sft" else _for_retriever
    return TrainingRows(list(make(kept, root)), leaks)


def _for_sft(cases: Sequence[Case], _root: Path) -> Iterator[dict[str, Any]]:
    """The question that the test asks, and the court's judgment."""
    for case in cases:
        asked = [("system", SYSTEM), ("user", direct_question(case.fact))]
        messages = [{"role": role, "content": content} for role, content in asked]
        yield {"id": case.id, "messages": messages, "target": case.document}


def _for_retriever(cases: Sequence[Case], root: Path) -> Iterator[dict[str, Any]]:
    """Every provision, then the facts with the provisions that the judgment applies."""
    provisions = read_provisions(root / STATUTES_FILE)
    known = {provision.id for provision in provisions}
    for provision in provisions:
        yield {"id": provision.id, "name": provision.name, "text": provision.text}
    for case in cases:
        if labels := [article for article in case.articles if article in known]:
            yield {"id": f"case-{case.id}", "text": case.fact, "labels": labels}
