"""Sizes and SHA-256 sums: how one file, and a whole pack, are told from any other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec

from hengfa.data.paths import disk_errors, inside, path_problem

Sha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
Size = Annotated[int, msgspec.Meta(ge=0)]

FINGERPRINT_LENGTH = 12


class FileSum(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of a pack, as the catalogue pins it or as the receipt found it."""

    path: str
    size: Size
    sha256: Sha256

    def __post_init__(self) -> None:
        problem = path_problem(self.path)
        if problem:
            raise ValueError(f"path {self.path!r} {problem}")


def sha256_of(file: Path) -> str:
    """The SHA-256 sum of a file, read in blocks."""
    with disk_errors(file), file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sum_of(root: Path, path: str) -> FileSum:
    """Measure one file that exists below `root`."""
    file = inside(root, path)
    with disk_errors(file):
        size = file.stat().st_size
    return FileSum(path, size, sha256_of(file))


def fingerprint(files: Iterable[FileSum]) -> str:
    """A short name for exactly these files, printed beside results made with them.

    It is the beginning of the sum over the list that `sha256sum` would print, sorted by path, so
    that anybody can make it again without Hengfa:
    `sha256sum FILES | LC_ALL=C sort -k2 | sha256sum | cut -c1-12`.
    """
    lines = sorted((file.path, file.sha256) for file in files)
    listing = "".join(f"{sha256}  {path}\n" for path, sha256 in lines)
    return hashlib.sha256(listing.encode()).hexdigest()[:FINGERPRINT_LENGTH]
