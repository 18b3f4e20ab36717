"""`hengfa world review`: have generated tasks reviewed by people, and keep those that stand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hengfa.base.data.jsonfile import write_atomically
from hengfa.base.errors import UsageError, counted
from hengfa.base.options import Place, claim, force_option, json_option, print_json, say

if TYPE_CHECKING:
    from hengfa.world.suites.legalagentbench.reviewing import TaskReview


@click.command("review")
@click.argument("tasks", metavar="TASKS.jsonl", type=Place(exists=True, dir_okay=False))
@click.option("-o", "--out", type=Place(dir_okay=False), required=True, help="File to write.")
@force_option("Replace the file if it exists.")
@click.option(
    "--scores",
    "tables",
    type=Place(exists=True, dir_okay=False),
    multiple=True,
    help="What reviewers said (a table of `hengfa grade people serve`, once for each): write the "
    "tasks that stand.",
)
@json_option
def review_(tasks: Path, out: Path, force: bool, tables: tuple[Path, ...], as_json: bool) -> None:
    """Have generated tasks reviewed by people.

    They do so on the page of `hengfa grade people serve`, where each question stands with its path
    and its answer, and four things to say of it: is it natural, unambiguous, right, to be kept.
    With --scores the tasks are written again, line by line as they were, without those that at
    least half of their reviewers would drop; what nobody reviewed stays. How far reviewers agree is
    printed: which share of pairs of answers is alike, Cohen's kappa and Krippendorff's alpha.

    \b
    Example:
      hengfa world review tasks.jsonl -o review.jsonl
      hengfa grade people serve review.jsonl -o zhang.csv --rater 张三
      hengfa grade people serve review.jsonl -o li.csv --rater 李四
      hengfa world review tasks.jsonl --scores zhang.csv --scores li.csv -o kept.jsonl
    """
    from hengfa.evals.grading.submission import write_submissions  # noqa: PLC0415
    from hengfa.world.suites.legalagentbench.reviewing import (  # noqa: PLC0415
        read_for_review,
        reviewed,
        to_review,
    )

    claim(out, force=force)
    read = read_for_review(tasks)
    if not tables:
        if as_json:
            raise UsageError("--json tells what reviewers said: give --scores")
        write_submissions(out, to_review(read))
        say(f"wrote {counted(len(read), 'task')} for `hengfa grade people serve` to {out}")
        return
    review = reviewed(read, tables)
    write_atomically(out, b"".join(task.line + b"\n" for task in review.kept))
    if as_json:
        print_json(
            {
                "file": str(out),
                "tasks": len(read),
                "kept": len(review.kept),
                "dropped": review.dropped,
                "objected": review.objected,
                "unseen": review.unseen,
                "agreement": review.agreement,
            }
        )
        return
    _show(review, len(read), out)


def _show(review: TaskReview, total: int, out: Path) -> None:
    for item, ids in review.objected.items():
        say(f"not {item}: {', '.join(ids)}")
    click.echo(
        f"{'':<14}{'reviewed':>9}{'yes':>8}{'by several':>12}{'alike':>8}{'kappa':>8}{'alpha':>8}"
    )
    for item, told in review.agreement.items():
        shares = f"{_figure(told.yes):>8}{told.several:>12}{_figure(told.alike):>8}"
        click.echo(
            f"{item:<14}{told.reviewed:>9}{shares}{_figure(told.kappa):>8}{_figure(told.alpha):>8}"
        )
    click.echo(f"kept {len(review.kept)} of {total} tasks in {out}")
    if review.unseen:
        say(f"{len(review.unseen)} were not reviewed whole")


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
