"""`hengfa law show`, `history` and `search`: look things up in the law library."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime
from pathlib import Path

import click

from hengfa.cli.options import json_option, print_json, say
from hengfa.errors import HengfaError, UsageError
from hengfa.law.citation_positions import format_citation
from hengfa.library import lookup
from hengfa.library.history import show as show_difference
from hengfa.library.lookup import LookedUp, existing, look_up, read_position
from hengfa.library.model import Law, LawKind, Version
from hengfa.library.names import find_law
from hengfa.library.store import Library
from hengfa.library.versions import FoundVersion, Reading, read_date

KINDS: tuple[LawKind, ...] = ("statute", "constitution", "interpretation", "amendment", "decision")


class Day(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A date as people write it in ISO form."""

    name = "date"

    def convert(
        self, value: object, parameter: click.Parameter | None, context: click.Context | None
    ) -> date:
        if isinstance(value, date):
            return value
        try:
            return date.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is no day; write it as 2021-01-01", parameter, context)


library_option = click.option(
    "--library",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The library file.  [default: law.sqlite in ~/.hengfa or HENGFA_HOME]",
)
as_of_option = click.option(
    "--as-of", type=Day(), metavar="DATE", help="The version in force on that day."
)
kind_option = click.option(
    "--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Only laws of this kind."
)


@click.command("show")
@click.argument("name")
@click.argument("position", required=False)
@as_of_option
@click.option(
    "--version",
    "--promulgated",
    "version",
    type=Day(),
    metavar="DATE",
    help="The version promulgated on exactly that day.",
)
@click.option(
    "--latest-by", type=Day(), metavar="DATE", help="The latest version promulgated up to that day."
)
@library_option
@json_option
@click.pass_context
def show(
    context: click.Context,
    name: str,
    position: str | None,
    as_of: date | None,
    version: date | None,
    latest_by: date | None,
    file: Path | None,
    as_json: bool,
) -> None:
    """Show a provision of the law NAME, or what is known of the law.

    POSITION is 27, 27.2 (paragraph), 27.2.1 (item), 133-1.2 (第一百三十三条之一), 27..1 (an item
    without a paragraph), or as lawyers write it: 第二十七条第二款第（一）项. Without a date the
    version in force today is shown.

    \b
    Example:
      hengfa law show 民法典
      hengfa law show 民法典 27.2.1 --as-of 2021-01-01
      hengfa law show 行政诉讼法 第十一条 --version 2017-06-27
    """
    reading, on = _reading(as_of, version, latest_by)
    with Library.open(file) as library:
        law = find_law(library, name)
        if position is None and not (as_of or version or latest_by):
            _print_law(library, law, as_json=as_json)
            return
        where = None if position is None else read_position(position)
        found = look_up(library, law, where, on, reading)
    if as_json:
        print_json(found)
        context.exit(0 if isinstance(found.answer, FoundVersion) else 1)
    if not isinstance(found.answer, FoundVersion):
        raise HengfaError(lookup.why_not(law, found.answer))
    _print_provision(found, found.answer.version)
    doubt = "" if found.answer.sure else f" — not certain: {found.answer.note}"
    click.echo(f"reading: {reading} {on}{doubt}")
    for other in found.other_readings:
        click.echo(f"  differs: {other}")


@click.command("history")
@click.argument("name")
@click.argument("position")
@click.option(
    "--version",
    type=Day(),
    metavar="DATE",
    help="POSITION is that of the version promulgated on this day.  [default: the latest at hand]",
)
@click.option("--full", is_flag=True, help="Print the whole text also where nothing changed.")
@library_option
@json_option
def history(
    name: str, position: str, version: date | None, full: bool, file: Path | None, as_json: bool
) -> None:
    """Follow one provision through all versions of its law.

    Where it was given another number it is found by its text. [-words-] were struck out, {+words+}
    were put in.

    \b
    Example:
      hengfa law history 公司法 57
      hengfa law history 民事诉讼法 43.3 --version 2017-06-27
    """
    from hengfa.library.history import history as follow  # noqa: PLC0415

    with Library.open(file) as library:
        law = find_law(library, name)
        start = _start(library, law, version)
        where = existing(library, start, read_position(position))
        steps = follow(library, law, start, where)
        if as_json:
            print_json({"law": law.name, "steps": steps})
            return
        click.echo(law.name)
        for step in steps:
            for gap in step.missing:
                click.echo(f"\n{gap.promulgated}  {gap.event}; its text is not in the library")
            place = (
                "does not have it"
                if step.position is None
                else format_citation(None, step.position)
            )
            click.echo(f"\n{step.version.promulgated}  {step.version.event}  {place}")
            if step.changes:
                click.echo(indented(show_difference(step.changes, colours=sys.stdout.isatty())))
            elif step.position and (step.similarity is None or full):
                click.echo(indented(step.text))
            elif step.position:
                click.echo("  unchanged")


