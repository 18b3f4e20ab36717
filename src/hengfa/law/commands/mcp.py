"""`hengfa mcp`: the law as tools for agents."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from hengfa.base.errors import MissingExtra, UsageError
from hengfa.base.hooks import part
from hengfa.base.options import PORT, Command, library_option, names_option, say
from hengfa.law.library.store import Library, default_file

if TYPE_CHECKING:
    from hengfa.law.desk.mcp_server import OtherTools

_HOST = "127.0.0.1"
_PORT = 8322


class MoreTools(Protocol):
    """Tools of another wing beside the law's, with the options that ask for them."""

    def options(self, command: Command) -> Command: ...

    def check(self, *, http: bool, **given: Any) -> None:
        """Refuse options that do not go together."""

    def open(self, stack: ExitStack, **given: Any) -> OtherTools | None:
        """What is asked for; None where nothing is."""


_MORE: MoreTools = part("desk tools")


@click.command()
@click.option("--http", is_flag=True, help="Listen for clients, instead of being started by one.")
@click.option("--port", type=PORT, help=f"With --http.  [default: {_PORT}]")
@click.option(
    "--host",
    metavar="ADDRESS",
    help=f"With --http. There is no key: whoever reaches the address can ask.  [default: {_HOST}]",
)
@names_option
@_MORE.options
@library_option
def command(
    http: bool, port: int | None, host: str | None, names: tuple[str, ...], file: Path | None,
    **given: Any,
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
    _MORE.check(http=http, **given)
    try:
        from hengfa.law.desk.mcp_server import serve_stdio  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("mcp", "hengfa mcp") from error
    with ExitStack() as stack, contextlib.suppress(KeyboardInterrupt):
        others = _MORE.open(stack, **given)
        needed = others is None or file is not None or default_file().is_file()
        library = stack.enter_context(Library.open(file)) if needed else None
        if http:
            address = host or _HOST, _PORT if port is None else port
            asyncio.run(_listen(library, others, *address, names))
        else:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a read of standard input is not woken
            asyncio.run(serve_stdio(library, others))


async def _listen(
    library: Library | None, others: OtherTools | None, host: str, port: int, names: tuple[str, ...]
) -> None:
    from hengfa.law.desk.mcp_server import serving  # noqa: PLC0415 - an extra

    async with serving(library, host, port, names, others) as address:
        what = "the law" if others is None else "a world" if library is None else "law and world"
        say(f"{what} as tools at {address}; Ctrl-C ends it")
        await asyncio.Event().wait()
