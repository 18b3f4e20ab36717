"""What all tests share: the folder with real benchmark data, and a home of their own.

`make test` runs all that a bare machine can; tests marked `optional` need an extra or Chromium, run
by `make test-optional`, and are skipped where it is absent; tests marked `deep` run with `--deep`
only (`make test-deep`).
"""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from filelock import FileLock

REPOSITORY = Path(__file__).resolve().parents[1]
CHARTING = "cache/vega-*.js"
"""Where it lies in a home."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--deep", action="store_true", help="all that a release needs, too")


def pytest_collection_finish() -> None:
    """What is loaded stays: Python need not look through it again and again."""
    gc.freeze()
    gc.set_threshold(50_000)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what needs an absent part, leave out what only a release needs, and begin with the file
    that takes longest, so that no worker waits for it at the end."""
    items.sort(key=lambda item: item.path.name != "test_crossing.py")
    for item in items:
        needed = [part for mark in item.iter_markers("optional") for part in mark.args]
        for part in needed:
            if not has_part(part):
                item.add_marker(pytest.mark.skip(reason=f"{part} is not installed"))
    if not config.getoption("--deep"):
        deep = [item for item in items if item.get_closest_marker("deep")]
        config.hook.pytest_deselected(items=deep)
        items[:] = [item for item in items if not item.get_closest_marker("deep")]


@pytest.fixture(scope="session")
def deep(request: pytest.FixtureRequest) -> bool:
    """Whether to try much, as before a release, or what finds most in little time."""
    return bool(request.config.getoption("--deep"))


def has_part(part: str) -> bool:
    """Whether Chromium or a package of an extra is installed."""
    try:
        return (shutil.which(part) if part == "chromium" else find_spec(part)) is not None
    except ModuleNotFoundError:  # not even the package around it
        return False


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the demo has run without any network, once for all tests; what it printed
    is in `out.txt` and `err.txt`. Who writes in it copies it first."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "the-demo"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            folder.mkdir()
            code = "sys.argv[1:] = ['demo']; from hengfa.cli.main import main; main()"
            done = run_cut_off(code, folder, HENGFA_HOME=str(folder / "home"), COLUMNS="100")
            assert done.returncode == 0, done.stderr
            (folder / "out.txt").write_text(done.stdout, "utf-8")
            (folder / "err.txt").write_text(done.stderr, "utf-8")
    return folder


CUT = """
import sys

def cut(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}:
        raise RuntimeError(f"network used: {event} {arguments[:2]}")

sys.addaudithook(cut)
"""


def run_cut_off(code: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process that has no network."""
    return subprocess.run(
        [sys.executable, "-c", CUT + code],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def find_shared() -> Path | None:
    """The folder with upstream data and reference scores, or None where it is absent."""
    named = os.environ.get("HENGFA_SHARED")
    folder = Path(named) if named else REPOSITORY.parent / "shared"
    return folder if (folder / "data").is_dir() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = find_shared()
    if folder is None:
        pytest.skip("no shared data: set HENGFA_SHARED or put it next to the checkout")
    return folder


@pytest.fixture(autouse=True)
def own_home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """No test reads or writes the user's own packs, keys or prices, or knows suites of another.

    The charting library for pages, which takes seconds to take out of its package, is handed on.
    """
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HENGFA_HOME", str(home))
    monkeypatch.setenv("HENGFA_SUITES", "")  # `--suite` sets it for the whole process
    kept = tmp_path_factory.getbasetemp() / "charting"
    for script in kept.glob(CHARTING):
        (home / script.relative_to(kept)).parent.mkdir(exist_ok=True)
        (home / script.relative_to(kept)).hardlink_to(script)
    yield home
    for script in home.glob(CHARTING):
        if not (kept / script.relative_to(home)).exists():
            (kept / script.relative_to(home)).parent.mkdir(parents=True, exist_ok=True)
            (kept / script.relative_to(home)).hardlink_to(script)