@click.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--law", "name", metavar="NAME", help="Only in this law.")
@kind_option
@as_of_option
@click.option("--all-versions", is_flag=True, help="In every version, not only in today's law.")
@click.option("--limit", type=click.IntRange(1, 1000), default=10, show_default=True, metavar="N")
@library_option
@json_option
def search(
    words: tuple[str, ...],
    name: str | None,
    kinds: tuple[LawKind, ...],
    as_of: date | None,
    all_versions: bool,
    limit: int,
    file: Path | None,
    as_json: bool,
) -> None:
    """Find provisions by their words, or by a question.

    A phrase is found wherever it stands; several words may stand anywhere in a provision; a
    question finds what shares most with it. What is in force today is searched, unless a day is
    given.

    \b
    Example:
      hengfa law search 故意伤害他人身体
      hengfa law search 试用期最长多久 --law 劳动合同法
    """
    from hengfa.library.search import search as find  # noqa: PLC0415

    if all_versions and as_of:
        raise UsageError("--all-versions and --as-of exclude each other")
    on = None if all_versions else as_of or _today()
    with Library.open(file) as library:
        law = find_law(library, name) if name else None
        hits = find(library, " ".join(words), limit=limit, law=law, kinds=kinds, on=on)
        if as_json:
            print_json({"query": " ".join(words), "on": on, "hits": hits})
            return
        for hit in hits:
            more = f"  and {hit.elsewhere} other places" if hit.elsewhere else ""
            click.echo(f"{format_citation(hit.version.law, hit.position)}")
            click.echo(f"  {hit.version.promulgated}  {' › '.join(hit.headings)}{more}")
            click.echo(indented(hit.text) + "\n")
        if not hits:
            say("nothing found; fewer words, or --all-versions, may find more")


def _print_provision(found: LookedUp, version: Version) -> None:
    """As a lawyer reads it."""
    click.echo(f"{found.law}\n  {lookup.describe(version)}\n  from {found.source}")
    if found.headings:
        click.echo(f"  {' › '.join(found.headings)}")
    if found.cited:
        click.echo(f"\n{found.cited}")
    elif not found.text:
        click.echo(f"  {version.articles} articles: name one of them")
    if found.text:
        click.echo(indented(found.text) + "\n")


def _print_law(library: Library, law: Law, *, as_json: bool) -> None:
    if as_json:
        shelf = library.shelf
        calendar, repeals = shelf.calendar.get(law.name, ()), shelf.repeals.get(law.name, ())
        print_json(
            {"law": law, "versions": library.versions(law)}
            | {"calendar": calendar, "repeals": repeals}
        )
        return
    click.echo(f"{law.name} ({law.kind})")
    for line in lookup.calendar_lines(library, law):
        click.echo(f"  {line}")


def _reading(
    as_of: date | None, version: date | None, latest_by: date | None
) -> tuple[Reading, date]:
    readings: tuple[tuple[Reading, date | None], ...] = (
        ("in force on", as_of),
        ("promulgated on", version),
        ("latest by", latest_by),
    )
    given = [(reading, on) for reading, on in readings if on is not None]
    if len(given) > 1:
        raise UsageError("a date has one reading: give --as-of, --version or --latest-by")
    return given[0] if given else ("in force on", _today())


def _start(library: Library, law: Law, promulgated: date | None) -> Version:
    """The version from which a history is followed."""
    if promulgated is None:
        return library.versions(law)[-1]
    answer = read_date(library, law, promulgated, "promulgated on")
    if not isinstance(answer, FoundVersion):
        raise HengfaError(lookup.why_not(law, answer))
    return answer.version


def indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))


def _today() -> date:
    return datetime.now(UTC).astimezone().date()
