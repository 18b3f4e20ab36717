"""A world behind a web service that speaks the published interface.

The arguments go as JSON by POST to `<base>/<tool>`; status 200 brings the result as JSON, anything
else is a failure (legalagentbench.md 2.2). The key, where one is needed, goes into a header and
nowhere else: it is never part of a message, an address or a representation. A call has so many
seconds in all, however slowly the service sends its answer.
"""

from __future__ import annotations

import http.client
import io
import re
import socket
import time
import urllib.error
import urllib.request
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

import msgspec

from hengfa.base.data.jsonfile import decode_json
from hengfa.base.errors import UsageError
from hengfa.base.secrets import Redaction, Secret, show_address

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LARGEST: Final = 64 * 1024 * 1024
SECONDS: Final = 30.0
# "http://127.0.0.1:8320", "https://[::1]/law"; not "ftp://x", "http://", "http://a b", "http://[::1"
_ADDRESS: Final = re.compile(r"(?a)https?://(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?(?:/[!-~]*)?")


class RemoteFailure(Exception):
    """The service gave no result; the message says why, without the key."""


class RemoteWorld:
    """The tools of a service; what it holds is known only by asking."""

    source: Final = "remote"

    def __init__(self, base: str, *, key: Secret | None = None, seconds: float = SECONDS) -> None:
        self.base = check_address(base)
        self.seconds = seconds
        self._key = key
        self._redaction = Redaction([key])
        # a service that sends us elsewhere does not get to see the key there
        self._opener = urllib.request.build_opener(_NoRedirect, _Http, _Https)

    def call(self, tool: str, arguments: Any) -> Any:
        """The result of one call; raises :class:`RemoteFailure`."""
        try:
            body = msgspec.json.encode(arguments)
        except (TypeError, UnicodeEncodeError, RecursionError) as error:
            raise RemoteFailure("the arguments cannot be written as JSON") from error
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = self._key.header()
        address = f"{self.base}/{quote(tool, safe='')}"
        request = urllib.request.Request(address, body, headers, method="POST")  # noqa: S310 - checked
        try:
            with self._opener.open(request, timeout=self.seconds) as reply:
                if reply.status != 200:
                    raise RemoteFailure(f"status {reply.status}")
                content = reply.read(LARGEST + 1)
        except urllib.error.HTTPError as error:
            error.close()
            raise RemoteFailure(f"status {error.code}") from error
        except (OSError, http.client.HTTPException) as error:
            raise RemoteFailure(f"no answer: {type(error).__name__}") from error
        if len(content) > LARGEST:
            raise RemoteFailure(f"the answer has more than {LARGEST} bytes")
        try:
            # what a service repeats of its key must not go on to a model and into a journal
            return decode_json(self._redaction.hide(content.decode()))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RemoteFailure("the answer is no JSON") from error

    def __repr__(self) -> str:
        return f"RemoteWorld({self.base!r})"


def check_address(base: str) -> str:
    """The address of a service, which is kept in runs and so must hold no key."""
    place, _, rest = base.partition("//")[2].partition("/")
    if "@" in place or "?" in place + rest or "#" in place + rest:
        raise UsageError(
            "the key of a remote world goes into HENGFA_WORLD_KEY, not into its address"
        )
    if not _ADDRESS.fullmatch(base) or _port(base) is None:
        raise UsageError(
            f"{show_address(base)!r}: a remote world is at http://HOST or https://HOST, in ASCII"
        )
    return base.rstrip("/")


def _port(address: str) -> int | None:
    try:
        return urlsplit(address).port or 0
    except ValueError:  # over 65535, or a host in brackets that is no IPv6 address
        return None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any) -> None:
        return None


class _Timed(io.RawIOBase):
    """A connection that is read until its time is up; a socket's own timeout is for one read."""

    def __init__(self, connection: socket.socket, end: float) -> None:
        self._connection, self._end = connection, end
        self._stream = connection.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        return self._stream.readinto(buffer)

    def close(self) -> None:
        self._stream.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, connection: socket.socket, *given: Any, end: float, **named: Any) -> None:
        super().__init__(connection, *given, **named)
        self.fp.close()
        self.fp = io.BufferedReader(_Timed(connection, end))


class _Clocked(http.client.HTTPConnection):
    def __init__(self, host: str, *, timeout: float = SECONDS, **named: Any) -> None:
        super().__init__(host, timeout=timeout, **named)
        end = time.monotonic() + timeout
        self.response_class = partial(_Response, end=end)  # type: ignore[assignment]


class _ClockedTls(_Clocked, http.client.HTTPSConnection):
    pass


class _Http(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Clocked, request)


class _Https(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_ClockedTls, request)
