"""The browser and the fictional site of the tests of the pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.evals.report.browser import launched
from tests.evals.report.site_data import Size, write_site


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for a module; two at a time would get into each other's way."""
    with launched() as started:
        yield started


@pytest.fixture(scope="session")
def site_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home for what is made once for all tests of the site."""
    home = tmp_path_factory.mktemp("site-home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HENGFA_HOME", str(home))
        yield home


@pytest.fixture(scope="session")
def index(site_home: Path) -> Path:
    """The first page of the fictional site."""
    return write_site(site_home / "harbour")


@pytest.fixture(scope="session")
def long_site(site_home: Path) -> Path:
    """A site with many samples and a dozen models, of one task."""
    return write_site(site_home / "long", Size(models=12, tasks=1, samples=2000, with_texts=1))
