"""A Python function as a model: whoever can write one can have it tested."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import msgspec

from hengfa.evals.engine.messages import Request, Response, Status
from hengfa.evals.engine.replies import is_blank

Function: TypeAlias = Callable[[list[dict[str, Any]]], str | Awaitable[str]]
"""From the messages of a prompt, as `{"role": "user", "content": …}`, to what is answered."""


class FunctionModel:
    """Answers with a function: an `async` one many questions at a time, another one by one.

    What it raises is a response that failed, with the reason; a run whose every question fails ends
    as it does with a server that is down.
    """

    address = ""

    def __init__(self, function: Function) -> None:
        self.name = getattr(function, "__name__", type(function).__name__).strip("<>")
        self._function = function

    async def generate(self, request: Request) -> Response:
        messages = [{"content": "", **msgspec.to_builtins(message)} for message in request.messages]
        try:
            said = self._function(messages)
            text = await said if inspect.isawaitable(said) else said
        except Exception as error:  # noqa: BLE001 - anything can be wrong with other people's code
            return _failed(f"{type(error).__name__}: {error}")
        if not isinstance(text, str):
            return _failed(f"{self.name} returned {type(text).__name__}, not text")
        if is_blank(text):
            return Response(status=Status.EMPTY, reason="no text")
        return Response(status=Status.ANSWERED, text=text)

    async def close(self) -> None:
        return


def _failed(reason: str) -> Response:
    return Response(status=Status.FAILED, reason=reason)
