"""What arrives at the server: the words, options, tools and schemas, in the vendor's dialect."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hengfa.evals.engine.endpoint import request_body
from hengfa.evals.engine.messages import (
    JSONObject,
    Message,
    Options,
    Request,
    Status,
    ToolCall,
    ToolSpec,
)
from hengfa.evals.engine.vendors import PROVIDERS

from .asking import KEY, answer, endpoint, sit
from .server import LocalServer, Seen

SCHEMA: JSONObject = {
    "type": "object",
    "properties": {"罪名": {"type": "string"}},
    "required": ["罪名"],
}
TOOL = ToolSpec("find_article", "查找法条", {"type": "object", "properties": {"号": SCHEMA}})
CONVERSATION = (
    Message("system", "你是一名法官。"),
    Message("user", "第二百六十四条规定了什么?"),
    Message("assistant", "", (ToolCall("c1", "find_article", '{"号": 264}'),)),
    Message("tool", "盗窃公私财物……", tool_call_id="c1"),
    Message("user", "请概括。"),
)
FULL = Options(
    temperature=0.0,
    top_p=0.9,
    max_new_tokens=512,
    seed=7,
    stop=("\n\n",),
    reply_schema=SCHEMA,
    tools=(TOOL,),
    tool_choice="auto",
    extra={"enable_thinking": False},
)
LENGTH_FIELD = {"openai": "max_completion_tokens"}
WITH_SCHEMA = {"openai", "doubao", "vllm", "sglang", "ollama", "endpoint"}


def as_seen(provider: str, options: Options, folder: Path, *, stream: bool = False) -> Seen:
    async def run() -> Seen:
        async with LocalServer(answer) as server:
            model = endpoint(server.url, provider, stream=stream)
            request = Request("q", CONVERSATION, options)
            responses = await sit(model, folder, [request])
            assert responses["q"].status is Status.ANSWERED
            (seen,) = server.seen
            return seen

    return asyncio.run(run())


@pytest.mark.parametrize("provider", PROVIDERS)
def test_everything_set_arrives_in_the_dialect_of_the_vendor(provider: str, tmp_path: Path) -> None:
    seen = as_seen(provider, FULL, tmp_path)
    expected: JSONObject = {
        "model": "test-model",
        "messages": [
            {"role": "system", "content": "你是一名法官。"},
            {"role": "user", "content": "第二百六十四条规定了什么?"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "find_article", "arguments": '{"号": 264}'},
                    }
                ],
            },
            {"role": "tool", "content": "盗窃公私财物……", "tool_call_id": "c1"},
            {"role": "user", "content": "请概括。"},
        ],
        "temperature": 0.0,
        "top_p": 0.9,
        LENGTH_FIELD.get(provider, "max_tokens"): 512,
        "seed": 7,
        "stop": ["\n\n"],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "find_article",
                    "description": "查找法条",
                    "parameters": TOOL.parameters,
                },
            }
        ],
        "tool_choice": "auto",
        "response_format": (
            {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True},
            }
            if provider in WITH_SCHEMA
            else {"type": "json_object"}
        ),
        "enable_thinking": False,
    }
    assert seen.body == expected
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["Authorization"] == f"Bearer {KEY}"
    assert seen.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_nothing_is_sent_that_was_not_set(provider: str, tmp_path: Path) -> None:
    assert set(as_seen(provider, Options(), tmp_path).body) == {"model", "messages"}


def test_a_stream_is_asked_for_with_a_count_of_tokens(tmp_path: Path) -> None:
    body = as_seen("qwen", Options(), tmp_path, stream=True).body
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}


def test_extra_options_win_over_those_of_hengfa() -> None:
    request = Request("q", CONVERSATION, Options(temperature=0.5, extra={"temperature": 1}))
    assert request_body("m", request, PROVIDERS["endpoint"])["temperature"] == 1


def test_without_a_key_no_authorization_is_sent(tmp_path: Path) -> None:
    async def run() -> None:
        async with LocalServer(answer) as server:
            await sit(endpoint(server.url, key=None), tmp_path, [Request("q", CONVERSATION)])
            assert "Authorization" not in server.seen[0].headers

    asyncio.run(run())


CHANGES = {
    "prompt": Request("q", (Message("user", "别的"),), FULL),
    "role": Request("q", (Message("system", "请概括。"),), FULL),
    "temperature": Request("q", CONVERSATION, Options(temperature=1.0)),
    "schema": Request("q", CONVERSATION, Options(reply_schema=SCHEMA)),
    "tools": Request("q", CONVERSATION, Options(tools=(TOOL,))),
    "extra": Request("q", CONVERSATION, Options(extra={"enable_thinking": True})),
    "nothing": Request("q", CONVERSATION),
}


def test_each_change_of_what_the_model_sees_changes_the_hash() -> None:
    hashes = {name: request.prompt_hash() for name, request in CHANGES.items()}
    assert len(set(hashes.values())) == len(CHANGES)


def test_the_hash_does_not_depend_on_key_or_order_of_fields() -> None:
    one = Request("a", CONVERSATION, Options(extra={"x": 1, "y": {"b": 2, "a": 1}}))
    other = Request("b", CONVERSATION, Options(extra={"y": {"a": 1, "b": 2}, "x": 1}))
    assert one.prompt_hash() == other.prompt_hash()
