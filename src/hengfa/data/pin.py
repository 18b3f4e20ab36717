"""Write the sums of a catalogue file from a folder that holds the upstream files.

    python -m hengfa.data.pin lawbench ~/checkouts/LawBench

For a new pack, first write `src/hengfa/data/pinned/NAME.json` with everything but `files`, and in
`patterns` which files belong to it. The folder must hold the files of the pinned commit unchanged
(git: `core.autocrlf=false`). Running the command again on the same folder changes nothing.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec

from hengfa.data import catalogue
from hengfa.data.catalogue import Entry
from hengfa.data.jsonfile import read_json, write_atomically
from hengfa.data.sums import sum_of
from hengfa.errors import DataError, HengfaError


def pin(entry: Entry, folder: Path) -> Entry:
    """The entry with the sums of all files in the folder that its patterns name."""
    for pattern in entry.patterns:
        if not catalogue.matching(folder, [pattern]):
            raise DataError(f"nothing matches the pattern {pattern!r}", file=folder)
    paths = catalogue.matching(folder, entry.patterns)
    return msgspec.structs.replace(entry, files=tuple(sum_of(folder, path) for path in paths))


def render(entry: Entry) -> str:
    """The text of a catalogue file: one line for each file, so that changes read well."""
    fields = msgspec.to_builtins(entry)
    files = fields.pop("files")
    head = [f"  {_json(key)}: {_json(value)}," for key, value in fields.items()]
    rows = ",\n".join(f"    {_json(file)}" for file in files)
    return "{\n" + "\n".join(head) + '\n  "files": [\n' + rows + "\n  ]\n}\n"


def main(arguments: list[str] | None = None) -> int:
    """`python -m hengfa.data.pin NAME FOLDER`."""
    parser = argparse.ArgumentParser(
        prog="python -m hengfa.data.pin", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("name", help="a file NAME.json in the catalogue's folder")
    parser.add_argument("folder", type=Path, help="upstream files at the pinned commit")
    asked = parser.parse_args(arguments)
    file = catalogue.PINNED / f"{asked.name}.json"
    try:
        entry = pin(read_json(file, Entry), asked.folder)
        write_atomically(file, render(entry).encode())
    except HengfaError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_status
    sys.stderr.write(f"{file}: {len(entry.files)} files, {entry.size} bytes\n")
    return 0


def _json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()


if __name__ == "__main__":
    raise SystemExit(main())
