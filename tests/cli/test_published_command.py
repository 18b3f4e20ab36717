"""`hengfa paper figures` and `hengfa results suspects` as a person meets them."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.cli.test_cli import hengfa
from tests.cli.test_results_command import save_run

from hengfa.base.statistics.correlation import pearson
from hengfa.evals.results.published.papers import published
from hengfa.evals.results.tables import ResponseRow, write_responses
from hengfa.evals.runs.suspicion import CAUTION


def test_all_tables_are_listed_with_paper_and_source(tmp_path: Path) -> None:
    done = hengfa("paper", "figures", cwd=tmp_path, COLUMNS="140")
    assert done.returncode == 0
    for words in ("LawBench, arXiv:2309.16289", "plawbench-graders", "tables 24-27", "2,448"):
        assert words in done.stdout


def test_a_suite_is_listed_with_numbers_as_printed(tmp_path: Path) -> None:
    done = hengfa("paper", "figures", "lawbench", "--shots", "0", cwd=tmp_path, COLUMNS="200")
    assert done.returncode == 0
    assert "97.59" in done.stdout
    assert "93.35" in done.stdout  # in table 23; tables beside the main one have no settings of it
    assert "source: tables 24-27" in done.stdout
    assert "tables 28-31" not in done.stdout


def test_json_has_every_printed_digit(tmp_path: Path) -> None:
    done = hengfa("paper", "figures", "claw", "--json", cwd=tmp_path)
    table, *_ = json.loads(done.stdout)
    assert table["paper"] == "CLaw, arXiv:2509.21208"
    assert len(table["rows"]) == 10
    assert table["rows"][0]["printed"]["case_conciseness@DeepSeek-R1"] == "17.50"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("paper", "figures", "lawbunch"), "nothing published of 'lawbunch'"),
        (
            ("paper", "figures", "lawbench", "--setting", "nine_shot"),
            "no published setting 'nine_shot'",
        ),
        (("paper", "figures", "--shots", "1"), "need a SUITE"),
        (("paper", "check", "nobody"), "nothing published of 'nobody'"),
        (
            ("paper", "correlate", "claw", "--x", "rouge_9", "--y", "bleu"),
            "no figure 'rouge_9' here; there is: article_accuracy",
        ),
        (
            (
                "results",
                "suspects",
            ),
            "name run folders, or a suite with --published",
        ),
        (
            ("results", "suspects", "--published", "judgment"),
            "no published scores by task of judgment",
        ),
        (("results", "suspects", "."), "is not a run and holds none"),
    ],
)
def test_a_wrong_call_says_what_to_do(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = hengfa(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr


def test_the_check_names_what_does_not_add_up(tmp_path: Path) -> None:
    done = hengfa("paper", "check", "plawbench", cwd=tmp_path)
    assert done.returncode == 0
    assert (
        "Qwen-8b, all, overall: printed 43.11, recomputed 43.88 to 43.89 [table 3]" in done.stdout
    )
    assert "pca: printed 52.70, recomputed 53.9376 to 56.164 (probably)" in done.stdout
    assert "92 checks, 9 do not add up (9 known, 0 new)" in done.stdout


def test_the_check_as_json(tmp_path: Path) -> None:
    document = json.loads(hengfa("paper", "check", "--json", cwd=tmp_path).stdout)
    assert sum(document["checks"].values()) == 2109
    one = next(o for o in document["findings"] if o["row"] == "GPT-5.2-1211-global, all")
    assert one["printed"] == "68.58"
    assert (one["low"], one["high"]) == (60.83, 60.84)
    nothing = [o for o in document["findings"] if o["low"] is None]
    assert {o["figure"] for o in nothing} == {"case_ratings@Gemini-2.5-Pro"}


def test_correlating_published_figures_warns_when_models_are_few(tmp_path: Path) -> None:
    done = hengfa(
        "paper", "correlate", "legalagentbench", "--x", "tokens", "--y", "success/all",
        "--method", "react", cwd=tmp_path,
    )  # fmt: skip
    assert "Pearson   -0.57 [-0.91, +0.23]" in done.stdout
    assert "careful: only 8 points" in done.stdout


def test_correlating_runs(tmp_path: Path) -> None:
    values = np.random.default_rng(4).uniform(0.2, 0.8, (5, 2)).round(3)
    for number, (x, y) in enumerate(values.tolist()):
        save_run(tmp_path / "runs" / str(number), f"m{number}", {"1-1": x, "1-2": y})
    save_run(tmp_path / "runs" / "floor", "floor", {"1-1": 0.0, "1-2": 0.0})
    done = hengfa(
        "paper", "correlate", "lawbench", "--x", "1-1", "--y", "1-2", "--of", "runs",
        "--json", cwd=tmp_path,
    )  # fmt: skip
    document = json.loads(done.stdout)
    assert document["n"] == 5
    assert document["pearson"]["value"] == pytest.approx(pearson(values[:, 0], values[:, 1]))


def save_texts(folder: Path, model: str, task: str, answers: Sequence[str]) -> None:
    """Responses of a run, as scoring writes them."""
    rows = [
        ResponseRow(
            run=folder.name, suite="lawbench", task=task, setting="zero_shot", rules="official",
            model=model, sample=str(number), cluster=None, facets="{}", status="answered",
            answer_status="extracted", prompt=f"第{number}题", reference=made_up(number, "gold"),
            response=answer, reasoning="", extracted="", trace="", input_tokens=None,
            output_tokens=None, seconds=None, cost=None, currency=None,
        )
        for number, answer in enumerate(answers)
    ]  # fmt: skip
    write_responses(rows, folder / "responses" / f"{task}.official.parquet")


def made_up(number: int, salt: str) -> str:
    random = np.random.default_rng([number, *salt.encode()])
    return "".join(random.choice(list("山川湖海风云雨雪松竹梅兰东西南北春夏秋冬"), 50))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs with the scores of a weak published model, but one task too good; and with texts."""
    folder = tmp_path_factory.mktemp("suspects") / "runs"
    weak = next(row for row in published("lawbench", "zero_shot") if row.title == "ChatGLM2-6B")
    answers: Mapping[str, list[str]] = {
        "learnt": [made_up(n, "gold" if n < 40 else "learnt") for n in range(80)],
        "twin a": [made_up(n, "twin") for n in range(80)],
        "twin b": [made_up(n, "twin") for n in range(80)],
    }
    for model, written in answers.items():
        scores = {**weak.tasks, "2-8": 0.99 if model == "learnt" else weak.tasks["2-8"]}
        save_run(folder / model, model, scores)
        save_texts(folder / model, model, "3-8", written)
    save_run(folder / "ceiling", "ceiling", dict.fromkeys(weak.tasks, 1.0))
    return folder


