"""`hengfa suite judgment`: what a criminal judgment says, and what goes with the JuDGE suite."""

from __future__ import annotations

from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias

import click

from hengfa.base.data.jsonfile import write_lines
from hengfa.base.errors import DataError, UsageError, counted
from hengfa.base.options import (
    Number,
    Place,
    Whole,
    claim,
    data_option,
    force_option,
    json_option,
    out_option,
    print_json,
    rule_set_option,
    say,
    set_option,
)
from hengfa.evals.suites.base import Rules
from hengfa.law.commands.corpus import CorpusOptions, corpus_options, go_through, only

Files: TypeAlias = tuple[Path, ...]
_MOST_NAMED = 5
_files_argument = partial(
    click.argument, "files", nargs=-1, required=True, type=Place(exists=True, dir_okay=False)
)


@click.group()
def command() -> None:
    """Criminal judgments: show what they say, and look into the JuDGE suite.

    Questions are asked with `hengfa eval judgment`, and outputs scored with
    `hengfa score judgment`.

    \b
    Example:
      hengfa suite judgment parse judgment.docx
      hengfa suite judgment leakage judgments.jsonl --data sample
      hengfa suite judgment build judgments/ -o mine
    """


@command.command("parse")
@_files_argument(metavar="FILE...")
@click.option("--id", "wanted", metavar="ID", help="Which document of a JSON lines file.")
@click.option(
    "--charges",
    "folder",
    type=Place(exists=True, file_okay=False),
    help="Name crimes as the charges.txt (and charge_aliases.json) of this folder does.",
)
@click.option(
    "--differences",
    "differing",
    is_flag=True,
    help="Show where the official rules of JuDGE read something else than the corrected ones.",
)
@corpus_options
@json_option
def parse_(
    files: Files,
    wanted: str | None,
    folder: Path | None,
    differing: bool,
    corpus: CorpusOptions,
    as_json: bool,
) -> None:
    """Show the structure of the judgment in FILE, or read a corpus of judgments.

    FILE is a text (.txt, .md, .docx), or JSON lines, also gzipped, with `document`, `fd` or
    `content` (or fact, reason and result) and an `id` or `text_id`. Of several documents without
    --id there is one line each. What could not be placed is listed under remarks; no document is
    refused for what it says.

    With --differences both readings of each element that the rules of the suite compare: the sum of
    months and of fines, the charges, the articles of the Criminal Law, and the sections.

    With -o the files are a corpus (.parquet or .jsonl, also .gz or .zst) with a judgment in each
    row, of any size: one row for each sentence, provision, section and remark goes into
    findings.parquet, sums into summary.json.

    \b
    Example:
      hengfa suite judgment parse judgment.txt
      hengfa suite judgment parse outputs.jsonl --id 17 --charges data/JuDGE
      hengfa suite judgment parse outputs.jsonl --json > structures.json
      hengfa suite judgment parse references.jsonl --differences --charges data/JuDGE
      hengfa suite judgment parse judgments.parquet --column text -o parsed
    """
    if corpus.out is not None:
        if differing:
            raise UsageError("--differences is of a few documents: leave out -o")
        _parse_corpus(files, wanted, folder, corpus, as_json)
        return
    corpus.refuse_others()
    # documents and expressions are loaded by those who need them
    from hengfa.evals.report.terminal.judgment import (  # noqa: PLC0415
        judgment_document,
        print_differences,
        print_judgment,
        print_overview,
    )
    from hengfa.evals.suites.judgment.reading import differences  # noqa: PLC0415
    from hengfa.law.grammar.judgment.charges import read_charges  # noqa: PLC0415
    from hengfa.law.grammar.judgment.parse import parse_judgment  # noqa: PLC0415

    charges = read_charges(folder) if folder else None
    texts = _texts_of(only(files), wanted)
    if differing:
        each = [(name, differences(text, charges)) for name, text in texts]
        if as_json:
            print_json({"documents": [{"name": name, "differences": of} for name, of in each]})
        else:
            print_differences(each)
        return
    parsed = [(name, text, parse_judgment(text, charges)) for name, text in texts]
    if as_json:
        print_json({"documents": [judgment_document(*each) for each in parsed]})
    elif len(parsed) == 1:
        print_judgment(*parsed[0])
    else:
        print_overview([(name, made) for name, _, made in parsed])


