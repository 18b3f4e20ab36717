"""Statutes and guiding cases: what the catalogue says of them, and how they are installed."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from click.testing import CliRunner, Result

from hengfa.cli.data import command as data
from hengfa.data import catalogue, pin
from hengfa.data.catalogue import Entry, entries_to_pull, load_entry, read_entry
from hengfa.data.install import add
from hengfa.data.packs import find_pack, find_packs, pack_root, pull_folder, verify
from hengfa.data.pull import pull
from hengfa.errors import ChecksumError, DataError, UsageError

SOURCES = {"just-laws": "just-laws", "x-storage-laws": "Laws"}
"""The packs of the two repositories, and the folders in which the shared archives have them."""


# What the catalogue says


def test_the_repositories_have_texts_of_laws_and_nothing_else() -> None:
    just, storage = (load_entry(name) for name in SOURCES)
    assert [file.path for file in just.files if not file.path.endswith(".md")] == ["LICENSE"]
    assert (len(just.files), len(storage.files)) == (347, 852)
    paths = [file.path for entry in (just, storage) for file in entry.files]
    for foreign in (".vuepress", "category/", "MessageBoard", "_index", "DLC", "docs/README"):
        assert not [path for path in paths if foreign in path]
    for wanted in (
        "docs/civil-and-commercial/civil-code/03-contracts.md",
        "docs/civil-and-commercial/trademark-law/versions/2027-01-01/README.md",
        "docs/constitution/preamble.md",
        "民法典/合同编.md",
        "刑法/刑法修正案（十二）(2023-12-29).md",
        "司法解释/人民法院在线诉讼规则(2021-06-16).md",
    ):
        assert wanted in paths


def test_the_repositories_come_from_their_own_homes_at_their_commits() -> None:
    storage = load_entry("x-storage-laws")
    assert storage.commit == "24f29392293ce672d608e19c2bffff10401fe6a8"
    assert "Article 5(1)" in storage.licence
    assert storage.archive_url == (
        f"https://codeload.github.com/X-STORAGE/Laws/tar.gz/{storage.commit}"
    )
    assert storage.url_of("刑法/刑法.md") == (
        f"https://raw.githubusercontent.com/X-STORAGE/Laws/{storage.commit}"
        "/%E5%88%91%E6%B3%95/%E5%88%91%E6%B3%95.md"
    )
    assert load_entry("just-laws").licence == "MIT"


@pytest.mark.parametrize("name", ["statutes", "guiding-cases"])
def test_assembled_packs_have_no_home(name: str) -> None:
    entry = load_entry(name)
    assert (entry.repository, entry.commit, entry.url, entry.archive) == (None,) * 4
    assert "Article 5(1)" in entry.licence
    assert entry.origin == "the pinned copy"


def test_pulling_statutes_pulls_the_two_repositories() -> None:
    assert [entry.name for entry in entries_to_pull("statutes")] == list(SOURCES)
    assert [entry.name for entry in entries_to_pull("just-laws")] == ["just-laws"]
    with pytest.raises(UsageError, match="hengfa data add statutes DIR"):
        pull(load_entry("statutes"))


@pytest.mark.parametrize("name", catalogue.pack_names())
def test_the_lists_stay_small_enough_to_read(name: str) -> None:
    assert (catalogue.PINNED / f"{name}.json").stat().st_size < 200_000


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"repository": None}, "repository"),
        ({"commit": None}, "commit"),
        ({"archive": "http://example.org/{commit}"}, "archive"),
        ({"archive": "https://example.org/latest.tar.gz"}, "archive"),
        ({"url": None, "archive": "https://example.org/{commit}"}, "archive"),
        ({"pull_instead": ["other"]}, "pull_instead"),
        ({"url": None, "pull_instead": ["nobody"]}, "pull_instead"),
        ({"url": None, "pull_instead": ["../other"]}, "pull_instead[0]"),
    ],
)
def test_a_home_that_makes_no_sense_is_named_with_its_field(
    tmp_path: Path, change: dict[str, object], field: str
) -> None:
    good: dict[str, Any] = {
        "name": "tiny",
        "title": "",
        "repository": "nobody/tiny",
        "commit": "0" * 40,
        "licence": "MIT",
        "homepage": "",
        "patterns": [],
        "files": [{"path": "a.txt", "size": 1, "sha256": "a" * 64}],
    }
    for name in ("tiny", "other"):
        (tmp_path / f"{name}.json").write_text(json.dumps(good | {"name": name}), encoding="utf-8")
    assert read_entry(tmp_path / "tiny.json")
    file = tmp_path / "tiny.json"
    file.write_text(json.dumps(good | change), encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_entry(file)
    assert str(error.value).startswith(f"{file}, field '{field}': ")


# A small catalogue of the same shape, and a mirror of it


FILES = {
    "one": {f"docs/law-{number:03}/README.md": f"# 法律{number}".encode() for number in range(120)},
    "two": {f"法/第{number}号.md": f"# 第{number}号".encode() * 9 for number in range(40)},
}
LAST = "法/第9号.md"
"""The file of the second pack that is asked for last."""


@dataclass
class Mirror:
    """Serves FILES below the names of their packs; holds back or denies what it is told to."""

    url: str = ""
    seen: list[str] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    free: threading.Event = field(default_factory=threading.Event)

    def answer(self, path: str) -> tuple[int, bytes]:
        self.seen.append(path)
        if path in self.held:
            self.free.wait(20)
        name, _, inside = path.partition("/")
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
    """A catalogue with an assembled pack `all` and the packs `one` and `two` that stand in for it.

    The folder that comes back holds the files of each in a folder of its name.
    """
    upstream, pinned = tmp_path / "upstream", tmp_path / "pinned"
    pinned.mkdir()
    for name, files in (FILES | {"all": {"all.jsonl": b"{}\n"}}).items():
        for path, content in files.items():
            (upstream / name / path).parent.mkdir(parents=True, exist_ok=True)
            (upstream / name / path).write_bytes(content)
        home = name != "all"
        entry = Entry(
            name=name,
            title=f"The pack {name}",
            repository=f"nobody/{name}" if home else None,
            commit="0123456789" * 4 if home else None,
            licence="MIT",
            homepage="https://example.org",
            patterns=("**/*",),
            url=catalogue.RAW_GITHUB if home else None,
            pull_instead=() if home else ("one", "two"),
        )
        text = pin.render(pin.pin(entry, upstream / name))
        (pinned / f"{name}.json").write_text(text, encoding="utf-8")
    monkeypatch.setattr(catalogue, "PINNED", pinned)
    return upstream


def call(*arguments: str) -> Result:
    return CliRunner().invoke(data, list(arguments))


def requests_for(name: str) -> list[str]:
    return sorted(f"{name}/{path}" for path in FILES[name])


def test_pull_says_what_it_pulls_instead_and_pulls_it(tiny: Path, mirror: Mirror) -> None:
    result = call("pull", "all", "--base-url", mirror.url + "/")
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith("all has no public home: pulling one and two instead\n")
    first, second = result.stdout.splitlines()
    assert first.startswith("one: complete and verified, 120 files fetched, fingerprint ")
    assert second.startswith("two: complete and verified, 40 files fetched, fingerprint ")
    assert sorted(mirror.seen) == sorted(requests_for("one") + requests_for("two"))
    assert find_pack("one").file("docs/law-007/README.md").read_text("utf-8") == "# 法律7"
    again = call("pull", "all", "--base-url", mirror.url)
    assert again.stdout.count("nothing to fetch") == 2


def test_one_missing_file_is_named_and_the_next_pull_fetches_only_the_rest(
    tiny: Path, mirror: Mirror
) -> None:
    mirror.absent = {f"two/{LAST}"}
    result = call("pull", "all", "--base-url", mirror.url)
    assert isinstance(result.exception, DataError)
    assert str(result.exception).startswith(f"two: {LAST}: not found at {mirror.url}/two/")
    assert find_pack("one").verified
    assert not pack_root("two").exists()
    kept = {path for path in FILES["two"] if (pull_folder(load_entry("two")) / path).is_file()}
    mirror.absent, mirror.seen = set(), []
    assert call("pull", "all", "--base-url", mirror.url).exit_code == 0
    # what was on its way when the first pull ended may have come or not
    rest = {f"two/{path}" for path in FILES["two"].keys() - kept}
    assert f"two/{LAST}" in set(mirror.seen) <= rest
    assert verify("two").verified


PULL_IN_A_PROCESS = """
import signal, sys
from pathlib import Path
from hengfa.cli.data import command as data
from hengfa.data import catalogue
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
catalogue.PINNED = Path(sys.argv.pop(1))
data()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_pull_that_was_stopped_goes_on_where_it_was(
    tiny: Path, mirror: Mirror, how: signal.Signals
) -> None:
    mirror.held = {f"two/{LAST}"}
    command = [sys.executable, "-c", PULL_IN_A_PROCESS, str(catalogue.PINNED)]
    with subprocess.Popen(
        [*command, "pull", "all", "--base-url", mirror.url],
        env=dict(os.environ),
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        staged = pull_folder(load_entry("two"))
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
    assert find_pack("one").verified
    assert not pack_root("two").exists()
    mirror.held, mirror.seen = set(), []
    assert call("pull", "all", "--base-url", mirror.url).exit_code == 0
    assert mirror.seen == [f"two/{LAST}"]
    assert verify("two").verified


def test_an_assembled_pack_without_substitutes_is_only_added(
    tiny: Path, tmp_path: Path, mirror: Mirror
) -> None:
    file = catalogue.PINNED / "all.json"
    text = file.read_text("utf-8").replace('["one", "two"]', "[]")
    file.write_text(text, encoding="utf-8")
    result = call("pull", "all")
    assert isinstance(result.exception, UsageError)
    assert str(result.exception) == (
        "'all' has no public home: `hengfa data add all DIR` takes it from a folder"
    )
    assert result.stderr == ""
    with pytest.raises(
        DataError, match=r"not installed: run `hengfa data add all DIR` with a f\w+"
    ):
        find_pack("all")
    assert "only added" in call("list").stdout
    assert call("add", "all", str(tiny / "all")).exit_code == 0
    assert find_packs("all") == [find_pack("all")]


def test_list_shows_what_is_pulled_instead(tiny: Path) -> None:
    lines = call("list").stdout.splitlines()
    assert lines[0] == "all  not installed  3 B     pulled as one + two  MIT"
    assert lines[1].split()[-1] == "MIT"
    assert "  nobody/one@0123456  " in lines[1]
    packs = {pack["name"]: pack for pack in json.loads(call("list", "--json").stdout)["packs"]}
    assert packs["all"]["pull_instead"] == ["one", "two"]
    assert (packs["all"]["repository"], packs["all"]["commit"]) == (None, None)
    assert packs["one"]["pull_instead"] == []
    assert "`hengfa data pull all` fetches one and two instead" in packs["all"]["problem"]


def test_the_richest_source_is_found(tiny: Path) -> None:
    with pytest.raises(DataError, match=r"run `hengfa data add all DIR` .*fetches one and two"):
        find_packs("all")
    two = add(load_entry("two"), tiny / "two")
    assert find_packs("all") == [two]
    one = add(load_entry("one"), tiny / "one")
    assert find_packs("all") == [one, two]
    assert find_packs("one") == [one]
    whole = add(load_entry("all"), tiny / "all")
    assert find_packs("all") == [whole] == [find_pack("all")]
    assert (whole.commit, whole.verified) == ("", True)


def test_a_damaged_source_is_not_passed_over(tiny: Path) -> None:
    add(load_entry("one"), tiny / "one")
    (add(load_entry("all"), tiny / "all").root / "all.jsonl").unlink()
    with pytest.raises(DataError, match=r"all\.jsonl: .* is gone: run `hengfa data add all DIR`"):
        find_packs("all")


def test_a_changed_assembled_pack_is_refused_without_naming_a_repository(tiny: Path) -> None:
    (tiny / "all" / "all.jsonl").write_bytes(b"[]\n")
    with pytest.raises(ChecksumError, match="differs from the pinned copy") as error:
        add(load_entry("all"), tiny / "all")
    assert "data pull" not in str(error.value)
    pack = add(load_entry("all"), tiny / "all", allow_changed=True)
    assert not pack.verified
    (tiny / "all" / "all.jsonl").unlink()
    with pytest.raises(DataError, match=r"all\.jsonl: missing: .* laid out like the pinned copy"):
        add(load_entry("all"), tiny / "all")


# The real texts


@pytest.fixture(scope="session")
def trees(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both repositories as they are upstream."""
    folder = tmp_path_factory.mktemp("upstream")
    for packed in sorted((shared / "data" / "statutes" / "upstream").glob("*.tar.xz")):
        with tarfile.open(packed) as archive:
            archive.extractall(folder, filter="data")
    return folder


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "folder"), [("statutes", "statutes"), ("guiding-cases", "guiding_cases")]
)
def test_an_assembled_pack_is_added_from_the_real_folder(
    shared: Path, name: str, folder: str
) -> None:
    entry = load_entry(name)
    assert pin.pin(entry, shared / "data" / folder) == entry
    pack = add(entry, shared / "data" / folder)
    assert pack.verified
    assert verify(name).verified
    assert find_packs(name) == [pack]
    assert not (pack.root / "upstream").exists()


@pytest.mark.shared
@pytest.mark.parametrize(("name", "folder"), SOURCES.items())
def test_a_repository_is_added_from_its_real_tree(trees: Path, name: str, folder: str) -> None:
    entry = load_entry(name)
    assert pin.pin(entry, trees / folder) == entry
    pack = add(entry, trees / folder)
    assert pack.verified
    assert verify(name).verified
    assert find_packs("statutes") == [pack]


@pytest.mark.shared
def test_the_trees_are_those_of_the_pinned_commits(shared: Path, trees: Path) -> None:
    """The assembled texts say from which git blobs they are; the same blobs are in the trees.

    Some texts are from the history of a repository, and 24 from two folders that the shared archive
    does not have.
    """
    rows = []
    for kind in ("statutes", "interpretations"):
        with gzip.open(shared / "data" / "statutes" / f"{kind}.jsonl.gz") as lines:
            rows += [json.loads(line)["source"] for line in lines]
    for (name, folder), least in zip(SOURCES.items(), (312, 840), strict=True):
        entry = load_entry(name)
        own = [row for row in rows if row["repo"] == entry.repository]
        assert {row["commit"] for row in own} == {entry.commit}
        blobs = {file.path: blob(trees / folder / file.path) for file in entry.files}
        named = [(row["path"], row["path"] + "/README.md", row["blob"]) for row in own]
        same = [one for one in named if one[2] in {blobs.get(one[0]), blobs.get(one[1])}]
        assert len(same) == least


def blob(file: Path) -> str:
    """What `git hash-object` prints."""
    content = file.read_bytes()
    header = b"blob %d\0" % len(content)
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()
