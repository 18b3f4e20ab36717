"""All that a server can do wrong, as a table: what it does, and how the question must end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from aiohttp import web

from hengfa.evals.engine.messages import Status

from .server import DONE, chunk, completion, event, hang_up, send_stream
from .vendor_styles import Style

FAULT_TEXT = "这不是回答"  # no text of a fault may ever be taken for an answer
HUGE = 300_000
SILENCE = 600.0
Behaviour = Callable[[web.Request, Style], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Fault:
    """`status` ends a question that meets the fault every time; `again`: it is asked again."""

    name: str
    behave: Behaviour
    status: Status = Status.FAILED
    again: bool = False
    stream: bool = False
    timeout: float = 60.0

    @property
    def in_own_words(self) -> bool:
        return "http" in self.name or "own" in self.name or self.name == "thinking-only"


def http(status: int, headers: dict[str, str] | None = None) -> Behaviour:
    """An error of this HTTP status in the vendor's own shape."""

    async def behave(request: web.Request, style: Style) -> web.StreamResponse:
        return web.json_response(style.error(status), status=status, headers=headers)

    return behave


def own(kind: str, *, status: int | None = None) -> Behaviour:
    """The vendor's own error of a kind; `status` overrides its HTTP status."""

    async def behave(request: web.Request, style: Style) -> web.StreamResponse:
        usual, body = getattr(style, kind)
        return web.json_response(body, status=status or usual)

    return behave


def says(body: Any, **settings: Any) -> Behaviour:
    """HTTP 200 with this JSON."""

    async def behave(request: web.Request, style: Style) -> web.StreamResponse:
        return web.json_response(body, **settings)

    return behave


def sends(raw: bytes, kind: str = "application/json", status: int = 200) -> Behaviour:
    """These bytes, whatever they are."""

    async def behave(request: web.Request, style: Style) -> web.StreamResponse:
        return web.Response(body=raw, content_type=kind, status=status)

    return behave


def streams(*pieces: bytes, break_off: bool = False) -> Behaviour:
    async def behave(request: web.Request, style: Style) -> web.StreamResponse:
        return await send_stream(request, pieces, break_off=break_off)

    return behave


async def own_error_in_stream(request: web.Request, style: Style) -> web.StreamResponse:
    pieces = [event(chunk({"content": FAULT_TEXT})), event(style.filtered[1])]
    return await send_stream(request, pieces)


async def thinks_only(request: web.Request, style: Style) -> web.StreamResponse:
    return web.json_response(completion("", **{style.thinks_in: FAULT_TEXT}))


async def asks_to_wait_until_a_date(request: web.Request, style: Style) -> web.StreamResponse:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    return await http(429, {"Retry-After": date})(request, style)