def _parse_corpus(
    files: Files, wanted: str | None, folder: Path | None, corpus: CorpusOptions, as_json: bool
) -> None:
    from hengfa.base.data.sums import fingerprint, measure  # noqa: PLC0415 - for corpora
    from hengfa.law.grammar.judgment.charges import read_charges  # noqa: PLC0415
    from hengfa.law.grammar.judgment.corpus import JudgmentReading  # noqa: PLC0415

    if wanted is not None:
        raise UsageError("--id shows one document: leave out -o")
    charges = None
    if folder is not None:
        read_charges(folder)  # what is wrong with it is told before any work
        names = ("charges.txt", "charge_aliases.json")
        lists = [name for name in names if (folder / name).is_file()]
        charges = fingerprint(measure(folder / name, name) for name in lists)
    work = JudgmentReading(folder)
    go_through(files, corpus, work, "suite judgment parse", {"charges": charges}, as_json=as_json)


@command.command("compare")
@click.argument("file", metavar="OUTPUT.jsonl", type=Place(exists=True))
@click.option("--id", "wanted", metavar="ID", help="Which case; needed unless --json.")
@rule_set_option
@data_option
@json_option
def compare_(file: Path, wanted: str | None, rules: str, data: str | None, as_json: bool) -> None:
    """Show a written judgment beside the court's.

    Months, fine, charges, articles, reasoning and result, as each document has them and what that
    is worth. OUTPUT.jsonl is what `hengfa score judgment` takes. With --json all documents, or the
    one of --id.

    \b
    Example:
      hengfa suite judgment compare Example_Output.jsonl --data DIR --id ID --rules corrected
      hengfa suite judgment compare Example_Output.jsonl --data DIR --json > documents.json
    """
    # scoring is for those who ask for it
    from hengfa.evals.report.terminal.judgment import print_side_by_side  # noqa: PLC0415
    from hengfa.evals.suites.base import PredictionContext  # noqa: PLC0415
    from hengfa.evals.suites.judgment.dataset import DIRECT, JudgmentSample  # noqa: PLC0415
    from hengfa.evals.suites.judgment.rules import JudgmentRules  # noqa: PLC0415
    from hengfa.evals.suites.judgment.suite import DOCUMENT, SUITE  # noqa: PLC0415
    from hengfa.evals.suites.plan import find_data  # noqa: PLC0415
    from hengfa.evals.suites.predictions import read_predictions  # noqa: PLC0415

    if wanted is None and not as_json:
        raise UsageError("name one case with --id, or ask for all with --json")
    root = find_data(SUITE, data)[0].root
    context = PredictionContext(DIRECT, root, partial=True)
    fixes = frozenset(DOCUMENT.fixes if rules == Rules.CORRECTED else ())
    rule_set = JudgmentRules(fixes, root)
    documents = []
    for saved in read_predictions(SUITE, file, context):
        for sample, response, *_ in chain.from_iterable(map(saved.attempts, saved.tasks())):
            if wanted in {None, sample.id} and isinstance(sample, JudgmentSample):
                comparison = rule_set.compare(sample, rule_set.read(response.text))
                documents.append((saved.model, sample.id, comparison.side_by_side()))
    if not documents:
        raise UsageError(f"{file} has no document {wanted!r}")
    if as_json:
        told = [{"model": model, "id": id_, "elements": rows} for model, id_, rows in documents]
        print_json({"rules": rules, "documents": told})
        return
    for model, id_, rows in documents:
        print_side_by_side(f"{model}, {id_}, {rules} rules", rows)


