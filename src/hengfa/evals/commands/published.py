"""`hengfa published`: what papers print, whether it adds up, and what goes together in it."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.base.errors import UsageError
from hengfa.base.options import (
    json_option,
    print_json,
    runs_option,
    say,
    setting_option,
    settings_option,
)
from hengfa.evals.results.published.papers import (
    paper_of,
    papers,
    read_tables,
    table_file,
    table_names,
)
from hengfa.evals.suites.registry import outside_suites


class _OrList(click.Group):
    """Without a subcommand it is `list`, so that `hengfa published lawbench` is enough."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in {*self.commands, *context.help_option_names}:
            args = ["list", *args]
        return super().parse_args(context, args)


@click.group("published", cls=_OrList)
def command() -> None:
    """The figures of the five papers, with their sources.

    `hengfa published [SUITE]` lists them, `check` recomputes what can be recomputed and says what
    does not add up, `correlate` asks whether two figures go together across models.

    \b
    Examples:
      hengfa published lawbench
      hengfa published check
    """
    outside_suites()  # makes their tables known


@command.command("list")
@click.argument("suite", required=False)
@setting_option
@json_option
def list_(suite: str | None, setting: str | None, as_json: bool) -> None:
    """List published figures, table by table.

    Without SUITE, which tables there are. Numbers stand as they are printed, per cent as per cent.

    \b
    Examples:
      hengfa published
      hengfa published lawbench --shots 1
      hengfa published judgment --json
    """
    _check_suite(suite)
    if suite is None and setting is not None:
        raise UsageError("--setting and --shots need a SUITE")
    tables = {
        name: [
            row
            for row in read_tables(table_file(name))
            if name != suite or setting in (None, row.setting)
        ]
        for name in table_names(suite)
    }
    if setting is not None and suite is not None and not tables[suite]:
        there_is = ", ".join(dict.fromkeys(row.setting for row in read_tables(table_file(suite))))
        raise UsageError(f"{suite} has no published setting {setting!r}; there is: {there_is}")
    if as_json:
        document = [
            {
                "table": name,
                "paper": paper_of(name),
                "rows": [
                    {
                        "setting": row.setting,
                        "model": row.model,
                        "title": row.title,
                        "source": row.source,
                        "grader": row.grader,
                        "printed": row.printed,
                    }
                    for row in rows
                ],
            }
            for name, rows in tables.items()
        ]
        print_json(document)
        return
    from hengfa.evals.report.terminal.published import print_contents, print_rows  # noqa: PLC0415 - not for JSON

    if suite is None:
        print_contents(tables)
    else:
        for name, rows in tables.items():
            print_rows(name, rows)


@command.command("check")
@click.argument("suite", required=False)
@json_option
def check_(suite: str | None, as_json: bool) -> None:
    """Recompute what can be recomputed, and list what does not add up.

    A printed number stands for every number that rounds to it, so what is listed cannot be, however
    the numbers behind it were rounded. docs/published.md tells the rules and what is known.

    \b
    Examples:
      hengfa published check
      hengfa published check plawbench --json
    """
    # correlations of whole columns need numpy, which listing does not
    from hengfa.evals.results.published.check import check_published  # noqa: PLC0415

    _check_suite(suite)
    report = check_published(suite)
    if as_json:
        print_json(report.as_json())
        return
    from hengfa.evals.report.terminal.published import print_findings  # noqa: PLC0415 - not for JSON

    print_findings(report)


@command.command("correlate")
@click.argument("suite")
@click.option("--x", required=True, metavar="FIGURE", help="A task or figure of the suite.")
@click.option("--y", required=True, metavar="FIGURE", help="Another one.")
@settings_option("all together")
@click.option(
    "--of",
    type=click.Choice(["published", "runs", "both"]),
    default="published",
    help="Models of the paper, runs on this machine, or both.",
)
@runs_option
@json_option
def correlate_(
    suite: str, x: str, y: str, setting: str | None, of: str, runs: Path, as_json: bool
) -> None:
    """Do two figures go together across models?

    Pearson's and Spearman's correlation with 95 % intervals over the models, and a warning where
    these are few. Without --setting, all settings together: then a model may stand for several
    points, which is said too.

    \b
    Examples:
      hengfa published correlate claw --x rouge_l --y case_overall@Gemini-2.5-Pro
      hengfa published correlate legalagentbench --x tokens --y success/all --method react
      hengfa published correlate lawbench --x 1-1 --y 3-1 --shots 0 --of both
    """
    from hengfa.evals.runs.abilities import correlate  # noqa: PLC0415 - needs numpy

    _check_suite(suite)
    together = correlate(
        suite,
        x,
        y,
        setting=setting,
        with_published=of != "runs",
        runs=None if of == "published" else runs,
        notify=say,
    )
    if as_json:
        print_json(together.as_json())
        return
    from hengfa.evals.report.terminal.published import print_together  # noqa: PLC0415 - not for JSON

    print_together(together)


def _check_suite(suite: str | None) -> None:
    if suite is not None and suite not in (known := papers()):
        raise UsageError(f"nothing published of {suite!r}; there is: {', '.join(known)}")
