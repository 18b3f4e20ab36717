"""How a site lies on disk: pages, and data as scripts, written whole or not at all.

A page opened from disk can load scripts but nothing else, so `data/NAME.js` calls
`hengfa.put("NAME", "…")` with base64 of gzip of JSON. The same value makes the same bytes, so that
two sites of the same runs can be compared file by file.
"""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from hengfa.base.data.jsonfile import decode_json, read_json
from hengfa.base.data.output import MANIFEST, files_below, whole_folder
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import DataError
from hengfa.base.page import DOM
from hengfa.evals.report.charts.vega import charting_library

# What every file system and URL takes as it is, and no other. Matches "G", "法", " "; not "a", "/".
_UNSAFE = re.compile(r"[^a-z0-9_./-]")
# Matches "tasks/3/runs/12", "all-by-~47_2_"; not "../x", "a.".
_NAME = re.compile(
    r"[a-z0-9~](?:[a-z0-9_.~-]*[a-z0-9_])?(?:/[a-z0-9~](?:[a-z0-9_.~-]*[a-z0-9_])?)*"
)
_LEVEL = 6
PAGES = Path(str(resources.files("hengfa.evals.report.site").joinpath("assets")))
FORMAT = "hengfa-site-1"


class SiteManifest(msgspec.Struct, frozen=True):
    """Which files of a folder are the site; all others are somebody else's."""

    format: str
    files: dict[str, int]


@contextmanager
def whole_or_nothing(target: Path, *, force: bool = False) -> Iterator[Path]:
    """A folder to write a site into, which then takes the place of `target`.

    An older site of ours is replaced; anything else in the folder is not touched.
    """
    with whole_folder(target, _listed, force=force) as folder:
        yield folder
        manifest = SiteManifest(FORMAT, files_below(folder))
        content = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        (folder / MANIFEST).write_bytes(content + b"\n")


def _listed(site: Path) -> dict[str, int]:
    file = site / MANIFEST
    try:
        manifest = read_json(file, SiteManifest)
    except DataError:  # none, or of something else
        return {}
    return {**manifest.files, MANIFEST: file.stat().st_size} if manifest.format == FORMAT else {}


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
        file = self._folder / f"{safe(name)}.js"
        with disk_errors(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(pack(name, value))


def safe(name: str) -> str:
    """A name as a file has it, which the names of graders, prompts and settings may be part of:
    signs that are not safe by their bytes, `~47` for `G`. The pages do the same (store.js)."""
    return _UNSAFE.sub(lambda sign: "".join(f"~{byte:02x}" for byte in sign[0].encode()), name)


def pack(name: str, value: Any) -> bytes:
    """The script that hands a value to the page."""
    name = safe(name)
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot be the name of a data file")
    packed = gzip.compress(msgspec.json.encode(value), _LEVEL, mtime=0)
    return b'hengfa.put("' + name.encode() + b'","' + base64.b64encode(packed) + b'");\n'


def unpack(content: bytes) -> tuple[str, Any]:
    """The name and the value in a script."""
    name, packed = content.removeprefix(b'hengfa.put("').removesuffix(b'");\n').split(b'","')
    return name.decode(), decode_json(gzip.decompress(base64.b64decode(packed)))
