"""What all tests share: the folder with real benchmark data, and a home of their own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


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
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the user's own packs, keys or prices."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HENGFA_HOME", str(home))
    return home
