"""CLaw, arXiv:2509.21208: figures 1 to 4, tables 1 and 2, correlations, and judges against people.

Recall of statutes is the suite `claw`, case reasoning the suite `claw-cases`: runs of both count.
The paper prints the numbers of figures 1 and 4 and of both tables; of figure 2 those of four models
at one level, of figure 3 none. What it says in the text of correlations is in `claw-agreement.csv`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Final

from hengfa.base.statistics.correlation import LEAST, associate
from hengfa.evals.report.charts.plots import Curve, curves
from hengfa.evals.report.charts.vega import Spec
from hengfa.evals.report.papers.exhibit import (
    AS_IT_IS,
    NO_NUMBERS,
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
from hengfa.evals.suites.builtin import CEILING
from hengfa.evals.suites.claw.dataset import ALL, LAW, OPTIONS, STATUTE
from hengfa.evals.suites.claw_cases.rules import DIMENSIONS
from hengfa.evals.suites.claw_cases.suite import NAME as CASES
from hengfa.law.grammar.law_names import normalise_name

CIVIL_CODE: Final = "民法典"
MOST: Final = 20.0
"""So many points the paper has for a dimension, which runs have as a share."""
_LEVELS: Final = make_columns(
    (
        ("article_accuracy", "条", "article"),
        ("paragraph_accuracy", "条、款", "article and paragraph"),
        ("subparagraph_accuracy", "条、款、项", "article, paragraph and subparagraph"),
    )
)
_LEVELS_OF_RUNS: Final = [replace(level, measured=f"id:{level.name}") for level in _LEVELS]
_BERT: Final = "hengfa eval claw/content --set bertscore=DIR --model MODEL"
_BERTSCORE: Final = Column(
    "bertscore", Words("BERTScore", "BERTScore"), "content:bertscore", AS_IT_IS, 3, _BERT
)
_CONTENT: Final = [
    _BERTSCORE,
    *(
        replace(column, measured=f"content:{column.name}")
        for column in make_columns(
            (
                ("bleu", "BLEU", "BLEU"),
                ("edit_distance", "编辑距离", "edit distance"),
                ("rouge_1", "ROUGE-1", "ROUGE-1"),
                ("rouge_2", "ROUGE-2", "ROUGE-2"),
                ("rouge_l", "ROUGE-L", "ROUGE-L"),
            ),
            scale=AS_IT_IS,
            digits=3,
        )
    ),
]
_CASE: Final = f"hengfa eval {CASES} --model MODEL --grader JUDGE"
_OVERALL: Final = Column("overall", Words("总评", "overall rating"), "case")
_DIMENSIONS: Final = make_columns(
    (
        ("reasoning", "论证严谨", "reasoning"),
        ("knowledge", "知识准确", "knowledge"),
        ("structure", "结构清楚", "structure"),
        ("clarity", "观点明确", "clarity"),
        ("conciseness", "行文简洁", "conciseness"),
    ),
    scale=AS_IT_IS,
    needs="hengfa grade run RUN --grader JUDGE",
)
_CORRELATIONS: Final = [
    Column("pearson", Words("Pearson 相关", "Pearson's r"), scale=AS_IT_IS),
    Column("spearman", Words("Spearman 相关", "Spearman's ρ"), scale=AS_IT_IS),
]
_AGREEMENT: Final = "claw-agreement"


# --- recall of statutes ---


def _on_paper_questions(shelf: Shelf) -> Shelf:
    """Only runs on the paper's questions: all provisions, by its own options."""
    return _with_runs(shelf, (run for run in shelf.measured(ALL) if not _own_options(run)))


def _with_runs(shelf: Shelf, runs: Iterable[MeasuredRun]) -> Shelf:
    return replace(shelf, runs=list(runs))


def _own_options(run: MeasuredRun) -> dict[str, str]:
    """The options of a run that make its questions others than the paper's."""
    return {
        name: value
        for name, value in run.source.manifest.suite_options.items()
        if name in OPTIONS and not OPTIONS[name].scoring and value != OPTIONS[name].default
    }


