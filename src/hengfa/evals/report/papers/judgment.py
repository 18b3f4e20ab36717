"""JuDGE, arXiv:2503.14258: tables 3 (retrievers) and 4 (models and methods).

The paper's table 4 mixes two versions of its evaluator, and three of its rows come out of neither
(docs/papers.md); runs say by which version they were scored. Retrievers are measured by `hengfa
retrieve evaluate --json`, whose files are the runs of table 3.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from hengfa.base.data.jsonfile import read_json
from hengfa.evals.report.papers.exhibit import (
    AS_IT_IS,
    Column,
    Content,
    MeasuredRun,
    Paper,
    PrintedCell,
    Row,
    Shelf,
    fields,
    grouped_bars,
    make_columns,
    make_plates,
    published_row,
)
from hengfa.evals.report.words import Words, words_of
from hengfa.evals.suites.judgment.dataset import DIRECT, FEW_SHOT, HEAD, RAG
from hengfa.law.retrieval.evaluating import Evaluation

# --- retrievers ---

_MEASURES: Final = [
    Column(name.lower(), Words(name, name), scale=AS_IT_IS, digits=4)
    for name in ("MRR@100", "P@5", "P@10", "R@5", "R@10")
]
_QUERIES, _JUDGED = 501, 2_165
"""Facts of the test set, and articles that their judgments cite."""
_RETRIEVED: Final = (
    "hengfa retrieve evaluate INDEX --queries JUDGE/data/test.json "
    "--qrels JUDGE/data/qrels_file_test --json > INDEX.json"
)
_TEXTS: Final = words_of("judgment")


def _table_3(shelf: Shelf) -> Content:
    rows = [published_row(row, _MEASURES) for row in shelf.printed("judgment-retrieval")]
    notes = [_TEXTS["corpus"]]
    for file in shelf.files:
        found = read_json(file, Evaluation)
        for run in found.evaluations:
            cells = {
                name.lower(): PrintedCell(figure.value, figure.low, figure.high)
                for name, figure in run.figures.items()
            }
            rows.append(Row(Path(run.name).name, file.name, cells, run=True, model=run.name))
        if (found.queries, found.judged_pairs) != (_QUERIES, _JUDGED):
            sizes = {"queries": found.queries, "pairs": found.judged_pairs}
            notes.append(_TEXTS["other queries"].format(name=file.name, **sizes))
    return Content(_MEASURES, rows, notes, draw=partial(grouped_bars, _MEASURES, rows))


# --- models and methods ---

_ASKED: Final = "hengfa eval judgment --method METHOD --model MODEL"
_BY_MODEL: Final = f"{_ASKED} --set bertscore=DIR"
_METRICS: Final = [
    replace(column, needs=_BY_MODEL) if column.name.startswith("bertscore") else column
    for column in make_columns("judgment metrics", scale=AS_IT_IS, digits=4)
]
_METHODS: Final = words_of("judgment methods")
_OF_SETTING: Final = {DIRECT: "Direct", FEW_SHOT: "ICL", RAG: "RAG"}
_MODELS: Final = (
    "QW-3B-Base", "QW-7B-Base", "LexiLaw-6B", "Hanfei-7B", "QW-3B-Chat", "QW-7B-Chat",
)  # fmt: skip
"""In the order of the paper."""


def _table_4(shelf: Shelf) -> Content:
    """What the source of a printed row says of versions is in the note for all of them."""

    def place(row: Row) -> tuple[int, int]:
        model, _, method = row.label.rpartition(" ")
        return _MODELS.index(model), list(_METHODS).index(method)

    rows = []
    for row in sorted((published_row(row, _METRICS) for row in shelf.printed()), key=place):
        method, source = row.label.rpartition(" ")[2], row.source.partition(";")[0]
        rows.append(replace(row, group=_METHODS[method], source=source))
    rows += map(_run, shelf.measured())
    notes = _TEXTS["versions"], _TEXTS["tuned"]
    return Content(_METRICS, rows, notes, draw=partial(fields, _METRICS, rows))


def _run(run: MeasuredRun) -> Row:
    """A run, with its method and, where it is the older one, the version behind its name."""
    row = run.row({column.name: run.cell(column.name) for column in _METRICS})
    method = _OF_SETTING[run.setting]
    version = run.source.manifest.suite_options.get("version", HEAD)
    older = "" if version == HEAD else f", {version}"
    return replace(row, label=f"{row.label} {method}{older}", group=_METHODS[method])


PAPER: Final = Paper(
    "judgment",
    make_plates("judgment", {"table-3": (_table_3, _RETRIEVED), "table-4": (_table_4, _ASKED)}),
)
