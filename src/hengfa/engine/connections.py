"""Kept connections, on which a reply may come that nobody asked for.

HTTP/1.1 does not number its replies: if a server or a proxy sends one twice, the second is read as
the reply to whatever is asked next on that connection. What lies there before the next question is
sent is seen; what comes after it can only be told by an id that was there before.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextvars import ContextVar
from weakref import WeakKeyDictionary

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.tracing import Trace

_REMEMBERED = 8  # ids per connection; Ollama draws its ids from a thousand, so more would repeat
_CURRENT: ContextVar[ResponseHandler | None] = ContextVar("connection of this task", default=None)


class Connector(aiohttp.TCPConnector):
    """Closes a kept connection on which something lies, and takes another."""

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - aiohttp's own signature
    ) -> Connection:
        _CURRENT.set(None)
        for _ in range(self.limit + 1):
            connection = await super().connect(req, traces, timeout)
            protocol = connection.protocol
            try:
                await asyncio.sleep(0)  # what has arrived is read now
            except BaseException:
                connection.close()
                raise
            if protocol is None or not protocol.should_close:
                _CURRENT.set(protocol)
                return connection
            connection.close()
        raise aiohttp.ClientConnectionError("every connection brings what nobody asked for")


def close_connection() -> None:
    """Close the one on which this task asked last: after trouble, more may be on its way."""
    if (connection := _CURRENT.get()) is not None:
        connection.close()


class LateReplies:
    """Knows a reply that came before on the same connection by its id.

    Some servers give all their replies one id. So whoever is told that a reply was here before asks
    again on a connection of its own, and says what id came then (`settle`).
    """

    def __init__(self) -> None:
        self._ids: WeakKeyDictionary[ResponseHandler, deque[object]] = WeakKeyDictionary()
        self._ids_differ = True

    def came_before(self, reply_id: object) -> bool:
        """Whether the reply that this task has just read did; then its connection is closed."""
        connection = _CURRENT.get()
        if connection is None or not reply_id or not isinstance(reply_id, str):
            return False
        ids = self._ids.setdefault(connection, deque(maxlen=_REMEMBERED))
        if reply_id in ids and self._ids_differ:
            close_connection()
            return True
        ids.append(reply_id)
        return False

    def settle(self, doubted: object, alone: object) -> None:
        """`alone` is the id that came on a connection of its own: the same one says nothing."""
        if doubted == alone:
            self._ids_differ = False
