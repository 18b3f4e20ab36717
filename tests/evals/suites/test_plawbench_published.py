"""Table 3 of the paper: complete, and which of its rows do not follow from their own parts."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from hengfa.evals.results.published.papers import PublishedRun, published
from hengfa.evals.suites.plawbench.rules import figures

RUNS = {run.model: run for run in published("plawbench", "all")}
ROUNDING = 0.0001
"""One unit of the last printed digit, as a fraction: sums of rounded parts may be off by it."""

OVERALL_DIFFERS = {"Qwen-4b-instruct-2507", "Qwen-4b-thinking-2507", "Qwen-8b"}
DOCUMENTS_DIFFER = {"GPT-5.2-1211-global"}


def recomputed(run: PublishedRun) -> dict[str, float]:
    return figures(run.tasks)


def test_there_are_24_models_with_every_figure() -> None:
    assert len(RUNS) == 24
    for run in RUNS.values():
        assert set(run.tasks) == {"consultation", "case", "plaintiff", "defendant"}
        assert len(run.figures) == 8
        assert run.figures["plc"] == run.tasks["consultation"]
        assert run.figures["pca"] == run.tasks["case"]
        assert all(0 < value < 1 for value in (*run.tasks.values(), *run.figures.values()))


def test_documents_are_the_mean_of_the_two_sides_but_in_one_row() -> None:
    differs = {
        model
        for model, run in RUNS.items()
        if abs(recomputed(run)["ldg"] - run.figures["ldg"]) > ROUNDING
    }
    assert differs == DOCUMENTS_DIFFER
    assert recomputed(RUNS["GPT-5.2-1211-global"])["ldg"] == pytest.approx(0.60835)


def test_overall_is_two_to_five_to_three_but_in_three_rows() -> None:
    """Of the printed parts: the printed mean of documents where that does not follow either."""
    computed = {
        model: 0.2 * run.figures["plc"] + 0.5 * run.figures["pca"] + 0.3 * run.figures["ldg"]
        for model, run in RUNS.items()
    }
    differs = {
        model
        for model, run in RUNS.items()
        if abs(computed[model] - run.figures["overall"]) > ROUNDING
    }
    assert differs == OVERALL_DIFFERS
    assert {model: round(100 * computed[model], 2) for model in differs} == {
        "Qwen-4b-instruct-2507": 50.37,
        "Qwen-4b-thinking-2507": 46.67,
        "Qwen-8b": 43.88,
    }


def test_those_rows_say_so_and_no_other_does() -> None:
    noted = {model for model, run in RUNS.items() if run.source != "table 3"}
    assert noted == OVERALL_DIFFERS | DOCUMENTS_DIFFER
    for model in noted:
        run = RUNS[model]
        figure = "ldg" if model in DOCUMENTS_DIFFER else "overall"
        assert run.source.endswith(f"printed {100 * run.figures[figure]:.2f}")
        (said,) = re.findall(r"(?:of|is) (\d\d\.\d\d),", run.source)
        assert abs(float(said) - 100 * recomputed(run)[figure]) < 0.0051


@pytest.mark.shared
def test_every_printed_number_is_there(shared: Path) -> None:
    with (shared / "published" / "plawbench_table3.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["model"] for row in rows] == list(RUNS)
    names = {
        "overall": "overall",
        "case_analysis": "pca",
        "consultation": "plc",
        "document": "ldg",
        "conclusion": "conclusion_rate",
        "facts": "facts_rate",
        "reasoning": "reasoning_rate",
        "statute": "statutes_rate",
    }
    for row in rows:
        run = RUNS[row["model"]]
        for theirs, ours in names.items():
            assert run.figures[ours] == float(row[theirs]) / 100
        for side in ("plaintiff", "defendant"):
            assert run.tasks[side] == float(row[side]) / 100
