"""`--suite FILE.py`, which every command takes that deals with suites."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.base.options import Place


def _use_suites(_context: click.Context, _option: click.Parameter, files: tuple[Path, ...]) -> None:
    if files:
        from hengfa.evals.suites.registry import use_file  # noqa: PLC0415 - few have one

        for file in files:
            use_file(file)


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
"""Commands have it by their registration."""
