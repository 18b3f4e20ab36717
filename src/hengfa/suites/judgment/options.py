"""What can be chosen with `--set NAME=VALUE`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hengfa.suites.base import SuiteOption, one_of
from hengfa.suites.claw import options as claw

VERSION, BERTSCORE, CASES = "version", claw.BERTSCORE, "cases"
PROVISIONS, RELATED = "provisions", "related"
HEAD, LEGACY = "head", "legacy"
MOST: Final = 100
"""More provisions or judgments than this are no prompt."""

OWN_FOLDS: Final = "folds"


def _cases(value: str) -> str:
    if value in {"", OWN_FOLDS}:
        return value
    if not Path(value).is_file():
        raise ValueError(f"there is no file {value}")
    return str(Path(value).absolute())


def _number(value: str) -> str:
    if not value.isascii() or not value.isdigit() or int(value) > MOST:
        raise ValueError(f"{value!r} is no number from 0 to {MOST}")
    return str(int(value))


OPTIONS: Final[Mapping[str, SuiteOption]] = {
    VERSION: SuiteOption(
        HEAD,
        "which of the published evaluators the official rules are: `head` (2025-03-20) or `legacy` "
        "(2025-02-28); corrected rules are made from `head`",
        one_of(HEAD, LEGACY),
    ),
    BERTSCORE: SuiteOption(
        "",
        "the folder of a BERT model: adds `bertscore_reason` and `bertscore_judgment`; the paper's "
        "is bert-base-chinese (extra `bertscore`)",
        claw.OPTIONS[claw.BERTSCORE].check,
    ),
    CASES: SuiteOption(
        "",
        "where `few-shot` and `rag` take judgments from: a file of JSON lines (`fact` and "
        "`document`, or upstream's training rows), `folds` for the other fifths of the test set; "
        "without it `data/train.json` or, where that is not there, `folds`",
        _cases,
    ),
    PROVISIONS: SuiteOption("10", "how many provisions `rag` shows", _number),
    RELATED: SuiteOption("1", "how many related judgments `rag` shows", _number),
}