async def half_a_body(request: web.Request, style: Style) -> web.StreamResponse:
    raw = json.dumps(completion(FAULT_TEXT)).encode()
    reply = web.StreamResponse(headers={"Content-Length": str(len(raw))})
    await reply.prepare(request)
    await reply.write(raw[: len(raw) // 2])
    hang_up(request)
    return reply


async def hangs_up(request: web.Request, style: Style) -> web.StreamResponse:
    hang_up(request)
    return web.Response()


async def speaks_no_http(request: web.Request, style: Style) -> web.StreamResponse:
    if isinstance(request.transport, asyncio.WriteTransport):
        request.transport.write(b"hello\nthis is not the web\r\n\r\n")
    return await hangs_up(request, style)


async def is_silent(request: web.Request, style: Style) -> web.StreamResponse:
    await asyncio.sleep(SILENCE)
    return web.json_response(completion(FAULT_TEXT))


async def falls_silent(request: web.Request, style: Style) -> web.StreamResponse:
    reply = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await reply.prepare(request)
    await reply.write(event(chunk({"content": FAULT_TEXT})))
    await asyncio.sleep(SILENCE)
    return reply


async def lies_about_compression(request: web.Request, style: Style) -> web.StreamResponse:
    raw = json.dumps(completion(FAULT_TEXT)).encode()
    return web.Response(body=raw, headers={"Content-Encoding": "gzip"})


async def redirects(request: web.Request, style: Style) -> web.StreamResponse:
    return web.Response(status=307, headers={"Location": "/elsewhere/v1/chat/completions"})


def final(name: str, behave: Behaviour, status: Status = Status.FAILED, **more: Any) -> Fault:
    return Fault(name, behave, status, **more)


def passing(name: str, behave: Behaviour, **more: Any) -> Fault:
    """A fault that may be over the next time, so the question is asked again."""
    return Fault(name, behave, Status.FAILED, again=True, **more)


HALF = event(chunk({"content": FAULT_TEXT}))
DEEP = b'{"choices":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
NO_LENGTH = {"usage": {"prompt_tokens": "7", "completion_tokens": -3}}

HTTP_FAULTS = [
    *(final(f"http-{code}", http(code)) for code in (400, 401, 402, 403, 404, 413, 422)),
    *(
        passing(f"http-{code}", http(code))
        for code in (408, 409, 425, 429, 500, 502, 503, 504, 520, 529)
    ),
    passing("http-429-wait-seconds", http(429, {"Retry-After": "2"})),
    passing("http-429-wait-date", asks_to_wait_until_a_date),
    passing("http-429-wait-nonsense", http(429, {"Retry-After": "soon"})),
    passing("http-503-page", sends(b"<h1>busy</h1>", "text/html", 503)),
    passing("http-500-deep", sends(DEEP, status=500)),
    final("http-404-nothing", sends(b"", "text/plain", 404)),
    final("http-307", redirects),
    final("own-filter", own("filtered"), Status.FILTERED),
    final("own-filter-with-200", own("filtered", status=200), Status.FILTERED),
    final("own-filter-with-500", own("filtered", status=500), Status.FILTERED),
    final("own-no-money", own("no_money")),
    passing("own-too-fast", own("too_fast")),
    passing("own-too-fast-with-200", own("too_fast", status=200)),
]

REPLY_FAULTS = [
    final("finish-content-filter", says(completion(FAULT_TEXT, "content_filter")), Status.FILTERED),
    final("finish-length", says(completion(FAULT_TEXT, "length")), Status.TRUNCATED),
    passing("finish-no-resource", says(completion(FAULT_TEXT, "insufficient_system_resource"))),
    final("finish-unknown", says(completion(FAULT_TEXT, "something_new"))),
    final("finish-refusal", says(completion(FAULT_TEXT, "refusal")), Status.REFUSED),
    final("content-null", says(completion(None)), Status.EMPTY),
    final("content-empty", says(completion("")), Status.EMPTY),
    final("thinking-only", thinks_only, Status.EMPTY),
    final("thinking-open", says(completion(f"<think>{FAULT_TEXT}")), Status.TRUNCATED),
    passing("error-in-200", says({"error": {"message": FAULT_TEXT, "code": 500}})),
    passing("error-beside-choices", says({**completion(FAULT_TEXT), "error": {"message": "lost"}})),
    passing("a-list", says([completion(FAULT_TEXT)])),
    passing("a-string", says(FAULT_TEXT)),
    passing("null", says(None)),
    passing("nothing", sends(b"")),
    passing("not-json", sends(b'{"choices": [{"message": {"content": "...')),
    passing("not-unicode", sends(b'{"choices": "\xff\xfe"}')),
    passing("half-a-surrogate", sends(b'{"choices": [{"message": {"content": "\\ud800"}}]}')),
    passing("html-with-200", sends(f"<html>{FAULT_TEXT}</html>".encode(), "text/html")),
    passing("nested-10000-deep", sends(DEEP)),
    passing("huge", sends(b" " * HUGE + json.dumps(completion(FAULT_TEXT)).encode())),
    passing("half-a-body", half_a_body),
    passing("hangs-up", hangs_up),
    passing("speaks-no-http", speaks_no_http),
    passing("lies-about-compression", lies_about_compression),
    passing("silence", is_silent, timeout=0.3),
]

STREAM_FAULTS = [
    passing("stream-half", streams(HALF, break_off=True), stream=True),
    passing("stream-without-end", streams(HALF), stream=True),
    passing("stream-empty", streams(), stream=True),
    passing("stream-cut-inside-event", streams(HALF, HALF[:20]), stream=True),
    passing("stream-of-numbers", streams(b"data: 1\n\n"), stream=True),
    passing("stream-huge", streams(b": " + b"x" * HUGE), stream=True),
    passing(
        "stream-error-inside", streams(HALF, event({"error": {"message": "lost"}})), stream=True
    ),
    passing(
        "stream-error-without-the-word",
        streams(HALF, event({"object": "error", "message": "lost", "code": 50001})),
        stream=True,
    ),
    passing(
        "stream-error-after-the-end",
        streams(HALF, event({**chunk({}, "stop"), "error": {"message": "lost"}})),
        stream=True,
    ),
    final("stream-own-filter", own_error_in_stream, Status.FILTERED, stream=True),
    final(
        "stream-finish-filter",
        streams(HALF, event(chunk({}, "content_filter")), DONE),
        Status.FILTERED,
        stream=True,
    ),
    final(
        "stream-finish-length",
        streams(HALF, event(chunk({}, "length")), DONE),
        Status.TRUNCATED,
        stream=True,
    ),
    final("stream-no-text", streams(event(chunk({}, "stop")), DONE), Status.EMPTY, stream=True),
    passing("stream-page", sends(b"<html></html>", "text/html"), stream=True),
    passing("stream-http-503", http(503), stream=True),
    final("stream-http-401", http(401), stream=True),
    passing("stream-falls-silent", falls_silent, stream=True, timeout=0.3),
]

FAULTS = {fault.name: fault for fault in (*HTTP_FAULTS, *REPLY_FAULTS, *STREAM_FAULTS)}
