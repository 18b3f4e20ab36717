"""`hengfa results`: the runs on this machine, and where they stand."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from hengfa.base.errors import UsageError
from hengfa.base.options import Whole, json_option, print_json, runs_option, say, setting_option
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
    if errors:
        if suite is None or run is None or facet is not None or metric is not None:
            raise UsageError(
                "--errors: name SUITE and --run, and no --by: "
                "hengfa results plawbench --run RUN --errors"
            )
        _show_errors(suite, run, Rules(rules or Rules.OFFICIAL), tasks, runs, as_json)
        return
    if run is not None or facet is not None or metric is not None:
        if suite is None or run is None or facet is None:
            raise UsageError(
                "name SUITE, --run and --by together: hengfa results claw --run RUN --by law"
            )
        _break_down(suite, run, facet, metric, Rules(rules or Rules.OFFICIAL), tasks, runs, as_json)
        return
    if suite is not None:
        board = leaderboard(
            get_suite(suite),
            runs,
            setting=setting,
            rules=Rules(rules or Rules.OFFICIAL),
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
    if (
        published
        or across_graders
        or any(given is not None for given in (rules, setting, tasks, top))
    ):
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


def _break_down(
    suite: str,
    run: str,
    facet: str,
    metric: str | None,
    rules: Rules,
    tasks: str | None,
    runs: Path,
    as_json: bool,
) -> None:
    from hengfa.evals.runs.breakdown import break_down  # noqa: PLC0415 - for those who ask for it

    folder = _run_of(suite, run, runs)
    parts = break_down(folder, facet, rules, tasks=split_tasks(tasks), metric=metric)
    if as_json:
        print_json(parts.as_json())
        return
    from hengfa.evals.report.terminal.breakdown import print_breakdown  # noqa: PLC0415 - not for JSON

    print_breakdown(parts)


def _show_errors(
    suite: str, run: str, rules: Rules, tasks: str | None, runs: Path, as_json: bool
) -> None:
    from hengfa.evals.runs.breakdown import error_shares  # noqa: PLC0415 - for those who ask for it

    shares = error_shares(_run_of(suite, run, runs), rules, tasks=split_tasks(tasks))
    if as_json:
        print_json(shares.as_json())
        return
    from hengfa.evals.report.terminal.breakdown import print_errors  # noqa: PLC0415 - not for JSON

    print_errors(shares)


def _run_of(suite: str, run: str, runs: Path) -> Path:
    folder = find_scored(run, runs)
    of = read_manifest(folder).suite
    if of != suite:
        raise UsageError(f"{run} is a run of {of}, not of {suite}")
    return folder


def split_tasks(tasks: str | None) -> list[str]:
    """The value of --task: names with commas between them; none where it is not given."""
    if tasks is None:
        return []
    named = [part.strip() for part in tasks.split(",") if part.strip()]
    if not named:
        raise UsageError("--task: name at least one task, such as 1-2")
    return list(dict.fromkeys(named))
