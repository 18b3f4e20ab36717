"""`hengfa world serve`: the tools over HTTP, for agents that run elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from hengfa.cli.world_call import open_toolbox
from hengfa.errors import UsageError

if TYPE_CHECKING:
    from hengfa.world.tools import Mode, Toolbox


@click.command()
@click.option(
    "--world", "name", default="recovered", show_default=True, metavar="recovered|FILE|URL"
)
@click.option(
    "--mode", type=click.Choice(["strict", "helpful"]), default="strict", show_default=True
)
@click.option("--port", type=click.IntRange(0, 65535), default=8320, show_default=True)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="There is no key: whoever reaches the address can read the world.",
)
def serve(name: str, mode: Mode, port: int, host: str) -> None:
    """Serve the tools of a world over HTTP until interrupted.

    The published interface: POST the arguments as JSON to /TOOL. GET / lists the tools.

    \b
    Example:
      hengfa world serve --world world.sqlite --port 8320
      curl -d '{"identifier": "京0108"}' http://127.0.0.1:8320/get_court_code
    """
    with ExitStack() as stack, contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(open_toolbox(name, mode, stack), host, port))


async def _serve(toolbox: Toolbox, host: str, port: int) -> None:
    from hengfa.world.tools.served import serving  # noqa: PLC0415

    try:
        async with serving(toolbox, host, port) as address:
            click.echo(f"{len(toolbox.names)} tools at {address}; Ctrl-C ends it", err=True)
            await asyncio.Event().wait()
    except OSError as error:
        raise UsageError(f"cannot listen on {host}:{port}: {error.strerror or error}") from error
