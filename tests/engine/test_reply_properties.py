"""Whatever JSON a server sends: a response or `Unavailable`, and never an empty answer."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.engine import vendors
from hengfa.engine.budget import Price
from hengfa.engine.endpoint import _lines, parse_retry_after
from hengfa.engine.messages import Response, Status, Unavailable, Usage
from hengfa.engine.replies import assemble, decode, read_error, read_reply, split_thinking

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
    monkeypatch.setattr("hengfa.engine.endpoint.time.time", lambda: date - 90)
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


def test_tables_are_in_small_letters() -> None:
    for table in (
        *(vendors.COMPLETE, vendors.CUT, vendors.FILTER_FINISHES, vendors.REFUSALS),
        *(vendors.TROUBLE, vendors.FILTER_CODES, vendors.ACCOUNT_CODES, vendors.OVERLOAD_CODES),
        vendors.FILTER_PHRASES,
    ):
        assert all(word == word.lower() for word in table)


def test_no_finish_reason_means_two_things() -> None:
    groups = [
        *(vendors.COMPLETE, vendors.CUT, vendors.FILTER_FINISHES),
        *(vendors.REFUSALS, vendors.TROUBLE),
    ]
    assert len(frozenset().union(*groups)) == sum(len(group) for group in groups)
