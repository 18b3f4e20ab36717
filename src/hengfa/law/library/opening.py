"""Opens the library of a folder of statutes: the installed pack's, or one that is built of it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

import hengfa
from hengfa.base.data.packs import pack_root
from hengfa.base.data.paths import RECEIPT, home
from hengfa.base.data.sums import fingerprint, sum_of
from hengfa.base.errors import DataError
from hengfa.law.library.model import Version
from hengfa.law.library.store import FORMAT, Library

PACK: Final = "statutes"
_FILES: Final = (
    "statutes.jsonl.gz",
    "statutes.jsonl",
    "interpretations.jsonl.gz",
    "interpretations.jsonl",
    "version_calendar.tsv",
)
"""What a folder may hold; other files beside them, such as cases, are no statutes."""


def open_library(root: Path) -> Library:
    """The library of a pack's folder, open.

    The installed pack has the one that `hengfa law build` makes. Of any other folder one is built
    the first time, into a file that is named after the texts.
    """
    if root == pack_root(PACK):
        library = Library.open()
        _check_built_from(library, root)
        return library
    return Library.open(_own_library(root))


def _check_built_from(library: Library, root: Path) -> None:
    """Refuse a library of other texts than the installed ones: the questions would be others.

    Texts of the user's own may stand beside them, not in their place.
    """
    replaced = [
        version
        for version in library.versions()
        if is_own(library, version)
        and any(Path(source.file).is_relative_to(root) for source in library.sources(version))
    ]
    rows = library.connection.execute("SELECT DISTINCT file FROM sources WHERE role = 'primary'")
    files = [Path(file) for (file,) in rows]
    places = (root, *library.own_folders)
    if not all(any(file.is_relative_to(place) for place in places) for file in files):
        problem = f"this law library was built from other texts than the pack {PACK!r} in {root}"
    elif replaced:
        problem = f"a text of your own stands in place of the pack's {replaced[0]}"
    elif library.path.stat().st_mtime < (root / RECEIPT).stat().st_mtime:
        problem = f"this law library is older than the pack {PACK!r} in {root}"
    else:
        return
    raise DataError(f"{problem}: `hengfa law build` makes it anew", file=library.path)


def _own_library(root: Path) -> Path:
    names = [name for name in _FILES if (root / name).is_file()]
    if not any(name.startswith("statutes") for name in names):
        raise DataError("no statutes are here: expected statutes.jsonl.gz", file=root)
    texts = fingerprint(sum_of(root, name) for name in names)
    made_by = hashlib.sha256(f"{hengfa.__version__} {FORMAT}".encode()).hexdigest()[:6]
    file = home() / "libraries" / f"{texts}-{made_by}.sqlite"
    if not file.is_file():
        # The parser is for those who build.
        from hengfa.law.library.building.build import build_library  # noqa: PLC0415
        from hengfa.law.library.building.sources import SourceFolder, gather  # noqa: PLC0415

        files = [root / name for name in names]
        for remark in gather([SourceFolder(text) for text in files]).remarks:
            # a row that is left out: its questions would be missing in silence
            raise DataError(remark.reason, file=remark.file, row=remark.row)
        build_library(files, file)
    return file


def is_own(library: Library, version: Version) -> bool:
    if not library.own_folders:
        return False
    file = Path(library.sources(version)[0].file)
    return any(file.is_relative_to(folder) for folder in library.own_folders)
