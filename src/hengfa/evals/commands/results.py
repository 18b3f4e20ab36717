"""`hengfa results`: the runs on this machine, and where they stand; how much of a score is luck
(`repeats`), and what hints at contamination (`suspects`)."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from hengfa.base.errors import UsageError
from hengfa.base.options import (
    Place,
    Whole,
    json_option,
    pass_at_option,
    print_json,
    rule_set_option,
    runs_option,
    say,
    setting_option,
)
from hengfa.evals.runs.folder import read_manifest
from hengfa.evals.runs.leaderboard import leaderboard
from hengfa.evals.runs.look import find_scored, list_runs
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.registry import get_suite

_EPILOG = """\b
Examples:
  hengfa results
  hengfa results lawbench --published --top 20
  hengfa results lawbench --published --task 1-2,1-1 --shots 1
  hengfa results claw --run claw-all-floor-sample --by law --task content --metric rouge_l_char
  hengfa results plawbench --run plawbench-all-floor-sample --errors
"""


@click.command("results", epilog=_EPILOG)
@click.argument("suite", required=False)
@click.option(
    "--rules",
    type=click.Choice([str(rules) for rules in Rules]),
    help="Whose scores: of the published evaluator, or with its mistakes repaired.  "
    "[default: official]",
)
@setting_option
@click.option("--published", is_flag=True, help="With the models of the suite's paper in between.")
@click.option(
    "--task",
    "tasks",
    metavar="TASK[,TASK…]",
    help="Show and order by these tasks instead of the suite's figures; the first decides.",
)
@click.option("--top", type=Whole(min=1), help="Only the first N rows.", metavar="N")
@click.option(
    "--across-graders",
    is_flag=True,
    help="Rank together what different graders graded, with a warning of how far they differ.",
)
@click.option("--run", metavar="RUN[@GRADER]", help="One run of the suite, taken apart with --by.")
@click.option(
    "--by",
    "facet",
    metavar="FACET",
    help="By which kinds of samples (law, hops, scenario, …) or parts of answers (section, …).",
)
@click.option("--metric", metavar="NAME", help="With --by: another figure than the task's main.")
@click.option("--errors", is_flag=True, help="With --run: which share of answers has which error.")
@runs_option
@json_option
def command(
    suite: str | None,
    rules: str | None,
    setting: str | None,
    published: bool,
    tasks: str | None,
    top: int | None,
    across_graders: bool,
    run: str | None,
    facet: str | None,
    metric: str | None,
    errors: bool,
    runs: Path,
    as_json: bool,
) -> None:
    """List the runs below a folder and what they scored.

    With SUITE, a leaderboard: all its scored runs in one setting, best first. A run that lacks a
    task comes last and has no rank; what different graders graded is ranked apart. With --run and
    --by, one run by kinds of samples: figures with intervals for each law, scenario or number of
    hops; or for each section or ability. With --run and --errors, the types of mistakes that graded
    answers have.
    """
    by = Rules(rules or Rules.OFFICIAL)
    if errors and (suite is None or run is None or facet is not None or metric is not None):
        raise UsageError(
            "--errors: name SUITE and --run, and no --by: "
            "hengfa results plawbench --run RUN --errors"
        )
    if errors or run is not None or facet is not None or metric is not None:
        if suite is None or run is None or (facet is None and not errors):
            raise UsageError(
                "name SUITE, --run and --by together: hengfa results claw --run RUN --by law"
            )
        folder = find_scored(run, runs)
        if (of := read_manifest(folder).suite) != suite:
            raise UsageError(f"{run} is a run of {of}, not of {suite}")
        _take_apart(folder, facet, metric, by, split_tasks(tasks), as_json)
        return
    if suite is not None:
        board = leaderboard(
            get_suite(suite),
            runs,
            setting=setting,
            rules=by,
            tasks=split_tasks(tasks),
            with_published=published,
            across_graders=across_graders,
            notify=say,
        ).top(top)
        if as_json:
            print_json(board.as_json())
        elif not board.places:
            click.echo(
                f"no run of {suite} below {runs} is scored ({board.setting}, {board.rules} rules); "
                "`hengfa demo` makes some, --published shows the models of the paper"
            )
        else:
            from hengfa.evals.report.terminal.comparison import print_leaderboard  # noqa: PLC0415 - not for JSON

            print_leaderboard(board)
        return
    of_a_suite = any(given is not None for given in (rules, setting, tasks, top))
    if published or across_graders or of_a_suite:
        raise UsageError(
            "--rules, --shots, --published, --task, --top and --across-graders need a SUITE"
        )
    summaries = list_runs(runs, say)
    if as_json:
        document = [
            {
                "run": summary.name,
                **msgspec.to_builtins(summary.manifest),
                "samples": summary.samples,
                "figures": summary.figures.get("", {}),
                "graded": {name: by for name, by in summary.figures.items() if name},
                **({"spent": summary.spent} if summary.spent is not None else {}),
            }
            for summary in summaries
        ]
        print_json(document)
        return
    if not summaries:
        click.echo(f"no runs below {runs}; `hengfa demo` makes some")
        return
    from hengfa.evals.report.terminal.outcomes import print_runs  # noqa: PLC0415 - not needed for --json

    print_runs(summaries)


def _take_apart(
    folder: Path, by: str | None, metric: str | None, rules: Rules, tasks: list[str], as_json: bool
) -> None:
    """A run by the kinds of a facet; where none is named, by types of error."""
    from hengfa.evals.report.terminal.breakdown import print_breakdown, print_errors  # noqa: PLC0415
    from hengfa.evals.runs.breakdown import break_down, error_shares  # noqa: PLC0415 - for them alone

    if by is None:
        shares = error_shares(folder, rules, tasks=tasks)
        if as_json:
            print_json(shares.as_json())
        else:
            print_errors(shares)
        return
    parts = break_down(folder, by, rules, tasks=tasks, metric=metric)
    if as_json:
        print_json(parts.as_json())
    else:
        print_breakdown(parts)


def split_tasks(tasks: str | None) -> list[str]:
    """The value of --task: names with commas between them; none where it is not given."""
    if tasks is None:
        return []
    named = [part.strip() for part in tasks.split(",") if part.strip()]
    if not named:
        raise UsageError("--task: name at least one task, such as 1-2")
    return list(dict.fromkeys(named))


_REPEATS_EPILOG = """\b
Examples:
  hengfa eval lawbench/3-6 --model kimi:kimi-k2 --repeats 5 --temperature default
  hengfa results repeats lawbench-zero_shot-kimi_kimi-k2
  hengfa grade run plawbench-all-kimi_kimi-k2 --grader deepseek:deepseek-chat --grader-repeats 3
  hengfa results repeats plawbench-all-kimi_kimi-k2 --task case --pass-at 0.8
