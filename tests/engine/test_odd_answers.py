"""Replies that look odd and are good answers all the same."""

from __future__ import annotations

import asyncio
import codecs
import gzip
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from aiohttp import web

from hengfa.engine.messages import JSONObject, Status, ToolCall, Usage
from hengfa.engine.replies import read_error, read_reply

from .asking import endpoint, question, sit
from .server import DONE, LocalServer, Seen, chunk, completion, event, send_stream
from .vendor_styles import STYLES

TEXT = "善意取得,是指……"
GOOD = completion(TEXT)
Send = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Odd:
    """A way to send an answer, and the thinking that comes with it."""

    name: str
    send: Send
    stream: bool = False
    reasoning: str = ""
    counted: bool = True


def says(body: object) -> Send:
    async def send(request: web.Request) -> web.StreamResponse:
        return web.json_response(body)

    return send


def sends(raw: bytes, kind: str, **headers: str) -> Send:
    async def send(request: web.Request) -> web.StreamResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(body=raw, content_type=kind, headers=named)

    return send


def streams(*pieces: bytes) -> Send:
    async def send(request: web.Request) -> web.StreamResponse:
        return await send_stream(request, pieces)

    return send


def without(body: JSONObject, field: str) -> JSONObject:
    return {name: value for name, value in body.items() if name != field}


RAW = json.dumps(GOOD).encode()
HEAD, TAIL = (
    event(chunk({"role": "assistant", "content": TEXT[:2]})),
    event(chunk({"content": TEXT[2:]})),
)
END = event(chunk({}, "stop"))
COUNT = event({"choices": [], "usage": GOOD["usage"]})
PARTS = [{"type": "text", "text": TEXT[:2]}, {"type": "text", "text": TEXT[2:]}]
FEW = {**GOOD, "usage": {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": None}}

ODDITIES = [
    Odd("think-tags", says(completion(f"<think>想\n</think>\n\n{TEXT}")), reasoning="想"),
    Odd("closing-tag-only", says(completion(f"想</think>{TEXT}")), reasoning="想"),
    Odd("empty-thinking", says(completion(f"<think>\n\n</think>\n\n{TEXT}"))),
    Odd(
        "thinks-twice",
        says(completion(f"<think>一</think><think>二</think>{TEXT}")),
        reasoning="一\n\n二",
    ),
    Odd("reasoning-content", says(completion(TEXT, reasoning_content="想")), reasoning="想"),
    Odd("reasoning", says(completion(TEXT, reasoning="想")), reasoning="想"),
    Odd("parts", says(completion(PARTS))),
    Odd("parts-without-type", says(completion([{"text": TEXT}]))),
    Odd(
        "parts-with-thinking",
        says(completion([{"type": "thinking", "thinking": "想", "text": "想"}, *PARTS])),
    ),
    Odd("finish-in-capitals", says(completion(TEXT, "STOP"))),
    Odd("finish-missing", says(completion(TEXT, None))),
    Odd("refusal-null", says(completion(TEXT, refusal=None))),
    Odd("error-null", says({**GOOD, "error": None})),
    Odd("usage-missing", says(without(GOOD, "usage")), counted=False),
    Odd("usage-details-null", says(FEW)),
    Odd("said-to-be-text", sends(RAW, "text/plain")),
    Odd("said-to-be-html", sends(RAW, "text/html")),
    Odd("compressed", sends(gzip.compress(RAW), "application/json", Content_Encoding="gzip")),
    Odd("blank-lines-before", sends(b"\n\n\n  " + RAW, "application/json")),
    Odd("stream-plain", streams(HEAD, TAIL, END, COUNT, DONE), stream=True),
    Odd("stream-without-done", streams(HEAD, TAIL, END, COUNT), stream=True),
    Odd("byte-order-mark", sends(codecs.BOM_UTF8 + RAW, "application/json")),
    Odd(
        "stream-with-byte-order-mark",
        streams(codecs.BOM_UTF8 + HEAD, TAIL, END, COUNT, DONE),
        stream=True,
    ),
    Odd(
        "stream-with-names-and-statuses",
        streams(b"id:1\nevent:result\n:HTTP_STATUS/200\n" + HEAD, TAIL, END, COUNT, DONE),
        stream=True,
    ),
    Odd(
        "stream-says-null-until-the-end",
        streams(*(event(chunk({"content": part}, "null")) for part in TEXT), END, COUNT, DONE),
        stream=True,
    ),
    Odd(
        "stream-with-comments",
        streams(b": keep-alive\n\n", HEAD, b"data:\n\n", TAIL, END, COUNT, DONE),
        stream=True,
    ),
    Odd(
        "stream-with-windows-lines",
        streams(*(piece.replace(b"\n", b"\r\n") for piece in (HEAD, TAIL, END, COUNT, DONE))),
        stream=True,
    ),
    Odd(
        "stream-counts-without-choices",
        streams(HEAD, TAIL, END, event({"usage": GOOD["usage"]}), DONE),
        stream=True,
    ),
    Odd(
        "stream-counts-with-null-choices",
        streams(HEAD, TAIL, END, event({"choices": None, "usage": GOOD["usage"]}), DONE),
        stream=True,
    ),
    Odd("stream-with-ping", streams(HEAD, event({"type": "ping"}), TAIL, END, COUNT), stream=True),
    Odd(
        "stream-of-parts",
        streams(event(chunk({"content": PARTS})), END, COUNT, DONE),
        stream=True,
    ),
    Odd(
        "stream-thinks",
        streams(event(chunk({"reasoning_content": "想"})), HEAD, TAIL, END, COUNT, DONE),
        stream=True,
        reasoning="想",
    ),
    Odd("stream-not-streamed", says(GOOD), stream=True),
    Odd("stream-all-in-one-piece", streams(HEAD + TAIL + END + COUNT + DONE), stream=True),
]


@pytest.mark.parametrize("vendor", STYLES)
@pytest.mark.parametrize("odd", ODDITIES, ids=lambda odd: odd.name)
def test_an_odd_answer_is_an_answer(odd: Odd, vendor: str, tmp_path: Path) -> None:
    async def handle(request: web.Request, seen: Seen) -> web.StreamResponse:
        return await odd.send(request)

    async def run() -> None:
        async with LocalServer(handle) as server:
            model = endpoint(server.url, vendor, stream=odd.stream)
            responses = await sit(model, tmp_path, [question(1)])
        response = responses[question(1).key]
        assert (response.status, response.text) == (Status.ANSWERED, TEXT)
        assert response.reasoning == odd.reasoning
        assert response.usage == (Usage(7, 3) if odd.counted else None)
        assert (response.attempts, response.reason) == (1, "")

    asyncio.run(run())


def calls_in_stream(*deltas: JSONObject) -> Send:
    return streams(
        *(event(chunk({"tool_calls": [delta]})) for delta in deltas),
        event(chunk({}, "tool_calls")),
        DONE,
    )


WHOLE_CALL: JSONObject = {
    "id": "c1",
    "function": {"name": "find", "arguments": '{"law": "民法典"}'},
}
FIRST: JSONObject = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": ""}}
REST: list[JSONObject] = [{"function": {"arguments": part}} for part in ('{"law": ', '"民法典"}')]
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
            responses = await sit(model, tmp_path, [question(1)])
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
            responses = await sit(endpoint(server.url, stream=True), tmp_path, [question(1)])
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
