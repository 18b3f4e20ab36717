"""What commands share: options, how values in them are read, how a result or a notice is said."""

from __future__ import annotations

import codecs
import copy
import json
import os
import sys
from collections.abc import Callable
from dataclasses import field, fields
from datetime import date
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click
import msgspec

from hengfa.base.data.jsonfile import builtins_of
from hengfa.base.data.paths import regular
from hengfa.base.errors import MissingExtra, UsageError
from hengfa.base.hooks import part

if TYPE_CHECKING:
    from hengfa.base.workers import Executor

Command = TypeVar("Command", bound=Callable[..., Any])
T = TypeVar("T")
Parameter: TypeAlias = click.Parameter | None
Context: TypeAlias = click.Context | None
LARGEST = 1e12
"""The largest amount, of seconds or money, that an option takes."""
SHOTS = {"0": "zero_shot", "1": "one_shot"}


class Day(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A date as people write it in ISO form."""

    name = "date"

    def convert(self, value: object, parameter: Parameter, context: Context) -> date:
        if isinstance(value, date):
            return value
        try:
            return date.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is no day; write it as 2021-01-01", parameter, context)


class Whole(click.IntRange):
    """A whole number that fits into 64 bits, also where an option sets no bound of its own."""

    def convert(self, value: Any, parameter: Parameter, context: Context) -> int:
        number: int = super().convert(value, parameter, context)
        if not -(2**63) <= number < 2**63:
            self.fail(f"{number} is too large", parameter, context)
        return number


class Number(click.FloatRange):
    """A number; neither `nan`, which passes every comparison with a bound, nor without end."""

    def convert(self, value: Any, parameter: Parameter, context: Context) -> float:
        number: float = super().convert(value, parameter, context)
        if not abs(number) <= LARGEST:
            self.fail(f"{value} is not a number up to {LARGEST:g}", parameter, context)
        return number


class Text(click.types.StringParamType):
    """What every option takes that names no other type; nothing is called by an empty name. Bytes
    that are no text arrive as lone surrogates, which no file and no server takes."""

    def convert(self, value: object, parameter: Parameter, context: Context) -> str:
        text: str = super().convert(value, parameter, context)
        if not text and (parameter is None or parameter.default != text):
            self.fail("nothing is given", parameter, context)
        if "\0" in text:
            self.fail("no text holds a NUL character", parameter, context)
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail(f"{text!r} is not UTF-8", parameter, context)
        return text


class Place(click.Path):  # type: ignore[type-arg, unused-ignore]
    """A file or a folder, whose name may be any bytes; an empty one would be this folder."""

    def __init__(
        self,
        *,
        exists: bool = False,
        file_okay: bool = True,
        dir_okay: bool = True,
        allow_dash: bool = False,
        encoding: str | None = None,
    ) -> None:
        super().__init__(exists, file_okay, dir_okay, allow_dash=allow_dash, path_type=Path)
        self.encoding = encoding or sys.getfilesystemencoding()
        self.errors = "strict" if encoding else sys.getfilesystemencodeerrors()

    def convert(self, value: Any, parameter: Any, context: Any) -> Any:
        try:
            name = os.fspath(value).encode(self.encoding, self.errors)
        except UnicodeEncodeError:
            self.fail(f"{value!r} is no name in {self.encoding}", parameter, context)
        if not name or b"\0" in name:
            why = "a NUL character" if name else "an empty name"
            self.fail(f"no file or folder has {why}", parameter, context)
        place: Any = super().convert(value, parameter, context)
        return place if self.allow_dash and str(place) == "-" else regular(place)


TEXT = Text()
PORT = Whole(0, 65535)
POSITIVE = Number(0, min_open=True)


def several(*options: Callable[..., Any]) -> Callable[[Command], Command]:
    """A decorator that stands for several options; help lists them in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def flag(default: T, help_: str, kind: Any = None, /, **more: Any) -> T:
    """A field of a request, which is a dataclass, with the option that gives it on a command line.
    The option has the name of the field and its default, unless others are given."""

    def named(name: str) -> Callable[[Command], Command]:
        own: dict[str, Any] = {} if default in (None, ()) else {"default": default}
        own |= {"is_flag": True} if isinstance(default, bool) else {"type": kind}
        own |= {"help": help_, **more}
        return click.option(*own.pop("names", [f"--{name.replace('_', '-')}"]), **own)

    entry: T = field(default=default, metadata={"option": named})
    return entry


def given_by(default: T, *options: Callable[..., Any]) -> T:
    """Such a field with options that other commands have too."""
    entry: T = field(default=default, metadata={"option": lambda _name: several(*options)})
    return entry


def options_of(request: type, prefix: str = "") -> Callable[[Command], Command]:
    """All options that the fields of a request have, in their order."""
    with_options = [one for one in fields(request) if one.metadata]
    return several(*(one.metadata["option"](prefix + one.name) for one in with_options))


rules_option = click.option(
    "--rules",
    type=click.Choice(["official", "corrected", "both"]),
    default="official",
    help="Score as the published evaluator does, with its mistakes repaired, or both.",
)
rule_set_option = click.option(
    "--rules",
    type=click.Choice(["official", "corrected"]),
    default="official",
    help="By the rules of the published evaluator, or with its mistakes repaired.",
)
"""Where scores are looked at, which are by one set of rules at a time."""
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


def _read_pairs(_context: Context, _option: Parameter, pairs: tuple[str, ...]) -> dict[str, str]:
    split = [pair.partition("=") for pair in pairs]
    for name, equals, _ in split:
        if not equals or not name.strip():
            raise click.BadParameter(f"{name!r} is not of the form NAME=VALUE")
    return {name.strip(): value.strip() for name, _, value in split}


setting_option = settings_option("its first")
set_option = click.option(
    "--set",
    "options",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_read_pairs,
    help="An option of the suite; its README lists them. May be given several times.",
)


def _read_ids(_context: Context, _parameter: Parameter, value: str | None) -> list[str] | None:
    """`TASK/SAMPLE,…`, or `@FILE` with one a line, where a name may have a comma in it."""
    if value is None:
        return None
    named = value.split(",")
    if value.startswith("@"):
        try:
            named = regular(Path(value[1:])).read_text("utf-8-sig").splitlines()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
            raise UsageError(f"--ids: cannot read {value[1:]}: {reason}") from None
    return [name.strip() for name in named if name.strip()]


ids_option = click.option(
    "--ids",
    metavar="TASK/SAMPLE,…|@FILE",
    callback=_read_ids,
    help="Only these questions, named as `hengfa show` names them; @FILE has one a line.",
)
runs_option = click.option(
    "--runs",
    type=Place(file_okay=False),
    default=Path("runs"),
    envvar="HENGFA_RUNS",
    help="Where run folders lie (also HENGFA_RUNS).",
)


def _use_suites(_context: Context, _option: Parameter, files: tuple[Path, ...]) -> None:
    for file in files:
        part("suite file")(file)


suite_option = click.Option(
    ["--suite", "suite_files"],
    type=Place(dir_okay=False),
    metavar="FILE.py",
    multiple=True,
    expose_value=False,
    is_eager=True,  # before anything that names a suite
    callback=_use_suites,
    help="Take in a private suite from this file, whose code runs (also HENGFA_SUITES).",
)
"""Of every command that deals with suites."""
pass_at_option = click.option(
    "--pass-at",
    type=Number(0, 1),
    default=0.6,
    help="Of several tries: from which rate on an answer is right; accuracies are right at 1.",
)
data_option = click.option(
    "--data",
    metavar="sample|DIR",
    help="Read samples from the pack that ships with Hengfa ('sample') or from a folder in "
    "upstream layout, instead of the installed pack.",
)
json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="One JSON document on standard output; scores are 0 to 1 in it, 0 to 100 in tables.",
)


