"""Fetch over HTTP: try again, go on where it stopped, accept no wrong byte of a pinned file.

download        one pinned file
download_whole  an archive, whose bytes nobody knows beforehand
PartFile        the bytes that have arrived, in `NAME.part`: it bears its name only when it is whole
                and right, and an interrupted download can go on

Data comes over HTTPS, or over plain HTTP that never leaves this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urljoin, urlsplit

import aiohttp

from hengfa.base.data.paths import PART, disk_errors
from hengfa.base.data.sums import FileSum, Pin, measure
from hengfa.base.errors import ChecksumError, DataError, UsageError, counted
from hengfa.base.secrets import show_address

BLOCK = 1 << 16

LARGEST_ARCHIVE = 1 << 30

MOST_REDIRECTS = 5

REDIRECTS = {301, 302, 303, 307, 308}

TRY_AGAIN = {408, 425, 429, 500, 502, 503, 504}

ELSEWHERE = (
    "--from DIR takes copies of the sources instead of the network, `hengfa data add` a folder "
    "you have"
)
AGAIN = f"the same command goes on where it stopped; {ELSEWHERE}"

CHANGED = f"upstream or something on the way changed it; nothing of it was kept; {ELSEWHERE}"

# "bytes 100-199/200" and "bytes 100-199/*"; not "bytes */200", which comes with an error
_CONTENT_RANGE = re.compile(r"^bytes (?P<first>\d+)-\d+/(?P<total>\d+|\*)$")

HaveBytes = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Patience:
    """How long and how often to try."""

    attempts: int = 5
    parallel: int = 8
    connect_seconds: float = 15
    silence_seconds: float = 30
    first_wait: float = 0.5
    longest_wait: float = 30

    def wait(self, failures: int) -> float:
        """Twice as long each time, with some chance so that parallel files do not come together."""
        longest: float = min(self.first_wait * 2 ** (failures - 1), self.longest_wait)
        return longest * random.uniform(0.7, 1)


PATIENCE = Patience()


@dataclass(frozen=True, slots=True)
class Wanted:
    """One file to fetch: from where, into which part, and what to call it in messages."""

    url: str
    part: PartFile
    label: str


class _AttemptError(Exception):
    """This attempt failed in a way that another one may not."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


def open_session(url: str, patience: Patience) -> aiohttp.ClientSession:
    """A client for files below this address; proxies of the environment are for the outside."""
    return aiohttp.ClientSession(
        # sizes and ranges are those of the file itself only when nothing is compressed
        headers={"Accept-Encoding": "identity", "User-Agent": "hengfa-data"},
        timeout=aiohttp.ClientTimeout(
            total=None, sock_connect=patience.connect_seconds, sock_read=patience.silence_seconds
        ),
        trust_env=not is_loopback_http(url),
    )


async def download(
    session: aiohttp.ClientSession, wanted: Wanted, patience: Patience, have_bytes: HaveBytes
) -> None:
    """Bring one file to its place, or leave its beginning for next time and say why."""
    with wanted.part.opened() as part:
        left_by_an_earlier_call = part.have > 0
        while True:
            have_bytes(part.have)
            if part.pinned.size is None or not part.whole:
                await _patiently(
                    lambda: _fetch(session, wanted, have_bytes), wanted.url, wanted.label, patience
                )
            measured = await asyncio.to_thread(part.measured)
            if part.pinned.fits(measured):
                part.finish()
                return
            if not left_by_an_earlier_call:
                break
            # the beginning may be damaged, by a loss of power for one: it gets one fresh start
            left_by_an_earlier_call = False
            part.restart()
        part.delete()
        raise ChecksumError(
            f"{wanted.url} has sha256 {measured.sha256} and git blob {measured.blob},"
            f" the catalogue pins {part.pinned}: {CHANGED}",
            file=wanted.label,
        )


async def download_whole(
    url: str,
    label: str,
    stream: BinaryIO,
    patience: Patience,
    have_bytes: HaveBytes,
    advice: str,
) -> None:
    """Fetch what is made anew for each request: all of it, from its beginning at each attempt."""

    async def fetch() -> None:
        stream.seek(0)
        stream.truncate()
        async with _request(session, url, label) as response:
            if response.status != 200:
                raise _refusal(response, label)
            async for block in response.content.iter_chunked(BLOCK):
                stream.write(block)
                have_bytes(stream.tell())
                if stream.tell() > LARGEST_ARCHIVE:
                    raise DataError(f"{url} has more than {LARGEST_ARCHIVE} bytes", file=label)

    async with open_session(url, patience) as session:
        await _patiently(fetch, url, label, patience, advice)


