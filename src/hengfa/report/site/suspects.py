"""Hints for a review of contamination, in both languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hengfa.report.site.gather import Board
from hengfa.report.site.model import Suspect, Words
from hengfa.results.suspicion import Identical, Unexpected, Verbatim
from hengfa.runs.suspicion import Hints, run_hints
from hengfa.suites.base import Rules


def suspects_of(boards: Iterable[Board]) -> list[Suspect]:
    """Everything that is flagged about the models of these boards, by the official rules."""
    found: list[Suspect] = []
    for board in boards:
        folders = [one.folder for one in board.under(Rules.OFFICIAL) if not one.builtin]
        if folders:
            for hints in run_hints(folders):
                found += _flagged(board, hints)
    return found


def _flagged(board: Board, hints: Hints) -> Iterator[Suspect]:
    every: Sequence[tuple[str, Sequence[Unexpected | Verbatim | Identical]]] = (
        ("unexpected", hints.unexpected),
        ("verbatim", hints.verbatim),
        ("identical", hints.identical),
    )
    for kind, several in every:
        for one in several:
            if one.flagged:
                yield _suspect(board, kind, one)


def _suspect(board: Board, kind: str, one: Unexpected | Verbatim | Identical) -> Suspect:
    match one:
        case Unexpected():
            models, task, sample, text = [one.model], one.task, "", _unexpected(one)
        case Verbatim():
            models, task, sample, text = [one.model], one.task, one.sample, _verbatim(one)
        case Identical():
            task, _, sample = one.sample.partition("/")
            models, text = [one.one, one.other], _identical(one)
    return Suspect(kind, board.suite.name, models, task, text, sample, board.setting)


def _unexpected(one: Unexpected) -> Words:
    score, predicted, limit = (_points(value) for value in (one.score, one.predicted, one.limit))
    return Words(
        f"得分 {score}；由其他任务推算为 {predicted}，上限 {limit}（依据另外 {one.models} 个模型）",
        f"scored {score}; its other tasks predict {predicted}, at most {limit} "
        f"(by {one.models} other models)",
    )


def _verbatim(one: Verbatim) -> Words:
    share = _points(one.share)
    usual = "" if one.usual is None else _points(one.usual)
    return Words(
        f"{one.n} 个回答中有 {one.count} 个（{share}%）逐字重复参考答案中题目没有给出的长句"
        + (f"；其他模型通常为 {usual}%" if usual else ""),
        f"{one.count} of {one.n} answers ({share} %) repeat a long passage of the reference that "
        "the prompt does not have" + (f"; of other models usually {usual} %" if usual else ""),
    )


def _identical(one: Identical) -> Words:
    share = _points(one.share)
    usual = "" if one.usual is None else _points(one.usual)
    return Words(
        f"{one.n} 个较长回答中有 {one.count} 个（{share}%）完全相同"
        + (f"；其他两两之间通常为 {usual}%" if usual else ""),
        f"{one.count} of {one.n} long answers ({share} %) are the same"
        + (f"; of other pairs usually {usual} %" if usual else ""),
    )


def _points(share: float) -> str:
    return f"{share * 100:.1f}"
