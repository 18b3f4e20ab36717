"""LawBench, arXiv:2309.16289: tables 3 and 23 to 31, figures 1 and 3 to 7.

The paper prints no numbers of its figures, but what they show is in tables 24 to 31, abstention
excepted. Which models are of one family, of which size, and tuned from which other one is in its
table 2 and in `lawbench_models.csv`; a file of the same columns adds a user's own models.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import resources
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple

from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.evals.report import words
from hengfa.evals.report.charts.plots import RUN, Curve, Dot, Spoke, curves, intervals, radar
from hengfa.evals.report.charts.vega import MOST_SERIES, SERIES
from hengfa.evals.report.papers.exhibit import (
    ABSTENTION,
    AS_IT_IS,
    RUN_MARK,
    Column,
    Content,
    Draw,
    MeasuredRun,
    Paper,
    PrintedCell,
    Row,
    Shelf,
    grouped_bars,
    make_plates,
    published_row,
)
from hengfa.evals.report.words import NOTHING, Text, Words, words_of
from hengfa.evals.runs.evidence import OVERALL
from hengfa.evals.suites.lawbench.suite import LEVELS, SUITE

ZERO, ONE = SETTINGS = SUITE.settings
_TEXTS: Final = words_of("lawbench")
_SHOTS: Final = words_of("lawbench settings")
_GROUPS: Final = words_of("lawbench groups")
_COMMANDS: Final = {
    setting: f"hengfa eval lawbench --shots {shots} --model MODEL"
    for shots, setting in enumerate(SETTINGS)
}
_BEST: Final = 6
"""So many models the paper's radar shows."""
_FACTS: Final = "lawbench_models.csv"
_BASE: Final = "base:"
_SIZE: Final = Column("billions", _TEXTS["billions"], scale=AS_IT_IS, digits=0)
_OVERALL: Final = Column(OVERALL, _TEXTS["average"])
_LEVELS: Final = {level: Column(level, Words(*SUITE.abilities[level])) for level in LEVELS}
_EXTRACTED: Final = [
    task.id for task in SUITE.tasks.values() if task.metric not in {"rouge_l", "f0.5"}
]
"""Tasks whose answers are extracted: only there a model can be said to abstain."""


class Fact(NamedTuple):
    """What is known of a model; `figures` are those of the paper that show it."""

    model: str
    title: str
    group: str = ""
    billions: float | None = None
    family: str = ""
    training: str = ""
    base: str = ""
    figures: frozenset[str] = frozenset()


def read_facts(file: Path) -> dict[str, Fact]:
    """Models by name, from a file of the columns of `lawbench_models.csv`."""
    with disk_errors(file), file.open(encoding="utf-8", newline="") as stream:
        header, *rows = list(csv.reader(stream)) or [[]]
    if header != list(Fact._fields):
        raise DataError(f"the columns must be {', '.join(Fact._fields)}", file=file)
    return {
        row[0]: _fact(row, file, number) for number, row in enumerate(rows, start=2) if any(row)
    }


def _fact(row: Sequence[str], file: Path, number: int) -> Fact:
    if len(row) != len(Fact._fields):
        problem = f"{len(row)} cells under {len(Fact._fields)} headings"
        raise DataError(problem, file=file, row=number)
    model, title, group, billions, family, training, base, figures = row
    if group not in _GROUPS:
        problem = f"{group!r} is none of {', '.join(_GROUPS)}"
        raise DataError(problem, file=file, row=number, field="group")
    try:
        size = float(billions) if billions else None
    except ValueError:
        problem = f"{billions!r} is not a number"
        raise DataError(problem, file=file, row=number, field="billions") from None
    return Fact(
        model, title or model, group, size, family, training, base, frozenset(figures.split())
    )


def _facts(shelf: Shelf) -> dict[str, Fact]:
    own = Path(str(resources.files("hengfa.evals.report.papers").joinpath(_FACTS)))
    return read_facts(own) | (read_facts(shelf.facts) if shelf.facts else {})


def _task_columns(prefix: str = "") -> list[Column]:
    return [
        Column(name, Words(f"{name} {task.title}", f"{name} {task.title_en}"))
        for name, task in SUITE.tasks.items()
        if name.startswith(prefix)
    ]


