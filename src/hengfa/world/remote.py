"""A world behind a web service that speaks the published interface.

The arguments go as JSON by POST to `<base>/<tool>`; status 200 brings the result as JSON, anything
else is a failure (legalagentbench.md 2.2). The key, where one is needed, goes into a header and
nowhere else: it is never part of a message, an address or a representation.
"""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from typing import Any, Final
from urllib.parse import quote, urlsplit

import msgspec

from hengfa.data.jsonfile import decode_json
from hengfa.errors import UsageError
from hengfa.secrets import Redaction, Secret, show_address

LARGEST: Final = 64 * 1024 * 1024
SECONDS: Final = 30.0


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
        self._opener = urllib.request.build_opener(_NoRedirect())

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
    try:
        parts = urlsplit(base)
    except ValueError:
        raise UsageError(f"--world: {show_address(base)!r} is not an address") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        shown = parts.scheme or show_address(base)
        raise UsageError(f"{shown!r}: a remote world is at http:// or https://")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise UsageError(
            "the key of a remote world goes into HENGFA_WORLD_KEY, not into its address"
        )
    return base.rstrip("/")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any) -> None:
        return None
