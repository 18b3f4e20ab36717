"""`hengfa data`: see what data there is, get it, and check that it is right."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.cli.options import Place, json_option, print_json
from hengfa.data.catalogue import Entry, entries_to_pull, load_entry, pack_names
from hengfa.data.packs import Status, Verification, pack_root, status_of, verify
from hengfa.data.paths import RECEIPT, home
from hengfa.report.terminal.progress import installing, readable_size
from hengfa.secrets import show_address
from hengfa.suites.registry import outside_suites

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

    Hengfa ships no upstream data. It is pulled from its own home at a pinned commit, or taken from
    a folder you have, and checked against pinned SHA-256 sums. Packs lie in ~/.hengfa/packs, or
    below HENGFA_HOME.

    \b
    Example:
      hengfa data list
      hengfa data pull lawbench
    """
    outside_suites()  # makes their packs known


@command.command("list")
@json_option
def list_(as_json: bool) -> None:
    """Show all packs, and whether they are installed.

    \b
    Example:
      hengfa data list
      hengfa data list --json
    """
    known = [(entry, status_of(entry)) for entry in map(load_entry, pack_names())]
    if as_json:
        print_json({"home": str(home()), "packs": [_described(*pack) for pack in known]})
        return
    rows = [
        (
            entry.name,
            STATES[status.state],
            readable_size(entry.size),
            _home(entry),
            entry.licence,
        )
        for entry, status in known
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row, (_entry, status) in zip(rows, known, strict=True):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())
        if status.problem and status.state not in {"absent", "started"}:
            click.echo(f"  {status.problem}", err=True)


@command.command("pull")
@click.argument("name")
@click.option(
    "--base-url",
    metavar="URL",
    help="A mirror with the upstream layout: https://…, or http:// on this machine.",
)
def pull_(name: str, base_url: str | None) -> None:
    """Download the pack NAME from its own home and verify it.

    When it is interrupted, the same command goes on where it stopped. What is here already and
    right is not fetched again. The pack "statutes" was put together from several repositories and
    has no home of its own: pulling it pulls just-laws and x-storage-laws. A mirror that stands for
    several packs has one folder for each, with its name.

    \b
    Example:
      hengfa data pull lawbench
      hengfa data pull statutes
      hengfa data pull lawbench --base-url https://mirror.example/LawBench
    """
    entries = entries_to_pull(name)
    names = " and ".join(entry.name for entry in entries)
    if names != name:
        click.echo(f"{name} has no public home: pulling {names} instead", err=True)
    try:
        for entry in entries:
            own = base_url if base_url is None or entry.name == name else _below(base_url, entry)
            _pull(entry, own)
    except KeyboardInterrupt:
        click.echo(f"stopped: `hengfa data pull {name}` goes on from here", err=True)
        raise


@command.command("add")
@click.argument("name")
@click.argument("folder", metavar="DIR", type=Place(exists=True, file_okay=False))
@click.option(
    "--allow-changed",
    is_flag=True,
    help="Accept files that differ from upstream; the pack is marked unverified.",
)
def add_(name: str, folder: Path, allow_changed: bool) -> None:
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
    from hengfa.data.install import add  # noqa: PLC0415

    entry = load_entry(name)
    _introduce(entry, str(folder))
    with installing(f"adding {entry.name}", entry.size) as progress:
        pack = add(entry, folder, allow_changed=allow_changed, watch=progress.files)
    why = "it differs from upstream" if entry.files else "nobody has pinned its files"
    verified = "verified" if pack.verified else f"NOT verified: {why}"
    click.echo(f"{name}: installed, {verified}, fingerprint {pack.fingerprint}, in {pack.root}")


@command.command("verify")
@click.argument("name", required=False)
@json_option
@click.pass_context
def verify_(context: click.Context, name: str | None, as_json: bool) -> None:
    """Hash the files of the pack NAME, or of all packs, again.

    The exit status is 1 when a file is gone or is not what was installed.

    \b
    Example:
      hengfa data verify
      hengfa data verify lawbench --json
    """
    names = (
        [name]
        if name
        else [known for known in pack_names() if (pack_root(known) / RECEIPT).exists()]
    )
    verifications = [verify(known) for known in names]
    if as_json:
        print_json(verifications)
    else:
        for verification in verifications:
            _print_verification(verification)
        if not verifications:
            click.echo("no pack is installed: see `hengfa data list`", err=True)
    if any(verification.problems for verification in verifications):
        context.exit(1)


def _pull(entry: Entry, base_url: str | None) -> None:
    # the HTTP client is imported by those who pull, so that every other command starts quickly
    from hengfa.data.pull import pull  # noqa: PLC0415

    entry.url_of("", base_url)  # it has a home, or that is said before anything else
    _introduce(entry, show_address(base_url or entry.homepage))
    with installing(f"pulling {entry.name}", entry.size) as progress:
        pulled = pull(
            entry, base_url=base_url, watch=progress.files, watch_archive=progress.archive
        )
    done = f"{pulled.fetched} files fetched" if pulled.fetched else "nothing to fetch"
    click.echo(
        f"{entry.name}: complete and verified, {done}, fingerprint {pulled.pack.fingerprint},"
        f" in {pulled.pack.root}"
    )


def _below(base_url: str, entry: Entry) -> str:
    """Where a mirror of several packs has this one."""
    return f"{base_url.rstrip('/')}/{entry.name}"


def _home(entry: Entry) -> str:
    """Where a pack is pulled from, in a few words."""
    if entry.pull_instead:
        return f"pulled as {' + '.join(entry.pull_instead)}"
    if entry.repository is None or entry.commit is None:
        return "only added"
    return f"{entry.repository}@{entry.commit[:7]}"


def _introduce(entry: Entry, source: str) -> None:
    """Before anything is copied: what it is, whose it is, and under which licence."""
    click.echo(entry.title, err=True)
    click.echo(f"  source   {source}", err=True)
    if entry.commit is not None:
        click.echo(f"  commit   {entry.repository} {entry.commit}", err=True)
    click.echo(f"  licence  {entry.licence}", err=True)
    if entry.files:
        click.echo(f"  size     {len(entry.files)} files, {readable_size(entry.size)}", err=True)
    click.echo(f"  to       {pack_root(entry.name)}", err=True)


def _described(entry: Entry, status: Status) -> dict[str, object]:
    pack = status.pack
    return {
        "name": entry.name,
        "title": entry.title,
        "state": status.state,
        "problem": None if status.problem is None else str(status.problem),
        "verified": None if pack is None else pack.verified,
        "fingerprint": None if pack is None else pack.fingerprint,
        "root": str(status.root),
        "repository": entry.repository,
        "commit": entry.commit,
        "licence": entry.licence,
        "homepage": entry.homepage,
        "pull_instead": list(entry.pull_instead),
        "files": len(entry.files),
        "bytes": entry.size,
    }


def _print_verification(verification: Verification) -> None:
    if verification.problems:
        click.echo(f"{verification.name}: not as it was installed in {verification.root}")
        for problem in verification.problems:
            click.echo(f"  {problem.kind}  {problem.path}: {problem.detail}")
        return
    if verification.deviations:
        click.echo(
            f"{verification.name}: {verification.files} files as they were added, NOT verified:"
            f" {len(verification.deviations)} differ from upstream,"
            f" fingerprint {verification.fingerprint}"
        )
        for path in verification.deviations:
            click.echo(f"  differs  {path}")
        return
    click.echo(
        f"{verification.name}: {verification.files} files verified,"
        f" fingerprint {verification.fingerprint}"
    )
