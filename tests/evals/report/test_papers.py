"""Tables and figures of the papers: the printed rows as printed, runs among them, gaps named."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import hengfa as hengfa_api
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.report.charts.vega import PICTURES
from hengfa.evals.report.papers import (
    NAMES,
    TEXTS,
    get_paper,
    lawbench,
    make_shelf,
    paper,
    write_exhibit,
)
from hengfa.evals.report.papers.exhibit import PER_CENT, Column, Exhibit, PrintedCell
from hengfa.evals.report.papers.lawbench import read_facts
from hengfa.evals.report.words import LANGUAGES, NOTHING
from hengfa.evals.results.published.papers import papers, published
from hengfa.evals.suites.lawbench.suite import LEVELS
from hengfa.evals.suites.lawbench.suite import SUITE as LAWBENCH
from tests.cli.test_cli import hengfa
from tests.evals.report.made import Made, make_run

FACTS = "model,title,group,billions,family,training,base,figures"


@pytest.mark.parametrize("name", NAMES)
def test_every_exhibit_is_whole_without_runs_and_says_what_it_needs(name: str) -> None:
    known = get_paper(name)
    assert known.suite == name
    assert name in papers()
    for made in known.exhibits(make_shelf(known, [], Path("runs"))):
        assert made.content.needs, made.plate.id
        assert "hengfa" in made.content.needs[0].en
        assert made.rows or "prints no numbers" in " ".join(made.remarks("en")), made.plate.id
        for language in LANGUAGES:
            table = made.table(language)
            assert all(len(cells) == len(table.head) for cells in table.rows)
            if made.drawn is not None:
                assert made.drawn(language)["$schema"]


def rows_of(made: Exhibit) -> dict[tuple[str, str], dict[str, PrintedCell]]:
    return {(row.model, row.setting): dict(row.cells) for row in made.rows if not row.run}


@pytest.mark.shared
def test_tables_24_to_31_are_those_of_the_paper(shared: Path) -> None:
    with (shared / "published" / "lawbench_tables.csv").open(encoding="utf-8") as stream:
        printed = {
            (row["table"], row["model"], row["setting"], row["task"]): row["score"]
            for row in csv.DictReader(stream)
        }
    named = {"memorization": "Memorization", "understanding": "Understanding"}
    named |= {"applying": "Application", "overall": "Overall"}
    seen = set()
    for number in range(24, 32):
        for (model, setting), cells in rows_of(paper("lawbench", f"table-{number}")).items():
            for name, cell in cells.items():
                key = (str(number), model, setting, named.get(name, name))
                if key in printed:
                    assert cell.printed == printed[key]
                    assert cell.value == pytest.approx(float(printed[key]) / 100)
                    seen.add(key)
    assert seen == printed.keys()


@pytest.mark.shared
def test_what_the_official_evaluator_gives_is_printed_in_tables_24_to_31(shared: Path) -> None:
    """Of every released prediction; that ours are the evaluator's, the tests of parity show."""
    printed = {
        (model, setting, name): cell
        for number in range(24, 32)
        for (model, setting), cells in rows_of(paper("lawbench", f"table-{number}")).items()
        for name, cell in cells.items()
    }
    with (shared / "reference" / "lawbench_scores.csv").open(encoding="utf-8") as stream:
        scored = list(csv.DictReader(stream))
    assert len(scored) > 200
    for row in scored:
        cell = printed[row["model"], row["setting"], row["task"]]
        assert abs(float(row["score"]) - cell.value) <= 0.5e-4 + 1e-9, row


@pytest.mark.shared
def test_table_3_of_plawbench_is_that_of_the_paper(shared: Path) -> None:
    with (shared / "published" / "plawbench_table3.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    columns = {
        "overall": "overall", "pca": "case_analysis", "conclusion_rate": "conclusion",
        "facts_rate": "facts", "reasoning_rate": "reasoning", "statutes_rate": "statute",
        "plc": "consultation", "ldg": "document", "plaintiff": "plaintiff",
        "defendant": "defendant",
    }  # fmt: skip
    made = rows_of(paper("plawbench", "table-3"))
    assert len(made) == len(rows) == 24
    for row in rows:
        cells = made[row["model"], "all"]
        assert {columns[name]: cell.printed for name, cell in cells.items()} == {
            name: value for name, value in row.items() if name not in {"family", "model"}
        }


