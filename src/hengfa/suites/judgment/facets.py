"""The kinds of which judgments are: those by which they are broken down. No two share a case."""

from __future__ import annotations

from hengfa.suites.judgment.breakdown import GROUPS
from hengfa.suites.judgment.dataset import JudgmentSample
from hengfa.suites.judgment.reading import parsed


def facets_of(sample: JudgmentSample) -> dict[str, str]:
    """Crime, number of defendants and kind of sentence, as the court's document has them."""
    judgment = parsed(sample.document)
    return {name: group(judgment) for name, group in GROUPS.items()}
