"""`hengfa serve`: the law desk in the browser, and over REST."""

from __future__ import annotations

import asyncio
import contextlib
import webbrowser
from pathlib import Path

import click

from hengfa.base.options import PORT, Number, library_option, names_option, say


@click.command()
@click.option("--port", type=PORT, default=8321, metavar="N")
@click.option(
    "--host",
    default="127.0.0.1",
    help="There is no key: whoever reaches the address can have documents checked.",
)
@names_option
@click.option(
    "--seconds",
    type=Number(1, 3600),
    default=60.0,
    help="How long one document may take before it is given up.",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@library_option
def command(
    port: int,
    host: str,
    names: tuple[str, ...],
    seconds: float,
    no_browser: bool,
    file: Path | None,
) -> None:
    """Check documents on a page in the browser, 在浏览器中核对文书.

    Paste or drop a document (.docx, .pdf, .txt, .md, .html): its citations are marked, and each
    leads to the provision as it was on the day that counts, to its history, and to what to cite
    instead. The same, and looking up the law, is there for programs: /openapi.json describes it.
    Nothing leaves this machine, and nothing of a document is kept.

    \b
    Example:
      hengfa serve
      hengfa serve --port 9000 --no-browser
      curl --data-binary @draft.docx 'http://127.0.0.1:8321/api/check?name=draft.docx'
    """
    from hengfa.law.desk.served import serving  # noqa: PLC0415 - not for --help

    async def serve() -> None:
        async with serving(file, host, port, names=names, seconds=seconds) as address:
            click.echo(address)
            say("按 Ctrl+C 结束 · Ctrl+C ends")
            if not no_browser:
                webbrowser.open(address)
            await asyncio.Event().wait()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve())
