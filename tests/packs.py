"""Packs of the tests' own making: contents become pins, sources and catalogue entries."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from hengfa.base.data.catalogue import Entry, Source
from hengfa.base.data.sums import Pin

COMMIT = "0123456789" * 4


def pin_of(path: str, content: bytes, part: str = "") -> Pin:
    """A file of which everything is known."""
    return Pin(path, size=len(content), sha256=hashlib.sha256(content).hexdigest(), part=part)


def blob_of(content: bytes) -> str:
    """What `git hash-object` prints."""
    header = b"blob %d\0" % len(content)
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()


def source_of(
    files: Mapping[str, bytes], repository: str = "nobody/tiny", commit: str = COMMIT
) -> Source:
    """A repository that has these files."""
    pins = tuple(pin_of(path, content) for path, content in sorted(files.items()))
    return Source(
        repository=repository, commit=commit, licence="MIT", patterns=("**/*",), files=pins
    )


def entry_of(
    *sources: Source,
    name: str = "tiny",
    optional: tuple[str, ...] = (),
    derived: Mapping[str, bytes] | None = None,
) -> Entry:
    """A pack of these repositories; `derived` are the files that must be made of them."""
    return Entry(
        name=name,
        title=f"A {name} pack",
        licence="MIT",
        homepage=f"https://example.org/{name}",
        sources=sources,
        optional=optional,
        derived=derived is not None,
        files=tuple(pin_of(path, content) for path, content in (derived or {}).items()),
    )


def write_files(root: Path, files: Mapping[str, bytes]) -> Path:
    """A folder with these files."""
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


def files_below(root: Path) -> dict[str, bytes]:
    """Every file of a folder with its contents."""
    return {
        file.relative_to(root).as_posix(): file.read_bytes()
        for file in root.rglob("*")
        if file.is_file()
    }