# --- tables ---


def _table_3(shelf: Shelf) -> Content:
    """Both settings of a model side by side, as far as there are runs of both."""
    columns = [*_task_columns(), _OVERALL]
    rows = [
        replace(row, label=f"{row.label}, {_SHOTS[row.setting].en}")
        for row in shelf.rows(columns, table="lawbench-table-3")
    ]
    return Content(columns, rows, transposed=True)


def _table_23(shelf: Shelf) -> Content:
    columns = _task_columns()
    return Content(columns, shelf.rows(columns, ONE, table="lawbench-table-23"), transposed=True)


def _all_models(columns: Sequence[Column], setting: str, shelf: Shelf) -> Content:
    """Tables 24 to 31: the tasks of a level and their mean, or all levels and the mean of tasks."""
    return Content(columns, _with_groups(shelf, shelf.rows(columns, setting)))


def _with_groups(shelf: Shelf, rows: Sequence[Row]) -> list[Row]:
    facts = _facts(shelf)
    return [
        replace(row, group=_GROUPS[facts[row.model].group]) if row.model in facts else row
        for row in rows
    ]


# --- figures ---


def _figure_1(shelf: Shelf) -> Content:
    """The best six of the paper, and runs."""
    columns = [*_task_columns(), _OVERALL]
    rows = shelf.rows(columns, ZERO, best=OVERALL)
    best = [row for row in rows if not row.run][:_BEST]
    rows = [row for row in rows if row.run or row in best]
    spokes = [
        Spoke(row.title, column.name, row.cells[column.name].value)
        for row in sorted(rows, key=lambda row: row.run)[:MOST_SERIES]
        for column in columns[:-1]
        if column.name in row.cells
    ]
    axes = [column.name for column in columns[:-1]]
    return Content(columns, rows, draw=partial(radar, spokes, axes, words.TASK))


def _figure_3(shelf: Shelf) -> Content:
    """All models, best first, coloured by kind."""
    rows = _with_groups(shelf, shelf.rows([_OVERALL], ZERO, best=OVERALL))
    kinds: dict[Text, tuple[str, str]] = {words.RUN: RUN}
    for place, group in enumerate(_GROUPS.values(), start=1):
        kinds[group] = SERIES[place], "square"
    dots = [
        Dot(row.title, cell.value, cell.low, cell.high, words.RUN if row.run else row.group)
        for row in rows
        if (cell := row.cells.get(OVERALL)) is not None
    ]
    draw = partial(intervals, dots, words.MODEL, words.POINTS, kinds)
    return Content([_OVERALL], rows, draw=draw)


