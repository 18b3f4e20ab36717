"""The tools of a legal world, as `hengfa mcp` offers them beside the law's.

With seats, a client works on a task, and every call goes on record, those of the law too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from hengfa.evals.engine.messages import ToolSpec
from hengfa.world.agents.seats import Seats
from hengfa.world.tools.catalogue import FINISH
from hengfa.world.tools.observation import Observation, Status
from hengfa.world.tools.toolbox import Toolbox

READ_TASK: Final = ToolSpec(
    "read_task",
    "读取本连接的任务：问题、此前已经作过的调用、是否已经提交答案。开始时先调用。",
    {"type": "object", "properties": {}, "additionalProperties": False},
)
_WORLD: Final = """\
法律世界：公司、法院、律师事务所、裁判文书和案件的表格与文本，用 get_…、…_retriever 等工具查询。
A legal world: tables of companies, courts, law firms, judgments and cases, and texts.
"""
_TASK: Final = """\
本连接对应一道任务：先用 read_task 读题，查清之后用 finish 提交答案；每次调用都会记录。
This connection is one task: `read_task` gives the question, `finish` hands in the answer.
"""


class OfferedWorld:
    """A world's tools, and where tasks are worked on, its seats (`mcp_server.OtherTools`)."""

    def __init__(self, toolbox: Toolbox, seats: Seats | None = None, task: str = "") -> None:
        self._toolbox, self._seats = toolbox, seats
        self.task = task
        self.instructions = _WORLD + (_TASK if seats else "")
        self.path = "/tasks/{task}/mcp" if seats else "/mcp"

    def specs(self) -> Iterable[ToolSpec]:
        """What is offered; nobody hands in where there is no task."""
        if self._seats is not None:
            return (READ_TASK, *self._seats.specs())
        return self._toolbox.specs(name for name in self._toolbox.names if name != FINISH)

    def writes(self, name: str) -> bool:
        return name == FINISH

    def call(self, task: str, name: str, arguments: Any) -> str:
        """What a tool answers; it is put on record where there is a task."""
        if self._seats is None:
            return self._toolbox.call(name, arguments).text
        if name == READ_TASK.name:
            return msgspec.json.encode(self._seats.seat(task)).decode()
        return self._seats.call(task, name, arguments).text

    def begins(self, task: str) -> bool:
        if self._seats is None:
            return False
        self._seats.seat(task)  # there is one
        return True

    def keep(self, task: str, name: str, arguments: Any, told: dict[str, Any] | str) -> str | None:
        if self._seats is None:
            return None
        seen = Observation(told, Status.BAD_ARGUMENTS) if isinstance(told, str) else observed(told)
        kept = self._seats.keep(task, name, arguments, seen)
        return None if kept is seen else kept.text


def observed(told: dict[str, Any]) -> Observation:
    """An answer of the law as the result of a call."""
    found = told.get("status", "found") in ("found", "derived")
    return Observation(msgspec.json.encode(told).decode(), Status.OK if found else Status.NO_DATA)
