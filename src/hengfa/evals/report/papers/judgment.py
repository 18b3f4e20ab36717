"""JuDGE, arXiv:2503.14258: tables 3 (retrievers) and 4 (models and methods).

The paper's table 4 mixes two versions of its evaluator, and three of its rows come out of neither
(docs/papers.md); runs say by which version they were scored. Retrievers are measured by `hengfa
retrieve evaluate --json`, whose files are the runs of table 3.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    Plate,
    PrintedCell,
    Row,
    Shelf,
    fields,
    grouped_bars,
    make_columns,
    published_row,
)
from hengfa.evals.report.words import Words
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
_CORPUS: Final = Words(
    "论文的法条库是刑法 452 条，并非正文所说的 55,348 条。"
    "不看案情、只按训练集引用频次排列法条（`--method frequency`）是此表应有的下限。",
    "The paper's retrievers search the 452 articles of the Criminal Law, not the 55,348 of which "
    "it speaks. A ranking that never reads the facts, by how often training judgments cite an "
    "article (`--method frequency`), is the floor of this table.",
)


def _table_3(shelf: Shelf) -> Content:
    printed = [published_row(row, _MEASURES) for row in shelf.printed("judgment-retrieval")]
    measured = [(file, read_json(file, Evaluation)) for file in shelf.files]
    rows = [*printed, *(row for file, found in measured for row in _retrievers(file, found))]
    notes = [_CORPUS, *(_others(file, found) for file, found in measured if not _same(found))]
    return Content(_MEASURES, rows, notes, draw=partial(grouped_bars, _MEASURES, rows))


def _retrievers(file: Path, found: Evaluation) -> Iterator[Row]:
    for run in found.evaluations:
        cells = {
            name.lower(): PrintedCell(figure.value, figure.low, figure.high)
            for name, figure in run.figures.items()
        }
        yield Row(Path(run.name).name, file.name, cells, run=True, model=run.name)


def _same(found: Evaluation) -> bool:
    return (found.queries, found.judged_pairs) == (_QUERIES, _JUDGED)


def _others(file: Path, found: Evaluation) -> Words:
    size = f"{found.queries:,}", f"{found.judged_pairs:,}"
    return Words(
        "{} 有 {} 个查询、{} 条相关法条，论文是 501 和 2,165：不能与论文数字相比。".format(
            file.name, *size
        ),
        "{} is of {} queries with {} relevant articles, the paper of 501 with 2,165: not to be "
        "compared with the paper's numbers.".format(file.name, *size),
    )


# --- models and methods ---

_ASKED: Final = "hengfa eval judgment --method METHOD --model MODEL"
_FIGURES: Final = (
    ("prison", "刑期", "prison"),
    ("fine", "罚金", "fine"),
    ("charge_recall", "罪名召回", "charges, recall"),
    ("charge_precision", "罪名精确", "charges, precision"),
    ("charge_f1", "罪名 F1", "charges, F1"),
    ("statute_recall", "法条召回", "statutes, recall"),
    ("statute_precision", "法条精确", "statutes, precision"),
    ("statute_f1", "法条 F1", "statutes, F1"),
    ("meteor_reason", "说理 METEOR", "reasoning, METEOR"),
    ("bertscore_reason", "说理 BERTScore", "reasoning, BERTScore"),
    ("meteor_judgment", "判决 METEOR", "judgment, METEOR"),
    ("bertscore_judgment", "判决 BERTScore", "judgment, BERTScore"),
)
_BY_MODEL: Final = f"{_ASKED} --set bertscore=DIR"
_METRICS: Final = [
    replace(column, needs=_BY_MODEL) if column.name.startswith("bertscore") else column
    for column in make_columns(_FIGURES, scale=AS_IT_IS, digits=4)
]
_METHODS: Final = {
    "Direct": Words("直接生成", "direct"),
    "ICL": Words("少样本", "few-shot"),
    "SFT": Words("微调", "fine-tuned"),
    "RAG": Words("检索增强", "RAG"),
}
_OF_SETTING: Final = {DIRECT: "Direct", FEW_SHOT: "ICL", RAG: "RAG"}
_MODELS: Final = (
    "QW-3B-Base", "QW-7B-Base", "LexiLaw-6B", "Hanfei-7B", "QW-3B-Chat", "QW-7B-Chat",
)  # fmt: skip
"""In the order of the paper."""
_VERSIONS: Final = Words(
    "论文前八项指标出自评测程序的两个版本：LexiLaw 与 Hanfei 各行是 2025-03-20 版"
    "（本次评测默认所用），其余各行是 2025-02-28 版（`--set version=legacy`）。QW-3B-Chat ICL、"
    "QW-7B-Chat Direct、QW-7B-Chat ICL 三行与哪个版本都不符，"
    "另有五行个别单元格相差不超过 0.002。METEOR 各行都是 2025-03-20 版。",
    "The paper's first eight figures are of two versions of its evaluator: the rows of LexiLaw and "
    "Hanfei of that of 2025-03-20, by which runs are scored unless told, the others of that of "
    "2025-02-28 (`--set version=legacy`). QW-3B-Chat ICL, QW-7B-Chat Direct and QW-7B-Chat ICL "
    "come out of no version, single cells of five others are off by up to 0.002. METEOR is always "
    "that of 2025-03-20.",
)
_TUNED: Final = Words(
    "微调模型与直接生成的问法相同；论文的 RAG 行是用同样提示词微调过的模型。",
    "Fine-tuned models are asked as direct ones are; the paper's RAG rows are of models that were "
    "fine-tuned with such prompts.",
)


def _table_4(shelf: Shelf) -> Content:
    printed = sorted((published_row(row, _METRICS) for row in shelf.printed()), key=_place)
    rows = [*map(_of_paper, printed), *map(_run, shelf.measured())]
    return Content(_METRICS, rows, (_VERSIONS, _TUNED), draw=partial(fields, _METRICS, rows))


def _of_paper(row: Row) -> Row:
    """Under its method; what its source says of versions is in the note for all of them."""
    method = row.label.rpartition(" ")[2]
    return replace(row, group=_METHODS[method], source=row.source.partition(";")[0])


def _place(row: Row) -> tuple[int, int]:
    model, _, method = row.label.rpartition(" ")
    return _MODELS.index(model), list(_METHODS).index(method)


def _run(run: MeasuredRun) -> Row:
    """A run, with its method and, where it is the older one, the version behind its name."""
    row = run.row({column.name: run.cell(column.name) for column in _METRICS})
    method = _OF_SETTING[run.setting]
    version = run.source.manifest.suite_options.get("version", HEAD)
    older = "" if version == HEAD else f", {version}"
    return replace(row, label=f"{row.label} {method}{older}", group=_METHODS[method])


PAPER: Final = Paper(
    "judgment",
    [
        Plate("table-3", Words("法条检索", "retrievers of provisions"), _table_3, _RETRIEVED),
        Plate("table-4", Words("各模型、各方法", "all models and methods"), _table_4, _ASKED),
    ],
)
