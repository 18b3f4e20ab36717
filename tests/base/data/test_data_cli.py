"""`hengfa data` as a person or a script calls it."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click
import msgspec
import pytest
from click.testing import CliRunner, Result
from tests.packs import COMMIT, blob_of, entry_of, source_of, write_files

from hengfa.base.data import catalogue
from hengfa.base.data.packs import pack_root
from hengfa.base.data.sums import Pin
from hengfa.base.errors import ChecksumError, DataError, UsageError
from hengfa.base.terminal import progress
from hengfa.base.terminal.progress import readable_size
from hengfa.evals.commands import data as data_command
from hengfa.evals.commands.data import command as data
from hengfa.evals.supply.pin import render


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An upstream folder, and a catalogue that knows nothing but it."""
    files = {"one.json": b"[1]", "two.json": b"[2]"}
    root, pinned = write_files(tmp_path / "upstream", files), tmp_path / "pinned"
    pinned.mkdir()
    (pinned / "tiny.json").write_text(render(entry_of(source_of(files))), encoding="utf-8")
    monkeypatch.setattr(catalogue, "PINNED", pinned)
    return root


class Quiet(SimpleHTTPRequestHandler):
    """A plain file server, as a mirror may be: it knows nothing of ranges."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def mirror(folder: Path) -> Iterator[str]:
    handler = functools.partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def call(*arguments: str) -> Result:
    return CliRunner().invoke(data, list(arguments))


def test_every_command_has_an_example_in_its_help() -> None:
    assert isinstance(data, click.Group)
    for command in ([], *([name] for name in data.commands)):
        result = call(*command, "--help")
        assert result.exit_code == 0
        assert "Example:\n    " in result.stdout


def test_list_shows_licence_size_and_state(folder: Path) -> None:
    result = call("status", "tiny")
    assert result.stdout == "tiny  not installed  6 B  nobody/tiny@0123456  MIT\n"
    assert call("add", "tiny", str(folder)).exit_code == 0
    assert "installed" in call("status", "tiny").stdout


def test_list_as_json_is_one_document(folder: Path) -> None:
    result = call("status", "tiny", "--json")
    (pack,) = json.loads(result.stdout)["packs"]
    assert result.stderr == ""
    assert (pack["name"], pack["state"], pack["bytes"], pack["files"]) == ("tiny", "absent", 6, 2)
    assert "hengfa data pull tiny" in pack["problem"]
    call("add", "tiny", str(folder))
    (pack,) = json.loads(call("status", "tiny", "--json").stdout)["packs"]
    assert (pack["state"], pack["verified"], pack["problem"]) == ("installed", True, None)


def test_a_pack_that_nobody_pinned_has_the_size_of_what_was_added(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "_outside", {})
    private = msgspec.structs.replace(entry_of(), name="own", patterns=("*.json",))
    monkeypatch.setattr(data_command, "outside_suites", lambda: catalogue.set_outside([private]))
    assert "own  not installed  –  only added" in call("status", "own").stdout
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    added = call("add", "own", str(folder))
    assert "adding own: 6 B\n" in added.stderr
    assert "own  installed, not verified  6 B  only added" in call("status", "own").stdout


def test_adding_over_an_installed_pack_takes_force_and_says_what_it_replaces(folder: Path) -> None:
    call("add", "tiny", str(folder))
    again = call("add", "tiny", str(folder))
    assert isinstance(again.exception, UsageError)
    there = f"'tiny' is installed in {pack_root('tiny')} (fingerprint "
    assert str(again.exception).startswith(there)
    assert str(again.exception).endswith("): --force replaces it")
    forced = call("add", "tiny", str(folder), "--force")
    assert forced.exit_code == 0
    assert there in forced.stderr


def test_a_broken_pack_is_replaced_as_its_repair_says(folder: Path) -> None:
    call("add", "tiny", str(folder))
    (pack_root("tiny") / "receipt.json").write_text("{", encoding="utf-8")
    assert call("add", "tiny", str(folder)).exit_code == 0


def test_a_pull_that_fails_names_the_ways_without_the_network(mirror: str, folder: Path) -> None:
    (folder / "two.json").unlink()
    failed = call("pull", "tiny", "--base-url", mirror)
    assert isinstance(failed.exception, DataError)
    for way in ("--from DIR", "`hengfa data add`"):
        assert way in str(failed.exception)


def test_list_tells_of_a_broken_pack_on_standard_error(folder: Path) -> None:
    call("add", "tiny", str(folder))
    (pack_root("tiny") / "receipt.json").write_text("{", encoding="utf-8")
    result = call("status", "tiny")
    assert "broken receipt" in result.stdout
    assert "receipt.json: this receipt cannot be used" in result.stderr


def test_pull_shows_what_it_gets_before_and_where_it_is_after(mirror: str) -> None:
    result = call("pull", "tiny", "--base-url", mirror)
    assert result.exit_code == 0, result.output
    for words in (mirror, "nobody/tiny 0123456789", "MIT", "2 files, 6 B", str(pack_root("tiny"))):
        assert words in result.stderr
    assert result.stdout.startswith("tiny: complete and verified, 2 files fetched, fingerprint ")
    again = call("pull", "tiny", "--base-url", mirror)
    assert "nothing to fetch" in again.stdout


def test_pull_takes_copies_from_a_folder(folder: Path, tmp_path: Path) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    folder.rename(copies / f"tiny-{COMMIT}")
    result = call("pull", "tiny", "--from", str(copies))
    assert result.exit_code == 0, result.output
    for words in (f"source   {copies}", "from     nobody/tiny 0123456789", "2 files, 6 B"):
        assert words in result.stderr
    assert result.stdout.startswith("tiny: complete and verified, 2 files fetched, fingerprint ")
    assert "nothing to fetch" in call("pull", "tiny", "--from", str(copies)).stdout


def test_pull_takes_one_place(folder: Path) -> None:
    result = call("pull", "tiny", "--from", str(folder), "--base-url", "https://example.org")
    assert isinstance(result.exception, UsageError)
    assert call("pull", "tiny", "--from", str(folder / "nowhere")).exit_code == 2
    result = call("pull", "tiny", "--from", str(folder))
    assert isinstance(result.exception, DataError)
    assert f"neither a folder tiny-{COMMIT}" in str(result.exception)


def test_pull_brings_a_part_that_is_asked_for(folder: Path, mirror: str) -> None:
    source = source_of({"one.json": b"[1]"})
    more = Pin("two.json", blob=blob_of(b"[2]"), part="more")
    source = msgspec.structs.replace(
        source, files=(*source.files, more), parts={"more": ("two.json",)}
    )
    (catalogue.PINNED / "tiny.json").write_text(render(entry_of(source)), encoding="utf-8")
    small = call("pull", "tiny", "--base-url", mirror)
    assert "1 file, 3 B\n" in small.stderr
    assert not (pack_root("tiny") / "two.json").exists()
    large = call("pull", "tiny", "--with", "more", "--base-url", mirror)
    assert large.exit_code == 0, large.output
    assert "and 1 of unknown size" in large.stderr
    assert (pack_root("tiny") / "two.json").read_bytes() == b"[2]"
    name = small.stdout.partition("fingerprint ")[2]
    assert large.stdout.endswith(name), "results do not change with a part that others lack"
    assert json.loads(call("status", "tiny", "--json").stdout)["packs"][0]["parts"] == ["more"]
    assert isinstance(call("pull", "tiny", "--with", "less").exception, UsageError)


def test_pull_of_a_changed_file_fails(mirror: str, folder: Path) -> None:
    (folder / "one.json").write_text("[9]", encoding="utf-8")
    result = call("pull", "tiny", "--base-url", mirror)
    assert isinstance(result.exception, ChecksumError)
    assert result.exception.exit_status == 1
    assert result.stdout == ""


def test_an_unknown_pack_is_a_wrong_call(folder: Path) -> None:
    for arguments in (["pull", "x"], ["add", "x", str(folder)], ["status", "x"]):
        result = call(*arguments)
        assert isinstance(result.exception, UsageError)
        assert result.exception.exit_status == 2


def test_wrong_arguments_are_a_wrong_call(folder: Path) -> None:
    for arguments in (["pull"], ["add", "tiny"], ["add", "tiny", str(folder / "nowhere")], ["x"]):
        assert call(*arguments).exit_code == 2


def test_add_says_when_a_pack_is_not_verified(folder: Path) -> None:
    (folder / "one.json").write_text("[9]", encoding="utf-8")
    assert isinstance(call("add", "tiny", str(folder)).exception, ChecksumError)
    result = call("add", "tiny", str(folder), "--allow-changed")
    assert "NOT verified" in result.stdout
    assert "not verified" in call("status", "tiny").stdout
    result = call("status", "--verify")
    assert result.exit_code == 0
    assert "1 differ from upstream" in result.stdout
    assert "  differs  one.json\n" in result.stdout


def test_verify_of_a_good_pack(folder: Path) -> None:
    assert call("status", "--verify").stdout == ""
    assert isinstance(call("status", "--verify", "tiny").exception, DataError)
    call("add", "tiny", str(folder))
    for arguments in (["status", "--verify"], ["status", "--verify", "tiny"]):
        result = call(*arguments)
        assert result.exit_code == 0
        assert result.stdout.startswith("tiny: 2 files verified, fingerprint ")


def test_verify_of_a_damaged_pack_ends_with_status_1(folder: Path) -> None:
    call("add", "tiny", str(folder))
    (pack_root("tiny") / "one.json").write_text("[0]", encoding="utf-8")
    result = call("status", "--verify", "tiny")
    assert result.exit_code == 1
    assert "  changed  one.json: sha256 is " in result.stdout
    result = call("status", "--verify", "--json")
    assert result.exit_code == 1
    assert result.stderr == ""
    (found,) = json.loads(result.stdout)
    assert found["problems"][0]["path"] == "one.json"
    assert not found["verified"]


def test_progress_without_a_terminal_is_a_line_now_and_then(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    result = call("add", "tiny", str(folder))
    assert "adding tiny: 3 B of 6 B\nadding tiny: 6 B of 6 B\n" in result.stderr


def test_progress_on_a_terminal_is_a_bar(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pty = pytest.importorskip("pty")
    controller, terminal = pty.openpty()
    with os.fdopen(terminal, "w", encoding="utf-8") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        data.main(["add", "tiny", str(folder)], standalone_mode=False)
        stderr.flush()
        os.set_blocking(controller, False)
        shown = b""
        with contextlib.suppress(BlockingIOError):
            while block := os.read(controller, 65_536):
                shown += block
    os.close(controller)
    assert "adding tiny" in shown.decode()
    assert "━" in shown.decode()


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (32_846_496, "32.8 MB"),
        (5_000_000_000, "5.0 GB"),
    ],
)
def test_sizes_are_written_as_people_write_them(size: int, text: str) -> None:
    assert readable_size(size) == text


def test_the_commands_start_without_the_http_client() -> None:
    heavy = "aiohttp", "rich", "filelock", "asyncio"
    code = (
        f"import hengfa.evals.commands.data, sys; print([m for m in {heavy!r} if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"
