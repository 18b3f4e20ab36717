"""Ready-made parts of suites: a small benchmark is one file of them (docs/adding-a-suite.md)."""

from hengfa.evals.suites.kit.rules import (
    CHARACTER_F1,
    EXACT_MATCH,
    LETTERS,
    ROUGE_L,
    ROUGE_L_CHARACTERS,
    SILENCE,
    WRAPPER,
    Named,
    TextMetric,
    labels_in,
    letters_in,
    numbers_in,
)
from hengfa.evals.suites.kit.tasks import (
    Row,
    choice,
    fixes,
    label,
    labels,
    levels,
    number,
    one_turn,
    rows,
    suite,
    writing,
)
from hengfa.evals.suites.kit.wrapper import Wrapper
from hengfa.evals.suites.predictions import RowLayout

__all__ = [
    "CHARACTER_F1",
    "EXACT_MATCH",
    "LETTERS",
    "ROUGE_L",
    "ROUGE_L_CHARACTERS",
    "SILENCE",
    "WRAPPER",
    "Named",
    "Row",
    "RowLayout",
    "TextMetric",
    "Wrapper",
    "choice",
    "fixes",
    "label",
    "labels",
    "labels_in",
    "letters_in",
    "levels",
    "number",
    "numbers_in",
    "one_turn",
    "rows",
    "suite",
    "writing",
]
