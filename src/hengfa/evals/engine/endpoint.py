"""Any OpenAI-compatible endpoint as a model, and the connections to it that are kept.

HTTP/1.1 does not number its replies: if a server or a proxy sends one twice, the second is read as
the reply to whatever is asked next on that connection. What lies there before the next question is
sent is seen (`Connector`); what comes after it can only be told by an id that was there before
(`LateReplies`).
"""

from __future__ import annotations

import asyncio
import io
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass
from weakref import WeakKeyDictionary

import aiohttp
import msgspec
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.tracing import Trace

from hengfa.base.data.jsonfile import encode_json
from hengfa.base.errors import UsageError
from hengfa.base.secrets import PrivateFields, Redaction, Secret, read_address, secrets_of
from hengfa.evals.engine.messages import (
    JSONObject,
    Message,
    Options,
    Refused,
    Request,
    Response,
    Status,
    Unavailable,
)
from hengfa.evals.engine.replies import (
    ANSWER_HTTP,
    as_chat,
    as_it_is,
    assemble,
    decode,
    one_line,
    read_any,
    read_body,
    read_error,
    read_plain,
    read_reply,
    redact,
    without_tools,
)
from hengfa.evals.engine.vendors import Provider

LARGEST_REPLY = 64 * 1024 * 1024
LARGEST_FILE = 16 * 1024 * LARGEST_REPLY
CONNECT_SECONDS = 30.0
CHAT, COMPLETIONS = "chat/completions", "completions"
_JSON = {"Content-Type": "application/json"}
_TROUBLE = (Unavailable, aiohttp.ClientError, OSError, ValueError)
_THINKING = "reasoning_content"
_ADVICE = {
    "HTTP 401": "the key is read from {key}",
    "HTTP 404": "asked at {address}; addresses usually end in /v1",
    "(?i)HTTP 4(00|22).*temperature": "--temperature default leaves it to the server",
    "(?i)HTTP 4(00|22).*max_(completion_)?tokens": "it is --max-new-tokens: give less or none; "
    "as max_completion_tokens it goes to openai:NAME, as max_tokens to endpoint:NAME (--base-url)",
}
STREAM_TOTAL = 10  # a stream may last this many time-outs in all, however lively it is


