"""What can run with what is installed, and what brings the rest."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_cli import hengfa
from tests.law.library.fictional import CALENDAR, ROWS, write_rows

from hengfa.base.data.catalogue import load_entry, pack_names
from hengfa.base.data.packs import pack_root
from hengfa.base.terminal.progress import readable_size
from hengfa.evals.commands.data import needs
from hengfa.evals.suites.registry import OWN, get_suite
from hengfa.law.library.building.build import build_library
from hengfa.law.library.store import default_file


def status(cwd: Path) -> dict[str, dict[str, Any]]:
    done = hengfa("data", "status", "--json", cwd=cwd)
    assert done.returncode == 0
    return {need["what"]: need for need in json.loads(done.stdout)["needs"]}


def add_statutes(folder: Path) -> None:
    """A small collection in the place of the real one; the pack is not verified."""
    write_rows(folder / "laws", ROWS, CALENDAR)
    shutil.copy(folder / "laws" / "statutes.jsonl", folder / "laws" / "interpretations.jsonl")
    added = hengfa("data", "add", "statutes", "laws", "--allow-changed", cwd=folder)
    assert added.returncode == 0, added.stderr


def test_with_nothing_each_says_what_brings_it(tmp_path: Path) -> None:
    known = status(tmp_path)
    assert {f"hengfa eval {name}" for name in OWN} < known.keys()
    assert {need["pack"] for need in known.values()} == set(pack_names())
    for need in known.values():
        entry = load_entry(need["pack"])
        assert not need["ready"]
        assert f"run `hengfa data pull {entry.name}`" in need["says"]
        assert f"({readable_size(entry.size)}, {entry.licence})" in need["says"]
    _, printed = hengfa("data", "status", cwd=tmp_path).stdout.split("\n\n")
    assert len(printed.splitlines()) == len(known)
    assert all("  needs  " in line for line in printed.splitlines())


def test_a_pack_makes_its_suite_ready_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "PLawbench").mkdir()
    for pin in load_entry("plawbench").pins:
        (tmp_path / "PLawbench" / pin.path).write_text("[]", "utf-8")
    added = hengfa("data", "add", "plawbench", "PLawbench", "--allow-changed", cwd=tmp_path)
    assert added.returncode == 0, added.stderr
    ready = {need.what: need.says for need in needs() if need.ready}
    assert ready == {"hengfa eval plawbench": "plawbench is installed, NOT verified"}
    (pack_root("plawbench") / "Defendants_Statement.json").unlink()
    assert not any(need.ready for need in needs())


def test_the_statutes_need_the_library_too(tmp_path: Path) -> None:
    add_statutes(tmp_path)
    of_law = [need for need in status(tmp_path).values() if need["pack"] == "statutes"]
    assert [(need["ready"], need["says"]) for need in of_law] == [
        (False, "run `hengfa law build`")
    ] * 3
    assert hengfa("law", "build", cwd=tmp_path).returncode == 0
    of_law = [need for need in status(tmp_path).values() if need["pack"] == "statutes"]
    assert [(need["ready"], need["says"]) for need in of_law] == [
        (True, f"the library is built, in {default_file()}")
    ] * 3


def test_a_library_is_enough(tmp_path: Path) -> None:
    build_library([write_rows(tmp_path / "laws", ROWS)], default_file())
    assert {need.what for need in needs() if need.ready} == {
        "hengfa eval claw",
        "hengfa eval tellings",
        "hengfa law, cite, retrieve",
    }


@pytest.mark.parametrize("suite", sorted(OWN))
def test_an_evaluation_says_in_one_line_what_is_missing(suite: str, tmp_path: Path) -> None:
    entry = load_entry(get_suite(suite).pack)
    done = hengfa("eval", suite, "--model", "floor", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    [line] = done.stderr.splitlines()
    for said in (f"`hengfa data pull {entry.name}`", readable_size(entry.size), entry.licence):
        assert said in line
