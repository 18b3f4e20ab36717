"""Where an agent works on one task: it asks the model, calls tools, and hears when to stop.

Every question to the model has a key of its own, `KEY#thought-3`, so that an interrupted run goes
on from the journal without asking twice. A reply that is no answer ends the task with its status;
nothing a model or a service does becomes an exception outside.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from hengfa.agents.methods.limits import Limits, Meter, overflowed
from hengfa.agents.methods.record import Record
from hengfa.agents.trajectory import Ended
from hengfa.engine.messages import Message, Options, Request, Response, Status
from hengfa.world.remote import RemoteWorld
from hengfa.world.tools.observation import Observation
from hengfa.world.tools.observation import Status as ToolStatus
from hengfa.world.tools.retrievers import CORPUS_OF_TOOL
from hengfa.world.tools.toolbox import Toolbox

Ask = Callable[[Request], Awaitable[Response]]
"""Puts a request to the model, or finds the answer in the journal."""


class Stopped(Exception):
    """The task cannot go on: why, and the reply to which it came, if it was a reply."""

    def __init__(self, ended: Ended, response: Response) -> None:
        super().__init__(response.reason)
        self.ended = ended
        self.response = response


class Desk:
    """The model, the tools and the record of one task.

    `request` has the key of the task and the options with which the model is asked.
    """

    def __init__(self, ask: Ask, request: Request, toolbox: Toolbox, limits: Limits) -> None:
        self.key = request.key
        self.options = request.options
        self.toolbox = toolbox
        self.limits = limits
        self.meter = Meter(limits)
        self.record = Record()
        self._ask = ask

    async def say(self, step: str, prompt: str, *, cut: bool = False) -> Response:
        """The answer to a prompt that is a single message, as published agents ask."""
        return await self.converse(step, (Message("user", prompt),), self.options, cut=cut)

    async def converse(
        self, step: str, messages: tuple[Message, ...], options: Options, *, cut: bool = False
    ) -> Response:
        """The answer to a conversation; anything else ends the task.

        With `cut` a text that was cut at the length limit is an answer too.
        """
        response = await self.attempt(step, messages, options)
        if cut and response.status is Status.TRUNCATED and response.text.strip():
            return response
        return self.accept(step, response)

    def accept(self, step: str, response: Response) -> Response:
        """The response, if it is an answer."""
        if response.status is Status.ANSWERED:
            return response
        ended = Ended.CONTEXT_OVERFLOW if overflowed(response) else Ended.FAILED
        reason = f"{step}: {response.reason or response.status.value}"
        raise Stopped(ended, msgspec.structs.replace(response, reason=reason))

    async def attempt(self, step: str, messages: tuple[Message, ...], options: Options) -> Response:
        """Whatever came back."""
        request = Request(f"{self.key}#{step}", messages, options)
        response = await self._ask(request)
        self.meter.add(request, response)
        return response

    async def call(self, tool: str, arguments: Any) -> Observation:
        """What a tool answers; it is put on record. A service that is down ends the task."""
        if isinstance(self.toolbox.world, RemoteWorld) or tool in CORPUS_OF_TOOL:
            seen = await asyncio.to_thread(self.toolbox.call, tool, arguments)
        else:
            seen = self.toolbox.call(tool, arguments)
        self.record.called(tool, arguments, seen)
        if seen.status is ToolStatus.UNAVAILABLE:
            raise service_down(tool)
        return seen


def service_down(tool: str) -> Stopped:
    """The end of a task whose world is a service that gives no answer."""
    reason = f"{tool}: the world's service gave no answer"
    return Stopped(Ended.FAILED, Response(Status.FAILED, reason=reason))
