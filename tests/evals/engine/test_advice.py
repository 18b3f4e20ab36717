"""What a server refuses in a way that can be helped: by thinking sent back, or by the user."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import web

from hengfa.evals.engine.messages import Message, Request, Response, Status, ToolCall

from .asking import endpoint, question
from .server import LocalServer, Seen, completion

TURNS = (
    Message("user", "问"),
    Message("assistant", "", (ToolCall("a", "find", "{}"),), reasoning="先查法条"),
    Message("tool", "第一条", tool_call_id="a"),
    Message("assistant", "", (ToolCall("b", "find", "{}"),)),
    Message("tool", "第二条", tool_call_id="b"),
)


def asked_of(vendor: str, request: Request, refuse: Any = None) -> tuple[Response, list[Seen]]:
    """The response, and what the server saw; `refuse` says why it does not answer, if so."""

    async def handle(_: web.Request, seen: Seen) -> web.StreamResponse:
        if why := refuse and refuse(seen.body):
            return web.json_response({"error": {"message": why[1]}}, status=why[0])
        return web.json_response(completion("答"))

    async def run() -> tuple[Response, list[Seen]]:
        async with LocalServer(handle) as server:
            model = endpoint(server.url, vendor)
            response = await model.generate(request)
            await model.close()
            return response, server.seen

    return asyncio.run(run())


def thoughts(seen: Seen) -> list[str | None]:
    turns = (turn for turn in seen.body["messages"] if turn["role"] == "assistant")
    return [turn.get("reasoning_content") for turn in turns]


@pytest.mark.parametrize("vendor", ["deepseek", "kimi"])
def test_thinking_goes_back_with_its_calls_where_the_vendor_wants_it(vendor: str) -> None:
    _, (seen,) = asked_of(vendor, Request("q", TURNS))
    assert thoughts(seen) == ["先查法条", ""]
    _, (seen,) = asked_of(vendor, Request("q", TURNS[:1] + TURNS[3:]))
    assert thoughts(seen) == [None]


def test_other_servers_are_sent_thinking_only_if_they_ask_for_it() -> None:
    def wants(body: Any) -> tuple[int, str] | None:
        missing = "reasoning_content" not in body["messages"][1]
        told = "thinking is enabled but reasoning_content is missing in assistant tool call message"
        return (400, told) if missing else None

    response, seen = asked_of("endpoint", Request("q", TURNS), wants)
    assert (response.status, response.text) == (Status.ANSWERED, "答")
    assert [thoughts(one) for one in seen] == [[None, None], ["先查法条", ""]]


def test_a_server_that_refuses_thinking_is_not_sent_it_again() -> None:
    def refuses(body: Any) -> tuple[int, str] | None:
        there = "reasoning_content" in body["messages"][1]
        return (400, "property 'reasoning_content' is unsupported") if there else None

    response, seen = asked_of("glm", Request("q", TURNS), refuses)
    assert (response.status, len(seen)) == (Status.ANSWERED, 2)


def test_thinking_is_no_part_of_the_question_that_a_journal_knows() -> None:
    silent = (TURNS[0], Message("assistant", "", TURNS[1].tool_calls), *TURNS[2:])
    assert Request("q", TURNS).prompt_hash() == Request("q", silent).prompt_hash()


@pytest.mark.parametrize(
    ("vendor", "status", "said", "advice"),
    [
        ("endpoint", 401, "no", "HENGFA_API_KEY"),
        ("deepseek", 401, "no", "DEEPSEEK_API_KEY"),
        ("endpoint", 404, "page not found", "addresses usually end in /v1"),
        ("openai", 400, "Unsupported value: 'temperature'", "--temperature default"),
        ("endpoint", 422, "Temperature must be 1", "--temperature default"),
        ("endpoint", 400, "'max_tokens' is not supported with this model", "--max-new-tokens"),
        ("openai", 400, "unknown field max_completion_tokens", "--max-new-tokens"),
    ],
)
def test_an_error_says_what_can_be_done(vendor: str, status: int, said: str, advice: str) -> None:
    response, _ = asked_of(vendor, question(1), lambda _: (status, said))
    assert response.status is Status.FAILED
    assert response.reason.startswith(f"HTTP {status}: {said} (")
    assert advice in response.reason
