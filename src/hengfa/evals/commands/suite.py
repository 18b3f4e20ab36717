"""`hengfa suite`: begin a suite of one's own, and see that it works."""

from __future__ import annotations

import os
import re
from importlib import resources
from pathlib import Path
from string import Template

import click

from hengfa.base.commands import Registered
from hengfa.base.data.jsonfile import write_in_folder
from hengfa.base.errors import UsageError
from hengfa.base.options import Place, json_option, print_json

_NAME = re.compile(r"[a-z][a-z0-9-]*")


@click.group(cls=Registered)
def command() -> None:
    """Begin a suite of your own, see that it works (docs/adding-a-suite.md), and what belongs to
    one suite alone.

    \b
    Example:
      hengfa suite new mybench
      hengfa suite check mybench.py --data mybench-data
      hengfa suite plawbench lint
    """


@command.command("new")
@click.argument("name")
@click.option(
    "-o",
    "--out",
    type=Place(file_okay=False),
    default=Path(),
    show_default="here",
    help="Folder to write into.",
)
def new_(name: str, out: Path) -> None:
    """Write a working suite NAME in one file, its test and a few rows of data to replace.

    \b
    Example:
      hengfa suite new mybench
      pytest test_mybench.py
      hengfa eval mybench --suite mybench.py --data mybench-data --model floor
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not of small letters, digits and hyphens")
    module = name.replace("-", "_")
    template = resources.files("hengfa.evals.suites.kit").joinpath("template")
    targets = {
        "suite.py.txt": out / f"{module}.py",
        "test.py.txt": out / f"test_{module}.py",
        "1-1.jsonl": out / f"{module}-data" / "1-1.jsonl",
        "2-1.jsonl": out / f"{module}-data" / "2-1.jsonl",
    }
    for file in targets.values():
        if os.path.lexists(file):
            raise UsageError(f"{file} is there already: nothing was written")
    for source, file in targets.items():
        text = template.joinpath(source).read_text("utf-8")
        write_in_folder(file, Template(text).substitute(name=name, module=module).encode())
        click.echo(str(file))


@command.command("check")
@click.argument("file", type=Place(dir_okay=False, exists=True))
@click.option(
    "--data",
    required=True,
    type=Place(file_okay=False, exists=True),
    help="The folder with the suite's data.",
)
@json_option
def check_(file: Path, data: Path, as_json: bool) -> None:
    """Load, ask and score every task of the suite in FILE with the built-in answers.

    \b
    Example:
      hengfa suite check mybench.py --data mybench-data
    """
    from hengfa.evals.suites.kit.checking import check  # noqa: PLC0415 - loads NumPy
    from hengfa.evals.suites.registry import use_file  # noqa: PLC0415

    scales = check(use_file(file), data)
    if as_json:
        print_json([scale._asdict() for scale in scales])
        return
    click.echo(f"{'task':<12}{'setting':<14}{'rules':<12}{'samples':>7}{'floor':>8}{'ceiling':>9}")
    for scale in scales:
        floor, ceiling = (
            "-" if value is None else f"{100 * value:.2f}" for value in (scale.floor, scale.ceiling)
        )
        click.echo(
            f"{scale.task:<12}{scale.setting:<14}{scale.rules:<12}{scale.samples:>7}"
            f"{floor:>8}{ceiling:>9}"
        )