def _figure_1(shelf: Shelf) -> Content:
    """Civil Code only; such runs have other questions than those of figures 2 to 4."""
    civil = _with_runs(shelf, (run for run in shelf.measured(ALL) if _of_civil_code(run)))
    columns = [replace(_BERTSCORE, needs=_CIVIL)]
    rows = civil.rows(columns, table="claw-civil-code", best="bertscore")
    note = Words(
        "BERTScore 依赖所用的 BERT 模型，论文没有说明；不同模型的数值不能直接相比。",
        "BERTScore depends on the BERT model, which the paper does not name: values by another one "
        "are not comparable.",
    )
    return Content(columns, rows, [note], draw=partial(grouped_bars, columns, rows))


def _of_civil_code(run: MeasuredRun) -> bool:
    changed = _own_options(run)
    return changed.keys() == {STATUTE} and normalise_name(changed[STATUTE]) == CIVIL_CODE


def _figure_2(shelf: Shelf) -> Content:
    """Three nested levels of ID retrieval."""
    rows = _on_paper_questions(shelf).rows(_LEVELS_OF_RUNS, best="article_accuracy")
    notes = (
        Words(
            "论文只印出四个模型在条一级的数字（4.2 节），其余只有柱形。",
            "The paper prints numbers of four models at article level only (section 4.2); the rest "
            "is bars.",
        ),
        Words(
            "4.2 节称 DeepSeek-R1 比 Doubao-1.5-Pro 在款一级高 4.75、在项一级高 4.79 个百分点。",
            "Section 4.2 says that DeepSeek-R1 is above Doubao-1.5-Pro by 4.75 points at paragraph "
            "and 4.79 at subparagraph level.",
        ),
    )
    return Content(_LEVELS_OF_RUNS, rows, notes, draw=partial(grouped_bars, _LEVELS_OF_RUNS, rows))


def _figure_3(shelf: Shelf) -> Content:
    """Of each statute the best run at each level; named after the best at article level."""
    runs = [
        run
        for run in _on_paper_questions(shelf).runs
        if run.source.model != CEILING and run.cell("id") is not None
    ]
    best: dict[str, dict[str, tuple[PrintedCell, MeasuredRun]]] = {}
    for run in runs:
        for level in _LEVELS:
            for law, cell in run.by(LAW, "id", level.name).items():
                held = best.setdefault(law, {}).get(level.name)
                if held is None or cell.value > held[0].value:
                    best[law][level.name] = cell, run
    names = ", ".join(run.source.name for run in runs)
    rows = [
        Row(
            f"{law} · {levels[_LEVELS[0].name][1].label}",
            names,
            {name: cell for name, (cell, _) in levels.items()},
            run=True,
            sample=any(run.source.sample for _, run in levels.values()),
            trained=any(run.source.manifest.trained for _, run in levels.values()),
        )
        for law, levels in best.items()
    ]
    rows.sort(key=lambda row: -row.cells[_LEVELS[0].name].value)
    draw = partial(_curves_by_rank, rows) if rows else None
    return Content(_LEVELS, rows, [NO_NUMBERS], draw=draw)


_PLACE: Final = Words("法律（按准确率排列）", "statutes, best first")
_LEVEL: Final = Words("层级", "level")


def _curves_by_rank(rows: Sequence[Row]) -> Spec:
    """A curve for each level over the statutes, each in its own order."""
    points = [
        Curve(level.title, "", place, row.cells[level.name].value, row.label)
        for level in _LEVELS
        for place, row in enumerate(
            sorted(rows, key=lambda row: -row.cells[level.name].value), start=1
        )
    ]
    return curves(points, _PLACE, _LEVEL)


def _figure_4(shelf: Shelf) -> Content:
    """Six metrics of content retrieval."""
    rows = _on_paper_questions(shelf).rows(_CONTENT, best="rouge_l")
    drawn = [column for column in _CONTENT if column.name != "edit_distance"]
    note = Words(
        "编辑距离越低越好，其余越高越好；图中不画编辑距离。",
        "Lower is better for edit distance, which the picture leaves out; higher for the others.",
    )
    return Content(_CONTENT, rows, [note], draw=partial(grouped_bars, drawn, rows))


