"""`hengfa mcp`: the law as tools for agents."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hengfa.base.errors import MissingExtra, UsageError
from hengfa.base.options import PORT, library_option, names_option, say
from hengfa.law.library.store import Library, default_file
from hengfa.world.commands.seats import open_seats, open_toolbox, seats_options

if TYPE_CHECKING:
    from hengfa.law.desk.mcp_server import OfferedWorld
    from hengfa.world.tools import Mode

_HOST = "127.0.0.1"
_PORT = 8322


@click.command()
@click.option("--http", is_flag=True, help="Listen for clients, instead of being started by one.")
@click.option("--port", type=PORT, help=f"With --http.  [default: {_PORT}]")
@click.option(
    "--host",
    metavar="ADDRESS",
    help=f"With --http. There is no key: whoever reaches the address can ask.  [default: {_HOST}]",
)
@names_option
@click.option(
    "--world",
    "name",
    metavar="recovered|FILE|URL",
    help="Offer the tools of a legal world beside the law's; these then need no library.",
)
@click.option(
    "--mode",
    type=click.Choice(["strict", "helpful"]),
    default="helpful",
    help="With a world: answer as the published tools did, or with typed JSON, paging and advice.",
)
@seats_options
@click.option(
    "--task",
    metavar="ID",
    envvar="HENGFA_TASK",
    help="With --tasks: which of them this client works on (also HENGFA_TASK); with --http the"
    " address says it, /tasks/ID/mcp.",
)
@library_option
def command(
    http: bool, port: int | None, host: str | None, names: tuple[str, ...], name: str | None,
    mode: Mode, tasks: str | None, record: Path | None, task: str | None, file: Path | None,
) -> None:  # fmt: skip
    """Offer the law library to agents, by the Model Context Protocol (MCP).

    Tools: a provision on a day, versions of a law, history and successors of a provision, search,
    checking citations and case numbers, parsing judgments. A client starts this command and talks
    to it over standard input and output; with --http it listens on this machine, at /mcp, until
    interrupted. Needs the optional part `mcp`.

    With --world, those of a legal world too. With --tasks a connection is a task: `read_task` gives
    its question, `finish` hands in the answer, and every call goes on record.

    \b
    Example:
      hengfa mcp
      hengfa mcp --http --port 8322
      hengfa mcp --http --tasks sample --record records/my-agent
      hengfa mcp --tasks sample --record records/my-agent --task 1
    """
    if not http and (port is not None or host is not None or names):
        raise UsageError("--port, --host and --allow-host go with --http")
    _check_task(tasks, task, http=http)
    try:
        from hengfa.law.desk.mcp_server import serve_stdio  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("mcp", "hengfa mcp") from error
    with ExitStack() as stack, contextlib.suppress(KeyboardInterrupt):
        world = _open_world(name, mode, tasks, record, task, stack)
        needed = world is None or file is not None or default_file().is_file()
        library = stack.enter_context(Library.open(file)) if needed else None
        if http:
            address = host or _HOST, _PORT if port is None else port
            asyncio.run(_listen(library, world, *address, names))
        else:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a read of standard input is not woken
            asyncio.run(serve_stdio(library, world))


def _check_task(tasks: str | None, task: str | None, *, http: bool) -> None:
    if task is not None and (tasks is None or http):
        raise UsageError("--task goes with --tasks and without --http, where the address says it")
    if tasks is not None and task is None and not http:
        raise UsageError(
            "--tasks: which of them is the client's? Say it with --task, or use --http"
        )


def _open_world(
    name: str | None,
    mode: Mode,
    tasks: str | None,
    record: Path | None,
    task: str | None,
    stack: ExitStack,
) -> OfferedWorld | None:
    from hengfa.law.desk.mcp_server import OfferedWorld  # noqa: PLC0415 - an extra

    seats = open_seats(tasks, record, mode, name)
    if seats is not None:
        return OfferedWorld(seats.toolbox, seats, seats.seat(task).id if task else "")
    return OfferedWorld(open_toolbox(name, mode, stack)) if name else None


async def _listen(
    library: Library | None,
    world: OfferedWorld | None,
    host: str,
    port: int,
    names: tuple[str, ...],
) -> None:
    from hengfa.law.desk.mcp_server import serving  # noqa: PLC0415 - an extra

    async with serving(library, host, port, names, world) as address:
        what = "the law" if world is None else "a world" if library is None else "law and world"
        say(f"{what} as tools at {address}; Ctrl-C ends it")
        await asyncio.Event().wait()
