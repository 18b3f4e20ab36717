"""Whom our servers answer, and that nothing sent to them is an error of theirs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.evals.grading.scored_by_people import submissions
from tests.world import tiny_world

from hengfa.base.page.server import PATIENCE
from hengfa.evals.grading.people.expert_page import ExpertServer
from hengfa.evals.grading.people.notebook import Notebook
from hengfa.law.desk.served import serving as desk_serving
from hengfa.world.agents.served import serving
from hengfa.world.tables.world import World
from hengfa.world.tools.toolbox import Toolbox

SERVERS = ("world", "expert page", "desk")
MALFORMED = (
    b"OPTIONS * HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"OPTIONS / HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"CONNECT HERE HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"CONNECT evil.example:443 HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"GET http://[::1/ HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"GET * HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"GET //evil/%00 HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"GET /%zz%ff%ed%a0%80/state HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"TRACE / HTTP/1.1\r\nHost: HERE\r\n\r\n",
    b"GET / HTTP/1.0\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: HERE\r\n\r\n",
    b"\x00\x01\x02\r\n\r\n",
    b"POST /x HTTP/1.1\r\nHost: HERE\r\nContent-Length: -1\r\n\r\n",
    b"POST /x HTTP/1.1\r\nHost: HERE\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST /x HTTP/1.1\r\nHost: HERE\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
    b"POST /x HTTP/1.1\r\nHost: HERE\r\nExpect: tea\r\nContent-Length: 2\r\n\r\n{}",
    b"POST /x HTTP/1.1\r\nHost: HERE\r\nContent-Length: 2\r\n\r\n\xff{",
)


@asynccontextmanager
async def served(kind: str, folder: Path, patience: float = PATIENCE) -> AsyncIterator[str]:
    """The address of a server of this kind."""
    if kind == "world":
        tiny_world.write(folder / "tiny.sqlite")
        with World.open(folder / "tiny.sqlite") as world:
            async with serving(Toolbox(world), names=["World"], patience=patience) as address:
                yield f"{address}/"
    elif kind == "desk":
        async with desk_serving(folder / "law.sqlite", patience=patience) as address:
            yield address
    elif kind == "mcp":
        from hengfa.law.desk.mcp_server import serving as mcp_serving

        async with mcp_serving(None, patience=patience) as address:
            yield address
    else:
        notebook = Notebook(submissions(), folder / "scores.csv", "张三")
        async with ExpertServer(notebook) as server:
            yield server.url
        notebook.close()


MCP = pytest.param("mcp", marks=pytest.mark.optional("mcp"))


async def status(address: str, raw: bytes) -> int:
    """The status of the reply to these bytes."""
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(raw.replace(b"HERE", parts.netloc.encode()))
    line = await asyncio.wait_for(reader.readline(), 10)
    writer.close()
    return int(line.split()[1])


async def get(address: str, headers: Mapping[str, str]) -> int:
    """The status of a plain request with these headers."""
    parts = urlsplit(address)
    given = {"Host": parts.netloc} | {
        name: value.replace("PORT", str(parts.port)) for name, value in headers.items()
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return await status(address, f"GET {parts.path} HTTP/1.1\r\n{lines}\r\n".encode())


@pytest.mark.parametrize("kind", SERVERS)
def test_what_is_malformed_is_the_fault_of_who_sends_it(kind: str, tmp_path: Path) -> None:
    async def ask() -> dict[bytes, int]:
        async with served(kind, tmp_path) as address:
            return {raw: await status(address, raw) for raw in MALFORMED}

    answers = asyncio.run(ask())
    assert {raw: code for raw, code in answers.items() if not 400 <= code < 500} == {}


HALF = (
    b"",
    b"GET / HTTP/1.1\r\nHo",
    b"POST /api/cases HTTP/1.1\r\nHost: HERE\r\nContent-Length: 9\r\n\r\nabc",
    b"POST /mcp HTTP/1.1\r\nHost: HERE\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc",
)
"""What begins a request and does not end it."""


@pytest.mark.parametrize("kind", ["world", "desk", MCP])
def test_half_a_request_is_not_waited_for(kind: str, tmp_path: Path) -> None:
    async def ask() -> list[bytes]:
        async with served(kind, tmp_path, patience=0.2) as address:
            parts = urlsplit(address)
            opened = [await asyncio.open_connection(parts.hostname, parts.port) for _ in HALF]
            for raw, (_, writer) in zip(HALF, opened, strict=True):
                writer.write(raw.replace(b"HERE", parts.netloc.encode()))
            ended = [await asyncio.wait_for(reader.read(), 20) for reader, _ in opened]
            for _, writer in opened:
                writer.close()
            return ended

    assert asyncio.run(ask()) == [b""] * len(HALF)


@pytest.mark.parametrize("kind", ["world", "desk", MCP])
def test_who_leaves_in_the_middle_leaves_no_trace(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def leave() -> None:
        async with served(kind, tmp_path) as address:
            parts = urlsplit(address)
            for raw in HALF:
                _, writer = await asyncio.open_connection(parts.hostname, parts.port)
                writer.write(raw.replace(b"HERE", parts.netloc.encode()))
                await asyncio.sleep(0.05)  # it is read before it ends
                writer.transport.abort()
            await asyncio.sleep(0.05)

    asyncio.run(leave(), debug=False)
    assert [record.getMessage() for record in caplog.records if record.levelname != "DEBUG"] == []


@pytest.mark.parametrize("kind", SERVERS)
def test_other_pages_in_the_browser_are_refused(kind: str, tmp_path: Path) -> None:
    foreign = ("evil.example", "evil.example:PORT", "127.0.0.1.evil.example", "[::1", "")
    origins = ("http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:PORT")
    own = ("localhost:PORT", "LOCALHOST", "127.0.0.1:PORT", "[::1]:PORT")
    refused = [*({"Host": host} for host in foreign), *({"Origin": origin} for origin in origins)]
    answered = [
        {"Host": host} | more for host in own for more in ({}, {"Origin": f"http://{host}"})
    ]

    async def ask() -> tuple[set[int], set[int], int]:
        async with served(kind, tmp_path) as address:
            return (
                {await get(address, headers) for headers in refused},
                {await get(address, headers) for headers in answered},
                await get(address, {"Host": "world:PORT"}),
            )

    named = 200 if kind == "world" else 403  # the one was told this name, the other was not
    assert asyncio.run(ask()) == ({403}, {200}, named)
