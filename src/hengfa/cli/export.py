"""`hengfa export`: take a run elsewhere."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.cli.options import runs_option, say
from hengfa.results.store import read_records
from hengfa.runs.export import export_inspect_log
from hengfa.runs.look import find_run

_out_option = click.option(
    "-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="File to write."
)


@click.group("export", epilog="Example: hengfa export csv lawbench-zero_shot-floor-sample")
def command() -> None:
    """Take a run elsewhere: as a log for `inspect view`, or as a table."""


@command.command("csv", epilog="Example: hengfa export csv RUN -o scores.csv")
@click.argument("run")
@_out_option
@runs_option
def export_csv(run: str, out: Path | None, runs: Path) -> None:
    """Write a run's records as CSV."""
    folder = find_run(run, runs)
    file = out or Path(f"{folder.name}.csv")
    file.parent.mkdir(parents=True, exist_ok=True)
    read_records([folder]).write_csv(file)
    say(f"wrote {file}")


@command.command("eval", epilog="Example: hengfa export eval RUN && inspect view")
@click.argument("run")
@_out_option
@runs_option
def export_eval(run: str, out: Path | None, runs: Path) -> None:
    """Write a run as an Inspect log (.eval) that `inspect view` opens."""
    folder = find_run(run, runs)
    file = out or Path("logs", f"{folder.name}.eval")
    export_inspect_log(folder, file)
    say(f"wrote {file}; open it with: inspect view --log-dir {file.parent}")
