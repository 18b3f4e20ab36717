"""`hengfa`: finds the command and turns errors into one line and an exit status."""

from __future__ import annotations

import io
import sys

import click

import hengfa
from hengfa.base.commands import Registered
from hengfa.base.errors import HengfaError


@click.group(
    cls=Registered,
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
