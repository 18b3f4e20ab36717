"""Heat maps of a board: models by tasks, by kinds of samples, by figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from hengfa.report.charts.heat_map import HeatWords, Square, heat_map
from hengfa.report.charts.theme import ABSTENTION, SCORES, Spec
from hengfa.report.site.model import Words
from hengfa.report.views import words
from hengfa.report.views.base import BoardView, Language, Picture, pick

MOST_KINDS, MOST_RUNS = 40, 12
"""So many rows and columns are read; of more kinds those with the most samples are shown, of more
runs the best."""
K = TypeVar("K")
Row = tuple[str, Mapping[K, float]]
"""A model and its values."""


def task_heat_map(board: BoardView) -> list[Picture]:
    """Models by tasks, coloured by score."""
    if len(board.tasks) < 2:
        return []

    def draw(language: Language) -> Spec:
        return _tasks(board, language, by_abstention=False)

    note = Words("颜色越深，得分越高。", "The darker, the higher the score.")
    return [Picture(board.id("tasks"), Words("各任务得分", "Scores by task"), note, draw)]


def abstention_heat_map(board: BoardView) -> list[Picture]:
    """Models by tasks with the score in each cell, coloured by abstention."""

    def draw(language: Language) -> Spec:
        return _tasks(board, language, by_abstention=True)

    title = Words("各任务得分与弃答", "Scores and abstention by task")
    note = Words(
        "数字为得分，颜色为弃答率：颜色越深，回答中越常找不到答案。",
        "Numbers are scores. The darker a cell, the more often no answer could be found.",
    )
    return [Picture(board.id("abstention"), title, note, draw)]


def _tasks(board: BoardView, language: Language, *, by_abstention: bool) -> Spec:
    squares = [
        Square(
            row=board.label(run),
            column=board.title(task, language),
            value=cell.score.value,
            shade=cell.abstention if by_abstention else cell.score.value,
        )
        for run in board.runs
        for task in board.tasks
        if (cell := board.cell(run, task.id)) and cell.score
    ]
    score = pick(words.SCORE, language)
    heading = HeatWords(
        row=pick(words.MODEL, language),
        column=pick(words.TASK, language),
        value=score,
        shade=pick(words.ABSTENTION, language) if by_abstention else score,
    )
    return heat_map(
        squares,
        heading,
        [board.label(run) for run in board.runs],
        [board.title(task, language) for task in board.tasks],
        ABSTENTION if by_abstention else SCORES,
    )


def facet_heat_maps(board: BoardView) -> list[Picture]:
    """For each task and facet: kinds by models."""
    return [
        _facet(board, number, facet)
        for number, task in enumerate(board.tasks)
        for facet in task.facets
        if any(facet in cell.parts for run in board.runs if (cell := board.cell(run, task.id)))
    ]


def _facet(board: BoardView, number: int, facet: str) -> Picture:
    task, title = board.tasks[number], words.facet(facet)
    sizes: dict[str, int] = {}
    for run in board.runs:
        cell = board.cell(run, task.id)
        for kind, part in (cell.parts.get(facet, {}) if cell else {}).items():
            sizes[kind] = max(sizes.get(kind, 0), part.n)
    runs = board.runs if len(board.runs) <= MOST_RUNS else board.few()
    frequent = sorted(sizes, key=lambda kind: (-sizes[kind], kind))[:MOST_KINDS]
    kinds = [kind for kind in task.facets[facet] if kind in frequent]

    def draw(language: Language) -> Spec:
        titles = {kind: pick(words.kind(kind), language) for kind in kinds}
        squares = [
            Square(titles[kind], board.label(run), part.value, part.value, f"n = {part.n}")
            for run in runs
            if (cell := board.cell(run, task.id))
            for kind, part in cell.parts.get(facet, {}).items()
            if kind in kinds
        ]
        score = pick(words.SCORE, language)
        heading = HeatWords(
            row=pick(title, language),
            column=pick(words.MODEL, language),
            value=score,
            shade=score,
            about=pick(words.COUNT, language),
        )
        rows = list(titles.values())
        return heat_map(squares, heading, rows, [board.label(run) for run in runs])

    left = len(sizes) - len(kinds)
    note = Words(
        f"只列样本最多的 {MOST_KINDS} 类，另有 {left} 类未列。" if left else "",
        f"The {MOST_KINDS} with the most samples; {left} more are not shown." if left else "",
    )
    return Picture(
        board.id(f"task{number}-facet{list(task.facets).index(facet)}"),
        Words(f"{task.title.zh}：按{title.zh}", f"{task.title.en}: by {title.en}"),
        note,
        draw,
    )


def column_heat_maps(
    board: BoardView,
    kind: str,
    title: Words,
    columns: Mapping[K, Words],
    there: Sequence[Row[K]],
    printed: Sequence[Row[K]],
) -> list[Picture]:
    """Models by whatever the columns are, without and with the models of the paper."""
    starred = [(f"{name} *", values) for name, values in printed if columns.keys() & values.keys()]
    runs = [(name, values) for name, values in there if columns.keys() & values.keys()]
    if not runs:
        return []

    def draw(rows: Sequence[Row[K]], language: Language) -> Spec:
        score = pick(words.SCORE, language)
        heading = HeatWords(pick(words.MODEL, language), pick(words.METRIC, language), score, score)
        squares = [
            Square(name, pick(columns[column], language), value, value)
            for name, values in rows
            for column, value in values.items()
            if column in columns
        ]
        shown = [pick(one, language) for one in columns.values()]
        return heat_map(squares, heading, [name for name, _ in rows], shown)

    found = [
        Picture(
            board.id(kind),
            title,
            Words("", ""),
            lambda language: draw(runs, language),
            published=False if starred else None,
        )
    ]
    if starred:
        found.append(
            Picture(
                board.id(f"{kind}-published"),
                title,
                words.OTHER_QUESTIONS if board.is_sample else words.STARRED,
                lambda language: draw([*runs, *starred], language),
                published=True,
            )
        )
    return found
