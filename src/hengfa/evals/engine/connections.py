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

from hengfa.evals.engine.messages import Response

_REMEMBERED = 8  # replies per connection
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
    """Knows a reply that came before on the same connection by its id and all it says.

    Some servers give all their replies one id. So ids count only if the first two replies had
    different ones, and those two come on different connections: what is first on a connection is
    not late. Whoever is told that a reply was here before asks again on a connection of its own,
    and says what id came then (`settle`).
    """

    def __init__(self) -> None:
        self._seen: WeakKeyDictionary[ResponseHandler, deque[int]] = WeakKeyDictionary()
        self._first_id = ""
        self._ids_differ: bool | None = None

    def came_before(self, reply_id: object, response: Response) -> bool:
        """Whether the reply that this task has just read did; then its connection is closed."""
        connection = _CURRENT.get()
        if connection is None or not reply_id or not isinstance(reply_id, str):
            return False
        if not self._first_id:
            self._first_id = reply_id
            close_connection()
            return False
        if self._ids_differ is None:
            self._ids_differ = reply_id != self._first_id
        if not self._ids_differ:
            return False
        seen = self._seen.setdefault(connection, deque(maxlen=_REMEMBERED))
        said = hash((reply_id, response))
        if said in seen:
            close_connection()
            return True
        seen.append(said)
        return False

    def settle(self, doubted: object, alone: object) -> None:
        """`alone` is the id that came on a connection of its own: the same one says nothing."""
        if doubted == alone:
            self._ids_differ = False
