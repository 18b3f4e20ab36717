"""Inspect AI: its providers as our models, our suites as its tasks, our runs as its logs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web

pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")

from tests.evals.engine.server import LocalServer, Seen, completion, in_thread

from hengfa.evals.bridge.inspect_model import from_output, to_config, to_inspect, to_output
from hengfa.evals.engine.messages import Message, Options, Response, Status, ToolCall, Usage
from hengfa.evals.suites.registry import OWN

pytestmark = [
    pytest.mark.optional("inspect_ai"),
    pytest.mark.filterwarnings("ignore"),  # Inspect's own dependencies warn
]
KEY, OTHER_KEY = "sk-inspect-0123456789", "second-9876543210-key"
INSPECT = Path(sys.executable).with_name("inspect")


async def choose_b(_request: web.Request, seen: Seen) -> web.StreamResponse:
    if "龙牌" in seen.prompt:
        return web.json_response(completion("[正确答案]B", "length"))
    return web.json_response(completion("[正确答案]B<eoa>"))


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    with in_thread(LocalServer(choose_b)) as running:
        yield running


def environment(server: LocalServer) -> dict[str, str]:
    return {
        **os.environ,
        "LOCAL_API_KEY": KEY,
        "LOCAL_BASE_URL": f"{server.url}/v1",
        "COLUMNS": "100",
    }


def call(*command: str | Path, server: LocalServer, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=environment(server),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_inspects_own_command_line_runs_our_suite(server: LocalServer, tmp_path: Path) -> None:
    done = call(
        INSPECT, "eval", "hengfa/lawbench", "--model", "openai-api/local/m", "-T", "data=sample",
        "-T", "tasks=1-1,1-2,2-2", "--display", "plain", "--log-format", "json",
        server=server, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (log_file,) = (tmp_path / "logs").glob("*.json")
    log = json.loads(log_file.read_text("utf-8"))
    metrics = log["results"]["scores"][0]["metrics"]
    assert metrics["1-2"]["value"] == pytest.approx(3 / 12)
    assert metrics["2-2"]["value"] == 0.0  # what the rule leaves out does not spoil the mean
    by_id = {sample["id"]: sample["scores"]["hengfa_score"] for sample in log["samples"]}
    cut = by_id["lawbench/1-2/zero_shot/4"]
    assert (cut["value"], cut["metadata"]["status"]) == (0.0, "truncated")


def test_every_suite_is_a_task_agents_and_graded_ones_too(
    server: LocalServer, tmp_path: Path
) -> None:
    named = [f"hengfa/{suite}" for suite in OWN]
    told = call(
        INSPECT, "eval", *named, "--model", "openai-api/local/m", "--limit", "2",
        "-T", "data=sample", "-T", "grader=keywords", "--display", "none",
        "--log-dir", "logs", "--log-format", "json", server=server, cwd=tmp_path,
    )  # fmt: skip
    assert told.returncode == 0, told.stdout + told.stderr
    logs = [json.loads(file.read_text("utf-8")) for file in (tmp_path / "logs").glob("*.json")]
    assert sorted(log["eval"]["task"] for log in logs) == sorted(named)
    assert {log["status"] for log in logs} == {"success"}
    graded = call(
        INSPECT, "eval", "hengfa/plawbench", "--model", "openai-api/local/m", "-T", "data=sample",
        server=server, cwd=tmp_path,
    )  # fmt: skip
    assert graded.returncode and "-T grader=" in graded.stdout + graded.stderr


def test_a_provider_that_repeats_the_key_does_not_get_it_into_the_run(tmp_path: Path) -> None:
    async def repeat(request: web.Request, seen: Seen) -> web.StreamResponse:
        said = f"{request.headers['Authorization'].upper()} {seen.body['api_key']}"
        return web.json_response(completion(f"[正确答案]B<eoa>{said}"))

    with in_thread(LocalServer(repeat)) as server:
        done = call(
            Path(sys.executable).with_name("hengfa"), "eval", "lawbench/1-2", "--data", "sample",
            "--model", "inspect:openai-api/local/m", "--extra", f'{{"api_key": "{OTHER_KEY}"}}',
            server=server, cwd=tmp_path,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    journal = next((tmp_path / "runs").glob("*/journal.jsonl")).read_text("utf-8")
    assert journal.count("BEARER *** ***") == 12
    for shown in (journal, journal.lower(), done.stdout, done.stderr):
        assert KEY not in shown and OTHER_KEY not in shown


def test_an_inspect_provider_is_a_model_and_its_run_exports_as_a_log(
    server: LocalServer, tmp_path: Path
) -> None:
    hengfa = Path(sys.executable).with_name("hengfa")
    done = call(
        hengfa, "eval", "lawbench/1-1,1-2", "--data", "sample", "--rules", "both", "--json",
        "--model", "inspect:openai-api/local/m", server=server, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    figure = json.loads(done.stdout)["runs"][0]["tasks"]["1-2"]
    assert figure["statuses"] == {"answered": 11, "truncated": 1}
    (run,) = (tmp_path / "runs").iterdir()
    assert KEY not in (run / "journal.jsonl").read_text("utf-8")

    exported = call(hengfa, "export", "eval", run.name, server=server, cwd=tmp_path)
    assert exported.returncode == 0, exported.stderr
    log_file = tmp_path / "logs" / f"{run.name}.eval"
    dumped = call(INSPECT, "log", "dump", log_file, server=server, cwd=tmp_path)
    log = json.loads(dumped.stdout)
    assert log["status"] == "success"
    assert log["eval"]["model"] == "inspect:openai-api/local/m"
    assert {score["name"] for score in log["results"]["scores"]} == {"official", "corrected"}
    sample = next(s for s in log["samples"] if s["id"] == "lawbench/1-2/zero_shot/0")
    assert sample["output"]["choices"][0]["message"]["content"] == "[正确答案]B<eoa>"
    assert sample["scores"]["official"]["value"] == 0.0


def test_an_unknown_provider_is_a_usage_error(server: LocalServer, tmp_path: Path) -> None:
    hengfa = Path(sys.executable).with_name("hengfa")
    arguments = ("eval", "lawbench", "--data", "sample", "--model", "inspect:nobody/m")
    done = call(hengfa, *arguments, server=server, cwd=tmp_path)
    assert done.returncode == 2
    assert "inspect:nobody/m" in done.stderr
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    "response",
    [
        Response(status=Status.ANSWERED, text="甲", usage=Usage(5, 3, 1, 2), seconds=0.5),
        Response(status=Status.ANSWERED, text="甲", reasoning="想一想"),
        Response(status=Status.TRUNCATED, text="甲"),
        Response(status=Status.FILTERED),
        Response(status=Status.EMPTY),
    ],
)
def test_a_response_survives_the_way_there_and_back(response: Response) -> None:
    back = from_output(to_output("m", response))
    assert (back.status, back.text, back.reasoning, back.usage) == (
        response.status,
        response.text,
        response.reasoning,
        response.usage,
    )


@pytest.mark.parametrize("status", [Status.FAILED, Status.REFUSED])
def test_what_is_no_answer_never_comes_back_as_one(status: Status) -> None:
    back = from_output(to_output("m", Response(status=status, text="[正确答案]B<eoa>")))
    assert back.status is Status.FAILED


def test_half_a_surrogate_pair_is_kept_where_it_can_be_seen() -> None:
    back = from_output(to_output("m", Response(status=Status.ANSWERED, text="甲\ud800乙")))
    assert back.text == "甲\\ud800乙"


def test_conversations_options_and_tool_calls_pass_through() -> None:
    call_ = ToolCall("c1", "look_up", '{"law": "月湖茶馆经营法"}')
    turns = [
        Message("system", "你是律师"),
        Message("user", "问"),
        Message("assistant", "", (call_,)),
        Message("tool", "第三条", tool_call_id="c1"),
    ]
    system, user, assistant, tool = map(to_inspect, turns)
    assert [m.role for m in (system, user, assistant, tool)] == [
        "system",
        "user",
        "assistant",
        "tool",
    ]
    assert assistant.tool_calls[0].arguments == {"law": "月湖茶馆经营法"}
    assert tool.tool_call_id == "c1"
    config = to_config(Options(temperature=0.2, max_new_tokens=9, stop=("。",)), 30)
    assert (config.temperature, config.max_tokens, config.stop_seqs) == (0.2, 9, ["。"])
    assert config.max_retries == 0
