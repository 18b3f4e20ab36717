"""Worlds that several tests read."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from hengfa.base.data.packs import folder_pack
from hengfa.world.generator.law import library_law
from hengfa.world.published.recovered import write_recovered
from hengfa.world.published.recovery import READS, derive
from hengfa.world.tables.world import World
from tests.law.library.conftest import corpus, shared_file  # noqa: F401 - fixtures
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


@pytest.fixture(scope="session")
def upstream(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The repositories of which the pack `legalagentbench` is derived."""
    folder = tmp_path_factory.mktemp("upstream")
    for repository in READS:
        name = repository.partition("/")[2].replace("@", "-")
        archive = shared / "data" / "upstream" / f"{name}.tar.xz"
        if not archive.is_file():
            pytest.skip(f"no {archive.name} in the shared data")
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
    return {name: folder / name.partition("/")[2].replace("@", "-") for name in READS}


@pytest.fixture(scope="session")
def derived_pack(upstream: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("derived")
    derive(upstream, folder)
    return folder


@pytest.fixture(scope="session")
def derived(
    derived_pack: Path,
    shared_file: Path,  # noqa: F811
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[World]:
    """The benchmark's own world, made from published logs and the law library."""
    file = tmp_path_factory.mktemp("derived-world") / "recovered.sqlite"
    with library_law(shared_file) as law:
        write_recovered(folder_pack("legalagentbench", derived_pack), file, law)
    with World.open(file) as world:
        yield world
