"""`hengfa world`: the legal world and its tools; making tasks over it is beside it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from hengfa.base.data.jsonfile import decode_json, encode_json, read_lines
from hengfa.base.data.output import whole_file
from hengfa.base.errors import DataError, UsageError
from hengfa.base.options import (
    PORT,
    Place,
    Whole,
    claim,
    force_option,
    json_option,
    names_option,
    print_json,
    seed_option,
)
from hengfa.base.progress import Progress
from hengfa.world.commands.seats import open_seats, open_toolbox, seats_options
from hengfa.world.commands.world_tasks import (
    harbor_,
    matters_,
    output_option,
    review_,
    tasks_,
    world_option,
)

if TYPE_CHECKING:
    from hengfa.world.agents.seats import Seats
    from hengfa.world.tools.catalogue import Mode
    from hengfa.world.tools.toolbox import Toolbox

_declare_option = click.option(
    "--declare",
    metavar="FILE.toml",
    type=Place(exists=True, dir_okay=False),
    help="Tables and tools of your own, which this file declares, beside the published ones.",
)


@click.group()
def command() -> None:
    """The legal world: companies, courts, law firms, judgments and cases in 14 tables, and texts of
    law in 3 collections, reached through 37 tools.

    A world is `recovered` (the benchmark's own, as far as published runs show it), a file that was
    built or imported, or the address of a service.

    \b
    Example:
      hengfa data pull legalagentbench
      hengfa world call get_court_code '{"identifier": "京0108"}'
    """


@command.command("build")
@seed_option("Which world: the same seed gives the same rows everywhere.")
@click.option(
    "--scale",
    type=Whole(1_000, 1_000_000),
    default=10_000,
    metavar="N",
    help="Rows of the fourteen tables in all, from 1,000 to 1,000,000.",
)
@click.option(
    "--law",
    type=click.Choice(["sample", "library"]),
    default="sample",
    help="Articles and knowledge: the fictional law that ships with Hengfa, or the law library.",
)
@output_option("file", "Write the world here.  [default: world-S-N.sqlite]")
@force_option("Replace the file if it exists.")
@_declare_option
@json_option
def build_(
    seed: int, scale: int, law: str, file: Path | None, force: bool, declare: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Make a legal world: fictional companies, courts, law firms, judgments and their law.

    All tables fit together: a case number leads to its court, a subsidiary to its parent, an
    address to its region. The three collections of texts come on top of the N rows.

    \b
    Example:
      hengfa world build --seed 7 --scale 10000 -o world.sqlite
      hengfa world build --declare contracts.toml -o mine.sqlite
    """
    # the generator is imported by those who build
    from hengfa.base.data.packs import sample_root  # noqa: PLC0415
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415
    from hengfa.world.generator.build import build_world  # noqa: PLC0415
    from hengfa.world.generator.law import library_law, sample_law  # noqa: PLC0415
    from hengfa.world.tables.importing import read_declared  # noqa: PLC0415

    own = read_declared(declare) if declare else None
    file = claim(file or Path(f"world-{seed}-{scale}.sqlite"), force=force)
    with (
        sample_law(sample_root()) if law == "sample" else library_law() as source,
        counting("writing rows") as watch,
    ):
        built = build_world(file, seed, scale, source, watch, own)
    if as_json:
        print_json(built)
        return
    for name, rows in {**built.tables, **built.corpora}.items():
        click.echo(f"  {name:<20}{rows:>9,}")
    rows, texts = sum(built.tables.values()), sum(built.corpora.values())
    click.echo(f"{rows:,} rows and {texts:,} texts, law: {built.law}, in {built.file}")
    click.echo(f"fingerprint {built.fingerprint}")


@command.command("import")
@click.argument("source", type=Place(exists=True), required=False)
@output_option("file", "Write the world here.", required=True)
@force_option("Replace the file if it exists.")
@_declare_option
def import_(source: Path | None, file: Path, force: bool, declare: Path | None) -> None:
    """Make a world from your own tables.

    SOURCE is a workbook with a sheet for each table, or a folder with a CSV
    file for each (CompanyInfo.csv, …) and texts as JSON lines with `contents` (LegalArticle.jsonl).
    The columns are those of the published tables; tables that are not there stay empty. With
    --declare come tables with columns and tools of your own, from the files that it names.

    \b
    Example:
      hengfa world import tables/ -o mine.sqlite
      hengfa world import tables.xlsx -o mine.sqlite
      hengfa world import --declare contracts.toml -o mine.sqlite
    """
    from hengfa.world.tables.importing import import_world  # noqa: PLC0415
    from hengfa.world.tables.world import World  # noqa: PLC0415

    import_world(source, claim(file, force=force), declare)
    with World.open(file) as world:
        rows = sum(world.count(table.name) for table in world.schema.tables)
        click.echo(f"{file}: {rows:,} rows, fingerprint {world.fingerprint}")


@command.command("stats")
@world_option
@json_option
def stats_(name: str, as_json: bool) -> None:
    """Count the rows of every table, and the cells that were never observed.

    \b
    Example:
      hengfa world stats
      hengfa world stats --world mine.sqlite --json
    """
    from hengfa.world.opening import open_local  # noqa: PLC0415
    from hengfa.world.tables.schema import CORPORA  # noqa: PLC0415

    with open_local(name) as world:
        tables = {
            table.name: {
                "rows": world.count(table.name),
                "cells": world.count(table.name) * len(table.names),
                "unobserved": world.unobserved(table.name),
                "official_rows": table.official_rows,
            }
            for table in world.schema.tables
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


@command.command("texts")
@click.argument("collection")
@world_option
@output_option("file", required=True)
@force_option("Replace the file if it exists.")
def texts_(collection: str, name: str, file: Path, force: bool) -> None:
    """Write a collection of texts as JSON lines, of which `hengfa retrieve build` makes an index.

    COLLECTION is LegalArticle, LegalCases or LegalKnowledge. Agents search an index by `hengfa eval
    legalagentbench --set retriever=DIR`, where DIR/COLLECTION is the index.

    \b
    Example:
      hengfa world texts LegalArticle -o articles.jsonl
      hengfa retrieve build articles.jsonl -o indexes/LegalArticle --method bm25-words
    """
    from hengfa.world.opening import open_local  # noqa: PLC0415

    with open_local(name) as world:
        texts = list(world.texts(collection))
    with whole_file(claim(file, force=force)) as stream:
        for number, text in enumerate(texts, start=1):
            stream.write(encode_json({"id": str(number), "text": text}) + b"\n")
    click.echo(f"{len(texts):,} texts, in {file}")


@command.command("call")
@click.argument("tool", required=False)
@click.argument("arguments", metavar="[JSON]", required=False)
@click.option(
    "--world",
    "name",
    default="recovered",
    metavar="recovered|FILE|URL",
    help="A service's key is read from HENGFA_WORLD_KEY.",
)
@click.option(
    "--mode",
    type=click.Choice(["strict", "helpful"]),
    default="strict",
    help="Answer as the published tools did, or with typed JSON, paging and advice.",
)
@click.option(
    "--batch",
    type=Place(exists=True, dir_okay=False),
    help='JSON lines {"tool": …, "arguments": …} instead of one call.',
)
@output_option("output", "With --batch: write here instead of printing.")
@force_option("Replace the file if it exists.")
@click.option("--tools", "listed", is_flag=True, help="List the tools of this mode and stop.")
def call_(
    tool: str | None,
    arguments: str | None,
    name: str,
    mode: Mode,
    batch: Path | None,
    output: Path | None,
    force: bool,
    listed: bool,
) -> None:
    """Call TOOL with arguments in JSON and print what an agent would see.

    With --batch every line comes back with `observation` and `status` added, in order.

    \b
    Example:
      hengfa world call get_court_code '{"identifier": "京0108", "columns": ["法院名称"]}'
      hengfa world call --batch calls.jsonl -o answers.jsonl --mode helpful
    """
    if listed + (batch is not None) + (tool is not None) != 1:
        raise UsageError("give a TOOL, or --batch FILE, or --tools")
    if output is not None:
        claim(output, force=force)
    with ExitStack() as stack:
        toolbox = open_toolbox(name, mode, stack)
        if listed:
            click.echo(toolbox.described())
            return
        if batch is None:
            try:
                seen = toolbox.call(tool, decode_json(arguments or "{}"))
            except msgspec.DecodeError as error:
                raise UsageError(f"the arguments are not JSON: {error}") from error
            click.echo(seen.text)
            if seen.status != "ok":
                click.echo(seen.status, err=True)
            if seen.unobserved:
                click.echo(f"{seen.unobserved} cells were never observed", err=True)
            return
        from hengfa.base.terminal.progress import counting  # noqa: PLC0415

        answers = _answer_lines(toolbox, batch, stack.enter_context(counting("calls")))
        if output is None:
            for line in answers:
                click.echo(line, nl=False)
            return
        with whole_file(output) as stream:
            stream.writelines(line.encode() for line in answers)


@command.command("serve")
@click.option(
    "--world",
    "name",
    metavar="recovered|FILE|URL",
    help="[default: recovered, with --tasks the world that belongs to them]",
)
@click.option("--mode", type=click.Choice(["strict", "helpful"]), default="strict")
@click.option("--port", type=PORT, default=8320)
@click.option(
    "--host",
    default="127.0.0.1",
    help="There is no key: whoever reaches the address can read the world.",
)
@names_option
@seats_options
def serve_(
    name: str | None, mode: Mode, port: int, host: str, names: tuple[str, ...],
    tasks: str | None, record: Path | None,
) -> None:  # fmt: skip
    """Serve the tools of a world over HTTP until interrupted.

    The published interface: POST the arguments as JSON to /TOOL. GET / lists the tools, and
    /openapi.json describes them. With --tasks the same is below /tasks/ID, where GET gives the
    question, `finish` hands in the answer, and every call goes on record.

    \b
    Example:
      hengfa world serve --world world.sqlite --port 8320
      curl -d '{"identifier": "京0108"}' http://127.0.0.1:8320/get_court_code
      hengfa world serve --tasks sample --record records/my-agent
    """
    with ExitStack() as stack, contextlib.suppress(KeyboardInterrupt):
        seats = open_seats(tasks, record, mode, name)
        toolbox = seats.toolbox if seats else open_toolbox(name or "recovered", mode, stack)
        asyncio.run(_serve(toolbox, seats, host, port, names))


for _made in (tasks_, harbor_, matters_, review_):
    command.add_command(_made)


def _answer_lines(toolbox: Toolbox, batch: Path, watch: Progress) -> Iterator[str]:
    with batch.open("rb") as stream:
        total = sum(1 for _ in stream)
    for number, line in read_lines(batch, dict[str, Any]):
        if not isinstance(line.get("tool"), str):
            raise DataError("the name of a tool is missing", file=batch, row=number, field="tool")
        observed = toolbox.call(line["tool"], line.get("arguments", {}))
        line |= {"observation": observed.text, "status": observed.status}
        if observed.unobserved:
            line["unobserved"] = observed.unobserved
        if number % 100 == 0:
            watch(number, total)
        yield msgspec.json.encode(line).decode() + "\n"


async def _serve(
    toolbox: Toolbox, seats: Seats | None, host: str, port: int, names: tuple[str, ...]
) -> None:
    from hengfa.world.agents.served import serving  # noqa: PLC0415

    async with serving(toolbox, host, port, names, seats) as address:
        tasks = f", {len(seats.questions)} tasks at {address}/tasks" if seats else ""
        click.echo(f"{len(toolbox.names)} tools at {address}{tasks}; Ctrl-C ends it", err=True)
        await asyncio.Event().wait()