# --- case reasoning ---


def _table(judge: str, shelf: Shelf) -> Content:
    """Table 1 or 2: the paper's models by one of its judges, and runs by whoever graded them."""
    columns = [_OVERALL, *_DIMENSIONS]
    printed = [published_row(row, columns) for row in shelf.printed(CASES) if row.grader == judge]
    measured = [run.row(_case_cells(run)) for run in shelf.measured(suite=CASES)]
    notes = (
        Words(
            "五个维度各 20 分：Good 20、Normal 10、Bad 0；总评满分 100，不是各维度之和。",
            "Each dimension has 20 points: Good 20, Normal 10, Bad 0; the overall rating of 100 is "
            "no sum of them.",
        ),
        Words(
            "不同评分者的分数不能相比；运行的评分者在括号内。",
            "Scores by different graders do not compare; of runs, who graded stands in brackets.",
        ),
    )
    rows = [*printed, *measured]
    rows.sort(key=lambda row: row.cells["overall"].value if "overall" in row.cells else -1.0)
    return Content(columns, rows, notes)


def _case_cells(run: MeasuredRun) -> Mapping[str, PrintedCell | None]:
    return {
        "overall": run.cell("case"),
        **{name: _of_twenty(run.cell(f"case:{name}")) for name in DIMENSIONS},
    }


def _of_twenty(cell: PrintedCell | None) -> PrintedCell | None:
    if cell is None:
        return None
    low, high = (None if end is None else end * MOST for end in (cell.low, cell.high))
    return PrintedCell(cell.value * MOST, low, high)


# --- what goes together ---


def _correlations(shelf: Shelf) -> Content:
    """Recall with reasoning, and locating with reciting: as the text says, and over runs."""
    printed = shelf.printed(_AGREEMENT, "recall")
    rows = [published_row(row, _CORRELATIONS) for row in printed]
    recall = _by_model(_on_paper_questions(shelf).runs)
    reasoning = _by_grader(shelf)
    counts = []
    for row in printed:
        x, _, y = row.model.partition(" × ")
        for grader, runs in {"": recall, **reasoning}.items():
            if (y == "overall") != bool(grader):
                continue
            title = f"{row.title} ({grader})" if grader else row.title
            count, made = _together(title, recall, x, runs, "case" if y == "overall" else y)
            counts.append(count)
            rows += made
    return Content(_CORRELATIONS, rows, needs=_too_few(counts))


Models = dict[tuple[bool, str], list[MeasuredRun]]
"""Runs by model, but for those that are built in and no models; those on the sample pack, whose
questions are others, are models of their own."""


def _by_model(runs: Iterable[MeasuredRun]) -> Models:
    by_model: Models = {}
    for run in (run for run in runs if not run.source.builtin):
        by_model.setdefault((run.source.sample, run.source.model), []).append(run)
    return by_model


def _by_grader(shelf: Shelf) -> dict[str, Models]:
    runs = shelf.measured(suite=CASES)
    graders = dict.fromkeys(run.source.grader for run in runs)
    return {
        grader: _by_model(run for run in runs if run.source.grader == grader)
        for grader in graders
        if grader
    }


def _together(title: str, one: Models, x: str, other: Models, y: str) -> tuple[int, list[Row]]:
    """How two figures correlate over the models that have both, and over how many; no row where
    they are too few. Questions of the sample pack and others are never taken together."""
    most, rows = 0, list[Row]()
    for sample in (False, True):
        pairs = {
            key[1]: (a, b)
            for key in one
            if key[0] is sample and key in other
            if (a := _first(one[key], x)) is not None and (b := _first(other[key], y)) is not None
        }
        together = associate(
            list(pairs), *([pair[side] for pair in pairs.values()] for side in (0, 1))
        )
        found = {"pearson": together.pearson, "spearman": together.spearman}
        cells = {
            name: PrintedCell(value.value, value.low, value.high)
            for name, value in found.items()
            if value is not None
        }
        most = max(most, len(pairs))
        if cells:
            source = f"{len(pairs)}: {', '.join(pairs)}"
            used = (run for side in (one, other) for key in side for run in side[key]
                    if key[0] is sample and key[1] in pairs)  # fmt: skip
            trained = any(run.source.manifest.trained for run in used)
            rows.append(Row(title, source, cells, run=True, sample=sample, trained=trained))
    return most, rows


