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
    Plate,
    PrintedCell,
    Row,
    Shelf,
    grouped_bars,
    make_columns,
    published_row,
)
from hengfa.evals.report.words import Words
from hengfa.evals.runs.breakdown import error_shares
from hengfa.evals.runs.evidence import OVERALL, read_evidence
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.plawbench.breakdown import breakdown
from hengfa.evals.suites.plawbench.dataset import CASE, CONSULTATION, DEFENDANT, PLAINTIFF
from hengfa.evals.suites.plawbench.error_types import ERROR_TYPES

_ONLY_DRAWN: Final = "the numbers of the published models: only drawn"
_DOCUMENTS: Final = "documents"
_GRADED: Final = "hengfa eval plawbench --model MODEL --grader GRADER"
_PUBLIC: Final = Words(
    "论文的数字来自全部 850 题，其中公开的只有 280 题。",
    "The paper's numbers are of 850 questions, of which 280 are public.",
)
_COLUMNS: Final = make_columns(
    [
        (OVERALL, "总分", "overall"),
        ("pca", "案例分析", "case analysis"),
        ("conclusion_rate", "结论", "conclusion"),
        ("facts_rate", "事实", "facts"),
        ("reasoning_rate", "推理", "reasoning"),
        ("statutes_rate", "法条", "statutes"),
        ("plc", "咨询", "consultation"),
        ("ldg", "文书", "documents"),
        (PLAINTIFF, "起诉状", "plaintiff"),
        (DEFENDANT, "答辩状", "defendant"),
    ]
)


def _table_3(shelf: Shelf) -> Content:
    columns = [
        replace(column, measured=f"{CASE}:{column.name}")
        if column.name.endswith("_rate")
        else column
        for column in _COLUMNS
    ]
    return Content(columns, shelf.rows(columns, best=OVERALL), (_PUBLIC,))


# --- graders ---

_TASKS: Final = {
    CASE: Words("案例分析", "case analysis"),
    _DOCUMENTS: Words("文书", "documents"),
    PLAINTIFF: Words("起诉状", "plaintiff"),
    DEFENDANT: Words("答辩状", "defendant"),
    CONSULTATION: Words("咨询", "consultation"),
}


def _table_4(shelf: Shelf) -> Content:
    """How far graders agree with people: the paper's, and those of `hengfa grade calibrate`."""
    columns = [
        Column(
            f"{figure}/{task}",
            Words(f"{zh}，{title.zh}", f"{en}, {title.en}"),
            scale=AS_IT_IS,
            digits=3,
        )
        for figure, zh, en in (
            ("pearson", "皮尔逊", "Pearson"),
            ("spearman", "斯皮尔曼", "Spearman"),
        )
        for task, title in _TASKS.items()
    ]
    rows = [published_row(row, columns) for row in shelf.printed("plawbench-graders")]
    return Content(columns, [*rows, *shelf.agreements(columns)])


# --- order ---

_ORDER: Final = make_columns(
    [
        ("free", "推理：不限顺序的题", "reasoning, any order"),
        ("bound", "推理：限定顺序的题", "reasoning, order-bound"),
        ("drop", "相差", "drop"),
        ("cost", "同一回答因顺序失分", "lost by order on the same answers"),
    ]
)


def _figure_5(shelf: Shelf) -> Content:
    """Reasoning of questions whose steps have an order against those without.

    The paper prints three of its numbers in the text.
    """
    said = Words(
        "论文只在正文里说：最好的模型下降 6–8 个百分点以上，"
        "GPT-4o 从 42.00 下降 0.2（第 4.4.2 节）。",
        "In words the paper says: the best models drop by more than 6–8 points, GPT-4o by 0.2 from "
        "42.00 (section 4.4.2).",
    )
    rows = [run.row(_by_order(run)) for run in shelf.measured()]
    draw = partial(grouped_bars, _ORDER[:2], rows) if rows else None
    return Content(_ORDER, rows, (NO_NUMBERS, said, _PUBLIC), draw=draw)


def _by_order(run: MeasuredRun) -> dict[str, PrintedCell | None]:
    evidence = read_evidence(run.source.folder, Rules.OFFICIAL, [CASE], facets=True)
    order = breakdown(CASE, evidence.tables[CASE]).order if CASE in evidence.tables else None
    if order is None:
        return {}
    values = {
        "free": order.free.rate,
        "bound": order.bound.rate,
        "drop": order.drop,
        "cost": order.cost,
    }
    return {name: None if value is None else PrintedCell(value) for name, value in values.items()}


# --- mistakes ---

_EVIDENCE: Final = {
    "evidence": Words("未把握证据情节", "grasps evidence poorly"),
    "evidence_types": Words("未指明证据种类", "does not name kinds of evidence"),
}
"""Two kinds of table 5 that are one of ours (`proof`)."""
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
    rows = [
        Row(
            row.title,
            row.source,
            {
                column.name: PrintedCell(
                    row.figures[column.name], printed=_MARKS[row.printed[column.name]]
                )
                for column in columns
            },
            model=row.model,
        )
        for row in printed
    ]
    for run in shelf.measured():
        rows += _shares(run, kind, tasks)
    notes = [_SEEN_NOTE, *([_ONE_OF_OURS] if kind == CONSULTATION else [])]
    return Content(columns, rows, notes, transposed=True)


_MARKS: Final = {"1": SEEN, "0": NOT_SEEN}
_SEEN_NOTE: Final = Words(
    "✓ 论文作者在该模型的回答里见过这种错误，· 没有；本次评测为有此错误的回答所占百分比。",
    "✓ seen in answers of the model by the authors, · not seen; of runs: per cent of answers.",
)
_ONE_OF_OURS: Final = Words(
    "论文关于证据的两种错误，在这里是一种（未追问证据）。",
    "The paper's two mistakes about evidence are one of ours (does not ask for proof).",
)


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
    [
        Plate("table-3", Words("总表", "overall performance"), _table_3, _GRADED),
        Plate(
            "table-4",
            Words("评分模型与专家的一致性", "judges against experts"),
            _table_4,
            "hengfa grade calibrate scores.csv graded.csv --json > calibration.json",
        ),
        Plate(
            "figure-5", Words("推理顺序的影响", "what order costs"), _figure_5, _GRADED, _ONLY_DRAWN
        ),
        Plate(
            "table-5",
            Words("咨询的错误类型", "mistakes in consultations"),
            partial(_mistakes, CONSULTATION, [CONSULTATION]),
            _GRADED,
        ),
        Plate(
            "table-6",
            Words("案例分析的错误类型", "mistakes in case analysis"),
            partial(_mistakes, CASE, [CASE]),
            _GRADED,
        ),
        Plate(
            "table-7",
            Words("文书的错误类型", "mistakes in documents"),
            partial(_mistakes, _DOCUMENTS, [PLAINTIFF, DEFENDANT]),
            _GRADED,
        ),
    ],
)
