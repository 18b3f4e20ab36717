"""`hengfa judgment compare`: written judgments beside the court's, element by element."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.cli.options import data_option, json_option, print_json
from hengfa.errors import UsageError
from hengfa.suites.base import Rules


@click.command("compare")
@click.argument("file", metavar="OUTPUT.jsonl", type=click.Path(exists=True, path_type=Path))
@click.option("--id", "wanted", metavar="ID", help="Which case; needed unless --json.")
@click.option(
    "--rules",
    type=click.Choice([str(rules) for rules in Rules]),
    default=str(Rules.OFFICIAL),
    show_default=True,
    help="By which rules elements are read and scored.",
)
@data_option
@json_option
def compare_(file: Path, wanted: str | None, rules: str, data: str | None, as_json: bool) -> None:
    """Show a written judgment beside the court's.

    Months, fine, charges, articles, reasoning and result, as each document has them and what that
    is worth. OUTPUT.jsonl is what `hengfa score judgment` takes. With --json all documents, or the
    one of --id.

    \b
    Example:
      hengfa judgment compare Example_Output.jsonl --data DIR --id ID --rules corrected
      hengfa judgment compare Example_Output.jsonl --data DIR --json > documents.json
    """
    # scoring is for those who ask for it
    from hengfa.report.terminal.judgment import print_side_by_side  # noqa: PLC0415
    from hengfa.suites.base import PredictionContext  # noqa: PLC0415
    from hengfa.suites.judgment.breakdown import side_by_side  # noqa: PLC0415
    from hengfa.suites.judgment.dataset import DIRECT, JudgmentSample  # noqa: PLC0415
    from hengfa.suites.judgment.suite import DOCUMENT, SUITE  # noqa: PLC0415
    from hengfa.suites.plan import find_data  # noqa: PLC0415

    if wanted is None and not as_json:
        raise UsageError("name one case with --id, or ask for all with --json")
    root = find_data(SUITE, data)[0].root
    context = PredictionContext(DIRECT, root, partial=True)
    fixes = frozenset(DOCUMENT.fixes if rules == Rules.CORRECTED else ())
    documents = []
    for saved in SUITE.read_predictions(file, context):
        for sample, response in saved.pairs(DOCUMENT.id):
            if wanted in {None, sample.id} and isinstance(sample, JudgmentSample):
                rows = side_by_side(sample, response.text, fixes, root)
                documents.append((saved.model, sample.id, rows))
    if not documents:
        raise UsageError(f"{file} has no document {wanted!r}")
    if as_json:
        found = [{"model": model, "id": id_, "elements": rows} for model, id_, rows in documents]
        print_json({"rules": rules, "documents": found})
        return
    for model, id_, rows in documents:
        print_side_by_side(f"{model}, {id_}, {rules} rules", rows)
