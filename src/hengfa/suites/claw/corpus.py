"""Which law library the samples come from: the installed one, or a small one made of a folder."""

from __future__ import annotations

import hashlib
from pathlib import Path

import hengfa
from hengfa.data.packs import pack_root
from hengfa.data.paths import RECEIPT, home
from hengfa.data.sums import fingerprint, sum_of
from hengfa.errors import DataError
from hengfa.library.store import FORMAT, Library

PACK = "statutes"
FILES = (
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
    """Refuse a library of other texts than the installed ones: the questions would be others."""
    rows = library.connection.execute("SELECT DISTINCT file FROM sources WHERE role = 'primary'")
    files = [Path(file) for (file,) in rows]
    if not all(file.is_relative_to(root) for file in files):
        problem = f"this law library was built from other texts than the pack {PACK!r} in {root}"
    elif library.path.stat().st_mtime < (root / RECEIPT).stat().st_mtime:
        problem = f"this law library is older than the pack {PACK!r} in {root}"
    else:
        return
    raise DataError(f"{problem}: `hengfa law build` makes it anew", file=library.path)


def _own_library(root: Path) -> Path:
    names = [name for name in FILES if (root / name).is_file()]
    if not any(name.startswith("statutes") for name in names):
        raise DataError("no statutes are here: expected statutes.jsonl.gz", file=root)
    texts = fingerprint(sum_of(root, name) for name in names)
    made_by = hashlib.sha256(f"{hengfa.__version__} {FORMAT}".encode()).hexdigest()[:6]
    file = home() / "libraries" / f"{texts}-{made_by}.sqlite"
    if not file.is_file():
        _build(tuple(root / name for name in names), file)
    return file


def _build(files: tuple[Path, ...], library: Path) -> None:
    # The parser is for those who build.
    from hengfa.library.building.build import build_library  # noqa: PLC0415

    build_library(files, library)
