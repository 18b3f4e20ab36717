"""Reads what a server sent into a response with a status; pure, and never surprised by its input.

A reply is untrusted JSON of any shape. Whatever it is, the result is a `Response` or `Unavailable`;
a fault is never passed on as an answer. A streamed reply (server-sent events) is first put together
into the shape of an ordinary one: streaming keeps connections to slow, thinking models alive, and
some models answer in no other way.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from typing import Any

import msgspec

from hengfa.engine import vendors
from hengfa.engine.messages import JSONObject, Response, Status, ToolCall, Unavailable, Usage

THINK_CLOSE = "</think>"

_THINK_OPEN = re.compile(r"\s*<think>")  # "\n<think>…", but not "answer <think>…"

_REASON_LENGTH = 300

_MOST_TOKENS = 1 << 53  # a count beyond this is no count, and would not fit into a float


def read_reply(body: object, *, throttling: frozenset[str] = frozenset()) -> Response:
    """The response in a decoded body that came with HTTP 200."""
    if not isinstance(body, dict):
        raise Unavailable("the reply is not a JSON object")
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if body.get("error") or not isinstance(choice, dict):
        # Some gateways report errors with HTTP 200, a few of them beside half an answer.
        return read_error(200, body, throttling=throttling)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise Unavailable("the reply has no message")
    finish = _finish(choice.get("finish_reason"))
    content = _message_text(message.get("content"))
    reasoning = _first_text(message, vendors.REASONING_FIELDS)
    if reasoning and not _THINK_OPEN.match(content):
        text: str | None = content  # a </think> in here is part of the answer, perhaps a quotation
    else:
        thoughts, text = split_thinking(content)
        reasoning = thoughts or reasoning
    tool_calls = _tool_calls(message.get("tool_calls"))
    thinking_never_ended = text is None

    status, reason = Status.ANSWERED, ""
    if finish in vendors.TROUBLE:
        raise Unavailable(f"the server gave up: finish_reason {finish!r}", overloaded=True)
    if finish in vendors.FILTER_FINISHES:
        status, reason = Status.FILTERED, f"finish_reason {finish!r}"
    elif finish in vendors.REFUSALS or message.get("refusal"):
        status, reason = Status.REFUSED, one_line(_text(message.get("refusal"))) or "refusal"
    elif finish in vendors.CUT:
        status, reason = Status.TRUNCATED, f"finish_reason {finish!r}"
    elif thinking_never_ended:
        status, reason = Status.TRUNCATED, "thinking never ended"
    elif finish and finish not in vendors.COMPLETE:
        status, reason = Status.FAILED, f"unknown finish_reason {one_line(finish)!r}"
    elif not (text or "").strip() and not tool_calls:
        status, reason = Status.EMPTY, "no text" if not reasoning else "reasoning without an answer"
    return Response(
        status=status,
        text=text or "",
        reasoning=reasoning,
        tool_calls=tool_calls,
        usage=_usage(body.get("usage")),
        reason=reason,
        served_by=one_line(_text(body.get("model"))),
    )


def read_error(
    http_status: int,
    body: object,
    *,
    retry_after: float | None = None,
    raw: str = "",
    throttling: frozenset[str] = frozenset(),
) -> Response:
    """A final response for an error that will not go away; `Unavailable` for one that may.

    `throttling` are codes with which this vendor, unlike others, only asks to slow down.
    """
    codes, message = _error_words(body)
    said = one_line(message or raw) or "no explanation"
    reason = f"HTTP {http_status}: {said}" if http_status != 200 else f"error in reply: {said}"
    lowered = message.lower()
    if any(code.split(".")[0] in vendors.FILTER_CODES for code in codes) or any(
        phrase in lowered for phrase in vendors.FILTER_PHRASES
    ):
        return Response(status=Status.FILTERED, reason=reason)
    if codes & (vendors.ACCOUNT_CODES - throttling):
        return Response(status=Status.FAILED, reason=reason)
    too_fast = codes & (vendors.OVERLOAD_CODES | throttling)
    overloaded = http_status in vendors.OVERLOAD_HTTP or bool(too_fast)
    if overloaded or http_status in vendors.RETRY_HTTP or http_status == 200:
        raise Unavailable(reason, overloaded=overloaded, retry_after=retry_after)
    return Response(
        status=Status.FAILED,
        reason=reason,
        this_question_only=http_status in vendors.QUESTION_HTTP,
    )


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
        if event.get("error") or (not choices and _error_words(event)[1]):
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


def split_thinking(content: str) -> tuple[str, str | None]:
    """(thinking, answer) of a text with <think> tags; the answer is None if thinking never ended.

    Servers without a reasoning parser leave the tags in the text, some of them only the closing one
    because the opening one belongs to the chat template. A model may think several times in a row.
    """
    thoughts: list[str] = []
    start = 0
    while (opened := _THINK_OPEN.match(content, start)) or (start == 0 and THINK_CLOSE in content):
        begin = opened.end() if opened else start
        end = content.find(THINK_CLOSE, begin)
        if end < 0:
            thoughts.append(content[begin:].strip())
            return _join(thoughts), None
        thoughts.append(content[begin:end].strip())
        start = end + len(THINK_CLOSE)
    return _join(thoughts), content[start:].lstrip() if start else content


def decode(raw: bytes) -> object:
    """The JSON value in a body, or `Unavailable`."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        shown = one_line(raw[:200].decode("utf-8", "replace")) or "nothing"
        raise Unavailable(f"the reply is not JSON: {shown}") from error


