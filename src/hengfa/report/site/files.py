"""How a site lies on disk: pages, and data as scripts, written whole or not at all.

A page opened from disk can load scripts but nothing else, so `data/NAME.js` calls
`hengfa.put("NAME", "…")` with base64 of gzip of JSON. The same value makes the same bytes, so that
two sites of the same runs can be compared file by file.
"""

from __future__ import annotations

import base64
import gzip
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from hengfa.data.paths import disk_errors
from hengfa.errors import UsageError
from hengfa.page import DOM
from hengfa.report.charts.export import charting_library

# What every file system and URL takes as it is. Matches "tasks/3/runs/12"; not "a b" or "../x".
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?(?:/[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?)*")
_LEVEL = 6
PAGES = Path(str(resources.files("hengfa.report.site").joinpath("assets")))
MARK = "data/site.js"
"""The file by which we know a site of ours."""


@contextmanager
def whole_or_nothing(target: Path) -> Iterator[Path]:
    """A folder to write a site into, which then takes the place of `target`.

    An older site of ours is replaced; a folder with anything else in it is not touched.
    """
    _check(target)
    parent = target.absolute().parent
    with disk_errors(target):
        parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".hengfa-site-", dir=parent) as temporary:
            new, old = Path(temporary, "new"), Path(temporary, "old")
            new.mkdir(mode=0o755)
            yield new
            _check(target)
            if target.exists():
                target.rename(old)
            new.rename(target)
            if old.exists():
                shutil.rmtree(old)


def _check(target: Path) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise UsageError(f"{target} is not a folder; choose another place for the site")
    if target.is_dir() and any(target.iterdir()) and not (target / MARK).is_file():
        raise UsageError(
            f"{target} has files in it that are no site of ours; choose another folder, or empty it"
        )


def copy_pages(site: Path) -> None:
    """Pages to the root of the site, all that they load to its `assets` folder."""
    folder = site / "assets"
    folder.mkdir()
    for file in sorted([DOM, *PAGES.iterdir()]):
        if file.is_file() and not file.name.startswith("."):
            target = site if file.suffix == ".html" else folder
            (target / file.name).write_bytes(file.read_bytes())
    (folder / "vega.js").write_bytes(charting_library())


class Packer:
    """Writes data files below the `data` folder of a site."""

    def __init__(self, site: Path) -> None:
        self._folder = site / "data"

    def put(self, name: str, value: Any) -> None:
        file = self._folder / f"{name}.js"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pack(name, value))


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
