"""The example suite through every door: `--suite`, and as a package of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.evals.suites.test_kit import MOON, ONE_FILE

from hengfa.cli.main import cli

Call = Callable[..., str]
HENGFA = Path(sys.executable).with_name("hengfa")


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    """Call a command, in this process, that is told where the suite is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def called(*words: object) -> str:
        capsys.readouterr()
        cli.main([*map(str, words), "--suite", str(ONE_FILE)], standalone_mode=False)
        return capsys.readouterr().out

    return called


@pytest.fixture
def installed(tmp_path: Path) -> Callable[..., str]:
    """Call a program for which the suite is an installed package with an entry point."""
    site = str(package(tmp_path / "installed"))
    own = {"HENGFA_HOME": str(tmp_path / "home"), "PYTHONPATH": site, "HENGFA_SUITES": ""}

    def called(*command: object) -> str:
        return run(tmp_path, *command, **own)

    return called


def run(folder: Path, *command: object, **environment: str) -> str:
    done = subprocess.run(
        [*map(str, command)], cwd=folder, env={**os.environ, **environment}, capture_output=True,
        text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def package(site: Path) -> Path:
    """What `pip install` of a package with this one file leaves."""
    info = site / "moon_court-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "moon_court.py").write_text(ONE_FILE.read_text("utf-8"), "utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: moon-court\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[hengfa.evals.suites]\nmooncourt = moon_court:SUITE\n")
    return site


def test_data_eval_score_compare_report(call: Call, tmp_path: Path) -> None:
    assert "mooncourt: installed" in call("data", "add", "mooncourt", MOON)
    assert "mooncourt" in call("data", "status")
    for model in ("floor", "ceiling"):
        call("eval", "mooncourt", "--model", model, "--rules", "both")
    told = json.loads(call("results", "mooncourt", "--json"))
    assert "mooncourt-zero-shot-ceiling" in json.dumps(told)
    predictions = tmp_path / "predictions" / "某模型" / "1-1.jsonl"
    predictions.parent.mkdir(parents=True)
    rows = [json.loads(line) for line in (MOON / "1_1.jsonl").read_text("utf-8").splitlines()]
    saved = [{"query": row["question"], "output": f"Answer: {row['answer']}"} for row in rows]
    predictions.write_text("\n".join(map(json.dumps, saved)), "utf-8")
    words = ("--rules", "both", "--json", "--out", "runs", "--jobs", "2")
    scores = json.loads(call("score", "mooncourt/1-1", "predictions", *words))
    official, corrected = (run["tasks"]["1-1"]["score"] for run in scores["runs"])
    assert official < corrected == 1.0  # "Answer" names A
    one, other = "mooncourt-zero-shot-某模型", "mooncourt-zero-shot-floor"
    assert "1-1" in call("compare", one, other)
    call("report", "runs", "-o", "site")
    assert (tmp_path / "site" / "index.html").is_file()


def test_an_installed_package_brings_its_suite(installed: Call) -> None:
    words = ("eval", "mooncourt", "--data", MOON, "--model", "ceiling", "--json")
    told = json.loads(installed(HENGFA, *words))
    assert told["runs"][0]["tasks"]["1-1"]["score"] == 1.0


@pytest.mark.optional("inspect_ai")
def test_inspect_is_offered_it_too(installed: Call) -> None:
    listed = (
        "from hengfa.evals.bridge.inspect_tasks import TASKS; task = TASKS['mooncourt'](data='"
        f"{MOON}'); print(len(task.dataset), task.dataset[0].id)"
    )
    assert installed(sys.executable, "-c", listed) == "10 mooncourt/1-1/zero-shot/0\n"


def test_a_new_suite_passes_its_test_and_runs(tmp_path: Path) -> None:
    run(tmp_path, HENGFA, "suite", "new", "my-bench")
    assert "5 passed" in run(tmp_path, sys.executable, "-m", "pytest", "-q", "test_my_bench.py")
    run(tmp_path, HENGFA, "suite", "check", "my_bench.py", "--data", "my_bench-data")
    words = ("--suite", "my_bench.py", "--data", "my_bench-data", "--model", "ceiling", "--json")
    told = json.loads(run(tmp_path, HENGFA, "eval", "my-bench", *words))
    assert told["runs"][0]["figures"]["overall"] == pytest.approx(1.0)


def test_it_is_short() -> None:
    assert len(ONE_FILE.read_text("utf-8").splitlines()) <= 120
