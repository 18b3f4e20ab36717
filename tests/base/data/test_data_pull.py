"""Pulling from a real HTTP server that misbehaves in every way a network does."""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest
from aiohttp import web
from tests.packs import blob_of, entry_of, files_below, pin_of, source_of

from hengfa.base.data.catalogue import Entry, load_entry, read_entry
from hengfa.base.data.download import Patience
from hengfa.base.data.packs import (
    open_pack,
    pack_root,
    pull_folder,
    read_receipt,
    status_of,
    verify,
)
from hengfa.base.data.pull import Derivation, Pulled, Where, pull
from hengfa.base.data.sums import Pin, fingerprint
from hengfa.base.errors import ChecksumError, DataError, UsageError
from hengfa.base.progress import Watch
from hengfa.evals.supply.pin import render

QUICK = Patience(attempts=3, first_wait=0.01, longest_wait=0.05, silence_seconds=5)
SMALL = "data/小 1%#.json"
LARGE = "data/large.bin"
SIZE = 300_000

FILES = {
    "LICENSE": b"do as you like\n",
    SMALL: '{"question": "何为善意取得?"}'.encode(),
    "data/empty.txt": b"",
    LARGE: random.Random(7).randbytes(SIZE),
}

Step = Callable[[web.Request, bytes, "Seen"], Awaitable[web.StreamResponse]]


@dataclass
class Seen:
    """One request as the server saw it."""

    path: str
    range: str | None
    sent: int = 0


