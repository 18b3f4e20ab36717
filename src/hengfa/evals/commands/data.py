"""`hengfa data`: see what data there is, get it, and check that it is right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from hengfa.base.bringing import (
    bring,
    from_option,
    introduce,
    mirror_option,
    parts_option,
    to_fetch,
)
from hengfa.base.data.catalogue import Entry, load_entry, pack_names
from hengfa.base.data.packs import Status, Verification, pack_root, repair, status_of, verify
from hengfa.base.data.paths import RECEIPT, home
from hengfa.base.errors import UsageError, counted
from hengfa.base.hooks import offered
from hengfa.base.options import Place, force_option, json_option, print_json
from hengfa.base.progress import Watch
from hengfa.base.terminal.progress import installing, readable_size
from hengfa.evals.suites.registry import get_suite, outside_suites, suite_names
from hengfa.law.library.opening import PACK as STATUTES
from hengfa.law.library.store import Library, default_file

STATES = {
    "installed": "installed",
    "unverified": "installed, not verified",
    "absent": "not installed",
    "started": "partly pulled",
    "incomplete": "incomplete",
    "outdated": "outdated",
    "broken": "broken receipt",
}


@click.group()
def command() -> None:
    """See, get and check the benchmarks, statutes and cases.

    Hengfa ships no upstream data. It is pulled from its public homes at pinned commits, or taken
    from a folder you have, and every file is checked against its pin. Packs lie in
    ~/.hengfa/packs, or below HENGFA_HOME.

    \b
    Example:
      hengfa data status
      hengfa data pull lawbench
    """
    outside_suites()  # makes their packs known


@command.command("status")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option(
    "--verify", "again", is_flag=True, help="Hash the files of what is installed again, or of NAME."
)
@json_option
@click.pass_context
def status_(context: click.Context, names: tuple[str, ...], again: bool, as_json: bool) -> None:
    """Show the packs, whether they are installed, what can run with them, and what brings the rest.

    With --verify the exit status is 1 when a file is gone or is not what was installed.

    \b
    Example:
      hengfa data status
      hengfa data status lawbench --verify
      hengfa data status --json
    """
    if again:
        _verify(context, names, as_json)
        return
    known = [(entry, status_of(entry)) for entry in map(load_entry, names or pack_names())]
    needed = needs(names)
    if as_json:
        packs = [_describe(*pack) for pack in known]
        print_json({"home": str(home()), "packs": packs, "needs": needed})
        return
    _print_packs(known)
    if needed:
        click.echo()
    width = max((len(need.what) for need in needed), default=0)
    for need in needed:
        ready = "ready" if need.ready else "needs"
        click.echo(f"{need.what.ljust(width)}  {ready}  {need.says}")


@command.command("pull")
@click.argument("name")
@parts_option
@from_option
@mirror_option
def pull_(name: str, parts: tuple[str, ...], folder: Path | None, base_url: str | None) -> None:
    """Bring the pack NAME here from its public homes and verify it.

    Every file is compared with its pinned sum; what the pack has that no repository has as it is,
    is derived here. When it is interrupted, the same command goes on where it stopped. What is here
    already and right is not fetched again. A mirror of a pack with several sources has one folder
    for each, REPOSITORY-COMMIT.

    \b
    Example:
      hengfa data pull lawbench
      hengfa data pull judge --with train
      hengfa data pull statutes --from copies/
    """
    bring(name, parts, folder, base_url, again=f"hengfa data pull {name}")


@command.command("update")
@click.argument("name")
@click.option(
    "--commit",
    metavar="[OWNER/REPOSITORY@]SHA",
    help="Another commit of a source; the repository may be left out where there is one.",
)
@click.option(
    "--from",
    "folder",
    metavar="DIR",
    type=Place(exists=True, file_okay=False),
    help="Take the sources from here instead of the network, as for `pull`; without --commit, "
    "whatever other commit of a source is here.",
)
@click.option("--dry-run", is_flag=True, help="Say what would change; change nothing.")
def update_(name: str, commit: str | None, folder: Path | None, dry_run: bool) -> None:
    """Take another commit of a source of the pack NAME, and say what changes.

    Nobody has pinned the files of that commit: the pack is marked unverified. The pack that is
    installed, and the law library made of it, stay until the new ones are whole.

    \b
    Example:
      hengfa data update statutes --commit ImCa0/just-laws@SHA
      hengfa data update statutes --from copies/ --dry-run
    """
    from hengfa.base.data.pull import Where  # noqa: PLC0415
    from hengfa.evals.supply.updating import update  # noqa: PLC0415

    entry = load_entry(name)
    with installing(f"updating {name}", to_fetch(entry, ())) as progress:
        watch = Watch(progress.files, progress.archive)
        updated = update(entry, commit, Where(folder=folder), watch=watch, dry_run=dry_run)
    for line in updated.lines():
        click.echo(line)
    if dry_run:
        click.echo(f"{name}: nothing was changed")
    elif updated.pack is not None:
        root = updated.pack.root
        click.echo(
            f"{name}: updated to {updated.source}, NOT verified: nobody pinned it, in {root}"
        )
        if updated.library is not None:
            click.echo(f"law library: built anew, in {updated.library}")


@command.command("add")
@click.argument("name")
@click.argument("folder", metavar="DIR", type=Place(exists=True, file_okay=False))
@click.option(
    "--allow-changed",
    is_flag=True,
    help="Accept files that differ from upstream; the pack is marked unverified.",
)
@force_option("Replace the pack of this name that is installed.")
def add_(name: str, folder: Path, allow_changed: bool, force: bool) -> None:
    """Install the pack NAME from the folder DIR.

    DIR has the upstream layout. Every catalogued file is checked and copied; other files in the
    folder are left alone.

    \b
    Example:
      git clone https://github.com/open-compass/LawBench
      git -C LawBench checkout e30981bb3ff5
      hengfa data add lawbench LawBench
    """
    # the file lock is needed by those who install
    from hengfa.base.data.install import add  # noqa: PLC0415

    entry = load_entry(name)
    if old := status_of(entry).pack:
        there = f"{name!r} is installed in {old.root} (fingerprint {old.fingerprint})"
        if not force:
            raise UsageError(f"{there}: --force replaces it")
        click.echo(f"{there}: it is replaced", err=True)
    introduce(entry, str(folder))
    with installing(f"adding {entry.name}", entry.size) as progress:
        pack = add(entry, folder, allow_changed=allow_changed, watch=progress.files)
    why = "it differs from upstream" if entry.pins else "nobody has pinned its files"
    verified = "verified" if pack.verified else f"NOT verified: {why}"
    click.echo(f"{name}: installed, {verified}, fingerprint {pack.fingerprint}, in {pack.root}")


def _print_packs(known: list[tuple[Entry, Status]]) -> None:
    rows = []
    for entry, status in known:
        size = _size(entry, status)
        shown = readable_size(size) if size else "–"
        rows.append((entry.name, STATES[status.state], shown, _home(entry), entry.licence))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row, (_entry, status) in zip(rows, known, strict=True):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())
        if status.problem and status.state not in {"absent", "started"}:
            click.echo(f"  {status.problem}", err=True)


def _verify(context: click.Context, names: tuple[str, ...], as_json: bool) -> None:
    installed = (known for known in pack_names() if (pack_root(known) / RECEIPT).exists())
    verifications = [verify(name) for name in names or installed]
    if as_json:
        print_json(verifications)
    else:
        for verification in verifications:
            _print_verification(verification)
        if not verifications:
            click.echo("no pack is installed: see `hengfa data status`", err=True)
    if any(verification.problems for verification in verifications):
        context.exit(1)


def _size(entry: Entry, status: Status) -> int | None:
    """Bytes of what is installed, else of what would be; None where nobody knows beforehand."""
    return status.size or entry.size or None


def _home(entry: Entry) -> str:
    homes = list(dict.fromkeys(source.repository for source in entry.sources))
    if not homes:
        return "only added"
    if entry.home is not None:
        return f"{entry.home.repository}@{entry.home.commit[:7]}"
    return homes[0] if len(homes) == 1 else f"{homes[0]} and {len(homes) - 1} more"


def _describe(entry: Entry, status: Status) -> dict[str, object]:
    pack = status.pack
    return {
        "name": entry.name,
        "title": entry.title,
        "state": status.state,
        "problem": None if status.problem is None else str(status.problem),
        "verified": None if pack is None else pack.verified,
        "fingerprint": None if pack is None else pack.fingerprint,
        "root": str(status.root),
        "sources": [source.key for source in entry.sources],
        "derived": entry.derived,
        "parts": list(entry.parts),
        "licence": entry.licence,
        "homepage": entry.homepage,
        "files": len(entry.pins),
        "bytes": _size(entry, status),
    }


def _print_verification(verification: Verification) -> None:
    if verification.problems:
        click.echo(f"{verification.name}: not as it was installed in {verification.root}")
        for problem in verification.problems:
            click.echo(f"  {problem.kind}  {problem.path}: {problem.detail}")
        return
    state = "verified"
    if verification.deviations:
        state = f"as added, NOT verified: {len(verification.deviations)} differ from upstream"
    files = counted(verification.files, "file")
    click.echo(f"{verification.name}: {files} {state}, fingerprint {verification.fingerprint}")
    for path in verification.deviations:
        click.echo(f"  differs  {path}")


# --- what can run with what is installed, and what brings the rest ---


class Need(msgspec.Struct, frozen=True):
    """Something a person may want to run, the pack that it needs, and how that stands."""

    what: str
    pack: str
    ready: bool
    says: str  # what is there, or the command that brings it, with size and licence


def needs(packs: Sequence[str] = ()) -> list[Need]:
    """Every suite, and every command that reads a pack; with `packs`, what reads these."""
    suites = [(f"hengfa eval {name}", get_suite(name).pack) for name in suite_names()]
    return [
        _need_of_library(what) if pack == STATUTES else _need_of(what, pack)
        for what, pack in (*suites, *offered("reads").items())
        if not packs or pack in packs
    ]


def _need_of(what: str, pack: str) -> Need:
    entry = load_entry(pack)
    status = status_of(entry)
    if status.pack is not None:
        verified = "verified" if status.pack.verified else "NOT verified"
        return Need(what, pack, True, f"{pack} is installed, {verified}")
    return Need(what, pack, False, f"{pack} ({entry.about}): {repair(entry)}")


def _need_of_library(what: str) -> Need:
    """Whoever looks laws up needs the library that is built of the statutes."""
    if Library.is_kept_in(default_file()):
        return Need(what, STATUTES, True, f"the library is built, in {default_file()}")
    statutes = _need_of(what, STATUTES)
    before = "" if statutes.ready else f"{statutes.says}; then "
    return Need(what, STATUTES, False, f"{before}run `hengfa law build`")
