"""Reads what a server sent into a response with a status; pure, and never surprised by its input.

A reply is untrusted JSON of any shape. Whatever it is, the result is a `Response` or `Unavailable`.
It is an answer only if it has the shape of one and bears no sign of trouble (`signs.py`); a sign
that nobody knows is a failure, with its name as the reason.

A streamed reply (server-sent events) is first put together into the shape of an ordinary one:
streaming keeps connections to slow, thinking models alive, and some models answer in no other way.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import AsyncIterator, Callable
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from hengfa.base.data.jsonfile import decode_json, json_decoder
from hengfa.base.secrets import Redaction
from hengfa.evals.engine.messages import JSONObject, Response, Status, ToolCall, Unavailable, Usage
from hengfa.evals.engine.signs import SIGNS, Trouble, error_words, find_troubles, name_of

T = TypeVar("T", list[Any], JSONObject)

THINK_CLOSE = "</think>"
_THINK_OPEN = re.compile(r"\s*<think>")  # "\n<think>…", but not "answer <think>…"
_REASON_LENGTH = 300
_HTTP_STATUS = re.compile(r"HTTP_STATUS/(\d+)")  # ":HTTP_STATUS/400" in Qwen's native streams
_STREAM = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:(?:data|event|id|retry)?:|\{[^\r\n]*\}[\r\n]+\{)")
"""How a stream begins, whatever it is said to be: with an event, or with objects line by line."""

_DONE = b"[DONE]"
_FIELD_NAME = re.compile(rb"(?:[A-Za-z][\w.-]*)?")
_NO = (False, 0)
_INVISIBLE = "CMZ"  # control, format and unassigned characters; marks on nothing; separators
_FILLERS = "\u115f\u1160\u2800\u3164\uffa0\ufffc\ufffd"
_GRAVITY = (Status.ANSWERED, Status.TRUNCATED, None, Status.REFUSED, Status.FAILED, Status.FILTERED)
_REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Where servers put the thinking: DeepSeek, Qwen, GLM, Doubao, Kimi, SGLang; vLLM, Ollama."""
_OTHER_ROLES = ("system", "user", "tool", "function")  # what these say is not the model's answer
_HEARTBEATS = ("ping", "heartbeat", "keepalive", "keep-alive")  # events that say nothing
_BAD_FINISHES = {status: SIGNS.compiled(words) for status, words in SIGNS.bad_finishes.items()}
ANSWER_HTTP = frozenset({200, 201, 203})
_QUESTION_HTTP = frozenset({400, 413, 422})  # the request itself is refused; another one may do
_OVERLOAD_HTTP = frozenset({429, 503, 529})
_RETRY_HTTP = frozenset({408, 409, 425, 500, 502, 504, 520, 521, 522, 523, 524})
_Empty = Annotated[list[None], msgspec.Meta(max_length=0)] | None
_WORD = re.compile("[0-9A-Za-z一-鿿]")  # a text without any may be one of invisible characters
_MOST_TOKENS = 1 << 53  # a count beyond this is no count, and would not fit into a float


