"""The pictures of a model's page: its tasks between floor and ceiling, and its abilities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hengfa.report.charts.plots import Bar, BarWords, Dot, bars, intervals
from hengfa.report.charts.radar import FEWEST_AXES, RadarWords, Spoke, radar
from hengfa.report.charts.theme import Spec
from hengfa.report.site.model import RunInfo, Words
from hengfa.report.views import words
from hengfa.report.views.base import BoardView, Language, Picture, pick
from hengfa.report.views.leaderboard import interval_words


def tasks_of(board: BoardView, run: RunInfo) -> list[Picture]:
    """What a run scored on each task, with what knowing nothing and knowing everything earns."""
    found = [
        (task, cell.score, cell)
        for task in board.tasks
        if (cell := board.cell(run, task.id)) and cell.score
    ]
    if not found:
        return []

    def draw(language: Language) -> Spec:
        kind = pick(words.BUILTIN if run.builtin else words.RUN, language)
        dots = [
            Dot(
                board.title(task, language),
                score.value,
                score.low,
                score.high,
                kind,
                cell.floor,
                cell.ceiling,
            )
            for task, score, cell in found
        ]
        return intervals(dots, interval_words(language, words.TASK, words.POINTS))

    note = Words(
        "点为得分，线为 95% 置信区间；竖线左为下限（不懂也能得），右为上限（标准答案）。",
        "Dots are scores, lines their 95 % intervals; the ticks are the floor (knowing nothing) "
        "and the ceiling (the reference).",
    )
    title = Words("各任务得分", "Scores by task")
    return [Picture(f"run-{run.number}-tasks", title, note, draw)]


Ability = tuple[str, Words, float]
"""Whose, which, how well."""


def abilities_of(board: BoardView, run: RunInfo, name: str) -> Iterable[Ability]:
    """The abilities that a run measures, with the suite where it does not go without saying."""
    figures = board.scores(run).figures
    for ability in board.suite.abilities:
        if ability in figures:
            yield name, board.figures[ability], figures[ability].value


def abilities(id_: str, found: Sequence[Ability], title: Words, note: Words) -> list[Picture]:
    """A radar, or bars where there are not enough axes for one."""
    axes = list(dict.fromkeys((axis.zh, axis.en) for _, axis, _ in found))
    if not axes:
        return []

    def draw(language: Language) -> Spec:
        if len(axes) < FEWEST_AXES:
            heading = BarWords(
                axis=pick(words.SCORE, language),
                name=pick(words.ABILITY, language),
                series=pick(words.MODEL, language),
                value=pick(words.SCORE, language),
            )
            return bars([Bar(pick(axis, language), who, one) for who, axis, one in found], heading)
        corner = RadarWords(
            name=pick(words.MODEL, language),
            axis=pick(words.ABILITY, language),
            value=pick(words.SCORE, language),
        )
        spokes = [Spoke(who, pick(axis, language), one) for who, axis, one in found]
        return radar(spokes, corner, [pick(Words(*axis), language) for axis in axes])

    return [Picture(id_, title, note, draw)]
