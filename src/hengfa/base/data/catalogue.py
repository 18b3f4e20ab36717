"""What is known upstream: for every pack its repositories, commits, licences, files and their sums.

One JSON file in `pinned/` describes one pack. Its files come from one or several public
repositories, each at one commit: as they are there, or derived from them by code of ours, whose
results are pinned too. To add a pack, write the head of its file and let
`python -m hengfa.evals.supply.pin` fill in the sums.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import msgspec

from hengfa.base.data.jsonfile import read_json
from hengfa.base.data.sums import FileSum, Pin, sum_of
from hengfa.base.errors import DataError, UsageError

PINNED = Path(__file__).with_name("pinned")

RAW = "https://raw.githubusercontent.com/{repository}/{commit}/{path}"
ARCHIVE = "https://codeload.github.com/{repository}/tar.gz/{commit}"

Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9-]*\Z")]
Repository = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*\Z")]
Commit = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{40}\Z")]


class Source(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One repository at one commit, and what a pack needs of it."""

    repository: Repository
    commit: Commit
    licence: str
    patterns: tuple[str, ...]
    """Which of its files are needed: `pin` and an update to another commit read it."""
    parts: dict[str, tuple[str, ...]] = {}
    """Patterns of files that only some people need, by the name of the part."""
    files: tuple[Pin, ...] = ()

    def unpinned(self, parts: Collection[str]) -> tuple[str, ...]:
        """Patterns of these parts of which nobody has pinned a file: taken as they come."""
        pinned = {pin.part for pin in self.files}
        named = (self.parts[part] for part in self.parts if part in parts and part not in pinned)
        return tuple(pattern for patterns in named for pattern in patterns)

    @property
    def key(self) -> str:
        """How messages, receipts and derivations call it: `OWNER/REPOSITORY@COMMIT`."""
        return f"{self.repository}@{self.commit}"

    @property
    def folder(self) -> str:
        """The name of the folder inside an archive of it: `REPOSITORY-COMMIT`."""
        return f"{self.repository.partition('/')[2]}-{self.commit}"

    @property
    def archive_url(self) -> str:
        return self._fill(ARCHIVE)

    def url_of(self, path: str, base_url: str | None = None) -> str:
        """The address of one file, upstream or below a mirror that has the upstream layout."""
        if base_url is not None:
            return f"{base_url}/{quote(path)}"
        return self._fill(RAW).replace("{path}", quote(path))

    def _fill(self, template: str) -> str:
        return template.replace("{repository}", self.repository).replace("{commit}", self.commit)


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One pack: what it is made of and what it must be."""

    name: Name
    title: str
    licence: str
    homepage: str
    sources: tuple[Source, ...] = ()
    """Empty for the pack of a private suite, which is only added from a folder."""
    derived: bool = False
    """Its files are made from those of the sources, by the room that owns them."""
    patterns: tuple[str, ...] = ()
    """Which files of a folder belong to it, where nobody pinned any."""
    optional: tuple[str, ...] = ()
    """Files that no score depends on: `data add --allow-changed` does without them."""
    files: tuple[Pin, ...] = ()
    """Of a derived pack: what the derivation must give."""
    variants: tuple[tuple[Pin, ...], ...] = ()
    """Other states in which a derived pack counts as verified, each as a whole: as it was given
    out before it was derived here, and with optional parts of its sources."""

    @property
    def pins(self) -> tuple[Pin, ...]:
        if self.derived:
            return self.files
        return tuple(pin for source in self.sources for pin in source.files)

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(part for source in self.sources for part in source.parts))

    def deviations(self, files: Iterable[FileSum]) -> list[str]:
        """The pinned files that these files lack or have in another wording. A part that only some
        people need may be absent."""
        have = {file.path: file for file in files}
        return min(
            (
                [
                    pin.path
                    for pin in pins
                    if not (pin.fits(have[pin.path]) if pin.path in have else pin.part)
                ]
                for pins in (self.pins, *self.variants)
            ),
            key=len,
            default=[],
        )

    def files_in(self, folder: Path) -> tuple[Pin, ...]:
        """The pinned files, of optional parts those that the folder has; where nobody pinned any,
        what the patterns name."""
        if self.pins:
            pins = max((self.pins, *self.variants), key=lambda pins: _count_present(folder, pins))
            return tuple(pin for pin in pins if not pin.part or (folder / pin.path).is_file())
        paths = matching(folder, self.patterns)
        if not paths:
            raise DataError(f"no file of {self.name!r} is in this folder", file=folder)
        sums = (sum_of(folder, path) for path in paths)
        return tuple(Pin(path=file.path, size=file.size, sha256=file.sha256) for file in sums)

    @property
    def size(self) -> int:
        """Bytes of all files that everybody needs."""
        return sum(pin.size or 0 for pin in self.pins if not pin.part)

    @property
    def about(self) -> str:
        """Its size and licence, in a few words."""
        return f"{self.size / 1e6:.1f} MB, {self.licence}" if self.size else self.licence

    @property
    def home(self) -> Source | None:
        """The one source whose files the pack is, as they are there; optional parts aside."""
        needed = [source for source in self.sources if source.patterns]
        return needed[0] if len(needed) == 1 and not self.derived else None

    @property
    def origin(self) -> str:
        """What a copy is compared with, as messages call it."""
        if self.home is None:
            return "the pinned copy"
        return f"{self.home.repository} at commit {self.home.commit[:12]}"


_outside: dict[str, Entry] = {}
"""The packs of suites that are not ours."""


def set_outside(entries: Iterable[Entry]) -> None:
    """Make known the packs of all suites from outside that are here now."""
    _outside.clear()
    for entry in entries:
        if (PINNED / f"{entry.name}.json").is_file():
            raise UsageError(f"there is a pack {entry.name!r} already: choose another name")
        _outside[entry.name] = entry


def _count_present(folder: Path, pins: Iterable[Pin]) -> int:
    """How many of the files a folder has, by name and length."""
    places = ((folder / pin.path, pin.size) for pin in pins)
    return sum(place.is_file() and size in {None, place.stat().st_size} for place, size in places)


def matching(folder: Path, patterns: Iterable[str]) -> list[str]:
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


def read_entry(file: Path) -> Entry:
    """Read one catalogue file and check what its types cannot say."""
    entry = read_json(file, Entry)
    if entry.name != file.stem:
        raise DataError(f"{entry.name!r} is not the name of the file", file=file, field="name")
    if entry.files and not entry.derived:
        problem = "the files of this pack are those of its sources"
        raise DataError(problem, file=file, field="files")
    if not entry.sources:
        raise DataError("a pack has a public home", file=file, field="sources")
    for number, source in enumerate(entry.sources):
        if source.patterns:
            _check_files(source.files, file, f"sources[{number}].files")
    _check_files(entry.pins, file, "files")
    known = {pin.path for pin in entry.pins}
    for path in entry.optional:
        if path not in known:
            raise DataError(f"{path!r} is not among the files", file=file, field="optional")
    return entry


def _check_files(pins: tuple[Pin, ...], file: Path, field: str) -> None:
    if not pins:
        problem = "no files: `python -m hengfa.evals.supply.pin` fills them in"
        raise DataError(problem, file=file, field=field)
    seen: set[str] = set()
    for number, pin in enumerate(pins):
        # two names that differ only in case are one file on some disks
        if pin.path.casefold() in seen:
            problem = f"{pin.path!r} is listed twice"
            raise DataError(problem, file=file, field=f"{field}[{number}].path")
        seen.add(pin.path.casefold())
