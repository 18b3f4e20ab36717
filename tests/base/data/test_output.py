"""Files and folders are written whole or not at all, and never over what is not ours."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import secrets
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from tests.conftest import REPOSITORY
from tests.evals.report.made import Made, make_run

from hengfa.base.data.jsonfile import write_atomically
from hengfa.base.data.output import MANIFEST, files_below, foreign, whole_file, whole_folder
from hengfa.base.data.sqlite_file import new_file
from hengfa.base.errors import DataError, HengfaError, UsageError
from hengfa.evals.results.tables import write_records


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


def listed(folder: Path) -> dict[str, int]:
    """Our files by a manifest of lines: a path and a size."""
    file = folder / MANIFEST
    if not file.is_file():
        return {}
    rows = (line.rsplit(" ", 1) for line in file.read_text().splitlines())
    return {path: int(size) for path, size in rows} | {MANIFEST: file.stat().st_size}


def write(target: Path, files: dict[str, str], *, force: bool = False) -> None:
    with whole_folder(target, listed, force=force) as folder:
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        lines = [f"{path} {size}\n" for path, size in files_below(folder).items()]
        (folder / MANIFEST).write_text("".join(lines))


def texts(folder: Path) -> dict[str, str]:
    return {path: (folder / path).read_text() for path in files_below(folder) if path != MANIFEST}


def test_a_link_planted_at_the_name_that_could_be_foreseen_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("keep me")
    planted = tmp_path / f".run.json.{os.getpid()}.new"
    planted.symlink_to(victim)
    write_atomically(tmp_path / "run.json", b"{}")
    assert victim.read_text() == "keep me"
    assert planted.is_symlink()
    assert (tmp_path / "run.json").read_bytes() == b"{}"


def test_even_a_link_at_the_very_name_that_is_drawn_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda _bytes: "drawn")
    (tmp_path / ".a.drawn.new").symlink_to(tmp_path / "victim")
    with pytest.raises(DataError, match="a: File exists"):
        write_atomically(tmp_path / "a", b"x")
    assert not (tmp_path / "victim").exists()


def test_a_link_with_the_name_itself_is_replaced_not_written_through(tmp_path: Path) -> None:
    victim, file = tmp_path / "victim", tmp_path / "a"
    victim.write_text("keep me")
    file.symlink_to(victim)
    write_atomically(file, b"new")
    assert not file.is_symlink()
    assert (victim.read_text(), file.read_bytes()) == ("keep me", b"new")


@pytest.mark.usefixtures("umask")
def test_all_kinds_of_files_have_the_permissions_that_the_umask_gives(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a.json", b"{}")
    write_records([], tmp_path / "records" / "a.parquet")
    with new_file(tmp_path / "a.sqlite", 1, 1) as connection:
        connection.execute("CREATE TABLE a (b)")
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o640}
    assert len(files) == 3


def full(*_args: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_names_the_file_and_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("before")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DataError, match=r"scores\.csv: no space left"):
        write_atomically(file, b"after")
    with pytest.raises(DataError, match=r"scores\.csv: no space left"):
        write_records([], file)
    assert file.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["scores.csv"]


@pytest.fixture
def small_files() -> Iterator[None]:
    """No file may grow beyond 4 kB: a real error of the operating system, in the middle."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("small_files")
def test_every_writer_that_is_stopped_in_the_middle_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a\.json: File too large"):
        write_atomically(tmp_path / "a.json", b"x" * 10_000)
    with (
        pytest.raises(DataError, match=r"a\.sqlite: cannot be written"),
        new_file(tmp_path / "a.sqlite", 1, 1) as connection,
    ):
        connection.execute("CREATE TABLE a (b)")
        connection.execute("INSERT INTO a VALUES (?)", ["x" * 1_000_000])
        connection.commit()
    rows = [Made(1.0, response=secrets.token_hex(500)) for _ in range(100)]
    with pytest.raises(DataError, match=r"1-1\.official\.parquet: cannot be written"):
        make_run(tmp_path / "run", {"1-1": rows})
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


