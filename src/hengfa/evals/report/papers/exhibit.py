"""An exhibit is a table or a figure of a paper: its published rows, and runs among them.

The file of a paper declares its exhibits: which values of which rows it shows, and how it is drawn.
What runs measured is looked up here (`Shelf`), with intervals; what an exhibit shows and a run does
not have is said, with the command that would make it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from hengfa.base.data.jsonfile import read_json
from hengfa.base.errors import UsageError
from hengfa.base.hooks import load, offered
from hengfa.base.page import html_list, html_table
from hengfa.base.progress import Progress
from hengfa.base.statistics.intervals import Estimate
from hengfa.evals.grading.people.calibration import Agreement
from hengfa.evals.report import words
from hengfa.evals.report.charts.plots import Bar, Square, bars, heat_map
from hengfa.evals.report.charts.vega import Spec
from hengfa.evals.report.paper_tables import PaperTable
from hengfa.evals.report.site.boards import Source
from hengfa.evals.report.words import NOTHING, Language, Words, in_language, pick, words_of
from hengfa.evals.results.figures import DrawnTask
from hengfa.evals.results.published.papers import PublishedRun, read_tables, table_file
from hengfa.evals.runs.breakdown import break_down
from hengfa.evals.runs.evidence import RunEvidence, further_estimates, read_evidence
from hengfa.evals.suites.base import Rules, Suite
from hengfa.evals.suites.registry import get_suite

if TYPE_CHECKING:
    import polars as pl

NAMES: Final = tuple(offered("papers"))
"""The papers, by their suites."""
PER_CENT, AS_IT_IS = 100.0, 1.0
ABSTENTION: Final = "abstention"
DASH: Final = "–"
SEEN, NOT_SEEN = MARKS = ("✓", "·")
"""What a paper prints that says whether there is something, not how much."""
RUN_MARK: Final = " ▸"
"""Behind the names of runs, since published models stand beside them."""
SAMPLE_MARK: Final = " †"
_TEXTS: Final = words_of("papers")
NO_NUMBERS: Final = _TEXTS["no numbers"]


@dataclass(frozen=True, slots=True)
class PrintedCell:
    """A value with its interval where it was measured, and as printed where a paper prints it.

    `computed` marks what the paper does not print and its other numbers give.
    """

    value: float
    low: float | None = None
    high: float | None = None
    printed: str = ""
    computed: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """What an exhibit shows of each row.

    `name` is a task or figure as the paper's tables name it, `measured` as a run has it: a task, a
    figure of the suite, or `TASK:METRIC`. Values are shown times `scale` with so many `digits`.
    `needs` is what makes the value where a run lacks it.
    """

    name: str
    title: Words
    measured: str = ""
    scale: float = PER_CENT
    digits: int = 2
    needs: str = ""

    @property
    def of_runs(self) -> str:
        return self.measured or self.name

    def show(self, cell: PrintedCell | None) -> str:
        """`52.35 [50.11, 54.60]`, or as it is printed; `≈` before what was computed."""
        if cell is None:
            return DASH
        if cell.printed:
            return cell.printed
        text = ("≈" if cell.computed else "") + self._number(cell.value)
        if cell.low is None or cell.high is None:
            return text
        return f"{text} [{self._number(cell.low)}, {self._number(cell.high)}]"

    def _number(self, value: float) -> str:
        return f"{round(value * self.scale, self.digits) + 0.0:,.{self.digits}f}"


@dataclass(frozen=True, slots=True)
class Row:
    """A model in a setting, or what was made of several runs, which has no `model`; of the paper if
    there is no `run`. `group` is the kind of model or the method under which the paper lists it;
    `sample` says that its questions were others, `trained` that the model was trained on them."""

    label: str
    source: str
    cells: Mapping[str, PrintedCell]
    run: bool = False
    model: str = ""
    setting: str = ""
    group: Words = NOTHING
    sample: bool = False
    trained: bool = False

    @property
    def title(self) -> str:
        """The name with its marks: a run of this machine, questions that are others, or known."""
        marks = {RUN_MARK: self.run, SAMPLE_MARK: self.sample, words.TRAINED_MARK: self.trained}
        return self.label + "".join(mark for mark, has in marks.items() if has)


Draw: TypeAlias = Callable[[], Spec]


@dataclass(frozen=True)
class Content:
    """What a table or figure shows.

    `needs` says what is lacking; `transposed` that the paper has models in columns. `draw` makes
    the picture; without one of its own a table is drawn as a heat map of its rates, or as bars
    where it has one rate only.
    """

    columns: Sequence[Column]
    rows: Sequence[Row]
    notes: Sequence[Words] = ()
    needs: Sequence[Words] = ()
    transposed: bool = False
    draw: Draw | None = None


@dataclass(frozen=True, slots=True)
class Plate:
    """A table or figure of a paper: its name on the command line (`table-3`), its title, how its
    content is made of what is at hand, and the command that makes a run for it.

    `lacks` is what of it cannot be had at all, such as numbers that are only drawn.
    """

    id: str
    title: Words
    content: Callable[[Shelf], Content]
    command: str
    lacks: str = ""

    @property
    def place(self) -> Words:
        kind, _, number = self.id.partition("-")
        zh = {"table": "表", "figure": "图"}.get(kind)
        if zh is None:
            return self.title
        return Words(f"{zh} {number}", f"{kind.capitalize()} {number}")


@dataclass(frozen=True, repr=False)
class Exhibit:
    """A table or figure with its content, ready to be written in any form."""

    suite: str
    plate: Plate
    content: Content

    @property
    def columns(self) -> Sequence[Column]:
        return self.content.columns

    @property
    def rows(self) -> Sequence[Row]:
        return self.content.rows

    @property
    def drawn(self) -> Callable[[Language], Spec] | None:
        """The picture in a language; None where there is nothing to draw."""
        chart = self.chart
        return None if chart is None else lambda language: in_language(chart(), language)

    @property
    def chart(self) -> Draw | None:
        """The picture in both languages."""
        if self.content.draw is not None:
            return self.content.draw
        drawable = any(
            cell.printed not in MARKS
            for row in self.rows
            for column in self._rates
            if (cell := row.cells.get(column.name)) is not None
        )
        if not drawable:
            return None
        draw = fields if len(self._rates) > 1 else grouped_bars
        return partial(draw, self._rates, self.rows)

    @property
    def _rates(self) -> list[Column]:
        return [column for column in self.columns if column.scale == PER_CENT]

    def title(self, language: Language) -> str:
        place, title = pick(self.plate.place, language), pick(self.plate.title, language)
        colon = "：" if language == "zh" else ": "
        return title if place == title else f"{place}{colon}{title}"

    def table(self, language: Language) -> PaperTable:
        texts = [
            (row.title, *(column.show(row.cells.get(column.name)) for column in self.columns))
            for row in self.rows
        ]
        heads = [pick(column.title, language) for column in self.columns]
        title = self.title(language)
        if self.content.transposed:
            turned = list(zip(heads, *(cells[1:] for cells in texts), strict=True))
            return PaperTable(title, ("", *(cells[0] for cells in texts)), turned)
        return PaperTable(title, (pick(words.MODEL, language), *heads), texts)

    def remarks(self, language: Language) -> list[str]:
        """Where its rows are from, what to know of it, and what it lacks."""
        of_paper = list(dict.fromkeys(row.source for row in self.rows if not row.run))
        runs = [row for row in self.rows if row.run]
        of_runs = [f"{row.title} {row.source}" for row in runs if row.model]
        of_runs += dict.fromkeys(row.source for row in runs if not row.model)
        notes = [pick(text, language) for text in (*self.content.notes, *self.content.needs)]
        printed = [f"{pick(words.PUBLISHED, language)}: {'; '.join(of_paper)}"] if of_paper else []
        return [*printed, *of_runs, *notes]

    def records(self) -> Iterator[dict[str, Any]]:
        """One for each row and column that has a value: for CSV, and for who goes on with it."""
        for row in self.rows:
            for column in self.columns:
                if (cell := row.cells.get(column.name)) is not None:
                    yield {
                        "exhibit": self.plate.id,
                        "row": row.label,
                        "group": row.group.en,
                        "setting": row.setting,
                        "kind": "run" if row.run else "published",
                        "source": row.source,
                        "sample_data": row.sample,
                        "trained_on": row.trained,
                        "column": column.name,
                        "value": cell.value,
                        "low": cell.low,
                        "high": cell.high,
                        "printed": cell.printed,
                        "computed": cell.computed,
                    }

    def frame(self) -> pl.DataFrame:
        """One row for each value, as computed and as printed."""
        import polars as pl  # noqa: PLC0415 - for those who ask for it

        return pl.DataFrame(list(self.records()), infer_schema_length=None)

    def __repr__(self) -> str:
        rows = len(self.rows), sum(row.run for row in self.rows)
        return f"<Exhibit {self.suite} {self.title('en')}: {rows[0]} rows, {rows[1]} of runs>"

    def _repr_html_(self) -> str:
        table = self.table("en")
        return html_table(table.head, table.rows, title=table.title) + html_list(self.remarks("en"))

    def as_json(self) -> dict[str, Any]:
        return {
            "suite": self.suite,
            "exhibit": self.plate.id,
            "title": self.title("en"),
            "values": list(self.records()),
            "notes": [note.en for note in self.content.notes],
            "needs": [need.en for need in self.content.needs],
        }


@dataclass(frozen=True)
class MeasuredRun:
    """A run whose values can be looked up by name; nothing is drawn before somebody asks."""

    source: Source

    @property
    def label(self) -> str:
        by = f" ({self.source.grader})" if self.source.grader else ""
        return self.source.model + by

    @property
    def setting(self) -> str:
        return self.source.manifest.setting

    @cached_property
    def evidence(self) -> RunEvidence:
        return read_evidence(self.source.folder, Rules.OFFICIAL)

    @cached_property
    def _drawn(self) -> Mapping[str, DrawnTask]:
        return self.evidence.drawn()

    @cached_property
    def _figures(self) -> Mapping[str, Estimate]:
        """Tasks and the suite's figures of them."""
        return self.evidence.estimates()

    @cached_property
    def _further(self) -> Mapping[str, Estimate]:
        return further_estimates(self.evidence, self._drawn)

    @cached_property
    def _metrics(self) -> dict[str, Mapping[str, Estimate]]:
        return {}

    def cell(self, name: str) -> PrintedCell | None:
        """A task, a figure, or `TASK:METRIC`, where the metric `abstention` is a task's rate of
        answers that abstain."""
        task, colon, metric = name.partition(":")
        if not colon:
            found = self._figures.get(name)
            if found is None and self.evidence.suite.further is not None:
                found = self._further.get(name)
            return None if found is None else _cell(found)
        if task not in self.evidence.tables:
            return None
        if metric == ABSTENTION:
            recipe = self.evidence.suite.tasks[task].recipe(Rules.OFFICIAL)
            return PrintedCell(self.evidence.tables[task].figure(recipe).abstention)
        if metric == self.evidence.suite.tasks[task].metric:
            return self.cell(task)
        if task not in self._drawn:
            return None
        if task not in self._metrics:
            self._metrics[task] = self._drawn[task].more()
        found = self._metrics[task].get(metric)
        return None if found is None else _cell(found)

    def by(self, facet: str, task: str, metric: str | None = None) -> dict[str, PrintedCell]:
        """A task's score, or another of its figures, for each kind of a facet; of none where no
        sample has the facet."""
        try:
            parts = break_down(self.source.folder, facet, tasks=[task], metric=metric)
        except UsageError:
            return {}
        return {
            kind: _cell(part.estimate)
            for of_task in parts.tasks
            for kind, part in of_task.kinds.items()
            if part.estimate is not None
        }

    def row(self, cells: Mapping[str, PrintedCell | None]) -> Row:
        known = {name: cell for name, cell in cells.items() if cell is not None}
        return Row(
            self.label,
            self.source.name,
            known,
            run=True,
            model=self.source.model,
            setting=self.setting,
            sample=self.source.sample,
            trained=bool(self.source.manifest.trained),
        )


