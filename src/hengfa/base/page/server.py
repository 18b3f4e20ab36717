"""How our servers listen, and whom they answer: one rule for all of them.

Whatever page is open in the same browser can send requests here, also under a name of its own that
leads to this machine (DNS rebinding). So the Host of a request must be an address, `localhost`, or
a name that the server was told; its Origin, where it has one, must be that same Host.

Whoever connects and says nothing, or half of something, is not waited for (`PATIENCE`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from ipaddress import ip_address
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

from hengfa.base.errors import UsageError

HOST: Final = "127.0.0.1"
PATIENCE: Final = 60.0
"""So many seconds a connection may be open without a whole request on it, also between two."""

PAGE_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
)
"""A page with these runs no script but its own, and asks nobody but its own server."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def listening(
    app: web.Application,
    host: str = HOST,
    port: int = 0,
    *,
    names: Collection[str] = (),
    headers: Mapping[str, str] = MappingProxyType({}),
    patience: float = PATIENCE,
    ends_with_client: bool = False,
) -> AsyncIterator[str]:
    """Serve until the block ends; gives the address. Every reply carries the headers.

    With `ends_with_client`, work for a client that has left is cancelled; else it is done, for it
    may be somebody's to keep.
    """
    known = {name.lower() for name in ("localhost", host, *names)}
    waiting = _Waiting(patience)

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        reply = await _answer(request, handler, known)
        reply.headers.update(headers)
        return reply

    app.middlewares.insert(0, guard)
    app.middlewares.append(waiting.arrived)
    runner = web.AppRunner(
        app, access_log=None, shutdown_timeout=1, handler_cancellation=ends_with_client
    )
    await runner.setup()
    closing = asyncio.create_task(waiting.close(runner))
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except (OSError, UnicodeError) as error:  # the latter of a name that can be no host's
            why = error.strerror if isinstance(error, OSError) else None
            raise UsageError(f"cannot listen on {host}:{port}: {why or error}") from error
        yield f"http://{f'[{host}]' if ':' in host else host}:{runner.addresses[0][1]}"
    finally:
        closing.cancel()
        await runner.cleanup()


class _Waiting:
    """Since when connections wait for a request to be whole; those that are answered do not."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._since: dict[web.RequestHandler, float] = {}

    @web.middleware
    async def arrived(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        await request.read()
        self._since[request.protocol] = float("inf")
        try:
            return await handler(request)
        finally:
            self._since[request.protocol] = time.monotonic()

    async def close(self, runner: web.AppRunner) -> None:
        """Close, again and again, what has waited too long."""
        while runner.server is not None:
            await asyncio.sleep(self._patience / 4)
            now, connections = time.monotonic(), runner.server.connections
            self._since = {each: self._since.get(each, now) for each in connections}
            for each, since in self._since.items():
                if since + self._patience < now and each.transport is not None:
                    each.transport.close()


async def _answer(
    request: web.Request, handler: Handler, known: Collection[str]
) -> web.StreamResponse:
    if not request.raw_path.startswith("/"):  # `OPTIONS *`, CONNECT, or the address of a proxy
        return web.Response(status=400, text="400: a path is needed\n")
    if not _admits(request, known):
        return web.Response(status=403, text="403: not from this Host or Origin\n")
    try:
        return await handler(request)
    except (web.RequestPayloadError, ConnectionError):  # the latter of who leaves before its end
        return web.Response(status=400, text="400: the content cannot be read\n")
    except web.HTTPException as error:
        return web.Response(status=error.status, text=f"{error.status}\n")


def _admits(request: web.Request, known: Collection[str]) -> bool:
    """Whether its Host is a name we go by, or an address, to which no name of others leads."""
    host = request.headers.get("Host", "")
    try:
        name = urlsplit(f"//{host}").hostname or ""
        known_host = name in known or bool(ip_address(name))
    except ValueError:
        return False
    return known_host and request.headers.get("Origin") in {None, f"http://{host}"}
