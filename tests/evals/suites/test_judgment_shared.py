"""JuDGE on the real data: every published score, every extraction, the numbers of judgment.md."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from hengfa.evals.results.published.papers import published
from hengfa.evals.runs.cells import score_task
from hengfa.evals.suites.base import PredictionContext, Rules
from hengfa.evals.suites.judgment.dataset import TASK, JudgmentSample, all_samples
from hengfa.evals.suites.judgment.reading import JudgmentFix, readers
from hengfa.evals.suites.judgment.rules import further, metrics_of
from hengfa.evals.suites.judgment.suite import DOCUMENT, SUITE
from hengfa.evals.suites.predictions import read_predictions

pytestmark = pytest.mark.shared

OUTPUTS = (
    "multi_qwen2.5-3B",
    "finetune_qwen2.5-7B",
    "law_llm_lexilaw_lexilaw-direct",
    "law_llm_hanfei_hanfei-finetune",
    "direct_qwen2.5-3B-Instruct-direct",
)
OFFICIAL, LEGACY = "official", "official_2025-02-28"


@pytest.fixture(scope="module")
def data(shared: Path) -> Path:
    return shared / "data" / "JuDGE"


@pytest.fixture(scope="module")
def reference(shared: Path) -> dict[str, Any]:
    scores = json.loads((shared / "reference" / "judge_scores.json").read_text("utf-8"))
    found = {row["file"]: row for row in scores["baselines"]}
    return {"Example_Output": {OFFICIAL: scores["example_output"]}, **found}


def figures(
    data: Path, output: str, fixes: frozenset[str] = frozenset(), version: str = "head"
) -> dict[str, float]:
    name = (
        f"{output}.jsonl" if output == "Example_Output" else f"baseline_outputs/{output}.jsonl.gz"
    )
    context = PredictionContext("direct", data, options=(("version", version),))
    (saved,) = read_predictions(SUITE, data / name, context)
    assert saved.model == output
    figure, _ = score_task(DOCUMENT, DOCUMENT.rules(fixes, data), saved.attempts(TASK))
    return further({TASK: figure})


@pytest.mark.parametrize("output", ["Example_Output", *OUTPUTS])
def test_official_scores(data: Path, reference: dict[str, Any], output: str) -> None:
    found, expected = figures(data, output), reference[output][OFFICIAL]
    names = [name for name, value in expected.items() if isinstance(value, int | float)]
    assert len(names) == 14
    for name in names:
        assert found[name] == pytest.approx(expected[name], abs=1e-9), name


@pytest.mark.parametrize("output", OUTPUTS)
def test_scores_of_the_older_version(data: Path, reference: dict[str, Any], output: str) -> None:
    found, expected = figures(data, output, version="legacy"), reference[output][LEGACY]
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-9), name


def test_every_extraction_of_the_example(shared: Path, data: Path) -> None:
    file = shared / "reference" / "judge_example_extractions.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    output = (data / "Example_Output.jsonl").read_text("utf-8").splitlines()
    given = {row["id"]: row["document"] for row in map(json.loads, output)}
    samples = {sample.id: sample for sample in all_samples(data)}
    read = readers(frozenset(), data).head
    assert len(rows) == len(samples) == 501
    for row in rows:
        texts = {"reference": samples[row["id"]].document, "generated": given[row["id"]]}
        elements = {side: read(text) for side, text in texts.items()}
        for side, expected in ((side, row[side]) for side in texts):
            found = elements[side]
            assert found.charges == set(expected["crimes"])
            assert found.articles == set(expected["articles"])
            assert found.terms[0].value == expected["months"]
            assert found.fines[0].value == expected["fine"]
            assert len(found.reason) == expected["reason_len"]
            assert len(found.judgment) == expected["judgment_len"]
        metrics = metrics_of(elements["reference"], elements["generated"], frozenset())
        for name in ("charge_recall", "statute_precision", "meteor_reason", "meteor_judgment"):
            assert metrics[name] == pytest.approx(row[name], abs=1e-9)
        assert metrics["prison"] == pytest.approx(row["prison_score"], abs=1e-9)
        assert metrics["fine"] == pytest.approx(row["fine_score"], abs=1e-9)


def test_what_single_fixes_do_to_the_example(data: Path) -> None:
    """The figures of judgment.md 8."""
    guard = figures(data, "Example_Output", frozenset({JudgmentFix.GUARD}))
    assert round(guard["fine"], 4) == 0.5470
    unparsed = figures(data, "Example_Output", frozenset({JudgmentFix.UNPARSED}))
    assert round(unparsed["meteor_reason"], 4) == 0.5284
    assert round(unparsed["meteor_judgment"], 4) == 0.6046
    plain = figures(data, "Example_Output")
    assert round(plain["charge_f1_per_document"], 4) == 0.9264
    assert round(plain["statute_f1_per_document"], 4) == 0.6717


def test_the_references_are_the_documents_of_the_data(data: Path) -> None:
    rows = (data / "expected.jsonl").read_text("utf-8").splitlines()
    expected = {row["id"]: row["document"] for row in map(json.loads, rows)}
    assert {sample.id: sample.document for sample in all_samples(data)} == expected


@pytest.mark.parametrize("rules", list(Rules))
def test_a_court_agrees_with_itself(data: Path, rules: Rules) -> None:
    rule_set = DOCUMENT.rule_set(rules, data)
    for sample in all_samples(data)[::25]:
        metrics = rule_set.score(sample, rule_set.read(sample.document)).metrics
        assert all(metrics[name] in (1.0, None) for name in ("prison", "fine", "charge_recall"))
        assert (metrics["meteor_reason"] or 0) > 0.999


def test_every_cell_of_table_4(shared: Path) -> None:
    printed = {(run.setting, run.title): run for run in published("judgment")}
    settings = {"Direct": "direct", "SFT": "direct", "ICL": "few-shot", "RAG": "rag"}
    with (shared / "published" / "judge_table4.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(printed) == 18
    for row in rows:
        run = printed[settings[row["method"]], f"{row['model']} {row['method']}"]
        cells = [float(value) for name, value in row.items() if name not in ("model", "method")]
        assert list(run.figures.values()) == cells
        assert run.setting in SUITE.settings


def test_table_4_is_what_the_versions_give(data: Path, reference: dict[str, Any]) -> None:
    """METEOR of the latest version, extraction figures of the version that `source` names."""
    printed = {run.model: run for run in published("judgment")}
    for output in OUTPUTS:
        run, scores = printed[output], reference[output]
        version = LEGACY if "2025-02-28" in run.source else OFFICIAL
        for name, value in run.figures.items():
            if "bertscore" not in name:
                given = scores[OFFICIAL if "meteor" in name else version][name]
                assert round(given, 4) == value, (output, name)


def test_every_cell_of_table_3(shared: Path) -> None:
    with (shared / "published" / "judge_table3.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    found = [{"retriever": run.model, **run.figures} for run in published("judgment-retrieval")]
    assert found == [
        {name: value if name == "retriever" else float(value) for name, value in row.items()}
        for row in rows
    ]


def test_documents_glued_together_are_read(data: Path) -> None:
    samples = all_samples(data)[:2]
    rule_set = DOCUMENT.rule_set(Rules.OFFICIAL, data)
    answer = rule_set.read("\n".join(sample.document for sample in samples))
    assert str(answer.status) == "ambiguous"
    assert isinstance(samples[0], JudgmentSample)
