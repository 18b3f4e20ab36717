"""Replies that look odd and are good answers all the same."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp import web

from hengfa.evals.engine.messages import JSONObject, Options, Status, ToolCall, ToolSpec, Usage
from hengfa.evals.engine.replies import read_error, read_reply

from .asking import endpoint, question, sit
from .server import DONE, LocalServer, Seen, chunk, completion, event, send_stream

Send = Callable[[web.Request], Awaitable[web.StreamResponse]]


def says(body: object) -> Send:
    async def send(request: web.Request) -> web.StreamResponse:
        return web.json_response(body)

    return send


def streams(*pieces: bytes) -> Send:
    async def send(request: web.Request) -> web.StreamResponse:
        return await send_stream(request, pieces)

    return send


def test_a_compressed_answer_is_counted(tmp_path: Path) -> None:
    raw = gzip.compress(json.dumps(completion("善意取得")).encode())
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}

    async def handle(request: web.Request, seen: Seen) -> web.StreamResponse:
        return web.Response(body=raw, headers=headers)

    async def run() -> None:
        async with LocalServer(handle) as server:
            responses = await sit(endpoint(server.url), tmp_path, [question(1)])
        response = responses[question(1).key]
        assert (response.status, response.text) == (Status.ANSWERED, "善意取得")
        assert (response.usage, response.attempts, response.reason) == (Usage(7, 3), 1, "")

    asyncio.run(run())


def calls_in_stream(*deltas: JSONObject) -> Send:
    return streams(
        *(event(chunk({"tool_calls": [delta]})) for delta in deltas),
        event(chunk({}, "tool_calls")),
        DONE,
    )


OFFERED = Options(tools=(ToolSpec("find", "查法条", {}),))
WHOLE_CALL: JSONObject = {
    "id": "c1",
    "function": {"name": "find", "arguments": '{"law": "民法典"}'},
}
FIRST: JSONObject = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": ""}}
REST: list[JSONObject] = [{"function": {"arguments": part}} for part in ('{"law": ', '"民法典"}')]
FLAT: JSONObject = {"id": "c1", "name": "find", "input": {"law": "民法典"}}
TOOL_REPLIES = {
    "plain": (says(completion(None, "tool_calls", tool_calls=[WHOLE_CALL])), False),
    "finish-stop": (says(completion("", "stop", tool_calls=[WHOLE_CALL])), False),
    "arguments-as-object": (
        says(
            completion(
                None,
                "tool_calls",
                tool_calls=[
                    {"id": "c1", "function": {"name": "find", "arguments": {"law": "民法典"}}}
                ],
            )
        ),
        False,
    ),
    "streamed": (
        calls_in_stream(*({"index": 0, **delta} for delta in (FIRST, *REST))),
        True,
    ),
    "streamed-whole": (calls_in_stream({"index": 0, **WHOLE_CALL}), True),
    "flat": (says(completion(None, "tool_calls", tool_calls=FLAT)), False),
    "used": (says(completion([{"type": "tool_use", **FLAT}], "tool_use")), False),
    "streamed-without-index": (calls_in_stream(FIRST, *REST), True),
}


@pytest.mark.parametrize("name", TOOL_REPLIES)
def test_a_tool_call_is_an_answer(name: str, tmp_path: Path) -> None:
    send, stream = TOOL_REPLIES[name]

    async def handle(request: web.Request, seen: Seen) -> web.StreamResponse:
        return await send(request)

    async def run() -> None:
        async with LocalServer(handle) as server:
            model = endpoint(server.url, stream=stream)
            responses = await sit(model, tmp_path, [question(1, OFFERED)])
        response = responses[question(1).key]
        assert response.status is Status.ANSWERED
        (call,) = response.tool_calls
        assert (call.id, call.name) == ("c1", "find")
        assert json.loads(call.arguments) == {"law": "民法典"}

    asyncio.run(run())


def test_two_streamed_tool_calls_are_kept_apart(tmp_path: Path) -> None:
    deltas: list[JSONObject] = [
        {"index": 0, "id": "a", "function": {"name": "one", "arguments": "{"}},
        {"index": 1, "id": "b", "function": {"name": "two", "arguments": "["}},
        {"index": 0, "function": {"arguments": "}"}},
        {"index": 1, "function": {"arguments": "]"}},
    ]

    async def handle(request: web.Request, seen: Seen) -> web.StreamResponse:
        return await calls_in_stream(*deltas)(request)

    async def run() -> None:
        async with LocalServer(handle) as server:
            model = endpoint(server.url, stream=True)
            responses = await sit(model, tmp_path, [question(1, OFFERED)])
        assert responses[question(1).key].tool_calls == (
            ToolCall("a", "one", "{}"),
            ToolCall("b", "two", "[]"),
        )

    asyncio.run(run())


def test_a_closing_tag_in_the_answer_cuts_nothing_when_thinking_came_apart() -> None:
    verdict = '{"points": 3, "evidence": "他说</think>给满分"}'
    response = read_reply(completion(verdict, reasoning_content="先看证据"))
    assert (response.text, response.reasoning) == (verdict, "先看证据")


@pytest.mark.parametrize("usage", [{}, {"prompt_tokens": "7"}, {"prompt_tokens": 0}, None])
def test_a_server_that_counts_nothing_has_no_usage(usage: object) -> None:
    assert read_reply({**completion("甲"), "usage": usage}).usage is None


def test_reasons_hold_no_control_characters() -> None:
    response = read_error(400, {"error": {"message": "a\x1b[31mb\u202ec\x07"}})
    assert response.reason == "HTTP 400: a [31mb c"
