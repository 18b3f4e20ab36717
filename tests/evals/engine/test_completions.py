"""Base models: a prompt is one text to go on with, at /completions, and read by the same rules."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import hengfa
from hengfa.base.errors import JournalError, UsageError
from hengfa.cli.main import cli
from hengfa.evals.engine import batches
from hengfa.evals.engine.messages import (
    Message,
    Options,
    Request,
    Response,
    Status,
    ToolSpec,
    Unavailable,
)
from hengfa.evals.engine.replies import as_chat, read_reply
from hengfa.evals.engine.vendors import BATCHES, BatchForm
from hengfa.evals.runs.folder import read_manifest
from hengfa.evals.suites.plan import make_plan

from .asking import endpoint, sit
from .batch_server import BatchServer
from .server import DONE, LocalServer, Seen, completion, event, in_thread, send_stream
from .test_batches import QUICK

OPTIONS = Options(temperature=0.0, max_new_tokens=64, stop=("\n\n", "题目"), completions=True)
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


def goes_on(text: object, finish: str | None = "stop") -> dict[str, Any]:
    """The body of a reply; vLLM's has these fields."""
    choice = {"index": 0, "text": text, "logprobs": None, "finish_reason": finish}
    return {
        "object": "text_completion",
        "model": "base-0101",
        "choices": [{**choice, "stop_reason": None, "prompt_logprobs": None}],
        "usage": USAGE,
    }


def asked(server: LocalServer, folder: Path, *requests: Request, stream: bool = False) -> list[Any]:
    async def run() -> list[Response]:
        responses = await sit(endpoint(server.url, stream=stream), folder, requests)
        return [responses[request.key] for request in requests]

    return asyncio.run(run())


def serving(reply: Any) -> LocalServer:
    async def handler(request: web.Request, _seen: Seen) -> web.StreamResponse:
        if isinstance(reply, list):
            return await send_stream(request, reply)
        return web.json_response(reply)

    return LocalServer(handler)


def test_messages_are_one_text_and_nothing_is_added(tmp_path: Path) -> None:
    alone = Request("a", (Message("user", "请背诵第一条。\n"),), OPTIONS)
    several = Request("b", (Message("system", "你是法官。"), Message("user", "问")), OPTIONS)
    with in_thread(serving(goes_on("第一条"))) as server:
        asked(server, tmp_path, alone, several)
    assert {seen.path for seen in server.seen} == {"/v1/completions"}
    bodies = {seen.body.pop("prompt"): seen.body for seen in server.seen}
    assert set(bodies) == {"请背诵第一条。\n", "你是法官。\n\n问"}
    for body in bodies.values():
        assert body == {
            "model": "test-model",
            "temperature": 0.0,
            "max_tokens": 64,  # also at OpenAI, whose chats have another name for it
            "stop": ["\n\n", "题目"],
        }


@pytest.mark.parametrize(
    ("reply", "status", "text"),
    [
        (goes_on(" 第一条"), Status.ANSWERED, " 第一条"),
        (goes_on("第一条", "length"), Status.TRUNCATED, "第一条"),
        (goes_on("", "stop"), Status.EMPTY, ""),
        (goes_on("", "content_filter"), Status.FILTERED, ""),
        (goes_on(None), Status.FAILED, ""),
        ({"error": {"message": "no such model", "code": "invalid_api_key"}}, Status.FAILED, ""),
    ],
)
def test_statuses_are_those_of_chats(
    reply: dict[str, Any], status: Status, text: str, tmp_path: Path
) -> None:
    with in_thread(serving(reply)) as server:
        (response,) = asked(server, tmp_path, Request("a", (Message("user", "问"),), OPTIONS))
    assert (response.status, response.text) == (status, text)
    if status is Status.ANSWERED:
        assert (response.usage.input, response.usage.output) == (7, 3)
        assert response.served_by == "base-0101"


def test_a_stream_is_put_together(tmp_path: Path) -> None:
    pieces = [goes_on("盗窃", None), goes_on("罪", None), goes_on("", "stop")]
    stream = [*map(event, pieces), DONE]
    request = Request("a", (Message("user", "问"),), OPTIONS)
    with in_thread(serving(stream)) as server:
        (response,) = asked(server, tmp_path, request, stream=True)
    assert (response.status, response.text) == (Status.ANSWERED, "盗窃罪")
    assert server.seen[0].body["stream"] is True
    with in_thread(serving(stream[:2])) as server:
        (cut,) = asked(server, tmp_path / "cut", request, stream=True)
    assert (cut.status, cut.text) == (Status.FAILED, "")


