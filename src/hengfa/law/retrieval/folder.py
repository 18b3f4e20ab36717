"""The folder in which an index lies: a manifest, and arrays that are mapped into memory.

A folder may come from anybody, and numbers that lead outside an array would end the process. So an
array is taken only through :class:`IndexFolder`, which reads no header but such as we write, and
looks at every number that is a place.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, overload

import msgspec
import numpy as np
from numpy.typing import DTypeLike, NDArray

from hengfa.base.data.jsonfile import read_json, write_atomically
from hengfa.base.data.output import MANIFEST, whole_folder
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.law.retrieval.methods import Arrays, Plan

_FORMATS: Final = "hengfa-index-"
FORMAT: Final = f"{_FORMATS}1"


# what NumPy writes before an array of one or two dimensions; "<f4" is a number, "|O" is not
_HEADER: Final = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(?P<kind>[<|][uif][1248])', 'fortran_order': False, "
    rb"'shape': \((?P<rows>[0-9]{1,15}),(?: (?P<columns>[0-9]{1,6}))?\), \} *\n",
    re.DOTALL,
)
_LONGEST_HEADER: Final = 256

# "0.label_starts"; not "../ids"
_NAME: Final = re.compile(r"[a-z0-9_]{1,40}(?:\.[a-z0-9_]{1,40}){0,3}")


class ArrayFile(msgspec.Struct, frozen=True):
    size: int
    sha256: str


class IndexManifest(msgspec.Struct, frozen=True):
    format: str
    plan: Plan
    targets: int
    examples: int
    arrays: dict[str, ArrayFile]


def write_folder(
    folder: Path, plan: Plan, targets: int, examples: int, arrays: Arrays, *, force: bool = False
) -> None:
    """Write everything beside the place, then put it there: a reader sees a whole index or none.

    An older index is replaced; anything else in the folder is refused, or with `force` left there.
    """
    with whole_folder(folder, _list_files, force=force) as new:
        listed: dict[str, ArrayFile] = {}
        for name, array in arrays.items():
            file = new / f"{name}.npy"
            with disk_errors(file), file.open("xb") as stream:
                np.save(stream, np.ascontiguousarray(array), allow_pickle=False)
                stream.flush()
                os.fsync(stream.fileno())
            digest = sha256(file.read_bytes()).hexdigest()
            listed[name] = ArrayFile(file.stat().st_size, digest)
        manifest = IndexManifest(FORMAT, plan, targets, examples, listed)
        content = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        write_atomically(new / MANIFEST, content + b"\n")


def _list_files(folder: Path) -> dict[str, int]:
    file = folder / MANIFEST
    try:
        manifest = read_json(file, IndexManifest)
    except DataError:  # none, or of something else
        return {}
    if not manifest.format.startswith(_FORMATS):
        return {}
    arrays = {f"{name}.npy": array.size for name, array in manifest.arrays.items()}
    return {**arrays, MANIFEST: file.stat().st_size}


class IndexFolder:
    """An index that was opened: its manifest, and its arrays, each checked as it is asked for."""

    def __init__(self, folder: Path) -> None:
        if not (folder / MANIFEST).is_file():
            raise DataError("no index here: `hengfa retrieve build` makes one", file=folder)
        self.folder = folder
        self.manifest = read_json(folder / MANIFEST, IndexManifest)
        if self.manifest.format != FORMAT:
            raise DataError(
                f"of format {self.manifest.format!r}, this version reads {FORMAT!r}: build it anew",
                file=folder / MANIFEST,
            )
        listed = self.manifest.arrays.items()
        self.arrays = {name: _map(folder, name, file) for name, file in listed}

    def column(
        self, name: str, kind: DTypeLike, rows: int | None = None, *, below: int | None = None
    ) -> NDArray[Any]:
        """An array of one dimension, of so many rows; `below`: places from 0 up to there."""
        array = self._array(name, kind, 1)
        if rows is not None and len(array) != rows:
            raise self._wrong(name, f"has {len(array)} rows instead of {rows}")
        if below is not None and len(array) and not 0 <= array.min() <= array.max() < below:
            raise self._wrong(name, f"has places beyond the {below} that there are")
        return array

    def table(self, name: str, kind: DTypeLike, rows: int) -> NDArray[Any]:
        array = self._array(name, kind, 2)
        if len(array) != rows or not array.shape[1]:
            raise self._wrong(name, f"has the shape {array.shape}, it needs {rows} rows")
        return array

    def starts(self, name: str, of: str, kind: DTypeLike, groups: int | None = None) -> int:
        """Check an array of where each group begins in another, up to its end; how many groups."""
        ends = self._array(of, kind, 1)
        starts = self._array(name, np.int64, 1)
        if groups is not None and len(starts) != groups + 1:
            raise self._wrong(name, f"has {len(starts)} rows instead of {groups + 1}")
        if not len(starts) or starts[0] != 0 or starts[-1] != len(ends):
            raise self._wrong(name, f"does not lead from the start to the end of {of}")
        if (starts[1:] < starts[:-1]).any():
            raise self._wrong(name, "goes back")
        return len(starts) - 1

    def strings(self, name: str, rows: int) -> Strings:
        """So many strings; one that is no UTF-8 is told when it is read."""
        content, starts = f"{name}.content", f"{name}.starts"
        self.starts(starts, content, np.uint8, rows)
        file = self.folder / f"{content}.npy"
        return Strings(self.arrays[content], self.arrays[starts], file)

    def _array(self, name: str, kind: DTypeLike, dimensions: int) -> NDArray[Any]:
        if name not in self.arrays:
            raise DataError(f"lacks the array {name!r}: build it anew", file=self.folder / MANIFEST)
        array = self.arrays[name]
        if array.dtype != kind or array.ndim != dimensions:
            raise self._wrong(name, f"holds {array.dtype} in {array.ndim} dimensions")
        return array

    def _wrong(self, name: str, problem: str) -> DataError:
        return DataError(f"{problem}: build it anew", file=self.folder / f"{name}.npy")


def _map(folder: Path, name: str, expected: ArrayFile) -> NDArray[Any]:
    """Mapped so that a write would change a copy: it is then an ordinary array."""
    if not _NAME.fullmatch(name):
        raise DataError(f"not a name of an array: {name!r}", file=folder / MANIFEST)
    file = folder / f"{name}.npy"
    with disk_errors(file):
        size = file.stat().st_size
        if size != expected.size or not file.is_file():
            raise DataError("not the size that the manifest gives: build it anew", file=file)
        with file.open("rb") as stream:
            header = _HEADER.match(stream.read(_LONGEST_HEADER))
        if header is None:
            raise DataError("not an array of numbers: build it anew", file=file)
        kind = np.dtype(header["kind"].decode())
        shape = tuple(int(length) for length in header.group("rows", "columns") if length)
        if header.end() + math.prod(shape) * kind.itemsize != size:
            raise DataError("does not have the size that its header gives", file=file)
        if not math.prod(shape):  # an array of nothing cannot be mapped
            return np.zeros(shape, kind)
        return np.asarray(np.memmap(file, kind, "c", header.end(), shape))


class Strings(Sequence[str]):
    """Many strings in two arrays, so that they can lie in a file and be decoded one at a time."""

    def __init__(
        self, content: NDArray[np.uint8], starts: NDArray[np.int64], file: Path | str = "strings"
    ) -> None:
        self.content = content
        self.starts = starts
        self._file = file

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
        return self._decode(self.content[start:end].tobytes(), place)

    def __iter__(self) -> Iterator[str]:
        content, starts = self.content.tobytes(), self.starts.tolist()
        for place, (start, end) in enumerate(pairwise(starts)):
            yield self._decode(content[start:end], place)

    def _decode(self, content: bytes, place: int) -> str:
        try:
            return content.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise DataError(f"damaged: {error}", file=self._file, row=place) from error
