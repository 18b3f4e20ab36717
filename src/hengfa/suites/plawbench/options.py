"""What can be chosen with `--set NAME=VALUE`: questions, penalties, panel, law.

Upstream has two levels of consultation and uses the harder one from row 50 on, so that each of the
18 public rows is `mid` (PLawBench spec 2 and 7); that is the default here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, get_args

from hengfa.grading.panel import How
from hengfa.suites.base import SuiteOption, one_of

LEVEL, PENALTIES, PANEL, LAW = "level", "penalties", "panel", "law"
OFF, RELEASED, ON = "off", "released", "on"


class Range(NamedTuple):
    """How many questions are asked for; no more than `most` are graded."""

    least: int
    most: int


LEVELS: Final[Mapping[str, Range]] = {"mid": Range(10, 25), "hard": Range(25, 50)}


OPTIONS: Mapping[str, SuiteOption] = {
    LEVEL: SuiteOption(
        "mid",
        "how many questions a consultation asks for: `mid` 10 to 25, as upstream for these rows, "
        "or `hard` 25 to 50; only the first 25 or 50 are graded",
        one_of(*LEVELS),
    ),
    PENALTIES: SuiteOption(
        OFF,
        "what is taken from the whole: `off` nothing; `released` the unified deductions that the "
        "released rubrics of documents end with; `on` also harm, bias and dishonesty in "
        "consultations (table 10 of the paper)",
        one_of(OFF, RELEASED, ON),
    ),
    PANEL: SuiteOption(
        "mean",
        "how several graders make one mark for an item: `mean`, `median` or `majority`",
        one_of(*get_args(How)),
    ),
    LAW: SuiteOption(
        OFF,
        "`on`: look cited provisions up in the law library (`hengfa law build`); the metric "
        "`wrong_law` then counts the awards for statutes whose citation is wrong",
        one_of(OFF, ON),
    ),
}