def _cell(estimate: Estimate) -> PrintedCell:
    return PrintedCell(estimate.value, estimate.low, estimate.high)


@dataclass(frozen=True)
class Shelf:
    """What is at hand for the exhibits of a paper: its printed rows, runs, and documents that other
    commands wrote (`files`, JSON)."""

    suite: Suite
    runs: Sequence[MeasuredRun] = ()
    files: Sequence[Path] = ()
    facts: Path | None = None
    """What is known of the models of runs, where an exhibit asks for it (LawBench's figures)."""

    def printed(self, table: str = "", setting: str | None = None) -> list[PublishedRun]:
        """The rows of a published table; of the suite's main one where none is named."""
        rows = read_tables(table_file(table or self.suite.name))
        return [row for row in rows if setting in (None, row.setting)]

    def measured(self, *settings: str, suite: str = "") -> list[MeasuredRun]:
        """Runs of the paper's suite, or of another, in some of its settings or in all."""
        return [
            run
            for run in self.runs
            if run.source.manifest.suite == (suite or self.suite.name)
            and Rules.OFFICIAL in run.source.figures
            and (not settings or run.setting in settings)
        ]

    def rows(
        self, columns: Sequence[Column], *settings: str, table: str = "", best: str = ""
    ) -> list[Row]:
        """The rows of a published table, then runs; with `best`, by that column instead."""
        printed = [
            published_row(row, columns)
            for row in self.printed(table)
            if not settings or row.setting in settings
        ]
        measured = [
            run.row({column.name: run.cell(column.of_runs) for column in columns})
            for run in self.measured(*settings)
        ]
        rows = [row for row in (*printed, *measured) if row.cells]
        if best:
            rows.sort(key=lambda row: -row.cells[best].value if best in row.cells else 1.0)
        return rows

    def agreements(self, columns: Sequence[Column], *, people: bool = False) -> list[Row]:
        """Graders against people, as `hengfa grade calibrate --json` wrote it: a row for each, with
        columns such as `pearson/case`, or `pearson` over all tasks. With `people` also those among
        themselves."""
        rows: dict[tuple[str, Path], dict[str, PrintedCell]] = {}
        wanted = {column.name for column in columns}
        for file in self.files:
            document = read_json(file, _Calibration)
            for agreement in (*document.graders, *(document.people if people else ())):
                if agreement.level not in ("overall", "totals") or agreement.dimension:
                    continue
                label = f"{agreement.rater} × {agreement.against}" if people else agreement.rater
                cells = rows.setdefault((label, file), {})
                for figure, found in agreement.figures.items():
                    name = f"{figure}/{agreement.task}" if agreement.task else figure
                    if name in wanted and found.value is not None:
                        cells.setdefault(name, PrintedCell(found.value, found.low, found.high))
        return [
            Row(label, file.name, cells, run=True) for (label, file), cells in rows.items() if cells
        ]