def read_reply(body: object, *, throttling: frozenset[str] = frozenset()) -> Response:
    """The response in a decoded body that came with HTTP 200."""
    if not isinstance(body, dict):
        raise Unavailable("the reply is not a JSON object")
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    finish = _finish(body, choice, message)
    troubles = find_troubles(body)
    filtered = _end_of(finish) is Status.FILTERED or any(
        trouble.status is Status.FILTERED for trouble in troubles
    )
    errors = [trouble for trouble in troubles if trouble.status is Status.FAILED]
    if errors and not filtered:
        # Some gateways report errors with HTTP 200, a few of them beside half an answer.
        holders = {id(trouble.holder): trouble.holder for trouble in errors}
        said = {"errors": list(holders.values())}
        return read_error(200, said, raw=errors[0].said, throttling=throttling)
    if not isinstance(choice, dict) and not filtered:
        return read_error(200, body, throttling=throttling)
    if not isinstance(message, dict):
        if not filtered:
            raise Unavailable("the reply has no message")
        message = {}
    theirs = message.get("role") in _OTHER_ROLES
    content = "" if theirs else _message_text(message.get("content"))
    thoughts = (_text(message.get(field)) for field in _REASONING_FIELDS)
    reasoning = next(filter(None, thoughts), "")
    if reasoning and not _THINK_OPEN.match(content):
        text: str | None = content  # a </think> in here is part of the answer, perhaps a quotation
    else:
        thinking, text = split_thinking(content)
        reasoning = thinking or reasoning
    tool_calls = _tool_calls(message)

    status, reason = _ending(finish, _refusal(body, choice, message), troubles)
    if status is Status.ANSWERED and text is None:
        status, reason = Status.TRUNCATED, "thinking never ended"
    elif status is Status.ANSWERED and is_blank(text or "") and not tool_calls:
        status, reason = Status.EMPTY, "no text" if not reasoning else "reasoning without an answer"
    elif status is Status.ANSWERED and name_of(finish).plain in SIGNS.calls and not tool_calls:
        status, reason = Status.EMPTY, f"finish_reason {finish!r} without a call"
    return Response(
        status=status,
        text=text or "",
        reasoning=reasoning,
        tool_calls=tool_calls,
        usage=read_usage(body.get("usage")),
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
    codes, message = error_words(body)
    said = one_line(message or raw) or "no explanation"
    reason = f"HTTP {http_status}: {said}" if http_status != 200 else f"error in reply: {said}"
    lowered = message.lower()
    if any(code.split(".")[0] in SIGNS.filter_codes for code in codes) or any(
        phrase in lowered for phrase in SIGNS.filter_phrases
    ):
        return Response(status=Status.FILTERED, reason=reason)
    if codes & (SIGNS.account_codes - throttling):
        return Response(status=Status.FAILED, reason=reason)
    too_fast = codes & (SIGNS.overload_codes | throttling)
    overloaded = http_status in _OVERLOAD_HTTP or bool(too_fast)
    if overloaded or http_status in _RETRY_HTTP or http_status == 200:
        raise Unavailable(reason, overloaded=overloaded, retry_after=retry_after)
    return Response(
        status=Status.FAILED, reason=reason, this_question_only=http_status in _QUESTION_HTTP
    )


def read_any(
    http_status: int, body: object, *, throttling: frozenset[str] = frozenset()
) -> Response:
    """The response in a decoded body that came with any status."""
    if http_status in ANSWER_HTTP:
        return read_reply(body, throttling=throttling)
    return read_error(http_status, body, throttling=throttling)


def without_tools(response: Response) -> Response:
    """The response to a question with which no tools were offered: a call is no answer then."""
    if not response.tool_calls or response.status is not Status.ANSWERED:
        return response
    failed = {"status": Status.FAILED, "reason": "a call, though no tools were offered"}
    return msgspec.structs.replace(response, **failed, this_question_only=True)


def as_it_is(body: object) -> object:
    """A reply of a chat."""
    return body


def as_chat(body: object) -> object:
    """A reply, or an event of a stream, that goes on with a text, in the shape of a chat's."""
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(choices, list):
        return body
    shaped = [
        {
            **{name: value for name, value in choice.items() if name != "text"},
            "message": {"content": choice["text"]},
            "delta": {"content": choice["text"]},
        }
        if isinstance(choice, dict) and isinstance(choice.get("text"), str)
        else choice
        for choice in choices
    ]
    return {**body, "choices": shaped}


async def read_body(raw: bytes, shape: Callable[[object], object]) -> object:
    """A reply, which is put together if it is a stream that is not said to be one."""
    if not _STREAM.match(raw):
        return shape(decode(raw))

    async def lines() -> AsyncIterator[bytes]:
        for line in raw.splitlines():
            yield line

    return await assemble(lines(), shape)


async def assemble(
    lines: AsyncIterator[bytes], shape: Callable[[object], object] = as_it_is
) -> JSONObject:
    """The whole reply; `Unavailable` if the stream broke off before the model finished.

    `shape` makes each event one of a chat.
    Of several finish reasons the worst counts. At the first sign of trouble reading ends, and the
    event that bears it is part of the whole. A message at the end counts if there were no pieces.
    """
    parts: dict[str, list[str]] = {}
    tools: dict[int, JSONObject] = {}
    finish, role, place = "", "", None
    last: JSONObject = {}
    whole: JSONObject = {}
    async for event in _events(lines, shape):
        for field in ("usage", "model", "id", "refusal"):
            if event.get(field):
                last[field] = event[field]
        for choice in (_expect(dict, one) for one in _expect(list, event.get("choices"))):
            delta = _expect(dict, choice.get("delta"))
            index = choice.get("index")
            place = index if place is None else place
            if index is not None and index != place:
                raise Unavailable("the stream holds pieces of several answers")
            finish = max(finish, _finish(choice, delta, more_follows=True), key=_gravity)
            role = delta.get("role") or role
            whole = choice.get("message") or whole
            if role not in _OTHER_ROLES:
                _add_delta({"refusal": choice.get("refusal"), **delta}, parts, tools)
        finish = max(finish, _finish(event, more_follows=True), key=_gravity)
        if find_troubles(event, more_follows=True):
            last["trouble"] = event
            break
    if not finish and "trouble" not in last:
        raise Unavailable("the stream broke off before the answer was complete")
    message: JSONObject = {field: "".join(texts) for field, texts in parts.items()}
    message["tool_calls"] = [tools[index] for index in sorted(tools)]
    if not parts and not tools:
        message = whole
    return {**last, "choices": [{"message": message, "finish_reason": finish}]}


def split_thinking(content: str) -> tuple[str, str | None]:
    """(thinking, answer) of a text with <think> tags; the answer is None if thinking never ended.

    Servers without a reasoning parser leave the tags in the text, some of them only the closing one
    because the opening one belongs to the chat template. A model may think several times in a row.
    """
    thoughts: list[str] = []
    start = 0
    answer: str | None = content
    while (opened := _THINK_OPEN.match(content, start)) or (start == 0 and THINK_CLOSE in content):
        begin = opened.end() if opened else start
        end = content.find(THINK_CLOSE, begin)
        thoughts.append(content[begin : end if end >= 0 else None].strip())
        if end < 0:
            answer = None
            break
        start = end + len(THINK_CLOSE)
        answer = content[start:].lstrip()
    return "\n\n".join(filter(None, thoughts)), answer


def decode(raw: bytes) -> object:
    """The JSON value in a body, or `Unavailable`."""
    try:
        return decode_json(raw.removeprefix(codecs.BOM_UTF8))
    except msgspec.DecodeError as error:
        shown = one_line(raw[:200].decode("utf-8", "replace")) or "nothing"
        raise Unavailable(f"the reply is not JSON: {shown}") from error


def redact(response: Response, redaction: Redaction) -> Response:
    """The response without secrets: nothing else that a server said goes further than this."""
    served_by, calls = response.served_by, response.tool_calls
    if response.status is Status.ANSWERED and not served_by.endswith("…"):  # nothing was cut
        said = [response.text, response.reasoning, response.reason, served_by]
        said += (part for call in calls for part in (call.id, call.name, call.arguments))
        if not redaction.finds("\n".join(said)):
            return response
    hide = redaction.hide_cut if response.status is Status.TRUNCATED else redaction.hide
    hidden = (ToolCall(hide(call.id), hide(call.name), hide(call.arguments)) for call in calls)
    return msgspec.structs.replace(
        response,
        text=hide(response.text),
        reasoning=hide(response.reasoning),
        tool_calls=tuple(hidden),
        reason=redaction.hide_message(response.reason),
        served_by=redaction.hide_message(served_by),
    )


def _message_text(content: object) -> str:
    """Text of a message: a string, or a list of parts of which the text ones count."""
    if isinstance(content, list):
        return "".join(
            _text(part.get("text")) or _text(_object(part.get("text")).get("value"))
            if isinstance(part, dict)
            else _text(part)
            for part in content
            if not isinstance(part, dict) or part.get("type", "text") in ("text", "output_text")
        )
    return _text(content)


def is_blank(text: str) -> bool:
    """Whether there is nothing to see in a text."""
    return all(unicodedata.category(char)[0] in _INVISIBLE or char in _FILLERS for char in text)


def one_line(text: str) -> str:
    """One line of bounded length: reasons go into journals, tables and terminals."""
    line = "".join(c if c.isprintable() else " " for c in text)
    line = " ".join(line.split())
    return line if len(line) <= _REASON_LENGTH else line[: _REASON_LENGTH - 1] + "…"


def _ending(finish: str, refusal: str, troubles: list[Trouble]) -> tuple[Status, str]:
    """How a reply ended, whatever its text, and why, if that is not how answers end."""
    end = _end_of(finish)
    if end is Status.ANSWERED and not refusal and not troubles:
        return end, ""
    filters = [trouble.said for trouble in troubles if trouble.status is Status.FILTERED]
    ended = f"finish_reason {one_line(finish)!r}"
    if end is Status.FILTERED or filters:
        return Status.FILTERED, one_line(filters[0]) if filters else ended
    if end is Status.FAILED:
        raise Unavailable(f"the server gave up: {ended}", overloaded=True)
    if end is Status.REFUSED or refusal:
        return Status.REFUSED, one_line(refusal) or "refusal"
    if troubles:
        return Status.FAILED, one_line(f"unknown sign of trouble: {troubles[0].said}")
    return (Status.FAILED, f"unknown {ended}") if end is None else (end, ended)


def _refusal(*holders: object) -> str:
    """What a reply, a choice, a message or a part of its content says in refusal."""
    for holder in map(_object, holders):
        for part in map(_object, (holder, *_list(holder.get("content")))):
            if part.get("refusal"):
                return _text(part["refusal"]) or "refusal"
    return ""


async def _events(
    lines: AsyncIterator[bytes], shape: Callable[[object], object]
) -> AsyncIterator[JSONObject]:
    """The events of a stream up to its end; what is announced as an error becomes one."""
    alarm = name = ""
    held: list[bytes] = []  # of an event whose data are not whole in their first line
    async for line in _end_last_event(lines):
        field, data = _stream_field(line)
        if field == "data":
            held.append(data)
            event = _data(data, name, whole=False) if len(held) == 1 else None
            if event is None:
                continue
        elif line:
            alarm = alarm or _alarm(field, data)
            name = data.decode("utf-8", "replace") if field == "event" else name
            continue
        elif held:
            event = _data(b"\n".join(held), name, whole=True)
        else:
            name = ""
            continue
        event = shape(event)
        if isinstance(event, dict):
            own = {"extra": event} if name and "choices" not in event else event
            yield {"error": event, "errors": [alarm]} if alarm else own
        elif alarm or not name:  # FastGPT lists its steps in an event of their own
            raise Unavailable("the stream holds something that is not an event")
        if alarm or held[-1].upper() == _DONE:
            return
        held.clear()
        name = name if field else ""
    if alarm:
        yield {"errors": [alarm]}


async def _end_last_event(lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The lines, and the empty one that ends the last event."""
    async for line in lines:
        yield line.removeprefix(codecs.BOM_UTF8).rstrip(b"\r")
    yield b""


def _data(data: bytes, name: str, *, whole: bool) -> object:
    """What an event holds; None if its data go on in the next line."""
    try:
        return {} if data.upper() in (b"", _DONE) else decode(data)
    except Unavailable:
        if whole and name not in _HEARTBEATS:
            raise
        return {} if whole else None


def _stream_field(line: bytes) -> tuple[str, bytes]:
    """Name and value of a line of a stream; a comment has no name, a bare JSON object is data."""
    if line.startswith(b"{"):
        return "data", line
    name, _, value = line.partition(b":")
    if not _FIELD_NAME.fullmatch(name):
        shown = one_line(line[:200].decode("utf-8", "replace"))
        raise Unavailable(f"the stream holds something that is not an event: {shown}")
    return name.decode(), value.strip()


def _alarm(field: str, data: bytes) -> str:
    """What the name of an event or of a field, or a status in a comment, says of trouble."""
    said = one_line(data[:200].decode("utf-8", "replace"))
    if name_of(said if field == "event" else field).alarms:
        return f"{field}: {said}"
    status = _HTTP_STATUS.match(said) if not field else None
    return said if status and not status[1].startswith("2") else ""


def _expect(kind: type[T], value: object) -> T:
    """A part of an event, or none; one of another shape may hold words that would be lost."""
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise Unavailable("the stream holds something that is not an event")
    return value


def _add_delta(
    delta: JSONObject, parts: dict[str, list[str]], tools: dict[int, JSONObject]
) -> None:
    if not isinstance(delta.get("content"), str | list | None):
        raise Unavailable("the stream holds a piece whose content is no text")
    for field in ("content", "refusal", *_REASONING_FIELDS):
        if text := _message_text(delta.get(field)):
            parts.setdefault(field, []).append(text)
    for call in _list(delta.get("tool_calls")):
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


def read_usage(usage: object) -> Usage | None:
    """The tokens that a server says it counted, if it did."""
    if not isinstance(usage, dict):
        return None
    written = _object(usage.get("completion_tokens_details")).get("reasoning_tokens")
    read = _object(usage.get("prompt_tokens_details")).get("cached_tokens")
    counted = Usage(
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        reasoning=_count(written),
        cached=_count(read) or _count(usage.get("prompt_cache_hit_tokens")),
    )
    return counted if counted.total else None  # a server that says it counted nothing did not count


def _count(value: object) -> int:
    return value if type(value) is int and 0 < value < _MOST_TOKENS else 0


def _finish(*holders: object, more_follows: bool = False) -> str:
    """The worst finish reason of a reply, its choice and message. Only one named so may be one that
    nobody knows; one that is no text is named after its type."""
    said = [""]
    for field, value in (item for holder in holders for item in _object(holder).items()):
        group = name_of(field).group
        if group == "cut" and value is True:
            said.append("truncated")
        elif group == "end" and value in _NO and not more_follows:
            said.append("not finished")
        elif group == "finish" and value is not None:
            inner = value.get("type") or value.get("reason") if type(value) is dict else value
            word = inner.strip() if isinstance(inner, str) else type(inner).__name__
            if field == "finish_reason" or _end_of(word) not in (None, Status.ANSWERED):
                said.append(word)
    worst = max(said, key=_gravity)
    return "" if worst.lower() in SIGNS.no_finish else worst


def _end_of(finish: str) -> Status | None:
    """How a reply ends with a finish reason; None if that is in no table."""
    name = name_of(finish)
    word = name.plain
    if word in SIGNS.calls or word in SIGNS.no_finish or SIGNS.complete.issuperset(name.words):
        return Status.ANSWERED
    return next((end for end, words in _BAD_FINISHES.items() if words.search(word)), None)


def _gravity(finish: str) -> tuple[int, bool]:
    """How bad a finish reason is; of several the worst counts."""
    return _GRAVITY.index(_end_of(finish)), finish.lower() not in SIGNS.no_finish


def _tool_calls(message: JSONObject) -> tuple[ToolCall, ...]:
    calls: list[ToolCall] = []
    parts = (part for part in _list(message.get("content")) if isinstance(part, dict))
    listed = [part for part in parts if part.get("type") == "tool_use"]
    for made in (message.get("tool_calls"), message.get("function_call")):
        listed += made if isinstance(made, list) else [made] if made else []
    for call in map(_object, listed):
        function = call.get("function", call.get("custom", call))
        if isinstance(function, dict) and _text(function.get("name")):
            arguments = function.get("arguments", function.get("input"))
            if isinstance(arguments, dict):  # Ollama once sent an object instead of its text
                arguments = msgspec.json.encode(arguments).decode()
            id_ = _text(call.get("id")) or f"call_{len(calls)}"
            calls.append(ToolCall(id_, _text(function.get("name")), _text(arguments)))
    return tuple(calls)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _object(value: object) -> JSONObject:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


# --- the reply that nearly all are, read in one step: text, a full stop, nothing that could matter.
# To look at every field is most of what a sample costs. Here is the shape of a reply in which it
# would find nothing: a field that is not named below, or another value, makes it none of these, and
# then it is read above. So nothing is decided twice.


class _Part(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """An object with no other fields than these."""


class _Message(_Part):
    role: Literal["assistant"]
    content: str
    refusal: None = None
    tool_calls: _Empty = None
    function_call: None = None
    annotations: _Empty = None
    audio: None = None
    reasoning: None = None
    reasoning_content: None = None


class _Choice(_Part):
    message: _Message
    finish_reason: Literal["stop"]
    index: Literal[0] = 0
    logprobs: None = None
    stop_reason: None = None
    token_ids: None = None


class _Reply(_Part):
    choices: Annotated[list[_Choice], msgspec.Meta(min_length=1, max_length=1)]
    model: str = ""
    id: str = ""
    object: Literal["chat.completion"] = "chat.completion"
    created: int = 0
    usage: JSONObject | None = None
    service_tier: str | None = None
    system_fingerprint: str | None = None
    prompt_logprobs: None = None
    prompt_token_ids: None = None
    kv_transfer_params: None = None


_decode_plain = json_decoder(_Reply)
_model_name = lru_cache(maxsize=16)(one_line)


def read_plain(raw: bytes) -> tuple[Response, str] | None:
    """The answer and the id of a reply in which nothing could matter; None for any other."""
    try:
        reply = _decode_plain(raw)
    except msgspec.DecodeError:
        return None
    text = reply.choices[0].message.content
    if "<think>" in text or THINK_CLOSE in text or not _WORD.search(text):
        return None
    usage, served_by = read_usage(reply.usage), _model_name(reply.model)
    return Response(Status.ANSWERED, text, usage=usage, served_by=served_by), reply.id
