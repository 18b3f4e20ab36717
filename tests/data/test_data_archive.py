"""A pack of many files, fetched as one archive of its repository."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from hengfa.cli import data as cli
from hengfa.data import download, pull
from hengfa.data.catalogue import Entry
from hengfa.data.download import Patience
from hengfa.data.packs import open_pack, pack_root, pull_folder
from hengfa.data.paths import packs_folder
from hengfa.data.sums import FileSum
from hengfa.errors import DataError
from hengfa.report.terminal import progress

QUICK = Patience(attempts=3, first_wait=0.01, longest_wait=0.05, silence_seconds=5)
COMMIT = "0123456789" * 4
LONG = f"司法解释/{'关于审理民事案件适用法律若干问题的解释' * 4}.md"
FILES = {
    **{f"docs/{number}/README.md": f"# 第{number}法".encode() * 50 for number in range(8)},
    LONG: b"long names have headers of their own",
    "LICENSE": b"",
}


@dataclass
class Server:
    """Answers `/archive` and `/files/PATH`; `answers` come first, one for each request."""

    url: str = ""
    archive: bytes = b""
    answers: list[tuple[int, bytes]] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def answer(self, path: str) -> tuple[int, bytes]:
        self.seen.append(path)
        if self.answers:
            return self.answers.pop(0)
        if path == "/archive":
            return 200, self.archive
        content = FILES.get(path.removeprefix("/files/"))
        return (404, b"") if content is None else (200, content)


@pytest.fixture
def server() -> Iterator[Server]:
    known = Server(archive=packed(FILES))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = known.answer(unquote(self.path))
            self.send_response(200 if status == CUT else status)
            self.send_header("Content-Length", str(len(body) * (2 if status == CUT else 1)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        known.url = f"http://127.0.0.1:{listener.server_address[1]}"
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield known
        listener.shutdown()
        thread.join()


CUT = -1
"""As a status: the connection ends halfway."""


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pull, "MANY", 3)


def packed(files: dict[str, bytes], top: str = "tiny-0123456/") -> bytes:
    return packed_members([regular(top + path, content) for path, content in files.items()])


def packed_members(members: list[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for member, content in members:
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def regular(path: str, content: bytes) -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(path)
    member.size = len(content)
    return member, content


def special(path: str, kind: bytes, target: str = "") -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(path)
    member.type, member.linkname = kind, target
    return member, b""


def entry_at(server: Server, files: dict[str, bytes] = FILES) -> Entry:
    """Addresses on this machine, which no catalogue file may have."""
    return Entry(
        name="tiny",
        title="A tiny pack",
        repository="nobody/tiny",
        commit=COMMIT,
        licence="MIT",
        homepage="https://example.org/tiny",
        patterns=("**/*",),
        url=server.url + "/files/{path}",
        archive=server.url + "/archive",
        files=tuple(
            FileSum(path, len(content), hashlib.sha256(content).hexdigest())
            for path, content in sorted(files.items())
        ),
    )


def assert_whole(entry: Entry) -> None:
    root = open_pack(entry).root
    have = {
        file.relative_to(root).as_posix(): file.read_bytes()
        for file in root.rglob("*")
        if file.is_file()
    }
    assert have.pop("receipt.json")
    assert have == FILES


def assert_no_pack(entry: Entry) -> None:
    """Nothing that could be taken for a pack, and no archive left behind."""
    assert not pack_root("tiny").exists()
    left = {path.name for path in packs_folder().iterdir()}
    assert left <= {".tiny.lock", pull_folder(entry).name}


def test_many_files_are_one_request(server: Server) -> None:
    entry = entry_at(server)
    told: dict[str, int] = {}
    archive: list[int] = []
    pulled = pull.pull(entry, watch=told.__setitem__, watch_archive=archive.append, patience=QUICK)
    assert server.seen == ["/archive"]
    assert pulled.fetched == len(FILES)
    assert pulled.pack.verified
    assert_whole(entry)
    receipt = json.loads((pulled.pack.root / "receipt.json").read_text("utf-8"))
    assert receipt["source"] == server.url + "/archive"
    assert told == {path: len(content) for path, content in FILES.items()}
    assert archive[-1] == len(server.archive)
    assert pull.pull(entry, patience=QUICK).fetched == 0
    assert server.seen == ["/archive"]


def test_a_few_missing_files_are_fetched_one_by_one(server: Server) -> None:
    entry = entry_at(server)
    root = pull.pull(entry, patience=QUICK).pack.root
    for number in range(3):
        (root / f"docs/{number}/README.md").unlink()
    server.seen.clear()
    assert pull.pull(entry, patience=QUICK).fetched == 3
    assert sorted(server.seen) == [f"/files/docs/{number}/README.md" for number in range(3)]
    assert_whole(entry)


def test_a_mirror_is_asked_for_files(server: Server) -> None:
    entry = entry_at(server)
    pull.pull(entry, base_url=server.url + "/files", patience=QUICK)
    assert "/archive" not in server.seen
    assert_whole(entry)


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_the_archives_that_git_makes_are_understood(server: Server, tmp_path: Path) -> None:
    """GitHub's archives are git's, with a folder around everything."""
    for path, content in (FILES | {"images/logo.png": b"no part of the pack"}).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)

    def git(*arguments: str) -> bytes:
        command = ["git", "-c", "user.name=n", "-c", "user.email=e@example.org", *arguments]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True).stdout

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "all")
    server.archive = git("archive", "--format=tar.gz", f"--prefix=tiny-{COMMIT}/", "HEAD")
    entry = entry_at(server)
    pull.pull(entry, patience=QUICK)
    assert server.seen == ["/archive"]
    assert_whole(entry)


def test_only_pinned_files_with_the_pinned_contents_are_taken(
    server: Server, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"as it was")
    good = "docs/1/README.md"
    server.archive = packed_members(
        [
            regular("tiny/../../evil", b"x"),
            regular("/absolute", b"x"),
            regular("docs/0/README.md", FILES["docs/0/README.md"]),  # not below the one folder
            special("tiny/docs/2/README.md", tarfile.SYMTYPE, str(outside)),
            special("tiny/docs/3/README.md", tarfile.LNKTYPE, "tiny/docs/2/README.md"),
            special("tiny/docs/4/README.md", tarfile.FIFOTYPE),
            special("tiny/docs/5", tarfile.SYMTYPE, str(tmp_path)),
            regular("tiny/docs/5/README.md", b"y" * len(FILES["docs/5/README.md"])),
            regular("tiny/docs/6/README.md", b"longer" + FILES["docs/6/README.md"]),
            regular("tiny/receipt.json", b"{}"),
            regular(f"tiny/{good}", FILES[good]),
            regular(f"tiny/{good}", b"z" * len(FILES[good])),
        ]
    )
    entry = entry_at(server)
    pull.pull(entry, patience=QUICK)
    one_by_one = {f"/files/{path}" for path in FILES if FILES[path] and path != good}
    assert set(server.seen) == {"/archive", *one_by_one}
    assert_whole(entry)
    assert outside.read_bytes() == b"as it was"
    assert {path.name for path in tmp_path.iterdir()} == {"outside"}
    assert not list(packs_folder().rglob("*evil*"))


def test_a_file_that_is_nowhere_is_named_and_the_rest_is_kept(server: Server) -> None:
    entry = entry_at(server, FILES | {"docs/gone.md": b"gone"})
    with pytest.raises(DataError, match=r"tiny: docs/gone.md: not found at .*/files/docs/gone.md"):
        pull.pull(entry, patience=QUICK)
    assert_no_pack(entry)
    whole = entry_at(server)
    server.seen.clear()
    assert pull.pull(whole, patience=QUICK).pack.verified
    assert server.seen == []


def test_what_an_earlier_call_left_damaged_is_not_taken_for_good(server: Server) -> None:
    entry = entry_at(server)
    lost = "docs/3/README.md"
    damaged = pull_folder(entry) / lost
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(bytes(len(FILES[lost])))
    server.archive = packed({path: content for path, content in FILES.items() if path != lost})
    pull.pull(entry, patience=QUICK)
    assert server.seen == ["/archive", f"/files/{lost}"]
    assert_whole(entry)


def test_the_archive_is_shown_in_the_progress(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    monkeypatch.setattr(cli, "entries_to_pull", lambda _name: [entry_at(server)])
    result = CliRunner().invoke(cli.command, ["pull", "tiny"])
    size = progress.readable_size(len(server.archive))
    assert f"pulling tiny: {size} of the archive\n" in result.stderr
    assert result.stdout.startswith(f"tiny: complete and verified, {len(FILES)} files fetched")


def test_the_archive_is_shown_on_a_terminal(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    pty = pytest.importorskip("pty")
    monkeypatch.setattr(cli, "entries_to_pull", lambda _name: [entry_at(server)])
    controller, terminal = pty.openpty()
    with os.fdopen(terminal, "w", encoding="utf-8") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        cli.command.main(["pull", "tiny"], standalone_mode=False)
        stderr.flush()
        os.set_blocking(controller, False)
        shown = b""
        with contextlib.suppress(BlockingIOError):
            while block := os.read(controller, 65_536):
                shown += block
    os.close(controller)
    assert "pulling tiny" in shown.decode()
    assert "as an archive" in shown.decode()


def test_a_connection_that_breaks_begins_the_archive_anew(server: Server) -> None:
    half = server.archive[: len(server.archive) // 2]
    server.answers = [(CUT, half), (503, b"")]
    entry = entry_at(server)
    pull.pull(entry, patience=QUICK)
    assert server.seen == ["/archive"] * 3
    assert_whole(entry)


def test_what_to_do_instead_is_said_when_the_archive_is_refused(server: Server) -> None:
    server.answers = [(429, b"")] * 3
    entry = entry_at(server)
    words = rf"tiny: archive: HTTP 429 .*clone https://example.org/tiny, check out {COMMIT} and run"
    with pytest.raises(DataError, match=words + " `hengfa data add tiny DIR`"):
        pull.pull(entry, patience=QUICK)
    assert_no_pack(entry)


def test_an_archive_that_is_not_there_is_a_clear_error(server: Server) -> None:
    server.answers = [(404, b"")]
    entry = entry_at(server)
    with pytest.raises(DataError, match=r"tiny: archive: not found at .*/archive"):
        pull.pull(entry, patience=QUICK)
    assert_no_pack(entry)


@pytest.mark.parametrize(
    "body",
    [
        b"<html>busy</html>",
        b"",
        gzip.compress(b"no tar" * 1000),
        packed(FILES)[:40] + bytes(200),
    ],
    ids=["a page", "nothing", "no tar", "damaged"],
)
def test_what_is_no_archive_is_a_clear_error(server: Server, body: bytes) -> None:
    server.archive = body
    entry = entry_at(server)
    with pytest.raises(DataError, match=r"tiny: archive: this archive cannot be read \(.+\)"):
        pull.pull(entry, patience=QUICK)
    assert_no_pack(entry)
    server.archive = packed(FILES)
    assert pull.pull(entry, patience=QUICK).pack.verified


def test_an_archive_without_an_end_is_given_up(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "LARGEST_ARCHIVE", 100)
    entry = entry_at(server)
    with pytest.raises(DataError, match=r"tiny: archive: .*/archive has more than 100 bytes"):
        pull.pull(entry, patience=QUICK)
    assert_no_pack(entry)
