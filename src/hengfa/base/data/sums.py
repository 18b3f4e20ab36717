"""Sizes and sums: how one file, and a whole pack, are told from any other.

A file is pinned by its SHA-256 sum, or by the id that git gives its contents: that is known from a
repository's listing, without having the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec

from hengfa.base.data.paths import disk_errors, inside, path_problem

Sha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
Blob = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{40}\Z")]
Size = Annotated[int, msgspec.Meta(ge=0)]

FINGERPRINT_LENGTH = 12

_BLOCK = 1 << 20


class FileSum(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One file as it was measured; `blob` is empty where an older version measured it."""

    path: str
    size: Size
    sha256: Sha256
    blob: Blob | None = None

    def __post_init__(self) -> None:
        _check_path(self.path)


class Pin(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One file as the catalogue knows it."""

    path: str
    size: Size | None = None
    sha256: Sha256 | None = None
    blob: Blob | None = None
    part: str = ""
    """The part of the pack that it belongs to, for files that only some people need."""

    def __post_init__(self) -> None:
        _check_path(self.path)
        if self.sha256 is None and self.blob is None:
            raise ValueError(f"{self.path!r} has neither a sha256 nor a blob id")

    def fits(self, file: FileSum) -> bool:
        return (
            self.path == file.path
            and self.size in {None, file.size}
            and self.sha256 in {None, file.sha256}
            and (self.sha256 is not None or self.blob == file.blob)
        )

    def __str__(self) -> str:
        return f"sha256 {self.sha256}" if self.sha256 else f"git blob {self.blob}"


def _check_path(path: str) -> None:
    problem = path_problem(path)
    if problem:
        raise ValueError(f"path {path!r} {problem}")


def measure(file: Path, path: str) -> FileSum:
    """Size and sums of a file, read in blocks; `path` is what the pack calls it."""
    with disk_errors(file), file.open("rb") as stream:
        size = file.stat().st_size
        sha256 = hashlib.sha256()
        # git hashes the kind and length of what it keeps before the contents
        blob = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
        while block := stream.read(_BLOCK):
            sha256.update(block)
            blob.update(block)
    return FileSum(path, size, sha256.hexdigest(), blob.hexdigest())


def sum_of(root: Path, path: str) -> FileSum:
    return measure(inside(root, path), path)


def fingerprint(files: Iterable[FileSum | Pin]) -> str:
    """A short name for exactly these files, printed beside results made with them.

    It is the beginning of the sum over the list that `sha256sum` would print, sorted by path, so
    that anybody can make it again without Hengfa:
    `sha256sum FILES | LC_ALL=C sort -k2 | sha256sum | cut -c1-12`.
    """
    lines = sorted((file.path, file.sha256) for file in files)
    listing = "".join(f"{sha256}  {path}\n" for path, sha256 in lines)
    return hashlib.sha256(listing.encode()).hexdigest()[:FINGERPRINT_LENGTH]
