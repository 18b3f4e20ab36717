"""`hengfa results`: the runs on this machine."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from hengfa.cli.options import json_option, print_json, runs_option, say
from hengfa.runs.look import list_runs


@click.command("results", epilog="Example: hengfa results --runs runs")
@runs_option
@json_option
def command(runs: Path, as_json: bool) -> None:
    """List the runs below a folder and what they scored."""
    summaries = list_runs(runs, say)
    if as_json:
        document = [
            {
                "run": one.name,
                **msgspec.to_builtins(one.manifest),
                "samples": one.samples,
                "figures": one.figures,
            }
            for one in summaries
        ]
        print_json(document)
        return
    if not summaries:
        click.echo(f"no runs below {runs}; `hengfa demo` makes some")
        return
    from hengfa.report.table import print_runs  # noqa: PLC0415 - not needed for --json

    print_runs(summaries)