def test_a_folder_that_cannot_be_written_to_names_the_file_asked_for(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"missing/a\.json: No such file"):
        write_atomically(tmp_path / "missing" / "a.json", b"")


@pytest.mark.parametrize("name", ["", ".", "deep"])
def test_a_folder_is_no_place_for_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError):
        write_atomically(Path(name), b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


def test_a_long_name_is_as_good_as_a_short_one(tmp_path: Path) -> None:
    with whole_file(tmp_path / ("长" * 85)) as stream:
        stream.write(b"x")
    assert (tmp_path / ("长" * 85)).read_bytes() == b"x"


def test_an_older_folder_of_ours_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "a", {"x": "1", "deep/er/y": "2"})
    write(tmp_path / "a", {"x": "10", "deep/z": "3"})
    assert texts(tmp_path / "a") == {"x": "10", "deep/z": "3"}
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("name", ["thesis.tex", "deep/thesis.tex", ".git/HEAD"])
def test_what_no_manifest_lists_is_refused_by_name(tmp_path: Path, name: str) -> None:
    write(tmp_path / "a", {"x": "1", "deep/y": "2"})
    (tmp_path / "a" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "a" / name).write_text("years of work")
    before = texts(tmp_path / "a")
    with pytest.raises(UsageError, match=name.replace(".", r"\.")):
        write(tmp_path / "a", {"x": "2"})
    assert texts(tmp_path / "a") == before
    write(tmp_path / "a", {"x": "3"}, force=True)
    assert texts(tmp_path / "a") == {"x": "3", name: "years of work"}


def test_folders_and_links_of_others_are_foreign_too(tmp_path: Path) -> None:
    write(tmp_path / "a", {"x": "1"})
    (tmp_path / "a" / "empty").mkdir()
    (tmp_path / "a" / "link").symlink_to(tmp_path)
    assert foreign(tmp_path / "a", listed) == ["empty", "link"]
    (tmp_path / "a" / "x").unlink()
    (tmp_path / "a" / "x").symlink_to(tmp_path / "nowhere")
    assert foreign(tmp_path / "a", listed) == ["empty", "link", "x"]
    write(tmp_path / "a", {"x": "2"}, force=True)
    assert (tmp_path / "a" / "empty").is_dir()
    assert (tmp_path / "a" / "link").is_symlink()


def test_a_manifest_cannot_name_what_lies_outside(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years")
    write(tmp_path / "a", {"x": "1"})
    with (tmp_path / "a" / MANIFEST).open("a") as stream:
        stream.write(f"../thesis.tex 5\n{tmp_path}/thesis.tex 5\n")
    write(tmp_path / "a", {"x": "2"})
    assert (tmp_path / "thesis.tex").read_text() == "years"


def test_force_writes_through_no_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "deep").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="deep is a link"):
        write(tmp_path / "a", {"deep/x": "1"}, force=True)
    assert not any((tmp_path / "elsewhere").iterdir())


