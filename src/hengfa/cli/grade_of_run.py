"""A run of a suite, graded and scored again: what `hengfa grade run RUN` does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hengfa.cli.options import print_json, say
from hengfa.errors import UsageError
from hengfa.grading.marking import mark
from hengfa.grading.people.score_table import scores_of, write_scores
from hengfa.report.table import print_outcomes
from hengfa.runs.evaluate import grade_run
from hengfa.runs.grading import GraderChoice, Grades
from hengfa.runs.outcome import accepted, outcomes_json
from hengfa.runs.score import score_run, submissions_of
from hengfa.suites.base import Rules


def grade_one_run(
    folder: Path,
    graders: Sequence[GraderChoice],
    rules: Sequence[Rules],
    table: Path | None,
    *,
    as_json: bool,
) -> None:
    accept = accepted(folder)
    submissions = submissions_of(folder, accept)
    if not submissions:
        raise UsageError(f"{folder} has no answers that are scored by graders")
    grade_run(folder, graders, accept=accept, notify=say)
    outcomes = score_run(folder, rules, accept=accept, notify=say)
    if table is not None:
        grades = Grades(folder)
        rows = (
            row
            for one in submissions
            for sheet in grades.sheets(one)
            for row in scores_of(one, mark(one, sheet), sheet.grader, outcomes[0].model)
        )
        write_scores(table, rows)
        say(f"points of every item: {table}")
    if as_json:
        print_json(outcomes_json(outcomes[0].suite, outcomes))
    else:
        print_outcomes(outcomes)
