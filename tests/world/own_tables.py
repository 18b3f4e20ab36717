"""The example of docs/world.md, so that tests and readers have the same declaration."""

from __future__ import annotations

import re
from pathlib import Path

from hengfa.world.tables.importing import import_world
from hengfa.world.tables.world import World
from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "docs" / "world.md"
# A block of a language. Matches ```toml … ```; not ``` alone.
BLOCK = re.compile(r"^```(csv|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILES = ("contracts.csv", "payments.csv", "contracts.toml")


def write(folder: Path) -> Path:
    """The three files of the page; the declaration among them."""
    blocks = [text for _, text in BLOCK.findall(PAGE.read_text("utf-8"))]
    for name, text in zip(FILES, blocks, strict=True):
        (folder / name).write_text(text, "utf-8")
    return folder / FILES[-1]


def opened(folder: Path) -> World:
    """A world of these tables alone."""
    import_world(None, folder / "mine.sqlite", write(folder))
    return World.open(folder / "mine.sqlite")
