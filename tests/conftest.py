"""What all tests share: the folder with real benchmark data, and a home of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
CHARTING = "cache/vega-*.js"
"""Where it lies in a home."""


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