async def _patiently(
    attempt: Callable[[], Awaitable[None]],
    url: str,
    label: str,
    patience: Patience,
    advice: str = AGAIN,
) -> None:
    """Try until it succeeds, but not for ever."""
    failures = 0
    while True:
        try:
            await attempt()
        except _AttemptError as problem:
            failures += 1
            if failures >= patience.attempts:
                said = f"{problem} after {counted(failures, 'attempt')} at {url}; {advice}"
                raise DataError(said, file=label) from problem
            wait = patience.wait(failures) if problem.wait is None else problem.wait
            if wait > patience.longest_wait:
                said = f"{url} asks to wait {wait:.0f} seconds ({problem}); after that {advice}"
                raise DataError(said, file=label) from problem
            await asyncio.sleep(wait)
        else:
            return


async def _fetch(session: aiohttp.ClientSession, wanted: Wanted, have_bytes: HaveBytes) -> None:
    """One attempt to get the bytes that are still missing."""
    part = wanted.part
    try:
        async with _request(session, wanted.url, wanted.label, part.have) as response:
            _check_response(response, wanted)
            async for block in response.content.iter_chunked(BLOCK):
                part.append(block)
                have_bytes(part.have)
    except TooLongError:
        raise _wrong_length(wanted, f"more than {part.longest}") from None
    if not part.whole:
        raise _AttemptError(f"the connection ended at {part.have} of {part.length} bytes")


@asynccontextmanager
async def _request(
    session: aiohttp.ClientSession, url: str, label: str, have: int = 0
) -> AsyncIterator[aiohttp.ClientResponse]:
    """A response that is no redirect; a connection that breaks is an attempt that failed."""
    try:
        async with _follow(session, url, label, have) as response:
            yield response
    except aiohttp.ClientConnectorCertificateError as error:
        raise DataError(f"no secure connection to {url}: {error}", file=label) from error
    except TimeoutError as error:
        raise _AttemptError("no answer in time") from error
    except (aiohttp.ClientError, ConnectionError) as error:
        raise _AttemptError(f"connection failed ({error or type(error).__name__})") from error


@asynccontextmanager
async def _follow(
    session: aiohttp.ClientSession, url: str, label: str, have: int
) -> AsyncIterator[aiohttp.ClientResponse]:
    """Each redirect is looked at before it is followed."""
    headers = {"Range": f"bytes={have}-"} if have else {}
    address = url
    for _ in range(MOST_REDIRECTS + 1):
        async with session.get(address, headers=headers, allow_redirects=False) as response:
            if response.status not in REDIRECTS:
                yield response
                return
            location = response.headers.get("Location", "")
        target = redirected(url, address, location)
        if target is None:
            raise DataError(
                f"{url} redirects to {location!r}, which is another host or no https: refused; if"
                " you trust it, name it with --base-url",
                file=label,
            )
        address = target
    raise DataError(f"{url} redirects more than {MOST_REDIRECTS} times", file=label)


def _check_response(response: aiohttp.ClientResponse, wanted: Wanted) -> None:
    """Prepare the part for this response, or say why it is of no use."""
    status, part = response.status, wanted.part
    if status == 206:
        total = _resume(response, part)
    elif status == 200:
        # the server does not know ranges, or there was nothing to go on with
        part.restart()
        total = None if _is_encoded(response) else response.content_length
    elif status == 416:
        part.restart()
        raise _AttemptError("the server has fewer bytes than are here already")
    else:
        raise _refusal(response, wanted.label)
    if part.pinned.size is None:
        part.length = total
    elif total not in {None, part.pinned.size}:
        raise _wrong_length(wanted, str(total))


def _refusal(response: aiohttp.ClientResponse, label: str) -> Exception:
    """What an answer without the bytes means: try again, or give up."""
    status, url = response.status, response.url
    if status in TRY_AGAIN:
        after = response.headers.get("Retry-After", "")  # a date there: our own waiting times
        asked = float(after) if after.isascii() and after.isdigit() else None
        return _AttemptError(f"HTTP {status}", asked)
    if status in {404, 410}:
        return DataError(f"not found at {url} (HTTP {status}); {ELSEWHERE}", file=label)
    return DataError(f"{url} answers HTTP {status} {response.reason}; {ELSEWHERE}", file=label)


