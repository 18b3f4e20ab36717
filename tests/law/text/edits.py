"""The parts of a comparison that tests ask for one by one."""

from __future__ import annotations

from hengfa.law.text.proofreading import Counts, Edit, Similarity, proofread


def counts(
    source: str, prediction: str, gold: str, similarity: Similarity, **fixes: bool
) -> Counts:
    return proofread(source, prediction, gold, similarity, **fixes).counts


def gold_edits(
    source: str, gold: str, similarity: Similarity, *, first_alignment: bool = False
) -> tuple[Edit, ...]:
    return proofread(source, source, gold, similarity, first_alignment=first_alignment).wanted


def prediction_edits(
    source: str, prediction: str, gold: str, similarity: Similarity, **fixes: bool
) -> tuple[Edit, ...]:
    return proofread(source, prediction, gold, similarity, **fixes).made
