"""From the released files to samples: what is asked, and the rubric that grades it (spec 1 and 3).

Consultations and documents are named by their upstream ids, cases by their row, counted from 0 as
the spec counts them. A rubric is read with its defects: all 280 rows are samples, and
`hengfa plawbench lint` says what is wrong with which.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, cast

import msgspec

from hengfa.grading.panel import How
from hengfa.grading.rubric import OrderKind, Rubric
from hengfa.suites.base import Chosen
from hengfa.suites.plawbench.extract_parts import PARTS, REASONING
from hengfa.suites.plawbench.options import (
    LAW,
    LEVEL,
    LEVELS,
    ON,
    OPTIONS,
    PANEL,
    PENALTIES,
    Range,
)
from hengfa.suites.plawbench.penalties import for_consultation, for_document
from hengfa.suites.plawbench.rows import Side, read_cases, read_consultation, read_documents
from hengfa.suites.plawbench.rubric_case import parse_case
from hengfa.suites.plawbench.rubric_consultation import parse_consultation
from hengfa.suites.plawbench.rubric_document import parse_document

PACK: Final = "plawbench"
SETTINGS: Final = ("all",)
CONSULTATION, CASE, PLAINTIFF, DEFENDANT = TASKS = (
    "consultation",
    "case",
    "plaintiff",
    "defendant",
)


class PLawBenchSample(msgspec.Struct, frozen=True):
    """One question. `facts` is what is told, `question` what a case asks; a document has a `label`
    that names the matter, a case one that names the scenario.

    `asked` is how many questions a consultation should have, `panel` how several graders are
    combined, `law` whether citations are looked up.
    """

    id: str
    task: str
    label: str
    facts: str
    question: str
    rubric: Rubric
    asked: Range
    panel: How
    law: bool

    @property
    def order(self) -> OrderKind:
        """What the rubric of a case says of the order of its reasoning."""
        if self.task != CASE:
            return OrderKind.UNSTATED
        return self.rubric.sections[PARTS.index(REASONING)].order.kind


def load(task: str, root: Path, _setting: str, options: Chosen) -> list[PLawBenchSample]:
    """All samples of a task, with the chosen options in them."""
    chosen = {name: options.get(name, option.default) for name, option in OPTIONS.items()}
    penalties = chosen[PENALTIES]

    def sample(
        id_: int, rubric: Rubric, facts: str, label: str = "", question: str = ""
    ) -> PLawBenchSample:
        return PLawBenchSample(
            id=str(id_),
            task=task,
            label=label,
            facts=facts,
            question=question,
            rubric=rubric,
            asked=LEVELS[chosen[LEVEL]],
            panel=cast("How", chosen[PANEL]),
            law=chosen[LAW] == ON,
        )

    if task == CONSULTATION:
        return [
            sample(
                row.id,
                for_consultation(parse_consultation(row.rubrics, str(row.id)).rubric, penalties),
                row.conversation,
            )
            for row in read_consultation(root)
        ]
    if task == CASE:
        return [
            sample(
                number,
                parse_case(row.rubrics, str(number)).rubric,
                row.context,
                row.label,
                row.question,
            )
            for number, row in enumerate(read_cases(root))
        ]
    side: Side = "plaintiff" if task == PLAINTIFF else "defendant"
    return [
        sample(
            row.id,
            for_document(parse_document(row.rubrics, row.score, str(row.id)).rubric, penalties),
            row.conversation,
            row.tag,
        )
        for row in read_documents(root, side)
    ]
