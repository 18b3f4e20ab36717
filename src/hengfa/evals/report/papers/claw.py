"""CLaw, arXiv:2509.21208: figures 1 to 4, tables 1 and 2, correlations, and judges against people.

Recall of statutes is the suite `claw`, case reasoning the suite `claw-cases`: runs of both count.
The paper prints the numbers of figures 1 and 4 and of both tables; of figure 2 those of four models
at one level, of figure 3 none. What it says in the text of correlations is in `claw-agreement.csv`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Final

from hengfa.base.statistics.correlation import LEAST, associate
from hengfa.evals.report.charts.plots import Curve, curves
from hengfa.evals.report.charts.vega import Spec
from hengfa.evals.report.papers.exhibit import (
    AS_IT_IS,
    NO_NUMBERS,
    Column,
    Content,
    MeasuredRun,
    Paper,
    PrintedCell,
    Row,
    Shelf,
    grouped_bars,
    make_columns,
    make_plates,
    published_row,
)
from hengfa.evals.report.words import Words, words_of
from hengfa.evals.suites.builtin import CEILING
from hengfa.evals.suites.claw.dataset import ALL, LAW, OPTIONS, STATUTE
from hengfa.evals.suites.claw_cases.rules import DIMENSIONS
from hengfa.evals.suites.claw_cases.suite import NAME as CASES
from hengfa.law.grammar.law_names import normalise_name

CIVIL_CODE: Final = "民法典"
MOST: Final = 20.0
"""So many points the paper has for a dimension, which runs have as a share."""
_TEXTS: Final = words_of("claw")
_AGREEMENT: Final = "claw-agreement"

_ID: Final = "hengfa eval claw/id --model MODEL"
_CONTENT: Final = "hengfa eval claw/content --set bertscore=DIR --model MODEL"
_CIVIL: Final = (
    f"hengfa eval claw/content --set {STATUTE}={CIVIL_CODE} --set bertscore=DIR --model MODEL "
    "--run NAME"
)
_CASE: Final = f"hengfa eval {CASES} --model MODEL --grader JUDGE"
_BOTH: Final = f"{_ID}; {_CASE}"
_CALIBRATE: Final = "hengfa grade calibrate people.csv graded.csv --json > calibration.json"

_LEVELS: Final = make_columns("claw levels", "id")
_BERTSCORE, *_OTHERS = make_columns("claw content", "content", scale=AS_IT_IS, digits=3)
_METRICS: Final = [replace(_BERTSCORE, needs=_CONTENT), *_OTHERS]
_RATINGS: Final = [
    Column("overall", Words("总评", "overall rating")),
    *make_columns("claw ratings", scale=AS_IT_IS, needs="hengfa grade run RUN --grader JUDGE"),
]
_CORRELATIONS: Final = make_columns("claw correlations", scale=AS_IT_IS)


# --- recall of statutes ---


def _on_paper_questions(shelf: Shelf) -> Shelf:
    """Only runs on the paper's questions: all provisions, by its own options."""
    return replace(shelf, runs=[run for run in shelf.measured(ALL) if not _own_options(run)])


def _own_options(run: MeasuredRun) -> dict[str, str]:
    """The options of a run that make its questions others than the paper's."""
    return {
        name: value
        for name, value in run.source.manifest.suite_options.items()
        if name in OPTIONS and not OPTIONS[name].scoring and value != OPTIONS[name].default
    }


def _figure_1(shelf: Shelf) -> Content:
    """Civil Code only; such runs have other questions than those of figures 2 to 4."""
    civil = [
        run
        for run in shelf.measured(ALL)
        if (changed := _own_options(run)).keys() == {STATUTE}
        and normalise_name(changed[STATUTE]) == CIVIL_CODE
    ]
    columns = [replace(_BERTSCORE, needs=_CIVIL)]
    rows = replace(shelf, runs=civil).rows(columns, table="claw-civil-code", best="bertscore")
    return Content(columns, rows, [_TEXTS["bertscore"]], draw=partial(grouped_bars, columns, rows))


