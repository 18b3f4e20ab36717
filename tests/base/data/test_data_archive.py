"""Repositories as archives: fetched where many files are missing, or lying in a folder."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import msgspec
import pytest
from click.testing import CliRunner
from tests.bounded import told_within
from tests.packs import COMMIT, entry_of, files_below, source_of, write_files

from hengfa.base import bringing
from hengfa.base.data import catalogue, download, pull
from hengfa.base.data.catalogue import Entry
from hengfa.base.data.download import Patience
from hengfa.base.data.packs import open_pack, pack_root, pull_folder
from hengfa.base.data.paths import packs_folder
from hengfa.base.data.pull import Where
from hengfa.base.errors import ChecksumError, DataError, UsageError
from hengfa.base.progress import Watch
from hengfa.base.terminal import progress
from hengfa.evals.commands import data as cli

PATIENCE = Patience(attempts=3, first_wait=0.01, longest_wait=0.05, silence_seconds=5)
QUICK = Where(patience=PATIENCE)
LONG = f"司法解释/{'关于审理民事案件适用法律若干问题的解释' * 4}.md"
FILES = {
    **{f"docs/{number}/README.md": f"# 第{number}法".encode() * 50 for number in range(8)},
    LONG: b"long names have headers of their own",
    "LICENSE": b"",
}
TINY = entry_of(source_of(FILES))
FOLDER = TINY.sources[0].folder


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
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The homes of all repositories are on this machine."""
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
        monkeypatch.setattr(catalogue, "RAW", known.url + "/files/{path}")
        monkeypatch.setattr(catalogue, "ARCHIVE", known.url + "/archive")
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


def packed(files: dict[str, bytes], form: str = "gz") -> bytes:
    return packed_members([regular(f"{FOLDER}/{path}", files[path]) for path in files], form)


def packed_members(members: list[tuple[tarfile.TarInfo, bytes]], form: str = "gz") -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=f"w:{form}") as archive:  # type: ignore[call-overload]
        for member, content in members:
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


