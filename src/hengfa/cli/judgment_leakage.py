"""`hengfa judgment leakage`: test cases in a collection of judgments, before it is used."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.cli.options import data_option, json_option, print_json


@click.command("leakage")
@click.argument(
    "file", metavar="CASES.jsonl", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--threshold",
    type=click.FloatRange(0.5, 1, max_open=True),
    default=0.85,
    show_default=True,
    help="From which similarity on, 2·LCS/(a+b), facts are too close.",
)
@data_option
@json_option
def leakage_(file: Path, threshold: float, data: str | None, as_json: bool) -> None:
    """Find the test cases of JuDGE in a collection of judgments.

    CASES.jsonl, also gzipped, is what `--set cases=FILE` takes (fact and document; upstream's rows;
    fact, reason and result), or rows of facts or documents alone, such as training data. A row is
    too close to a test case if its facts are the same or similar, or if one holds the other. Such
    rows are refused as examples for all questions by `hengfa eval judgment`, always above .85.

    \b
    Example:
      hengfa judgment leakage judgments.jsonl --data DIR
      hengfa judgment leakage train.json.gz --threshold 0.7 --json
    """
    # arrays are loaded by those who need them
    from hengfa.report.terminal.console import counting  # noqa: PLC0415
    from hengfa.report.terminal.judgment import leaks_document, print_leaks  # noqa: PLC0415
    from hengfa.suites.judgment.cases import read_cases  # noqa: PLC0415
    from hengfa.suites.judgment.dataset import all_samples  # noqa: PLC0415
    from hengfa.suites.judgment.leaks import find_leaks  # noqa: PLC0415
    from hengfa.suites.judgment.suite import SUITE  # noqa: PLC0415
    from hengfa.suites.plan import find_data  # noqa: PLC0415

    pack, _ = find_data(SUITE, data)
    with counting("comparing texts"):
        leaks = find_leaks(all_samples(pack.root), read_cases(file, parts=True), threshold)
    if as_json:
        print_json(leaks_document(leaks))
    else:
        print_leaks(leaks)
