"""`hengfa show`: one question of a run, from prompt to score."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.cli.options import runs_option
from hengfa.report.terminal.story import print_story
from hengfa.runs.look import find_run, tell


@click.command("show", epilog="Example: hengfa show lawbench-zero_shot-retrieval-sample 1-1/3")
@click.argument("run")
@click.argument("question", metavar="TASK/SAMPLE")
@runs_option
def command(run: str, question: str, runs: Path) -> None:
    """Show prompt, response, reference and score of one question."""
    print_story(tell(find_run(run, runs), question))
