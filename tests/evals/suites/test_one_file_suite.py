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

Call = Callable[..., subprocess.CompletedProcess[str]]
HENGFA = Path(sys.executable).with_name("hengfa")


@pytest.fixture(params=["file", "package"])
def call(request: pytest.FixtureRequest, tmp_path: Path) -> Call:
    """Call a command that knows the suite, by `HENGFA_SUITES` as worker processes do, or by the
    entry point of an installed package."""
    environment = {**os.environ, "HENGFA_HOME": str(tmp_path / "home"), "COLUMNS": "120"}
    if request.param == "package":
        environment |= {"PYTHONPATH": str(package(tmp_path / "installed")), "HENGFA_SUITES": ""}

    def called(*command: object) -> subprocess.CompletedProcess[str]:
        words = [str(word) for word in command]
        if request.param == "file" and words[0] == str(HENGFA):
            words += ["--suite", str(ONE_FILE)]
        elif request.param == "file":
            environment["HENGFA_SUITES"] = str(ONE_FILE)
        return subprocess.run(
            words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240,
            check=False,
        )  # fmt: skip

    return called


def package(site: Path) -> Path:
    """What `pip install` of a package with this one file leaves."""
    info = site / "moon_court-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "moon_court.py").write_text(ONE_FILE.read_text("utf-8"), "utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: moon-court\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[hengfa.evals.suites]\nmooncourt = moon_court:SUITE\n")
    return site


def done(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_data_eval_score_compare_report(call: Call, tmp_path: Path) -> None:
    assert "mooncourt: installed" in done(call(HENGFA, "data", "add", "mooncourt", MOON))
    assert "mooncourt" in done(call(HENGFA, "data", "list"))
    for model in ("floor", "ceiling"):
        done(call(HENGFA, "eval", "mooncourt", "--model", model, "--rules", "both"))
    told = json.loads(done(call(HENGFA, "results", "mooncourt", "--json")))
    assert "mooncourt-zero-shot-ceiling" in json.dumps(told)
    predictions = tmp_path / "predictions" / "某模型" / "1-1.jsonl"
    predictions.parent.mkdir(parents=True)
    rows = [json.loads(line) for line in (MOON / "1_1.jsonl").read_text("utf-8").splitlines()]
    saved = [{"query": row["question"], "output": f"Answer: {row['answer']}"} for row in rows]
    predictions.write_text("\n".join(map(json.dumps, saved)), "utf-8")
    scores = json.loads(
        done(
            call(
                HENGFA, "score", "mooncourt/1-1", "predictions", "--rules", "both", "--json",
                "--out", "runs", "--jobs", "2",
            )
        )
    )  # fmt: skip
    official, corrected = (run["tasks"]["1-1"]["score"] for run in scores["runs"])
    assert official < corrected == 1.0  # "Answer" names A
    one, other = "mooncourt-zero-shot-某模型", "mooncourt-zero-shot-floor"
    assert "1-1" in done(call(HENGFA, "compare", one, other))
    done(call(HENGFA, "report", "runs", "-o", "site"))
    assert (tmp_path / "site" / "index.html").is_file()


@pytest.mark.optional("inspect_ai")
def test_inspect_is_offered_it_too(call: Call, tmp_path: Path) -> None:
    listed = (
        "from hengfa.evals.bridge.inspect_tasks import TASKS; task = TASKS['mooncourt'](data='"
        f"{MOON}'); print(len(task.dataset), task.dataset[0].id)"
    )
    assert done(call(sys.executable, "-c", listed)) == "10 mooncourt/1-1/zero-shot/0\n"


def test_a_new_suite_passes_its_test_and_runs(tmp_path: Path) -> None:
    def run(*command: object) -> str:
        result = subprocess.run(
            [str(word) for word in command], cwd=tmp_path, capture_output=True, text=True,
            timeout=240, check=False,
        )  # fmt: skip
        return done(result)

    run(HENGFA, "suite", "new", "my-bench")
    assert "5 passed" in run(sys.executable, "-m", "pytest", "-q", "test_my_bench.py")
    run(HENGFA, "suite", "check", "my_bench.py", "--data", "my_bench-data")
    words = ("--suite", "my_bench.py", "--data", "my_bench-data", "--model", "ceiling", "--json")
    told = json.loads(run(HENGFA, "eval", "my-bench", *words))
    assert told["runs"][0]["figures"]["overall"] == pytest.approx(1.0)


def test_it_is_short() -> None:
    assert len(ONE_FILE.read_text("utf-8").splitlines()) <= 120