@command.command("leakage")
@_files_argument(metavar="CASES.jsonl...")
@click.option(
    "--threshold",
    type=Number(0.5, 1, max_open=True),
    default=0.85,
    help="From which similarity on, 2·LCS/(a+b), facts are too close.",
)
@data_option
@corpus_options
@json_option
def leakage_(
    files: Files, threshold: float, data: str | None, corpus: CorpusOptions, as_json: bool
) -> None:
    """Find the test cases of JuDGE in a collection of judgments.

    CASES.jsonl, also gzipped, is what `--set cases=FILE` takes (fact and document; upstream's rows;
    fact, reason and result), or rows of facts or documents alone, such as training data. A row is
    too close to a test case if its facts are the same or similar, or if one holds the other. Such
    rows are refused as examples for all questions by `hengfa eval judgment`, always above .85.

    With -o the files are a corpus (.parquet or .jsonl, also .gz or .zst) with facts or a document
    in each row, of any size: one row for each pair that is too close goes into findings.parquet.

    \b
    Example:
      hengfa suite judgment leakage judgments.jsonl --data DIR
      hengfa suite judgment leakage train.json.gz --threshold 0.7 --json
      hengfa suite judgment leakage pretraining.parquet --column text -o leaks
    """
    # arrays are loaded by those who need them
    from hengfa.base.data.sums import measure  # noqa: PLC0415
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415
    from hengfa.evals.report.terminal.judgment import leaks_document, print_leaks  # noqa: PLC0415
    from hengfa.evals.suites.judgment.cases import LeakSearch, find_leaks, read_cases  # noqa: PLC0415
    from hengfa.evals.suites.judgment.dataset import TEST_FILE, all_samples  # noqa: PLC0415
    from hengfa.evals.suites.judgment.suite import SUITE  # noqa: PLC0415
    from hengfa.evals.suites.plan import find_data  # noqa: PLC0415

    pack, _ = find_data(SUITE, data)
    samples = all_samples(pack.root)
    if corpus.out is not None:
        test = pack.root / TEST_FILE
        options = {"test": measure(test, "test").sha256[:12], "threshold": threshold}
        search = LeakSearch(test, threshold)
        go_through(files, corpus, search, "suite judgment leakage", options, as_json=as_json)
        return
    corpus.refuse_others()
    with counting("comparing texts"):
        leaks = find_leaks(samples, read_cases(only(files), parts=True), threshold)
    if as_json:
        print_json(leaks_document(leaks))
    else:
        print_leaks(leaks)


