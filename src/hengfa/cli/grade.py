"""`hengfa grade`: grading by rubric, and what people think of it."""

from __future__ import annotations

import click

from hengfa.cli.grade_attack import attack_, probe_
from hengfa.cli.grade_people import calibrate_, label_studio_, serve_, sheet_
from hengfa.cli.grade_run import export_, run_


@click.group()
def command() -> None:
    """Grade responses by rubric, and measure how far the graders can be trusted.

    \b
    Example:
      hengfa grade run answers.jsonl --rubric rubric.yaml --grader keywords
      hengfa grade serve submissions.jsonl -o scores.csv --rater 张三
      hengfa grade calibrate scores.csv graded.csv --plot calibration.svg
    """


for part in (run_, export_, sheet_, serve_, label_studio_, calibrate_, attack_, probe_):
    command.add_command(part)