class _Renamed(click.Option):
    """An option whose last name is that of an earlier version: it works, and is not shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        shown = copy.copy(self)
        shown.opts = self.opts[:-1]
        return click.Option.get_help_record(shown, ctx)


def _lang(variable: str, help_: str, default: str | None = None) -> Callable[[Command], Command]:
    names, kind = ("--lang", "--language", variable), click.Choice(("zh", "en"))
    return click.option(*names, cls=_Renamed, type=kind, default=default, help=help_)


lang_option = _lang(
    "lang", "The language of what is printed and written.  [default: that of the locale]"
)
language_option = _lang("language", "Language of titles.", "en")
names_option = click.option(
    "--allow-host",
    "names",
    metavar="NAME",
    multiple=True,
    help="A name by which others reach this machine; addresses and --host need not be named.",
)
library_option = click.option(
    "--library",
    "file",
    type=Place(dir_okay=False),
    help="The library file.  [default: law.sqlite in ~/.hengfa or HENGFA_HOME]",
)
accept_option = click.option(
    "--accept-truncated",
    is_flag=True,
    help="Read texts that were cut at the length limit as answers, as most papers did.",
)


_executor = several(
    click.option(
        "--executor",
        default="local",
        metavar="local|ray|ray:auto|ray:ADDRESS",
        help="Who works: processes here; a Ray cluster of this machine, for this command; the "
        "cluster that runs here; that at HOST:PORT (optional part `ray`).",
    ),
    click.option(
        "--gpus-each",
        type=Number(0),
        default=0.0,
        help="GPUs that each worker of a cluster has for itself, such as 0.5.",
    ),
)


def _jobs(default: int | None) -> Callable[[Command], Command]:
    return click.option(
        "--jobs",
        type=Whole(1),
        default=default,
        show_default="one per core" if default is None else True,
        help="Processes, or workers of a cluster.",
    )


def _with_executor(*options: Callable[..., Any]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        @wraps(command)
        def opened(*args: Any, executor: str, gpus_each: float, **kw: Any) -> Any:
            jobs = kw.pop("jobs", None)
            return command(*args, executor=_open_executor(executor, jobs, gpus_each), **kw)

        return several(*options)(opened)  # type: ignore[return-value]  # of other parameters

    return decorate


workers_option = _with_executor(_jobs(None), _executor)
"""Who does the work: the command is given an `Executor`; by default a process for each core."""
lone_worker_option = _with_executor(_jobs(1), _executor)
"""The same, by default this process alone."""
executor_option = _with_executor(_executor)
"""The same for commands that have little to share out."""


def _open_executor(name: str, jobs: int | None, gpus: float) -> Executor:
    """The executor that is named; a cluster is joined when there is work for it."""
    kind, colon, address = name.partition(":")
    if name == "local":
        from hengfa.base.workers import Processes  # noqa: PLC0415 - not for --help

        if gpus:
            raise UsageError("--gpus-each is for the workers of a cluster: --executor ray")
        return Processes(jobs or cores())
    if kind != "ray" or bool(colon) != bool(address):
        raise UsageError(f"--executor {name}: there is local, ray, ray:auto and ray:ADDRESS")
    try:
        open_cluster = part("ray")
    except ImportError as error:
        raise MissingExtra("ray", f"--executor {name}") from error
    cluster: Any = open_cluster(jobs, address=address or None, gpus=gpus)
    click.get_current_context().call_on_close(cluster.close)
    executor: Executor = cluster
    return executor


def seed_option(help_: str) -> Callable[[Command], Command]:
    return click.option("--seed", type=Whole(0), default=0, metavar="S", help=help_)


def force_option(help_: str) -> Callable[[Command], Command]:
    return click.option("--force", is_flag=True, help=help_)


out_option = several(
    click.option("-o", "--out", type=Place(dir_okay=False), required=True, help="File to write."),
    force_option("Replace the file if it exists."),
)


def claim(file: Path, *, force: bool, ours: Callable[[Path], bool] = lambda _file: False) -> Path:
    """The place of a file to write, before any work: what is there stays, unless --force is given.
    What the command reads is never replaced, and what is `ours` always."""
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


def number_or_default(_context: Context, parameter: Parameter, value: str) -> float | None:
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
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def say(line: str) -> None:
    """A notice to the person, apart from the result."""
    click.echo(line, err=True)


def print_json(document: object) -> None:
    """The one document on standard output; where that is not UTF-8, in JSON's own escapes. So are
    the bytes of file names that are no UTF-8, each as Python reads it."""
    plain = builtins_of(document)
    try:
        text = msgspec.json.format(msgspec.json.encode(plain), indent=2).decode()
    except UnicodeEncodeError:
        text = json.dumps(plain, indent=2)
    if codecs.lookup(sys.stdout.encoding or "ascii").name != "utf-8":
        text = json.dumps(json.loads(text), indent=2)
    click.echo(text)