class Endpoint:
    """Asks `POST {base_url}/chat/completions`, or at another `path`; what is to be gone on with, as
    the options of a request say, at `{base_url}/completions`.

    `timeout` is the longest silence allowed: for a plain request the whole of it, for a stream the
    time between two pieces. Redirects are not followed, so a key never travels to another host.
    `private` are fields of the body that requests hold only as `***`. Whatever comes back is
    without the secrets that went out.
    """

    def __init__(
        self,
        name: str,
        *,
        model: str,
        base_url: str,
        provider: Provider,
        key: Secret | None = None,
        private: PrivateFields | None = None,
        timeout: float = 600.0,
        stream: bool = False,
        connections: int = 64,
        path: str = CHAT,
    ) -> None:
        self.name = name
        self._model = model
        address = read_address(base_url, "base_url")
        self.address = address.shown
        self._base = address.url
        self._url = _url(address.url, path)
        self._completions = _url(address.url, COMPLETIONS)
        self._provider = provider
        self._authorization = key or address.login
        self._private = private or PrivateFields()
        self._timeout = timeout
        self._stream = stream
        self._connections = connections
        proxy = proxy_for(self._url.reveal())
        self._proxy = Secret(proxy) if proxy else None
        behind = read_address(proxy, "the proxy of the environment").secrets if proxy else ()
        self._redaction = Redaction(
            [key, address.login, *address.secrets, *behind, *secrets_of(self._private)]
        )
        self._http: aiohttp.ClientSession | None = None
        self._late = LateReplies()
        self._thinking_back = provider.thinking_back

    async def generate(self, request: Request) -> Response:
        thinking_back, thought = self._thinking_back, any(m.reasoning for m in request.messages)
        response = await self._answer(request)
        if thought and response.this_question_only and _THINKING in response.reason:
            self._thinking_back = not thinking_back  # some servers want it, others refuse it
            response = await self._answer(request)
        return response

    async def _answer(self, request: Request) -> Response:
        body = encode_json(self.body(request, stream=self._stream))
        goes_on = request.options.completions
        try:
            if self._http is None:
                self._http = self._open(Connector(limit=self._connections))
            response, reply_id = await self._post(self._http, body, goes_on)
            if self._late.came_before(reply_id, response):
                async with self._open(aiohttp.TCPConnector(force_close=True)) as alone:
                    response, own_id = await self._post(alone, body, goes_on)
                self._late.settle(reply_id, own_id)
            response = response if request.options.tools else without_tools(response)
            return self._advise(redact(response, self._redaction))
        # "from None": what went before holds the request and the reply, either may hold the key.
        except _TROUBLE as error:
            raise self._explain(error) from None

    def body(self, request: Request, *, stream: bool = False) -> JSONObject:
        """The JSON body of a request, secrets and all."""
        fields = request_body(self._model, request, self._provider, stream=stream)
        if self._thinking_back and any(turn.reasoning for turn in request.messages):
            for turn, sent in zip(request.messages, fields["messages"], strict=True):
                if turn.tool_calls:  # also of a turn without a thought: DeepSeek wants the field
                    sent[_THINKING] = turn.reasoning
        return {**fields, **self._private}

    def read(self, status: int, body: object) -> Response:
        """The response in the body of a reply that did not come over this connection."""
        if isinstance(body, dict) and body.get("object") == "text_completion":
            body = as_chat(body)
        try:
            response = read_any(status, body, throttling=self._provider.throttling)
        except Unavailable as trouble:
            raise self._explain(trouble) from None
        return self._advise(redact(response, self._redaction))

    def _advise(self, response: Response) -> Response:
        """A failure with what can be done about it, if anything is known."""
        if response.status is not Status.FAILED:
            return response
        advice = (words for said, words in _ADVICE.items() if re.match(said, response.reason))
        if not (words := next(advice, "")):
            return response
        words = words.format(key=" or ".join(self._provider.key_variables), address=self.address)
        return msgspec.structs.replace(response, reason=f"{response.reason} ({words})")

    async def call(
        self,
        method: str,
        path: str,
        *,
        sent: Mapping[str, object] | None = None,
        file: tuple[str, bytes] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> JSONObject:
        """What the server says at another path, such as `batches`, without secrets.

        `Unavailable` where trying again may help, else `Refused`. A file goes as a form with the
        fields that are sent. A bare list, which some servers give, is below `data`, as of others.
        """
        data: object = None if sent is None else encode_json(sent)
        if file is not None:
            form = aiohttp.FormData(dict(sent or {}))
            form.add_field("file", io.BytesIO(file[1]), filename=file[0])
            data = form
        try:
            async with self._reply_at(
                method, path, query=query, data=data, headers=None if file else _JSON,
                allow_redirects=False,
            ) as reply:  # fmt: skip
                said = (await _whole(reply)).decode("utf-8", "replace")
                answer = decode(self._redaction.hide(said).encode())
        except _TROUBLE as error:
            raise self._explain(error) from None
        if isinstance(answer, list):
            return {"data": answer}
        if not isinstance(answer, dict):
            raise Unavailable("the reply is not a JSON object")
        return answer

    async def lines(self, path: str) -> AsyncIterator[bytes]:
        """The lines of a file of the server, which may lie elsewhere: the key does not go there."""
        try:
            async with self._reply_at("GET", path) as reply:
                async for line in _lines(reply, LARGEST_FILE):
                    yield line
        except _TROUBLE as error:
            raise self._explain(error) from None

    @asynccontextmanager
    async def _reply_at(
        self, method: str, path: str, query: Mapping[str, str] | None = None, **options: Any
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """A reply on a connection of its own, so that it is no other's. Files may take longer than
        answers, as long as something arrives."""
        patience = aiohttp.ClientTimeout(
            sock_connect=min(CONNECT_SECONDS, self._timeout), sock_read=self._timeout
        )
        proxy = self._proxy.reveal() if self._proxy else None
        url = _url(self._base, path, query).reveal()
        async with (
            self._open(aiohttp.TCPConnector(force_close=True)) as http,
            http.request(method, url, proxy=proxy, timeout=patience, **options) as reply,
        ):
            if reply.status // 100 != 2:
                refused = redact(await self._error(reply), self._redaction)
                raise Refused(refused.reason, reply.status)
            yield reply

    def _explain(self, error: Exception) -> Unavailable:
        """Whatever went wrong on the way, in words without secrets."""
        if isinstance(error, Unavailable):
            close_connection()
            reason = self._redaction.hide_message(error.reason)
            return Unavailable(reason, overloaded=error.overloaded, retry_after=error.retry_after)
        if isinstance(error, TimeoutError):
            return Unavailable(f"no reply within {self._timeout:g} s", overloaded=True)
        detail = self._redaction.hide_message(one_line(str(error))) or type(error).__name__
        return Unavailable(f"connection: {detail}")

    async def close(self) -> None:
        if self._http is not None:
            await self._http.close()
            self._http = None

    async def _post(
        self, http: aiohttp.ClientSession, body: bytes, goes_on: bool
    ) -> tuple[Response, object]:
        """The response, and the id that the server gave to its reply, if it did."""
        proxy = self._proxy.reveal() if self._proxy else None
        url, shape = (self._completions, as_chat) if goes_on else (self._url, as_it_is)
        async with http.post(
            url.reveal(), data=body, headers=_JSON, allow_redirects=False, proxy=proxy
        ) as reply:
            if reply.status not in ANSWER_HTTP:
                return await self._error(reply), None
            # Whether or not a stream was asked for, a server or a proxy may send the other.
            if reply.content_type == "text/event-stream":
                whole: object = await assemble(_lines(reply), shape)
            else:
                raw = await _whole(reply)
                if (plain := read_plain(raw)) is not None:
                    return plain
                whole = await read_body(raw, shape)
            response = read_reply(whole, throttling=self._provider.throttling)
            return response, whole.get("id") if isinstance(whole, dict) else None

    async def _error(self, reply: aiohttp.ClientResponse) -> Response:
        """What a reply says that is no success; `Unavailable` where trying again may help."""
        raw = await _whole(reply)
        close_connection()
        try:
            body = decode(raw)
        except Unavailable:
            body = None
        retry_after = parse_retry_after(reply.headers.get("Retry-After"))
        begins, throttling = raw[:400].decode("utf-8", "replace"), self._provider.throttling
        return read_error(
            reply.status, body, retry_after=retry_after, raw=begins, throttling=throttling
        )

    def _open(self, connector: aiohttp.TCPConnector) -> aiohttp.ClientSession:
        timeout = aiohttp.ClientTimeout(
            total=self._timeout * STREAM_TOTAL if self._stream else self._timeout,
            sock_connect=min(CONNECT_SECONDS, self._timeout),
            sock_read=self._timeout if self._stream else None,
        )
        key = self._authorization
        return aiohttp.ClientSession(
            connector=connector,
            timeout=timeout,
            headers={} if key is None else {"Authorization": key.header()},
            cookie_jar=aiohttp.DummyCookieJar(),  # what one reply sets does not go with the next
        )


def request_body(
    model: str, request: Request, provider: Provider, *, stream: bool = False
) -> JSONObject:
    """The JSON body of a request, in the vendor's own dialect where it has one."""
    options: Options = request.options
    body: JSONObject = {"model": model}
    if options.completions:
        if options.tools:
            no_tools = "a base model goes on with a text and is offered no tools"
            raise UsageError(f"--completions: {no_tools}")
        body["prompt"] = request.text()
    else:
        body["messages"] = [chat_message(m) for m in request.messages]
    for field in ("temperature", "top_p", "seed", "tool_choice"):
        if (value := getattr(options, field)) is not None:
            body[field] = value
    if options.max_new_tokens is not None:
        field = "max_tokens" if options.completions else provider.length_field
        body[field] = options.max_new_tokens
    if options.stop:
        body["stop"] = list(options.stop)
    if options.tools:
        body["tools"] = [
            {"type": "function", "function": msgspec.to_builtins(tool)} for tool in options.tools
        ]
    if options.reply_schema is not None and not options.completions:
        if provider.schema_mode == "json_schema":
            schema = {"name": "reply", "schema": options.reply_schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        else:
            body["response_format"] = {"type": "json_object"}
    if stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    return {**body, **options.extra}


def parse_retry_after(value: str | None) -> float | None:
    """Seconds to wait, from `Retry-After: 30` or a date; None for anything else."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    if date.tzinfo is None:  # "-0000", or no zone at all: HTTP dates are in UTC
        date = date.replace(tzinfo=UTC)
    return max(0.0, date.timestamp() - time.time())


def proxy_for(url: str) -> str | None:
    """The proxy that the environment names for an address.

    Looked up here because aiohttp, told to trust the environment, reads ~/.netrc as well, and
    refuses to send a key to a host that has an entry there.
    """
    parts = urlsplit(url)
    proxy = getproxies().get(parts.scheme)
    if not proxy or proxy_bypass(parts.hostname or ""):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _url(base: Secret, path: str, query: Mapping[str, str] | None = None) -> Secret:
    """`{base_url}/{path}`, before the `?` if there is one."""
    place, _, before = base.reveal().partition("?")
    asked = "&".join(filter(None, (before, urlencode(query or {}))))
    return Secret(f"{place.rstrip('/')}/{path}{'?' if asked else ''}{asked}")


def chat_message(message: Message) -> JSONObject:
    """A message as it is sent."""
    wire: JSONObject = {"role": message.role, "content": message.content}
    for call in message.tool_calls:
        function = {"name": call.name, "arguments": call.arguments}
        sent = {"id": call.id, "type": "function", "function": function}
        wire.setdefault("tool_calls", []).append(sent)
    if message.tool_call_id is not None:
        wire["tool_call_id"] = message.tool_call_id
    return wire


async def _whole(reply: aiohttp.ClientResponse) -> bytes:
    """The body, unless it is absurdly large."""
    pieces: list[bytes] = []
    size = 0
    while piece := await reply.content.readany():
        pieces.append(piece)
        if (size := size + len(piece)) > LARGEST_REPLY:
            raise Unavailable(f"the reply is larger than {LARGEST_REPLY} bytes")
    return b"".join(pieces)


async def _lines(
    reply: aiohttp.ClientResponse, largest: int = LARGEST_REPLY
) -> AsyncIterator[bytes]:
    """Lines of the body as they arrive; a line may be longer than aiohttp's own line limit."""
    rest, size = b"", 0
    while piece := await reply.content.readany():
        if (size := size + len(piece)) > largest:
            raise Unavailable(f"the reply is larger than {largest} bytes")
        whole = (rest + piece).splitlines(keepends=True)
        rest = b"" if whole[-1].endswith(b"\n") else whole.pop()  # of "\r" the "\n" may follow
        for line in whole:
            yield line.rstrip(b"\r\n")
    if rest:
        yield rest.rstrip(b"\r\n")


# --- kept connections, on which a reply may come that nobody asked for ---

_REMEMBERED = 8  # replies per connection
_CURRENT: ContextVar[ResponseHandler | None] = ContextVar("connection of this task", default=None)


class Connector(aiohttp.TCPConnector):
    """Closes a kept connection on which something lies, and takes another."""

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - aiohttp's own signature
    ) -> Connection:
        _CURRENT.set(None)
        for _ in range(self.limit + 1):
            connection = await super().connect(req, traces, timeout)
            protocol = connection.protocol
            try:
                await asyncio.sleep(0)  # what has arrived is read now
            except BaseException:
                connection.close()
                raise
            if protocol is None or not protocol.should_close:
                _CURRENT.set(protocol)
                return connection
            connection.close()
        raise aiohttp.ClientConnectionError("every connection brings what nobody asked for")


def close_connection() -> None:
    """Close the one on which this task asked last: after trouble, more may be on its way."""
    if (connection := _CURRENT.get()) is not None:
        connection.close()


class LateReplies:
    """Knows a reply that came before on the same connection by its id and all it says.

    Some servers give all their replies one id. So ids count only if the first two replies had
    different ones, and those two come on different connections: what is first on a connection is
    not late. Whoever is told that a reply was here before asks again on a connection of its own,
    and says what id came then (`settle`).
    """

    def __init__(self) -> None:
        self._seen: WeakKeyDictionary[ResponseHandler, deque[int]] = WeakKeyDictionary()
        self._first_id = ""
        self._ids_differ: bool | None = None

    def came_before(self, reply_id: object, response: Response) -> bool:
        """Whether the reply that this task has just read did; then its connection is closed."""
        connection = _CURRENT.get()
        if connection is None or not reply_id or not isinstance(reply_id, str):
            return False
        if not self._first_id:
            self._first_id = reply_id
            close_connection()
            return False
        if self._ids_differ is None:
            self._ids_differ = reply_id != self._first_id
        if not self._ids_differ:
            return False
        seen = self._seen.setdefault(connection, deque(maxlen=_REMEMBERED))
        said = hash((reply_id, response))
        if said in seen:
            close_connection()
            return True
        seen.append(said)
        return False

    def settle(self, doubted: object, alone: object) -> None:
        """`alone` is the id that came on a connection of its own: the same one says nothing."""
        if doubted == alone:
            self._ids_differ = False
