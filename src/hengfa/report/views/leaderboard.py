"""Who stands where: the leaderboard of a board, with intervals, with and without the paper."""

from __future__ import annotations

from collections.abc import Iterable

from hengfa.report.charts.plots import (
    BUILTIN,
    PUBLISHED,
    RUN,
    Dot,
    IntervalWords,
    intervals,
)
from hengfa.report.charts.theme import Spec
from hengfa.report.site.model import PublishedInfo, Words
from hengfa.report.views import words
from hengfa.report.views.base import (
    BoardView,
    Language,
    Picture,
    figure_of,
    headlines,
    pick,
)

_KINDS = {words.RUN: RUN, words.BUILTIN: BUILTIN, words.PUBLISHED: PUBLISHED}


def leaderboards(board: BoardView) -> list[Picture]:
    """Who stands where: for each headline figure without and with published models."""
    return [picture for name in headlines(board) for picture in _with_and_without(board, name)]


def _with_and_without(board: BoardView, name: str) -> Iterable[Picture]:
    rows = [one for one in board.printed() if name in one.figures]
    yield _leaderboard(board, name, [], False if rows else None)
    if rows:
        yield _leaderboard(board, name, rows, True)


def _leaderboard(
    board: BoardView, name: str, rows: list[PublishedInfo], published: bool | None
) -> Picture:
    figures = [(run, figure) for run in board.runs if (figure := figure_of(board, run, name))]

    def draw(language: Language) -> Spec:
        run_kind, builtin, printed = (pick(one, language) for one in _KINDS)
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
        for one in rows:
            other = f"{one.title} ({printed})" if one.title in taken else one.title
            dots.append(Dot(other, one.figures[name], kind=printed))
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
