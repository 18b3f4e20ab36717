"""PLawBench, arXiv:2601.16669: tables 3 to 7 and figure 5.

Its tables 5 to 7 say which kinds of mistakes were seen in answers of a model at all; of a run the
share of answers with each is known. The paper's numbers are of 850 questions, of which 280 are
public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from hengfa.base.statistics.intervals import Estimate
from hengfa.evals.report.papers.exhibit import (
    AS_IT_IS,
    NO_NUMBERS,
    NOT_SEEN,
    SEEN,
    Column,
    Content,
    MeasuredRun,
    Paper,
    PrintedCell,
    Row,
    Shelf,
    grouped_bars,
    make_columns,
    make_plates,
    published_row,
)
from hengfa.evals.report.words import Words, words_of
from hengfa.evals.runs.breakdown import error_shares
from hengfa.evals.runs.evidence import OVERALL, read_evidence
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.plawbench.breakdown import breakdown
from hengfa.evals.suites.plawbench.dataset import CASE, CONSULTATION, DEFENDANT, PLAINTIFF
from hengfa.evals.suites.plawbench.error_types import ERROR_TYPES

_DOCUMENTS: Final = "documents"
_GRADED: Final = "hengfa eval plawbench --model MODEL --grader GRADER"
_CALIBRATED: Final = "hengfa grade calibrate scores.csv graded.csv --json > calibration.json"
_TEXTS: Final = words_of("plawbench")
_TASKS: Final = words_of("plawbench tasks")
_SCORES: Final = [
    replace(column, measured=f"{CASE}:{column.name}") if column.name.endswith("_rate") else column
    for column in make_columns("plawbench scores")
]
_ORDER: Final = make_columns("plawbench order")


def _table_3(shelf: Shelf) -> Content:
    return Content(_SCORES, shelf.rows(_SCORES, best=OVERALL), [_TEXTS["public"]])


def _table_4(shelf: Shelf) -> Content:
    """How far graders agree with people: the paper's, and those of `hengfa grade calibrate`."""
    columns = [
        Column(f"{figure}/{task}", Words(f"{zh}，{of.zh}", f"{en}, {of.en}"), "", AS_IT_IS, 3)
        for figure, zh, en in (
            ("pearson", "皮尔逊", "Pearson"),
            ("spearman", "斯皮尔曼", "Spearman"),
        )
        for task, of in _TASKS.items()
    ]
    rows = [published_row(row, columns) for row in shelf.printed("plawbench-graders")]
    return Content(columns, [*rows, *shelf.agreements(columns)])


def _figure_5(shelf: Shelf) -> Content:
    """Reasoning of questions whose steps have an order against those without.

    The paper prints three of its numbers in the text.
    """
    rows = [run.row(_by_order(run)) for run in shelf.measured()]
    draw = partial(grouped_bars, _ORDER[:2], rows) if rows else None
    return Content(_ORDER, rows, (NO_NUMBERS, _TEXTS["said"], _TEXTS["public"]), draw=draw)


def _by_order(run: MeasuredRun) -> dict[str, PrintedCell | None]:
    evidence = read_evidence(run.source.folder, Rules.OFFICIAL, [CASE], facets=True)
    order = breakdown(CASE, evidence.tables[CASE]).order if CASE in evidence.tables else None
    if order is None:
        return {}
    values = order.free.rate, order.bound.rate, order.drop, order.cost
    return {
        column.name: None if value is None else PrintedCell(value)
        for column, value in zip(_ORDER, values, strict=True)
    }


# --- mistakes ---

_EVIDENCE: Final = words_of("plawbench evidence")
"""Two kinds of table 5 that are one of ours (`proof`)."""
_MARKS: Final = {"1": SEEN, "0": NOT_SEEN}
_ASKED: Final = "hengfa grade errors RUN --grader GRADER"


def _mistakes(kind: str, tasks: Sequence[str], shelf: Shelf) -> Content:
    """Which mistakes answers have: seen at all in the paper, in which share of answers of runs."""
    types = [type_ for task in tasks for type_ in ERROR_TYPES[task]]
    titles = {type_.id: Words(type_.title, type_.title_en) for type_ in types} | _EVIDENCE
    printed = shelf.printed("plawbench-errors")
    columns = [
        Column(name, titles[name.removeprefix(f"{kind}/")], needs=_ASKED)
        for name in printed[0].printed
        if name.startswith(f"{kind}/")
    ]
    rows = []
    for row in printed:
        marks = {column.name: _MARKS[row.printed[column.name]] for column in columns}
        cells = {name: PrintedCell(row.figures[name], printed=mark) for name, mark in marks.items()}
        rows.append(Row(row.title, row.source, cells, model=row.model))
    for run in shelf.measured():
        rows += _shares(run, kind, tasks)
    notes = [_TEXTS["seen"], *([_TEXTS["one of ours"]] if kind == CONSULTATION else [])]
    return Content(columns, rows, notes, transposed=True)


def _shares(run: MeasuredRun, kind: str, tasks: Sequence[str]) -> list[Row]:
    """A row for each task: statements of claim and defences are apart."""
    known = error_shares(run.source.folder).tasks
    rows = []
    for task in tasks:
        shares: Mapping[str, Estimate | None] = {
            share.type.id: share.share for share in known.get(task, ())
        }
        shares = {**shares, **dict.fromkeys(_EVIDENCE, shares.get("proof"))}
        cells = {
            f"{kind}/{type_}": PrintedCell(share.value, share.low, share.high)
            for type_, share in shares.items()
            if share is not None
        }
        if cells:
            row = run.row(cells)
            rows.append(replace(row, label=f"{row.label}, {task}") if len(tasks) > 1 else row)
    return rows


PAPER: Final = Paper(
    "plawbench",
    make_plates(
        "plawbench",
        {
            "table-3": (_table_3, _GRADED),
            "table-4": (_table_4, _CALIBRATED),
            "figure-5": (_figure_5, _GRADED),
            "table-5": (partial(_mistakes, CONSULTATION, [CONSULTATION]), _GRADED),
            "table-6": (partial(_mistakes, CASE, [CASE]), _GRADED),
            "table-7": (partial(_mistakes, _DOCUMENTS, [PLAINTIFF, DEFENDANT]), _GRADED),
        },
        lacks={"figure-5": "the numbers of the published models: only drawn"},
    ),
)
