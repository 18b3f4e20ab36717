"""Brings a pack here for a person: says what it is and whose, pulls it, and shows how far it is."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import click

from hengfa.base.data.catalogue import Entry, Source, load_entry
from hengfa.base.data.packs import pack_root
from hengfa.base.errors import UsageError, counted
from hengfa.base.hooks import load, offered
from hengfa.base.options import Place
from hengfa.base.secrets import show_address
from hengfa.base.terminal.progress import installing, readable_size

parts_option = click.option(
    "--with", "parts", metavar="PART", multiple=True, help="Also this part of the pack."
)
from_option = click.option(
    "--from",
    "folder",
    metavar="DIR",
    type=Place(exists=True, file_okay=False),
    help="Take the sources from here instead of the network: REPOSITORY-COMMIT as a folder, "
    ".tar.gz, .tar.xz or .zip.",
)
mirror_option = click.option(
    "--base-url",
    metavar="URL",
    help="A mirror with the upstream layout: https://…, or http:// on this machine.",
)


def bring(
    name: str, parts: Collection[str], folder: Path | None, base_url: str | None, *, again: str
) -> None:
    """Pull a pack, say what is done, and by which command it goes on if it is stopped."""
    # the HTTP client is imported by those who pull, so that every other command starts quickly
    from hengfa.base.data.pull import Where, derivation_of, pull  # noqa: PLC0415

    entry = load_entry(name)
    if not entry.sources:
        raise UsageError(
            f"{name!r} is the pack of a private suite: `hengfa data add {name} DIR` takes it"
        )
    if base_url is not None and folder is not None:
        raise UsageError("--from and --base-url are two places: name one")
    introduce(entry, show_address(base_url or str(folder or entry.homepage)), parts)
    try:
        with installing(f"pulling {name}", to_fetch(entry, parts)) as progress:
            pulled = pull(
                entry,
                where=Where(base_url, folder),
                derivation=derivation_of(name),
                parts=parts,
                watch=progress,
            )
    except KeyboardInterrupt:
        click.echo(f"stopped: `{again}` goes on from here", err=True)
        raise
    digests = offered("digests")
    if name in digests:
        load(digests[name])(pulled.pack.root)
    done = f"{counted(pulled.fetched, 'file')} fetched" if pulled.fetched else "nothing to fetch"
    click.echo(
        f"{name}: complete and verified, {done}, fingerprint {pulled.pack.fingerprint},"
        f" in {pulled.pack.root}"
    )


def introduce(entry: Entry, origin: str, parts: Collection[str] = ()) -> None:
    """Before anything is copied: what it is, whose it is, and under which licence."""
    click.echo(entry.title, err=True)
    click.echo(f"  source   {origin}", err=True)
    needed: dict[str, list[Source]] = {}
    for source in entry.sources:
        if any(pin.part in {"", *parts} for pin in source.files):
            needed.setdefault(source.repository, []).append(source)
    for repository, (*others, last) in needed.items():
        at = f"at {len(others) + 1} commits" if others else last.commit[:12]
        click.echo(f"  from     {repository} {at} ({last.licence})", err=True)
    click.echo(f"  licence  {entry.licence}", err=True)
    if entry.sources:
        pins = [p for s in entry.sources for p in s.files if p.part in {"", *parts}]
        unknown = sum(pin.size is None for pin in pins)
        more = f", and {unknown} of unknown size" if unknown else ""
        size = readable_size(to_fetch(entry, parts))
        click.echo(f"  size     {counted(len(pins) - unknown, 'file')}, {size}{more}", err=True)
    click.echo(f"  to       {pack_root(entry.name)}", err=True)


def to_fetch(entry: Entry, parts: Collection[str]) -> int:
    """Bytes of what is needed of the sources, as far as that is known beforehand."""
    pins = (pin for source in entry.sources for pin in source.files)
    return sum(pin.size or 0 for pin in pins if pin.part in {"", *parts})
