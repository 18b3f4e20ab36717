"""A stub OpenAI-compatible server that answers at once; prints its port, ends with its input.

Bare protocol, no parsing beyond the length of the body, so that the server is never the slow part.
`GET /stats` tells how many completions were asked for and how many connections were open at the
same time at most, and sets both back to nought.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from dataclasses import dataclass

ANSWER = "应当适用第一千一百六十五条：行为人因过错侵害他人民事权益造成损害的，应当承担侵权责任。"
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


@dataclass
class Stats:
    requests: int = 0
    open_now: int = 0
    most_open: int = 0


def http(status: str, body: object) -> bytes:
    """A whole response with a JSON body."""
    data = json.dumps(body, ensure_ascii=False).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n"
    return f"{head}\r\n".encode() + data


COMPLETION = http(
    "200 OK",
    {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "stub",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": ANSWER},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 120, "completion_tokens": 40, "total_tokens": 160},
    },
)


class Stub(asyncio.Protocol):
    """One connection."""

    def __init__(self, stats: Stats) -> None:
        self._stats = stats
        self._unread = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._stats.open_now += 1
        self._stats.most_open = max(self._stats.most_open, self._stats.open_now)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._stats.open_now -= 1

    def data_received(self, data: bytes) -> None:
        self._unread += data
        while (head_end := self._unread.find(b"\r\n\r\n")) >= 0:
            head = self._unread[:head_end]
            length = _LENGTH.search(head)
            end = head_end + 4 + (int(length[1]) if length else 0)
            if len(self._unread) < end:
                return
            self._unread = self._unread[end:]
            self._transport.write(self._answer(head))

    def _answer(self, head: bytes) -> bytes:
        if head.startswith(b"POST") and b"/chat/completions" in head:
            self._stats.requests += 1
            return COMPLETION
        if head.startswith(b"GET /stats"):
            told = {"requests": self._stats.requests, "most_open": self._stats.most_open}
            self._stats.requests = self._stats.most_open = 0
            return http("200 OK", told)
        return http("404 Not Found", {"error": {"message": "only chat completions here"}})


async def main() -> None:
    stats, loop = Stats(), asyncio.get_running_loop()
    server = await loop.create_server(lambda: Stub(stats), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)  # until the benchmark closes it or dies


if __name__ == "__main__":
    asyncio.run(main())
