"""Every command with its help, as a page of the docs' site: `python -m hengfa.cli.reference`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from hengfa.cli.main import cli

_HEAD = """\
# Commands

Exit status: 0 done, 1 the work failed, 2 the call was wrong. `--json` prints one JSON document on
standard output and nothing else there; progress and notices go to standard error.
"""
_WIDTH = 98


def reference() -> str:
    root = click.Context(cli, info_name="hengfa", terminal_width=_WIDTH, **cli.context_settings)
    return "\n".join([_HEAD, *_sections(root)])


def _sections(context: click.Context) -> Iterator[str]:
    yield f"## `{context.command_path}`\n\n```\n{context.get_help().rstrip()}\n```\n"
    command = context.command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            if (below := command.get_command(context, name)) is not None:
                options = below.context_settings
                yield from _sections(click.Context(below, context, name, **options))


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(reference())
