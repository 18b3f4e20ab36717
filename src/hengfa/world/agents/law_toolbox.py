"""The tools of the law as agents of ours call them: those of the MCP server, without a server.

Whoever trains a model for the desk wants it to see the desk's own tools. Their schemas and checks
are the SDK's, as over MCP (`hengfa[mcp]`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from datetime import date
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, cast

from mcp.server.mcpserver.tools import Tool as ServedTool
from pydantic import ValidationError

from hengfa.base.data.jsonfile import builtins_of
from hengfa.base.errors import HengfaError
from hengfa.law.desk.mcp_server import TITLES, Answering, LawTools, answered, law_tool, shown
from hengfa.law.library.store import Library
from hengfa.world.agents.seats import observation_of
from hengfa.world.tables.schema import Schema
from hengfa.world.tables.world import World
from hengfa.world.tools.catalogue import Tool
from hengfa.world.tools.observation import Observation, Status, echo, refusal_of
from hengfa.world.tools.toolbox import Call, Toolbox


def law_tools(library: Library, today: date) -> Iterator[tuple[Tool, Call]]:
    """The tools, each with what answers it, for `Toolbox.with_tools`; as on a day, so that the same
    call has the same answer whenever it is made."""
    law, lock, calls = LawTools(library, today), threading.Lock(), Answering()
    for name, title in TITLES.items():
        served = law_tool(getattr(law, name), title, calls)
        offered = Tool(0, name, served.description, served.parameters)
        yield offered, partial(_call_served, served, getattr(law, name), lock)


class LawToolbox(Toolbox):
    """The tools of the law alone, over no world."""

    def __init__(self, library: Library, today: date) -> None:
        self.world = cast("World", None)
        self.mode = "helpful"
        self.schema = Schema((), ())
        tools = tuple(law_tools(library, today))
        self._tools = {tool.name: tool for tool, _ in tools}
        self._calls = {tool.name: call for tool, call in tools}


def desk_tools(library: Path, today: date) -> Callable[[], Toolbox]:
    """Opens the tools over a library's file, once in each process; for environments."""
    return partial(_open, library, today)


def _open(library: Path, today: date) -> Toolbox:
    return _open_once(library, library.stat().st_mtime_ns, today, os.getpid())


@lru_cache(maxsize=4)
def _open_once(library: Path, _changed: int, today: date, _process: int) -> Toolbox:
    return LawToolbox(Library.open(library), today)


def _call_served(
    served: ServedTool, method: Any, lock: threading.Lock, arguments: Any
) -> Observation:
    """What the desk answers; one call at a time, for what a checker keeps is for one reader."""
    if not isinstance(arguments, dict):
        return refusal_of(Status.BAD_ARGUMENTS, "参数不是JSON对象")
    try:
        given = served.fn_metadata.validate_arguments(arguments)
        with lock:
            answer = answered(method, **given)
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(map(str, first["loc"]))
        return refusal_of(Status.BAD_ARGUMENTS, f"参数{echo(at)}：{echo(first['msg'])}")
    except HengfaError as error:
        return refusal_of(Status.BAD_ARGUMENTS, shown(error))
    return observation_of(builtins_of(answer))
