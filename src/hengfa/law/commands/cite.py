"""`hengfa cite`: check the citations and the case numbers of a document."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import TypeAlias

import click

from hengfa.base.data.archives import LARGEST
from hengfa.base.data.jsonfile import write_atomically
from hengfa.base.errors import DataError, UsageError, counted
from hengfa.base.hooks import part
from hengfa.base.options import (
    Day,
    Place,
    claim,
    json_option,
    lang_option,
    library_option,
    print_json,
    say,
)
from hengfa.law.api import Law
from hengfa.law.commands.corpus import CorpusOptions, corpus_options_with, go_through
from hengfa.law.desk.explain import ExplainedReport, Explainer, default_lang
from hengfa.law.desk.filing import FiledDocument, Filing, file_document, fit, writer_of
from hengfa.law.grammar.dates import today
from hengfa.law.library.case_numbers import VERDICTS, CaseReport, Register, check_case_numbers
from hengfa.law.library.citing.checking import unheard_of
from hengfa.law.library.citing.corpus import UNHEARD_OF, CitationCheck
from hengfa.law.library.citing.findings import FINE, STATUSES, Report
from hengfa.law.library.documents import (
    DOCUMENTS,
    Document,
    document_of,
    documents_below,
    read_content,
    read_document,
)
from hengfa.law.library.words import Lang

_INPUT = Path("-")
_Found: TypeAlias = tuple[bytes, Document, Report]
_FAILS = ("wrong", "unlike", UNHEARD_OF)


@click.group()
def command() -> None:
    """Check citations of law: do they exist, were they in force, are they quoted right.

    \b
    Example:
      hengfa cite check draft.docx
      hengfa cite cases draft.docx
    """


@command.command("check")
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=Place(exists=True, allow_dash=True)
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
    help="Exit with status 1 if a citation is wrong, what is told of it unlike the provision, or a"
    " law cited of which nothing here knows.",
)
@click.option(
    "--comments",
    "comments_file",
    type=Place(dir_okay=False),
    metavar="FILE.docx",
    help="Write the document as a Word file with a comment at each citation.",
)
@click.option(
    "--today",
    "day",
    type=Day(),
    metavar="DATE",
    help="Of a corpus: the day that counts where a document has no date.  [default: today]",
)
@click.option(
    "--reader",
    metavar="MODEL",
    help="Have a model read what is told and was not decided, named as for `hengfa eval`. The texts"
    " go to it.",
)
@click.option("--reader-url", metavar="URL", help="Address of that model's server.")
@click.option(
    "--dry-run", is_flag=True, help="With --reader: say what it would be asked, and ask nothing."
)
@lang_option
@library_option
@corpus_options_with(
    click.option(
        "-o",
        "--out",
        type=Place(),
        metavar="FILE|DIR",
        help="Write a report (.html, .docx, .pdf, .xlsx, .json); or the findings of a corpus, into"
        " this folder.",
    )
)
@json_option
@click.pass_context
def check_(
    context: click.Context,
    files: tuple[Path, ...],
    as_of: date | None,
    name: str | None,
    problems: bool,
    strict: bool,
    comments_file: Path | None,
    day: date | None,
    reader: str | None,
    reader_url: str | None,
    dry_run: bool,
    lang: Lang | None,
    file: Path | None,
    corpus: CorpusOptions,
    as_json: bool,
) -> None:
    """Check every citation in FILE (.txt, .md, .html, .pdf, .docx), in a folder, or in a corpus.

    "-" is the standard input.

    Of each it says whether the law and the position exist, whether they were in force on the day
    that counts, and whether quoted words are those of the provision: exactly, with other
    characters, from another provision or version, or not in the law at all. What is told of a
    provision without quotation marks is read against it word by word: it is right only where it
    comes to the same, unlike where a word excludes the provision's, and else not decided: then the
    status is "exists", and a person compares the two. The day is that of the version that a
    citation names; else --as-of; else the date of the document, which in a judgment is the one at
    its end; else today. What the library does not have is "unknown", never guessed.

    With -o and the name of a file all that is a report to be filed, in Chinese or in English: the
    verdict on each citation in a sentence, the day and why, the text of the provision on that day,
    and what to cite instead.

    With -o and the name of a folder the files are a corpus (.parquet or .jsonl, also .gz or .zst)
    with a document in each row, of any size, or documents and folders of them: one row for each
    citation goes into findings.parquet, sums into summary.json.

    \b
    Example:
      hengfa cite check judgment.txt
      hengfa cite check draft.docx --as-of 2021-01-01 --problems
      hengfa cite check draft.docx -o report.html --lang zh
      hengfa cite check draft.docx --comments draft.checked.docx
      hengfa cite check *.md --json > citations.json
      hengfa cite check drafts -o checked --jobs 2
      hengfa cite check judgments.parquet --column text -o checked
    """
    if corpus.out is not None and (corpus.column is not None or not corpus.out.suffix):
        if comments_file or reader:
            what = (
                "--comments is for one document" if comments_file else "--reader is for documents"
            )
            raise UsageError(f"{what}, not for a corpus")
        counts = _check_corpus(files, corpus, as_of, name, day, file, problems, as_json)
        context.exit(int(strict and sum(map(counts.__getitem__, _FAILS)) > 0))
    corpus.refuse_others({"--today": day})
    _check_reader(reader, reader_url, dry_run=dry_run)
    lang = lang or default_lang()
    write = None if corpus.out is None else writer_of(claim(corpus.out, force=corpus.force))
    if comments_file:
        _check_place(comments_file, files)
    reports, documents, failed = list[Report](), list[FiledDocument](), list[str]()
    strange: dict[str, None] = {}
    with Law(file) as law:
        checker, named = law.checker, law.find(name) if name else None
        explainer = Explainer(checker)
        checked = partial(checker.check, as_of=as_of, law=named)
        once = (
            (content, read, checked(read.text, name=read.name, remarks=read.notes))
            for content, read in _read(_documents(files), failed)
        )
        again = _read_again(once, reader, reader_url, dry_run=dry_run) if reader else once
        for content, read, report in again:
            reports.append(report)
            strange |= dict.fromkeys(unheard_of(report, checker.names))
            if as_json and not (write or comments_file):
                continue
            explained = explainer.explain_all(report, lang, only_problems=problems)
            if comments_file:
                _comment(comments_file, content, read, explained)
            document = file_document(explained, read.text)
            if write:
                documents.append(document)
            if not as_json:
                from hengfa.law.terminal.citations import print_citations  # noqa: PLC0415 - not for JSON

                print_citations(document, lang, in_short=bool(write))
        fingerprint = law.library.fingerprint
    if corpus.out and write:
        not_read = tuple(map(fit, failed))
        filing = Filing(lang, today(), fingerprint, tuple(documents), not_read)
        write_atomically(corpus.out, write(filing))
        say(f"report: {corpus.out}")
    if as_json:
        rows = [
            [each for each in report.citations if not problems or each.status not in FINE]
            for report in reports
        ]
        found = _summary(reports, failed, STATUSES, "citations", rows)
        print_json({"library": fingerprint, **found, "not_known": list(strange)})
    elif len(reports) > 1:
        from hengfa.law.terminal.citations import print_citation_totals  # noqa: PLC0415 - not for JSON

        print_citation_totals(reports, lang)
    if failed or (strict and _fails(reports, strange)):
        context.exit(1)


def _check_reader(reader: str | None, url: str | None, *, dry_run: bool) -> None:
    if (url or dry_run) and not reader:
        raise UsageError("--reader-url and --dry-run are for a reader: --reader MODEL")


def _read_again(
    found: Iterable[_Found], name: str, url: str | None, *, dry_run: bool
) -> Iterator[_Found]:
    """The reports after a second reader, who is asked about all documents at once."""
    # for those who have one
    from hengfa.law.library.citing.second_reader import COST, PART, questions_of, read_again  # noqa: PLC0415

    documents = list(found)
    reports = [report for _, _, report in documents]
    pairs = {pair for report in reports for _, pair in questions_of(report)}
    letters = sum(len(pair.provision) + len(pair.telling) for pair in pairs)
    asked = f"{counted(len(pairs), 'telling')} of {letters:,} letters with the provisions"
    if dry_run:
        say(f"{name} would read {asked}\n{part(COST)(name, pairs)}")
    else:
        say(f"{name} reads {asked}")
        reports = read_again(reports, part(PART)(name, url))
    for (content, document, _), report in zip(documents, reports, strict=True):
        yield content, document, report


def _fails(reports: Sequence[Report], strange: Mapping[str, None]) -> bool:
    if strange:
        say(f"no law is known here by the name of {'、'.join(strange)}")
    return bool(strange or any(report.wrong for report in reports))


def _read(paths: Sequence[Path], failed: list[str]) -> Iterator[tuple[bytes, Document]]:
    """Each document that can be read, with what its file holds; of the others, why not."""
    for path in paths:
        try:
            content = sys.stdin.buffer.read(LARGEST + 1) if path == _INPUT else read_content(path)
            document = document_of(content, str(path))
        except DataError as error:
            failed.append(str(error))
            say(f"error: {error}")
        else:
            yield content, document


def _documents(files: Sequence[Path]) -> list[Path]:
    documents: list[Path] = []
    for file in files:
        below = documents_below(file) if file.is_dir() else [file]
        if not below:
            raise UsageError(f"{file} has no document ({', '.join(sorted(DOCUMENTS))})")
        documents += below
    return documents


def _check_place(place: Path, files: Sequence[Path]) -> None:
    if len(files) > 1 or files[0].is_dir():
        raise UsageError("--comments is for one document")
    if place.suffix.lower() != ".docx":
        raise UsageError(f"{place}: comments go into a Word file, whose name ends in .docx")
    if place.exists() and files[0] != _INPUT and place.samefile(files[0]):
        raise UsageError(f"{place} is the document itself: choose another name")


def _comment(place: Path, content: bytes, document: Document, explained: ExplainedReport) -> None:
    # for those who want comments
    from hengfa.law.desk.word_comments import add_comments, comments_on, is_word, word_file  # noqa: PLC0415

    comments = comments_on(explained)
    word = content if is_word(content) else word_file(document.text)
    done = add_comments(word, document.name, comments, explained.lang, datetime.now(UTC))
    write_atomically(place, done)
    say(f"{len(comments)} comments: {place}")


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
    with Law(file) as law:
        place, fingerprint = law.library.path, law.library.fingerprint
        named = None if name is None else law.find(name).name
    begun = corpus.begun_with("today")
    day = given or (date.fromisoformat(begun) if begun else today())
    options: dict[str, object] = {"library": fingerprint, "as of": as_of, "law": named}
    options |= {"today": day, "problems": problems or None}
    work = CitationCheck(place, day, as_of, named, problems)
    documents = [path for path in files if path.is_dir() or path.suffix.lower() in DOCUMENTS]
    if documents and len(documents) < len(files):
        raise UsageError("documents and tables of documents are two corpora: give one of them")
    paths = _documents(files) if documents else files
    read = _text if documents else None
    return go_through(paths, corpus, work, "cite check", options, as_json=as_json, read=read).counts


def _text(file: Path) -> str:
    document = read_document(file)
    for note in document.notes:
        say(f"{file}: {note}")
    return document.text


def _summary(
    reports: Sequence[Report | CaseReport],
    failed: list[str],
    statuses: Sequence[str],
    name: str,
    rows: Sequence[Sequence[object]],
) -> dict[str, object]:
    """The one document of --json: what was found in each, under a name, and the sums."""
    counts = [{str(status): n for status, n in report.counts().items()} for report in reports]
    return {
        "documents": [
            {
                "name": report.name,
                "day": report.day,
                "notes": report.notes,
                "counts": own,
                name: found,
            }
            for report, own, found in zip(reports, counts, rows, strict=True)
        ],
        "counts": {status: sum(own[status] for own in counts) for status in statuses},
        "not_read": failed,
    }


@command.command("cases")
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=Place(exists=True, dir_okay=False)
)
@click.option(
    "--courts",
    type=Place(exists=True, dir_okay=False),
    metavar="FILE",
    help="More courts: a code and a name in each line, 沪01,上海市第一中级人民法院.",
)
@click.option(
    "--known",
    type=Place(exists=True, dir_okay=False),
    metavar="FILE",
    help="Cases that you know: a number in each line, and where it is from.",
)
@click.option(
    "--as-of",
    type=Day(),
    metavar="DATE",
    help="The day after which no case can have been filed.  [default: today]",
)
@click.option("--problems", is_flag=True, help="Show only numbers with something to look at.")
@click.option("--strict", is_flag=True, help="Exit with status 1 if a number cannot exist.")
@lang_option
@json_option
@click.pass_context
def cases_(
    context: click.Context,
    files: tuple[Path, ...],
    courts: Path | None,
    known: Path | None,
    as_of: date | None,
    problems: bool,
    strict: bool,
    lang: Lang | None,
    as_json: bool,
) -> None:
    """Check every case number (案号) in FILE (.txt, .md, .html, .pdf, .docx).

    A number like （2022）沪01民终12345号 "cannot exist" where a rule forbids it: a year to come, a
    court code of before 2016 or of no high court, an appeal before a basic court. It is "known"
    where a guiding case or your own list has it. All others are "well formed, not known here": that
    is no proof that there is such a case, nor that there is none. Guiding cases (指导案例24号) are
    looked up by number. Numbers that differ in one character are remarked upon.

    Courts come from the pack legalagentbench, guiding cases from guiding-cases (hengfa data pull).

    \b
    Example:
      hengfa cite cases draft.docx
      hengfa cite cases draft.docx --known our-cases.txt --lang zh
      hengfa cite cases *.md --strict --json > numbers.json
    """
    register = Register.installed(courts, known)
    reports, failed = list[CaseReport](), list[str]()
    for _, read in _read(files, failed):
        day, notes = as_of or today(), read.notes
        reports.append(check_case_numbers(read.text, register, day, name=read.name, notes=notes))
    if as_json:
        rows = [
            [case for case in report.numbers if not problems or case.reasons or case.remarks]
            for report in reports
        ]
        print_json(_summary(reports, failed, VERDICTS, "numbers", rows))
    else:
        from hengfa.law.terminal.citations import print_case_numbers  # noqa: PLC0415 - not for JSON

        for report in reports:
            print_case_numbers(report, lang or default_lang(), only_problems=problems)
    if failed or (strict and any(report.counts()["cannot exist"] for report in reports)):
        context.exit(1)