def _first(runs: Iterable[MeasuredRun], name: str) -> float | None:
    return next((cell.value for run in runs if (cell := run.cell(name)) is not None), None)


def _too_few(counts: Sequence[int]) -> list[Words]:
    most = max(counts, default=0)
    if most >= LEAST:
        return []
    return [
        Words(
            f"相关至少要 {LEAST} 个模型，两项都有的现有 {most} 个：需要 `{_BOTH}`",
            f"a correlation takes {LEAST} models with both figures, there are {most}: needs "
            f"`{_BOTH}`",
        )
    ]


def _judges(shelf: Shelf) -> Content:
    """Judges against people, people among themselves, and judges against each other."""
    rows = [
        *(published_row(row, _CORRELATIONS) for row in shelf.printed(_AGREEMENT, "judges")),
        *shelf.agreements(_CORRELATIONS, people=True),
        *_judge_pairs(_by_grader(shelf)),
    ]
    return Content(_CORRELATIONS, rows, needs=[] if shelf.files else [_PEOPLE])


def _judge_pairs(graders: Mapping[str, Models]) -> Iterator[Row]:
    for (one, by_one), (other, by_other) in combinations(graders.items(), 2):
        yield from _together(f"{one} × {other}", by_one, "case", by_other, "case")[1]


_CIVIL: Final = (
    f"hengfa eval claw/content --set {STATUTE}={CIVIL_CODE} --set bertscore=DIR --model MODEL "
    "--run NAME"
)
_ID: Final = "hengfa eval claw/id --model MODEL"
_BOTH: Final = f"{_ID}; {_CASE}"
_CALIBRATE: Final = "hengfa grade calibrate people.csv graded.csv --json > calibration.json"
_PEOPLE: Final = Words(
    f"与专家的一致性：需要 `{_CALIBRATE}`，并把该文件与运行一起给出",
    f"agreement with people: needs `{_CALIBRATE}`, given beside the runs",
)

PAPER: Final = Paper(
    "claw",
    (
        Plate(
            "figure-1",
            Words("背诵民法典的 BERTScore", "BERTScore of reciting the Civil Code"),
            _figure_1,
            _CIVIL,
            "which BERT model the paper used",
        ),
        Plate(
            "figure-2",
            Words("法条定位的三个层级", "three nested levels of ID retrieval"),
            _figure_2,
            _ID,
            "the paper's numbers but four at article level: only drawn",
        ),
        Plate(
            "figure-3",
            Words("每部法律上最好的模型", "the best model of each statute"),
            _figure_3,
            _ID,
            "the paper's numbers: only drawn",
        ),
        Plate(
            "figure-4",
            Words("法条背诵的六个指标", "six metrics of content retrieval"),
            _figure_4,
            _BERT,
        ),
        *(
            Plate(
                f"table-{number}",
                Words(f"案例说理，{judge} 评分", f"case reasoning as {judge} judges it"),
                partial(_table, judge),
                _CASE,
            )
            for number, judge in ((1, "Gemini-2.5-Pro"), (2, "DeepSeek-R1"))
        ),
        Plate(
            "correlations",
            Words("记忆与说理的相关", "recall and reasoning across models"),
            _correlations,
            _BOTH,
            "recall of the paper's models by level, so its correlations cannot be checked",
        ),
        Plate(
            "judges",
            Words("评分模型与专家的一致性", "judges against people"),
            _judges,
            _CASE,
            "the experts' ratings",
        ),
    ),
    also=(CASES,),
)