def zipped(members: list[tuple[str, bytes, int]]) -> bytes:
    """Names, contents and kinds, as `stat` calls them."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, kind in members:
            member = zipfile.ZipInfo(name)
            member.external_attr = (kind | 0o644) << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def regular(path: str, content: bytes) -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(path)
    member.size = len(content)
    return member, content


def special(path: str, kind: bytes, target: str = "") -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(path)
    member.type, member.linkname = kind, target
    return member, b""


def assert_whole(entry: Entry = TINY) -> None:
    have = files_below(open_pack(entry).root)
    assert have.pop("receipt.json")
    assert have == FILES


def assert_no_pack(entry: Entry = TINY) -> None:
    """Nothing that could be taken for a pack, and no archive left behind."""
    assert not pack_root("tiny").exists()
    left = {path.name for path in packs_folder().iterdir()}
    assert left <= {".tiny.lock", pull_folder(entry).name}


def test_many_files_are_one_request(server: Server) -> None:
    told: dict[str, int] = {}
    archive: list[int] = []
    watch = Watch(told.__setitem__, archive.append)
    pulled = pull.pull(TINY, where=QUICK, watch=watch)
    assert server.seen == ["/archive"]
    assert pulled.fetched == len(FILES)
    assert pulled.pack.verified
    assert_whole()
    receipt = json.loads((pulled.pack.root / "receipt.json").read_text("utf-8"))
    assert (receipt["source"], receipt["commit"]) == ("nobody/tiny", COMMIT)
    assert told == {f"{FOLDER}/{path}": len(content) for path, content in FILES.items()}
    assert archive[-1] == len(server.archive)
    assert pull.pull(TINY, where=QUICK).fetched == 0
    assert server.seen == ["/archive"]


def test_a_few_missing_files_are_fetched_one_by_one(server: Server) -> None:
    root = pull.pull(TINY, where=QUICK).pack.root
    for number in range(3):
        (root / f"docs/{number}/README.md").unlink()
    server.seen.clear()
    assert pull.pull(TINY, where=QUICK).fetched == 3
    assert sorted(server.seen) == [f"/files/docs/{number}/README.md" for number in range(3)]
    assert_whole()


def test_a_mirror_is_asked_for_files(server: Server) -> None:
    pull.pull(TINY, where=Where(server.url + "/files", patience=PATIENCE))
    assert "/archive" not in server.seen
    assert_whole()


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_the_archives_that_git_makes_are_understood(server: Server, tmp_path: Path) -> None:
    """GitHub's archives are git's, with a folder around everything."""
    write_files(tmp_path, FILES | {"images/logo.png": b"no part of the pack"})

    def git(*arguments: str) -> bytes:
        command = ["git", "-c", "user.name=n", "-c", "user.email=e@example.org", *arguments]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True).stdout

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "all")
    server.archive = git("archive", "--format=tar.gz", f"--prefix=tiny-{COMMIT}/", "HEAD")
    pull.pull(TINY, where=QUICK)
    assert server.seen == ["/archive"]
    assert_whole()


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
    pull.pull(TINY, where=QUICK)
    one_by_one = {f"/files/{path}" for path in FILES if FILES[path] and path != good}
    assert set(server.seen) == {"/archive", *one_by_one}
    assert_whole()
    assert outside.read_bytes() == b"as it was"
    assert {path.name for path in tmp_path.iterdir()} == {"outside"}
    assert not list(packs_folder().rglob("*evil*"))


def test_a_file_that_is_nowhere_is_named_and_the_rest_is_kept(server: Server) -> None:
    entry = entry_of(source_of(FILES | {"docs/gone.md": b"gone"}))
    with pytest.raises(DataError, match=r"tiny: docs/gone.md: not found at .*/files/docs/gone.md"):
        pull.pull(entry, where=QUICK)
    assert_no_pack(entry)
    server.seen.clear()
    assert pull.pull(TINY, where=QUICK).pack.verified
    assert server.seen == []


def test_what_an_earlier_call_left_damaged_is_not_taken_for_good(server: Server) -> None:
    lost = "docs/3/README.md"
    damaged = pull_folder(TINY) / FOLDER / lost
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(bytes(len(FILES[lost])))
    server.archive = packed({path: content for path, content in FILES.items() if path != lost})
    pull.pull(TINY, where=QUICK)
    assert server.seen == ["/archive", f"/files/{lost}"]
    assert_whole()


def test_the_archive_is_shown_in_the_progress(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    monkeypatch.setattr(bringing, "load_entry", lambda _name: TINY)
    result = CliRunner().invoke(cli.command, ["pull", "tiny"])
    size = progress.readable_size(len(server.archive))
    assert f"pulling tiny: {size} of the archive\n" in result.stderr
    assert result.stdout.startswith(f"tiny: complete and verified, {len(FILES)} files fetched")


def test_the_archive_is_shown_on_a_terminal(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    pty = pytest.importorskip("pty")
    monkeypatch.setattr(bringing, "load_entry", lambda _name: TINY)
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
    pull.pull(TINY, where=QUICK)
    assert server.seen == ["/archive"] * 3
    assert_whole()


def test_what_to_do_instead_is_said_when_the_archive_is_refused(server: Server) -> None:
    server.answers = [(429, b"")] * 3
    words = rf"tiny: archive of nobody/tiny: HTTP 429 .*take {FOLDER}.tar.gz by other means"
    with pytest.raises(DataError, match=words + ": --from"):
        pull.pull(TINY, where=QUICK)
    assert_no_pack()


def test_an_archive_that_is_not_there_is_a_clear_error(server: Server) -> None:
    server.answers = [(404, b"")]
    with pytest.raises(DataError, match=r"tiny: archive of nobody/tiny: not found at .*/archive"):
        pull.pull(TINY, where=QUICK)
    assert_no_pack()


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
    with pytest.raises(
        DataError, match=r"tiny: archive of nobody/tiny: this archive cannot be read \(.+\)"
    ):
        pull.pull(TINY, where=QUICK)
    assert_no_pack()
    server.archive = packed(FILES)
    assert pull.pull(TINY, where=QUICK).pack.verified


def test_an_archive_without_an_end_is_given_up(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "LARGEST_ARCHIVE", 100)
    with pytest.raises(
        DataError, match=r"tiny: archive of nobody/tiny: .*/archive has more than 100 bytes"
    ):
        pull.pull(TINY, where=QUICK)
    assert_no_pack()


def test_an_archive_may_end_early_anywhere(server: Server) -> None:
    """A server that does not say how many bytes there are can stop at each of them."""
    whole = server.archive
    for length in range(0, len(whole), len(whole) // 30):
        server.archive = whole[:length]
        try:
            pull.pull(TINY, where=QUICK)  # the rest may have come one by one
        except DataError as error:
            assert "tiny: archive of nobody/tiny: this archive cannot be read" in str(error)
            assert_no_pack()
        server.archive = whole
        assert pull.pull(TINY, where=QUICK).pack.verified
        assert_whole()
        shutil.rmtree(packs_folder())


# Copies in a folder


FORMS = ("folder", "tar.gz", "tar.xz", "zip")


def write_copy(copies: Path, form: str, files: dict[str, bytes], folder: str = FOLDER) -> Path:
    """A copy of a repository, as somebody brings it here."""
    copies.mkdir(exist_ok=True)
    if form == "folder":
        return write_files(copies / folder, files)
    place = copies / f"{folder}.{form}"
    members = [(f"{folder}/{path}", content) for path, content in files.items()]
    if form == "zip":
        place.write_bytes(zipped([(path, content, stat.S_IFREG) for path, content in members]))
    else:
        regulars = [regular(path, content) for path, content in members]
        place.write_bytes(packed_members(regulars, form.removeprefix("tar.")))
    return place


def take(copies: Path, entry: Entry = TINY) -> pull.Pulled:
    return pull.pull(entry, where=Where(folder=copies))


@pytest.mark.parametrize("form", FORMS)
def test_a_copy_is_taken_in_every_form(server: Server, tmp_path: Path, form: str) -> None:
    write_copy(tmp_path / "copies", form, FILES | {"images/logo.png": b"no part of the pack"})
    pulled = take(tmp_path / "copies")
    assert (pulled.fetched, pulled.pack.verified) == (len(FILES), True)
    assert_whole()
    receipt = json.loads((pulled.pack.root / "receipt.json").read_text("utf-8"))
    assert (receipt["how"], receipt["source"]) == ("pull", str(tmp_path / "copies"))
    (pulled.pack.root / "docs/1/README.md").unlink()
    assert take(tmp_path / "copies").fetched == 1
    assert server.seen == []


@pytest.mark.parametrize("form", FORMS)
def test_copies_of_two_sources_of_a_derived_pack_are_taken(tmp_path: Path, form: str) -> None:
    one = source_of({"a/text": b"one"}, "nobody/one")
    two = source_of({"a/text": b"two"}, "nobody/two")
    entry = entry_of(one, two, derived={"text": b"onetwo"})

    def join(sources: Mapping[str, Path], target: Path) -> None:
        texts = [(sources[key] / "a/text").read_bytes() for key in (one.key, two.key)]
        (target / "text").write_bytes(b"".join(texts))

    copies = tmp_path / "copies"
    write_copy(copies, form, {"a/text": b"one"}, one.folder)
    where, derivation = Where(folder=copies), pull.Derivation("1", join)
    with pytest.raises(DataError, match=f"neither a folder {two.folder} nor an archive"):
        pull.pull(entry, where=where, derivation=derivation)
    assert_no_pack(entry)
    write_copy(copies, form, {"a/text": b"two"}, two.folder)
    pulled = pull.pull(entry, where=where, derivation=derivation)
    assert (pulled.fetched, pulled.pack.verified) == (1, True)
    assert pulled.pack.file("text").read_bytes() == b"onetwo"


def write_hostile(copies: Path, form: str, good: dict[str, bytes], outside: Path) -> None:
    """A copy with members that lead elsewhere, before and among the good ones."""
    names = [f"{FOLDER}/../../evil", "/evil", f"{FOLDER}//evil", f"{FOLDER}/..\\evil"]
    names += ["../evil", f"{FOLDER}/receipt.json", f"{FOLDER}/C:/evil", "evil"]
    link, pipe, device = (f"{FOLDER}/docs/{number}/README.md" for number in range(3))
    linked = f"{FOLDER}/docs/5"
    if form == "folder":
        place = write_files(copies / FOLDER, {"receipt.json": b"{}", "evil": b"x"})
        for folder in ("docs/0", "docs/1"):
            (place / folder).mkdir(parents=True)
        (place / "docs/0/README.md").symlink_to(outside / "file")
        os.mkfifo(place / "docs/1/README.md")
        (place / "docs/5").symlink_to(outside)
        write_files(place, good)
        return
    copies.mkdir()
    members = [(f"{FOLDER}/{path}", content) for path, content in good.items()]
    if form == "zip":
        evil = [(name, b"x", stat.S_IFREG) for name in names]
        evil += [(link, str(outside / "file").encode(), stat.S_IFLNK)]
        evil += [(pipe, b"", stat.S_IFIFO), (device, b"", stat.S_IFCHR)]
        evil += [(linked, str(outside).encode(), stat.S_IFLNK)]
        packed_copy = zipped(evil + [(name, content, stat.S_IFREG) for name, content in members])
    else:
        packed_copy = packed_members(
            [
                *(regular(name, b"x") for name in names),
                special(link, tarfile.SYMTYPE, str(outside / "file")),
                special(f"{FOLDER}/docs/3/README.md", tarfile.LNKTYPE, link),
                special(pipe, tarfile.FIFOTYPE),
                special(device, tarfile.CHRTYPE),
                special(linked, tarfile.SYMTYPE, str(outside)),
                *(regular(name, content) for name, content in members),
            ],
            form.removeprefix("tar."),
        )
    (copies / f"{FOLDER}.{form}").write_bytes(packed_copy)


@pytest.mark.parametrize("form", FORMS)
def test_members_of_a_copy_that_lead_elsewhere_are_passed_over(tmp_path: Path, form: str) -> None:
    outside = write_files(tmp_path / "outside", {"file": b"as it was", "README.md": b"this too"})
    lacking = [f"docs/{number}/README.md" for number in (0, 1, 2, 5)]
    good = {path: content for path, content in FILES.items() if path not in lacking}
    write_hostile(tmp_path / "copies", form, good, outside)
    with pytest.raises(ChecksumError, match=r"has no docs/0/README.md \(and 3 more files\) with"):
        take(tmp_path / "copies")
    assert_no_pack()
    shutil.rmtree(tmp_path / "copies")
    write_copy(tmp_path / "copies", form, FILES)
    assert take(tmp_path / "copies").fetched == len(lacking)
    assert_whole()
    assert files_below(outside) == {"file": b"as it was", "README.md": b"this too"}
    assert {path.name for path in tmp_path.iterdir()} == {"outside", "copies"}
    assert not list(packs_folder().parent.rglob("*evil*"))


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("form", FORMS[1:])
def test_a_good_member_behind_a_hostile_one_of_its_name_is_taken(tmp_path: Path, form: str) -> None:
    outside = write_files(tmp_path / "outside", {"file": b"as it was"})
    write_hostile(tmp_path / "copies", form, FILES, outside)
    assert take(tmp_path / "copies").pack.verified
    assert_whole()
    assert not [path for path in pack_root("tiny").rglob("*") if path.is_symlink()]
    assert files_below(outside) == {"file": b"as it was"}


@pytest.mark.parametrize("form", FORMS)
def test_a_copy_that_lacks_a_file_or_has_another_is_named(tmp_path: Path, form: str) -> None:
    lost, copies = "docs/3/README.md", tmp_path / "copies"
    words = rf"{FOLDER}.*: has no {lost} with sha256 \w{{64}}, as nobody/tiny@{COMMIT} has it"
    for wrong in (None, b"other", b"x" * len(FILES[lost])):
        files = {path: content for path, content in FILES.items() if path != lost}
        write_copy(copies, form, files if wrong is None else files | {lost: wrong})
        with pytest.raises(ChecksumError, match=words):
            take(copies)
        assert_no_pack()
    write_copy(copies, form, FILES)
    assert take(copies).fetched == 1
    assert_whole()


def test_a_copy_that_is_missing_is_named(server: Server, tmp_path: Path) -> None:
    write_copy(tmp_path, "zip", FILES, "tiny-main")
    with pytest.raises(DataError, match=rf"neither a folder {FOLDER} nor an .*'tiny' needs it"):
        take(tmp_path)
    assert_no_pack()
    assert server.seen == []


@pytest.mark.parametrize("form", FORMS[1:])
def test_a_copy_that_is_cut_or_damaged_anywhere_is_a_clear_error(tmp_path: Path, form: str) -> None:
    """Whatever is wrong with an archive, either all files are there or nothing is installed."""
    place = write_copy(tmp_path, form, FILES)
    whole = place.read_bytes()
    cuts = [whole[:length] for length in range(0, len(whole), len(whole) // 50)]
    flips = [
        whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :]
        for at in range(0, len(whole), len(whole) // 100)
    ]
    refused = 0
    for body in (*cuts, *flips):
        place.write_bytes(body)
        try:
            take(tmp_path)
        except DataError:
            assert_no_pack()
            refused += 1
        else:
            assert_whole()
        shutil.rmtree(packs_folder())
    assert refused > len(cuts) / 2
    place.write_bytes(whole)
    assert take(tmp_path).pack.verified


# Parts that nobody has pinned


RESULTS = {"results/a.txt": b"1", "results/deep/b.txt": b"2"}
LOOSE = entry_of(
    msgspec.structs.replace(TINY.sources[0], parts={"results": ("results/**",)}),
)


def take_results(copies: Path) -> pull.Pulled:
    return pull.pull(LOOSE, where=Where(folder=copies), parts=["results"])


@pytest.mark.parametrize("form", FORMS)
def test_a_part_that_nobody_pinned_is_taken_as_it_is(tmp_path: Path, form: str) -> None:
    write_copy(tmp_path, form, FILES)
    small = take(tmp_path, LOOSE).pack
    with pytest.raises(DataError, match=r"nothing matches the pattern 'results/\*\*'"):
        take_results(tmp_path)
    assert open_pack(LOOSE) == small
    write_copy(tmp_path, form, FILES | RESULTS)
    large = take_results(tmp_path).pack
    assert large == small, "results do not change with a part that others lack"
    have = files_below(large.root)
    assert have.pop("receipt.json")
    assert have == FILES | RESULTS
    (large.root / "docs/1/README.md").unlink()
    take(tmp_path, LOOSE)
    assert (large.root / "results/deep/b.txt").read_bytes() == b"2"


@pytest.mark.parametrize("form", FORMS)
def test_nothing_hostile_comes_with_a_part_that_nobody_pinned(tmp_path: Path, form: str) -> None:
    outside = write_files(tmp_path / "outside", {"file": b"as it was"})
    copies = tmp_path / "copies"
    names = [f"{FOLDER}/results/../../evil", f"{FOLDER}/results//evil", "/results/evil"]
    names += ["../results/evil", f"{FOLDER}/results/..\\evil"]
    if form == "folder":
        place = write_files(copies / FOLDER, FILES | RESULTS)
        (place / "results/link").symlink_to(outside / "file")
        (place / "results/folder").symlink_to(outside)
        os.mkfifo(place / "results/pipe")
    elif form == "zip":
        copies.mkdir()
        good = [
            (f"{FOLDER}/{path}", text, stat.S_IFREG) for path, text in (FILES | RESULTS).items()
        ]
        evil = [(name, b"x", stat.S_IFREG) for name in names]
        (copies / f"{FOLDER}.zip").write_bytes(zipped(evil + good))
    else:
        copies.mkdir()
        members = [
            *(regular(name, b"x") for name in names),
            special(f"{FOLDER}/results/link", tarfile.SYMTYPE, str(outside / "file")),
            special(f"{FOLDER}/results/hard", tarfile.LNKTYPE, f"{FOLDER}/LICENSE"),
            special(f"{FOLDER}/results/pipe", tarfile.FIFOTYPE),
            special(f"{FOLDER}/results/device", tarfile.CHRTYPE),
            *(regular(f"{FOLDER}/{path}", text) for path, text in (FILES | RESULTS).items()),
        ]
        packed_copy = packed_members(members, form.removeprefix("tar."))
        (copies / f"{FOLDER}.{form}").write_bytes(packed_copy)
    root = take_results(copies).pack.root
    assert {path for path in files_below(root) if path.startswith("results/")} == {*RESULTS}
    assert not [path for path in root.rglob("*") if path.is_symlink()]
    assert files_below(outside) == {"file": b"as it was"}
    assert {path.name for path in tmp_path.iterdir()} == {"outside", "copies"}
    assert not list(packs_folder().parent.rglob("*evil*"))


def test_a_part_without_an_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pull, "LARGEST_ARCHIVE", 100_000)
    write_copy(tmp_path, "tar.xz", FILES | {"results/zeros": bytes(1_000_000)})
    with pytest.raises(DataError, match="zeros: more than 100000 bytes"):
        take_results(tmp_path)
    assert_no_pack(LOOSE)


def test_what_came_unpinned_is_counted_and_a_mirror_has_it_not(tmp_path: Path) -> None:
    write_copy(tmp_path, "tar.xz", FILES | RESULTS)
    with pytest.raises(UsageError, match="a mirror of files"):
        pull.pull(LOOSE, where=Where(base_url="https://mirror.example"), parts=["results"])
    assert take_results(tmp_path).fetched == len(FILES) + len(RESULTS)
    assert take(tmp_path, LOOSE).fetched == 0


@pytest.mark.deep
@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XGLTYPE])
def test_a_head_that_unpacks_into_gigabytes_is_refused(tmp_path: Path, kind: bytes) -> None:
    head = tarfile.TarInfo("r/long")
    head.type, head.size = kind, 3_000_000_000
    file = tmp_path / "r-0.tar.gz"
    with gzip.open(file, "wb", compresslevel=1) as stream:
        stream.write(head.tobuf(tarfile.GNU_FORMAT))
        for _ in range(300):
            stream.write(bytes(10_000_000))
    code = (
        "from pathlib import Path\nfrom hengfa.base.data.repositories import members\n"
        f"list(members(Path({str(file)!r})))\n"
    )
    assert "a head that no repository needs" in told_within(code)