class _Calibration(msgspec.Struct):
    graders: list[Agreement]
    people: list[Agreement] = []


def published_row(row: PublishedRun, columns: Sequence[Column]) -> Row:
    values = {**row.tasks, **row.figures}
    cells = {
        column.name: PrintedCell(values[column.name], printed=row.printed[column.name])
        for column in columns
        if column.name in values
    }
    source = f"{row.source}, graded by {row.grader}" if row.grader else row.source
    return Row(row.title, source, cells, model=row.model, setting=row.setting)


@dataclass(frozen=True)
class Paper:
    """The exhibits of a paper, in its order; `also` are other suites whose runs stand in them."""

    suite: str
    plates: Sequence[Plate]
    also: tuple[str, ...] = ()

    def plate(self, name: str) -> Plate | None:
        """A table or figure by its name: `table-3`, also written `table3` or `Table 3`."""
        wanted = _plain(name)
        return next((plate for plate in self.plates if _plain(plate.id) == wanted), None)

    def shelf(
        self, sources: Sequence[Source], files: Sequence[Path] = (), facts: Path | None = None
    ) -> Shelf:
        runs = [MeasuredRun(source) for source in sources]
        return Shelf(get_suite(self.suite), runs, files, facts)

    def exhibits(
        self, shelf: Shelf, plates: Sequence[Plate] = (), watch: Progress | None = None
    ) -> list[Exhibit]:
        """Some of its tables and figures, or all."""
        chosen, made = plates or self.plates, list[Exhibit]()
        for plate in chosen:
            made.append(self.exhibit(plate, shelf))
            if watch is not None:
                watch(len(made), len(chosen))
        return made

    def exhibit(self, plate: Plate, shelf: Shelf) -> Exhibit:
        """A table or figure, with what it lacks and what to know of its rows."""
        content = plate.content(shelf)
        samples = [_TEXTS["other questions"]] if any(row.sample for row in content.rows) else []
        trained = [words.TRAINED] if any(row.trained for row in content.rows) else []
        columns = [
            column
            for column in content.columns
            if any(column.name in row.cells for row in content.rows)
        ]
        notes = (*content.notes, *samples, *trained)
        lacks = (*content.needs, *lacking(content, plate.command))
        content = replace(content, columns=columns, notes=notes, needs=lacks)
        return Exhibit(self.suite, plate, content)


