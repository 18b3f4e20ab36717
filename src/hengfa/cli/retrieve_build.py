"""`hengfa retrieve build`: make an index of words or of vectors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hengfa.cli.options import json_option, print_json, say
from hengfa.cli.retrieve_options import FIELDS, FOLDER
from hengfa.errors import UsageError

if TYPE_CHECKING:
    from hengfa.retrieval.corpus import Corpus
    from hengfa.retrieval.methods import Fields

DENSE = "dense"
METHODS = ("bm25-bigrams", "bm25-words", "tfidf", "frequency", "knn", "linear", "fusion", DENSE)


@click.command("build")
@click.argument(
    "corpora",
    metavar="CORPUS.jsonl...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, metavar="INDEX")
@click.option("--method", type=click.Choice(METHODS), default="bm25-bigrams", show_default=True)
@click.option(
    "--encoder", type=FOLDER, metavar="DIR", help="With dense: the folder of the retriever."
)
@click.option(
    "--fields",
    type=FIELDS,
    help="With dense: what it reads of a document, as it was trained.  [default: name+text]",
)
@json_option
def build_(
    corpora: tuple[Path, ...],
    output: Path,
    method: str,
    encoder: Path | None,
    fields: Fields | None,
    as_json: bool,
) -> None:
    """Build an index from JSON lines.

    A row has `id` and `text`, and may have `name` (searched with the text) and `group`. A row that
    also has `labels`, the ids to be found for its text, is no document but an example, from which
    frequency, knn, linear and fusion learn; labels without a document are found by their id.
    linear needs an optional part: pip install "hengfa[retrieval]".

    dense compares vectors, which the encoder of a folder makes of documents and queries; `hengfa
    train retriever` trains one. The index remembers the folder. It needs the optional part of
    training: pip install "hengfa[train]".

    \b
    Example:
      hengfa retrieve build articles.jsonl -o bm25.index --method bm25-words
      hengfa retrieve build articles.jsonl facts.jsonl -o both.index --method fusion
      hengfa retrieve build articles.jsonl -o dense.index --method dense --encoder retriever
    """
    from hengfa.retrieval.corpus import read_corpus  # noqa: PLC0415

    if method == DENSE and encoder is None:
        raise UsageError(
            "--method dense needs --encoder DIR, the folder of a retriever: `hengfa train "
            "retriever` makes one"
        )
    if method != DENSE and (encoder or fields):
        raise UsageError("--encoder and --fields belong to --method dense")
    corpus = read_corpus(corpora)
    if not corpus.documents and not corpus.examples:
        raise UsageError("there is nothing to index: the files have no rows")
    if encoder is not None:
        _build_dense(corpus, output, encoder, fields or "name+text", as_json)
    else:
        _build_words(corpus, output, method, as_json)


def _build_words(corpus: Corpus, output: Path, method: str, as_json: bool) -> None:
    from hengfa.report.terminal.console import counting  # noqa: PLC0415
    from hengfa.retrieval.index import Index  # noqa: PLC0415
    from hengfa.retrieval.methods import NAMED, SUPERVISED  # noqa: PLC0415

    plan = SUPERVISED if method == "fusion" and corpus.examples else NAMED[method]
    with counting("indexing") as watch:
        index = Index.build(corpus, plan, watch)
    index.write(output)
    if as_json:
        print_json(
            {"index": str(output), "method": method, "plan": plan, "targets": len(index)}
            | {"documents": len(corpus.documents), "examples": len(corpus.examples)}
        )
        return
    click.echo(
        f"{len(index):,} targets from {len(corpus.documents):,} documents and"
        f" {len(corpus.examples):,} examples, {method}, in {output}"
    )


def _build_dense(
    corpus: Corpus, output: Path, encoder: Path, fields: Fields, as_json: bool
) -> None:
    from hengfa.report.terminal.console import counting  # noqa: PLC0415
    from hengfa.retrieval.neural.dense_index import DenseIndex  # noqa: PLC0415
    from hengfa.retrieval.neural.encoder import SETTINGS  # noqa: PLC0415

    with counting("encoding") as watch:
        index = DenseIndex.build(corpus.documents, encoder, fields=fields, watch=watch)
    index.write(output)
    if not (encoder / SETTINGS).is_file():
        say(
            f"{encoder} does not say how its vectors are made ({SETTINGS}, which `hengfa train"
            " retriever` writes): that of the first token, compared by inner product"
        )
    if corpus.examples:
        say(f"{len(corpus.examples):,} labelled rows left out: only documents have vectors")
    if as_json:
        print_json(
            {"index": str(output), "method": DENSE, "encoder": str(encoder), "fields": fields}
            | {"targets": len(index), "documents": len(index), "examples": 0}
        )
        return
    click.echo(f"{len(index):,} targets by their vectors of {encoder}, in {output}")
