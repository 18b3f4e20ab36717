"""What an agent may say before it is asked: the shortest way to its end, and the longest.

A method that works with these replies, and with tools that only seem to answer, asks the questions
that it would ask a model. So they can be counted, and nothing is sent or looked up.
"""

from __future__ import annotations

import json
from typing import Any, Final, cast

from hengfa.evals.engine.messages import Request, Response, Status, ToolCall
from hengfa.evals.engine.tokens import MOST_PER_CHARACTER
from hengfa.world.agents.native import MOST_CALLS
from hengfa.world.tables.remote import RemoteWorld
from hengfa.world.tables.world import World
from hengfa.world.tools.catalogue import FINAL_ANSWER, FINISH, Mode
from hengfa.world.tools.observation import Observation
from hengfa.world.tools.toolbox import Toolbox

STEPS: Final = 10
"""Of a plan, where nothing limits it."""
_SIGN: Final = "案"
_NOTHING: Final = "无"
_LOOKUP: Final = "get_company_info"


class SeemingTools(Toolbox):
    """The tools as a model is shown them; whatever is called, the result has the same length."""

    def __init__(self, mode: Mode, length: int, remote: RemoteWorld | None = None) -> None:
        super().__init__(remote or cast("World", None), mode)
        self._result = Observation(_SIGN * length)

    def call(self, _name: object, _arguments: Any) -> Observation:
        return self._result


def short_reply(request: Request, _longest: int) -> Response:
    """A reply that leads to the end at once."""
    kind, _ = _step(request)
    if kind == "turn":
        given = {"answer": _NOTHING, "summary": _NOTHING}
        return _reply("", ToolCall("1", FINISH, json.dumps(given, ensure_ascii=False)))
    return _reply(
        {
            "filter": '{"名称": ["AddrInfo"]}',
            "plan": _plan(1),
            "solve": _action(FINAL_ANSWER, _NOTHING),
            "action": _action(FINAL_ANSWER, _NOTHING),
        }.get(kind, _NOTHING)
    )


def long_reply(request: Request, longest: int, steps: int | None = None) -> Response:
    """A reply of so many tokens after which the agent goes on, as long as it may."""
    kind, number = _step(request)
    filler = _SIGN * int(longest / MOST_PER_CHARACTER)
    if kind == "turn":
        calls = (
            ToolCall(f"{number}-{place}", _LOOKUP, f'{{"identifier": "{number}-{place}"}}')
            for place in range(MOST_CALLS)
        )
        return _reply(filler, *calls)
    if kind in ("plan", "replan"):
        return _reply(_plan(steps or STEPS) + filler)
    if kind in ("solve", "action"):
        return _reply(filler + _action(_LOOKUP, {"identifier": number}))
    return _reply(filler)  # tables are named by none of it: the filter tries three times


def _step(request: Request) -> tuple[str, str]:
    """`…#thought-3` to `thought` and `3`."""
    kind, _, number = request.key.partition("#")[2].partition("-")
    return kind, number


def _plan(steps: int) -> str:
    return "\n".join(f"第{number}步: 查询" for number in range(1, steps + 1))


def _action(tool: str, given: object) -> str:
    action = json.dumps({"action": tool, "action_input": given}, ensure_ascii=False)
    return f"```json\n{action}\n```"


def _reply(text: str, *calls: ToolCall) -> Response:
    return Response(Status.ANSWERED, text=text, tool_calls=calls)