def _figure_2(shelf: Shelf) -> Content:
    rows = _on_paper_questions(shelf).rows(_LEVELS, best="article_accuracy")
    notes = _TEXTS["printed"], _TEXTS["above"]
    return Content(_LEVELS, rows, notes, draw=partial(grouped_bars, _LEVELS, rows))


def _figure_3(shelf: Shelf) -> Content:
    """Of each statute the best run at each level; named after the best at article level."""
    runs = [
        run
        for run in _on_paper_questions(shelf).runs
        if run.source.model != CEILING and run.cell("id") is not None
    ]
    best: dict[str, dict[str, tuple[PrintedCell, MeasuredRun]]] = {}
    for run in runs:
        for level in _LEVELS:
            for law, cell in run.by(LAW, "id", level.name).items():
                held = best.setdefault(law, {}).get(level.name)
                if held is None or cell.value > held[0].value:
                    best[law][level.name] = cell, run
    names = ", ".join(run.source.name for run in runs)
    rows = [
        Row(
            f"{law} · {levels[_LEVELS[0].name][1].label}",
            names,
            {name: cell for name, (cell, _) in levels.items()},
            run=True,
            sample=any(run.source.sample for _, run in levels.values()),
            trained=any(run.source.manifest.trained for _, run in levels.values()),
        )
        for law, levels in best.items()
    ]
    rows.sort(key=lambda row: -row.cells[_LEVELS[0].name].value)
    draw = partial(_curves_by_rank, rows) if rows else None
    return Content(_LEVELS, rows, [NO_NUMBERS], draw=draw)


def _curves_by_rank(rows: Sequence[Row]) -> Spec:
    """A curve for each level over the statutes, each in its own order."""
    points = [
        Curve(level.title, "", place, row.cells[level.name].value, row.label)
        for level in _LEVELS
        for place, row in enumerate(
            sorted(rows, key=lambda row: -row.cells[level.name].value), start=1
        )
    ]
    return curves(points, _TEXTS["place"], _TEXTS["level"])


def _figure_4(shelf: Shelf) -> Content:
    rows = _on_paper_questions(shelf).rows(_METRICS, best="rouge_l")
    drawn = [column for column in _METRICS if column.name != "edit_distance"]
    return Content(_METRICS, rows, [_TEXTS["lower"]], draw=partial(grouped_bars, drawn, rows))


# --- case reasoning ---


def _table(judge: str, shelf: Shelf) -> Content:
    """Table 1 or 2: the paper's models by one of its judges, and runs by whoever graded them."""
    rows = [published_row(row, _RATINGS) for row in shelf.printed(CASES) if row.grader == judge]
    for run in shelf.measured(suite=CASES):
        ratings = {name: _of_twenty(run.cell(f"case:{name}")) for name in DIMENSIONS}
        rows.append(run.row({"overall": run.cell("case"), **ratings}))
    rows.sort(key=lambda row: row.cells["overall"].value if "overall" in row.cells else -1.0)
    return Content(_RATINGS, rows, (_TEXTS["points"], _TEXTS["graders"]))


def _of_twenty(cell: PrintedCell | None) -> PrintedCell | None:
    if cell is None:
        return None
    low, high = (None if end is None else end * MOST for end in (cell.low, cell.high))
    return PrintedCell(cell.value * MOST, low, high)


# --- what goes together ---


def _correlations(shelf: Shelf) -> Content:
    """Recall with reasoning, and locating with reciting: as the text says, and over runs."""
    printed = shelf.printed(_AGREEMENT, "recall")
    rows = [published_row(row, _CORRELATIONS) for row in printed]
    recall = _by_model(_on_paper_questions(shelf).runs)
    reasoning = _by_grader(shelf)
    counts = []
    for row in printed:
        x, _, y = row.model.partition(" × ")
        for grader, runs in {"": recall, **reasoning}.items():
            if (y == "overall") != bool(grader):
                continue
            title = f"{row.title} ({grader})" if grader else row.title
            count, made = _together(title, recall, x, runs, "case" if y == "overall" else y)
            counts.append(count)
            rows += made
    most = max(counts, default=0)
    too_few = _TEXTS["too few"].format(least=LEAST, most=most, command=_BOTH)
    return Content(_CORRELATIONS, rows, needs=[too_few] if most < LEAST else [])


