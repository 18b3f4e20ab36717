"""How a response of PLawBench came to its points, item by item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hengfa.grading.marking import Choices, mark
from hengfa.grading.verdict import Sheet
from hengfa.results.trace import Trace
from hengfa.suites.plawbench.dataset import PLawBenchSample
from hengfa.suites.plawbench.submissions import submission
from hengfa.suites.rubric_tracing import as_seen, items, placed_by_line

if TYPE_CHECKING:
    from hengfa.grading.statutes import LawCheck


def trace(
    sample: PLawBenchSample,
    response: str,
    sheets: tuple[Sheet, ...],
    *,
    order: bool,
    evidence: bool,
    law: LawCheck | None = None,
) -> Trace:
    """What each grader found, by the rules that scored it.

    Of a consultation graders see the questions that count; their words are found in the response.
    """
    seen = submission(sample, response)
    choices = Choices(order=order, law=law)
    marks = [(sheet.grader, mark(seen, sheet, choices)) for sheet in sheets]
    placed = as_seen if seen.response == response else placed_by_line(seen.response, response)
    return items(sample.rubric, marks, backed=evidence, placed=placed)