@dataclass
class Upstream:
    """A server for files; `plan` says what to do with the first requests for a path instead."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=lambda: dict(FILES))
    seen: list[Seen] = field(default_factory=list)
    plan: dict[str, list[Step]] = field(default_factory=lambda: defaultdict(list))
    open_now: int = 0
    open_most: int = 0

    def of(self, path: str) -> list[Seen]:
        return [request for request in self.seen if request.path == path]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        path = request.match_info["path"]
        seen = Seen(path, request.headers.get("Range"))
        self.seen.append(seen)
        self.open_now += 1
        self.open_most = max(self.open_most, self.open_now)
        try:
            if self.plan[path]:
                return await self.plan[path].pop(0)(request, self.files.get(path, b""), seen)
            if path not in self.files:
                return web.Response(status=404)
            return await ranged(request, self.files[path], seen)
        finally:
            self.open_now -= 1


async def ranged(request: web.Request, body: bytes, seen: Seen) -> web.StreamResponse:
    """What a good server does."""
    start = request.http_range.start
    if start is None:
        seen.sent = len(body)
        return web.Response(body=body)
    if start >= len(body):
        return web.Response(status=416, headers={"Content-Range": f"bytes */{len(body)}"})
    seen.sent = len(body) - start
    return web.Response(
        status=206,
        body=body[start:],
        headers={"Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"},
    )


def cut(after: int, wait: float = 0.1) -> Step:
    """Announce all bytes, send some, close the connection."""

    async def step(request: web.Request, body: bytes, seen: Seen) -> web.StreamResponse:
        start = request.http_range.start or 0
        response = web.StreamResponse(status=206 if start else 200)
        response.content_length = len(body) - start
        if start:
            response.headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
        await response.prepare(request)
        await response.write(body[start : start + after])
        seen.sent = len(body[start : start + after])
        await asyncio.sleep(wait)  # let the client take what was sent
        assert request.transport is not None
        request.transport.close()
        return response

    return step


def stall(after: int) -> Step:
    """Send some bytes and then nothing, for a client that will be killed."""

    async def step(request: web.Request, body: bytes, seen: Seen) -> web.StreamResponse:
        response = web.StreamResponse()
        response.content_length = len(body)
        await response.prepare(request)
        await response.write(body[:after])
        seen.sent = after
        await asyncio.sleep(20)
        return response

    return step


def endless() -> Step:
    """More and more bytes, without saying how many."""

    async def step(request: web.Request, body: bytes, seen: Seen) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while seen.sent < 500_000_000:
            await response.write(bytes(100_000))
            seen.sent += 100_000
        return response

    return step


def fixed(
    status: int = 200, body: bytes | None = None, headers: dict[str, str] | None = None
) -> Step:
    """One answer, whatever is asked for; without a body it is the whole file."""

    async def step(_request: web.Request, content: bytes, seen: Seen) -> web.StreamResponse:
        chosen = content if body is None else body
        seen.sent = len(chosen)
        return web.Response(status=status, body=chosen, headers=headers)

    return step


def short() -> Step:
    """Half of the file, without saying that it is half."""

    async def step(request: web.Request, body: bytes, seen: Seen) -> web.StreamResponse:
        response = web.StreamResponse()
        response.enable_chunked_encoding()
        await response.prepare(request)
        await response.write(body[: len(body) // 2])
        return response

    return step


def slow() -> Step:
    async def step(request: web.Request, body: bytes, seen: Seen) -> web.StreamResponse:
        await asyncio.sleep(0.1)
        return await ranged(request, body, seen)

    return step


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    """The server, in a thread with a loop of its own."""
    server = Upstream()
    ready, stop = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        app = web.Application()
        app.router.add_get("/{path:.*}", server.answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        ready.set()
        await stop.wait()
        await runner.cleanup()

    def run() -> None:
        loop.run_until_complete(serve())
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    assert ready.wait(10)
    yield server
    loop.call_soon_threadsafe(stop.set)
    thread.join(10)


def entry_with(*paths: str) -> Entry:
    return entry_of(source_of({path: FILES[path] for path in paths}))


TINY = entry_with(*FILES)
ONE = entry_with(LARGE)
FOLDER = ONE.sources[0].folder
"""Where a pull keeps what it has of the one repository."""


def quick_pull(entry: Entry, upstream: Upstream) -> Pulled:
    return pull(entry, where=Where(upstream.url, patience=QUICK))


def part(entry: Entry = ONE) -> Path:
    return pull_folder(entry) / FOLDER / (LARGE + ".part")


def test_a_pull_fetches_every_file_once_and_installs_a_verified_pack(upstream: Upstream) -> None:
    told: dict[str, int] = {}
    where = Where(upstream.url + "/", patience=QUICK)
    pulled = pull(TINY, where=where, watch=Watch(told.__setitem__))
    assert pulled.fetched == len(FILES)
    assert sorted(seen.path for seen in upstream.seen) == sorted(p for p in FILES if FILES[p])
    have = files_below(pulled.pack.root)
    assert have.pop("receipt.json")
    assert have == FILES
    assert pulled.pack.verified
    assert pulled.pack.fingerprint == fingerprint(TINY.pins)
    assert open_pack(TINY) == pulled.pack
    assert told == {f"{FOLDER}/{path}": len(content) for path, content in FILES.items()}
    assert not pull_folder(TINY).exists()


def test_a_second_pull_fetches_nothing(upstream: Upstream) -> None:
    first = quick_pull(TINY, upstream)
    count = len(upstream.seen)
    assert quick_pull(TINY, upstream) == Pulled(first.pack, fetched=0)
    assert len(upstream.seen) == count


def test_a_damaged_file_is_the_only_one_fetched_again(upstream: Upstream) -> None:
    root = quick_pull(TINY, upstream).pack.root
    (root / LARGE).write_bytes(b"x" * SIZE)
    upstream.seen.clear()
    assert quick_pull(TINY, upstream).fetched == 1
    assert [seen.path for seen in upstream.seen] == [LARGE]
    assert (root / LARGE).read_bytes() == FILES[LARGE]


def test_a_truncated_transfer_goes_on_where_it_stopped(upstream: Upstream) -> None:
    upstream.plan[LARGE] = [cut(100_000)]
    quick_pull(ONE, upstream)
    first, second = upstream.of(LARGE)
    assert (first.range, second.range) == (None, "bytes=100000-")
    assert first.sent + second.sent == SIZE


def test_an_answer_that_ends_early_without_a_length_is_completed(upstream: Upstream) -> None:
    upstream.plan[LARGE] = [short()]
    quick_pull(ONE, upstream)
    assert [seen.range for seen in upstream.of(LARGE)] == [None, f"bytes={SIZE // 2}-"]


def test_a_later_call_goes_on_with_what_an_earlier_one_left(upstream: Upstream) -> None:
    upstream.plan[LARGE] = [cut(50_000), cut(50_000), cut(50_000)]
    with pytest.raises(DataError, match=r"tiny: data/large.bin: .*3 attempts.*goes on where"):
        quick_pull(ONE, upstream)
    assert part().stat().st_size == 150_000
    assert status_of(ONE).state == "started"
    with pytest.raises(DataError, match="hengfa data pull tiny"):
        open_pack(ONE)
    quick_pull(ONE, upstream)
    assert [seen.range for seen in upstream.of(LARGE)] == [
        None,
        "bytes=50000-",
        "bytes=100000-",
        "bytes=150000-",
    ]
    assert sum(seen.sent for seen in upstream.of(LARGE)) == SIZE


def test_a_server_that_closes_at_once_every_time_is_given_up(upstream: Upstream) -> None:
    upstream.plan[LARGE] = [cut(0)] * 9
    with pytest.raises(DataError, match="after 3 attempts"):
        quick_pull(ONE, upstream)
    assert len(upstream.of(LARGE)) == 3


def test_nobody_listening_is_a_clear_error() -> None:
    with pytest.raises(DataError, match=r"data/large.bin: connection failed .* after 3 attempts"):
        pull(ONE, where=Where("http://127.0.0.1:9", patience=QUICK))


def test_a_silent_server_is_given_up(upstream: Upstream) -> None:
    upstream.plan[LARGE] = [stall(10), stall(10)]
    patience = Patience(attempts=2, first_wait=0.01, silence_seconds=0.2)
    with pytest.raises(DataError, match="no answer in time after 2 attempts"):
        pull(ONE, where=Where(upstream.url, patience=patience))


def test_wrong_contents_are_refused_and_not_kept(upstream: Upstream) -> None:
    wrong = bytes(SIZE)
    upstream.plan[LARGE] = [fixed(body=wrong)]
    with pytest.raises(ChecksumError) as error:
        quick_pull(ONE, upstream)
    for part_of_message in (
        LARGE,
        hashlib.sha256(wrong).hexdigest(),
        hashlib.sha256(FILES[LARGE]).hexdigest(),
        upstream.url,
    ):
        assert part_of_message in str(error.value)
    assert len(upstream.of(LARGE)) == 1
    assert files_below(pull_folder(ONE)) == {}
    assert not pack_root("tiny").exists()


def test_a_damaged_beginning_from_an_earlier_call_gets_a_fresh_start(upstream: Upstream) -> None:
    part().parent.mkdir(parents=True)
    part().write_bytes(bytes(1000))
    quick_pull(ONE, upstream)
    assert [seen.range for seen in upstream.of(LARGE)] == ["bytes=1000-", None]


def test_a_whole_part_is_checked_without_asking_the_server(upstream: Upstream) -> None:
    part().parent.mkdir(parents=True)
    part().write_bytes(FILES[LARGE])
    quick_pull(ONE, upstream)
    assert upstream.seen == []


def test_a_part_that_is_too_long_starts_from_nothing(upstream: Upstream) -> None:
    part().parent.mkdir(parents=True)
    part().write_bytes(bytes(SIZE + 1))
    quick_pull(ONE, upstream)
    assert [seen.range for seen in upstream.of(LARGE)] == [None]


@pytest.mark.parametrize("status", [404, 410])
def test_a_missing_file_is_named_with_its_address(upstream: Upstream, status: int) -> None:
    upstream.plan[LARGE] = [fixed(status, b"")]
    with pytest.raises(DataError, match=rf"large.bin: not found at {upstream.url}/data/large.bin"):
        quick_pull(ONE, upstream)
    assert len(upstream.of(LARGE)) == 1


def test_a_forbidden_file_is_not_asked_for_again(upstream: Upstream) -> None:
    upstream.plan[LARGE] = [fixed(403, b"")]
    with pytest.raises(DataError, match="HTTP 403 Forbidden"):
        quick_pull(ONE, upstream)
    assert len(upstream.of(LARGE)) == 1


def test_a_server_that_ignores_ranges_sends_the_file_anew(upstream: Upstream) -> None:
    upstream.plan[LARGE] = [cut(100_000), fixed(200)]
    quick_pull(ONE, upstream)
    assert [seen.range for seen in upstream.of(LARGE)] == [None, "bytes=100000-"]


def test_a_server_that_sends_another_range_is_asked_for_the_whole(upstream: Upstream) -> None:
    shifted = {"Content-Range": f"bytes 5-{SIZE - 1}/{SIZE}"}
    upstream.plan[LARGE] = [cut(100_000), fixed(206, FILES[LARGE][5:], shifted)]
    quick_pull(ONE, upstream)
    assert [seen.range for seen in upstream.of(LARGE)] == [None, "bytes=100000-", None]


def test_a_range_that_the_server_refuses_starts_from_nothing(upstream: Upstream) -> None:
    upstream.plan[LARGE] = [cut(100_000), fixed(416, b"")]
    quick_pull(ONE, upstream)
    assert [seen.range for seen in upstream.of(LARGE)] == [None, "bytes=100000-", None]


def test_more_bytes_than_pinned_are_cut_off_early(upstream: Upstream) -> None:
    upstream.plan[LARGE] = [endless()]
    with pytest.raises(ChecksumError, match=f"has more than {SIZE} bytes, the catalogue pins"):
        quick_pull(ONE, upstream)
    assert upstream.of(LARGE)[0].sent < 50_000_000
    assert files_below(pull_folder(ONE)) == {}


@pytest.mark.parametrize("size", [SIZE - 1, SIZE + 1])
def test_another_length_than_pinned_is_refused_when_announced(
    upstream: Upstream, size: int
) -> None:
    upstream.plan[LARGE] = [fixed(body=bytes(size))]
    with pytest.raises(ChecksumError, match=f"has {size} bytes, the catalogue pins {SIZE}"):
        quick_pull(ONE, upstream)
    assert files_below(pull_folder(ONE)) == {}


def test_an_overloaded_server_is_asked_again(upstream: Upstream) -> None:
    upstream.plan[LARGE] = [fixed(503, b""), fixed(429, b"", {"Retry-After": "0"})]
    assert quick_pull(ONE, upstream).pack.verified
    assert len(upstream.of(LARGE)) == 3


def test_a_server_that_asks_for_a_long_wait_is_not_waited_for(upstream: Upstream) -> None:
    upstream.plan[LARGE] = [fixed(429, b"", {"Retry-After": "3600"})]
    with pytest.raises(DataError, match=r"asks to wait 3600 seconds \(HTTP 429\)"):
        quick_pull(ONE, upstream)


def test_a_redirect_on_this_machine_is_followed_with_its_range(upstream: Upstream) -> None:
    moved = fixed(302, b"", {"Location": "/elsewhere"})
    upstream.plan[LARGE] = [cut(100_000), moved]

    async def elsewhere(request: web.Request, _body: bytes, seen: Seen) -> web.StreamResponse:
        return await ranged(request, FILES[LARGE], seen)

    upstream.plan["elsewhere"] = [elsewhere]
    assert quick_pull(ONE, upstream).pack.verified
    assert [seen.range for seen in upstream.of("elsewhere")] == ["bytes=100000-"]


@pytest.mark.parametrize(
    "target",
    [
        "file:///etc/passwd",
        "http://example.org/large.bin",
        "https://example.org/large.bin",
        "http://localhost/large.bin",
        "http://127.0.0.1:9/large.bin",
        "ftp://127.0.0.1/x",
        "http://[bad/",
    ],
)
def test_a_redirect_to_another_scheme_or_host_is_refused(upstream: Upstream, target: str) -> None:
    upstream.plan[LARGE] = [fixed(302, b"", {"Location": target})]
    with pytest.raises(DataError, match="refused; if you trust it, name it with --base-url"):
        quick_pull(ONE, upstream)
    assert len(upstream.seen) == 1
    assert not pack_root("tiny").exists()


def test_redirects_in_a_circle_end(upstream: Upstream) -> None:
    upstream.plan[LARGE] = [fixed(302, b"", {"Location": "/" + LARGE})] * 20
    with pytest.raises(DataError, match="redirects more than 5 times"):
        quick_pull(ONE, upstream)


def test_a_compressed_answer_is_unpacked_and_checked(upstream: Upstream) -> None:
    async def zipped(request: web.Request, body: bytes, seen: Seen) -> web.StreamResponse:
        response = web.Response(body=body)
        response.enable_compression(web.ContentCoding.gzip)
        return response

    upstream.plan[LARGE] = [zipped]
    assert quick_pull(ONE, upstream).pack.verified


def test_one_failing_file_leaves_no_pack_and_the_rest_is_not_fetched_again(
    upstream: Upstream,
) -> None:
    upstream.plan[LARGE] = [slow_404()]
    with pytest.raises(DataError, match="not found"):
        quick_pull(TINY, upstream)
    assert not pack_root("tiny").exists()
    upstream.seen.clear()
    quick_pull(TINY, upstream)
    assert [seen.path for seen in upstream.seen] == [LARGE]


def slow_404() -> Step:
    async def step(request: web.Request, body: bytes, seen: Seen) -> web.StreamResponse:
        await asyncio.sleep(0.3)
        return web.Response(status=404)

    return step


def test_a_failed_pull_leaves_the_installed_pack_alone(upstream: Upstream) -> None:
    old = quick_pull(ONE, upstream).pack
    newer = entry_with(LARGE, SMALL)
    upstream.plan[SMALL] = [fixed(404, b"")]
    with pytest.raises(DataError, match="not found"):
        quick_pull(newer, upstream)
    assert open_pack(ONE) == old
    new = quick_pull(newer, upstream)
    assert new.fetched == 1
    assert open_pack(newer) == new.pack
    assert new.pack.fingerprint != old.fingerprint


def test_only_a_few_files_are_fetched_at_a_time(upstream: Upstream) -> None:
    for path in FILES:
        upstream.plan[path] = [slow()]
    pull(TINY, where=Where(upstream.url, patience=Patience(parallel=2)))
    assert upstream.open_most == 2


def test_a_disk_that_is_too_small_is_noticed_before_anything_is_fetched(
    upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Usage:
        free = 1000

    monkeypatch.setattr("hengfa.base.data.install.shutil.disk_usage", lambda _path: Usage)
    with pytest.raises(DataError, match=f"'tiny' needs {SIZE} bytes, this disk has 1000 free"):
        quick_pull(ONE, upstream)
    assert upstream.seen == []


def test_a_disk_that_fills_up_on_the_way_is_a_clear_error(upstream: Upstream) -> None:
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(DataError, match=r"large.bin.part: File too large"):
            quick_pull(ONE, upstream)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, previous)
    assert quick_pull(ONE, upstream).pack.verified


def test_proxies_of_the_environment_are_not_asked_for_this_machine(
    upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert quick_pull(ONE, upstream).pack.verified


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/x",
        "file:///tmp",
        "ftp://127.0.0.1/",
        "127.0.0.1:80",
        "https://",
        "https://me:secret@example.org/",
        "https://example.org/?x=1",
        "http://[bad/",
    ],
)
def test_a_base_url_that_is_not_https_is_a_wrong_call(url: str) -> None:
    with pytest.raises(UsageError) as error:
        pull(ONE, where=Where(url, patience=QUICK))
    assert "secret" not in str(error.value)


# Files of which only the git blob id is known


def blob_only(content: bytes, path: str = LARGE) -> Entry:
    source = source_of({})
    pins = (Pin(path, blob=blob_of(content)),)
    return entry_of(msgspec.structs.replace(source, files=pins))


def test_a_file_is_told_by_its_blob_id_alone(upstream: Upstream) -> None:
    pulled = quick_pull(blob_only(FILES[LARGE]), upstream)
    assert pulled.pack.verified
    assert (pulled.pack.root / LARGE).read_bytes() == FILES[LARGE]
    assert quick_pull(blob_only(FILES[LARGE]), upstream).fetched == 0


def test_another_file_than_the_blob_id_says_is_refused_and_not_kept(upstream: Upstream) -> None:
    wanted = blob_of(b"something else")
    with pytest.raises(ChecksumError, match=f"catalogue pins git blob {wanted}"):
        quick_pull(blob_only(b"something else"), upstream)
    assert len(upstream.of(LARGE)) == 1
    assert files_below(pull_folder(ONE)) == {}
    assert not pack_root("tiny").exists()


def test_a_file_of_unknown_size_goes_on_where_it_stopped(upstream: Upstream) -> None:
    upstream.plan[LARGE] = [cut(50_000), cut(50_000), cut(50_000)]
    with pytest.raises(DataError, match=f"ended at 150000 of {SIZE} bytes|connection failed"):
        quick_pull(blob_only(FILES[LARGE]), upstream)
    assert part().stat().st_size == 150_000
    assert quick_pull(blob_only(FILES[LARGE]), upstream).pack.verified
    assert upstream.of(LARGE)[-1].range == "bytes=150000-"
    assert sum(seen.sent for seen in upstream.of(LARGE)) == SIZE


def test_a_whole_part_of_unknown_size_is_fetched_anew(upstream: Upstream) -> None:
    """Nobody here can tell that it is whole; the server says so, and is asked again."""
    part().parent.mkdir(parents=True)
    part().write_bytes(FILES[LARGE])
    assert quick_pull(blob_only(FILES[LARGE]), upstream).pack.verified
    assert [seen.range for seen in upstream.of(LARGE)] == [f"bytes={SIZE}-", None]


@pytest.mark.parametrize("announced", [False, True])
def test_a_file_of_unknown_size_is_not_taken_without_end(
    upstream: Upstream, monkeypatch: pytest.MonkeyPatch, announced: bool
) -> None:
    monkeypatch.setattr("hengfa.base.data.download.LARGEST_ARCHIVE", 100_000)
    if not announced:
        upstream.plan[LARGE] = [endless()]
    with pytest.raises(ChecksumError, match="has more than 100000 bytes"):
        quick_pull(blob_only(FILES[LARGE]), upstream)
    assert files_below(pull_folder(ONE)) == {}


# An interruption at any byte


@pytest.mark.parametrize("entry", [entry_with(SMALL), blob_only(FILES[SMALL], SMALL)])
def test_an_interruption_at_any_byte_is_continued(upstream: Upstream, entry: Entry) -> None:
    content = FILES[SMALL]
    where = Where(upstream.url, patience=Patience(attempts=1))
    unfinished = pull_folder(entry) / FOLDER / (SMALL + ".part")
    for after in range(len(content)):
        upstream.plan[SMALL] = [cut(after, wait=0.01)]
        with pytest.raises(DataError, match="goes on where it stopped"):
            pull(entry, where=where)
        assert content.startswith(unfinished.read_bytes())
        assert status_of(entry).state == "started"
        assert pull(entry, where=where).pack.verified
        assert (pack_root("tiny") / SMALL).read_bytes() == content
        shutil.rmtree(pack_root("tiny"))


def test_two_pulls_at_once_do_not_meet(upstream: Upstream) -> None:
    upstream.plan[LARGE] = [slow()]
    with ThreadPoolExecutor() as pool:
        calls = [pool.submit(quick_pull, ONE, upstream) for _ in range(2)]
    problems = [call.exception() for call in calls]
    assert len(upstream.of(LARGE)) == 1
    refused = [problem for problem in problems if problem]
    assert len(refused) == 1
    assert "another process is installing 'tiny'" in str(refused[0])
    assert verify_pack(ONE)


# Several sources, and packs that are derived


def verify_pack(entry: Entry) -> bool:
    pack = open_pack(entry)
    recorded = read_receipt(pack.root)
    assert recorded is not None
    have = files_below(pack.root)
    have.pop("receipt.json")
    return pack.verified and {file.path: file.sha256 for file in recorded.files} == {
        path: hashlib.sha256(content).hexdigest() for path, content in have.items()
    }


LEFT = source_of({"left.txt": b"left", "LICENSE": b"of the left"}, "nobody/left")
RIGHT = source_of({"right.txt": b"right", "LICENCE": b"of the right"}, "somebody/right", "f" * 40)
BOTH = {
    f"{LEFT.folder}/left.txt": b"left",
    f"{LEFT.folder}/LICENSE": b"of the left",
    f"{RIGHT.folder}/right.txt": b"right",
    f"{RIGHT.folder}/LICENCE": b"of the right",
}
EXTRA = msgspec.structs.replace(
    RIGHT,
    parts={"more": ("more.txt",)},
    files=(*RIGHT.files, pin_of("more.txt", b"more", part="more")),
)


def join(sources: Mapping[str, Path], target: Path) -> None:
    """A derivation: what the two sources say, after one another."""
    left, right = sources[LEFT.key], sources[RIGHT.key]
    text = (left / "left.txt").read_bytes() + (right / "right.txt").read_bytes()
    if (right / "more.txt").is_file():
        text += (right / "more.txt").read_bytes()
    (target / "deep").mkdir()
    (target / "deep/joined.txt").write_bytes(text)


JOIN = Derivation("7", join)
JOINED = entry_of(LEFT, RIGHT, derived={"deep/joined.txt": b"leftright"})


def test_a_pack_has_files_of_two_sources(upstream: Upstream) -> None:
    upstream.files = BOTH
    entry = entry_of(LEFT, RIGHT)
    pulled = quick_pull(entry, upstream)
    assert (pulled.fetched, pulled.pack.commit) == (4, "")
    assert sorted(seen.path for seen in upstream.seen) == sorted(BOTH)
    assert verify_pack(entry)
    assert set(files_below(pulled.pack.root)) == {
        *("left.txt", "LICENSE", "right.txt", "LICENCE", "receipt.json")
    }
    receipt = read_receipt(pulled.pack.root)
    assert receipt is not None
    assert receipt.sources == (LEFT.key, RIGHT.key)
    assert (receipt.repository, receipt.commit, receipt.derivation) == (None, None, "")


def test_what_one_source_gave_is_kept_when_the_other_fails(upstream: Upstream) -> None:
    upstream.files = BOTH
    path = f"{RIGHT.folder}/right.txt"
    upstream.plan[path] = [slow_404()]
    with pytest.raises(DataError, match=rf"tiny: right.txt: not found at {upstream.url}/{path}"):
        quick_pull(entry_of(LEFT, RIGHT), upstream)
    assert not pack_root("tiny").exists()
    upstream.seen.clear()
    assert quick_pull(entry_of(LEFT, RIGHT), upstream).fetched == 1
    assert [seen.path for seen in upstream.seen] == [path]


def test_a_derived_pack_is_made_of_its_sources(upstream: Upstream) -> None:
    upstream.files = BOTH
    where = Where(upstream.url, patience=QUICK)
    pulled = pull(JOINED, where=where, derivation=JOIN)
    assert (pulled.fetched, pulled.pack.verified) == (4, True)
    have = files_below(pulled.pack.root)
    assert have.pop("receipt.json")
    assert have == {"deep/joined.txt": b"leftright"}
    receipt = read_receipt(pulled.pack.root)
    assert receipt is not None
    assert (receipt.sources, receipt.derivation) == ((LEFT.key, RIGHT.key), "7")
    assert pull(JOINED, where=where, derivation=JOIN) == Pulled(pulled.pack, fetched=0)
    assert len(upstream.seen) == 4
    (pulled.pack.root / "deep/joined.txt").write_bytes(b"leftwrong")
    assert pull(JOINED, where=where, derivation=JOIN).fetched == 4
    assert verify_pack(JOINED)


def test_a_derivation_that_makes_other_bytes_installs_nothing(upstream: Upstream) -> None:
    upstream.files = BOTH

    def otherwise(_sources: Mapping[str, Path], target: Path) -> None:
        (target / "deep").mkdir()
        (target / "deep/joined.txt").write_bytes(b"something else")

    where = Where(upstream.url, patience=QUICK)
    words = r"deep/joined.txt: derivation 8 made it otherwise than it is pinned: please report"
    with pytest.raises(ChecksumError, match=words):
        pull(JOINED, where=where, derivation=Derivation("8", otherwise))
    assert not pack_root("tiny").exists()
    assert status_of(JOINED).state == "started"
    upstream.seen.clear()
    assert pull(JOINED, where=where, derivation=JOIN).pack.verified
    assert upstream.seen == []


def test_a_derivation_that_fails_leaves_the_installed_pack_alone(upstream: Upstream) -> None:
    upstream.files = BOTH

    def fail(_sources: Mapping[str, Path], target: Path) -> None:
        (target / "half").write_bytes(b"of it")
        raise DataError("cannot be read", file="left.txt")

    where = Where(upstream.url, patience=QUICK)
    old = pull(JOINED, where=where, derivation=JOIN).pack
    newer = entry_of(LEFT, RIGHT, derived={"deep/joined.txt": b"left and right"})
    with pytest.raises(DataError, match=r"left\.txt: cannot be read"):
        pull(newer, where=where, derivation=Derivation("8", fail))
    assert open_pack(JOINED) == old
    assert verify_pack(JOINED)


def test_a_derived_pack_needs_somebody_who_derives_it(upstream: Upstream) -> None:
    upstream.files = BOTH
    with pytest.raises(UsageError, match="'tiny' is derived"):
        quick_pull(JOINED, upstream)
    assert not pack_root("tiny").exists()


# Parts that only some people need


def test_a_part_comes_when_it_is_asked_for_and_stays(upstream: Upstream) -> None:
    upstream.files = BOTH | {f"{RIGHT.folder}/more.txt": b"more"}
    entry = entry_of(LEFT, EXTRA)
    where = Where(upstream.url, patience=QUICK)
    small = pull(entry, where=where)
    assert "more.txt" not in files_below(small.pack.root)
    large = pull(entry, where=where, parts=["more"])
    assert (large.fetched, large.pack) == (1, small.pack)
    assert pull(entry, where=where, parts=["more"]).fetched == pull(entry, where=where).fetched == 0
    (large.pack.root / "left.txt").unlink()
    assert pull(entry, where=where).fetched == 1
    assert files_below(large.pack.root)["more.txt"] == b"more"
    with pytest.raises(UsageError, match="'tiny' has no part 'less'; there is: more"):
        pull(entry, where=where, parts=["less"])


def test_a_derived_pack_is_made_anew_with_a_part(upstream: Upstream) -> None:
    upstream.files = BOTH | {f"{RIGHT.folder}/more.txt": b"more"}
    entry = msgspec.structs.replace(
        entry_of(LEFT, EXTRA, derived={"deep/joined.txt": b"leftright"}),
        variants=((pin_of("deep/joined.txt", b"leftrightmore"),),),
    )
    where = Where(upstream.url, patience=QUICK)
    small = pull(entry, where=where, derivation=JOIN).pack
    large = pull(entry, where=where, derivation=JOIN, parts=["more"]).pack
    assert (large.root / "deep/joined.txt").read_bytes() == b"leftrightmore"
    assert large.verified
    assert large.fingerprint != small.fingerprint
    assert pull(entry, where=where, derivation=JOIN).fetched == 0
    (large.root / "deep/joined.txt").unlink()
    again = pull(entry, where=where, derivation=JOIN)
    assert (again.fetched, again.pack) == (5, large)


def test_a_part_that_was_begun_and_is_no_longer_wanted_is_left_out(upstream: Upstream) -> None:
    upstream.files = BOTH | {f"{RIGHT.folder}/more.txt": b"more"}
    entry = entry_of(LEFT, EXTRA, derived={"deep/joined.txt": b"leftright"})
    where = Where(upstream.url, patience=QUICK)
    upstream.plan[f"{RIGHT.folder}/right.txt"] = [slow_404()]
    with pytest.raises(DataError, match="not found"):
        pull(entry, where=where, derivation=JOIN, parts=["more"])
    assert (pull_folder(entry) / RIGHT.folder / "more.txt").is_file()
    assert pull(entry, where=where, derivation=JOIN).pack.verified


PULL_IN_A_PROCESS = """
import signal, sys
from pathlib import Path
from hengfa.evals.commands.data import command as data
from hengfa.base.data import catalogue
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
catalogue.PINNED = Path(sys.argv.pop(1))
data()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_process_is_continued_by_the_next(
    upstream: Upstream, tmp_path: Path, how: signal.Signals
) -> None:
    (tmp_path / "tiny.json").write_text(render(ONE), encoding="utf-8")
    upstream.plan[LARGE] = [stall(120_000)]
    with subprocess.Popen(
        [
            sys.executable,
            "-c",
            PULL_IN_A_PROCESS,
            tmp_path,
            "pull",
            "tiny",
            "--base-url",
            upstream.url,
        ],
        env=dict(os.environ),
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if part().is_file() and part().stat().st_size == 120_000:
                break
            time.sleep(0.02)
        process.send_signal(how)
        _, messages = process.communicate(timeout=10)
    assert process.returncode == (-signal.SIGKILL if how == signal.SIGKILL else 1)
    if how == signal.SIGINT:
        assert "stopped: `hengfa data pull tiny` goes on from here" in messages
        assert "Traceback" not in messages
    assert not pack_root("tiny").exists()
    assert quick_pull(read_entry(tmp_path / "tiny.json"), upstream).pack.verified
    assert upstream.of(LARGE)[1].range == "bytes=120000-"


@pytest.mark.shared
def test_lawbench_is_pulled_whole_from_a_mirror(upstream: Upstream, shared: Path) -> None:
    """The real pack, 43 files; only the address is not the real one."""
    entry = load_entry("lawbench")

    def real(path: str) -> Step:
        content = (shared / "data" / "LawBench" / path).read_bytes()

        async def step(request: web.Request, _body: bytes, seen: Seen) -> web.StreamResponse:
            return await ranged(request, content, seen)

        return step

    for file in entry.pins:
        upstream.plan[file.path] = [real(file.path)]
    pulled = pull(entry, where=Where(upstream.url))
    assert pulled.pack.fingerprint == fingerprint(entry.pins)
    assert verify("lawbench").problems == []
