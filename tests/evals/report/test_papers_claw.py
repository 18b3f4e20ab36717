"""The tables and figures of CLaw: what the paper prints, runs among it, and what is lacking."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from hengfa.evals.report.papers import get_paper, make_shelf
from hengfa.evals.report.papers.exhibit import Exhibit, Row
from hengfa.evals.results.published.papers import published
from tests.evals.report.made import Made, make_run

PAPER = get_paper("claw")
LEVELS = ("article_accuracy", "paragraph_accuracy", "subparagraph_accuracy")


def exhibit(name: str, runs: Path, *named: str) -> Exhibit:
    plate = PAPER.plate(name)
    assert plate is not None
    return PAPER.exhibit(plate, make_shelf(PAPER, named, runs))


def of_runs(shown: Exhibit) -> list[Row]:
    return [row for row in shown.rows if row.run]


def needs(shown: Exhibit) -> str:
    return " ".join(need.en for need in shown.content.needs)


def located(law: str, *right: float) -> Made:
    levels = dict(zip(LEVELS, right, strict=True))
    return Made(levels.pop("article_accuracy"), facets={"law": law}, more=levels)


def recall_run(runs: Path, model: str, *made: Made, **options: str) -> None:
    make_run(
        runs / f"claw-{model}", {"id": made}, model=model, suite="claw", setting="all",
        suite_options=options,
    )  # fmt: skip


def case_run(runs: Path, model: str, overall: float, grader: str = "判官") -> None:
    """As `hengfa eval claw-cases --grader` leaves it."""
    made = [Made(overall, more={"reasoning": 0.5}) for _ in range(3)]
    folder = make_run(
        runs / f"cases-{model}", {"case": made}, model=model, suite="claw-cases", setting="default"
    )
    file = folder / "figures.official.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"grader": grader}))


@pytest.mark.shared
def test_tables_1_and_2_hold_what_the_paper_prints_and_the_other_suite_has_the_same(
    shared: Path, tmp_path: Path
) -> None:
    with (shared / "published" / "claw_case_reasoning.csv").open(encoding="utf-8") as stream:
        printed = list(csv.DictReader(stream))
    assert len(printed) == 20
    again = {run.model: run.printed for run in published("claw")}
    for table, judge in (("table-1", "Gemini-2.5-Pro"), ("table-2", "DeepSeek-R1")):
        shown = {row.model: row for row in exhibit(table, tmp_path).rows}
        for row in printed:
            if row["judge"] != judge:
                continue
            for name in (
                "overall",
                "reasoning",
                "knowledge",
                "structure",
                "clarity",
                "conciseness",
            ):
                assert shown[row["model"]].cells[name].printed == row[name]
                assert again[row["model"]][f"case_{name}@{judge}"] == row[name]


def _metric(name: str) -> str:
    """The shared file has rouge1 for what the suite calls rouge_1."""
    return re.sub("^rouge", "rouge_", name).lower()


@pytest.mark.shared
def test_figures_2_and_4_hold_what_the_paper_prints(shared: Path, tmp_path: Path) -> None:
    with (shared / "published" / "claw_content_retrieval.csv").open(encoding="utf-8") as stream:
        metrics = list(csv.DictReader(stream))
    shown = {row.model: row for row in exhibit("figure-4", tmp_path).rows}
    assert len(metrics) == 60
    for row in metrics:
        assert shown[row["model"]].cells[_metric(row["metric"])].value == float(row["value"])
    with (shared / "published" / "claw_id_retrieval.csv").open(encoding="utf-8") as stream:
        articles = {row["model"]: row["article_accuracy"] for row in csv.DictReader(stream)}
    nested = exhibit("figure-2", tmp_path)
    assert {row.model: row.cells["article_accuracy"].printed for row in nested.rows} == articles


def test_figure_1_takes_runs_on_the_civil_code_alone(tmp_path: Path) -> None:
    made = [Made(0.5, more={"bertscore": 0.75})]
    for model, options in (
        ("甲", {"statute": "中华人民共和国民法典"}),
        ("乙", {}),
        ("丙", {"statute": "刑法"}),
    ):
        make_run(
            tmp_path / model, {"content": made}, model=model, suite="claw", setting="all",
            suite_options=options,
        )  # fmt: skip
    shown = exhibit("figure-1", tmp_path, str(tmp_path))
    assert [(row.label, row.cells["bertscore"].value) for row in of_runs(shown)] == [("甲", 0.75)]
    assert shown.rows[0].cells["bertscore"].printed == "0.937"
    assert [row.label for row in of_runs(exhibit("figure-4", tmp_path, str(tmp_path)))] == ["乙"]
    alone = exhibit("figure-1", tmp_path)
    assert "--set statute=民法典 --set bertscore=DIR" in needs(alone)


def test_figure_3_names_the_best_of_each_statute(tmp_path: Path) -> None:
    recall_run(tmp_path, "甲", located("灯塔法", 1, 1, 0), located("渡船法", 0, 0, 0))
    recall_run(tmp_path, "乙", located("灯塔法", 0, 0, 0), located("渡船法", 1, 0, 0))
    recall_run(tmp_path, "丙", located("灯塔法", 1, 1, 1), reading="in-force")
    shown = exhibit("figure-3", tmp_path, str(tmp_path))
    found = {row.label: [row.cells[level].value for level in LEVELS] for row in shown.rows}
    assert found == {"灯塔法 · 甲": [1, 1, 0], "渡船法 · 乙": [1, 0, 0]}
    assert shown.remarks("en")[0] == "claw-乙, claw-甲"
    assert shown.drawn is not None
    assert shown.drawn("zh")["data"]
    assert "needs" in needs(exhibit("figure-3", tmp_path))


def test_dimensions_of_runs_are_points_of_20_and_their_grader_is_named(tmp_path: Path) -> None:
    case_run(tmp_path, "甲", 0.4)
    shown = exhibit("table-1", tmp_path, str(tmp_path))
    (row,) = of_runs(shown)
    assert row.label == "甲 (判官)"
    assert row.cells["overall"].value == pytest.approx(0.4)
    assert row.cells["reasoning"].value == 10
    assert shown.rows[0] is row  # in the order of the ratings, as the paper's
    assert "knowledge" in needs(shown)


def test_recall_and_reasoning_are_correlated_over_runs_of_both(tmp_path: Path) -> None:
    for place, (article, overall) in enumerate(((1, 0.9), (1, 0.7), (0, 0.5), (0, 0.4))):
        recall_run(tmp_path, f"m{place}", located("灯塔法", article, article, 0))
        case_run(tmp_path, f"m{place}", overall)
    shown = exhibit("correlations", tmp_path, str(tmp_path))
    printed = [row.cells for row in shown.rows if not row.run]
    assert [cells["pearson"].printed for cells in printed[:3]] == ["0.61", "0.70", "0.68"]
    assert [cells["spearman"].printed for cells in printed[3:]] == ["0.83", "0.42"]
    first, _ = of_runs(shown)  # nobody has a subparagraph
    assert first.label == "article accuracy × overall rating (判官)"
    assert first.cells["pearson"].value == pytest.approx(0.9113, abs=1e-4)
    assert first.source == "4: m0, m1, m2, m3"
    few = exhibit("correlations", tmp_path, *(str(tmp_path / f"claw-m{n}") for n in (0, 1)))
    assert not of_runs(few)
    assert "a correlation takes 4 models with both figures, there are 0" in needs(few)


def test_judges_stand_against_people_of_a_calibration(tmp_path: Path) -> None:
    figure = {"value": 0.8, "low": 0.6, "high": 0.9}
    common = {"level": "overall", "task": "", "dimension": "", "n": 20, "submissions": 20}
    agreement = {"rater": "判官", "against": "people", "figures": {"pearson": figure}, **common}
    among = agreement | {"rater": "张三", "against": "the others"}
    file = tmp_path / "calibration.json"
    file.write_text(json.dumps({"graders": [agreement], "people": [among]}))
    shown = exhibit("judges", tmp_path, str(file))
    assert [row.cells["pearson"].printed for row in shown.rows[:3]] == ["0.82", "0.96", "0.98"]
    labels = [row.label for row in of_runs(shown)]
    assert labels == ["判官 × people", "张三 × the others"]
    assert "grade calibrate" in needs(exhibit("judges", tmp_path))
