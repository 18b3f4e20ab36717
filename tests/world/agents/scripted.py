"""Models without a network that drive an agent: from a script, or by knowing what to call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from hengfa.evals.engine.messages import Message, Request, Response, Status, ToolCall, Usage
from hengfa.world.agents.booth import Booth, Limits
from hengfa.world.agents.trajectory import Reply, read_reply
from hengfa.world.tables.world import World
from hengfa.world.tools.catalogue import Mode
from hengfa.world.tools.toolbox import Toolbox

KEY = "legalagentbench/1-hop/test/1"
Says = str | Response


def action(tool: str, given: Any) -> str:
    """A reply of the text protocol."""
    return (
        f"```json\n{json.dumps({'action': tool, 'action_input': given}, ensure_ascii=False)}\n```"
    )


def final(answer: str) -> str:
    return action("Final Answer", answer)


def calls(*made: tuple[str, Any], text: str = "") -> Response:
    """A reply with native tool calls; arguments that are a text go as they are."""
    found = tuple(
        ToolCall(
            f"call_{place}",
            tool,
            given if isinstance(given, str) else json.dumps(given, ensure_ascii=False),
        )
        for place, (tool, given) in enumerate(made)
    )
    return Response(Status.ANSWERED, text=text, tool_calls=found)


def finish(answer: str, summary: str = "经过") -> Response:
    return calls(("finish", {"answer": answer, "summary": summary}))


class Script:
    """Answers each step by its name: `thought-1`, or `thought` for all thoughts.

    A list is said one after the other, its last item for ever.
    """

    def __init__(self, **said: Says | Sequence[Says]) -> None:
        self.said = {name.replace("_", "-"): answer for name, answer in said.items()}
        self.asked: list[Request] = []

    async def __call__(self, request: Request) -> Response:
        self.asked.append(request)
        step = request.key.partition("#")[2]
        kind = step.rstrip("0123456789").rstrip("-")
        said = self.said.get(step, self.said.get(kind, "好"))
        if isinstance(said, Sequence) and not isinstance(said, str):
            number = sum(one.key.startswith(f"{KEY}#{kind}") for one in self.asked)
            said = said[min(number, len(said)) - 1]
        if isinstance(said, Response):
            return said
        return Response(Status.ANSWERED, text=said, usage=Usage(input=100, output=10))

    @property
    def steps(self) -> list[str]:
        return [request.key.partition("#")[2] for request in self.asked]

    def prompt(self, step: str) -> str:
        """All that the model was shown at this step."""
        request = next(one for one in self.asked if one.key.endswith(f"#{step}"))
        return "\n".join(message.content for message in request.messages)


Ask = Callable[[Request], Awaitable[Response]]


def booth(ask: Ask, world: World, mode: Mode, limits: Limits | None = None) -> Booth:
    request = Request(KEY, (Message("user", "问题"),))
    return Booth(ask, request, Toolbox(world, mode), limits or Limits())


def told(response: Response) -> Reply:
    """What an agent handed in."""
    reply = read_reply(response.text)
    assert reply is not None
    return reply


def run(work: Awaitable[Response]) -> Response:
    async def wait() -> Response:
        return await work

    return asyncio.run(wait())