def _error_words(body: object) -> tuple[set[str], str]:
    """All error codes in a body, lower-cased, and the message, wherever this vendor puts them."""
    codes: set[str] = set()
    messages: list[str] = []

    def look(part: object, depth: int) -> None:
        if isinstance(part, str):
            messages.append(part)
        if not isinstance(part, dict) or depth > 3:
            return
        for field in ("code", "type", "status", "error_code"):
            value = part.get(field)
            if isinstance(value, str | int) and not isinstance(value, bool):
                codes.add(str(value).lower())
        messages.extend(
            part[field]
            for field in ("message", "msg", "error_msg", "detail")
            if isinstance(part.get(field), str)
        )
        for field in ("error", "innererror", "base_resp"):
            if part.get(field):
                look(part[field], depth + 1)

    look(body, 0)
    return codes, next((m for m in messages if m.strip()), "")


def _message_text(content: object) -> str:
    """Text of a message: a string, or a list of parts of which the text ones count."""
    if isinstance(content, list):
        return "".join(
            _text(part.get("text"))
            for part in content
            if isinstance(part, dict) and part.get("type", "text") in ("text", "output_text")
        )
    return _text(content)


def one_line(text: str) -> str:
    """One line of bounded length: reasons go into journals, tables and terminals."""
    line = "".join(c if c.isprintable() else " " for c in text)
    line = " ".join(line.split())
    return line if len(line) <= _REASON_LENGTH else line[: _REASON_LENGTH - 1] + "…"


def _add_delta(delta: Any, parts: dict[str, list[str]], tools: dict[int, JSONObject]) -> None:
    if not isinstance(delta, dict):
        return
    for field in ("content", "refusal", *vendors.REASONING_FIELDS):
        if text := _message_text(delta.get(field)):
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


def _usage(usage: object) -> Usage | None:
    if not isinstance(usage, dict):
        return None

    def count(holder: object, field: str) -> int:
        value = holder.get(field) if isinstance(holder, dict) else None
        if not isinstance(value, int) or isinstance(value, bool):
            return 0
        return value if 0 < value < _MOST_TOKENS else 0

    counted = Usage(
        input=count(usage, "prompt_tokens"),
        output=count(usage, "completion_tokens"),
        reasoning=count(usage.get("completion_tokens_details"), "reasoning_tokens"),
        cached=count(usage.get("prompt_tokens_details"), "cached_tokens")
        or count(usage, "prompt_cache_hit_tokens"),
    )
    return counted if counted.total else None  # a server that says it counted nothing did not count


def _finish(value: object) -> str:
    """The finish reason in small letters; one that is no text is named after its type."""
    if value is None:
        return ""
    return value.lower() if isinstance(value, str) else type(value).__name__


def _join(thoughts: list[str]) -> str:
    return "\n\n".join(thought for thought in thoughts if thought)


def _tool_calls(listed: object) -> tuple[ToolCall, ...]:
    calls: list[ToolCall] = []
    for call in listed if isinstance(listed, list) else []:
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and _text(function.get("name")):
            arguments = function.get("arguments")
            if isinstance(arguments, dict):  # Ollama once sent an object instead of its text
                arguments = msgspec.json.encode(arguments).decode()
            calls.append(
                ToolCall(
                    id=_text(call.get("id")) or f"call_{len(calls)}",
                    name=_text(function.get("name")),
                    arguments=_text(arguments),
                )
            )
    return tuple(calls)


def _first_text(holder: JSONObject, fields: Sequence[str]) -> str:
    return next((text for field in fields if (text := _text(holder.get(field)))), "")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
