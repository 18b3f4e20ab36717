"""The folder in which an index lies: a manifest, and arrays that are mapped into memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, overload

import msgspec
import numpy as np
from numpy.typing import NDArray

from hengfa.data.jsonfile import read_json, write_atomically
from hengfa.data.output import MANIFEST, whole_folder
from hengfa.data.paths import disk_errors
from hengfa.errors import DataError
from hengfa.retrieval.methods import Plan

_FORMATS: Final = "hengfa-index-"
FORMAT: Final = f"{_FORMATS}1"


class ArrayFile(msgspec.Struct, frozen=True):
    """What a file of the folder must be."""

    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """What the index is, and of which files it consists."""

    format: str
    plan: Plan
    targets: int
    examples: int
    arrays: dict[str, ArrayFile]


def write_folder(
    folder: Path,
    plan: Plan,
    targets: int,
    examples: int,
    arrays: Mapping[str, NDArray[Any]],
    *,
    force: bool = False,
) -> None:
    """Write everything beside the place, then put it there: a reader sees a whole index or none.

    An older index is replaced; anything else in the folder is refused, or with `force` left there.
    """
    with whole_folder(folder, _listed, force=force) as new:
        listed = {name: _write_array(new, name, array) for name, array in arrays.items()}
        manifest = Manifest(FORMAT, plan, targets, examples, listed)
        content = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        write_atomically(new / MANIFEST, content + b"\n")


def _listed(folder: Path) -> dict[str, int]:
    file = folder / MANIFEST
    try:
        manifest = read_json(file, Manifest)
    except DataError:  # none, or of something else
        return {}
    if not manifest.format.startswith(_FORMATS):
        return {}
    arrays = {f"{name}.npy": array.size for name, array in manifest.arrays.items()}
    return {**arrays, MANIFEST: file.stat().st_size}


def open_folder(folder: Path) -> tuple[Manifest, dict[str, NDArray[Any]]]:
    """The manifest and the arrays, mapped; their sizes are compared, their sums are not."""
    if not (folder / MANIFEST).is_file():
        raise DataError("no index here: `hengfa retrieve build` makes one", file=folder)
    manifest = read_json(folder / MANIFEST, Manifest)
    if manifest.format != FORMAT:
        raise DataError(
            f"of format {manifest.format!r}, this version reads {FORMAT!r}: build it anew",
            file=folder / MANIFEST,
        )
    return manifest, {name: _map(folder, name, file) for name, file in manifest.arrays.items()}


def damaged(folder: Path) -> list[str]:
    """The names of files that are not what the manifest says, after reading all of them."""
    manifest, _ = open_folder(folder)
    return [
        f"{name}.npy"
        for name, file in manifest.arrays.items()
        if sha256((folder / f"{name}.npy").read_bytes()).hexdigest() != file.sha256
    ]


def _write_array(folder: Path, name: str, array: NDArray[Any]) -> ArrayFile:
    file = folder / f"{name}.npy"
    with disk_errors(file), file.open("xb") as stream:
        np.save(stream, np.ascontiguousarray(array), allow_pickle=False)
        stream.flush()
        os.fsync(stream.fileno())
    return ArrayFile(file.stat().st_size, sha256(file.read_bytes()).hexdigest())


def _map(folder: Path, name: str, expected: ArrayFile) -> NDArray[Any]:
    """Mapped so that a write would change a copy: it is then an ordinary array."""
    file = folder / f"{name}.npy"
    if os.sep in name or name.startswith("."):
        raise DataError(f"not a name of an array: {name!r}", file=folder / MANIFEST)
    with disk_errors(file):
        if file.stat().st_size != expected.size:
            raise DataError("not the size that the manifest gives: build it anew", file=file)
        try:
            return np.asarray(np.load(file, mmap_mode="c", allow_pickle=False))
        except ValueError as error:
            if "empty" in str(error):  # an array of nothing cannot be mapped
                return np.asarray(np.load(file, allow_pickle=False))
            raise DataError(f"not an array: {error}", file=file) from error


class Strings(Sequence[str]):
    """Many strings in two arrays, so that they can lie in a file and be decoded one at a time."""

    def __init__(self, content: NDArray[np.uint8], starts: NDArray[np.int64]) -> None:
        self.content = content
        self.starts = starts

    @classmethod
    def of(cls, strings: Sequence[str]) -> Strings:
        encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
        starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        start, end = self.starts[place % len(self)], self.starts[place % len(self) + 1]
        return self.content[start:end].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        content, starts = self.content.tobytes(), self.starts.tolist()
        for start, end in pairwise(starts):
            yield content[start:end].decode("utf-8", "surrogatepass")