def test_figures_of_pairs_take_the_base_from_the_paper() -> None:
    made = {row.model: row for row in paper("lawbench", "figure-7").rows}
    scores = {run.model: run.figures for run in published("lawbench", "zero_shot")}
    assert set(made) == {
        "wisdom-interrogatory-7b-hf", "chatlaw-13b-hf", "lawyer-llama-13b-hf"
    }  # fmt: skip
    cells = made["chatlaw-13b-hf"].cells
    for level in LEVELS:
        assert cells[f"{level}@zero_shot"].value == scores["chatlaw-13b-hf"][level]
        assert cells[f"base:{level}@zero_shot"].value == scores["ziya-llama-13b-hf"][level]
    assert len(paper("lawbench", "figure-6").rows) == 12
    assert {row.group.en for row in paper("lawbench", "figure-4").rows} == {
        "LLaMA", "LLaMA-2", "LLaMA-2-Chat", "Vicuna-v1.3", "Baichuan", "LLaMA-2-Chinese", "ChatLaw"
    }  # fmt: skip


@pytest.mark.shared
def test_what_figures_3_to_7_show_of_the_paper_is_printed_in_its_tables(shared: Path) -> None:
    with (shared / "published" / "lawbench_tables.csv").open(encoding="utf-8") as stream:
        printed = {
            (row["model"], row["setting"], row["task"]): row["score"]
            for row in csv.DictReader(stream)
        }
    named = {"memorization": "Memorization", "understanding": "Understanding"}
    named |= {"applying": "Application", "overall": "Overall"}
    file = Path(str(lawbench.__file__)).with_name("lawbench_models.csv")
    bases = {model: fact.base for model, fact in read_facts(file).items()}
    compared = 0
    for number, rows in ((3, 51), (4, 19), (5, 5), (6, 12), (7, 3)):
        made = paper("lawbench", f"figure-{number}")
        assert len(made.rows) == rows
        for row in made.rows:
            for column, cell in row.cells.items():
                if column == "billions":
                    continue
                name, _, setting = column.partition("@")
                model = bases[row.model] if name.startswith("base:") else row.model
                task = named.get(name.removeprefix("base:"), name)
                assert cell.printed == printed[model, setting or "zero_shot", task]
                compared += 1
    assert compared == 51 + 19 * 2 + 5 * 4 + 12 * 4 + 3 * 12


