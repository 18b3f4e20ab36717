"""Nothing that tells of trouble is ever an answer, and nothing calm is taken for trouble."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence

from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.evals.engine.endpoint import Endpoint
from hengfa.evals.engine.messages import Options, Response, Status, ToolSpec, Unavailable
from hengfa.evals.engine.replies import as_it_is, assemble, read_body, read_reply, without_tools
from hengfa.evals.engine.vendors import PROVIDERS

from .asking import endpoint, question
from .reply_shapes import FAULTS, HONEST, SHAPES, TEXT, Fields, Shape, add
from .server import LocalServer, Seen, chunk, completion

OVER_HTTP = [
    shape
    for shape in SHAPES
    if shape.type or shape.status != 200 or shape.asked is not None or shape.newline != "\n"
]


def ending(answer: Response | Unavailable) -> tuple[str, str, str]:
    """How a question ends, the text and the thinking if it is answered; every failure says why."""
    assert bool(answer.reason) == (getattr(answer, "status", None) is not Status.ANSWERED)
    if isinstance(answer, Unavailable):
        return "again", "", ""
    if answer.status is not Status.ANSWERED:
        return answer.status.value, "", ""
    return answer.status.value, answer.text, answer.reasoning


def expected(shape: Shape) -> tuple[str, str, str]:
    told = (shape.text, shape.reasoning) if shape.expect == "answered" else ("", "")
    return shape.expect, *told


def wrong(read: dict[str, Response | Unavailable], shapes: dict[str, Shape]) -> list[str]:
    return [
        f"{name}: {answer}"
        for name, answer in read.items()
        if ending(answer) != expected(shapes[name]) and not shapes[name].why
    ]


def read(raw: bytes, vendor: str = "endpoint", *, streamed: bool = False) -> Response | Unavailable:
    async def lines() -> AsyncIterator[bytes]:
        for line in raw.splitlines():
            yield line

    body = assemble(lines()) if streamed else read_body(raw, as_it_is)
    try:
        body.send(None)  # nothing in it waits
    except StopIteration as done:
        try:
            reply = read_reply(done.value, throttling=PROVIDERS[vendor].throttling)
        except Unavailable as trouble:
            return trouble
        return without_tools(reply)
    except Unavailable as trouble:
        return trouble
    raise AssertionError("it waits")


def test_every_shape_ends_as_the_table_says_in_every_way_it_is_sent() -> None:
    assert len({shape.name for shape in SHAPES}) == len(SHAPES)
    read_as = {
        f"{shape.name} {way}": (
            shape,
            read(shape.sent(way), shape.vendor, streamed=bool(shape.stream)),
        )
        for shape in SHAPES
        if shape.status == 200
        for way in shape.ways
    }
    answers = {name: answer for name, (_, answer) in read_as.items()}
    assert wrong(answers, {name: shape for name, (shape, _) in read_as.items()}) == []


async def ask(
    model: Endpoint, number: int, options: Options | None = None
) -> Response | Unavailable:
    try:
        return await model.generate(question(0, options, text=str(number)))
    except Unavailable as trouble:
        return trouble


def test_neither_the_type_nor_what_was_asked_for_hides_a_stream_or_a_reply() -> None:
    async def handle(request: web.Request, seen: Seen) -> web.StreamResponse:
        shape = OVER_HTTP[int(seen.prompt)]
        kind = shape.type or ("text/event-stream" if shape.stream else "application/json")
        headers = {"Content-Type": kind}
        return web.Response(body=shape.sent(), status=shape.status, headers=headers)

    async def run() -> dict[str, Response | Unavailable]:
        async with LocalServer(handle) as server:
            models = {way: endpoint(server.url, "endpoint", stream=way) for way in (True, False)}
            asked = [ask(models[shape.streamed], at) for at, shape in enumerate(OVER_HTTP)]
            answers = await asyncio.gather(*asked)
            await asyncio.gather(*(model.close() for model in models.values()))
        return dict(zip([shape.name for shape in OVER_HTTP], answers, strict=True))

    assert wrong(asyncio.run(run()), {shape.name: shape for shape in OVER_HTTP}) == []


def test_a_call_is_an_answer_only_where_tools_were_offered() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}

    async def handle(request: web.Request, seen: Seen) -> web.StreamResponse:
        return web.json_response(completion("我查一下", "tool_calls", tool_calls=[call]))

    async def run() -> list[Response | Unavailable]:
        async with LocalServer(handle) as server:
            model = endpoint(server.url)
            offered = Options(tools=(ToolSpec("find", "查", {}),))
            answers = [await ask(model, 1, offered), await ask(model, 2)]
            await model.close()
            return answers

    with_tools, without = asyncio.run(run())
    assert ending(with_tools) == ("answered", "我查一下", "")
    assert ending(without) == ("failed", "", "")
    assert without.reason == "a call, though no tools were offered"


def test_an_unknown_sign_is_named() -> None:
    response = read_reply(add(completion(TEXT), {"upstream_failure": "reset"}))
    assert response.reason == "unknown sign of trouble: upstream_failure 'reset'"


CALM = [shape for shape in HONEST if len(shape.ways) > 1 and not shape.why and not shape.reasoning]
TROUBLES = [shape for shape in FAULTS if len(shape.ways) > 1 and not shape.why]
NAMES = ["sources", "references", "documents", "context", "trace", "intermediate_steps", "steps"]


def with_all(body: Fields, shapes: Sequence[Shape]) -> Fields:
    for shape in shapes:
        body = add(body, shape.add, shape.at)
    return body


def status_of(body: Fields | Sequence[Fields]) -> Status:
    if isinstance(body, dict):
        answer = read(json.dumps(body).encode())
    else:
        lines = (b"data: " + json.dumps(part).encode() for part in body)
        answer = read(b"\n\n".join(lines), streamed=True)
    return answer.status if isinstance(answer, Response) else Status.FAILED


@settings(deadline=None)
@given(st.lists(st.sampled_from(CALM), max_size=4), st.sampled_from(TROUBLES), st.integers(0, 2))
def test_a_sign_of_trouble_is_seen_among_calm_fields_in_any_piece(
    calm: Sequence[Shape], trouble: Shape, piece: int
) -> None:
    good = completion(TEXT)
    events = [chunk({"content": "甲"}), chunk({"content": "乙"}), chunk({"content": "丙"}, "stop")]
    calm = [shape for shape in calm if shape.at != trouble.at]
    assert status_of(with_all(good, [*calm, trouble])) is not Status.ANSWERED
    events[1] = with_all(events[1], calm)
    events[piece] = add(events[piece], trouble.add, trouble.at)
    assert status_of(events) is not Status.ANSWERED


@settings(deadline=None)
@given(
    st.sampled_from(TROUBLES),
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
    st.sampled_from(["reply", "choice", "message"]),
)
def test_nothing_that_an_agent_brings_along_is_a_sign(
    trouble: Shape, names: Sequence[str], place: str
) -> None:
    content: Fields = trouble.add
    for name in names:
        content = {name: [content, content]}
    kept = Shape("", "", "answered", add=content, at=place)  # type: ignore[arg-type]
    for way in kept.ways:
        assert ending(read(kept.sent(way))) == ("answered", TEXT, ""), way
