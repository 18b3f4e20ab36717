"""Runs of a model in this process: killed and continued, chosen by likelihood, as a grader."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_cli import Done
from tests.cli.test_cli import hengfa as command
from tests.evals.engine.processes import environment
from tests.train.recipes.tiny_models import needs_torch, one_thread, write_tiny_model

from hengfa.evals.engine.journal import Entry, read_entries
from hengfa.evals.engine.messages import Status
from hengfa.evals.engine.tokens import estimate_text
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.plan import make_plan

__all__ = ["one_thread"]  # used by every test here
pytestmark = needs_torch


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"hf:{write_tiny_model(tmp_path_factory.mktemp('models') / 'tiny-law', context=4096)}"


def evaluate(folder: Path, *arguments: str) -> Done:
    words = ("eval", *arguments, "--data", "sample", "--json")
    return command(*words, cwd=folder)


def entries(runs: Path) -> list[Entry]:
    return [entry for journal in runs.glob("*/journal.jsonl") for entry in read_entries(journal)]


def test_killed_and_continued_it_says_the_same_and_nothing_twice(
    model: str, tmp_path: Path
) -> None:
    script = "import torch; torch.set_num_threads(1); from hengfa.cli.main import main; main()"
    words = ["eval", "lawbench/1-1,1-2,2-4,3-7", "--data", "sample", "--model", model]
    words += ["--max-new-tokens", "24", "--accept-truncated"]
    kept: list[Entry] = []
    for least in (1, 8):
        process = subprocess.Popen(
            [sys.executable, "-c", script, *words, "--lanes", "2", "--runs", str(tmp_path / "a")],
            env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while process.poll() is None and len(entries(tmp_path / "a")) < least:
            time.sleep(0.005)
        process.kill()
        assert process.wait() == -signal.SIGKILL
        now = entries(tmp_path / "a")
        assert now[: len(kept)] == kept
        kept = now
    for runs in ("a", "b"):
        assert command(*words, "--runs", runs, cwd=tmp_path).returncode == 0
    whole = entries(tmp_path / "a")
    assert whole[: len(kept)] == kept
    assert len({entry.key for entry in whole}) == len(whole) > len(kept) >= 8
    texts = {entry.key: entry.response.text for entry in whole}
    assert texts == {entry.key: entry.response.text for entry in entries(tmp_path / "b")}


def test_letters_by_likelihood_are_another_run_and_the_rest_is_written(
    model: str, tmp_path: Path
) -> None:
    target = ("lawbench/1-2,2-8,2-4", "--model", model, "--max-new-tokens", "4")
    done = evaluate(tmp_path, *target, "--choice", "loglikelihood")
    assert done.returncode == 0, done.stderr
    assert "--choice loglikelihood: 2-4 have no letters" in done.stderr
    (run,) = (tmp_path / "runs").iterdir()
    manifest = json.loads((run / "run.json").read_text("utf-8"))
    assert manifest["model"].startswith("hf:tiny-law#")
    assert manifest["address"] == ""
    assert manifest["options"]["choice"] == "loglikelihood"
    for entry in entries(tmp_path / "runs"):
        if "/2-4/" in entry.key:
            assert entry.response.usage is not None
            assert not entry.options.candidates
        else:
            assert entry.response.status is Status.ANSWERED
            assert entry.response.text in entry.options.candidates
    (scored,) = json.loads(done.stdout)["runs"]
    assert scored["tasks"]["1-2"]["answers"] == {"extracted": scored["tasks"]["1-2"]["n"]}
    again = evaluate(tmp_path, *target)
    assert again.returncode == 1
    assert "is another run than this command asks for" in again.stderr
    dry = evaluate(tmp_path, *target, "--choice", "loglikelihood", "--dry-run")
    assert json.loads(dry.stdout)["requests"] == [0, 0]


def test_a_dry_run_knows_that_what_is_chosen_is_short(model: str, tmp_path: Path) -> None:
    def dry(target: str) -> dict[str, Any]:
        choice = ("--choice", "loglikelihood", "--max-new-tokens", "1000", "--dry-run")
        document: dict[str, Any] = json.loads(
            evaluate(tmp_path, target, "--model", model, *choice).stdout
        )
        return document

    letters = dry("lawbench/1-2")
    number, each = letters["samples"]["1-2"], estimate_text("[正确答案]A<eoa>")
    assert letters["output_tokens"] == [number * each.low, number * each.high]
    (assumed,) = letters["assumed"]
    assert "chosen" in assumed
    both = dry("lawbench/1-2,2-4")
    assert both["output_tokens"][1] == number * each.high + both["samples"]["2-4"] * 1000
    assert len(both["assumed"]) == 2


def test_every_candidate_is_read_as_its_letter() -> None:
    plan = make_plan("lawbench/1-2,2-8,3-6", data="sample")
    for asked in plan.questions:
        assert asked.task.choices is not None
        candidates = asked.task.choices(asked.samples[0])
        for rules in Rules:
            read = [asked.task.rule_set(rules).read(candidate).value for candidate in candidates]
            assert read == list("ABCDE"[: len(candidates)])


def test_who_cannot_choose_and_what_has_no_letters_is_refused(model: str, tmp_path: Path) -> None:
    choice = ("--choice", "loglikelihood")
    floor = evaluate(tmp_path, "lawbench/1-2", "--model", "floor", *choice)
    assert (floor.returncode, "only a model in this process can" in floor.stderr) == (2, True)
    texts = evaluate(tmp_path, "lawbench/1-1", "--model", model, *choice)
    assert (texts.returncode, "has letters" in texts.stderr) == (2, True)
    nothing = evaluate(tmp_path, "lawbench/1-2", "--model", "hf:nothing-here")
    assert (nothing.returncode, "models are not downloaded" in nothing.stderr) == (2, True)
    assert not (tmp_path / "runs").exists()


def test_it_grades_under_the_name_of_its_folder(model: str, tmp_path: Path) -> None:
    rubric = "sections:\n  - title: 结论\n    items:\n      - {text: 退还押金, points: 5}\n"
    (tmp_path / "rubric.yaml").write_text(rubric, "utf-8")
    line = {"id": 1, "response": "茶馆应当退还押金。"}
    (tmp_path / "answers.jsonl").write_text(json.dumps(line), "utf-8")
    done = command(
        "grade", "run", "answers.jsonl", "--rubric", "rubric.yaml", "--json", "--grader", model,
        "--grader-max-new-tokens", "8", "--grader-device", "cpu", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr  # it is no grader: nothing it says is a verdict
    ((name, figures),) = json.loads(done.stdout)["figures"].items()
    assert name.startswith("hf:tiny-law#")
    assert figures["ungraded_rate"] == 1
    (grader,) = tmp_path.glob("runs/*/grades/*/grader.json")
    assert json.loads(grader.read_text("utf-8"))["grader"] == name
