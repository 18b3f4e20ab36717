"""CLaw: how deep into a statute a model finds its way, in which laws, and how it goes wrong."""

from __future__ import annotations

from collections.abc import Mapping

from hengfa.report.charts.plots import Bar, BarWords, bars
from hengfa.report.charts.theme import Spec
from hengfa.report.site.model import RunInfo, Words
from hengfa.report.views import common, words
from hengfa.report.views.base import BoardView, Language, Picture, pick
from hengfa.report.views.heat_maps import facet_heat_maps
from hengfa.report.views.leaderboard import leaderboards
from hengfa.suites.claw.score import ARTICLE

_PLACES = "id"
LEVELS: Mapping[str, Words] = {
    ARTICLE: Words("条", "article"),
    "paragraph_accuracy": Words("款", "paragraph"),
    "subparagraph_accuracy": Words("项", "item"),
}
_LEVEL = Words("层级", "level")


def pictures(board: BoardView) -> list[Picture]:
    return [
        *leaderboards(board),
        *levels(board),
        *facet_heat_maps(board),
        *(one for task in board.tasks for one in common.error_shares(board, [task])),
        *common.costs(board),
    ]


def levels(board: BoardView) -> list[Picture]:
    """Accuracy to the article, the paragraph and the item."""
    found = [
        (run, level, value)
        for run in board.runs
        for level, value in _accuracies(board, run).items()
    ]
    if not found:
        return []

    def draw(language: Language) -> Spec:
        heading = BarWords(
            axis=pick(Words("准确率（%）", "accuracy (%)"), language),
            name=pick(words.MODEL, language),
            series=pick(_LEVEL, language),
            value=pick(words.SCORE, language),
        )
        return bars(
            [
                Bar(board.label(run), pick(LEVELS[level], language), value)
                for run, level, value in found
            ],
            heading,
        )

    title = Words("法条定位：按层级", "Locating a provision: by level")
    note = Words(
        "条、款、项逐级更难：每一级都要求上一级也对。",
        "Article, paragraph, item: each level needs the one above it to be right.",
    )
    return [Picture(board.id("levels"), title, note, draw)]


def _accuracies(board: BoardView, run: RunInfo) -> dict[str, float]:
    cell = board.cell(run, _PLACES)
    if cell is None or cell.score is None:
        return {}
    values = {ARTICLE: cell.score.value, **cell.more}
    return {level: values[level] for level in LEVELS if level in values}