class _Models:
    """What figures 4 to 7 are made of: models by name, their facts, and scores in both settings.

    A column of these figures is named `overall@zero_shot`, or `base:overall@zero_shot` for the
    model that a tuned one was tuned from. Runs on the sample pack, whose questions are others, are
    models of their own, and stand beside no base of the paper.
    """

    def __init__(self, shelf: Shelf) -> None:
        self._facts = _facts(shelf)
        self._printed = {(row.model, row.setting): row for row in shelf.printed()}
        self._runs: dict[tuple[bool, str, str], MeasuredRun] = {}
        self._left_out: list[MeasuredRun] = []
        for run in shelf.measured():
            place = run.source.sample, run.source.model, run.setting
            if self._runs.setdefault(place, run) is not run:
                self._left_out.append(run)

    def rows(
        self,
        figure: str,
        columns: Sequence[Column],
        wanted: Callable[[Fact], bool],
        *,
        strangers: bool = False,
    ) -> list[Row]:
        """The models of the paper's figure, then runs of any model that is wanted; with
        `strangers` also of those of which nothing is known."""
        of_paper = [fact for fact in self._facts.values() if figure in fact.figures]
        rows = [self._row(fact, columns) for fact in of_paper if wanted(fact)]
        for sample, model in dict.fromkeys((sample, model) for sample, model, _ in self._runs):
            fact = self._facts.get(model) or (Fact(model, model) if strangers else None)
            if fact is not None and wanted(fact):
                rows.append(self._row(fact, columns, sample))
        return rows

    def _row(self, fact: Fact, columns: Sequence[Column], sample: bool | None = None) -> Row:
        """Of a run on the sample pack or not; of the paper where that is not said."""
        cells = {column.name: self._cell(fact, column.name, sample) for column in columns}
        places = [] if sample is None else [(sample, fact.model, s) for s in SETTINGS]
        runs = [self._runs[place].source for place in places if place in self._runs]
        base = self._facts[fact.base].title if fact.base in self._facts else fact.base
        with_base = any(column.name.startswith(_BASE) for column in columns)
        return Row(
            f"{fact.title} ← {base}" if with_base else fact.title,
            ", ".join(run.name for run in runs) or "tables 24-31",
            {name: cell for name, cell in cells.items() if cell is not None},
            run=sample is not None,
            model=fact.model,
            group=_GROUPS.get(fact.group, NOTHING),
            sample=bool(sample),
            trained=any(run.manifest.trained for run in runs),
        )

    def _cell(self, fact: Fact, column: str, sample: bool | None) -> PrintedCell | None:
        """Of a run, or of the paper; a base model that was not run is the paper's."""
        if column == _SIZE.name:
            return None if fact.billions is None else PrintedCell(fact.billions)
        figure, _, setting = column.partition("@")
        of_base = figure.startswith(_BASE)
        model, name = fact.base if of_base else fact.model, figure.removeprefix(_BASE)
        if sample is not None and (sample, model, setting) in self._runs:
            measured = self._runs[sample, model, setting]
            if name.startswith(ABSTENTION):
                return _abstention(measured, LEVELS.get(name.removeprefix(f"{ABSTENTION}/"), ""))
            return measured.cell(name)
        asked_alike = sample is None or (of_base and not sample)
        if not asked_alike or (model, setting) not in self._printed:
            return None
        row = published_row(self._printed[model, setting], [Column(name, NOTHING)])
        return row.cells.get(name)

    def left_out(self) -> list[Words]:
        """Which runs a figure does not show, since a model has one point in each setting."""
        names = [run.source.name for run in self._left_out]
        said = _TEXTS["left out"].format(names=Words("、".join(names), ", ".join(names)))
        return [said] if names else []

    def content(self, columns: Sequence[Column], rows: Sequence[Row], draw: Draw) -> Content:
        """With what is lacking: abstention of the paper, and facts of models that are no built-in
        ones."""
        runs = (run.source for run in self._runs.values())
        models = dict.fromkeys(run.model for run in runs if not run.builtin)
        named = [model for model in models if model not in self._facts]
        names = Words("、".join(named), ", ".join(named))
        strangers = _TEXTS["strangers"].format(names=names, columns=", ".join(Fact._fields))
        notes = (_TEXTS["not printed"], *self.left_out())
        return Content(columns, rows, notes, [strangers] if named else [], draw=draw)


def _abstention(run: MeasuredRun, level: str) -> PrintedCell | None:
    tasks = [task for task in _EXTRACTED if task.startswith(level)]
    rates = [run.cell(f"{task}:{ABSTENTION}") for task in tasks]
    known = [cell.value for cell in rates if cell is not None]
    return PrintedCell(fmean(known)) if len(known) == len(tasks) else None


def _columns(name: str, title: Words, settings: Sequence[str] = SETTINGS) -> list[Column]:
    """A column for each setting."""
    return [
        Column(
            f"{name}@{setting}",
            Words(f"{_SHOTS[setting].zh}{title.zh}", f"{_SHOTS[setting].en} {title.en}"),
            needs=_COMMANDS[setting],
        )
        for setting in settings
    ]


def _pairs(name: str, title: Words, settings: Sequence[str] = SETTINGS) -> list[Column]:
    """The base model and the tuned one, side by side."""
    base = Words(f"{title.zh}（基座）", f"{title.en}, base")
    return [
        column
        for setting in settings
        for column in (
            *_columns(_BASE + name, base, (setting,)),
            *_columns(name, Words(f"{title.zh}（微调后）", f"{title.en}, tuned"), (setting,)),
        )
    ]


