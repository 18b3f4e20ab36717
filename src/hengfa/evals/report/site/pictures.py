"""Which pictures a site has, and where they stand: the first page, a suite's page, a model's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hengfa.evals.report.charts.plots import Bar, BarWords, Dot, bars, intervals
from hengfa.evals.report.charts.radar import FEWEST_AXES, RadarWords, Spoke, radar
from hengfa.evals.report.charts.theme import MOST_SERIES, Spec
from hengfa.evals.report.site import words
from hengfa.evals.report.site.board_pictures import costs, interval_words, leaderboards
from hengfa.evals.report.site.model import PictureInfo, RunInfo, Words
from hengfa.evals.report.site.suite_pictures import pictures_of
from hengfa.evals.report.site.views import BoardView, Language, Picture, pick

_ABILITIES = Words("能力", "Abilities")
_NOTHING = Words("", "")
_Ability = tuple[str, Words, float]
"""Whose, which, how well."""


@dataclass
class Pictures:
    """All pictures by id; ``suites`` by suite, setting and rules, ``models`` by run number."""

    drawn: dict[str, Picture] = field(default_factory=dict)
    overview: list[str] = field(default_factory=list)
    suites: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    models: dict[str, list[str]] = field(default_factory=dict)

    def add(self, pictures: Sequence[Picture]) -> list[str]:
        for picture in pictures:
            self.drawn.setdefault(picture.id, picture)
        return [picture.id for picture in pictures]

    def infos(self) -> dict[str, PictureInfo]:
        return {
            picture.id: PictureInfo(picture.id, picture.title, picture.note, picture.published)
            for picture in self.drawn.values()
        }


def all_pictures(views: Sequence[BoardView]) -> Pictures:
    """The pictures of all pages."""
    pictures = Pictures()
    pictures.overview = pictures.add(_overview_pictures(views))
    for view in views:
        pages = pictures.suites.setdefault(view.suite.name, {})
        pages[view.key] = pictures.add(pictures_of(view))
    by_model: dict[str, list[_Ability]] = {}
    first: dict[int, BoardView] = {}
    for view in views:
        for run in view.runs:
            if run.number not in first:
                first[run.number] = view
                by_model.setdefault(run.model, []).extend(_abilities_of(view, run))
    for view in views:
        for run in view.runs:
            if first[run.number] is view:
                drawn = _tasks_of(view, run)
                measured = _once(by_model[run.model])
                drawn += _abilities(f"run-{run.number}-abilities", measured, _ABILITIES, _NOTHING)
                pictures.models[str(run.number)] = pictures.add(drawn)
    return pictures


def _once(abilities: Sequence[_Ability]) -> list[_Ability]:
    """Of several runs that measure the same ability, the first."""
    return list(
        {(ability[1].zh, ability[1].en): ability for ability in reversed(abilities)}.values()
    )[::-1]


def _overview_pictures(boards: Sequence[BoardView]) -> list[Picture]:
    """Of each suite its main board: the first setting, by the first rules."""
    main = _main_boards(boards)
    return [
        *(picture for board in main for picture in leaderboards(board)),
        *_abilities_radar(main),
        *(picture for board in main for picture in costs(board)),
    ]


def _main_boards(boards: Sequence[BoardView]) -> list[BoardView]:
    """For each suite the setting with the most runs; among equals the first."""
    main: dict[str, BoardView] = {}
    for board in boards:
        before = main.get(board.suite.name)
        if before is None or (
            before.rules == board.rules and len(board.models()) > len(before.models())
        ):
            main[board.suite.name] = board
    return list(main.values())


def _abilities_radar(main: Sequence[BoardView]) -> list[Picture]:
    """All abilities that the suites measure, of the models that were asked the most suites."""
    by_model: dict[str, list[_Ability]] = {}
    builtin: set[str] = set()
    for board in main:
        seen: set[str] = set()
        for run in board.runs:
            if run.model not in seen:  # of several runs of a model, the best
                seen.add(run.model)
                by_model.setdefault(run.model, []).extend(_abilities_of(board, run))
            if run.builtin:
                builtin.add(run.model)

    def place(model: str) -> tuple[bool, int, float]:
        abilities = by_model[model]
        mean = sum(value for _, _, value in abilities) / len(abilities) if abilities else 0.0
        return model in builtin, -len(abilities), -mean

    best = sorted(by_model, key=place)[:MOST_SERIES]
    abilities = [ability for model in best for ability in by_model[model]]
    title = Words("能力雷达图", "Abilities")
    return _abilities("overview-abilities", abilities, title, words.few(len(by_model)))


def _tasks_of(board: BoardView, run: RunInfo) -> list[Picture]:
    """What a run scored on each task, with what knowing nothing and knowing everything earns."""
    scored = [
        (task, cell.score, cell)
        for task in board.tasks
        if (cell := board.cell(run, task.id)) and cell.score
    ]
    if not scored:
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
            for task, score, cell in scored
        ]
        return intervals(dots, interval_words(language, words.TASK, words.POINTS))

    note = Words(
        "点为得分，线为 95% 置信区间；竖线左为下限（不懂也能得），右为上限（标准答案）。",
        "Dots are scores, lines their 95 % intervals; the ticks are the floor (knowing nothing) "
        "and the ceiling (the reference).",
    )
    title = Words("各任务得分", "Scores by task")
    return [Picture(f"run-{run.number}-tasks", title, note, draw)]


def _abilities_of(board: BoardView, run: RunInfo) -> Iterable[_Ability]:
    """The abilities that a run measures."""
    figures = board.scores(run).figures
    for ability in board.suite.abilities:
        if ability in figures:
            yield run.model, board.figures[ability], figures[ability].value


def _abilities(id_: str, abilities: Sequence[_Ability], title: Words, note: Words) -> list[Picture]:
    """A radar, or bars where there are not enough axes for one."""
    axes = list(dict.fromkeys((axis.zh, axis.en) for _, axis, _ in abilities))
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
            return bars(
                [Bar(pick(axis, language), who, value) for who, axis, value in abilities], heading
            )
        corner = RadarWords(
            name=pick(words.MODEL, language),
            axis=pick(words.ABILITY, language),
            value=pick(words.SCORE, language),
        )
        spokes = [Spoke(who, pick(axis, language), value) for who, axis, value in abilities]
        return radar(spokes, corner, [pick(Words(*axis), language) for axis in axes])

    return [Picture(id_, title, note, draw)]
