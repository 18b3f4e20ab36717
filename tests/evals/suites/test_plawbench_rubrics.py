"""Rubrics that are kept: read once, found again, and made anew where they are of something else."""

from __future__ import annotations

import hashlib
import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from hengfa.base.data.catalogue import load_entry
from hengfa.base.data.packs import pack_root, sample_root
from hengfa.base.data.paths import home
from hengfa.cli.main import cli
from hengfa.evals.suites.plawbench import dataset as module
from hengfa.evals.suites.plawbench.dataset import (
    FILES,
    SHIPPED,
    TASKS,
    ReleasedFile,
    at_home,
    derive,
    keep,
    load,
    name_of,
    read_released,
    rubrics_of,
)

ROOT = sample_root() / "plawbench"
PINNED = [
    "422088fffce5b5e17a5b6c4f20f22fb3ed58dcf454539344f7531c601a0ac5fc",
    "d0b1486ef1d05afb859ca1782a9d629f1b1df800ea893ebde714b4a6cc582be5",
    "beec96e4b73448b8bbe82cd609559fbb07ebcb32e076d57d436a8a96c38fadca",
    "b33a0b014276a32ed26d9a96d20c54b4012cbdd4078f7c6c0c8a65d2617058ef",
]
"""SHA-256 of what is read out of the released files, by their names; whoever changes what is read
raises `VERSION`."""


@pytest.fixture
def released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReleasedFile:
    """Cases like those of the sample pack, of which nothing is kept, and an empty home."""
    monkeypatch.setenv("HENGFA_HOME", str(tmp_path / "home"))
    cases = (ROOT / FILES["case"]).read_text("utf-8").replace("荷生", "莲生")
    (tmp_path / FILES["case"]).write_text(cases, "utf-8")
    return read_released(tmp_path, "case")


def kept() -> list[Path]:
    return sorted(at_home().glob("*"))


@pytest.mark.parametrize("task", TASKS)
def test_what_is_kept_with_the_sample_pack_is_what_is_read(task: str, tmp_path: Path) -> None:
    """Where it is not: `keep(derive(released), SHIPPED / name_of(released))`."""
    released = read_released(ROOT, task)
    keep(derive(released), tmp_path / "made.json")
    assert (tmp_path / "made.json").read_bytes() == (SHIPPED / name_of(released)).read_bytes()
    assert len(list(SHIPPED.iterdir())) == len(TASKS)


def test_the_sample_pack_is_not_read_again(
    released: ReleasedFile, caplog: pytest.LogCaptureFixture
) -> None:
    assert released.sha256 not in "".join(file.read_text("utf-8") for file in SHIPPED.iterdir())
    sample = read_released(ROOT, "case")
    assert rubrics_of(sample) == derive(sample).rubrics
    assert not kept() and not caplog.records


def test_rubrics_are_read_once_and_aloud(
    released: ReleasedFile, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = rubrics_of(released)
    [file] = kept()
    [notice] = caplog.messages
    assert str(released.file) in notice and str(file) in notice
    monkeypatch.delattr(module, "derive")
    assert rubrics_of(released) == first
    assert len(caplog.messages) == 1


def test_a_person_can_read_what_is_kept(released: ReleasedFile) -> None:
    rubrics_of(released)
    [file] = kept()
    lines = file.read_text("utf-8").splitlines()
    assert max(map(len, lines)) < 200 and any("第一步" in line for line in lines)
    assert json.loads(file.read_bytes())["sha256"] == released.sha256


@pytest.mark.parametrize(
    "change",
    [
        {"version": "0"},
        {"sha256": "0" * 64},
        {"rubrics": []},
        {"rubrics": [{"id": "0", "maximum": 1, "sections": []}]},
        None,
    ],
)
def test_what_is_of_another_version_or_source_or_was_changed_is_made_anew(
    released: ReleasedFile, caplog: pytest.LogCaptureFixture, change: dict[str, object] | None
) -> None:
    first = rubrics_of(released)
    [file] = kept()
    whole = file.read_bytes()
    file.write_bytes(b"[" if change is None else json.dumps(json.loads(whole) | change).encode())
    caplog.clear()
    assert rubrics_of(released) == first
    assert len(caplog.messages) == 1
    assert file.read_bytes() == whole


def test_other_words_are_another_source(released: ReleasedFile) -> None:
    rubrics_of(released)
    content = released.file.read_text("utf-8")
    released.file.write_text(content.replace("莲生", "藕生"), "utf-8")
    changed = rubrics_of(read_released(released.file.parent, "case"))
    assert "藕生" in changed[0].sections[0].items[1].text
    assert len(kept()) == 2


def test_a_home_that_takes_nothing_is_told_and_no_obstacle(
    released: ReleasedFile, caplog: pytest.LogCaptureFixture
) -> None:
    home().write_text("no folder")
    assert rubrics_of(released) == derive(released).rubrics
    assert "not kept" in caplog.text


@pytest.mark.shared
def test_a_pull_keeps_the_released_rubrics_as_they_are_pinned(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HENGFA_HOME", str(tmp_path / "home"))
    (tmp_path / load_entry("plawbench").sources[0].folder).symlink_to(shared / "data" / "PLawbench")
    done = CliRunner().invoke(cli, ["data", "pull", "plawbench", "--from", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert [hashlib.sha256(file.read_bytes()).hexdigest() for file in kept()] == PINNED
    caplog.set_level(logging.WARNING)
    samples = [load(task, pack_root("plawbench"), "all", {}) for task in TASKS]
    assert sum(map(len, samples)) == 280 and not caplog.records


def test_who_reads_what_is_kept_needs_no_parser() -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from hengfa.evals.suites.plawbench.dataset import load\n"
        f"load('case', Path({str(ROOT)!r}), 'all', {{}})\n"
        "print([name for name in sys.modules if 'plawbench.rubric_' in name])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
