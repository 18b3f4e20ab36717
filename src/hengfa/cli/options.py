"""What commands share: options, how values in them are read, how a result or a notice is said."""

from __future__ import annotations

import codecs
import json
import os
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from hengfa.errors import UsageError

Command = TypeVar("Command", bound=Callable[..., Any])
SHOTS = {"0": "zero_shot", "1": "one_shot"}


class Day(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A date as people write it in ISO form."""

    name = "date"

    def convert(
        self, value: object, parameter: click.Parameter | None, context: click.Context | None
    ) -> date:
        if isinstance(value, date):
            return value
        try:
            return date.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is no day; write it as 2021-01-01", parameter, context)


def several(*options: Callable[..., Any]) -> Callable[[Command], Command]:
    """A decorator that stands for several options; help lists them in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


rules_option = click.option(
    "--rules",
    type=click.Choice(["official", "corrected", "both"]),
    default="official",
    show_default=True,
    help="Score as the published evaluator does, with its mistakes repaired, or both.",
)
_shots = click.option(
    "--shots",
    type=click.Choice(["0", "1"]),
    expose_value=False,
    callback=lambda context, _parameter, shots: (
        context.params.__setitem__("setting", SHOTS[shots]) if shots else None
    ),
    help="Worked examples in the prompt: settings zero_shot and one_shot.",
)


def settings_option(default: str) -> Callable[[Command], Command]:
    """`--setting NAME`, and `--shots` for suites whose settings are a number of examples."""
    named = click.option(
        "--setting",
        "--method",
        metavar="NAME",
        callback=lambda context, _parameter, name: name or context.params.get("setting"),
        help=f"Which of the suite's settings, also --method.  [default: {default}]",
    )
    return several(named, _shots)


setting_option = settings_option("its first")
set_option = click.option(
    "--set",
    "suite_options",
    metavar="NAME=VALUE",
    multiple=True,
    callback=lambda _context, _parameter, pairs: _read_pairs(pairs),
    help="An option of the suite; its README lists them. May be given several times.",
)
runs_option = click.option(
    "--runs",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs"),
    show_default=True,
    envvar="HENGFA_RUNS",
    help="Where run folders lie (also HENGFA_RUNS).",
)
data_option = click.option(
    "--data",
    metavar="sample|DIR",
    help="Read samples from the pack that ships with Hengfa ('sample') or from a folder in "
    "upstream layout, instead of the installed pack.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="One JSON document on standard output, nothing else."
)
library_option = click.option(
    "--library",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The library file.  [default: law.sqlite in ~/.hengfa or HENGFA_HOME]",
)
accept_option = click.option(
    "--accept-truncated",
    is_flag=True,
    help="Read texts that were cut at the length limit as answers, as most papers did.",
)


def force_option(help_: str) -> Callable[[Command], Command]:
    """`--force`, of every command that writes where something may be already."""
    return click.option("--force", is_flag=True, help=help_)


def claim(file: Path, *, force: bool, ours: Callable[[Path], bool] = lambda _file: False) -> Path:
    """The place of a file to write, before any work: what is there stays, unless --force is given.

    What the command reads is never replaced, and what is `ours` always.
    """
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.params.get(parameter.name or "")
        for value in given if isinstance(given, tuple) else (given,):
            named = isinstance(value, Path) or isinstance(parameter, click.Argument)
            if value is not file and named and value and _same(str(value), file):
                raise UsageError(f"{file} is read by this command: write to another file")
    if os.path.lexists(file) and not force and not ours(file):
        raise UsageError(f"{file} exists: --force replaces it, or name another")
    return file


def _same(one: str, other: Path) -> bool:
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):  # one of them is not there, or cannot be
        return False


def _use_suites(_context: click.Context, _option: click.Parameter, files: tuple[Path, ...]) -> None:
    if files:
        from hengfa.suites.registry import use_file  # noqa: PLC0415 - few have one

        for file in files:
            use_file(file)


suite_option = click.Option(
    ["--suite", "suite_files"],
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.py",
    multiple=True,
    expose_value=False,
    is_eager=True,  # before anything that names a suite
    callback=_use_suites,
    help="Take in a private suite from this file, whose code runs (also HENGFA_SUITES).",
)
"""What every command takes that deals with suites; `main` gives it to them."""


def _read_pairs(pairs: tuple[str, ...]) -> dict[str, str]:
    split = [pair.partition("=") for pair in pairs]
    for name, equals, _ in split:
        if not equals or not name.strip():
            raise click.BadParameter(f"{name!r} is not of the form NAME=VALUE")
    return {name.strip(): value.strip() for name, _, value in split}


def number_or_default(
    _context: click.Context, parameter: click.Parameter, value: str
) -> float | None:
    """A number, or the word `default` to leave the choice to the server."""
    if value == "default":
        return None
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 2:
        raise click.BadParameter(
            f"{value!r} is neither a number from 0 to 2 nor 'default'", param=parameter
        )
    return number


def cores() -> int:
    """How many processes can work at once here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def say(line: str) -> None:
    """A notice to the person, apart from the result."""
    click.echo(line, err=True)


def print_json(document: object) -> None:
    """The one document on standard output; where that is not UTF-8, in JSON's own escapes."""
    text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    if codecs.lookup(sys.stdout.encoding or "ascii").name != "utf-8":
        text = json.dumps(json.loads(text), indent=2)
    click.echo(text)
