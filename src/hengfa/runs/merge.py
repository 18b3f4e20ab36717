"""Parts of a run that several machines asked (`--shard I/N`), put together to one run.

What is asked, how, and of which data must be the same in all of them; the journals of the model, of
its graders and of whoever else was asked are joined key by key, and the parts are left alone.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from hengfa.data.output import scratch_folder
from hengfa.engine.journal import Entry, newest_entries, write_entries
from hengfa.engine.messages import Status
from hengfa.errors import JournalError, UsageError
from hengfa.runs.error_asking import ERRORS, retell
from hengfa.runs.folder import (
    GRADER,
    GRADES,
    JOURNAL,
    PANEL,
    PROMPTS,
    Manifest,
    accepted,
    read_manifest,
    write_manifest,
)
from hengfa.runs.grading import SCREENS, same_grader
from hengfa.runs.sitting import Notify, quiet
from hengfa.suites.plan import parse_shard


def merge_runs(
    parts: Sequence[Path], out: Path, *, partial: bool = False, notify: Notify = quiet
) -> Path:
    """Make one run of several; all of it, or nothing where anything is wrong."""
    if out.exists():
        raise UsageError(f"--run: {out} is there already; choose another name")
    if len({part.resolve() for part in parts}) < len(parts):
        raise UsageError("a part is named twice")
    manifest = _manifest(parts, partial, notify)
    out.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(out.parent / "hengfa") as temporary:
        whole = temporary / out.name
        write_manifest(whole, manifest)
        _join(parts, whole)
        if manifest.prompts:
            shutil.copyfile(parts[0] / PROMPTS, whole / PROMPTS)
        for asked in sorted(
            {file.parent.relative_to(part) for part in parts for file in _asked(part)}
        ):
            _join_asked([part / asked for part in parts], whole / asked, notify)
        for panel in sorted({file.relative_to(part) for part in parts for file in _panels(part)}):
            first = next(part / panel for part in parts if (part / panel).is_file())
            (whole / panel).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(first, whole / panel)
        retell(whole, accepted(parts[0]))
        whole.rename(out)
    return out


def _manifest(parts: Sequence[Path], partial: bool, notify: Notify) -> Manifest:
    """What the whole is: what all parts are, but for which part each is."""
    manifests = [read_manifest(part) for part in parts]
    wholes = [replace(manifest, shard="") for manifest in manifests]
    for part, whole in zip(parts[1:], wholes[1:], strict=True):
        if differences := wholes[0].differences(whole):
            raise UsageError(
                f"{parts[0].name} and {part.name} are no parts of one run: {'; '.join(differences)}"
            )
    shards = [parse_shard(manifest.shard) for manifest in manifests if manifest.shard]
    if len({shard.of for shard in shards}) > 1:
        there_is = ", ".join(map(str, shards))
        raise UsageError(f"these are parts of other numbers of parts: {there_is}")
    missing = (
        sorted(set(range(1, shards[0].of + 1)) - {shard.number for shard in shards})
        if shards
        else []
    )
    if missing:
        told = f"of {shards[0].of} parts there is none for {', '.join(map(str, missing))}"
        if not partial:
            raise UsageError(f"{told}; --partial merges what there is")
        notify(told)
    return replace(wholes[0], created=min(manifest.created for manifest in manifests))


def _asked(part: Path) -> Iterator[Path]:
    """Graders, and who screens or was asked about errors, each by the file that says who it is."""
    for kind in (GRADES, SCREENS, ERRORS):
        yield from part.glob(f"{kind}/*/{GRADER}")


def _panels(part: Path) -> Iterator[Path]:
    yield from part.glob(f"{GRADES}/*/{PANEL}")


def _join_asked(places: Sequence[Path], whole: Path, notify: Notify) -> None:
    """What one grader said of all parts; it must have been asked alike."""
    there = [place for place in places if (place / GRADER).is_file()]
    same_grader(there)
    whole.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(there[0] / GRADER, whole / GRADER)
    _join(there, whole)
    if len(there) < len(places):
        notify(f"{whole.name} was asked about {len(there)} of {len(places)} parts")


def _join(places: Sequence[Path], whole: Path) -> None:
    """One journal of several, each key once."""
    journals = [file for place in places if (file := place / JOURNAL).is_file()]
    where: dict[str, tuple[int, str, Status]] = {}
    for number, journal in enumerate(journals):
        for entry in newest_entries(journal):
            before = where.get(entry.key)
            if before is not None and before[1] != entry.prompt_hash:
                raise JournalError(
                    f"{journal}: the question {entry.key} was put differently than in "
                    f"{journals[before[0]]}: these are no parts of one run"
                )
            if before is None or before[2] is Status.FAILED:
                where[entry.key] = number, entry.prompt_hash, entry.response.status
    write_entries(whole / JOURNAL, _chosen(journals, where))


def _chosen(journals: Sequence[Path], where: dict[str, tuple[int, str, Status]]) -> Iterator[Entry]:
    for number, journal in enumerate(journals):
        for entry in newest_entries(journal):
            if where[entry.key][0] == number:
                yield entry