def test_the_facts_are_of_the_models_of_the_paper() -> None:
    facts = read_facts(Path(lawbench.__file__).with_name("lawbench_models.csv"))
    assert facts.keys() == {run.model for run in published("lawbench", "zero_shot")}
    assert all(not fact.base or fact.base in facts for fact in facts.values())
    titles = {run.model: run.title for run in published("lawbench", "zero_shot")}
    assert {model: fact.title for model, fact in facts.items()} == titles


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A tuned model in both settings, asked all tasks, and one asked little."""
    every = {task: [Made(0.5), Made(1.0)] for task in LAWBENCH.tasks}
    for setting in ("zero_shot", "one_shot"):
        make_run(tmp_path / f"runs/mine-{setting}", every, model="mine", setting=setting)
    make_run(tmp_path / "runs/little", {"3-4": [Made(0.25), Made(0.75)]}, model="little")
    return tmp_path / "runs"


def test_runs_stand_among_the_published_rows_with_intervals(runs: Path) -> None:
    made = paper("lawbench", "table-27", runs)
    mine = next(row for row in made.rows if row.model == "mine")
    assert mine.run
    assert mine.cells["applying"].value == pytest.approx(0.75)
    assert mine.cells["applying"].low is not None
    assert sum(not row.run for row in made.rows) == 51
    assert {row.model for row in made.rows if row.run} == {"mine"}, "little has none of these"
    assert "mine ▸" in [cells[0] for cells in made.table("en").rows]


def test_what_a_run_lacks_is_said_with_the_command_that_makes_it(
    runs: Path, tmp_path: Path
) -> None:
    needed = paper("lawbench", "table-26", runs / "little").content.needs
    assert "3-5" in needed[0].en
    assert "`hengfa eval lawbench --shots 0 --model MODEL`" in needed[0].en
    figure = paper("lawbench", "figure-4", runs)
    assert "little" in figure.content.needs[0].en
    assert "--facts FILE.csv" in figure.content.needs[0].en
    facts = tmp_path / "facts.csv"
    facts.write_text(f"{FACTS}\nmine,Mine-9B,legal,9,Mine,sft,llama-13b,\n", encoding="utf-8")
    figure = paper("lawbench", "figure-7", runs, facts=facts)
    row = next(row for row in figure.rows if row.run)
    assert row.label == "Mine-9B ← LLaMA-13B"
    assert row.cells["applying@one_shot"].value == pytest.approx(0.75)
    assert row.cells["base:applying@one_shot"].printed == "24.94"
    assert row.cells["abstention/applying@zero_shot"].value == 0.0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("model,title\n", "the columns must be"),
        (f"{FACTS}\nm,M,legal\n", "3 cells"),
        (f"{FACTS}\nm,M,cosmic,7,,base,,\n", "cosmic"),
        (f"{FACTS}\nm,M,legal,seven,,base,,\n", "seven"),
    ],
)
def test_wrong_facts_are_named(text: str, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "facts.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=problem):
        paper("lawbench", "figure-4", facts=file)


def test_every_exhibit_of_lawbench_shows_runs(runs: Path, tmp_path: Path) -> None:
    facts = tmp_path / "facts.csv"
    lines = ("mine,Mine-9B,legal,9,Mine,sft,llama-13b,", "tuned,T,chinese,7,T,sft,llama-7b,")
    facts.write_text("\n".join((FACTS, *lines)), encoding="utf-8")
    every = {task: [Made(0.5), Made(1.0)] for task in LAWBENCH.tasks}
    make_run(runs / "tuned", every, model="tuned")
    known = get_paper("lawbench")
    for made in known.exhibits(make_shelf(known, [str(runs)], Path("runs"), facts=facts)):
        shown = {row.model for row in made.rows if row.run}
        assert shown & {"mine", "tuned"}, made.plate.id
        if made.plate.id == "figure-5":
            assert shown == {"mine", "tuned", "little"}, "what is known of a model is not needed"


def test_runs_that_a_figure_cannot_show_beside_others_are_named(runs: Path) -> None:
    again = {"3-4": [Made(0.0), Made(0.0)]}
    make_run(runs / "mine-again", again, model="mine")
    make_run(runs / "mine-sample", again, model="mine", data_source="sample")
    made = paper("lawbench", "figure-5", runs)
    values = {row.title: row.cells["3-4@zero_shot"].value for row in made.rows if row.run}
    assert values.keys() == {"mine ▸", "mine ▸ †", "little ▸"}
    assert values["mine ▸ †"] == 0.0
    [told] = [remark for remark in made.remarks("en") if "not: " in remark]
    shown = next(row.source for row in made.rows if row.title == "mine ▸")
    left_out = {"mine-again", "mine-zero_shot"} - set(shown.split(", "))
    assert len(left_out) == 1
    assert told.endswith(left_out.pop())


def test_graded_runs_stand_in_every_exhibit_of_plawbench(tmp_path: Path) -> None:
    for model in ("floor", "ceiling"):
        hengfa_api.evaluate(
            "plawbench", model, data="sample", runs=tmp_path / "runs", graders=["keywords"]
        )
    known = get_paper("plawbench")
    shelf = make_shelf(known, [str(tmp_path / "runs")], Path("runs"))
    for made in known.exhibits(shelf):
        rows = {row.model: row.cells for row in made.rows if row.run}
        match made.plate.id:
            case "table-3":
                assert rows["ceiling"]["overall"].value > 0.95 > rows["floor"]["overall"].value
                assert rows["ceiling"].keys() == {column.name for column in made.columns}
            case "table-4":
                assert not rows
            case "figure-5":
                assert rows["ceiling"]["bound"].value > rows["floor"]["bound"].value
                assert made.drawn is not None
            case _:
                shares = {
                    model: [cell.value for cell in cells.values()] for model, cells in rows.items()
                }
                assert sum(shares["ceiling"]) < sum(shares["floor"])
                assert {row.run for row in made.rows} == {True, False}


def test_other_questions_are_marked(runs: Path) -> None:
    make_run(runs / "s", {"3-4": [Made(0.5), Made(1.0)]}, model="s", data_source="sample")
    made = paper("lawbench", "table-26", runs / "s")
    assert "s ▸ †" in [row.title for row in made.rows]
    assert any("sample pack" in remark for remark in made.remarks("en"))


@pytest.mark.parametrize("kind", [*TEXTS, *PICTURES])
def test_an_exhibit_is_written_in_every_form(kind: str, runs: Path, tmp_path: Path) -> None:
    made = paper("lawbench", "table-27", runs)
    file = tmp_path / f"out{kind}"
    write_exhibit(made, file, "en")
    content = file.read_bytes()
    assert content
    if kind in TEXTS:
        assert b"52.35" in content
        assert b"75.00" in content or b"0.75" in content


def test_no_text_of_others_is_markup_or_formula(tmp_path: Path) -> None:
    make_run(tmp_path / "runs/x", {"1-1": [Made(0.5)], "1-2": [Made(1.0)]}, model="=<b>_|%")
    made = paper("lawbench", "table-24", tmp_path / "runs")
    for kind, told in ((".md", r"=\<b\>\_\|%"), (".tex", r"=<b>\_|\%"), (".csv", "'=<b>_|%")):
        write_exhibit(made, tmp_path / f"x{kind}", "en")
        assert told in (tmp_path / f"x{kind}").read_text(encoding="utf-8")


def test_figure_5_of_plawbench_needs_graded_runs_and_prints_no_numbers() -> None:
    made = paper("plawbench", "figure-5")
    assert not made.rows
    assert made.drawn is None
    assert any("prints no numbers" in remark for remark in made.remarks("en"))
    with pytest.raises(UsageError, match="nothing to draw"):
        write_exhibit(made, Path("x.svg"), "en")


@pytest.mark.shared
def test_mistakes_of_plawbench_are_ticked_as_in_the_paper(shared: Path) -> None:
    [text] = (shared / "papers").glob("001_*.txt")
    rows = [line.split("\t") for line in text.read_text(encoding="utf-8").split("\n")]
    ticked = [row for row in rows if len(row) == 8 and set(row[2:]) <= {"✓", ""}]
    assert len(ticked) == 12 + 15 + 7
    made = [paper("plawbench", f"table-{number}") for number in (5, 6, 7)]
    of_models = [
        [cell.printed for exhibit in made for cell in exhibit.rows[model].cells.values()]
        for model in range(6)
    ]
    assert of_models == [["✓" if row[2 + model] else "·" for row in ticked] for model in range(6)]
    assert all(exhibit.drawn is None for exhibit in made), "whether one was seen is no rate"


def test_graders_against_people_come_from_a_calibration(tmp_path: Path) -> None:
    file = tmp_path / "calibration.json"
    agreement = {
        "rater": "g", "against": "people", "level": "totals", "task": "case", "dimension": "",
        "n": 30, "submissions": 30, "figures": {"pearson": {"value": 0.7, "low": 0.5, "high": 0.8}},
    }  # fmt: skip
    file.write_text(json.dumps({"graders": [agreement]}), encoding="utf-8")
    made = paper("plawbench", "table-4", file)
    row = made.rows[-1]
    assert (row.label, row.run) == ("g", True)
    assert row.cells["pearson/case"] == PrintedCell(0.7, 0.5, 0.8)
    assert len(made.rows) == 4
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="calibration"):
        paper("plawbench", "table-4", file)


def test_a_computed_value_is_marked() -> None:
    column = Column("x", NOTHING, scale=PER_CENT)
    assert column.show(PrintedCell(0.5, computed=True)) == "≈50.00"
    assert column.show(PrintedCell(-0.00001)) == "0.00"
    assert column.show(None) == "–"


def test_exhibits_are_found_however_they_are_written() -> None:
    known = get_paper("lawbench")
    for name in ("table-3", "table3", "Table 3"):
        plate = known.plate(name)
        assert plate is not None
        assert plate.id == "table-3"
    assert known.plate("table-99") is None
    with pytest.raises(UsageError, match="table-3"):
        paper("lawbench", "table-99")
    with pytest.raises(UsageError, match="lawbench"):
        get_paper("moonbench")


def test_the_command_lists_shows_and_writes(runs: Path, tmp_path: Path) -> None:
    def call(*words: str) -> str:
        done = hengfa("paper", *words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "figure-4" in call()
    shown = call("lawbench", "figure-5", str(runs))
    assert "GPT-4" in shown
    assert "81.91" in shown
    document = json.loads(call("lawbench", "table-27", str(runs), "--json"))
    assert document["exhibit"] == "table-27"
    assert {value["kind"] for value in document["values"]} == {"run", "published"}
    call("plawbench", "-o", "all")
    written = {file.name for file in (tmp_path / "all").iterdir()}
    assert {"table-3.md", "table-3.tex", "table-3.csv", "table-3.svg", "figure-5.md"} <= written
    assert "figure-5.svg" not in written
