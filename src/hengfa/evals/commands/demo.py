"""`hengfa demo`: everything, offline, on the sample pack."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.base.options import runs_option, say
from hengfa.base.terminal.progress import counting
from hengfa.evals.report.site.build import write_report
from hengfa.evals.report.terminal.outcomes import print_outcomes
from hengfa.evals.runs.evaluate import evaluate
from hengfa.evals.runs.folder import RunFigures
from hengfa.evals.runs.grading import KEYWORDS
from hengfa.evals.suites.builtin import NAMES
from hengfa.evals.suites.plan import SAMPLE_DATA
from hengfa.evals.suites.registry import OWN


@click.command("demo", epilog="Example: hengfa demo")
@runs_option
def command(runs: Path) -> None:
    """Run the built-in models on the sample pack, print a table, write a site of the runs.

    Needs no network, no key and no data: the sample pack is about a country that does not exist.
    """
    folder = runs / "demo"
    notices: dict[str, None] = {}
    for number, suite in enumerate(OWN, 1):
        say(f"{suite} ({number} of {len(OWN)}): asking {', '.join(NAMES)}")
        outcomes: list[RunFigures] = []
        for name in NAMES:
            run = evaluate(
                suite,
                name,
                data=SAMPLE_DATA,
                runs=folder,
                fresh=True,  # an earlier demo is kept aside
                temperature=None,
                graders=[KEYWORDS],
                notify=notices.setdefault,
            )
            outcomes += run.scores.outcomes
        print_outcomes(outcomes)
    for notice in notices:
        say(notice)
    say("writing a site of these runs")
    with counting("reading tasks") as watch:
        # sites of earlier versions list no files: they stay, and the new one is written over them
        site = write_report([folder], runs / "demo-site", runs, force=True, notify=say, watch=watch)
    click.echo(
        "floor knows nothing, ceiling returns the reference, retrieval looks things up.\n"
        f"PLawBench and CLaw's cases are graded here by `{KEYWORDS}`, which only looks for words:\n"
        "a demonstration of the way, not a measure of quality. Real graders are models.\n"
        f"Answers and records are in {folder}/.\n\n"
        "What next:\n"
        f"  the report:          open {site.page} in a browser\n"
        f"  one question:        hengfa show {folder}/lawbench-zero_shot-retrieval-sample 1-1/3\n"
        f"  one graded answer:   hengfa show {folder}/plawbench-all-retrieval-sample case/0\n"
        "  the real benchmark:  hengfa data pull lawbench\n"
        "  who can be asked:    hengfa models\n"
        "  what it would cost:  hengfa eval lawbench --model deepseek:deepseek-chat --dry-run"
    )
