"""Job files: the scripts are run as a cluster would run them, part by part, and merged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.evals.engine.processes import environment

from hengfa.base.errors import UsageError
from hengfa.cli.main import cli
from hengfa.evals.runs.evaluate import evaluate
from hengfa.evals.runs.look import load_run

EVAL = ("eval", "lawbench/1-2,3-1", "--model", "floor", "--data", "sample", "--runs", "out here")
SHARDS = 3


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with `hengfa` on the path."""
    tools = tmp_path / "bin"
    tools.mkdir()
    script = tools / "hengfa"
    script.write_text(
        f"#!/bin/sh\nexec {sys.executable} -c 'from hengfa.cli.main import main; main()' \"$@\"\n"
    )
    script.chmod(0o755)
    for name, value in environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def jobs(*words: str) -> None:
    cli.main(["parts", *words], standalone_mode=False)


def run_shell(command: list[str], **variables: str) -> None:
    done = subprocess.run(
        command, env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def same_as_whole(place: Path) -> None:
    whole = evaluate("lawbench/1-2,3-1", "floor", data="sample", runs=place / "whole")
    merged = load_run("j", runs=place / "out here")
    assert merged.tasks == whole.tasks


def test_a_slurm_array_runs_its_parts_and_the_merge(place: Path) -> None:
    jobs("slurm", "--run", "j", "--shards", str(SHARDS), "-o", "j.sbatch", "--time", "01:00:00",
         "--partition", "gpu", "--gpus", "1", "--", *EVAL)  # fmt: skip
    script = (place / "j.sbatch").read_text("utf-8")
    for line in ("--array=1-3", "--time=01:00:00", "--gres=gpu:1", "--partition=gpu", "--requeue"):
        assert f"#SBATCH {line}\n" in script
    for number in range(1, SHARDS + 1):
        run_shell(["bash", "j.sbatch"], SLURM_ARRAY_TASK_ID=str(number))
    run_shell(["bash", "j.merge.sbatch"])
    same_as_whole(place)


def test_a_kubernetes_job_runs_its_parts_and_the_merge(place: Path) -> None:
    jobs("k8s", "--run", "j", "--shards", str(SHARDS), "-o", "j.json", "--image", "lab/hengfa:1",
         "--claim", "work", "--secret", "keys", "--parallel", "2", "--", *EVAL)  # fmt: skip
    job, merge = (json.loads((place / name).read_text()) for name in ("j.json", "j.merge.json"))
    assert (job["spec"]["completions"], job["spec"]["parallelism"]) == (3, 2)
    for index in range(SHARDS):
        run_shell(command_of(job), JOB_COMPLETION_INDEX=str(index))
    run_shell(command_of(merge))
    same_as_whole(place)


def command_of(job: dict[str, Any]) -> list[str]:
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert container["envFrom"] == [{"secretRef": {"name": "keys"}}]
    command: list[str] = container["command"]
    return command


@pytest.mark.parametrize("gpus", ["0", "2"])
def test_a_kubernetes_job_is_valid(place: Path, gpus: str) -> None:
    validator = pytest.importorskip("kubernetes_validate")
    jobs("k8s", "--run", "j", "--shards", "3", "-o", "j.json", "--image", "lab/hengfa:1",
         "--claim", "work", "--memory", "512Mi", "--gpus", gpus, "--", *EVAL)  # fmt: skip
    for name in ("j.json", "j.merge.json"):
        document = json.loads((place / name).read_text("utf-8"))
        validator.validate(document, "1.29", strict=True)
    document["spec"]["template"]["spec"]["containers"][0]["comand"] = []
    with pytest.raises(validator.ValidationError):
        validator.validate(document, "1.29", strict=True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("score", "lawbench", "x"), "not 'score'"),
        ((*EVAL, "--shard", "1/2"), "leave out"),
        ((*EVAL, "--run", "x"), "leave out"),
        ((*EVAL, "--extra", '{"api_key": "sk-123456"}'), "key or password"),
        ((*EVAL, "--base-url", "http://me:secret@host/v1"), "key or password"),
    ],
)
def test_what_no_job_may_hold_is_refused(place: Path, words: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        jobs("slurm", "--run", "j", "--shards", "2", "-o", "j.sbatch", "--", *words)
    assert not (place / "j.sbatch").exists()


@pytest.mark.parametrize(
    "options",
    [
        ("--run", "Has Blanks"),
        ("--run", "j", "--memory", "4 G\n#SBATCH --uid=0"),
        ("--run", "j", "--time", "4h"),
        ("--run", "j", "--partition", "gpu\nrm -rf x"),
    ],
)
def test_what_a_scheduler_would_not_take_is_refused(place: Path, options: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="--"):
        jobs("slurm", *options, "--shards", "2", "-o", "j.sbatch", "--", *EVAL)
    assert not (place / "j.sbatch").exists()
