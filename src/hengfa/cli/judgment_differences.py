"""`hengfa judgment differences`: where the published and the corrected rules read differently."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.cli.judgment_texts import charges_option, file_argument, texts_of
from hengfa.cli.options import json_option, print_json


@click.command("differences")
@file_argument
@charges_option
@json_option
def differences_(file: Path, folder: Path | None, as_json: bool) -> None:
    """Show where official and corrected rules differ.

    Compared are the sum of months and of fines, the charges, the articles of the Criminal Law, and
    the sections. FILE is what `hengfa judgment parse` takes. A count of documents for each element,
    then both readings of each.

    \b
    Example:
      hengfa judgment differences references.jsonl --charges data/JuDGE
      hengfa judgment differences outputs.jsonl.gz --json > differences.json
    """
    from hengfa.law.judgment.charges import read_charges  # noqa: PLC0415 - for those who ask
    from hengfa.law.judgment.differences import differences  # noqa: PLC0415
    from hengfa.report.terminal.judgment import print_differences  # noqa: PLC0415

    charges = read_charges(folder) if folder else None
    found = [(one.name, differences(one.text, charges)) for one in texts_of(file)]
    if as_json:
        documents = [{"name": name, "differences": told} for name, told in found]
        print_json({"documents": documents})
    else:
        print_differences(found)
