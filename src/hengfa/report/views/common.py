"""Other pictures that any suite can have: mistakes, a radar, what a score costs."""

from __future__ import annotations

from collections.abc import Sequence

from hengfa.report.charts.plots import Bar, BarWords, Point, PointWords, scatter, shares
from hengfa.report.charts.radar import FEWEST_AXES, RadarWords, Spoke, radar
from hengfa.report.charts.theme import Spec
from hengfa.report.site.model import RunInfo, TaskInfo, Words
from hengfa.report.views import words
from hengfa.report.views.base import BoardView, Language, Picture, figure_of, headlines, pick
from hengfa.report.views.errors import error_title


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
        spokes = [Spoke(board.label(run), pick(axis, language), one) for run, axis, one in values]
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
            (run, one.value) for run in board.models() if (one := figure_of(board, run, name))
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
