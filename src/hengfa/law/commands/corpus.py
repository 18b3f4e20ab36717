"""What the commands that go through corpora share: their options, the way through, the summary."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import click

from hengfa.base.data.corpora import Block, Corpus
from hengfa.base.data.findings import Part, Summary, find, options_of
from hengfa.base.errors import UsageError, counted
from hengfa.base.options import (
    Command,
    Place,
    force_option,
    print_json,
    say,
    several,
    workers_option,
)
from hengfa.base.terminal.progress import counting_documents, readable_size
from hengfa.base.workers import Executor, Work


class CorpusOptions(NamedTuple):
    """How a corpus is read and where its findings go; `out` is None where there is no corpus."""

    column: str | None
    id_column: str | None
    out: Path | None
    resume: bool
    force: bool
    shard: str | None
    executor: Executor

    def begun_with(self, option: str) -> str | None:
        """What an option was when the folder was begun that --resume goes on with."""
        return options_of(self.out).get(option) if self.out and self.resume else None

    def refuse_others(self, more: Mapping[str, object] | None = None) -> None:
        """Without a folder to write to, nothing of all this can be meant; --force may be of a file
        that is written."""
        given = {
            "--column": self.column,
            "--id-column": self.id_column,
            "--resume": self.resume,
            "--force": self.force and self.out is None,
            "--shard": self.shard,
            **(more or {}),
        }
        if used := [name for name, value in given.items() if value]:
            raise UsageError(f"{used[0]} is for a corpus, whose findings need a folder: -o DIR")


_LARGE = 10**9
"""So many bytes take more than a moment to read."""


def corpus_options_with(out: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Adds the options with this `-o`, and hands them to the command as its argument `corpus`."""
    options = several(
        click.option("--column", metavar="NAME", help="Of a corpus: the column of the texts."),
        click.option(
            "--id-column", metavar="NAME", help="Of a corpus: their ids.  [default: file and row]"
        ),
        out,
        click.option("--resume", is_flag=True, help="Go on with what was begun in the folder."),
        force_option("Begin anew in the folder, beside files of others."),
        click.option(
            "--shard", metavar="I/N", help="Only part I of N; `hengfa parts merge` joins them."
        ),
        workers_option,
    )

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_corpus(*arguments: Any, **named: Any) -> Any:
            given = {name: named.pop(name) for name in CorpusOptions._fields}
            return command(*arguments, corpus=CorpusOptions(**given), **named)

        decorated: Command = options(with_corpus)  # type: ignore[assignment]
        return decorated

    return decorate


corpus_options = corpus_options_with(
    click.option(
        "-o",
        "--out",
        type=Place(file_okay=False),
        metavar="DIR",
        help="The files are a corpus: write its findings as a table into this folder.",
    )
)


def only(files: Sequence[Path]) -> Path:
    """The file of a command that takes several only as a corpus."""
    if len(files) > 1:
        raise UsageError("several files are read as a corpus only: -o DIR")
    return files[0]


def go_through(
    files: Sequence[Path],
    corpus: CorpusOptions,
    work: Work[Block, Part],
    command: str,
    options: Mapping[str, object],
    *,
    as_json: bool,
    read: Callable[[Path], str] | None = None,
) -> Summary:
    """Find what is to be found in a corpus, and print what it comes to.

    `options` are what the findings depend on besides the files; those that are None do not. `read`
    reads files that are a document each.
    """
    from hengfa.base.shards import parse_shard  # noqa: PLC0415 - not for --help

    if read and (corpus.column or corpus.id_column):
        raise UsageError("--column and --id-column are for tables, not for documents")
    if corpus.out is None or (corpus.column is None and read is None):
        raise UsageError("--column NAME says in which column the texts of a corpus stand")
    size = sum(file.stat().st_size for file in files if file.is_file())
    if size > _LARGE:
        say(f"taking the sums of {readable_size(size)}, so that --resume knows the files again")
    with counting_documents() as progress:
        summary = find(
            Corpus(files, corpus.column or "", corpus.id_column, read),
            work,
            corpus.executor,
            corpus.out,
            command=command,
            options={name: str(value) for name, value in options.items() if value is not None},
            shard=parse_shard(corpus.shard) if corpus.shard else None,
            resume=corpus.resume,
            force=corpus.force,
            progress=progress,
        )
    show_summary(summary, corpus.out, as_json=as_json)
    return summary


def show_summary(summary: Summary, folder: Path, *, as_json: bool) -> None:
    if as_json:
        print_json(summary)
        return
    click.echo(f"{counted(summary.documents, 'document')}, {summary.findings:,} findings")
    for name, count in summary.counts.items():
        click.echo(f"  {name} {count:,}")
    if summary.unread:
        say(f"{counted(summary.unread, 'document')} could not be read: see the column `unread`")
    say(f"findings: {folder}")
