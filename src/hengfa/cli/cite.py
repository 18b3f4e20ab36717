"""`hengfa cite`: check the citations of a document against the law library."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import click

from hengfa.api.law import Law, check_citations, today
from hengfa.cli.corpus import CorpusOptions, corpus_options, go_through
from hengfa.cli.options import Day, Place, json_option, library_option, print_json, say
from hengfa.errors import DataError
from hengfa.library.citing.findings import STATUSES, Report


@click.group()
def command() -> None:
    """Check citations of law: do they exist, were they in force, are they quoted right.

    \b
    Example:
      hengfa cite check draft.docx
    """


@command.command("check")
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=Place(exists=True, dir_okay=False),
)
@click.option(
    "--as-of",
    type=Day(),
    metavar="DATE",
    help="The law in force on that day, for citations that name no version.",
)
@click.option("--law", "name", metavar="NAME", help="The law of citations that name none.")
@click.option("--problems", is_flag=True, help="Show only what is not right.")
@click.option(
    "--strict",
    is_flag=True,
    help="Exit with status 1 if a citation is wrong, or what is told of it unlike the provision.",
)
@click.option(
    "--today",
    "day",
    type=Day(),
    metavar="DATE",
    help="Of a corpus: the day that counts where a document has no date.  [default: today]",
)
@library_option
@corpus_options
@json_option
@click.pass_context
def check_(
    context: click.Context,
    files: tuple[Path, ...],
    as_of: date | None,
    name: str | None,
    problems: bool,
    strict: bool,
    day: date | None,
    file: Path | None,
    corpus: CorpusOptions,
    as_json: bool,
) -> None:
    """Check every citation in FILE (.txt, .md, .docx), or in a corpus.

    Of each it says whether the law and the position exist, whether they were in force on the day
    that counts, and whether quoted words are those of the provision: exactly, with other
    characters, from another provision or version, or not in the law at all. What is told of a
    provision without quotation marks is compared with it too, and called unlike it where another
    article is nearer or a number is not the provision's. The day is that of the version that a
    citation names; else --as-of; else the date of the document, which in a judgment is the one at
    its end; else today. What the library does not have is "unknown", never guessed.

    With -o the files are a corpus (.parquet or .jsonl, also .gz or .zst) with a document in each
    row, of any size: one row for each citation goes into findings.parquet, sums into summary.json.

    \b
    Example:
      hengfa cite check judgment.txt
      hengfa cite check draft.docx --as-of 2021-01-01 --problems
      hengfa cite check *.md --json > citations.json
      hengfa cite check judgments.parquet --column text -o checked
    """
    if corpus.out is not None:
        counts = _check_corpus(files, corpus, as_of, name, day, file, problems, as_json)
        context.exit(int(strict and counts["wrong"] + counts["unlike"] > 0))
    corpus.refuse_others({"--today": day})
    reports: list[Report] = []
    failed: list[str] = []
    with Law(file) as law:
        for path in files:
            try:
                report = check_citations(path, law=law, as_of=as_of, default_law=name)
            except DataError as error:
                failed.append(str(error))
                say(f"error: {error}")
                continue
            reports.append(report)
            if not as_json:
                from hengfa.report.terminal.citations import print_citations  # noqa: PLC0415 - not for JSON

                print_citations(report, only_problems=problems)
        fingerprint = law.library.meta.get("fingerprint", "")
    if as_json:
        print_json(_document(reports, failed, fingerprint, only_problems=problems))
    elif len(reports) > 1:
        from hengfa.report.terminal.citations import print_citation_totals  # noqa: PLC0415 - not for JSON

        print_citation_totals(reports)
    if failed or (strict and any(report.wrong for report in reports)):
        context.exit(1)


def _check_corpus(
    files: tuple[Path, ...],
    corpus: CorpusOptions,
    as_of: date | None,
    name: str | None,
    given: date | None,
    file: Path | None,
    problems: bool,
    as_json: bool,
) -> Mapping[str, int]:
    """How many citations have which status."""
    from hengfa.library.citing.corpus import CitationCheck  # noqa: PLC0415 - for corpora

    with Law(file) as law:
        place, fingerprint = law.library.path, law.library.meta.get("fingerprint", "")
        named = None if name is None else law.find(name).name
    begun = corpus.begun_with("today")
    day = given or (date.fromisoformat(begun) if begun else today())
    options = {
        "library": fingerprint,
        "as of": as_of,
        "law": named,
        "today": day,
        "problems": problems or None,
    }
    work = CitationCheck(place, day, as_of, named, problems)
    return go_through(files, corpus, work, "cite check", options, as_json=as_json).counts


def _document(
    reports: list[Report], failed: list[str], fingerprint: str, *, only_problems: bool
) -> dict[str, object]:
    """The one document of --json."""
    totals = {status: sum(report.counts()[status] for report in reports) for status in STATUSES}
    return {
        "library": fingerprint,
        "documents": [
            {
                "name": report.name,
                "day": report.day,
                "notes": report.notes,
                "counts": report.counts(),
                "citations": [
                    citation
                    for citation in report.citations
                    if not only_problems or citation.status not in {"right", "paper"}
                ],
            }
            for report in reports
        ],
        "counts": totals,
        "not_read": failed,
    }