"""


@click.command("repeats", epilog=_REPEATS_EPILOG)
@click.argument("run")
@rule_set_option
@click.option("--task", "tasks", metavar="TASK[,TASK…]", help="Only these tasks.")
@pass_at_option
@runs_option
@json_option
def repeats_(
    run: str, rules: str, tasks: str | None, pass_at: float, runs: Path, as_json: bool
) -> None:
    """Say what a run's score owes to luck, where questions or graders were asked several times.

    Of several tries at each question: their mean, how often at least one of k is right (pass@k),
    how often all of k are (pass^k), what to expect of the worst of k, and how far tries differ. Of
    graded answers: how much of the variance is that of questions, answers, graders and of asking
    the same grader again, what would narrow the interval most, how far each two graders are apart,
    and how many items of a rubric change when it is graded again.
    """
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415 - not for --help
    from hengfa.evals.runs.look import find_run  # noqa: PLC0415
    from hengfa.evals.runs.repeats import asked_again  # noqa: PLC0415

    with counting("drawing samples"):
        said = asked_again(
            find_run(run, runs), Rules(rules), tasks=split_tasks(tasks), pass_at=pass_at
        )
    if as_json:
        print_json(said.as_json())
        return
    from hengfa.evals.report.terminal.repeats import print_asked_again  # noqa: PLC0415 - not for JSON

    print_asked_again(said)


_SUSPECTS_EPILOG = """\b
Examples:
  hengfa results suspects runs/
  hengfa results suspects runs/lawbench-zero_shot-a runs/lawbench-zero_shot-b --alone
  hengfa results suspects --published lawbench --shots 0
"""


@click.command("suspects", epilog=_SUSPECTS_EPILOG)
@click.argument("runs", nargs=-1, type=Place(exists=True, file_okay=False))
@click.option(
    "--published", metavar="SUITE", help="Look at the models of a suite's paper instead of runs."
)
@click.option("--alone", is_flag=True, help="Compare runs with each other only, not with papers.")
@click.option(
    "--top",
    type=Whole(min=0),
    default=5,
    help="How many that are not flagged to show too, in each part.",
)
@setting_option
@json_option
def suspects_(
    runs: tuple[Path, ...],
    published: str | None,
    alone: bool,
    top: int,
    setting: str | None,
    as_json: bool,
) -> None:
    """Hints for a review of contamination; never a verdict.

    Scores far above what a model's other tasks predict, answers that repeat the reference beyond
    what the prompt holds, and models that give the same long answers. RUNS are run folders, or
    folders that hold some. Each hint may have a harmless reason: docs/report.md.
    """
    # numpy and polars are for those who ask
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415
    from hengfa.evals.runs.suspicion import published_hints, run_hints  # noqa: PLC0415

    if bool(runs) == bool(published):
        raise UsageError("name run folders, or a suite with --published")
    if published is not None:
        all_hints = published_hints(published, setting)
    else:
        with counting("reading responses"):
            all_hints = run_hints(runs, with_published=not alone, notify=say)
        all_hints = [hints for hints in all_hints if setting in (None, hints.setting)]
    if as_json:
        print_json([hints.as_json() for hints in all_hints])
        return
    from hengfa.evals.report.terminal.suspicion import print_hints  # noqa: PLC0415 - not for JSON

    print_hints(all_hints, top)
