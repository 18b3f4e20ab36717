"""What is known upstream: for every pack its repository, commit, licence, files and their sums.

One JSON file in `pinned/` describes one pack. A pack is one repository at one commit; or it was
assembled from several, has no public home, and is only added from a folder. To add a pack, write
the head of its file and let `python -m hengfa.data.pin` fill in the sums.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import msgspec

from hengfa.data.jsonfile import read_json
from hengfa.data.sums import FileSum, fingerprint, sum_of
from hengfa.errors import DataError, UsageError

PINNED = Path(__file__).with_name("pinned")

RAW_GITHUB = "https://raw.githubusercontent.com/{repository}/{commit}/{path}"

Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9-]*\Z")]
Repository = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*\Z")]
Commit = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{40}\Z")]
UrlTemplate = Annotated[str, msgspec.Meta(pattern=r"^https://[^/]+/.*\{path\}")]
ArchiveTemplate = Annotated[str, msgspec.Meta(pattern=r"^https://[^/]+/.*\{commit\}")]


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One pack as upstream publishes it."""

    name: Name
    title: str
    repository: Repository | None
    commit: Commit | None
    """Both are None only for a pack without a public home."""
    licence: str
    homepage: str
    patterns: tuple[str, ...]
    """Which of the repository's files belong to the pack: `pin` reads it, and whoever adds a pack
    that nobody has pinned."""
    optional: tuple[str, ...] = ()
    """Files that no score depends on: `data add --allow-changed` does without them."""
    url: UrlTemplate | None = RAW_GITHUB
    """Where a file is fetched from; None for a pack that has no public home and is only added."""
    archive: ArchiveTemplate | None = None
    """The whole repository as one tar.gz. Given for a pack of hundreds of files: GitHub answers so
    many single requests with "too many"."""
    pull_instead: tuple[Name, ...] = ()
    """For a pack without a public home: the packs that a pull of its name fetches."""
    files: tuple[FileSum, ...] = ()

    def files_in(self, folder: Path) -> tuple[FileSum, ...]:
        """The pinned files; those of a folder that the patterns name, where nobody pinned any."""
        if self.files:
            return self.files
        paths = matching(folder, self.patterns)
        if not paths:
            raise DataError(f"no file of {self.name!r} is in this folder", file=folder)
        return tuple(sum_of(folder, path) for path in paths)

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)

    @property
    def fingerprint(self) -> str:
        """The fingerprint that a complete, unchanged copy has."""
        return fingerprint(self.files)

    @property
    def origin(self) -> str:
        """What a copy is compared with, as messages call it."""
        if self.repository is None or self.commit is None:
            return "the pinned copy"
        return f"{self.repository} at commit {self.commit[:12]}"

    @property
    def archive_url(self) -> str | None:
        """The address of the archive, where the pack has one."""
        return None if self.archive is None else self._filled(self.archive)

    def url_of(self, path: str, base_url: str | None = None) -> str:
        """The address of one file, upstream or below a mirror that has the upstream layout."""
        if base_url is not None:
            return f"{base_url.rstrip('/')}/{quote(path)}"
        if self.url is None:
            raise UsageError(
                f"{self.name!r} has no public home: `hengfa data add {self.name} DIR` takes it"
                " from a folder"
            )
        return self._filled(self.url).replace("{path}", quote(path))

    def _filled(self, template: str) -> str:
        filled = template.replace("{repository}", self.repository or "")
        return filled.replace("{commit}", self.commit or "")


_outside: dict[str, Entry] = {}
"""The packs of suites that are not ours."""


def set_outside(entries: Iterable[Entry]) -> None:
    """Make known the packs of all suites from outside that are here now."""
    _outside.clear()
    for entry in entries:
        if (PINNED / f"{entry.name}.json").is_file():
            raise UsageError(f"there is a pack {entry.name!r} already: choose another name")
        _outside[entry.name] = entry


def matching(folder: Path, patterns: Iterable[str]) -> list[str]:
    """The files of a folder that patterns name."""
    files = {file for pattern in patterns for file in folder.glob(pattern) if file.is_file()}
    return sorted(file.relative_to(folder).as_posix() for file in files)


def pack_names() -> list[str]:
    """The names of all packs in the catalogue, and of those that suites from outside bring."""
    return [*sorted(file.stem for file in PINNED.glob("*.json")), *_outside]


def load_entry(name: str) -> Entry:
    """The catalogue's entry of this name; an unknown name is a wrong call."""
    known = pack_names()
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known are: {', '.join(known)}"
        raise UsageError(f"no pack is called {name!r}; {hint}")
    return _outside.get(name) or read_entry(PINNED / f"{name}.json")


def entries_to_pull(name: str) -> list[Entry]:
    """What a pull of this name fetches: the pack itself, or those that stand in for it."""
    entry = load_entry(name)
    return [load_entry(other) for other in entry.pull_instead] or [entry]


def read_entry(file: Path) -> Entry:
    """Read one catalogue file and check what its types cannot say."""
    entry = read_json(file, Entry)
    if entry.name != file.stem:
        raise DataError(f"{entry.name!r} is not the name of the file", file=file, field="name")
    _check_home(entry, file)
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


def _check_home(entry: Entry, file: Path) -> None:
    for field in ("repository", "commit"):
        if entry.url is not None and getattr(entry, field) is None:
            raise DataError("a pack with an address has one", file=file, field=field)
    if entry.url is None and entry.archive is not None:
        raise DataError("a pack without an address has none", file=file, field="archive")
    if entry.url is not None and entry.pull_instead:
        raise DataError("this pack is pulled itself", file=file, field="pull_instead")
    for other in entry.pull_instead:
        if not file.with_name(f"{other}.json").is_file():
            raise DataError(f"no pack is called {other!r}", file=file, field="pull_instead")
