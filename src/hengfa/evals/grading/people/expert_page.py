"""Serves the page to one browser on this machine.

The response on it is written by a model and may hold anything. Three walls: the server listens on
the loopback address only; every address has a random token in it, and the Host and Origin of every
request must be its own, so that no other page in the same browser can reach it; and the page runs
no script but its own, fetches nothing from elsewhere and puts text in as text.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

import msgspec
from aiohttp import web

from hengfa.base.data.jsonfile import json_decoder
from hengfa.base.errors import HengfaError
from hengfa.base.page import DOM
from hengfa.base.page.server import HOST, PAGE_HEADERS, Handler, listening
from hengfa.evals.grading.people.notebook import Answer, NotAccepted, Notebook, most_times
from hengfa.evals.grading.rubric import Deduction, Gate, Item, Mark, Penalty, Section, faults_of
from hengfa.evals.grading.submission import Submission

_PAGE: Final = Path(__file__).with_name("page")
_FILES: Final = {
    "": (_PAGE / "page.html", "text/html"),
    "page.css": (_PAGE / "page.css", "text/css"),
    "dom.js": (DOM, "text/javascript"),
    "page.js": (_PAGE / "page.js", "text/javascript"),
    "words.js": (_PAGE / "words.js", "text/javascript"),
}
_LARGEST_CHANGE: Final = 256 * 1024


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends: which submission in the rater's order, and the new answer."""

    number: int
    answer: Answer


_read_change = json_decoder(Change)


class ExpertServer:
    """An address that serves one notebook until it is closed."""

    def __init__(self, notebook: Notebook, port: int = 0) -> None:
        self._notebook = notebook
        self._port = port
        self._token = secrets.token_urlsafe(24)
        self._open = AsyncExitStack()
        self.url = ""

    async def __aenter__(self) -> ExpertServer:
        app = web.Application(middlewares=[self._guard], client_max_size=_LARGEST_CHANGE)
        for name in _FILES:
            app.router.add_get(f"/{{token}}/{name}", self._file)
        app.router.add_get("/{token}/state", self._state)
        app.router.add_post("/{token}/change", self._change)
        address = await self._open.enter_async_context(
            listening(app, HOST, self._port, headers=PAGE_HEADERS)
        )
        self.url = f"{address}/{self._token}/"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._open.aclose()

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse what does not come from our own page; a browser says where a POST comes from."""
        token = request.path.split("/")[1]
        own = hmac.compare_digest(token.encode(), self._token.encode())
        if not own or (request.method == "POST" and "Origin" not in request.headers):
            raise web.HTTPForbidden
        return await handler(request)

    async def _file(self, request: web.Request) -> web.StreamResponse:
        file, kind = _FILES[request.path.split("/", 2)[2]]
        content = await asyncio.to_thread(file.read_bytes)
        return web.Response(body=content, content_type=kind, charset="utf-8")

    async def _state(self, _request: web.Request) -> web.StreamResponse:
        return _json(page_state(self._notebook))

    async def _change(self, request: web.Request) -> web.StreamResponse:
        """One change, kept before it is answered; never two at once."""
        if request.content_type != "application/json":
            return _json({"problem": "not JSON"}, 415)
        try:
            change = _read_change(await request.read())
            if not 0 <= change.number < len(self._notebook.submissions):
                raise NotAccepted(f"no submission {change.number}")
            mark = self._notebook.put(change.number, change.answer)
        except (msgspec.DecodeError, NotAccepted) as error:
            return _json({"problem": str(error)}, 400)
        except HengfaError as error:  # such as a full disk: the page tries again
            return _json({"problem": str(error)}, 500)
        return _json(_sum(mark))


async def serve(notebook: Notebook, port: int, ready: Callable[[str], None]) -> None:
    """Serve until interrupted; ``ready`` is told the address."""
    async with ExpertServer(notebook, port) as server:
        ready(server.url)
        await asyncio.Event().wait()


def page_state(notebook: Notebook) -> dict[str, Any]:
    """All that the page shows: no keys and no names of models, since it is scored blind."""
    return {
        "rater": notebook.rater,
        "start": notebook.start(),
        "submissions": [_submission(submission) for submission in notebook.submissions],
        "answers": [
            {"items": answer.items, "faults": answer.faults, "sum": _sum(notebook.mark(number))}
            for number, answer in enumerate(notebook.answers)
        ],
    }


def _json(value: object, status: int = 200) -> web.Response:
    return web.Response(
        body=msgspec.json.encode(value), status=status, content_type="application/json"
    )


def _sum(mark: Mark) -> dict[str, float]:
    return {"points": mark.points, "maximum": mark.maximum}


def _submission(submission: Submission) -> dict[str, Any]:
    return _fields(submission, "question", "response", "reference") | {
        "sections": [_section(section) for section in submission.rubric.sections],
        "faults": _faults(submission.rubric.penalties),
    }


def _section(section: Section) -> dict[str, Any]:
    return _fields(section, "title", "group", "maximum") | {
        "order": section.order.text,
        "items": [_item(item) for item in section.items],
        "faults": _faults(faults_of(section)),
    }


def _item(item: Item) -> dict[str, Any]:
    shown = _fields(item, "id", "text", "maximum", "levels", "elements", "alternatives")
    return shown | {"faults": _faults(faults_of(item))}


_OF_FAULTS: Final = {
    Gate: ("gate", "leaves", "tier"),
    Penalty: ("penalty", "points", "all"),
    Deduction: ("deduction", "points", "most"),
}


def _faults(faults: Iterable[Deduction | Gate | Penalty]) -> list[dict[str, Any]]:
    shown = []
    for fault in faults:
        kind, *names = _OF_FAULTS[type(fault)]
        known = {"most_times": most_times(fault), "kind": kind}
        shown.append(_fields(fault, "id", "text") | known | _fields(fault, *names))
    return shown


def _fields(of: object, *names: str) -> dict[str, Any]:
    return {name: getattr(of, name) for name in names}
