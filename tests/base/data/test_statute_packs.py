"""Statutes and guiding cases: what the catalogue says of them, and how they are installed."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from click.testing import CliRunner, Result
from tests.packs import blob_of, entry_of, source_of, write_files

from hengfa.base.data import catalogue
from hengfa.base.data import pull as pulling
from hengfa.base.data.catalogue import Source, load_entry
from hengfa.base.data.install import add
from hengfa.base.data.packs import find_pack, pack_root, pull_folder, verify
from hengfa.base.data.pull import Derivation
from hengfa.base.data.repositories import find_copy, members
from hengfa.base.errors import ChecksumError, DataError
from hengfa.evals.commands.data import command as data
from hengfa.evals.supply.pin import render

STATUTES = load_entry("statutes")


def source(repository: str) -> Source:
    """The state of a repository that most texts are from."""
    return next(source for source in STATUTES.sources if source.repository == repository)


# What the catalogue says


def test_the_repositories_have_texts_of_laws_and_nothing_else() -> None:
    just, storage = source("ImCa0/just-laws"), source("X-STORAGE/Laws")
    assert [file.path for file in just.files if not file.path.endswith(".md")] == []
    assert [file.path for file in storage.files if not file.path.endswith(".md")] == ["db.sqlite3"]
    paths = [file.path for source in (just, storage) for file in source.files]
    for foreign in (".vuepress", "category/", "MessageBoard", "DLC", "docs/README"):
        assert not [path for path in paths if foreign in path]
    for wanted in (
        "docs/civil-and-commercial/civil-code/03-contracts.md",
        "docs/civil-and-commercial/trademark-law/versions/2027-01-01/README.md",
        "docs/constitution/preamble.md",
        "刑法/刑法修正案（十二）(2023-12-29).md",
        "司法解释/人民法院在线诉讼规则(2021-06-16).md",
    ):
        assert wanted in paths


def test_the_repositories_come_from_their_own_homes_at_their_commits() -> None:
    storage = source("X-STORAGE/Laws")
    assert storage.commit == "24f29392293ce672d608e19c2bffff10401fe6a8"
    assert storage.archive_url == (
        f"https://codeload.github.com/X-STORAGE/Laws/tar.gz/{storage.commit}"
    )
    assert storage.url_of("刑法/刑法.md") == (
        f"https://raw.githubusercontent.com/X-STORAGE/Laws/{storage.commit}"
        "/%E5%88%91%E6%B3%95/%E5%88%91%E6%B3%95.md"
    )
    assert source("ImCa0/just-laws").licence == "MIT"


@pytest.mark.parametrize("name", ["statutes", "guiding-cases"])
def test_assembled_packs_are_derived_and_not_under_copyright(name: str) -> None:
    entry = load_entry(name)
    assert entry.derived
    assert entry.sources
    assert "Article 5(1)" in entry.licence
    assert entry.origin == "the pinned copy"


@pytest.mark.parametrize("name", catalogue.pack_names())
def test_the_lists_stay_small_enough_to_read(name: str) -> None:
    assert (catalogue.PINNED / f"{name}.json").stat().st_size < 450_000


# A small catalogue of the same shape, and a mirror of it


FILES: dict[str, dict[str, bytes]] = {
    "one": {f"docs/law-{number:03}/README.md": f"# 法律{number}".encode() for number in range(120)},
    "two": {f"法/第{number}号.md": f"# 第{number}号".encode() * 9 for number in range(40)},
}
SOURCES = {name: source_of(files, f"nobody/{name}") for name, files in FILES.items()}
LAST = f"{SOURCES['two'].folder}/法/第9号.md"
"""The file of the second source that is asked for last."""
MADE = b"".join(content for name in FILES for _, content in sorted(FILES[name].items()))


def join(sources: Mapping[str, Path], target: Path) -> None:
    """All texts of both, one after another."""
    folders = [sources[source.key] for source in SOURCES.values()]
    texts = [file.read_bytes() for folder in folders for file in sorted(folder.rglob("*.md"))]
    (target / "all.txt").write_bytes(b"".join(texts))


@dataclass
class Mirror:
    """Serves FILES below the folders of their sources; holds back or denies what it is told."""

    url: str = ""
    seen: list[str] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    free: threading.Event = field(default_factory=threading.Event)

    def answer(self, path: str) -> tuple[int, bytes]:
        self.seen.append(path)
        if path in self.held:
            self.free.wait(20)
        folder, _, inside = path.partition("/")
        name = folder.partition("-")[0]
        content = None if path in self.absent else FILES.get(name, {}).get(inside)
        return (404, b"") if content is None else (200, content)


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    known = Mirror()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, body = known.answer(unquote(self.path).lstrip("/"))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    class Listener(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            """A client that was stopped is what is tested."""

    with Listener(("127.0.0.1", 0), Handler) as listener:
        listener.daemon_threads = True
        known.url = f"http://127.0.0.1:{listener.server_address[1]}"
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield known
        known.free.set()
        listener.shutdown()
        thread.join()


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalogue with a pack `all` that is made of the repositories `one` and `two`.

    The folder that comes back holds it as it is made.
    """
    pinned = tmp_path / "pinned"
    pinned.mkdir()
    entry = entry_of(*SOURCES.values(), name="all", derived={"all.txt": MADE})
    (pinned / "all.json").write_text(render(entry), encoding="utf-8")
    monkeypatch.setattr(catalogue, "PINNED", pinned)
    known: dict[str, Any] = {"all": Derivation("1", join)}
    monkeypatch.setattr(pulling, "derivation_of", known.get)
    return write_files(tmp_path / "made", {"all.txt": MADE})


