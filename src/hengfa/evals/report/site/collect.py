"""All that a site says of some runs, but for texts: read from their tables, task by task.

Each run gets its cells, figures and rank; each board its comparisons, pictures, the rows of the
paper and hints for a review of contamination.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from hengfa.base.progress import Progress
from hengfa.base.statistics.intervals import Estimate
from hengfa.evals.report import MOST_SAMPLES
from hengfa.evals.report.site.files import Packer
from hengfa.evals.report.site.gather import SAMPLE_SETTING, Board, Source, boards
from hengfa.evals.report.site.model import (
    Cell,
    Figure,
    PublishedInfo,
    RunInfo,
    Scores,
    Suspect,
    TaskInfo,
    Words,
)
from hengfa.evals.report.site.pictures import Pictures, all_pictures
from hengfa.evals.report.site.statistics import Statistics, statistics_of
from hengfa.evals.report.site.tasks import CellExtras, read_task
from hengfa.evals.report.site.views import board_views, figures_of
from hengfa.evals.results.figures import TaskFigures
from hengfa.evals.results.published.papers import published
from hengfa.evals.results.suspicion import Identical, Unexpected, Verbatim
from hengfa.evals.runs.leaderboard import printed_figures
from hengfa.evals.runs.sitting import Notify, quiet
from hengfa.evals.runs.suspicion import Hints, run_hints
from hengfa.evals.suites.base import Rules, Suite


@dataclass(frozen=True, slots=True)
class Collected:
    """What the pages of a site are about, but for its texts."""

    boards: list[Board]
    tasks: list[TaskInfo]
    runs: list[RunInfo]
    published: list[PublishedInfo]
    pictures: Pictures

    @property
    def suites(self) -> list[Suite]:
        return list({board.suite.name: board.suite for board in self.boards}.values())


def collect(
    sources: Sequence[Source],
    packer: Packer | None = None,
    notify: Notify = quiet,
    watch: Progress | None = None,
    samples: int = MOST_SAMPLES,
) -> Collected:
    """Read the tables of all runs; with a packer, write the files of tasks and comparisons, with
    the texts of so many samples of each task.

    A step that is watched is a task that was read, or the statistics of a board.
    """
    by_board = boards(sources)
    steps = count(1)
    number = sum(len(board.tasks) + 1 for board in by_board)

    def step() -> None:
        if watch is not None:
            watch(next(steps), number)

    tasks: list[TaskInfo] = []
    runs: list[RunInfo] = []
    for board in by_board:
        extras: dict[int, dict[str, CellExtras]] = {source.number: {} for source in board.sources}
        for task_id in board.tasks:
            task = read_task(board, board.suite.tasks[task_id], len(tasks), packer, samples)
            tasks.append(task.info)
            for run, of_task in task.extras.items():
                extras[run][task_id] = of_task
            step()
        statistics = {rules: statistics_of(board, rules, notify) for rules in board.rules}
        if packer is not None:
            _put_comparisons(packer, board, statistics)
        step()
        for source in board.sources:
            of_run = extras[source.number]
            runs.append(_run_info(source, _scores_of(board, source, of_run, statistics), of_run))
    rows = [row for board in by_board for row in _published_rows(board)]
    pictures = all_pictures(board_views(by_board, runs, tasks, rows))
    return Collected(by_board, tasks, runs, rows, pictures)


def _put_comparisons(packer: Packer, board: Board, statistics: Mapping[Rules, Statistics]) -> None:
    for rules, known in statistics.items():
        packer.put(f"compare/{board.suite.name}/{board.setting}/{rules}", known.comparisons)


def _run_info(
    source: Source, scores: dict[str, Scores], extras: Mapping[str, CellExtras]
) -> RunInfo:
    used = list(extras.values())
    currencies = {cell.currency for cell in used if cell.currency is not None}
    manifest = source.manifest
    return RunInfo(
        number=source.number,
        name=source.name,
        model=manifest.model,
        suite=manifest.suite,
        setting=source.setting,
        created=manifest.created,
        samples=max(run.samples for run in source.figures.values()),
        scores=scores,
        builtin=source.builtin,
        sample=source.sample,
        trained=manifest.seen_in_training,
        input_tokens=_whole(_total(cell.input_tokens for cell in used)),
        output_tokens=_whole(_total(cell.output_tokens for cell in used)),
        seconds=_total(cell.seconds for cell in used),
        cost=_total(cell.cost for cell in used) if len(currencies) == 1 else None,
        currency=currencies.pop() if len(currencies) == 1 else None,
    )


def _published_rows(board: Board) -> list[PublishedInfo]:
    """The rows of the paper that can be shown beside the runs of a board, each with its grader.

    Figures that the paper leaves out are made of what it has, where that is enough. Who
    asked other questions, or by other prompts, has none beside it.
    """
    manifest = board.sources[0].manifest
    if board.setting.endswith(SAMPLE_SETTING) or manifest.prompts or manifest.ids:
        return []
    return [
        PublishedInfo(
            suite=board.suite.name,
            setting=board.setting,
            model=row.model,
            title=f"{row.title} ({row.grader})" if row.grader else row.title,
            source=f"{row.source}, graded by {row.grader}" if row.grader else row.source,
            tasks=row.tasks,
            figures=figures,
            computed=[name for name in figures if name not in row.figures],
        )
        for row in published(board.suite.name, manifest.setting)
        for figures in (printed_figures(board.suite, row),)
    ]


def _total(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def _scores_of(
    board: Board,
    source: Source,
    extras: Mapping[str, CellExtras],
    statistics: Mapping[Rules, Statistics],
) -> dict[str, Scores]:
    """By rules."""
    scores: dict[str, Scores] = {}
    for rules, run in source.figures.items():
        known = statistics[rules]
        estimates = known.estimates.get(source.number, {})
        rank = known.ranks.get(source.number)
        whole = run.completed(board.suite)
        scores[str(rules)] = Scores(
            cells={
                task: _cell_of(run.tasks[task], extras[task], rules, estimates.get(task))
                for task in board.suite.tasks
                if task in run.tasks
            },
            figures={
                name: _with_interval(whole.figures[name], estimates.get(name))
                for name in figures_of(board.suite)
                if name in whole.figures
            },
            rank=rank.rank if rank else None,
            rank_low=rank.low if rank else None,
            rank_high=rank.high if rank else None,
            bands=whole.bands,
        )
    return scores


def _cell_of(
    task: TaskFigures, extras: CellExtras, rules: Rules, estimate: Estimate | None
) -> Cell:
    return Cell(
        score=None if task.score is None else _with_interval(task.score, estimate),
        n=task.n,
        lenient=task.lenient,
        abstention=task.abstention,
        floor=task.floor,
        ceiling=task.ceiling,
        statuses=task.statuses,
        answers=task.answers,
        errors=extras.errors[rules],
        more=task.more,
        parts=extras.parts[rules],
    )


def _with_interval(value: float, estimate: Estimate | None) -> Figure:
    """The value as it was printed when it was scored, with the interval of its estimate."""
    return Figure(value) if estimate is None else Figure(value, estimate.low, estimate.high)


def suspects_of(boards: Iterable[Board]) -> list[Suspect]:
    """Everything that is flagged about the models of these boards, by the official rules."""
    suspects: list[Suspect] = []
    for board in boards:
        folders = [source.folder for source in board.under(Rules.OFFICIAL) if not source.builtin]
        if folders:
            for hints in run_hints(folders):
                suspects += _flagged(board, hints)
    return suspects


def _flagged(board: Board, hints: Hints) -> Iterator[Suspect]:
    every: Sequence[tuple[str, Sequence[Unexpected | Verbatim | Identical]]] = (
        ("unexpected", hints.unexpected),
        ("verbatim", hints.verbatim),
        ("identical", hints.identical),
    )
    for kind, several in every:
        for hint in several:
            if hint.flagged:
                yield _suspect(board, kind, hint)


def _suspect(board: Board, kind: str, hint: Unexpected | Verbatim | Identical) -> Suspect:
    match hint:
        case Unexpected():
            models, task, sample, text = [hint.model], hint.task, "", _unexpected(hint)
        case Verbatim():
            models, task, sample, text = [hint.model], hint.task, hint.sample, _verbatim(hint)
        case Identical():
            task, _, sample = hint.sample.partition("/")
            models, text = [hint.one, hint.other], _identical(hint)
    return Suspect(kind, board.suite.name, models, task, text, sample, board.setting)


def _unexpected(hint: Unexpected) -> Words:
    score, predicted, limit = (_points(value) for value in (hint.score, hint.predicted, hint.limit))
    return Words(
        f"得分 {score}；由其他任务推算为 {predicted}，上限 {limit}"
        f"（依据另外 {hint.models} 个模型）",
        f"scored {score}; its other tasks predict {predicted}, at most {limit} "
        f"(by {hint.models} other models)",
    )


def _verbatim(hint: Verbatim) -> Words:
    share = _points(hint.share)
    usual = "" if hint.usual is None else _points(hint.usual)
    return Words(
        f"{hint.n} 个回答中有 {hint.count} 个（{share}%）逐字重复参考答案中题目没有给出的长句"
        + (f"；其他模型通常为 {usual}%" if usual else ""),
        f"{hint.count} of {hint.n} answers ({share} %) repeat a long passage of the reference that "
        "the prompt does not have" + (f"; of other models usually {usual} %" if usual else ""),
    )


def _identical(hint: Identical) -> Words:
    share = _points(hint.share)
    usual = "" if hint.usual is None else _points(hint.usual)
    return Words(
        f"{hint.n} 个较长回答中有 {hint.count} 个（{share}%）完全相同"
        + (f"；其他两两之间通常为 {usual}%" if usual else ""),
        f"{hint.count} of {hint.n} long answers ({share} %) are the same"
        + (f"; of other pairs usually {usual} %" if usual else ""),
    )


def _points(share: float) -> str:
    return f"{share * 100:.1f}"
