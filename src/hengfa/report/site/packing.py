"""Data of the site as files that a page opened from disk can load: scripts, packed.

`data/NAME.js` calls `hengfa.put("NAME", "…")` with base64 of gzip of JSON. The same value makes the
same bytes, so that two sites of the same runs can be compared file by file.
"""

from __future__ import annotations

import base64
import gzip
import re
from pathlib import Path
from typing import Any

import msgspec

# What every file system and URL takes as it is. Matches "tasks/3/runs/12"; not "a b" or "../x".
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?(?:/[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?)*")
_LEVEL = 6


def pack(name: str, value: Any) -> bytes:
    """The script that hands a value to the page."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot be the name of a data file")
    packed = gzip.compress(msgspec.json.encode(value), _LEVEL, mtime=0)
    return b'hengfa.put("' + name.encode() + b'","' + base64.b64encode(packed) + b'");\n'


def unpack(content: bytes) -> tuple[str, Any]:
    """The name and the value in a script."""
    name, packed = content.removeprefix(b'hengfa.put("').removesuffix(b'");\n').split(b'","')
    return name.decode(), msgspec.json.decode(gzip.decompress(base64.b64decode(packed)))


class Packer:
    """Writes data files below the `data` folder of a site."""

    def __init__(self, site: Path) -> None:
        self._folder = site / "data"

    def put(self, name: str, value: Any) -> None:
        file = self._folder / f"{name}.js"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pack(name, value))
