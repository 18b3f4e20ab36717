"""The paper's tables: complete, in agreement with themselves, with notes where tokens are not."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from hengfa.evals.results.figures import TaskFigures
from hengfa.evals.results.published.papers import published
from hengfa.world.suites.legalagentbench.dataset import GROUPS, SETTINGS
from hengfa.world.suites.legalagentbench.suite import further

SIZES = dict(zip(GROUPS, (80, 80, 60, 40, 20, 20), strict=True))
METHODS = {"P-S": "plan-solve", "P-E": "plan-execute", "ReAct": "react"}
METRICS = {"success_rate": "success", "process_rate": "process", "bertscore": "bertscore"}
NOTED = {
    ("react", "GPT-3.5"): "22076821",
    ("plan-execute", "LLaMa3.1-8B"): "21515249",
    ("plan-execute", "GLM-4"): "9116958 and 732966",
    ("plan-execute", "GPT-4o"): "twice",
}
OF_THE_PAPER = SETTINGS[:3]


def test_there_are_eight_models_by_three_methods_and_eight_runs_of_goalact() -> None:
    for setting in OF_THE_PAPER:
        runs = published("legalagentbench", setting)
        assert len({run.model for run in runs}) == len(runs) == 8
        for run in runs:
            assert list(run.tasks) == list(GROUPS)
            assert len(run.figures) == 23
    goalact = published("legalagentbench", "tools")
    assert len(goalact) == 8
    assert all("GoalAct" in run.title and len(run.figures) == 15 for run in goalact)


def test_all_is_the_mean_over_all_tasks() -> None:
    for run in published("legalagentbench"):
        for metric in ("success", "process", "bertscore"):
            if f"{metric}/all" not in run.figures:
                continue
            tasks = {
                group: TaskFigures(run.figures[f"{metric}/{group}"], n=n)
                for group, n in SIZES.items()
            }
            computed = further(tasks)["success/all"]
            assert computed == pytest.approx(run.figures[f"{metric}/all"], abs=1.001e-4), run
        assert all(run.tasks[group] == run.figures[f"success/{group}"] for group in GROUPS)


def test_tokens_that_do_not_agree_with_the_files_are_noted_and_no_others() -> None:
    usual = "tables 3, 14 and 15"
    runs = {
        (run.setting, run.title): run
        for s in OF_THE_PAPER
        for run in published("legalagentbench", s)
    }
    assert {key for key, run in runs.items() if run.source != usual} == set(NOTED)
    assert all(note in runs[key].source for key, note in NOTED.items())


@pytest.mark.shared
def test_every_printed_number_is_there(shared: Path) -> None:
    with (shared / "published" / "legalagentbench_tables.csv").open(encoding="utf-8") as stream:
        printed = list(csv.DictReader(stream))
    runs = {(run.setting, run.title): run for run in published("legalagentbench")}
    assert len(printed) == 3 * 24
    for row in printed:
        run = runs[METHODS[row["method"]], row["model"]]
        for group in (*GROUPS, "all"):
            assert run.figures[f"{METRICS[row['metric']]}/{group}"] == float(row[group])
        assert run.figures["tokens"] == int(row["tokens"])
    with (shared / "published" / "legalagentbench_goalact.csv").open(encoding="utf-8") as stream:
        goalact = list(csv.DictReader(stream))
    by_source = {run.source: run for run in published("legalagentbench", "tools")}
    for row in goalact:
        run = by_source[f"GoalAct, run {row['run']}"]
        for metric in ("success", "process"):
            for group in (*GROUPS, "all"):
                name = {"writing": "Writing", "all": "ALL"}.get(group, group)
                assert run.figures[f"{metric}/{group}"] == float(row[f"{metric}_{name}"])
