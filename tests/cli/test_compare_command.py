"""`hengfa compare` as a person meets it: what it prints, at which width, its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_cli import hengfa

FLOOR, CEILING, RETRIEVAL = (
    f"lawbench-zero_shot-{model}-sample" for model in ("floor", "ceiling", "retrieval")
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three runs of the sample pack."""
    folder = tmp_path_factory.mktemp("compare")
    for model in ("floor", "ceiling", "retrieval"):
        done = hengfa("eval", "lawbench", "--model", model, "--data", "sample", cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def test_two_runs_stand_side_by_side_and_the_words_below(place: Path) -> None:
    done = hengfa("compare", CEILING, FLOOR, cwd=place, COLUMNS="140")
    assert (done.returncode, done.stderr) == (0, "")
    assert "LawBench, zero_shot, official rules" in done.stdout
    for word in ("ceiling", "floor", "difference", "more–same–less", "better", "1-1", "overall"):
        assert word in done.stdout
    assert "The data support that ceiling is better than floor overall by " in done.stdout
    assert "all alike" in done.stdout


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("names", [(CEILING, FLOOR), (CEILING, FLOOR, RETRIEVAL)])
def test_the_table_keeps_to_the_width_and_cuts_no_number(
    place: Path, columns: int, names: tuple[str, ...]
) -> None:
    done = hengfa("compare", *names, cwd=place, COLUMNS=str(columns))
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= columns
    assert "…" not in done.stdout
    assert "No difference of" in done.stdout


def test_more_runs_have_standings_and_a_column_for_each_pair(place: Path) -> None:
    done = hengfa("compare", FLOOR, CEILING, RETRIEVAL, "--all-pairs", cwd=place)
    assert done.returncode == 0
    standings = done.stdout.split("Differences", 1)[0].splitlines()
    order = [line.split()[1] for line in standings if line.strip()[:1] in ("1", "2", "3")]
    assert order == ["ceiling", "retrieval", "floor"]
    assert all(pair in done.stdout for pair in ("1–2", "1–3", "2–3"))
    assert "▲ the first is better" in done.stdout


def test_json_is_one_document_with_the_saved_scores(place: Path) -> None:
    done = hengfa("compare", CEILING, f"runs/{FLOOR}", "--json", "--seed", "7", cwd=place)
    document = json.loads(done.stdout)
    assert (document["suite"], document["rules"], document["seed"]) == ("lawbench", "official", 7)
    assert [one["label"] for one in document["runs"]] == ["ceiling", "floor"]
    for place_of, run in enumerate((CEILING, FLOOR)):
        saved = json.loads((place / "runs" / run / "figures.official.json").read_text())
        rows = document["rows"]
        for task, figure in saved["tasks"].items():
            assert rows[task]["scores"][place_of]["value"] == figure["score"]
        assert rows["overall"]["scores"][place_of]["value"] == saved["figures"]["overall"]
    overall = document["pairs"][0]["rows"]["overall"]
    assert overall["verdict"] == "better"
    assert overall["low"] <= overall["value"] <= overall["high"]
    assert {"p", "p_corrected", "wins", "ties", "losses", "smallest"} <= set(overall)
    assert document["conclusions"][0].startswith("The data support that ceiling")


def test_tasks_can_be_chosen(place: Path) -> None:
    done = hengfa("compare", FLOOR, RETRIEVAL, "--task", "1-2,3-1", "--json", cwd=place)
    assert list(json.loads(done.stdout)["rows"]) == ["1-2", "3-1"]


def test_a_model_cannot_steer_the_terminal(place: Path) -> None:
    folder = place / "runs" / "hostile"
    source = place / "runs" / FLOOR
    for file in source.rglob("*"):
        if file.is_file():
            target = folder / file.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    manifest = json.loads((folder / "run.json").read_text())
    manifest["model"] = "evil\x1b[31m\u202e[bold]\nname"
    (folder / "run.json").write_text(json.dumps(manifest))
    for names in ((CEILING, "hostile"), (CEILING, "hostile", FLOOR)):
        done = hengfa("compare", *names, "--task", "1-2", cwd=place, COLUMNS="120")
        assert done.returncode == 0
        assert not {"\x1b", "\u202e"} & set(done.stdout)
        assert "[bold]" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Missing argument"),
        ([FLOOR], "at least two runs"),
        ([FLOOR, FLOOR], "named twice"),
        ([FLOOR, "nowhere"], "there is no run 'nowhere'"),
        ([FLOOR, CEILING, "--task", "9-9"], "no task '9-9'"),
        ([FLOOR, CEILING, "--task", ","], "--task"),
        ([FLOOR, CEILING, "--rules", "corrected"], "not scored by the corrected rules"),
        ([FLOOR, CEILING, "--rules", "both"], "--rules"),
        ([FLOOR, CEILING, "--seed", "-1"], "--seed"),
    ],
)
def test_a_wrong_call_says_what_there_is(place: Path, arguments: list[str], said: str) -> None:
    done = hengfa("compare", *arguments, cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
