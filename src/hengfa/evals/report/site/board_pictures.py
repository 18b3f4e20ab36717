"""The pictures that any suite can have.

Who stands where, with and without the models of the paper; heat maps by task, by kind of sample, by
figure; classes of mistakes, a radar, what a score costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from hengfa.evals.report.charts.heat_map import HeatWords, Square, heat_map
from hengfa.evals.report.charts.plots import (
    BUILTIN,
    PUBLISHED,
    RUN,
    Bar,
    BarWords,
    Dot,
    IntervalWords,
    Point,
    PointWords,
    intervals,
    scatter,
    shares,
)
from hengfa.evals.report.charts.radar import FEWEST_AXES, RadarWords, Spoke, radar
from hengfa.evals.report.charts.theme import ABSTENTION, SCORES, Spec
from hengfa.evals.report.site import words
from hengfa.evals.report.site.model import PublishedInfo, RunInfo, TaskInfo, Words
from hengfa.evals.report.site.views import (
    BoardView,
    Language,
    Picture,
    headlines,
    pick,
)
from hengfa.evals.report.site.words import error_title

MOST_KINDS, MOST_RUNS = 40, 12
"""So many rows and columns are read; of more kinds those with the most samples are shown, of more
runs the best."""
_KINDS = {words.RUN: RUN, words.BUILTIN: BUILTIN, words.PUBLISHED: PUBLISHED}
K = TypeVar("K")
Row = tuple[str, Mapping[K, float]]
"""A model and its values."""


def leaderboards(board: BoardView) -> list[Picture]:
    """Who stands where: for each headline figure without and with published models."""
    return [picture for name in headlines(board) for picture in _with_and_without(board, name)]


def _with_and_without(board: BoardView, name: str) -> Iterable[Picture]:
    rows = [row for row in board.printed() if name in row.figures]
    yield _leaderboard(board, name, [], False if rows else None)
    if rows:
        yield _leaderboard(board, name, rows, True)


def _leaderboard(
    board: BoardView, name: str, rows: list[PublishedInfo], published: bool | None
) -> Picture:
    figures = [(run, figure) for run in board.runs if (figure := board.figure(run, name))]

    def draw(language: Language) -> Spec:
        run_kind, builtin, printed = (pick(kind, language) for kind in _KINDS)
        dots = [
            Dot(
                board.label(run),
                figure.value,
                figure.low,
                figure.high,
                builtin if run.builtin else run_kind,
            )
            for run, figure in figures
        ]
        taken = {dot.name for dot in dots}
        for row in rows:
            label = f"{row.title} ({printed})" if row.title in taken else row.title
            dots.append(Dot(label, row.figures[name], kind=printed))
        heading = interval_words(language, words.MODEL, board.figures[name])
        return intervals(sorted(dots, key=lambda dot: (-dot.value, dot.name)), heading)

    title = board.figures[name]
    return Picture(
        board.id(f"leaderboard-{_safe(name)}" + ("-published" if published else "")),
        Words(f"排行榜：{title.zh}", f"Leaderboard: {title.en}"),
        words.OTHER_QUESTIONS if published and board.is_sample else words.INTERVALS,
        draw,
        published,
    )


def interval_words(language: Language, name: Words, axis: Words) -> IntervalWords:
    return IntervalWords(
        axis=f"{pick(axis, language)} (%)",
        name=pick(name, language),
        value=pick(words.SCORE, language),
        low=pick(words.LOW, language),
        high=pick(words.HIGH, language),
        kinds={pick(kind, language): style for kind, style in _KINDS.items()},
        floor=pick(words.FLOOR, language),
        ceiling=pick(words.CEILING, language),
    )


def _safe(name: str) -> str:
    """A figure as part of a picture's name: `success/1-hop` becomes `success.1-hop`."""
    return name.lower().replace("/", ".")


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
        shown = [pick(label, language) for label in columns.values()]
        return heat_map(squares, heading, [name for name, _ in rows], shown)

    pictures = [
        Picture(
            board.id(kind),
            title,
            Words("", ""),
            lambda language: draw(runs, language),
            published=False if starred else None,
        )
    ]
    if starred:
        pictures.append(
            Picture(
                board.id(f"{kind}-published"),
                title,
                words.OTHER_QUESTIONS if board.is_sample else words.STARRED,
                lambda language: draw([*runs, *starred], language),
                published=True,
            )
        )
    return pictures


