"""The tools over HTTP, as the published interface has them: for agents that run elsewhere.

`POST /<tool>` with the arguments as JSON answers with the result as JSON (legalagentbench.md 2.2);
`GET /` lists the tools with their schemas, and `/openapi.json` describes all of it. With seats, the
same is below `/tasks/<id>`, where `GET` gives the question and every call goes on record.

It listens on this machine only unless told otherwise, and there is no key: whoever reaches the port
can read the world, work on tasks, and nothing else. Pages of others in a browser on this machine do
not (`hengfa.base.page.server`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Final
from urllib.parse import quote

import msgspec
from aiohttp import web

import hengfa
from hengfa.base.data.jsonfile import decode_json, encode_json
from hengfa.base.page.server import HOST, PATIENCE, listening
from hengfa.evals.engine.messages import ToolSpec
from hengfa.world.agents.seats import Seats
from hengfa.world.tools.observation import Observation
from hengfa.world.tools.toolbox import Toolbox

LARGEST: Final = 4 * 1024 * 1024


class _Service:
    def __init__(self, toolbox: Toolbox, seats: Seats | None) -> None:
        self._toolbox = toolbox
        self._seats = seats

    async def list_tools(self, _request: web.Request) -> web.Response:
        return _json(self._toolbox.specs())

    async def list_tasks(self, _request: web.Request) -> web.Response:
        return _json(list(self._seats.questions) if self._seats else [])

    async def show_task(self, request: web.Request) -> web.Response:
        seats, id_ = self._seats_of(request)
        return _json(await asyncio.to_thread(seats.seat, id_))

    async def show_api(self, _request: web.Request) -> web.Response:
        return _json(openapi(self._toolbox.specs()))

    async def show_task_api(self, request: web.Request) -> web.Response:
        seats, id_ = self._seats_of(request)
        return _json(openapi(seats.specs(), id_, seats.questions[id_]))

    async def call_tool(self, request: web.Request) -> web.Response:
        return await _answer_call(request, self._toolbox.call)

    async def call_task_tool(self, request: web.Request) -> web.Response:
        seats, id_ = self._seats_of(request)
        return await _answer_call(request, partial(seats.call, id_))

    def _seats_of(self, request: web.Request) -> tuple[Seats, str]:
        id_ = request.match_info["task"]
        if self._seats is None or id_ not in self._seats.questions:
            raise web.HTTPNotFound
        return self._seats, id_


def application(toolbox: Toolbox, seats: Seats | None = None) -> web.Application:
    service = _Service(toolbox, seats)
    app = web.Application(client_max_size=LARGEST)
    app.add_routes(
        [
            web.get("/", service.list_tools),
            web.get("/openapi.json", service.show_api),
            web.get("/tasks", service.list_tasks),
            web.get("/tasks/{task}", service.show_task),
            web.get("/tasks/{task}/openapi.json", service.show_task_api),
            web.post("/tasks/{task}/{tool}", service.call_task_tool),
            web.post("/{tool}", service.call_tool),
        ]
    )
    return app


def serving(
    toolbox: Toolbox,
    host: str = HOST,
    port: int = 0,
    names: Collection[str] = (),
    seats: Seats | None = None,
    patience: float = PATIENCE,
) -> AbstractAsyncContextManager[str]:
    """Serve until the block ends; gives the address. It may also be asked for by these names."""
    return listening(application(toolbox, seats), host, port, names=names, patience=patience)


def openapi(specs: Iterable[ToolSpec], task: str = "", question: str = "") -> dict[str, Any]:
    """The OpenAPI 3.1 document of the tools, or of those of a task, whose calls go on record."""
    about = {"title": "Hengfa 衡法 · 法律世界", "version": hengfa.__version__}
    answer = {"description": "Rows, a value, or what is wrong", "content": _content({})}
    responses = {"200": answer, "400": {"description": "No JSON"}}
    return {
        "openapi": "3.1.0",
        "info": {**about, "description": question} if question else about,
        "servers": [{"url": f"/tasks/{quote(task, safe='')}" if task else "/"}],
        "paths": {
            f"/{spec.name}": {
                "post": {
                    "operationId": spec.name,
                    "description": spec.description,
                    "requestBody": {"required": True, "content": _content(spec.parameters)},
                    "responses": responses,
                }
            }
            for spec in specs
        },
    }


def _content(schema: object) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


async def _answer_call(
    request: web.Request, call: Callable[[str, Any], Observation]
) -> web.Response:
    try:
        arguments = decode_json(await request.read() or b"{}")
    except msgspec.DecodeError:
        return _json("the arguments are not JSON", status=400)
    tool = request.match_info["tool"]
    seen = await asyncio.to_thread(call, tool, arguments)
    # as the published service: rows, a value, or the text of an error
    return _json(seen.text if seen.value is None else seen.value)


def _json(value: Any, status: int = 200) -> web.Response:
    return web.Response(body=encode_json(value), status=status, content_type="application/json")
