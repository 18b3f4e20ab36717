"""A chat-completions server on this machine that does as it is told and remembers what it saw."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

from aiohttp import web


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    prompt: str
    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    at: float


Served = TypeVar("Served", bound=AbstractAsyncContextManager[Any])
Handler = Callable[[web.Request, Seen], Awaitable[web.StreamResponse]]


class LocalServer:
    """Answers every POST with `handler`; a client that hangs up ends its handler at once."""

    def __init__(self, handler: Handler, port: int = 0) -> None:
        self.port = port
        self.seen: list[Seen] = []
        self.handler = handler
        self.url = ""
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/{path:.*}", self._receive)
        self._runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.05
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        self.port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    def times_asked(self, prompt: str) -> int:
        return sum(seen.prompt == prompt for seen in self.seen)

    async def _receive(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        prompt = body["messages"][-1]["content"] if "messages" in body else body.get("prompt", "")
        seen = Seen(prompt, request.path, body, dict(request.headers), time.monotonic())
        self.seen.append(seen)
        return await self.handler(request, seen)


@contextmanager
def in_thread(server: Served) -> Iterator[Served]:
    """The server beside a test that does not run in an event loop."""
    loop = asyncio.new_event_loop()
    started = threading.Event()
    finished = asyncio.Event()

    async def serve() -> None:
        async with server:
            started.set()
            await finished.wait()

    def run() -> None:
        loop.run_until_complete(serve())
        loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    started.wait()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(finished.set)
        thread.join()


def completion(text: object, finish: object = "stop", **message: object) -> dict[str, Any]:
    """The body of a plain reply, without an id: the same one twice would be a reply sent twice."""
    return {
        "object": "chat.completion",
        "created": 1,
        "model": "test-model-0101",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, **message},
                "finish_reason": finish,
            }
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


def chunk(delta: object, finish: object = None) -> dict[str, Any]:
    """One event of a streamed reply."""
    return {
        "object": "chat.completion.chunk",
        "model": "test-model-0101",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


DONE = b"data: [DONE]\n\n"


def event(data: object) -> bytes:
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


async def send_stream(
    request: web.Request, pieces: Sequence[bytes], *, break_off: bool = False
) -> web.StreamResponse:
    """Server-sent events; `break_off` closes the connection where the end should be."""
    reply = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
    await reply.prepare(request)
    for piece in pieces:
        await reply.write(piece)
    if break_off:
        hang_up(request)
    else:
        await reply.write_eof()
    return reply


def hang_up(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.close()
