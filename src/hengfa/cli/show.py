"""`hengfa show`: one question of a run, from prompt to score."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.cli.options import Whole, runs_option
from hengfa.report.terminal.story import print_story
from hengfa.runs.folder import read_manifest
from hengfa.runs.look import find_scored, servers_asked, tell


@click.command("show", epilog="Example: hengfa show lawbench-zero_shot-retrieval-sample 1-1/3")
@click.argument("run", metavar="RUN[@GRADER]")
@click.argument("question", metavar="TASK/SAMPLE")
@click.option("--repeat", type=Whole(1), default=1, help="Which, where it was asked several times.")
@runs_option
def command(run: str, question: str, repeat: int, runs: Path) -> None:
    """Show prompt, response, reference and score of one question."""
    folder = find_scored(run, runs)
    story = tell(folder, question, repeat)
    print_story(story, read_manifest(folder).prompts, servers_asked(folder, question, repeat))
