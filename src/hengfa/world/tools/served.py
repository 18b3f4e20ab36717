"""The tools over HTTP, as the published interface has them: for agents that run elsewhere.

`POST /<tool>` with the arguments as JSON answers with the result as JSON (legalagentbench.md 2.2);
`GET /` lists the tools with their schemas. It listens on this machine only unless told otherwise,
and there is no key: whoever reaches the port can read the world, and nothing else. Pages of others
in a browser on this machine do not (`hengfa.page.server`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

import msgspec
from aiohttp import web

from hengfa.data.jsonfile import decode_json
from hengfa.page.server import HOST, listening
from hengfa.world.schema import LOOKUP_OF
from hengfa.world.tools.observation import Observation, Status
from hengfa.world.tools.toolbox import Toolbox

LARGEST: Final = 4 * 1024 * 1024


def application(toolbox: Toolbox) -> web.Application:
    """The service, ready to be run."""

    async def listed(_request: web.Request) -> web.Response:
        return _json([msgspec.to_builtins(spec) for spec in toolbox.specs()])

    async def called(request: web.Request) -> web.Response:
        try:
            arguments = decode_json(await request.read() or b"{}")
        except msgspec.DecodeError:
            return _json("the arguments are not JSON", status=400)
        tool = request.match_info["tool"]
        return _json(result(tool, await asyncio.to_thread(toolbox.call, tool, arguments)))

    app = web.Application(client_max_size=LARGEST)
    app.add_routes([web.get("/", listed), web.post("/{tool}", called)])
    return app


def serving(
    toolbox: Toolbox, host: str = HOST, port: int = 0, names: Collection[str] = ()
) -> AbstractAsyncContextManager[str]:
    """Serve until the block ends; gives the address. It may also be asked for by these names."""
    return listening(application(toolbox), host, port, names=names)


def result(tool: str, seen: Observation) -> Any:
    """What the published service sends: rows, a value, or the text of an error."""
    if seen.status is not Status.OK or tool not in LOOKUP_OF:
        return seen.text if seen.value is None else seen.value
    if seen.value is not None:
        return seen.value
    return list(seen.rows) if LOOKUP_OF[tool].returns == "list" else seen.rows[0]


def _json(value: Any, status: int = 200) -> web.Response:
    return web.Response(
        body=msgspec.json.encode(value), status=status, content_type="application/json"
    )
