"""`hengfa claw`: what goes with the CLaw suite besides asking and scoring."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click
import msgspec

from hengfa.cli.corpus import CorpusOptions, corpus_options, go_through, only
from hengfa.cli.options import (
    Place,
    claim,
    force_option,
    json_option,
    library_option,
    print_json,
    say,
    several,
)
from hengfa.data.jsonfile import write_atomically
from hengfa.data.paths import disk_errors
from hengfa.errors import UsageError

_out_option = several(
    click.option(
        "-o",
        "--out",
        type=Place(dir_okay=False),
        required=True,
        help="File to write.",
    ),
    force_option("Replace the file if it exists."),
)
_cases_option = click.option(
    "--data",
    metavar="sample|DIR",
    help="Read cases from the pack that ships with Hengfa ('sample') or from a folder with a file "
    "cases.jsonl, instead of the installed pack guiding-cases.",
)


@click.group()
def command() -> None:
    """Look into answers to CLaw: recited provisions and reasoned cases.

    Questions are asked with `hengfa eval claw`, and answers scored with `hengfa score claw`.

    \b
    Example:
      hengfa claw diagnose answers.jsonl
      hengfa claw questions -o questions.jsonl
    """


@command.command("diagnose")
@click.argument(
    "files", metavar="ANSWERS.jsonl...", nargs=-1, required=True, type=Place(dir_okay=False)
)
@click.option("--summary", is_flag=True, help="Only the table of classes.")
@library_option
@corpus_options
@json_option
def diagnose_(
    files: tuple[Path, ...],
    summary: bool,
    file: Path | None,
    corpus: CorpusOptions,
    as_json: bool,
) -> None:
    """Say what is wrong with recited provisions.

    Each line has an id such as 民法典/2020-05-28/27.2.1 (law, day of promulgation, position) and a
    prediction, or the fields law, version, position and answer. The law itself decides: every
    character is traced to the provision asked for, the rest of its article, other articles, other
    versions, other laws, or to none of them.

    With -o the files are a corpus (.parquet or .jsonl, also .gz or .zst) of any size, with answers
    in --column and ids in --id-column: one row for each answer goes into findings.parquet.

    \b
    Example:
      hengfa claw diagnose answers.jsonl
      hengfa claw diagnose answers.jsonl --json > diagnoses.json
      hengfa claw diagnose answers.parquet --column prediction --id-column id -o diagnosed
    """
    # arrays and tables are imported by those who need them
    from hengfa.library.diagnosis.recitations import (  # noqa: PLC0415
        RecitationCheck,
        diagnose_all,
        read_recitations,
    )
    from hengfa.library.store import Library  # noqa: PLC0415
    from hengfa.report.terminal.diagnosis import diagnoses_document, print_diagnoses  # noqa: PLC0415

    if corpus.out is not None:
        if corpus.id_column is None:
            raise UsageError("--id-column NAME says where the ids stand that name provisions")
        with Library.open(file) as library:
            place, options = library.path, {"library": library.meta.get("fingerprint", "")}
        work = RecitationCheck(place)
        go_through(files, corpus, work, "claw diagnose", options, as_json=as_json)
        return
    corpus.refuse_others()
    recitations = read_recitations(only(files))
    with Library.open(file) as library:
        diagnosed = list(diagnose_all(library, recitations))
    if as_json:
        print_json(diagnoses_document(diagnosed))
    else:
        print_diagnoses(diagnosed, blocks=not summary)


@command.command("questions")
@_out_option
@_cases_option
def questions_(out: Path, force: bool, data: str | None) -> None:
    """Make a question for each guiding case.

    It is made by rule and written with its provenance: from the focus of dispute that the reasons
    name, from the conditions of the holding, or from the keywords. Each line says from which, in
    which words, and how many letters in a row it shares with a conclusion of the holding (`leak`,
    always below 12) and with the holding as a whole (`overlap`). Questions that somebody else
    wrote, in lines of no, question and rule, can be used in their place:
    `hengfa claw prompts --questions FILE`.

    \b
    Example:
      hengfa data pull guiding-cases
      hengfa claw questions -o questions.jsonl
    """
    from hengfa.suites.claw_cases.dataset import (  # noqa: PLC0415
        load_cases,
        make_questions,
        measure,
    )
    from hengfa.suites.claw_cases.suite import SUITE  # noqa: PLC0415
    from hengfa.suites.plan import data_folder  # noqa: PLC0415

    claim(out, force=force)
    questions = make_questions(load_cases(data_folder(SUITE, data)))
    _write_lines(out, questions)
    measured = ", ".join(f"{name} {value}" for name, value in measure(questions).items())
    say(f"wrote {len(questions)} questions to {out}: {measured}")


@command.command("prompts")
@_out_option
@click.option(
    "--questions",
    type=Place(dir_okay=False),
    help="Take the questions from this file instead of making them by rule.",
)
@_cases_option
def prompts_(out: Path, force: bool, questions: Path | None, data: str | None) -> None:
    """Write the prompts of case reasoning.

    One case a line, with the reasons of the court as the reference.

    \b
    Example:
      hengfa claw prompts -o prompts.jsonl
      hengfa claw prompts --data sample --questions questions.jsonl -o prompts.jsonl
    """
    from hengfa.suites.claw_cases.dataset import (  # noqa: PLC0415
        TASK,
        case_prompt,
        load_samples,
    )
    from hengfa.suites.claw_cases.suite import SUITE  # noqa: PLC0415
    from hengfa.suites.plan import data_folder  # noqa: PLC0415

    claim(out, force=force)
    samples = load_samples(data_folder(SUITE, data), questions)
    lines = [
        {
            "task": TASK,
            "id": sample.id,
            "messages": case_prompt(sample),
            "reference": sample.reference,
            "question": sample.question,
        }
        for sample in samples
    ]
    _write_lines(out, lines)
    say(f"wrote {len(samples)} prompts to {out}")


def _write_lines(file: Path, values: Iterable[object]) -> None:
    lines = b"".join(msgspec.json.encode(value) + b"\n" for value in values)
    with disk_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, lines)