@command.command("training")
@out_option
@click.option(
    "--for",
    "purpose",
    type=click.Choice(["sft", "retriever", "case-index", "test"]),
    default="sft",
    help="Questions with judgments; provisions with facts that lead to them; facts to be indexed; "
    "the questions of the test itself.",
)
@click.option(
    "--method",
    type=click.Choice(["direct", "few-shot", "rag"]),
    help="How the questions are asked.  [default: direct; of the test: rag]",
)
@set_option
@click.option(
    "--cases",
    metavar="FILE",
    type=Place(exists=True, dir_okay=False),
    help="Judgments with their facts (JSON lines).  [default: the training split of the pack]",
)
@data_option
def training_(
    out: Path,
    force: bool,
    purpose: Literal["sft", "retriever", "case-index", "test"],
    method: str | None,
    options: dict[str, str],
    cases: Path | None,
    data: str | None,
) -> None:
    """Write rows that `hengfa train` and `hengfa retrieve build` read.

    They are made of the training split (`hengfa data pull judge --with train`), or of judgments of
    your own. Judgments that are too close to a case of the test set are left out, and counted. What
    --method few-shot and rag show comes from the other fifths of the judgments; --set says how much
    and how it is found, as for `hengfa eval judgment`.

    --for test writes the prompts of the test itself: the messages, the court's judgment (`target`),
    by their ids the provisions (`retrieved`) and judgments (`related`) that stand in the prompt,
    the articles of the judgment (`gold`), how many of them were retrieved (`statutes_in_prompt`),
    and how many judgments were too close to be shown (`refused`). A model that has learnt from them
    has seen the test.

    \b
    Example:
      hengfa suite judgment training -o rows.jsonl
      hengfa suite judgment training --method rag --set law_index=laws.index -o rows.jsonl
      hengfa suite judgment training --for retriever --cases judgments.jsonl -o labelled.jsonl
      hengfa suite judgment training --for test --data sample --set cases=folds -o prompts.jsonl
    """
    # indexes are loaded by those who need them
    from hengfa.evals.suites.judgment.dataset import DIRECT, RAG, asked_with  # noqa: PLC0415
    from hengfa.evals.suites.judgment.prompts import prompt_rows, training_rows  # noqa: PLC0415
    from hengfa.evals.suites.judgment.suite import SUITE  # noqa: PLC0415
    from hengfa.evals.suites.plan import find_data  # noqa: PLC0415

    if purpose in {"retriever", "case-index"} and (method not in {None, DIRECT} or options):
        raise UsageError("--method and --set are for questions: --for sft or test")
    if purpose == "test" and cases is not None:
        raise UsageError("--cases are to learn with; name what prompts show with --set cases=FILE")
    if purpose != "test" and "cases" in options:
        raise UsageError("--set cases is for the test; name the judgments to learn with --cases")
    claim(out, force=force)
    root, chosen = find_data(SUITE, data)[0].root, SUITE.choose(options)
    if purpose == "test":
        prompts = prompt_rows(root, method or RAG, chosen)
        write_lines(out, prompts)
        say(f"wrote {len(prompts)} prompts to {out}")
        return
    asked = asked_with(root, chosen)
    made = training_rows(root, purpose, cases, method or DIRECT, asked)
    write_lines(out, made.rows)
    if made.leaks.refused:
        say(str(made.leaks))
    say(f"wrote {counted(len(made.rows), 'row')} to {out}")


@command.command("build")
@click.argument("places", metavar="PLACE...", nargs=-1, required=True, type=Place(exists=True))
@click.option("-o", "--out", type=Place(), required=True, metavar="DIR", help="Folder to write.")
@force_option("Write beside what else is in the folder; only files of the same name are replaced.")
@click.option("--facts-at-most", type=Whole(1), default=1000, help="Characters of facts.")
@click.option("--at-least", type=Whole(0), default=1000, help="Characters of a document.")
@click.option("--at-most", type=Whole(1), default=3000, help="The same.")
@click.option(
    "--allow",
    "allowed",
    metavar="REASON",
    multiple=True,
    help="Keep documents in spite of this, such as 'personal number'; may be repeated.",
)
@click.option(
    "--annotations",
    metavar="FILE",
    multiple=True,
    type=Place(exists=True, dir_okay=False),
    help="Twice: `id` and `usable` by two annotators (CSV or JSON lines). Only what both found "
    "usable is kept.",
)
@click.option(
    "--test-share",
    type=Number(0, 1, min_open=True),
    default=0.2,
    help="The share of the cases that is tested with.",
)
@click.option(
    "--laws",
    metavar="FILE",
    type=Place(exists=True, dir_okay=False),
    help="Provisions for `rag` (text_id, text, name), copied to data/law_corpus.jsonl.",
)
@json_option
def build_(
    places: Files,
    out: Path,
    force: bool,
    facts_at_most: int,
    at_least: int,
    at_most: int,
    allowed: tuple[str, ...],
    annotations: Files,
    test_share: float,
    laws: Path | None,
    as_json: bool,
) -> None:
    """Make a data set like JuDGE's out of criminal judgments.

    PLACE is JSON lines as for `hengfa suite judgment parse`, a document (.txt, .md, .docx, .html,
    .pdf), or a folder of documents. Kept are whole judgments of usual length with an article of the
    Criminal Law, a crime and a sentence, each case once, and without anybody's identity number;
    dropped.jsonl says why others are not. Which cases are for the test follows from a digest of
    their facts; cases that are too close to one another stay together. DIR is in upstream's layout:
    `--data DIR` reads it.

    \b
    Example:
      hengfa suite judgment build judgments/ more.jsonl -o mine --laws laws.jsonl
      hengfa suite judgment build judgments.jsonl --annotations a.csv --annotations b.csv -o mine
      hengfa eval judgment --data mine --model floor
    """
    # documents, expressions and arrays are loaded by those who need them
    from hengfa.base.terminal.progress import counting  # noqa: PLC0415
    from hengfa.evals.report.terminal.judgment import print_built  # noqa: PLC0415
    from hengfa.evals.suites.judgment.building import (  # noqa: PLC0415
        ALWAYS,
        REASONS,
        Filters,
        agreement,
        build,
        documents_in,
        read_annotations,
        usable,
        write_data_set,
    )

    can_be = [reason for reason in REASONS if reason not in ALWAYS]
    if unknown := set(allowed).difference(can_be):
        raise UsageError(f"--allow {min(unknown)!r}: there is {', '.join(can_be)}")
    if len(annotations) not in {0, 2}:
        raise UsageError("--annotations: name the files of two annotators")
    both = usable(*annotations) if annotations else None
    agreed = agreement(*map(read_annotations, annotations)) if annotations else ()
    allowing = frozenset(reason for reason in can_be if reason in allowed)
    filters = Filters(facts_at_most, at_least, at_most, allowing, both)
    with counting("reading judgments"):
        made = build(documents_in(places), filters, test_share, agreed)
    write_data_set(made, out, laws=laws, force=force)
    if as_json:
        print_json(made.report)
    else:
        print_built(made.report)
        say(f"wrote {len(made.test)} cases to test and {len(made.training)} to train with to {out}")


