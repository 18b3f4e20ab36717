"""The published tables: complete, exact, and in agreement with themselves."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import fmean

import pytest

from hengfa.base.errors import DataError
from hengfa.evals.results.published.papers import IDENTITY, PAPERS, TABLES, published, read_tables

SETTINGS = ("zero_shot", "one_shot")
LEVELS = {"memorization": "1-", "understanding": "2-", "applying": "3-", "overall": ""}
"""Figure to the prefix of the tasks that it is the mean of."""
PAPER_NAMES = {
    "Memorization": "memorization",
    "Understanding": "understanding",
    "Application": "applying",
    "Overall": "overall",
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_lawbench_has_51_models_with_20_tasks_and_4_figures_each(setting: str) -> None:
    runs = published("lawbench", setting)
    assert len({run.model for run in runs}) == len({run.title for run in runs}) == 51
    for run in runs:
        assert run.setting == setting
        assert len(run.tasks) == 20
        assert list(run.figures) == list(LEVELS)
        assert all(0 <= value <= 1 for value in (*run.tasks.values(), *run.figures.values()))


def test_a_model_is_found_by_both_its_names() -> None:
    gpt4 = next(run for run in published("lawbench") if run.model == "GPT4")
    assert (gpt4.title, gpt4.setting, gpt4.source) == ("GPT-4", "zero_shot", "tables 24-27")
    assert gpt4.tasks["1-2"] == 55.20 / 100
    assert gpt4.figures["overall"] == 52.35 / 100


def test_without_a_setting_all_are_given_and_an_unknown_suite_has_none() -> None:
    assert [run for s in SETTINGS for run in published("lawbench", s)] == published("lawbench")
    assert published("lawbench", "nine_shot") == []
    assert published("lawbunch") == []


def test_every_value_is_what_is_printed_divided_by_100() -> None:
    with (TABLES / "lawbench.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 102
    for run, row in zip(published("lawbench"), rows, strict=True):
        for task, value in run.tasks.items():
            assert value == float(row[f"{task} %"]) / 100
            assert f"{value * 100:.2f}" == row[f"{task} %"]
        for figure, value in run.figures.items():
            assert value == float(row[f"figure:{figure} %"]) / 100
            assert f"{value * 100:.2f}" == row[f"figure:{figure} %"]


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("figure", LEVELS)
def test_the_printed_averages_are_the_means_of_the_printed_tasks(setting: str, figure: str) -> None:
    """Within rounding: half of a last digit for the tasks' mean, half for the printed average."""
    for run in published("lawbench", setting):
        tasks = [v for task, v in run.tasks.items() if task.startswith(LEVELS[figure])]
        assert 100 * abs(fmean(tasks) - run.figures[figure]) <= 0.01 + 1e-9, run.title


@pytest.mark.shared
def test_every_cell_of_the_papers_tables_is_reproduced(shared: Path) -> None:
    with (shared / "published" / "lawbench_tables.csv").open(encoding="utf-8") as stream:
        cells = list(csv.DictReader(stream))
    assert len(cells) == 2040 + 408
    printed = {
        (cell["setting"], cell["model"], cell["paper_model_name"], cell["task"]): cell["score"]
        for cell in cells
    }
    assert len(printed) == len(cells)
    paper_names = {ours: theirs for theirs, ours in PAPER_NAMES.items()}
    ours = {
        (run.setting, run.model, run.title, paper_names.get(name, name)): value
        for run in published("lawbench")
        for name, value in (*run.tasks.items(), *run.figures.items())
    }
    assert ours == {cell: float(score) / 100 for cell, score in printed.items()}
    sources = {run.setting: run.source for run in published("lawbench")}
    for setting in SETTINGS:
        tables = sorted({int(cell["table"]) for cell in cells if cell["setting"] == setting})
        assert sources[setting] == f"tables {tables[0]}-{tables[-1]}"


HEADER = ",".join(IDENTITY)


def test_other_shapes_are_read_by_their_headings(tmp_path: Path) -> None:
    file = tmp_path / "other.csv"
    file.write_text(
        f"{HEADER},recite,locate %,figure:tokens,figure:overall %\n"
        'plain,m/ReAct,"M, with ReAct",table 3,0.808,58.8,5100468,\n'
        "plain,n,N,table 3,,,,66.47\n",
        "utf-8",
    )
    first, second = read_tables(file)
    assert first.title == "M, with ReAct"
    assert first.tasks == {"recite": 0.808, "locate": 58.8 / 100}
    assert first.figures == {"tokens": 5100468}
    assert (second.tasks, second.figures) == ({}, {"overall": 66.47 / 100})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "first columns must be setting, model, title, source"),
        ("model,setting,title,source,1-1\n", "first columns must be"),
        (f"{HEADER},1-1,1-1 %\n", "two columns"),
        (f"{HEADER},1-1\ns,m,M,t\n", "row 2: 4 cells under 5 headings"),
        (f"{HEADER},1-1\ns,m,M,t,1\ns,m,M,t,1\n", "row 3: m stands here twice in s"),
        (f"{HEADER},grader,1-1\ns,m,M,t,g,1\ns,m,M,t,g,1\n", "row 3: m stands here twice in s"),
        (f"{HEADER},1-1 %\ns,m,M,t,12.3*\n", "row 2, field '1-1 %': '12.3*' is not a number"),
        (f"{HEADER},1-1\ns,m,M,t,nan\n", "field '1-1': 'nan' is not a number"),
    ],
)
def test_a_file_that_is_not_as_it_should_be_is_refused_with_the_place(
    tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "broken.csv"
    file.write_text(text, "utf-8")
    with pytest.raises(DataError) as refused:
        read_tables(file)
    assert said in str(refused.value)
    assert str(file) in str(refused.value)


def test_every_file_of_tables_can_be_read_and_is_described() -> None:
    told = (TABLES / "README.md").read_text("utf-8")
    files = sorted(file for file in TABLES.glob("*.csv") if file.name != PAPERS)
    assert files
    for file in files:
        assert f"`{file.name}`" in told
        assert read_tables(file)
