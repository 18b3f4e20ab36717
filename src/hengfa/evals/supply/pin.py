"""Write the sums of a catalogue file from copies of the repositories.

    python -m hengfa.evals.supply.pin lawbench ~/copies

For a new pack, first write `src/hengfa/base/data/pinned/NAME.json` with everything but the files:
of each source the `patterns` of what is needed of it, and of its `parts`. The folder holds a copy
of each source, `REPOSITORY-COMMIT` as a folder or an archive. A file that a copy lacks keeps the
pin that it has, so one that is known only by its git blob id is pinned by hand. A derived pack is
derived, and pinned too. Running the command again on the same copies changes nothing.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from hengfa.base.data import catalogue
from hengfa.base.data.catalogue import Entry, Source
from hengfa.base.data.jsonfile import read_json, write_atomically
from hengfa.base.data.output import files_below
from hengfa.base.data.pull import derivation_of
from hengfa.base.data.repositories import find_copy, is_of, members
from hengfa.base.data.sums import FileSum, Pin, sum_of
from hengfa.base.errors import DataError, HengfaError, counted


def pin(entry: Entry, copies: Path, scratch: Path) -> Entry:
    """The entry with the sums of all files that its patterns name, and of what is derived.

    Of a part that is derived too, the files that are there only with it are pinned as its own; a
    part that no copy has keeps its pins.
    """
    sources = tuple(_pin_source(source, copies, scratch) for source in entry.sources)
    derivation = derivation_of(entry.name)
    if derivation is None:
        return msgspec.structs.replace(entry, sources=sources)
    pins: dict[str, Pin] = {}
    for part in ("", *entry.parts):
        folders = {}
        for source in sources:
            folder = scratch / f"with {part}" / source.folder
            for taken in {"", part}:
                if (there := scratch / taken / source.folder).is_dir():
                    shutil.copytree(there, folder, dirs_exist_ok=True)
            if folder.is_dir():
                folders[source.key] = folder
        made = scratch / f"made {part}"
        made.mkdir()
        derivation.derive(folders, made)
        own = {path: _pin_of(sum_of(made, path), part) for path in files_below(made)}
        pins |= {path: own[path] for path in own if path not in pins}
    pins = {pinned.path: pinned for pinned in entry.files if pinned.part} | pins
    return msgspec.structs.replace(
        entry, sources=sources, files=tuple(pins[path] for path in sorted(pins))
    )


def _pin_source(source: Source, copies: Path, scratch: Path) -> Source:
    """Take what is needed out of the copy, by part, and measure it."""
    parts = {"": source.patterns, **source.parts}
    pins = {file.path: file for file in source.files}
    place = find_copy(copies, source.folder)
    if place is None and source.patterns:
        raise DataError(f"there is no {source.folder}", file=copies)
    for member in members(place) if place else ():
        part = next((part for part in parts if is_of(member.path, parts[part])), None)
        if part is None:
            continue
        folder = scratch / part / source.folder
        file = folder / member.path
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as stream:
            stream.writelines(member.blocks())
        pins[member.path] = _pin_of(sum_of(folder, member.path), part)
    for pattern in source.patterns:
        if not any(is_of(path, [pattern]) for path in pins):
            raise DataError(f"nothing matches the pattern {pattern!r}", file=place or copies)
    return msgspec.structs.replace(source, files=tuple(pins[path] for path in sorted(pins)))


def _pin_of(file: FileSum, part: str = "") -> Pin:
    return Pin(path=file.path, size=file.size, sha256=file.sha256, part=part)


def render(entry: Entry) -> str:
    """The text of a catalogue file: one line for each file, so that changes read well."""
    return _lines(msgspec.to_builtins(entry), 0) + "\n"


def _lines(value: Any, depth: int) -> str:
    """JSON with a line for each field of what holds files, and for each file."""
    indent = "  " * (depth + 1)
    if isinstance(value, dict) and ("files" in value or depth == 0):
        fields = (f"{indent}{_json(key)}: {_lines(part, depth + 1)}" for key, part in value.items())
        return "{\n" + ",\n".join(fields) + "\n" + indent[2:] + "}"
    if isinstance(value, list | tuple) and value and isinstance(value[0], dict | list | tuple):
        rows = (indent + _lines(part, depth + 1) for part in value)
        return "[\n" + ",\n".join(rows) + "\n" + indent[2:] + "]"
    return _json(value)


def _json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()


def main(arguments: list[str] | None = None) -> int:
    """`python -m hengfa.evals.supply.pin NAME FOLDER`."""
    parser = argparse.ArgumentParser(
        prog="python -m hengfa.evals.supply.pin", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("name", help="a file NAME.json in the catalogue's folder")
    parser.add_argument("folder", type=Path, help="copies of its sources")
    asked = parser.parse_args(arguments)
    file = catalogue.PINNED / f"{asked.name}.json"
    try:
        with TemporaryDirectory() as scratch:
            entry = pin(read_json(file, Entry), asked.folder, Path(scratch))
        write_atomically(file, render(entry).encode())
    except HengfaError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_status
    sys.stderr.write(f"{file}: {counted(len(entry.pins), 'file')}, {entry.size} bytes\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