def _resume(response: aiohttp.ClientResponse, part: PartFile) -> int | None:
    """Check that a partial answer begins where the part ends; how long the whole file is."""
    given = _CONTENT_RANGE.match(response.headers.get("Content-Range", ""))
    if given is None or _is_encoded(response) or int(given["first"]) != part.have:
        part.restart()
        raise _AttemptError("the server sent another part of the file than asked for")
    return None if given["total"] == "*" else int(given["total"])


def _is_encoded(response: aiohttp.ClientResponse) -> bool:
    """Compressed although we asked for plain bytes: the length is not the file's."""
    return response.headers.get("Content-Encoding", "identity") != "identity"


def _wrong_length(wanted: Wanted, length: str) -> ChecksumError:
    pinned = wanted.part.pinned
    wanted.part.delete()
    size = "no such size" if pinned.size is None else pinned.size
    problem = f"{wanted.url} has {length} bytes, the catalogue pins {size} ({pinned}): {CHANGED}"
    return ChecksumError(problem, file=wanted.label)


class PartFile:
    """The unfinished copy of one pinned file. Use `opened` around everything that writes."""

    def __init__(self, target: Path, pinned: Pin) -> None:
        self.target = target
        self.pinned = pinned
        self.path = target.with_name(target.name + PART)
        self.have = 0
        self.length = pinned.size
        """Of the whole file; where nobody knows it beforehand, as the server says."""
        self._stream: BinaryIO | None = None

    @contextlib.contextmanager
    def opened(self) -> Iterator[PartFile]:
        """Go on with what is there; a part that is already too long starts from nothing."""
        with disk_errors(self.path):
            self.target.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self.path.open("ab")
            self.have = self._stream.tell()
        try:
            if self.pinned.size is not None and self.have > self.pinned.size:
                self.restart()
            yield self
        finally:
            self._close()

    @property
    def whole(self) -> bool:
        """As many bytes as the file has; a server that does not say how many has sent all."""
        return self.length is None or self.have == self.length

    @property
    def longest(self) -> int:
        """How many bytes it may have, whatever a server says."""
        return LARGEST_ARCHIVE if self.pinned.size is None else self.pinned.size

    def append(self, block: bytes) -> None:
        """Keep these bytes, unless they are more than the file can have."""
        if self.have + len(block) > self.longest:
            self.delete()
            raise TooLongError
        with disk_errors(self.path):
            stream = self._open_stream()
            stream.write(block)
            stream.flush()
        self.have += len(block)

    def restart(self) -> None:
        with disk_errors(self.path):
            self._open_stream().truncate(0)
        self.have = 0

    def delete(self) -> None:
        self._close()
        with disk_errors(self.path):
            self.path.unlink(missing_ok=True)
        self.have = 0

    def measured(self) -> FileSum:
        return measure(self.path, self.pinned.path)

    def finish(self) -> None:
        """Give the file its name; the caller has compared the sum."""
        self._close()
        with disk_errors(self.path):
            self.path.replace(self.target)

    def _open_stream(self) -> BinaryIO:
        if self._stream is None:
            self._stream = self.path.open("ab")
        return self._stream

    def _close(self) -> None:
        if self._stream is not None:
            stream, self._stream = self._stream, None
            # everything was flushed when it was appended
            with contextlib.suppress(OSError):
                stream.close()


class TooLongError(Exception):
    """More bytes came than the pinned file has; the part is gone."""


def check_base_url(url: str) -> str:
    """A mirror given by the user: its address, or an error that says what is wrong with it."""
    shown = show_address(url)
    try:
        parts = urlsplit(url)
    except ValueError:
        raise UsageError(f"base URL {shown!r}: not an address") from None
    if parts.username is not None or parts.password is not None:
        raise UsageError("base URL: a name or password in it would be kept in the pack's receipt")
    if parts.query or parts.fragment:
        raise UsageError(f"base URL {shown!r}: paths are appended, so it cannot have ? or #")
    if not parts.hostname or not (parts.scheme == "https" or is_loopback_http(url)):
        raise UsageError(f"base URL {shown!r}: must be https://…, or http:// on this machine")
    return url.rstrip("/")


def redirected(first: str, current: str, location: str) -> str | None:
    """Where a request that began at `first` goes on to; None where it must not go.

    It stays with the host that was asked for, and with a scheme that is not weaker: whoever wants
    another host names it.
    """
    try:
        target = urljoin(current, location)
        begun, parts = urlsplit(first), urlsplit(target)
        same = parts.hostname == begun.hostname and parts.port == begun.port
    except ValueError:
        return None
    safe = parts.scheme == "https" or (is_loopback_http(first) and is_loopback_http(target))
    return target if same and safe else None


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