def call(*arguments: str) -> Result:
    return CliRunner().invoke(data, list(arguments))


def requests_for(name: str) -> list[str]:
    return sorted(f"{SOURCES[name].folder}/{path}" for path in FILES[name])


def test_pull_says_of_what_a_pack_is_made_and_makes_it(tiny: Path, mirror: Mirror) -> None:
    result = call("pull", "all", "--base-url", mirror.url + "/")
    assert result.exit_code == 0, result.output
    for words in ("nobody/one 0123456789", "nobody/two 0123456789", "160 files"):
        assert words in result.stderr
    assert result.stdout.startswith("all: complete and verified, 160 files fetched, fingerprint ")
    assert sorted(mirror.seen) == sorted(requests_for("one") + requests_for("two"))
    assert find_pack("all").file("all.txt").read_bytes() == MADE
    assert "nothing to fetch" in call("pull", "all", "--base-url", mirror.url).stdout


def test_one_missing_file_is_named_and_the_next_pull_fetches_only_the_rest(
    tiny: Path, mirror: Mirror
) -> None:
    mirror.absent = {LAST}
    result = call("pull", "all", "--base-url", mirror.url)
    assert isinstance(result.exception, DataError)
    assert str(result.exception).startswith(f"all: 法/第9号.md: not found at {mirror.url}/two-")
    assert not pack_root("all").exists()
    staged = pull_folder(load_entry("all"))
    kept = {path for path in requests_for("two") if (staged / path).is_file()}
    mirror.absent, mirror.seen = set(), []
    assert call("pull", "all", "--base-url", mirror.url).exit_code == 0
    # what was on its way when the first pull ended may have come or not
    assert LAST in set(mirror.seen) <= {*requests_for("two")} - kept
    assert verify("all").verified


