"""Statutes of a country that does not exist, from small repositories that a catalogue pins."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.law.library.fictional import BELL_1990, FISH_2018
from tests.law.library.small_sources import JUST_LAWS, X_STORAGE, put, write_sources

from hengfa.base.data import catalogue
from hengfa.base.data.catalogue import Entry, Source
from hengfa.evals.supply import pin
from hengfa.law.library.assembly import READS

FISH_PAGE = "docs/economic/fish/README.md"
REGULATION_PAGE = "行政法规/湖灯条例(2008-09-18).md"
COMING_PAGE = "docs/economic/bell/versions/2030/README.md"
"""Of a text that is not in force yet."""


def source_of(key: str) -> Source:
    repository, commit = key.split("@")
    parts: dict[str, tuple[str, ...]] = {}
    if key == X_STORAGE:
        parts["regulations"] = ("行政法规/*.md",)
    patterns = READS[key]
    return Source(
        repository=repository, commit=commit, licence="MIT", patterns=patterns, parts=parts
    )


@pytest.fixture
def unpinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copies of the repositories, and a catalogue that knows nothing of them but their names."""
    copies, pinned = tmp_path / "copies", tmp_path / "pinned"
    sources = tuple(source_of(key) for key in READS)
    write_sources({source.key: copies / source.folder for source in sources})
    put(copies / source_of(JUST_LAWS).folder, {FISH_PAGE: FISH_2018, COMING_PAGE: BELL_1990})
    lamps = "# 湖灯条例\n\n2008年9月18日 国务院令第535号公布\n\n第一条 灯要亮。\n"
    put(copies / source_of(X_STORAGE).folder, {REGULATION_PAGE: lamps})
    entry = Entry(
        name="statutes",
        title="Statutes of Moon Lake",
        licence="none",
        homepage="https://example.org",
        sources=sources,
        derived=True,
    )
    pinned.mkdir()
    (pinned / "statutes.json").write_text(pin.render(entry), "utf-8")
    monkeypatch.setattr(catalogue, "PINNED", pinned)
    return copies


@pytest.fixture
def copies(unpinned: Path) -> Path:
    """Copies of the repositories, and a catalogue that pins every file of them."""
    assert pin.main(["statutes", str(unpinned)]) == 0
    return unpinned
