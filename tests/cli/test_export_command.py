"""`hengfa export`: records, tables and pictures of runs."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.evals.report.made import Made, make_run

from hengfa.base.errors import DataError
from hengfa.cli.main import cli

TASKS = {"1-2": [Made(1.0), Made(0.0), Made(0.5)]}


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    make_run(tmp_path / "runs" / "a", TASKS, model="甲_1")
    make_run(tmp_path / "runs" / "b", TASKS, model="乙")
    return tmp_path / "runs"


def hengfa(*arguments: str | Path) -> None:
    cli.main(["export", *(str(one) for one in arguments)], standalone_mode=False)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_records_of_several_runs_in_one_file(runs: Path, tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"out.{kind}"
    hengfa(kind, runs, "-o", file)
    found = pl.read_csv(file) if kind == "csv" else pl.read_parquet(file)
    assert found["model"].to_list() == ["甲_1"] * 3 + ["乙"] * 3
    assert found["value"].to_list() == [1.0, 0.0, 0.5] * 2


def test_a_single_run_names_the_file(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    hengfa("csv", "a", "--runs", runs)
    hengfa("parquet", "a", "b", "--runs", runs)
    assert (tmp_path / "a.csv").is_file()
    assert (tmp_path / "records.parquet").is_file()


def test_leaderboards_for_people(runs: Path, tmp_path: Path) -> None:
    hengfa("markdown", runs, "-o", tmp_path / "board.md", "--lang", "zh")
    text = (tmp_path / "board.md").read_text("utf-8")
    assert "| 模型 | 名次 | 样本 | 1-2 知识问答 |" in text
    assert r"| 甲\_1 | – | 3 | 50.00 \[" in text
    hengfa("latex", runs, "-o", tmp_path / "board.tex")
    assert r"甲\_1 & -- & 3 & 50.00 [" in (tmp_path / "board.tex").read_text("utf-8")


def test_exports_say_what_answers_took_where_that_is_known(tmp_path: Path) -> None:
    """Of `b` nothing is known, so it has no figure."""
    paid = [Made(1.0, tokens=10, cost=0.5), Made(0.0, tokens=30, cost=0.25)]
    make_run(tmp_path / "runs" / "a", {"1-2": paid}, model="甲")
    make_run(tmp_path / "runs" / "b", {"1-2": [Made(1.0)]}, model="乙")
    hengfa("csv", tmp_path / "runs", "-o", tmp_path / "out.csv")
    found = pl.read_csv(tmp_path / "out.csv").select("model", "output_tokens", "cost", "currency")
    assert found.rows() == [
        ("甲", 10, 0.5, "CNY"),
        ("甲", 30, 0.25, "CNY"),
        ("乙", None, None, None),
    ]
    hengfa("markdown", tmp_path / "runs", "-o", tmp_path / "board.md")
    text = (tmp_path / "board.md").read_text("utf-8")
    assert "| model | rank | samples | tokens | cost |" in text
    assert "| 甲 | – | 2 | 80 | 0.7500 CNY |" in text
    assert "| 乙 | – | 1 | – | – |" in text


def test_rows_of_the_paper_stand_between_runs_and_say_what_is_computed(tmp_path: Path) -> None:
    tasks = ("1-hop", "2-hop", "3-hop", "4-hop", "5-hop", "writing")
    made = {task: [Made(0.75), Made(0.65)] for task in tasks}
    make_run(tmp_path / "runs" / "a", made, model="甲", suite="legalagentbench", setting="react")
    hengfa("markdown", tmp_path / "runs", "-o", tmp_path / "board.md", "--published")
    lines = (tmp_path / "board.md").read_text("utf-8").splitlines()
    assert "≈ not printed, computed from what the paper prints" in lines[0]
    names = [line.split(" | ")[0].removeprefix("| ") for line in lines[4:13]]
    assert names == [
        "GPT-4o", "GLM-4-Plus", "Qwen-max", "甲", "Claude-sonnet", "GPT-4o-mini", "GLM-4",
        "GPT-3.5", "LLaMa3.1-8B",
    ]  # fmt: skip
    assert r"| GLM-4 | \* | – | 11,920,863 | 60.57 |" in lines[10]
    hengfa("latex", tmp_path / "runs", "-o", tmp_path / "board.tex", "--published")
    assert "GLM-4 & * & -- & 11,920,863 & 60.57" in (tmp_path / "board.tex").read_text("utf-8")


def test_every_chart_has_a_file(runs: Path, tmp_path: Path) -> None:
    hengfa("charts", runs, "-o", tmp_path / "charts", "--language", "zh")
    drawn = {file.name for file in (tmp_path / "charts").iterdir()}
    assert "lawbench-zero_shot-official-abstention.svg" in drawn
    text = (tmp_path / "charts" / "lawbench-zero_shot-official-abstention.svg").read_text("utf-8")
    assert "知识问答" in text
    assert "甲_1" in text


def test_without_a_chinese_font_it_is_said_what_to_install(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hengfa.evals.report.charts.vega.find_chinese_font", lambda: None)
    with pytest.raises(DataError, match="fonts-noto-cjk or fonts-wqy-microhei"):
        hengfa("charts", runs, "-o", tmp_path / "charts", "--format", "png")
    hengfa("charts", runs, "-o", tmp_path / "charts", "--format", "svg")
    said = capsys.readouterr().err
    assert said.count("fonts-noto-cjk") == 1


@pytest.mark.parametrize("name", ["=1+1", "@SUM(A1)", "-2", "+3", "\t=4"])
def test_a_spreadsheet_finds_no_formula_in_the_records(tmp_path: Path, name: str) -> None:
    make_run(tmp_path / "runs" / "a", TASKS, model=name)
    hengfa("csv", tmp_path / "runs", "-o", tmp_path / "out.csv")
    assert pl.read_csv(tmp_path / "out.csv")["model"].unique().to_list() == [f"'{name}"]
