"""`hengfa results SUITE` as a person meets it: what it prints, at which width, its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from tests.cli.test_cli import hengfa

from hengfa.evals.engine.messages import Options
from hengfa.evals.runs.folder import Manifest
from hengfa.evals.suites.registry import get_suite

TASKS = list(get_suite("lawbench").tasks)


def save_run(
    folder: Path, model: str, scores: dict[str, float], data_source: str | None = None
) -> None:
    folder.mkdir(parents=True)
    manifest = Manifest(
        suite="lawbench",
        setting="zero_shot",
        model=model,
        address="local",
        options=Options(),
        data="0123",
        data_source=data_source,
        created="2025-01-01T00:00:00+00:00",
        hengfa="0",
    )
    (folder / "run.json").write_bytes(msgspec.json.encode(manifest))
    document = {
        "tasks": {task: {"score": score} for task, score in scores.items()},
        "figures": {},
        "samples": 5 * len(scores),
        "accept": ["answered"],
    }
    (folder / "figures.official.json").write_bytes(msgspec.json.encode(document))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a full run, one that lacks a task, and two of the sample pack."""
    folder = tmp_path_factory.mktemp("results")
    scores = dict.fromkeys(TASKS, 0.45)
    save_run(folder / "runs" / "mine", "deepseek:deepseek-chat", scores)
    save_run(folder / "runs" / "some", "endpoint:some", {"1-2": 0.61234})
    for model in ("floor", "ceiling"):
        arguments = ("eval", "lawbench/1-1,1-2", "--model", model, "--data", "sample")
        made = hengfa(*arguments, cwd=folder)
        assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A run whose name and model would like to steer the terminal."""
    model = "evil\x1b[31m\u202e[bold red]\nname\t模型 :smile:"
    save_run(tmp_path / "runs" / "x\x1b[2J", model, dict.fromkeys(TASKS, 0.4))
    return tmp_path


def ranks(printed: str) -> dict[str, str]:
    """Model to rank, from the table, for models whose names hold no blank."""
    table = printed.split("───\n", 1)[1].split("\n\n", 1)[0]
    cells = [line.split() for line in table.splitlines()]
    return {row[2]: row[0] for row in cells if len(row) > 2 and row[1] in (">", "*")}


def test_a_run_is_shown_between_the_published_models(place: Path) -> None:
    done = hengfa("results", "lawbench", "--published", cwd=place)
    assert (done.returncode, done.stderr) == (0, "")
    assert "LawBench, zero_shot, official rules, points of 100, by overall" in done.stdout
    found = ranks(done.stdout)
    assert int(found["GPT-4"]) < int(found["deepseek:deepseek-chat"]) < int(found["ChatGPT"])
    assert found["endpoint:some"] == "–"
    assert f"1 of {len(TASKS)} tasks" in done.stdout
    assert "sample data" in done.stdout
    assert "* published, rounded: tables 24-27 of the paper" in done.stdout
    assert f"mine ({5 * len(TASKS)} samples)" in done.stdout


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("arguments", [(), ("--published",), ("--task", ",".join(TASKS))])
def test_the_table_keeps_to_the_width_and_cuts_no_number(
    place: Path, columns: int, arguments: tuple[str, ...]
) -> None:
    done = hengfa("results", "lawbench", *arguments, cwd=place, COLUMNS=str(columns))
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= columns
    assert "…" not in done.stdout
    for word in ("deepseek:deepseek-chat", "endpoint:some", "45.00"):
        assert word in done.stdout


def test_all_figures_of_the_paper_fit_into_80_columns(tmp_path: Path) -> None:
    done = hengfa("results", "lawbench", "--published", cwd=tmp_path, COLUMNS="80")
    assert done.stdout.count("rank") == 1
    assert done.stdout.count(" * ") == 51
    assert "Wisdom-Interrogatory" in done.stdout
    assert "runs on this machine" not in done.stdout


def test_tasks_can_be_shown_and_ordered_by(place: Path) -> None:
    done = hengfa("results", "lawbench", "--task", "1-2", "--published", "--top", "3", cwd=place)
    assert "by 1-2" in done.stdout
    found = ranks(done.stdout)
    assert found == {"endpoint:some": "1", "GPT-4": "2", "deepseek:deepseek-chat": "3"}
    assert "61.23" in done.stdout
    assert "55.20" in done.stdout
    assert "more" in done.stdout
    several = hengfa("results", "lawbench", "--task", "1-2, 1-1,1-2", cwd=place)
    assert "by 1-2, 1-1\n" in several.stdout
    assert "1 of 2 tasks" in several.stdout


def test_tokens_and_cost_have_columns_where_they_are_known(tmp_path: Path) -> None:
    for model, spent in (
        ("paid", {"input_tokens": 1000, "output_tokens": 234, "cost": 0.5, "currency": "CNY"}),
        ("counted", {"input_tokens": 7, "output_tokens": 3}),
        ("old", None),
    ):
        folder = tmp_path / "runs" / model
        save_run(folder, model, dict.fromkeys(TASKS, 0.4))
        document = json.loads((folder / "figures.official.json").read_bytes())
        document["spent"] = spent and {"responses": 5, "counted": 5, **spent}
        (folder / "figures.official.json").write_text(json.dumps(document))
    listed = hengfa("results", cwd=tmp_path, COLUMNS="100")
    board = hengfa("results", "lawbench", "--published", cwd=tmp_path, COLUMNS="120")
    for printed in (listed.stdout, board.stdout):
        assert "tokens" in printed
        assert "1,234" in printed
        assert "¥0.5000" in printed
    as_json = json.loads(hengfa("results", "--json", cwd=tmp_path).stdout)
    assert {run["model"]: run.get("spent", {}).get("cost") for run in as_json} == {
        "paid": 0.5,
        "counted": None,
        "old": None,
    }
    assert "cost" not in hengfa("results", "lawbench", cwd=tmp_path / "runs" / "old").stdout
    agents = hengfa("results", "legalagentbench", "--published", cwd=tmp_path, COLUMNS="120")
    assert "11,920,863" in agents.stdout
    assert "60.57  " in agents.stdout
    assert "≈60.65" in agents.stdout


def test_boards_without_an_overall_say_what_they_are_ordered_by(tmp_path: Path) -> None:
    judgment = hengfa("results", "judgment", "--published", cwd=tmp_path, COLUMNS="200")
    assert "by mean_of_six (ours, since the paper has no overall: the mean of" in judgment.stdout
    assert "≈71.39" in judgment.stdout
    assert "≈ not printed: computed from what the paper prints" in judgment.stdout
    claw = hengfa("results", "claw", "--published", cwd=tmp_path)
    assert (
        "CLaw, all, official rules, points of 100, by rouge_l (the paper has no overall"
        in claw.stdout
    )
    assert ranks(claw.stdout)["Doubao-1.5-Pro"] == "1"


def test_published_models_of_claw_stand_under_each_of_their_judges(tmp_path: Path) -> None:
    done = hengfa("results", "claw-cases", "--published", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    _, gemini, deepseek = done.stdout.split("graded by the paper's ")
    for board, judge, first in (
        (gemini, "Gemini-2.5-Pro", "84.77"),
        (deepseek, "DeepSeek-R1", "84.35"),
    ):
        assert board.startswith(judge)
        rows = [line.split() for line in board.splitlines() if " * " in line]
        assert [row[0] for row in rows] == [str(rank) for rank in range(1, 11)]
        assert rows[0][2:] == ["Gemini-2.5-Pro", first]


def test_other_questions_have_no_rank_among_published_models(place: Path) -> None:
    alone = hengfa("results", "lawbench", "--task", "1-2", cwd=place)
    assert ranks(alone.stdout)["ceiling"] == "1"
    between = hengfa("results", "lawbench", "--task", "1-2", "--published", cwd=place)
    assert ranks(between.stdout)["ceiling"] == "–"


def test_json_is_one_document(place: Path) -> None:
    done = hengfa("results", "lawbench", "--published", "--json", cwd=place)
    document = json.loads(done.stdout)
    assert {key: document[key] for key in ("suite", "setting", "rules")} == {
        "suite": "lawbench",
        "setting": "zero_shot",
        "rules": "official",
    }
    found = {row["model"]: row for row in document["rows"]}
    assert len(found) == 51 + 4
    gpt4, mine, some = (found[name] for name in ("GPT4", "deepseek:deepseek-chat", "endpoint:some"))
    assert (gpt4["kind"], gpt4["source"], gpt4["title"]) == ("published", "tables 24-27", "GPT-4")
    assert gpt4["tasks"]["3-4"] == 82.62 / 100
    assert gpt4["figures"]["overall"] == 52.35 / 100
    assert (mine["kind"], mine["run"], mine["samples"]) == ("run", "mine", 5 * len(TASKS))
    assert mine["figures"]["overall"] == pytest.approx(0.45)
    assert (some["rank"], some["tasks"]) == (None, {"1-2": 0.61234})
    assert found["floor"]["data"] == "sample"
    assert [row["rank"] for row in document["rows"]][:1] == [1]
    top = hengfa("results", "lawbench", "--published", "--json", "--top", "2", cwd=place)
    assert len(json.loads(top.stdout)["rows"]) == 2


def test_the_other_setting_has_its_own_table(place: Path) -> None:
    done = hengfa("results", "lawbench", "--shots", "1", "--published", cwd=place)
    assert "one_shot" in done.stdout
    assert "tables 28-31" in done.stdout
    assert "deepseek" not in done.stdout


def test_without_runs_it_says_what_to_do(tmp_path: Path) -> None:
    done = hengfa("results", "lawbench", cwd=tmp_path)
    assert done.returncode == 0
    assert "no run of lawbench" in done.stdout
    assert "--published" in done.stdout
    document = json.loads(hengfa("results", "lawbench", "--json", cwd=tmp_path).stdout)
    assert document["rows"] == []


def test_a_run_that_is_not_scored_by_these_rules_is_named(place: Path) -> None:
    done = hengfa("results", "lawbench", "--rules", "corrected", cwd=place)
    assert done.returncode == 0
    assert "hengfa score lawbench runs/mine --rules corrected" in done.stderr


def test_a_model_cannot_steer_the_terminal(hostile: Path) -> None:
    done = hengfa("results", "lawbench", "--published", cwd=hostile, COLUMNS="120")
    assert done.returncode == 0
    assert not {"\x1b", "\u202e", "\t"} & set(done.stdout)
    assert "evil�[31m�[bold red] name 模型 :smile:" in done.stdout
    assert "x�[2J" in done.stdout
    document = json.loads(hengfa("results", "lawbench", "--json", cwd=hostile).stdout)
    assert document["rows"][0]["model"].startswith("evil\x1b[31m")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["lawbunch"], "there is no suite 'lawbunch'; there is: lawbench"),
        (["lawbench", "--task", "9-9"], "no task '9-9'; there is: 1-1, 1-2"),
        (["lawbench", "--task", " , "], "--task"),
        (["lawbench", "--published", "--rules", "corrected"], "official rules only"),
        (["lawbench", "--rules", "both"], "--rules"),
        (["lawbench", "--top", "0"], "--top"),
        (["--published"], "need a SUITE"),
        (["--shots", "0"], "need a SUITE"),
        (["--rules", "official", "--json"], "need a SUITE"),
    ],
)
def test_a_wrong_call_says_what_there_is(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = hengfa("results", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_suite_runs_are_listed_as_before(place: Path) -> None:
    done = hengfa("results", cwd=place)
    assert "lawbench-zero_shot-floor-sample" in done.stdout
    listed = json.loads(hengfa("results", "--json", cwd=place).stdout)
    assert {one["run"] for one in listed} >= {"mine", "some"}