def test_what_a_chat_answered_is_never_taken_for_it(tmp_path: Path) -> None:
    options = msgspec.structs.replace(OPTIONS, completions=False)
    chat = Request("a", (Message("user", "问"),), options)
    with in_thread(serving(completion("答"))) as server:
        asked(server, tmp_path, chat)
        with pytest.raises(JournalError, match="put differently"):
            asked(server, tmp_path, Request("a", chat.messages, OPTIONS))
    assert [seen.path for seen in server.seen] == ["/v1/chat/completions"]


def test_a_base_model_takes_no_tools() -> None:
    tools = (ToolSpec("find", "查找", {"type": "object"}),)
    request = Request("a", (Message("user", "问"),), msgspec.structs.replace(OPTIONS, tools=tools))
    with pytest.raises(UsageError, match="no tools"):
        endpoint("http://127.0.0.1:9").body(request)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["text", "x", "message"]), inner)
    ),
)
BODIES = VALUES | st.builds(
    lambda choices, more: {**more, "choices": choices},
    st.lists(VALUES) | VALUES,
    st.dictionaries(st.sampled_from(["object", "usage", "error"]), VALUES),
)


@given(BODIES)
def test_whatever_comes_is_read_or_asked_again(body: object) -> None:
    try:
        response = read_reply(as_chat(body))
    except Unavailable:
        return
    if response.status is Status.ANSWERED:
        assert response.text.strip() or response.tool_calls


# --- whole runs ---


@pytest.fixture
def base() -> Iterator[LocalServer]:
    with in_thread(serving(goes_on("[正确答案]B<eoa>"))) as running:
        yield running


def run(server: LocalServer, runs: Path, *more: str) -> Any:
    words = ["eval", "lawbench/1-2", "--data", "sample", "--runs", str(runs), "--limit", "2"]
    address = ["--model", "vllm:base", "--base-url", f"{server.url}/v1"]
    return CliRunner().invoke(cli, [*words, *address, *more])


def test_a_run_of_a_base_model_sends_the_prompt_as_it_is(base: LocalServer, tmp_path: Path) -> None:
    done = run(base, tmp_path, "--completions", "--max-new-tokens", "32", "--stop", r"\n\n")
    assert done.exit_code == 0, done.output
    plan = make_plan("lawbench/1-2", data="sample", limit=2)
    prompts = {request.messages[0].content for request in plan.requests(Options())}
    assert {seen.body["prompt"] for seen in base.seen} == prompts
    assert base.seen[0].body["stop"] == ["\n\n"]
    (folder,) = tmp_path.iterdir()
    assert read_manifest(folder).options.completions
    again = run(base, tmp_path, "--completions", "--max-new-tokens", "32", "--stop", r"\n\n")
    assert (again.exit_code, len(base.seen)) == (0, 2)
    chat = run(base, tmp_path, "--max-new-tokens", "32", "--stop", r"\n\n")
    assert "is another run than this command asks for" in str(chat.exception)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--completions",), "give --max-new-tokens"),
        (("--completions", "--max-new-tokens", "9", "--model", "floor"), "only a server"),
        (("--completions", "--max-new-tokens", "9", "--batch", "--model", "qwen:m"), "no texts by"),
        (("--extra", '{"prompt": "x"}'), "--extra must not set prompt"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_sent(
    base: LocalServer, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    for dry in ((), ("--dry-run",)):
        done = run(base, tmp_path, *more, *dry)
        assert said in str(done.exception), done.output
    assert not base.seen


def test_a_dry_run_counts_and_sends_nothing(base: LocalServer, tmp_path: Path) -> None:
    done = run(base, tmp_path, "--completions", "--max-new-tokens", "32", "--dry-run")
    assert done.exit_code == 0, done.output
    assert "model vllm:base  2" in done.output
    assert not base.seen


class TextBatches(BatchServer):
    """A vendor whose batches go on with texts."""

    @property
    def form(self) -> BatchForm:
        return msgspec.structs.replace(BATCHES["openai"], url="/v1/completions")


def test_texts_go_by_batch_where_a_service_takes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "Pauses", lambda: QUICK)
    answer = 200, goes_on("[正确答案]B<eoa>")
    with in_thread(TextBatches("openai", answer=lambda _body: answer)) as server:
        done = hengfa.evaluate(
            "lawbench/1-2", "endpoint:m", data="sample", base_url=f"{server.url}/v1", runs=tmp_path,
            max_new_tokens=32, completions=True, batch=True,
        )  # fmt: skip
    assert not server.problems
    assert done.scores.outcomes[0].tasks["1-2"].score == 4 / 12
