"""`hengfa parts write` and `read`: the same lines for `vllm run-batch`, the same scores as live."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.evals.engine.batch_server import BatchServer, result
from tests.evals.engine.server import completion, in_thread
from tests.evals.runs.test_batch_runs import figures_in, said

import hengfa
from hengfa.base.errors import UsageError
from hengfa.cli.main import cli
from hengfa.evals.engine.journal import SentMessages, newest_entries
from hengfa.evals.engine.messages import Status


def call(words: str, cwd: Path) -> Result:
    return CliRunner().invoke(cli, [*words.split(), "--runs", str(cwd / "runs")])


def write(cwd: Path, more: str = "") -> list[dict[str, Any]]:
    words = "batch write lawbench/1-2,3-6 --data sample --model vllm:m --run r --force"
    done = call(f"{words} -o {cwd / 'in.jsonl'} {more}", cwd)
    assert done.exit_code == 0, done.exception
    return [json.loads(line) for line in (cwd / "in.jsonl").read_text("utf-8").splitlines()]


def answered(lines: list[dict[str, Any]], file: Path) -> None:
    """What `vllm run-batch` makes of them."""
    file.write_bytes(b"".join(result(line, *said(line["body"])) + b"\n" for line in lines))


def test_a_run_on_a_machine_without_network_scores_as_a_live_one(tmp_path: Path) -> None:
    lines = write(tmp_path, "--repeats 2 --max-new-tokens 64")
    assert {line["url"] for line in lines} == {"/v1/chat/completions"}
    assert {line["body"]["model"] for line in lines} == {"m"}
    assert len({line["custom_id"] for line in lines}) == len(lines)
    answered(lines[::-1], tmp_path / "out.jsonl")
    for _ in range(2):
        done = call(f"batch read r {tmp_path / 'out.jsonl'} --json", tmp_path)
        assert done.exit_code == 0, done.exception
    assert json.loads(done.stdout)["suite"] == "lawbench"
    assert len(list(newest_entries(tmp_path / "runs/r/journal.jsonl"))) == len(lines)
    messages = SentMessages(tmp_path / "runs/r/journal.jsonl")
    for entry in newest_entries(tmp_path / "runs/r/journal.jsonl"):
        request = messages.request(entry.key, entry.prompt_hash, entry.options)
        assert request is not None
        assert [{"role": one.role, "content": one.content} for one in request.messages] in [
            line["body"]["messages"] for line in lines
        ]
    with in_thread(BatchServer(answer=said)) as server:
        live = hengfa.evaluate(
            "lawbench/1-2,3-6", "vllm:m", data="sample", base_url=f"{server.url}/v1", repeats=2,
            max_new_tokens=64, runs=tmp_path / "live",
        )  # fmt: skip
        assert figures_in(Path(live.folder)) == figures_in(tmp_path / "runs/r")
        hengfa.evaluate(
            "lawbench/1-2,3-6", "vllm:m", data="sample", base_url=f"{server.url}/v1", repeats=2,
            max_new_tokens=64, runs=tmp_path / "runs", name="r",
        )  # fmt: skip
        assert server.calls["live"] == len(lines), "the run is whole: nothing is asked again"


def test_what_is_missing_or_failed_is_written_again(tmp_path: Path) -> None:
    lines = write(tmp_path)
    failing = result(lines[1], 500, {"error": {"message": "out of memory"}})
    answered(lines[2:], tmp_path / "out.jsonl")
    with (tmp_path / "out.jsonl").open("ab") as file:
        file.write(failing + b"\n{torn")
    done = call(f"batch read r {tmp_path / 'out.jsonl'}", tmp_path)
    assert done.exit_code == 0
    assert "without an answer in these files: 1 question" in done.output
    assert "no output of a batch: 1 line\n" in done.output
    entries = {
        entry.key: entry.response for entry in newest_entries(tmp_path / "runs/r/journal.jsonl")
    }
    failed = [response for response in entries.values() if response.status is Status.FAILED]
    assert [response.reason for response in failed] == ["HTTP 500: out of memory"]
    assert [line["custom_id"] for line in write(tmp_path)] == [
        line["custom_id"] for line in lines[:2]
    ]
    answered(lines[:2], tmp_path / "more.jsonl")
    assert call(f"batch read r {tmp_path / 'more.jsonl'}", tmp_path).exit_code == 0
    assert write(tmp_path) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("lawbench --model floor", "lines are for a server"),
        ("legalagentbench --model vllm:m", "an agent needs answers"),
        ('lawbench --model vllm:m --extra {"api_key":"sk-local-1"}', "not written into files"),
    ],
)
def test_what_cannot_be_written_says_so(words: str, said: str, tmp_path: Path) -> None:
    refused = call(f"batch write {words} --data sample -o {tmp_path / 'in.jsonl'}", tmp_path)
    assert isinstance(refused.exception, UsageError)
    assert said in str(refused.exception)
    assert not list(tmp_path.iterdir())


def test_files_of_another_run_are_refused(tmp_path: Path) -> None:
    write(tmp_path)
    stranger = result({"custom_id": "a" * 24}, 200, completion("乙"))
    (tmp_path / "out.jsonl").write_bytes(stranger)
    refused = call(f"batch read r {tmp_path / 'out.jsonl'}", tmp_path)
    assert isinstance(refused.exception, UsageError)
    assert "no line of these files" in str(refused.exception)
