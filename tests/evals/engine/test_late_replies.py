"""A reply that is sent twice is never the answer to another question."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web

from hengfa.evals.engine.messages import JSONObject, Response, Status

from .asking import answer_to, endpoint, prompt_of, questions, sit
from .server import DONE, LocalServer, Seen, chunk, completion, event

REQUESTS = questions(24)


def whole(raw: bytes, kind: str) -> bytes:
    """A reply with its head, as it goes over the wire."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(raw)}\r\n\r\n"
    return head.encode() + raw


def reply(body: JSONObject, *, stream: bool) -> tuple[bytes, str]:
    if not stream:
        return json.dumps(body).encode(), "application/json"
    message = chunk({"content": body["choices"][0]["message"]["content"]}, "stop")
    return event({**message, "id": body["id"]}) + DONE, "text/event-stream"


class Stammering(LocalServer):
    """Sends the first and every third reply after it again, `late` seconds after the first time."""

    def __init__(
        self, *, late: float, slow: float, stream: bool, name: Callable[[int], str]
    ) -> None:
        super().__init__(self.send)
        self.late, self.slow, self.stream, self.name = late, slow, stream, name

    async def send(self, request: web.Request, seen: Seen) -> web.StreamResponse:
        number = len(self.seen)
        await asyncio.sleep(self.slow)
        body = {**completion(answer_to(seen.prompt)), "id": self.name(number)}
        raw, kind = reply(body, stream=self.stream)
        if number % 3 == 1 and isinstance(request.transport, asyncio.WriteTransport):
            loop = asyncio.get_running_loop()
            loop.call_later(self.late, request.transport.write, whole(raw, kind))
        return web.Response(body=raw, content_type=kind)


def ask_all(server: Stammering, folder: Path, *, lanes: int = 3) -> dict[str, Response]:
    async def run() -> dict[str, Response]:
        async with server:
            model = endpoint(server.url, stream=server.stream)
            return await sit(model, folder, REQUESTS, lanes=lanes)

    return asyncio.run(run())


def check_all_answered(responses: dict[str, Response]) -> None:
    for request in REQUESTS:
        response = responses[request.key]
        assert (response.status, response.text) == (
            Status.ANSWERED,
            answer_to(prompt_of(request)),
        )


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
@pytest.mark.parametrize("late", [0.0, 0.001, 0.01], ids=["at-once", "soon", "amid-the-next"])
def test_a_reply_sent_twice_answers_one_question(late: float, stream: bool, tmp_path: Path) -> None:
    server = Stammering(late=late, slow=0.02, stream=stream, name=lambda number: f"reply-{number}")
    check_all_answered(ask_all(server, tmp_path))


def test_what_lies_on_a_connection_is_noticed_without_ids() -> None:
    async def run() -> list[str]:
        server = Stammering(late=0.005, slow=0.0, stream=False, name=lambda number: "")
        texts = []
        async with server:
            model = endpoint(server.url)
            for request in REQUESTS[:7]:
                texts.append((await model.generate(request)).text)
                await asyncio.sleep(0.05)  # nothing is asked when the late reply comes
            await model.close()
        return texts

    assert asyncio.run(run()) == [answer_to(prompt_of(request)) for request in REQUESTS[:7]]


def test_an_error_sent_twice_answers_nothing(tmp_path: Path) -> None:
    raw = whole(b'{"error": {"message": "busy"}}', "application/json").replace(b"200 OK", b"503 -")

    async def handle(request: web.Request, seen: Seen) -> web.StreamResponse:
        await asyncio.sleep(0.01)
        if server.times_asked(seen.prompt) > 1 or not seen.prompt.startswith("第3问"):
            return web.json_response(completion(answer_to(seen.prompt)))
        if isinstance(request.transport, asyncio.WriteTransport):
            asyncio.get_running_loop().call_later(0.005, request.transport.write, raw)
        return web.json_response({"error": {"message": "busy"}}, status=503)

    server = LocalServer(handle)

    async def run() -> dict[str, Response]:
        async with server:
            return await sit(endpoint(server.url), tmp_path, REQUESTS, lanes=1)

    responses = asyncio.run(run())
    check_all_answered(responses)
    assert responses[REQUESTS[4].key].attempts == 1


@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("ids", [1, 2], ids=["one-id", "two-ids"])
def test_ids_that_repeat_from_the_start_cost_nothing(ids: int, lanes: int, tmp_path: Path) -> None:
    server = Stammering(
        late=60.0, slow=0.0, stream=False, name=lambda number: f"chatcmpl-{number % ids}"
    )
    check_all_answered(ask_all(server, tmp_path, lanes=lanes))
    assert len(server.seen) == len(REQUESTS)


def test_one_id_and_one_answer_for_all_questions_cost_nothing(tmp_path: Path) -> None:
    async def handle(request: web.Request, seen: Seen) -> web.StreamResponse:
        return web.json_response({**completion("有"), "id": "chatcmpl-0"})

    server = LocalServer(handle)

    async def run() -> dict[str, Response]:
        async with server:
            return await sit(endpoint(server.url), tmp_path, REQUESTS)

    assert {response.text for response in asyncio.run(run()).values()} == {"有"}
    assert len(server.seen) == len(REQUESTS)
