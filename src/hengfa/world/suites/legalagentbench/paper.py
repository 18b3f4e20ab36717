"""LegalAgentBench, arXiv:2412.17259: tables 3, 14 and 15, and the errors of section 4.3.

A row is a model by a method. The paper names classes of errors and prints no numbers of them: what
runs tell of each class (`suites/legalagentbench/rules.py`) stands under its name, group by
group. Legal knowledge and the understanding of articles, its other two, no trajectory shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from hengfa.evals.report.papers.exhibit import (
    AS_IT_IS,
    Column,
    Content,
    MeasuredRun,
    Paper,
    Plate,
    PrintedCell,
    Row,
    Shelf,
    fields,
    published_row,
)
from hengfa.evals.report.words import Words
from hengfa.evals.runs.leaderboard import TOKENS, tokens_used
from hengfa.world.suites.legalagentbench.dataset import GROUPS, HOPS
from hengfa.world.suites.legalagentbench.rules import CLASSES
from hengfa.world.suites.legalagentbench.suite import SUITE

_METHODS: Final = {"plan-solve": "P-S", "plan-execute": "P-E", "react": "ReAct"}
"""In the order of the paper, as it calls them; `tools` is ours."""
_ALL: Final = "all"
_COMMAND: Final = "hengfa eval legalagentbench --setting react --model MODEL"
_SCORED: Final = "hengfa score legalagentbench RUN --set bertscore=DIR"
_TITLES: Final = {
    **{hops: Words(f"{hops[0]} 跳", hops) for hops in HOPS},
    "writing": Words("写作", "Writing"),
    _ALL: Words("全部", "ALL"),
}
_OTHER_MODEL: Final = Words(
    "论文的 BERTScore 由未公开的模型算出，运行的由 `--set bertscore=目录` 的模型算出：不可相比。",
    "The paper's BERTScore came from a model that it does not name; that of runs from the one in "
    "`--set bertscore=DIR`: not to be compared.",
)
_TOKEN_NOTES: Final = Words(
    "有四行的词元数与论文所附运行文件的不符，见其出处。",
    "The tokens of four rows do not agree with the files of the released runs; their sources say "
    "how.",
)


def _with_method(row: Row) -> Row:
    method = _METHODS.get(row.setting, row.setting)
    return replace(row, label=f"{row.label} · {method}", group=Words(method, method))


# --- tables 3, 14 and 15 ---


def _table(metric: str, notes: Sequence[Words], shelf: Shelf) -> Content:
    needed = _SCORED if metric == "bertscore" else ""
    rates = [
        Column(f"{metric}/{group}", title, scale=AS_IT_IS, digits=4, needs=needed)
        for group, title in _TITLES.items()
    ]
    tokens = Column(TOKENS, Words("词元", "Tokens"), scale=AS_IT_IS, digits=0, needs=_COMMAND)
    columns = [*rates, tokens]
    printed = [published_row(row, columns) for row in shelf.printed() if row.setting in _METHODS]
    measured = [run.row(_cells(run, columns)) for run in shelf.measured()]
    rows = [_with_method(row) for some in (printed, measured) for row in _by_model(some)]
    return Content(columns, rows, notes, draw=partial(fields, rates, rows))


def _by_model(rows: Sequence[Row]) -> list[Row]:
    """Models in their order, and the methods of each in that of the paper."""
    models, methods = list(dict.fromkeys(row.model for row in rows)), (*_METHODS, "tools")
    return sorted(rows, key=lambda row: (models.index(row.model), methods.index(row.setting)))


def _cells(run: MeasuredRun, columns: Sequence[Column]) -> dict[str, PrintedCell | None]:
    used = tokens_used(run.source.folder)
    cells = {column.name: run.cell(column.name) for column in columns}
    return {**cells, TOKENS: None if used is None else PrintedCell(used)}


# --- section 4.3: classes of errors ---


_ERRORS: Final = {
    "no_data_share": Words("参数：查询没有结果", "argument: nothing found, of look-ups"),
    "bad_column_share": Words("参数：列名错误", "argument: wrong column, of look-ups"),
    "bad_call_share": Words("参数：调用错误", "argument: wrong call, of actions"),
    "unparsable_share": Words("参数：无法读取", "argument: unreadable, of actions"),
    "path_recall": Words("规划：缺少的步骤", "planning: steps left out"),
    "path_precision": Words("规划：路径外查询", "planning: off the path"),
    "context_overflow": Words("超出长度限制", "length exceeded, of tasks"),
    "repeats_share": Words("循环：重复调用", "loops: repeated calls, of actions"),
    "step_limit": Words("循环：步数用尽", "loops: step limit, of tasks"),
} | {
    class_.metric: Words(f"起因：{class_.title}", f"first cause: {class_.title_en}, of tasks")
    for class_ in CLASSES
}
"""What runs tell of a class: a figure of the suite for each group."""
_LACKING: Final = ("path_recall", "path_precision")  # of these what they lack to 1
_ERROR_NOTES: Final = (
    Words(
        "论文 4.3 节只列出错误的类别，没有数字：这里只有本次评测的运行。",
        "Section 4.3 of the paper names the classes and prints no numbers: only runs are shown.",
    ),
    Words(
        "规划一类以标准路径为准：路径只是一种解法，偏离路径而答对不算错误。写作没有路径。",
        "Planning is measured by the gold path, which is one way to the answer: who leaves it and "
        "is right made no mistake. Writing has no path.",
    ),
    Words(
        "起因：失败的题目各归一类，以最先出错而未纠正的一步为准；其余各列按调用或题目计，可以重叠。",
        "First cause: a task that failed is of one class, by the first thing that went wrong and "
        "was not put right; the other columns count calls or tasks, and overlap.",
    ),
)


def _errors(shelf: Shelf) -> Content:
    columns = [Column(figure, title) for figure, title in _ERRORS.items()]
    of = [(run, group) for run in shelf.measured() for group in (*GROUPS, _ALL)]
    rows = [_of_group(*one) for one in of if one[0].cell(f"calls/{one[1]}") is not None]
    return Content(columns, [row for row in rows if row.cells], _ERROR_NOTES)


def _of_group(run: MeasuredRun, group: str) -> Row:
    cells = {figure: run.cell(f"{figure}/{group}") for figure in _ERRORS}
    for figure in _LACKING:
        if (cell := cells[figure]) is not None:
            low, high = (None if end is None else 1 - end for end in (cell.high, cell.low))
            cells[figure] = PrintedCell(1 - cell.value, low, high)
    row = _with_method(run.row(cells))
    return replace(row, label=f"{row.label}, {_TITLES[group].en}", group=_TITLES[group])


PAPER: Final = Paper(
    SUITE.name,
    [
        Plate(
            "table-3",
            Words("各模型、各方法的成功率", "success rate by model and method"),
            partial(_table, "success", (_TOKEN_NOTES,)),
            _COMMAND,
        ),
        Plate(
            "table-14",
            Words("各模型、各方法的过程得分", "process rate by model and method"),
            partial(_table, "process", (_TOKEN_NOTES,)),
            _COMMAND,
        ),
        Plate(
            "table-15",
            Words("各模型、各方法的 BERTScore", "BERTScore by model and method"),
            partial(_table, "bertscore", (_OTHER_MODEL, _TOKEN_NOTES)),
            f"{_COMMAND} --set bertscore=DIR",
            lacks="the paper's BERT model, which it does not name",
        ),
        Plate(
            "errors",
            Words("各类错误（4.3 节），按跳数", "classes of errors (section 4.3), by hop"),
            _errors,
            _COMMAND,
            lacks="numbers of the published models: not printed; two classes on law, which no "
            "trajectory shows",
        ),
    ],
)