def error_shares(board: BoardView, tasks: Sequence[TaskInfo] | None = None) -> list[Picture]:
    """How often each class of mistake was made in some tasks, where a suite tells them apart."""
    counts: dict[tuple[str, str], int] = {}
    for run in board.runs:
        for task in board.tasks if tasks is None else tasks:
            cell = board.cell(run, task.id)
            for error, count in (cell.errors if cell else {}).items():
                key = board.label(run), error
                counts[key] = counts.get(key, 0) + count
    if not counts:
        return []

    def draw(language: Language) -> Spec:
        bars = [
            Bar(label, pick(error_title(error), language), count)
            for (label, error), count in counts.items()
        ]
        heading = BarWords(
            axis=pick(words.COUNT, language),
            name=pick(words.MODEL, language),
            series=pick(words.ERROR, language),
            value=pick(words.COUNT, language),
        )
        return shares(bars, heading, pick(words.OTHERS, language))

    kind, title = "errors", Words("错误类别", "Classes of mistakes")
    if tasks is not None and len(tasks) == 1:
        of = tasks[0]
        kind += f"-{of.id}"
        title = Words(f"{of.title.zh}：错误类别", f"{of.title.en}: classes of mistakes")
    note = Words("每个模型各类错误的回答数。", "How many responses made which mistake.")
    return [Picture(board.id(kind), title, note, draw)]


def radar_of(
    board: BoardView, kind: str, title: Words, values: list[tuple[RunInfo, Words, float]]
) -> list[Picture]:
    """A radar of the best few runs; nothing where there are not enough axes."""
    axes = list(dict.fromkeys((axis.zh, axis.en) for _, axis, _ in values))
    if len(axes) < FEWEST_AXES:
        return []

    def draw(language: Language) -> Spec:
        spokes = [
            Spoke(board.label(run), pick(axis, language), value) for run, axis, value in values
        ]
        heading = RadarWords(
            name=pick(words.MODEL, language),
            axis=pick(words.METRIC, language),
            value=pick(words.SCORE, language),
        )
        return radar(spokes, heading, [pick(Words(*axis), language) for axis in axes])

    return [Picture(board.id(kind), title, words.few(len(board.runs)), draw)]


def costs(board: BoardView) -> list[Picture]:
    """Score against cost, and against tokens, where both are known of two runs at least."""
    pictures: list[Picture] = []
    for name in headlines(board)[:1]:
        scored = [
            (run, figure.value) for run in board.models() if (figure := board.figure(run, name))
        ]
        currencies = {run.currency for run, _ in scored if run.currency}
        if len(currencies) == 1:
            money = currencies.pop() or ""
            spent = [(run, run.cost, score) for run, score in scored if run.cost]
            heading = Words(f"费用（{money}）", f"cost ({money})")
            pictures += _scatter(board, "cost", heading, spent)
        used = [
            (run, (run.input_tokens or 0) + (run.output_tokens or 0), score)
            for run, score in scored
            if run.output_tokens
        ]
        pictures += _scatter(board, "tokens", Words("词元数", "tokens"), used)
    return pictures


def _scatter(
    board: BoardView, kind: str, axis: Words, known: Sequence[tuple[RunInfo, float, float]]
) -> list[Picture]:
    if len(known) < 2:
        return []

    def draw(language: Language) -> Spec:
        points = [Point(board.label(run), x, score) for run, x, score in known]
        heading = PointWords(
            pick(axis, language), pick(words.SCORE, language), pick(words.MODEL, language)
        )
        return scatter(points, heading)

    title = Words(f"得分与{axis.zh}", f"Score against {axis.en}")
    return [Picture(board.id(kind), title, Words("", ""), draw)]