PULL_IN_A_PROCESS = """
import signal, sys
from pathlib import Path
from hengfa.evals.commands.data import command as data
from hengfa.base.data import catalogue
from hengfa.base.data.pull import Derivation
from hengfa.base.data import pull as pulling
pulling.derivation_of = lambda _name: Derivation("1", print)  # it does not come so far
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
catalogue.PINNED = Path(sys.argv.pop(1))
data()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_pull_that_was_stopped_goes_on_where_it_was(
    tiny: Path, mirror: Mirror, how: signal.Signals
) -> None:
    mirror.held = {LAST}
    command = [sys.executable, "-c", PULL_IN_A_PROCESS, str(catalogue.PINNED)]
    with subprocess.Popen(
        [*command, "pull", "all", "--base-url", mirror.url],
        env=dict(os.environ),
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        staged = pull_folder(load_entry("all")) / SOURCES["two"].folder
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if len(list(staged.rglob("*.md"))) == len(FILES["two"]) - 1:
                break
            time.sleep(0.02)
        process.send_signal(how)
        _, messages = process.communicate(timeout=10)
    assert process.returncode == (-signal.SIGKILL if how == signal.SIGKILL else 1)
    if how == signal.SIGINT:
        assert "stopped: `hengfa data pull all` goes on from here" in messages
        assert "Traceback" not in messages
    assert not pack_root("all").exists()
    mirror.held, mirror.seen = set(), []
    assert call("pull", "all", "--base-url", mirror.url).exit_code == 0
    assert mirror.seen == [LAST]
    assert verify("all").verified


def test_list_shows_where_a_pack_of_several_sources_comes_from(tiny: Path) -> None:
    (line,) = call("status", "all").stdout.splitlines()
    assert line.startswith("all  not installed  ")
    assert line.endswith("  nobody/one and 1 more  MIT")
    (pack,) = json.loads(call("status", "all", "--json").stdout)["packs"]
    assert pack["sources"] == [source.key for source in SOURCES.values()]
    assert (pack["derived"], pack["files"], pack["bytes"]) == (True, 1, len(MADE))
    assert "run `hengfa data pull all`, or `hengfa data add all DIR`" in pack["problem"]


def test_an_assembled_pack_is_added_too(tiny: Path) -> None:
    pack = add(load_entry("all"), tiny)
    assert (pack.commit, pack.verified) == ("", True)
    assert find_pack("all") == pack
    (pack.root / "all.txt").unlink()
    with pytest.raises(DataError, match=r"all\.txt: .* is gone: run `hengfa data pull all`"):
        find_pack("all")


def test_a_changed_assembled_pack_is_refused_without_naming_a_repository(tiny: Path) -> None:
    (tiny / "all.txt").write_bytes(b"[]\n")
    with pytest.raises(ChecksumError, match="differs from the pinned copy") as error:
        add(load_entry("all"), tiny)
    assert "nobody/" not in str(error.value)
    pack = add(load_entry("all"), tiny, allow_changed=True)
    assert not pack.verified
    (tiny / "all.txt").unlink()
    with pytest.raises(DataError, match=r"all\.txt: missing: .* laid out like the pinned copy"):
        add(load_entry("all"), tiny)


# The real texts


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "folder"), [("statutes", "statutes"), ("guiding-cases", "guiding_cases")]
)
def test_an_assembled_pack_is_added_from_the_real_folder(
    shared: Path, name: str, folder: str
) -> None:
    """As it was given out before it was derived here: that counts as verified, too."""
    pack = add(load_entry(name), shared / "data" / folder)
    assert pack.verified
    assert verify(name).verified
    assert find_pack(name) == pack
    assert not (pack.root / "upstream").exists()


@pytest.mark.shared
def test_the_pinned_files_are_those_that_the_assembled_texts_name(shared: Path) -> None:
    """The assembled texts say from which git blobs they are; the same blobs are in the copies.

    Some texts are from the history of a repository, and 24 from two folders that no copy has.
    """
    rows = []
    for kind in ("statutes", "interpretations"):
        with gzip.open(shared / "data" / "statutes" / f"{kind}.jsonl.gz") as lines:
            rows += [json.loads(line)["source"] for line in lines]
    for repository, least in (("ImCa0/just-laws", 312), ("X-STORAGE/Laws", 840)):
        known = source(repository)
        own = [row for row in rows if row["repo"] == repository]
        assert {row["commit"] for row in own} == {known.commit}
        place = find_copy(shared / "data" / "upstream", known.folder)
        assert place is not None
        blobs = {member.path: blob_of(b"".join(member.blocks())) for member in members(place)}
        assert {file.path for file in known.files if not file.part} <= blobs.keys()
        named = [(row["path"], row["path"] + "/README.md", row["blob"]) for row in own]
        same = [one for one in named if one[2] in {blobs.get(one[0]), blobs.get(one[1])}]
        assert len(same) == least
