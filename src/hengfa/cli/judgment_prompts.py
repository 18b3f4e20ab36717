"""`hengfa judgment prompts`: what is asked, and what was retrieved for it."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from hengfa.cli.options import data_option, say, set_option
from hengfa.data.jsonfile import write_atomically

_METHODS = ("direct", "few-shot", "rag")


@click.command("prompts")
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="File to write.",
)
@click.option("--method", type=click.Choice(_METHODS), default="rag", show_default=True)
@set_option
@data_option
def prompts_(out: Path, method: str, suite_options: dict[str, str], data: str | None) -> None:
    """Write the prompts, with the provisions and judgments in them.

    One case a line: the messages, the reference, and by their ids the provisions (`retrieved`) and
    judgments (`related`) that stand in the prompt, the articles of the reference (`gold`), how many
    of them were retrieved (`statutes_in_prompt`), and how many judgments were too close to be shown
    (`refused`).

    \b
    Example:
      hengfa judgment prompts --data sample --set cases=folds -o prompts.jsonl
      hengfa judgment prompts --method few-shot --set cases=judgments.jsonl -o prompts.jsonl
    """
    # indexes are loaded by those who need them
    from hengfa.suites.judgment.context import context_of  # noqa: PLC0415
    from hengfa.suites.judgment.dataset import load  # noqa: PLC0415
    from hengfa.suites.judgment.prompts import sample_prompt  # noqa: PLC0415
    from hengfa.suites.judgment.rules import statutes_in_prompt  # noqa: PLC0415
    from hengfa.suites.judgment.suite import DOCUMENT, SUITE  # noqa: PLC0415
    from hengfa.suites.plan import find_data  # noqa: PLC0415

    pack, _ = find_data(SUITE, data)
    samples = load(pack.root, method, SUITE.choose(suite_options))
    lines = []
    for sample in samples:
        context = context_of(sample)
        line = {
            "task": DOCUMENT.id,
            "id": sample.id,
            "messages": sample_prompt(sample),
            "reference": sample.document,
            "gold": sample.articles,
            "retrieved": context.article_ids,
            "related": context.case_ids,
            "statutes_in_prompt": statutes_in_prompt(sample),
            "refused": context.refused,
        }
        lines.append(msgspec.json.encode(line) + b"\n")
    write_atomically(out, b"".join(lines))
    say(f"wrote {len(lines)} prompts to {out}")