def test_hints_about_runs_of_all_three_kinds(runs: Path) -> None:
    done = hengfa("results", "suspects", str(runs), "--json", cwd=runs.parent)
    assert "a built-in model" in done.stderr
    [document] = json.loads(done.stdout)
    assert document["caution"] == CAUTION
    assert document["models_compared"] == 3 + 51
    flagged = {
        part: [one for one in document[part] if one["flagged"]]
        for part in ("unexpected_scores", "verbatim_answers", "identical_answers")
    }
    [score] = flagged["unexpected_scores"]
    assert (score["model"], score["task"]) == ("learnt", "2-8")
    [repeated] = flagged["verbatim_answers"]
    assert (repeated["model"], repeated["count"], repeated["n"]) == ("learnt", 40, 80)
    [pair] = flagged["identical_answers"]
    assert (pair["one"], pair["other"], pair["count"]) == ("twin a", "twin b", 80)


def test_the_tables_say_that_they_are_hints_and_mark_what_is_flagged(runs: Path) -> None:
    done = hengfa("results", "suspects", str(runs), "--top", "1", cwd=runs.parent, COLUMNS="120")
    assert done.stdout.startswith("Hints for a review of contamination, not findings of it")
    lines = done.stdout.splitlines()
    assert any(line.lstrip().startswith("!") and "learnt" in line for line in lines)
    assert any(line.lstrip().startswith("!") and "twin a" in line for line in lines)


def test_too_few_models_are_said(runs: Path) -> None:
    done = hengfa("results", "suspects", str(runs), "--alone", cwd=runs.parent)
    assert "no score was predicted" in done.stdout
    assert "there are 2 other models" in " ".join(done.stdout.split())


def test_published_models_can_be_looked_at(tmp_path: Path) -> None:
    done = hengfa("results", "suspects", "--published", "lawbench", "--shots", "0", cwd=tmp_path)
    flagged = [line for line in done.stdout.splitlines() if line.lstrip().startswith("!")]
    assert len(flagged) == 1
    assert flagged[0].split()[1:4] == ["Fuzi-Mingcha", "2-5", "97.59"]


@pytest.mark.shared
def test_fuzi_mingcha_comes_out_from_the_released_predictions_too(
    shared: Path, tmp_path: Path
) -> None:
    """Scored anew, and with no published model for comparison: nine runs are enough."""
    scores: dict[str, dict[str, float]] = {}
    with (shared / "reference" / "lawbench_scores.csv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if row["setting"] == "zero_shot":
                scores.setdefault(row["model"], {})[row["task"]] = float(row["score"])
    assert len(scores) == 9
    for model, tasks in scores.items():
        save_run(tmp_path / "runs" / model, model, tasks)
    for more in ((), ("--alone",)):
        done = hengfa("results", "suspects", "runs", "--json", *more, cwd=tmp_path)
        [document] = json.loads(done.stdout)
        first = document["unexpected_scores"][0]
        assert (first["model"], first["task"]) == ("fuzi-mingcha-7b-hf", "2-5")
        assert sum(one["flagged"] for one in document["unexpected_scores"]) == 1
