"""Libraries of fictional laws, and one of the shared texts, each built once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from hengfa.law.library import Library
from hengfa.law.library.building.build import build_library
from tests.law.library.citing_laws import write_laws
from tests.law.library.fictional import CALENDAR, ROWS, write_rows


@pytest.fixture(scope="session")
def fictional_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_rows(tmp_path_factory.mktemp("fictional") / "laws", ROWS, CALENDAR)
    file = folder.parent / "law.sqlite"
    build_library([folder], file)
    return file


@pytest.fixture
def library(fictional_file: Path) -> Iterator[Library]:
    with Library.open(fictional_file) as opened:
        yield opened


@pytest.fixture(scope="session")
def coast_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The laws that fictional documents cite."""
    folder = tmp_path_factory.mktemp("coast")
    build_library([write_laws(folder / "laws")], folder / "law.sqlite")
    return folder / "law.sqlite"


@pytest.fixture(scope="session")
def shared_file(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built once, also where several processes test at once."""
    base = tmp_path_factory.getbasetemp()
    folder = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    file = folder / "shared-law.sqlite"
    with FileLock(f"{file}.lock"):
        if not file.exists():
            build_library([shared / "data" / "statutes"], file)
    return file


@pytest.fixture(scope="module")
def corpus(shared_file: Path) -> Iterator[Library]:
    """The library of the shared texts, with what diagnoses have made of it so far."""
    with Library.open(shared_file) as opened:
        yield opened
