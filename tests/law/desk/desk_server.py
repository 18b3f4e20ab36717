"""A desk that runs beside a test, and how one asks it."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import urlencode, urlsplit

from hengfa.law.desk.served import SECONDS, serving
from tests.evals.engine.server import in_thread
from tests.law.library.citing_laws import CLOSED, COAST, LANTERNS_2009

OPINION = f"""关于海滩巡逻的意见

依照《{COAST}》第四条，“{LANTERNS_2009}”
《{COAST}》第六条规定：“{CLOSED.replace("期间", "期内")}”
《{COAST}》第九条、《云港登山法》第三条。
《云港渔港法》第二条。
二〇二〇年三月一日
"""
"""Right, other words, no such article, a law that the library lacks, and one that was repealed."""


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def code(self) -> str:
        code = self.json["error"]["code"]
        assert isinstance(code, str)
        return code


class Desk:
    """A server, and its address once it runs."""

    def __init__(self, library: Path, seconds: float = SECONDS) -> None:
        self._library, self._seconds = library, seconds
        self._open = AsyncExitStack()
        self.url = ""

    async def __aenter__(self) -> Self:
        self.url = await self._open.enter_async_context(
            serving(self._library, seconds=self._seconds)
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._open.aclose()

    def ask(
        self,
        path: str,
        body: bytes | str | None = None,
        headers: dict[str, str] | None = None,
        **parameters: object,
    ) -> Reply:
        """One request: a POST where there is a body."""
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=120)
        content = body.encode() if isinstance(body, str) else body
        query = f"?{urlencode(parameters)}" if parameters else ""
        method = "GET" if content is None else "POST"
        connection.request(method, f"{path}{query}", content, headers or {})
        reply = connection.getresponse()
        told = Reply(reply.status, dict(reply.getheaders()), reply.read())
        connection.close()
        return told


@contextmanager
def running(library: Path, seconds: float = SECONDS) -> Iterator[Desk]:
    with in_thread(Desk(library, seconds)) as desk:
        yield desk
