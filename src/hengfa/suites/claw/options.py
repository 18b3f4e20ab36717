"""What can be chosen with `--set NAME=VALUE`, each option checked and in one spelling."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal, TypeAlias

from hengfa.suites.base import SuiteOption, bert_model, one_of

CUTOFF, SCOPE, READING, BERTSCORE = "cutoff", "scope", "reading", "bertscore"

Scope: TypeAlias = Literal["claw", "all"]
AskedBy: TypeAlias = Literal["promulgated", "in-force"]


def _date(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise ValueError(f"{value!r} is not a date such as 2025-04-08") from None


OPTIONS: Mapping[str, SuiteOption] = {
    CUTOFF: SuiteOption(
        "2025-04-08",
        "versions promulgated up to this day; the default is the day of CLaw's corpus",
        _date,
    ),
    SCOPE: SuiteOption(
        "claw",
        "`claw`: statutes and the Constitution; `all`: whatever has articles, also interpretations",
        one_of("claw", "all"),
    ),
    READING: SuiteOption(
        "promulgated",
        "by which day a version is asked for: `promulgated`, as in CLaw, or `in-force`, the first "
        "day on which it was in force (versions of which that day is not known are left out)",
        one_of("promulgated", "in-force"),
    ),
    BERTSCORE: SuiteOption(
        "",
        "the folder of a BERT model: adds the metric `bertscore` to `content` (extra `bertscore`)",
        bert_model,
    ),
}
