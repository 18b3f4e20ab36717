"""Worlds that several tests read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hengfa.data.packs import folder_pack
from hengfa.world import World
from hengfa.world.recovered import write_recovered
from tests.world.tiny_world import opened


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with opened(tmp_path_factory.mktemp("tiny")) as world:
        yield world


@pytest.fixture(scope="session")
def recovered(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The benchmark's own world, made from the shared data."""
    file = tmp_path_factory.mktemp("recovered") / "recovered.sqlite"
    write_recovered(folder_pack("legalagentbench", shared / "data" / "LegalAgentBench"), file)
    with World.open(file) as world:
        yield world
