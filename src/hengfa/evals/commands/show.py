"""`hengfa show`: one question of a run, from prompt to score."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.base.options import Whole, json_option, print_json, runs_option
from hengfa.evals.report.terminal.story import print_story, story_json
from hengfa.evals.runs.folder import read_manifest
from hengfa.evals.runs.look import entries_of, find_scored, sent_events, servers_asked, tell


@click.command("show", epilog="Example: hengfa show lawbench-zero_shot-retrieval-sample 1-1/3")
@click.argument("run", metavar="RUN[@GRADER]")
@click.argument("question", metavar="TASK/SAMPLE")
@click.option("--repeat", type=Whole(1), default=1, help="Which, where it was asked several times.")
@json_option
@runs_option
def command(run: str, question: str, repeat: int, as_json: bool, runs: Path) -> None:
    """Show prompt, response, reference and score of one question.

    The prompt is what was sent, to the letter; of an agent, what was sent in each step, without
    what an earlier one had (with --json whole). It was kept as it was sent; of older runs it is
    known where the prompt has the hash in the journal.
    """
    folder = find_scored(run, runs)
    story = tell(folder, question, repeat)
    entries = entries_of(folder, question, repeat)
    asked = sent_events(folder, entries, next(iter(story.values())).row.prompt)
    servers = servers_asked(entries)
    if as_json:
        print_json({"question": question, **story_json(story, asked), "servers": servers})
    else:
        print_story(story, read_manifest(folder).prompts, servers, asked)
