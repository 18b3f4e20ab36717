"""Puts a streamed reply (server-sent events) together into the shape of an ordinary one.

Streaming keeps connections to slow, thinking models alive, and some models answer in no other way.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from hengfa.engine import vendors
from hengfa.engine.messages import JSONObject, Unavailable
from hengfa.engine.replies import decode, error_words, message_text


async def assemble(lines: AsyncIterator[bytes]) -> JSONObject:
    """The whole reply; `Unavailable` if the stream broke off before the model finished."""
    parts: dict[str, list[str]] = {}
    tools: dict[int, JSONObject] = {}
    finish: str | None = None
    last: JSONObject = {}
    done = False
    async for line in lines:
        if not line.startswith(b"data:"):
            continue  # comments (": keep-alive"), event names, blank lines
        data = line[5:].strip()
        if data == b"[DONE]":
            done = True
            break
        if not data:
            continue
        event = decode(data)
        if not isinstance(event, dict):
            raise Unavailable("the stream holds something that is not an event")
        choices = event.get("choices")
        if not isinstance(choices, list):
            choices = []  # an error, or a mere count of tokens
        if event.get("error") or (not choices and error_words(event)[1]):
            return event
        for field in ("usage", "model"):
            if event.get(field):
                last[field] = event[field]
        for choice in choices[:1]:
            if isinstance(choice, dict):
                finish = choice.get("finish_reason") or finish
                _add_delta(choice.get("delta"), parts, tools)
    if finish is None and not done:
        raise Unavailable("the stream broke off before the answer was complete")
    message: JSONObject = {field: "".join(texts) for field, texts in parts.items()}
    message["tool_calls"] = [tools[index] for index in sorted(tools)]
    return {**last, "choices": [{"message": message, "finish_reason": finish}]}


def _add_delta(delta: Any, parts: dict[str, list[str]], tools: dict[int, JSONObject]) -> None:
    if not isinstance(delta, dict):
        return
    for field in ("content", "refusal", *vendors.REASONING_FIELDS):
        if text := message_text(delta.get(field)):
            parts.setdefault(field, []).append(text)
    calls = delta.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        if not isinstance(call, dict):
            continue
        index = call.get("index")
        function = call.get("function")
        if not isinstance(index, int):  # then a call begins with its id and the rest follows
            index = max(tools, default=-1) + (1 if call.get("id") or not tools else 0)
        held = tools.setdefault(index, {"id": "", "function": {"name": "", "arguments": ""}})
        if isinstance(call.get("id"), str):
            held["id"] = held["id"] or call["id"]
        for field in ("name", "arguments"):
            if isinstance(function, dict) and isinstance(function.get(field), str):
                held["function"][field] += function[field]
