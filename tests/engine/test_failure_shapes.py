"""Nothing that tells of trouble is ever an answer, and nothing calm is taken for trouble."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.engine import vendors
from hengfa.engine.messages import Response, Status, Unavailable
from hengfa.engine.replies import assemble, read_reply

from .asking import QUICK, endpoint, question, sit
from .failure_shapes import (
    CALM,
    FIRST,
    GOOD,
    LAST,
    PLACES,
    SIGNS,
    STREAMS,
    TEXT,
    Fields,
    Place,
    Shape,
    Stream,
    add,
)
from .server import DONE, LocalServer, Seen, chunk, event, send_stream

WAYS = ("plain", "last-piece", "own-piece")


def ask(body: Fields | Sequence[bytes], folder: Path, vendor: str = "endpoint") -> Response:
    """What the whole engine makes of a reply, or of the pieces of a stream."""

    async def handle(request: web.Request, seen: Seen) -> web.StreamResponse:
        if isinstance(body, dict):
            return web.json_response(body)
        return await send_stream(request, body)

    async def run() -> Response:
        async with LocalServer(handle) as server:
            model = endpoint(server.url, vendor, stream=not isinstance(body, dict))
            return (await sit(model, folder, [question(1)]))[question(1).key]

    return asyncio.run(run())


def sent(way: str, fields: Fields, place: Place) -> Fields | list[bytes]:
    if way == "plain":
        return add(GOOD, fields, place)
    if way == "last-piece":
        return [FIRST, event(add(LAST, fields, place)), DONE]
    alone = fields if place == "reply" else add(chunk({}), fields, place)
    return [FIRST, event(alone), event(LAST), DONE]


def check_no_answer(response: Response, shape: Shape | Stream) -> None:
    assert response.status is shape.status, response
    assert response.reason
    assert response.attempts == (QUICK.attempts if shape.again else 1)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shape", SIGNS, ids=lambda shape: shape.name)
def test_a_sign_of_trouble_beside_a_text_ends_with_its_status(
    shape: Shape, way: str, tmp_path: Path
) -> None:
    response = ask(sent(way, shape.fields, shape.place), tmp_path, shape.vendor)
    check_no_answer(response, shape)


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.name)
def test_a_stream_with_trouble_ends_with_its_status(stream: Stream, tmp_path: Path) -> None:
    check_no_answer(ask(stream.pieces, tmp_path), stream)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "place", "fields"), CALM, ids=lambda value: str(value)[:24])
def test_calm_fields_leave_an_answer_what_it_is(
    name: str, place: Place, fields: Fields, way: str, tmp_path: Path
) -> None:
    response = ask(sent(way, fields, place), tmp_path)
    assert (response.status, response.text, response.reason) == (Status.ANSWERED, TEXT, "")


def test_what_a_tool_is_called_with_is_no_trouble() -> None:
    function = {"name": "report", "arguments": {"error": "误工", "code": 5, "success": False}}
    calls = {"tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    assert read_reply(add(GOOD, calls, "message")).status is Status.ANSWERED


def test_an_unknown_sign_is_named() -> None:
    response = read_reply(add(GOOD, {"upstream_failure": "reset"}))
    assert response.reason == "unknown sign of trouble: upstream_failure 'reset'"


BACKGROUNDS = st.lists(st.sampled_from(CALM), max_size=4)
NESTS = st.lists(st.sampled_from(["gateway", "data", "extra", "result"]), max_size=3)
TROUBLES = [
    *(shape.fields for shape in SIGNS),
    # Every field of the table, with a value that nobody has seen yet.
    *({field: "E77"} for sign in vendors.SIGNS for field in sorted(sign.fields)),
    *({field: 77} for sign in vendors.SIGNS for field in sorted(sign.fields)),
]


def nested(fields: Fields, names: Sequence[str]) -> Fields:
    for name in names:
        fields = {name: fields}
    return fields


def quiet(body: Fields, background: Sequence[tuple[str, Place, Fields]]) -> Fields:
    for _, place, fields in background:
        body = add(body, fields, place)
    return body


def read_stream(events: Sequence[Fields]) -> Response:
    async def lines() -> AsyncIterator[bytes]:
        for part in events:
            yield b"data: " + json.dumps(part).encode()
        yield b"data: [DONE]"

    return read_reply(asyncio.run(assemble(lines())))


def status_of(read: Any, body: object) -> Status:
    try:
        return read(body).status  # type: ignore[no-any-return]
    except Unavailable:
        return Status.FAILED


@settings(deadline=None)
@given(BACKGROUNDS, st.sampled_from(TROUBLES), st.sampled_from(PLACES), NESTS, st.integers(0, 2))
def test_no_reply_with_a_sign_of_trouble_is_an_answer(
    background: Sequence[tuple[str, Place, Fields]],
    trouble: Fields,
    place: Place,
    nest: Sequence[str],
    piece: int,
) -> None:
    sign = nested(trouble, nest)
    good = quiet(GOOD, background)
    assert status_of(read_reply, good) is Status.ANSWERED
    assert status_of(read_reply, add(good, sign, place)) is not Status.ANSWERED
    events = [chunk({"content": "甲"}), quiet(chunk({"content": "乙"}), background), LAST]
    assert status_of(read_stream, events) is Status.ANSWERED
    events[piece] = add(events[piece], sign, place)
    assert status_of(read_stream, events) is not Status.ANSWERED