def test_what_fails_in_the_middle_leaves_the_older_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a", {"x": "1"})
    rename = Path.rename

    def failing(path: Path, target: Path) -> Path:
        if path.name.endswith(".new"):
            full()
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(DataError, match="a: no space left"):
        write(tmp_path / "a", {"x": "2"})
    assert texts(tmp_path / "a") == {"x": "1"}
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_kill_in_the_middle_leaves_the_older_folder(tmp_path: Path) -> None:
    write(tmp_path / "a", {"x": "1"})
    code = (
        "import os, pathlib, signal\n"
        "from tests.base.data.test_output import listed, whole_folder\n"
        f"with whole_folder(pathlib.Path({str(tmp_path / 'a')!r}), listed) as folder:\n"
        "    (folder / 'x').write_text('half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, check=False)
    assert done.returncode == -signal.SIGKILL
    assert texts(tmp_path / "a") == {"x": "1"}
    write(tmp_path / "a", {"x": "2"})
    assert texts(tmp_path / "a") == {"x": "2"}


def test_what_is_put_into_the_folder_at_the_last_moment_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a", {"x": "1"})
    rename = Path.rename

    def late(path: Path, target: Path) -> Path:
        if path.name == "a":
            (path / "thesis.tex").write_text("years of work")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", late)
    with pytest.raises(HengfaError, match="keeps what was put into it"):
        write(tmp_path / "a", {"x": "2"})
    assert texts(tmp_path / "a") == {"x": "2"}
    assert [file.read_text() for file in tmp_path.glob(".a.*.old/*")] == ["years of work"]


HOLDING = {
    "file": "whole_file(place)",
    "folder": "whole_folder(place, listed)",
    "database": "new_file(place, 1, 1)",
}
"""Ways to write to a place."""


def hold(place: Path, how: str) -> subprocess.Popen[str]:
    """A process that is in the middle of writing, and stays there until it is ended."""
    code = (
        "import pathlib, time\n"
        "from hengfa.base.data.sqlite_file import new_file\n"
        "from tests.base.data.test_output import listed, whole_file, whole_folder\n"
        f"place = pathlib.Path({str(place)!r})\n"
        f"with {HOLDING[how]} as new:\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
    )
    command = [sys.executable, "-c", code]
    process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def write_again(place: Path, how: str) -> None:
    writers: dict[str, AbstractContextManager[object]] = {
        "file": whole_file(place),
        "folder": whole_folder(place, listed),
        "database": new_file(place, 1, 1),
    }
    with writers[how]:
        pass


@pytest.mark.parametrize("how", HOLDING)
def test_what_a_killed_process_left_goes_with_the_next_write(tmp_path: Path, how: str) -> None:
    place = tmp_path / "a"
    process = hold(place, how)
    assert len(list(tmp_path.iterdir())) == 1
    process.kill()
    process.communicate()
    write_again(tmp_path / "b", how)
    assert len(list(tmp_path.iterdir())) == 2  # of another place
    write_again(place, how)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


@pytest.mark.parametrize("how", HOLDING)
def test_what_a_living_process_writes_is_left_alone(tmp_path: Path, how: str) -> None:
    process = hold(tmp_path / "a", how)
    [held] = tmp_path.iterdir()
    try:
        write_again(tmp_path / "a", how)
        assert held.exists()
    finally:
        process.kill()
        process.communicate()


def test_an_old_folder_that_a_kill_left_goes_once_there_is_a_new_one(tmp_path: Path) -> None:
    write(tmp_path / "a", {"x": "1"})
    old = tmp_path / f".a.{'0' * 16}.old"
    (tmp_path / "a").rename(old)
    with pytest.raises(RuntimeError), whole_folder(tmp_path / "a", listed):
        raise RuntimeError
    assert texts(old) == {"x": "1"}
    write(tmp_path / "a", {"x": "2"})
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_only_leavings_are_taken_for_leavings(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("keep me")
    kept = [
        ".a.new",
        ".a.0123.new",
        f".a.{'g' * 16}.new",
        f".ab.{'0' * 16}.new",
        f"a.{'0' * 16}.new",
    ]
    for name in kept:
        (tmp_path / name).write_text("mine")
    (tmp_path / f".a.{'0' * 16}.new").symlink_to(tmp_path / "victim")
    (tmp_path / f".a.{'1' * 16}.new").mkdir()
    (tmp_path / f".a.{'1' * 16}.new" / "link").symlink_to(tmp_path)
    write_atomically(tmp_path / "a", b"x")
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"a", "victim", *kept, f".a.{'0' * 16}.new"}
    assert (tmp_path / "victim").read_text() == "keep me"


def test_a_new_file_that_another_took_for_left_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between making it and holding it another process may come by."""
    flock = fcntl.flock
    taken: list[Path] = []

    def late(opened: int, how: int) -> None:
        if not taken:
            taken.extend(tmp_path.iterdir())
            taken[0].unlink()
        flock(opened, how)

    monkeypatch.setattr(fcntl, "flock", late)
    write_atomically(tmp_path / "a", b"whole")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"whole"


def test_a_disk_without_locks_is_written_to_and_nothing_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / f".a.{'0' * 16}.new"
    left.touch()

    def unsupported(_opened: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", unsupported)
    write_atomically(tmp_path / "a", b"x")
    assert left.exists()
