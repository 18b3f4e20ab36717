"""What is known upstream: for every pack its repository, commit, licence, files and their sums.

One JSON file in `pinned/` describes one pack, and one pack is one repository at one commit. To add
a pack, write the head of its file and let `python -m hengfa.data.pin` fill in the sums.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import msgspec

from hengfa.data.jsonfile import read_json
from hengfa.data.sums import FileSum, fingerprint
from hengfa.errors import DataError, UsageError

PINNED = Path(__file__).with_name("pinned")

RAW_GITHUB = "https://raw.githubusercontent.com/{repository}/{commit}/{path}"

Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9-]*\Z")]
Repository = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*\Z")]
Commit = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{40}\Z")]
UrlTemplate = Annotated[str, msgspec.Meta(pattern=r"^https://[^/]+/.*\{path\}")]


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One pack as upstream publishes it."""

    name: Name
    title: str
    repository: Repository
    commit: Commit
    licence: str
    homepage: str
    patterns: tuple[str, ...]
    """Which of the repository's files belong to the pack; only `pin` reads it."""
    optional: tuple[str, ...] = ()
    """Files that no score depends on: `data add --allow-changed` does without them."""
    url: UrlTemplate | None = RAW_GITHUB
    """Where a file is fetched from; None for a pack that has no public home and is only added."""
    files: tuple[FileSum, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)

    @property
    def fingerprint(self) -> str:
        """The fingerprint that a complete, unchanged copy has."""
        return fingerprint(self.files)

    def url_of(self, path: str, base_url: str | None = None) -> str:
        """The address of one file, upstream or below a mirror that has the upstream layout."""
        if base_url is not None:
            return f"{base_url.rstrip('/')}/{quote(path)}"
        if self.url is None:
            raise UsageError(
                f"{self.name!r} has no public home: `hengfa data add {self.name} DIR` takes it"
                " from a folder"
            )
        address = self.url.replace("{repository}", self.repository).replace("{commit}", self.commit)
        return address.replace("{path}", quote(path))


def pack_names() -> list[str]:
    """The names of all packs in the catalogue."""
    return sorted(file.stem for file in PINNED.glob("*.json"))


def load_entry(name: str) -> Entry:
    """The catalogue's entry of this name; an unknown name is a wrong call."""
    known = pack_names()
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known are: {', '.join(known)}"
        raise UsageError(f"no pack is called {name!r}; {hint}")
    return read_entry(PINNED / f"{name}.json")


def read_entry(file: Path) -> Entry:
    """Read one catalogue file and check what its types cannot say."""
    entry = read_json(file, Entry)
    if entry.name != file.stem:
        raise DataError(f"{entry.name!r} is not the name of the file", file=file, field="name")
    if not entry.files:
        raise DataError(
            "no files: `python -m hengfa.data.pin` fills them in", file=file, field="files"
        )
    seen: set[str] = set()
    for number, pinned in enumerate(entry.files):
        # two names that differ only in case are one file on some disks
        if pinned.path.casefold() in seen:
            raise DataError(
                f"{pinned.path!r} is listed twice", file=file, field=f"files[{number}].path"
            )
        seen.add(pinned.path.casefold())
    for path in entry.optional:
        if path.casefold() not in seen:
            raise DataError(f"{path!r} is not among the files", file=file, field="optional")
    return entry
