"""Which addresses data may come from: HTTPS, or plain HTTP that never leaves this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urljoin, urlsplit

from hengfa.errors import UsageError


def check_base_url(url: str) -> str:
    """A mirror given by the user: its address, or an error that says what is wrong with it."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise UsageError(f"base URL {url!r}: {error}") from error
    if parts.username is not None or parts.password is not None:
        raise UsageError("base URL: a name or password in it would be kept in the pack's receipt")
    if parts.query or parts.fragment:
        raise UsageError(f"base URL {url!r}: paths are appended, so it cannot have ? or #")
    if not parts.hostname or not (parts.scheme == "https" or is_loopback_http(url)):
        raise UsageError(f"base URL {url!r}: must be https://…, or http:// on this machine")
    return url.rstrip("/")


def redirected(first: str, current: str, location: str) -> str | None:
    """Where a request that began at `first` goes on to; None where it must not go.

    Another host is fine, because every file is checked against its pinned sum; a weaker scheme is
    not, and nothing from outside may point the client at this machine's own plain HTTP services.
    """
    try:
        target = urljoin(current, location)
        parts = urlsplit(target)
    except ValueError:
        return None
    secure = parts.scheme == "https" and bool(parts.hostname)
    own = is_loopback_http(first) and is_loopback_http(target)
    return target if secure or own else None


def is_loopback_http(url: str) -> bool:
    """Plain HTTP to this machine itself."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        if parts.scheme != "http":
            return False
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
