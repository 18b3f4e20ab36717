"""`hengfa law`: build the law library, and look things up in it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import click

from hengfa.cli import law_look
from hengfa.cli.law_look import Day, indented, kind_option, library_option
from hengfa.cli.options import json_option, print_json, say
from hengfa.errors import UsageError
from hengfa.library.model import STATUTES, LawKind
from hengfa.library.names import find_law
from hengfa.library.stats import Count, count
from hengfa.library.store import Library, default_file

SECONDS_BEFORE_PROGRESS = 2.0
SAMPLE = "sample"


@click.group()
def command() -> None:
    """The law itself: build the library of statutes, and look things up in it.

    A date can mean three things, and every answer says which it took: the version in force on that
    day (--as-of), the version promulgated on exactly that day (--version), or the latest one
    promulgated up to it (--latest-by). A version whose text is not at hand is answered "unknown".

    \b
    Example:
      hengfa data add statutes DIR
      hengfa law build
      hengfa law show 民法典 27.2.1 --as-of 2021-01-01
    """


@command.command("build")
@click.argument("folders", metavar="[DIR]...", nargs=-1)
@click.option(
    "-o",
    "--output",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the library here.  [default: law.sqlite in ~/.hengfa or HENGFA_HOME]",
)
@json_option
def build_(folders: tuple[str, ...], file: Path | None, as_json: bool) -> None:
    """Build the library from installed packs, or from the folders DIR.

    A folder has statutes.jsonl.gz and its companions, JSON lines with the fields law, version,
    event, effective, kind and text, or Markdown pages as in the repositories ImCa0/just-laws and
    X-STORAGE/Laws. `sample` is the fictional law that ships with Hengfa.

    \b
    Example:
      hengfa law build
      hengfa law build just-laws Laws -o both.sqlite
    """
    # the parser is imported by those who build
    from hengfa.library.building.build import build_library, installed_sources  # noqa: PLC0415
    from hengfa.library.building.sources import SourceFolder  # noqa: PLC0415

    sources = [SourceFolder(_folder(name)) for name in folders] or installed_sources()
    with _progress() as watch:
        built = build_library(sources, file or default_file(), say, watch)
    if as_json:
        print_json(built)
        return
    click.echo(
        f"{built.statutes} statutes in {built.statute_versions} versions: {built.articles:,}"
        f" articles, {built.leaves:,} leaves; {built.laws - built.statutes} other laws,"
        f" in {built.file}"
    )
    if built.remarks:
        say(f"{built.remarks:,} lines, rows and files are no law or not placed: hengfa law report")


for look in (law_look.show, law_look.history, law_look.search):
    command.add_command(look)


@command.command("stats")
@click.option(
    "--until", type=Day(), metavar="DATE", help="Only versions promulgated up to that day."
)
@library_option
@json_option
def stats_(until: date | None, file: Path | None, as_json: bool) -> None:
    """Count laws, versions, articles and leaves.

    \b
    Example:
      hengfa law stats
      hengfa law stats --until 2025-04-08 --json
    """
    with Library.open(file) as library:
        found = count(library, until)
    if as_json:
        print_json(found)
        return
    click.echo(f"{found.file}, fingerprint {found.fingerprint}")
    for kind, counted in {"statutes": found.statutes, **found.kinds}.items():
        click.echo(_counted("statutes and constitution" if kind == "statutes" else kind, counted))
    click.echo(f"{found.several_versions} statutes are at hand in several versions. The calendar")
    click.echo(
        f"knows {found.occasions} versions of statutes, of which {found.at_hand} are at hand;"
    )
    click.echo(f"{found.effective_later} of these took effect after they were promulgated.")
    sure = ", ".join(f"{number} {how}" for how, number in found.sure.items())
    click.echo(f"How well the entry into force is known: {sure}.")


@command.command("export")
@click.option(
    "--format", "layout", type=click.Choice(["jsonl"]), default="jsonl", show_default=True
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Instead of printing."
)
@click.option("--law", "name", metavar="NAME", help="Only this law.")
@kind_option
@click.option("--role", type=click.Choice(["leaf", "lead"]), help="Only leaves, or only leads.")
@library_option
def export_(
    layout: str,
    output: Path | None,
    name: str | None,
    kinds: tuple[LawKind, ...],
    role: str | None,
    file: Path | None,
) -> None:
    """Write all provisions of the statutes, one a line.

    The fields are law, version, article, article_sub, paragraph, item, role and text.

    \b
    Example:
      hengfa law export --format jsonl -o statutes.jsonl
    """
    from hengfa.data.jsonfile import write_atomically  # noqa: PLC0415
    from hengfa.library.export import exported  # noqa: PLC0415

    del layout  # there is one
    with Library.open(file) as library:
        laws = [find_law(library, name)] if name else library.laws(*(kinds or STATUTES))
        versions = [version for law in laws for version in library.versions(law)]
        lines = exported(library, versions, "leaf" if role == "leaf" else "lead" if role else None)
        if output is None:
            for line in lines:
                click.echo(line.decode(), nl=False)
            return
        content = list(lines)
    write_atomically(output, b"".join(content))
    say(f"{len(content):,} provisions of {len(versions)} versions in {output}")


@command.command("report")
@click.option("--reason", metavar="WORDS", help="Only remarks whose reason has these words.")
@click.option("--limit", type=click.IntRange(0), default=40, show_default=True, metavar="N")
@library_option
@json_option
def report_(reason: str | None, limit: int, file: Path | None, as_json: bool) -> None:
    """List what the build could not place or read: every line, with its file and the reason.

    \b
    Example:
      hengfa law report --reason "out of sequence"
    """
    with Library.open(file) as library:
        remarks = [one for one in library.remarks() if not reason or reason in one.reason]
        reasons = count(library).remarks
    if as_json:
        print_json(remarks)
        return
    for why, number in reasons.items():
        if not reason or reason in why:
            click.echo(f"{number:>7,}  {why}")
    for one in remarks[:limit]:
        row = "" if one.row is None else f", row {one.row}"
        line = "" if one.line is None else f", line {one.line}"
        law = f" ({one.law} {one.promulgated})" if one.law else ""
        click.echo(f"\n{one.file}{row}{line}{law}: {one.reason}")
        if text := " ".join(one.text.split()):
            click.echo(indented(text[:200]))
    if len(remarks) > limit:
        say(f"{len(remarks) - limit:,} more: --limit {len(remarks)}")


def _counted(kind: str, counted: Count) -> str:
    return (
        f"  {kind:<26}{counted.laws:>6,} laws {counted.versions:>6,} versions"
        f" {counted.articles:>8,} articles {counted.leaves:>8,} leaves {counted.leads:>7,} leads"
    )


def _folder(name: str) -> Path:
    if name == SAMPLE:
        from hengfa.suites.plan import sample_root  # noqa: PLC0415

        return sample_root() / "claw"
    path = Path(name)
    if not path.exists():
        raise UsageError(f"{name!r} is neither a folder nor 'sample'")
    return path


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """On standard error how many texts are read, once it takes more than a moment."""
    shown = time.monotonic() + SECONDS_BEFORE_PROGRESS
    terminal = sys.stderr.isatty()

    def watch(done: int, of: int) -> None:
        nonlocal shown
        if time.monotonic() >= shown:
            shown = time.monotonic() + (0.2 if terminal else 3.0)
            end = "\r" if terminal else "\n"
            click.echo(f"reading {done:,} of {of:,} texts{end}", err=True, nl=False)

    yield watch
    if terminal:
        click.echo("\x1b[K", err=True, nl=False)
