"""`hengfa judgment`: what a criminal judgment says, as a person would mark it up."""

from __future__ import annotations

from pathlib import Path

import click

from hengfa.cli.judgment_compare import compare_
from hengfa.cli.judgment_differences import differences_
from hengfa.cli.judgment_leakage import leakage_
from hengfa.cli.judgment_prompts import prompts_
from hengfa.cli.judgment_texts import charges_option, file_argument, texts_of
from hengfa.cli.options import json_option, print_json


@click.group()
def command() -> None:
    """Criminal judgments: show what they say, and look into the JuDGE suite.

    Questions are asked with `hengfa eval judgment`, and outputs scored with
    `hengfa score judgment`.

    \b
    Example:
      hengfa judgment parse judgment.docx
      hengfa judgment leakage judgments.jsonl --data sample
    """


for _one in (compare_, differences_, leakage_, prompts_):
    command.add_command(_one)


@command.command("parse")
@file_argument
@click.option("--id", "wanted", metavar="ID", help="Which document of a JSON lines file.")
@charges_option
@json_option
def parse_(file: Path, wanted: str | None, folder: Path | None, as_json: bool) -> None:
    """Show the structure of the judgment in FILE.

    FILE is a text (.txt, .md, .docx), or JSON lines, also gzipped, with `document`, `fd` or
    `content` (or fact, reason and result) and an `id` or `text_id`. Of several documents without
    --id there is one line each. What could not be placed is listed under remarks; no document is
    refused for what it says.

    \b
    Example:
      hengfa judgment parse judgment.txt
      hengfa judgment parse outputs.jsonl --id 17 --charges data/JuDGE
      hengfa judgment parse outputs.jsonl --json > structures.json
    """
    # documents and expressions are loaded by those who need them
    from hengfa.law.judgment.charges import read_charges  # noqa: PLC0415
    from hengfa.law.judgment.parse import parse_judgment  # noqa: PLC0415
    from hengfa.report.terminal.judgment import judgment_document, print_judgment, print_overview  # noqa: PLC0415

    charges = read_charges(folder) if folder else None
    texts = texts_of(file, wanted)
    parsed = [(one, parse_judgment(one.text, charges)) for one in texts]
    if as_json:
        print_json(
            {"documents": [judgment_document(one.name, one.text, made) for one, made in parsed]}
        )
    elif len(parsed) == 1:
        print_judgment(parsed[0][0].name, parsed[0][0].text, parsed[0][1])
    else:
        print_overview([(one.name, made) for one, made in parsed])
