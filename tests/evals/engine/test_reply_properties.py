"""Whatever JSON a server sends: a response or `Unavailable`, and never an empty answer."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from itertools import product
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.evals.engine.budget import Price
from hengfa.evals.engine.endpoint import _lines, parse_retry_after
from hengfa.evals.engine.messages import Response, Status, Unavailable, Usage
from hengfa.evals.engine.replies import (
    assemble,
    decode,
    is_blank,
    read_error,
    read_plain,
    read_reply,
    split_thinking,
)
from hengfa.evals.engine.signs import SIGNS

from .reply_shapes import SHAPES, Place, add
from .server import DONE, chunk, completion, event

STEADY = settings(deadline=None)  # a busy machine is no failure
WORDS = st.sampled_from(
    [
        *("choices", "message", "content", "finish_reason", "error", "code", "type", "usage"),
        *("refusal", "tool_calls", "function", "name", "arguments", "text", "id", "delta", "index"),
        *("prompt_tokens", "completion_tokens", "reasoning_content", "detail", "innererror"),
        *("stop", "length", "content_filter", "1301", "insufficient_quota", "<think>", "</think>"),
    ]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | WORDS
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(), inner, max_size=6)
    ),
    max_leaves=25,
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "content": JSON | st.text(),
        "refusal": JSON,
        "reasoning_content": JSON,
        "tool_calls": JSON | st.lists(st.fixed_dictionaries({"function": JSON}), max_size=3),
    },
)
CHOICES = st.fixed_dictionaries({}, optional={"message": MESSAGES, "finish_reason": JSON})
REPLIES = st.fixed_dictionaries(
    {"choices": st.lists(CHOICES, max_size=2)},
    optional={"error": JSON, "usage": JSON, "model": JSON},
)


def check_sound(response: Response) -> None:
    if response.status is Status.ANSWERED:
        assert response.text.strip() or response.tool_calls
        assert not response.reason
    else:
        assert response.reason
    assert len(response.reason) < 400
    assert "\n" not in response.reason
    assert "\n" not in response.served_by
    line = msgspec.json.encode(response)  # the journal can keep it
    assert msgspec.json.decode(line, type=Response) == response


@STEADY
@given(JSON | REPLIES)
def test_any_reply_is_read_or_unavailable(body: object) -> None:
    try:
        response = read_reply(body)
    except Unavailable as trouble:
        assert trouble.reason
    else:
        check_sound(response)


ORDINARY: dict[str, dict[str, Any]] = {
    "openai": {
        "id": "chatcmpl-9",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant", "content": "善意取得", "refusal": None, "annotations": []
                },
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": 19,
            "completion_tokens": 10,
            "total_tokens": 29,
            "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 3, "accepted_prediction_tokens": 0},
        },
        "service_tier": "default",
        "system_fingerprint": "fp_1",
    },
    "deepseek": {
        "id": "6f",
        "model": "deepseek-chat",
        "choices": [
            {"message": {"role": "assistant", "content": "A"}, "finish_reason": "stop"},
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 1, "prompt_cache_hit_tokens": 5},
    },
    "vllm": {
        "id": "chatcmpl-9",
        "model": "/models/qwen",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant", "content": "有期徒刑:36个月", "refusal": None,
                    "annotations": None, "audio": None, "function_call": None, "tool_calls": [],
                    "reasoning_content": None,
                },
                "logprobs": None, "finish_reason": "stop", "stop_reason": None, "token_ids": None,
            }
        ],
        "service_tier": None, "system_fingerprint": None, "prompt_logprobs": None,
        "prompt_token_ids": None, "kv_transfer_params": None,
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "prompt_tokens_details": None},
    },
}  # fmt: skip


@pytest.mark.parametrize("vendor", ORDINARY)
def test_an_ordinary_reply_is_read_in_one_step(vendor: str) -> None:
    assert read_plain(json.dumps(ORDINARY[vendor]).encode()) is not None


def test_what_is_read_in_one_step_is_read_the_same_in_many() -> None:
    """Any field that a reply may have or that tells of trouble, with any value, anywhere."""
    names = {name for shape in SHAPES for name in shape.add}
    values = [
        *("", "stop", "length", "error", "善意取得", "<think>a</think>b", "a</think>b", "\u200b"),
        *(None, True, False, 0, 1, -1, 1 << 60, 1.5, [], {}, ["错误"], {"error": "no"}, [{}]),
        *(ORDINARY["openai"]["choices"], ORDINARY["openai"]["usage"], {"cached_tokens": 9}),
    ]
    for body in ORDINARY.values():
        choice = body["choices"]
        inside = {*body, *choice[0], *choice[0]["message"], "reasoning"}
        for place, name, value in product(get_args(Place), names | inside, values):
            changed = add(body, {name: value}, place)
            raw = json.dumps(changed).encode()
            if (plain := read_plain(raw)) is not None:
                assert plain == (read_reply(decode(raw)), changed.get("id", "")), (name, value)


@STEADY
@given(st.integers(100, 599), JSON, st.none() | st.floats(0, 1e9), st.text())
def test_any_error_is_read_or_unavailable(
    http_status: int, body: object, retry_after: float | None, raw: str
) -> None:
    try:
        response = read_error(http_status, body, retry_after=retry_after, raw=raw)
    except Unavailable as trouble:
        assert trouble.reason
        assert trouble.retry_after == retry_after
    else:
        check_sound(response)
        assert response.status in (Status.FAILED, Status.FILTERED)


@STEADY
@given(st.binary())
def test_any_bytes_are_json_or_unavailable(raw: bytes) -> None:
    try:
        decode(raw)
    except Unavailable as trouble:
        assert trouble.reason


@pytest.mark.parametrize("depth", [*range(100, 1100, 100), 5_000, 100_000])
def test_any_depth_is_read_or_unavailable(depth: int) -> None:
    arguments = '{"a":' * depth + "1" + "}" * depth
    function = f'{{"name": "f", "arguments": {arguments}}}'
    raw = f'{{"choices": [{{"message": {{"tool_calls": [{{"function": {function}}}]}}}}]}}'
    try:
        response = read_reply(decode(raw.encode()))
    except Unavailable:
        return
    check_sound(response)


@pytest.mark.parametrize("count", [10**400, 2**64, -5, 1.5, "7", True, None, [], {}])
def test_a_count_of_tokens_that_is_none_harms_nobody(count: object) -> None:
    body = {**completion("答"), "usage": {"prompt_tokens": count, "completion_tokens": 3}}
    usage = read_reply(body).usage
    assert usage == Usage(output=3)
    assert usage is not None
    assert Price("CNY", 2.0, 8.0).cost(usage) < 1


@STEADY
@given(st.text(), st.text())
def test_thinking_and_answer_are_told_apart(thought: str, rest: str) -> None:
    thought, rest = (text.replace("<", "").replace(">", "") for text in (thought, rest))
    assert split_thinking(f"<think>{thought}</think>{rest}") == (thought.strip(), rest.lstrip())
    assert split_thinking(f"{thought}</think>{rest}") == (thought.strip(), rest.lstrip())
    assert split_thinking(f" \n<think>{thought}") == (thought.strip(), None)
    assert split_thinking(rest) == ("", rest)


@STEADY
@given(st.lists(st.sampled_from(["<think>", "</think>", " ", "\n", "答", "想"])).map("".join))
def test_an_answer_never_begins_in_the_middle_of_thinking(content: str) -> None:
    _, answer = split_thinking(content)
    assert answer is None or not answer.lstrip().startswith("<think>")


DATE_LIKE = st.lists(
    st.sampled_from(
        [
            *("Wed", ",", " ", "21", "Oct", "2015", "07:28:00", "GMT", "-0000", "+9999", ":", "-"),
            *("99999999999", "0", "70", "Feb", "30", "1_0", "nan", "inf", "1e999", "\x00", "25"),
        ]
    ),
    max_size=12,
).map("".join)


@STEADY
@given(st.text() | DATE_LIKE | st.floats().map(str) | st.integers().map(str))
def test_any_wish_to_wait_is_a_time_or_none(value: str) -> None:
    seconds = parse_retry_after(value)
    assert seconds is None or seconds >= 0


@pytest.mark.parametrize(
    "value", ["Wed, 21 Oct 2065 07:28:00 GMT", "Wed, 21 Oct 2065 07:28:00 -0000"]
)
def test_a_date_to_wait_for_is_in_utc_wherever_we_are(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    date = datetime(2065, 10, 21, 7, 28, tzinfo=UTC).timestamp()
    monkeypatch.setattr("hengfa.evals.engine.endpoint.time.time", lambda: date - 90)
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    try:
        assert parse_retry_after(value) == 90
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()


async def lines_of(pieces: Sequence[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


DELTAS = st.lists(
    st.fixed_dictionaries({}, optional={"content": st.text(), "reasoning_content": st.text()}),
    max_size=6,
)


@STEADY
@given(DELTAS, st.data())
def test_a_stream_says_the_same_wherever_it_is_split(
    deltas: list[dict[str, str]], data: st.DataObject
) -> None:
    raw = b"".join(event(chunk(delta)) for delta in deltas) + event(chunk({}, "stop")) + DONE
    cuts = data.draw(st.lists(st.integers(0, len(raw)), max_size=8).map(sorted))
    pieces = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True) if a < b]

    class Content:
        async def readany(self) -> bytes:
            return pieces.pop(0) if pieces else b""

    class Reply:
        content = Content()

    async def read() -> dict[str, Any]:
        reply: Any = Reply()
        return await assemble(_lines(reply))

    body = asyncio.run(read())
    message = body["choices"][0]["message"]
    for field in ("content", "reasoning_content"):
        assert message.get(field, "") == "".join(delta.get(field, "") for delta in deltas)


@STEADY
@given(st.lists(JSON | CHOICES.map(lambda choice: {"choices": [choice]}), max_size=5))
def test_any_stream_is_read_or_unavailable(events: list[object]) -> None:
    lines = [b"data: " + json.dumps(one).encode() for one in events]
    try:
        response = read_reply(asyncio.run(assemble(lines_of([*lines, b"data: [DONE]"]))))
    except Unavailable as trouble:
        assert trouble.reason
    else:
        check_sound(response)


def test_names_and_reasons_are_written_as_they_are_compared() -> None:
    for name in SIGNS.__struct_fields__:
        table = getattr(SIGNS, name)
        if isinstance(table, frozenset):
            assert all(word == word.lower() for word in table), name
    for words in (*SIGNS.groups.values(), SIGNS.calls, SIGNS.wrappers):
        assert all(word == word.lower() and word.isalpha() for word in words), words
    assert SIGNS.status_objects <= SIGNS.wrappers


@STEADY
@given(st.text(st.characters(categories=["Cc", "Cf", "Cn", "Zs", "Zl", "Zp", "Mn"])))
def test_a_text_in_which_nothing_is_seen_is_empty(text: str) -> None:
    assert is_blank(text)
    assert not is_blank(f"{text}甲{text}")
    assert read_reply(completion(text)).status is Status.EMPTY