@command.command("agreement")
@click.argument("one", metavar="FILE", type=Place(exists=True, dir_okay=False))
@click.argument("other", metavar="FILE", type=Place(exists=True, dir_okay=False))
@json_option
def agreement_(one: Path, other: Path, as_json: bool) -> None:
    """Say how far two annotators, or two extractors, agree on the same documents.

    Both files are CSV or JSON lines with an `id` and a column for whatever was said; compared are
    the columns of that name in both. Cohen's kappa is 1 where they always agree and 0 where they
    agree as chance would.

    \b
    Example:
      hengfa suite judgment agreement first.csv second.csv
    """
    from hengfa.evals.report.terminal.judgment import print_agreement  # noqa: PLC0415 - for those who ask
    from hengfa.evals.suites.judgment.building import agreement, read_annotations  # noqa: PLC0415

    found = agreement(read_annotations(one), read_annotations(other))
    if as_json:
        print_json({"fields": found})
    else:
        print_agreement(found)


def _texts_of(file: Path, wanted: str | None) -> list[tuple[str, str]]:
    """The documents of a file by its name, or of JSON lines by their ids, or the wanted one."""
    # documents and rows are read by those who need them
    from hengfa.evals.suites.judgment.cases import documents_of, is_lines  # noqa: PLC0415
    from hengfa.law.library.documents import read_document  # noqa: PLC0415

    if not is_lines(file):
        if wanted is not None:
            raise UsageError("--id is for JSON lines: this file is one document")
        document = read_document(file)
        for note in document.notes:
            say(f"{file}: {note}")
        return [(document.name, document.text)]
    rows = [(name or str(number), text) for number, name, text in documents_of(file)]
    if not rows:
        raise DataError("there is no document in it", file=file)
    chosen = [(name, text) for name, text in rows if wanted is None or name == wanted]
    if not chosen:
        some = ", ".join(name for name, _ in rows[:_MOST_NAMED])
        more = ", …" if len(rows) > _MOST_NAMED else ""
        raise UsageError(f"{file} has no document {wanted!r}; it has {some}{more}")
    return chosen
