"""`hengfa`: finds the command and turns errors into one line and an exit status."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

import click

import hengfa
from hengfa.base.errors import HengfaError
from hengfa.base.hooks import load, offered

GROUPS = ("Start", "Evaluate", "Results", "Law", "Grading", "World", "Train", "Extend")
"""The overview in the order in which people come to it; groups of others stand below."""


class LazyCommands(click.Group):
    """The commands that wings register, each imported only when it is called: help is instant."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return list(offered("commands"))

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        registered = offered("commands").get(name)
        if registered is None:
            return None
        command: click.Command = load(f"{registered.module}:command")
        _prepare(command, [load(option) for option in registered.options])
        return command

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for name, command in offered("commands").items():
            groups.setdefault(command.group, []).append((name, command.line))
        for group, rows in groups.items():
            if rows:
                with formatter.section(group):
                    formatter.write_dl(rows)


def _prepare(command: click.Command, options: Sequence[click.Option]) -> None:
    """What no command may forget: texts are checked, and it has the options that it shares."""
    from hengfa.base.options import TEXT  # noqa: PLC0415 - not for the overview

    if isinstance(command, click.Group):
        for below in command.commands.values():
            _prepare(below, options)
        return
    command.params += [option for option in options if option not in command.params]
    for parameter in command.params:
        if parameter.type is click.STRING:
            parameter.type = TEXT
        if isinstance(parameter, click.Option) and parameter.default == "":
            parameter.show_default = False


@click.group(
    cls=LazyCommands,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "show_default": True,
    },
    epilog="Example: hengfa eval lawbench --model deepseek:deepseek-chat --limit 20",
)
@click.version_option(hengfa.__version__, prog_name="hengfa")
def cli() -> None:
    """Hengfa 衡法 measures how well a language model or agent knows, reads, applies and practises
    Chinese law."""


def main() -> None:
    """The entry point: exit status 0 done, 1 the work failed, 2 the call was wrong."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # under GBK or ASCII, what it lacks by its number
            stream.reconfigure(errors="backslashreplace")
    try:
        status = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("interrupted", err=True)
        sys.exit(1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except HengfaError as error:
        click.echo(f"error: {error}" if error.exit_status else str(error), err=True)
        sys.exit(error.exit_status)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has left; nothing more to say
        sys.exit(1)
    except OSError as error:
        click.echo(f"error: {error.filename or 'system'}: {error.strerror or error}", err=True)
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)
