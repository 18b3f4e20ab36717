"""Serves the desk: a page in the browser, and the same over REST.

It listens on this machine only unless told otherwise, and there is no key: whoever reaches the port
can read the law, and have documents checked, of which nothing is kept. Pages of others in a browser
on this machine cannot (`hengfa.base.page.server`). A document may hold anything: it is read in a
process with limits (`worker`), and the page puts it in as text.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
from aiohttp import web

import hengfa
from hengfa.base.data.jsonfile import encode_json, json_decoder
from hengfa.base.errors import DataError, HengfaError
from hengfa.base.page import DOM
from hengfa.base.page.server import HOST, PAGE_HEADERS, PATIENCE, Handler, listening
from hengfa.law.desk.rest import (
    DOCUMENTS,
    LARGEST_FILE,
    QUESTIONS,
    STATUS,
    WITHOUT_LIBRARY,
    Bench,
    Code,
    Operation,
    ToldDesk,
    ToldError,
    ToldLibrary,
    ToldProblem,
    openapi,
)
from hengfa.law.desk.worker import Busy, Ended, Job, Refusal, Workers
from hengfa.law.library.store import Library

SECONDS: Final = 60.0
"""So long a document may take; a judgment of fifty pages takes a tenth of a second."""

_PAGE: Final = Path(__file__).with_name("page")
_FILES: Final = {
    "/": (_PAGE / "desk.html", "text/html"),
    "/desk.css": (_PAGE / "desk.css", "text/css"),
    "/dom.js": (DOM, "text/javascript"),
    "/desk.js": (_PAGE / "desk.js", "text/javascript"),
    "/words.js": (_PAGE / "words.js", "text/javascript"),
}
_CODE_OF: Final[dict[int, Code]] = {404: "not_found", 413: "too_large"}


class _Desk:
    """What the server holds: the library, once there is one, and the processes for documents."""

    def __init__(self, file: Path | None, seconds: float) -> None:
        self.file = file
        self.workers = Workers(partial(Bench, file), seconds)
        self._library: Library | None = None
        self._searching = asyncio.Lock()

    def library(self) -> Library:
        """The library; one that is built while the server runs is found."""
        if self._library is None:
            try:
                self._library = Library.open(self.file)
            except DataError as error:
                raise Refusal("no_library", str(error)) from error
        return self._library

    def close(self) -> None:
        self.workers.close()
        if self._library is not None:
            self._library.close()

    async def about(self, _request: web.Request) -> web.Response:
        seconds = self.workers.seconds
        try:
            library = self.library()
        except Refusal as refusal:
            return _json(ToldDesk(hengfa.__version__, None, str(refusal), seconds))
        about = ToldLibrary(library.fingerprint, len(library.laws()), len(library.versions()))
        return _json(ToldDesk(hengfa.__version__, about, "", seconds))

    async def question(self, request: web.Request) -> web.Response:
        """Answered at once; only searches wait for each other, since the first makes an index."""
        operation = QUESTIONS[request.path]
        asked, library = _read_request(operation, request), self.library()
        async with self._searching if request.path == "/api/search" else nullcontext():
            return _json(await asyncio.to_thread(operation.answer, library, asked))

    async def document(self, request: web.Request) -> web.Response:
        asked = _read_request(DOCUMENTS[request.path], request)
        if request.path not in WITHOUT_LIBRARY:
            self.library()
        try:
            job = Job(request.path, msgspec.Raw(encode_json(asked)))
            outcome, made = await self.workers.do(job, await request.read())
        except Ended as ended:
            raise Refusal("too_slow", f"the document was given up: {ended}") from None
        except Busy:
            raise Refusal("busy", "all processes are at work: try again later") from None
        if outcome.code:
            return _problem(STATUS[outcome.code], outcome.code, _read_message(made))
        # whoever opens a report does so as a file, not as a page of this server
        shown = {"Content-Disposition": "attachment"} if request.path == "/api/report" else None
        return web.Response(body=made, content_type=outcome.media, headers=shown)


_read_message = json_decoder(str)


def _read_request(operation: Operation, request: web.Request) -> Any:
    try:
        return msgspec.convert(dict(request.query), operation.asked, strict=False)
    except msgspec.ValidationError as error:
        raise Refusal("bad_request", str(error)) from error


def application(desk: _Desk) -> web.Application:
    """The service, ready to be run."""
    app = web.Application(middlewares=[_telling_problems], client_max_size=LARGEST_FILE)
    app.add_routes([web.get(path, _file) for path in _FILES])
    app.add_routes([web.get("/openapi.json", _openapi), web.get("/api/about", desk.about)])
    app.add_routes([web.get(path, desk.question) for path in QUESTIONS])
    app.add_routes([web.post(path, desk.document) for path in DOCUMENTS])
    return app


@asynccontextmanager
async def serving(
    library: Path | None = None,
    host: str = HOST,
    port: int = 0,
    *,
    names: Collection[str] = (),
    seconds: float = SECONDS,
    patience: float = PATIENCE,
) -> AsyncIterator[str]:
    """Serve until the block ends; gives the address. It may also be asked for by these names."""
    desk = _Desk(library, seconds)
    try:
        async with listening(
            application(desk),
            host,
            port,
            names=names,
            headers=PAGE_HEADERS,
            patience=patience,
            ends_with_client=True,
        ) as address:
            yield f"{address}/"
    finally:
        desk.close()


@web.middleware
async def _telling_problems(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Whatever is not answered is told in one form."""
    try:
        return await handler(request)
    except Refusal as refusal:
        return _problem(STATUS[refusal.code], refusal.code, str(refusal))
    except HengfaError as error:
        return _problem(400, "bad_request", str(error))
    except web.HTTPException as error:
        return _problem(error.status, _CODE_OF.get(error.status, "bad_request"), error.reason)


async def _file(request: web.Request) -> web.Response:
    file, kind = _FILES[request.path]
    content = await asyncio.to_thread(file.read_bytes)
    return web.Response(body=content, content_type=kind, charset="utf-8")


async def _openapi(_request: web.Request) -> web.Response:
    return _json(openapi())


def _problem(status: int, code: Any, message: str) -> web.Response:
    return _json(ToldProblem(ToldError(code, message)), status)


def _json(value: object, status: int = 200) -> web.Response:
    return web.Response(body=encode_json(value), status=status, content_type="application/json")