def get_paper(name: str) -> Paper:
    if name not in NAMES:
        raise UsageError(f"there is no paper {name!r}; there is: {', '.join(NAMES)}")
    paper: Paper = load(f"{offered('papers')[name]}:PAPER")
    return paper


def _plain(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def lacking(content: Content, command: str) -> Iterator[Words]:
    """What is not there: runs at all, or values of those that are."""
    runs = [row for row in content.rows if row.run]
    if not runs:
        yield _TEXTS["needs"].format(what=_TEXTS["rows"], command=command)
    by_command: dict[str, dict[Words, None]] = {}
    for row in runs:
        for column in content.columns:
            if column.name not in row.cells:
                by_command.setdefault(column.needs or command, {})[column.title] = None
    for needed, titles in by_command.items():
        zh, en = "、".join(title.zh for title in titles), "; ".join(title.en for title in titles)
        lacks = _TEXTS["lacks"].format(names=Words(zh, en))
        yield _TEXTS["needs"].format(what=lacks, command=needed)


def fields(columns: Sequence[Column], rows: Sequence[Row]) -> Spec:
    """A heat map: a field for each row and column that has a number."""
    squares = [
        Square(row.title, column.title, cell.value, cell.value)
        for row in rows
        for column in columns
        if (cell := row.cells.get(column.name)) is not None and cell.printed not in MARKS
    ]
    names = list(dict.fromkeys(square.row for square in squares))
    return heat_map(squares, names, [column.title for column in columns])


def grouped_bars(columns: Sequence[Column], rows: Sequence[Row]) -> Spec:
    """A group of bars for each row, one for each column; runs are marked."""
    groups = [
        Bar(row.title, column.title, cell.value, cell.low, cell.high)
        for row in rows
        for column in columns
        if (cell := row.cells.get(column.name)) is not None
    ]
    return bars(groups, words.MODEL, words.METRIC)


def make_columns(group: str, task: str = "", **more: Any) -> list[Column]:
    """The columns of a group of `words.tsv`; of runs the metrics of a task, where one is named."""
    return [
        Column(name, title, measured=f"{task}:{name}" if task else "", **more)
        for name, title in words_of(group).items()
    ]


def make_plates(
    suite: str,
    made: Mapping[str, tuple[Callable[[Shelf], Content], str]],
    lacks: Mapping[str, str] = MappingProxyType({}),
) -> list[Plate]:
    """The exhibits of a paper by name, each with its command; their titles are in `words.tsv`."""
    titles = words_of(suite)
    return [
        Plate(name, titles[name], content, command, lacks.get(name, ""))
        for name, (content, command) in made.items()
    ]
