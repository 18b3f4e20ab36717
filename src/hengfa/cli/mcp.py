"""`hengfa mcp`: the law as tools for agents."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from pathlib import Path

import click

from hengfa.cli.options import PORT, library_option, say
from hengfa.errors import MissingExtra, UsageError
from hengfa.library.store import Library

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
@click.option(
    "--allow-host",
    "names",
    metavar="NAME",
    multiple=True,
    help="With --http: a name or address by which others reach this machine; --host need not be"
    " named.",
)
@library_option
def command(
    http: bool, port: int | None, host: str | None, names: tuple[str, ...], file: Path | None
) -> None:
    """Offer the law library to agents, by the Model Context Protocol (MCP).

    Tools: a provision on a day, versions of a law, history and successors of a provision, search,
    checking citations and case numbers, parsing judgments. A client starts this command and talks
    to it over standard input and output; with --http it listens on this machine, at /mcp, until
    interrupted. Needs an optional part: pip install "hengfa[mcp]".

    \b
    Example:
      hengfa mcp
      hengfa mcp --http --port 8322
    """
    if not http and (port is not None or host is not None or names):
        raise UsageError("--port, --host and --allow-host go with --http")
    try:
        from hengfa.desk.mcp_server import serve_stdio  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("mcp", "hengfa mcp") from error
    with Library.open(file) as library, contextlib.suppress(KeyboardInterrupt):
        if http:
            asyncio.run(_listen(library, host or _HOST, _PORT if port is None else port, names))
        else:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a read of standard input is not woken
            asyncio.run(serve_stdio(library))


async def _listen(library: Library, host: str, port: int, names: tuple[str, ...]) -> None:
    from hengfa.desk.mcp_server import serving  # noqa: PLC0415 - an extra

    try:
        async with serving(library, host, port, names) as address:
            say(f"the law as tools at {address}; Ctrl-C ends it")
            await asyncio.Event().wait()
    except (OSError, ValueError) as error:  # the latter of what is no address
        why = error.strerror if isinstance(error, OSError) else None
        raise UsageError(f"cannot listen on {host}:{port}: {why or error}") from error