Models = dict[tuple[bool, str], list[MeasuredRun]]
"""Runs by model, but for those that are built in and no models; those on the sample pack, whose
questions are others, are models of their own."""


def _by_model(runs: Iterable[MeasuredRun]) -> Models:
    by_model: Models = {}
    for run in (run for run in runs if not run.source.builtin):
        by_model.setdefault((run.source.sample, run.source.model), []).append(run)
    return by_model


def _by_grader(shelf: Shelf) -> dict[str, Models]:
    runs = shelf.measured(suite=CASES)
    graders = dict.fromkeys(run.source.grader for run in runs)
    return {
        grader: _by_model(run for run in runs if run.source.grader == grader)
        for grader in graders
        if grader
    }


def _together(title: str, one: Models, x: str, other: Models, y: str) -> tuple[int, list[Row]]:
    """How two figures correlate over the models that have both, and over how many; no row where
    they are too few. Questions of the sample pack and others are never taken together."""
    most, rows = 0, list[Row]()
    for sample in (False, True):
        pairs = {
            key[1]: (a, b)
            for key in one
            if key[0] is sample and key in other
            if (a := _first(one[key], x)) is not None and (b := _first(other[key], y)) is not None
        }
        together = associate(
            list(pairs), *([pair[side] for pair in pairs.values()] for side in (0, 1))
        )
        found = {"pearson": together.pearson, "spearman": together.spearman}
        cells = {
            name: PrintedCell(value.value, value.low, value.high)
            for name, value in found.items()
            if value is not None
        }
        most = max(most, len(pairs))
        if cells:
            source = f"{len(pairs)}: {', '.join(pairs)}"
            used = (run for side in (one, other) for key in side for run in side[key]
                    if key[0] is sample and key[1] in pairs)  # fmt: skip
            trained = any(run.source.manifest.trained for run in used)
            rows.append(Row(title, source, cells, run=True, sample=sample, trained=trained))
    return most, rows


def _first(runs: Iterable[MeasuredRun], name: str) -> float | None:
    return next((cell.value for run in runs if (cell := run.cell(name)) is not None), None)


def _judges(shelf: Shelf) -> Content:
    """Judges against people, people among themselves, and judges against each other."""
    rows = [
        *(published_row(row, _CORRELATIONS) for row in shelf.printed(_AGREEMENT, "judges")),
        *shelf.agreements(_CORRELATIONS, people=True),
    ]
    for (one, by_one), (other, by_other) in combinations(_by_grader(shelf).items(), 2):
        rows += _together(f"{one} × {other}", by_one, "case", by_other, "case")[1]
    people = _TEXTS["people"].format(command=_CALIBRATE)
    return Content(_CORRELATIONS, rows, needs=[] if shelf.files else [people])


PAPER: Final = Paper(
    "claw",
    make_plates(
        "claw",
        {
            "figure-1": (_figure_1, _CIVIL),
            "figure-2": (_figure_2, _ID),
            "figure-3": (_figure_3, _ID),
            "figure-4": (_figure_4, _CONTENT),
            "table-1": (partial(_table, "Gemini-2.5-Pro"), _CASE),
            "table-2": (partial(_table, "DeepSeek-R1"), _CASE),
            "correlations": (_correlations, _BOTH),
            "judges": (_judges, _CASE),
        },
        lacks={
            "figure-1": "which BERT model the paper used",
            "figure-2": "the paper's numbers but four at article level: only drawn",
            "figure-3": "the paper's numbers: only drawn",
            "correlations": "recall of the paper's models by level, so its correlations cannot be "
            "checked",
            "judges": "the experts' ratings",
        },
    ),
    also=(CASES,),
)
