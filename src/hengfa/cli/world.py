"""`hengfa world`: the legal world and its tools."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.cli.options import json_option, print_json
from hengfa.cli.world_build import build_
from hengfa.cli.world_call import call
from hengfa.cli.world_serve import serve
from hengfa.cli.world_tasks import tasks_


@click.group()
def command() -> None:
    """The legal world: companies, courts, law firms, judgments and cases in 14 tables, and texts of
    law in 3 collections, reached through 37 tools.

    A world is `recovered` (the benchmark's own, as far as published runs show it), a file that was
    built or imported, or the address of a service.

    \b
    Example:
      hengfa data add legalagentbench DIR
      hengfa world call get_court_code '{"identifier": "京0108"}'
    """


command.add_command(build_)
command.add_command(call)
command.add_command(serve)
command.add_command(tasks_)


@command.command("import")
@click.argument("source", type=click.Path(exists=True, path_type=Path))
@click.option(
    "-o",
    "--output",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="Write the world here.",
)
def import_(source: Path, file: Path) -> None:
    """Make a world from your own tables.

    SOURCE is a workbook with a sheet for each table (needs the extra xlsx), or a folder with a CSV
    file for each (CompanyInfo.csv, …) and texts as JSON lines with `contents` (LegalArticle.jsonl).
    The columns are those of the published tables; tables that are not there stay empty.

    \b
    Example:
      hengfa world import tables/ -o mine.sqlite
      hengfa world import tables.xlsx -o mine.sqlite
    """
    from hengfa.world.importing import import_world  # noqa: PLC0415

    import_world(source, file)
    click.echo(f"{file}: {_size(file)}")


@command.command("stats")
@click.option("--world", "name", default="recovered", show_default=True, metavar="recovered|FILE")
@json_option
def stats_(name: str, as_json: bool) -> None:
    """Count the rows of every table, and the cells that were never observed.

    \b
    Example:
      hengfa world stats
      hengfa world stats --world mine.sqlite --json
    """
    from hengfa.world.opening import open_local  # noqa: PLC0415
    from hengfa.world.schema import CORPORA, TABLES  # noqa: PLC0415

    with open_local(name) as world:
        tables = {
            table.name: {
                "rows": world.count(table.name),
                "cells": world.count(table.name) * len(table.names),
                "unobserved": world.unobserved(table.name),
                "official_rows": table.official_rows,
            }
            for table in TABLES
        }
        texts = {corpus.name: world.count(corpus.name) for corpus in CORPORA}
        about = {"file": str(world.path), "fingerprint": world.fingerprint, **world.meta}
    if as_json:
        print_json({**about, "tables": tables, "texts": texts})
        return
    click.echo(f"{about['file']}: {about['source']}, fingerprint {about['fingerprint']}")
    if about["note"]:
        click.echo(about["note"])
    click.echo(f"{'':<20}{'rows':>10}{'cells':>12}{'unobserved':>12}{'official rows':>15}")
    for table, counted in tables.items():
        cells = f"{counted['cells']:>12,}{counted['unobserved']:>12,}"
        click.echo(f"{table:<20}{counted['rows']:>10,}{cells}{counted['official_rows']:>15,}")
    for corpus, number in texts.items():
        click.echo(f"{corpus:<20}{number:>10,}")


def _size(file: Path) -> str:
    from hengfa.world.schema import TABLES  # noqa: PLC0415
    from hengfa.world.world import World  # noqa: PLC0415

    with World.open(file) as world:
        rows = sum(world.count(table.name) for table in TABLES)
        return f"{rows:,} rows, fingerprint {world.fingerprint}"