def _figure_4(shelf: Shelf) -> Content:
    """Score and abstention by size, in families of several sizes."""
    models = _Models(shelf)
    scores = _columns(OVERALL, _TEXTS["average score"])
    columns = [_SIZE, *scores, *_columns(ABSTENTION, _TEXTS["abstention"])]
    families = {fact.model: fact.family for fact in _facts(shelf).values()}
    rows = [
        replace(row, group=Words(families[row.model], families[row.model]))
        for row in models.rows("4", columns, lambda fact: bool(fact.billions and fact.family))
    ]
    points = [
        Curve(family, column.title, row.cells[_SIZE.name].value, cell.value, row.title)
        for row in rows
        for family in (row.group.en + (RUN_MARK if row.run else ""),)
        for column in scores
        if (cell := row.cells.get(column.name)) is not None
    ]
    draw = partial(curves, points, _SIZE.title, _TEXTS["family"], words.SETTING)
    return models.content(columns, rows, draw)


def _figure_5(shelf: Shelf) -> Content:
    """Terms predicted without the article (3-4) and with it (3-5)."""
    models = _Models(shelf)
    columns = [
        column for task in ("3-4", "3-5") for column in _columns(task, Words(f" {task}", task))
    ]
    rows = models.rows("5", columns, lambda _: True, strangers=True)
    return Content(columns, rows, models.left_out(), draw=partial(grouped_bars, columns, rows))


def _figure_6(shelf: Shelf) -> Content:
    """Tuned models, by instructions or by feedback, beside those they were tuned from."""
    models = _Models(shelf)
    scores = _pairs(OVERALL, _TEXTS["average score"])
    columns = [*scores, *_pairs(ABSTENTION, _TEXTS["abstention"])]
    rows = models.rows("6", columns, lambda fact: bool(fact.base) and fact.group != "legal")
    return models.content(columns, rows, partial(grouped_bars, scores, rows))


def _figure_7(shelf: Shelf) -> Content:
    """Legal models beside those they were tuned from, by level."""
    models = _Models(shelf)
    scores = [
        column
        for setting in SETTINGS
        for level in _LEVELS.values()
        for column in _pairs(level.name, level.title, (setting,))
    ]
    rate = _TEXTS["abstention"]
    abstention = [
        column
        for name, title in ((level.name, level.title) for level in _LEVELS.values())
        for column in _pairs(
            f"{ABSTENTION}/{name}", Words(f"{title.zh}{rate.zh}", f"{title.en}, {rate.en}")
        )
    ]
    columns = [*scores, *abstention]
    rows = models.rows("7", columns, lambda fact: bool(fact.base) and fact.group == "legal")
    return models.content(columns, rows, partial(grouped_bars, scores, rows))


_BY_TABLE: Final = (
    *([*_task_columns(LEVELS[level]), column] for level, column in _LEVELS.items()),
    [*_LEVELS.values(), _OVERALL],
)
_NO_ABSTENTION: Final = "abstention rates of the published models: only drawn"

PAPER: Final = Paper(
    "lawbench",
    make_plates(
        "lawbench",
        {
            "figure-1": (_figure_1, _COMMANDS[ZERO]),
            "table-3": (_table_3, "; ".join(_COMMANDS.values())),
            "figure-3": (_figure_3, _COMMANDS[ZERO]),
            "figure-4": (_figure_4, _COMMANDS[ZERO]),
            "figure-5": (_figure_5, _COMMANDS[ZERO]),
            "figure-6": (_figure_6, _COMMANDS[ZERO]),
            "figure-7": (_figure_7, _COMMANDS[ZERO]),
            "table-23": (_table_23, _COMMANDS[ONE]),
        }
        | {
            f"table-{first + place}": (partial(_all_models, columns, setting), _COMMANDS[setting])
            for first, setting in ((24, ZERO), (28, ONE))
            for place, columns in enumerate(_BY_TABLE)
        },
        lacks=dict.fromkeys(("figure-4", "figure-6", "figure-7"), _NO_ABSTENTION),
    ),
)
