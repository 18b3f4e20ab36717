"""`hengfa retrieve`: find provisions and cases for a text; build and measure indexes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hengfa.base.data.paths import disk_errors, regular
from hengfa.base.errors import UsageError, counted
from hengfa.base.options import (
    Place,
    Whole,
    claim,
    force_option,
    json_option,
    library_option,
    lone_worker_option,
    print_json,
    say,
    several,
)
from hengfa.base.terminal.progress import counting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hengfa.base.workers import Executor
    from hengfa.law.library.article_index import Articles
    from hengfa.law.retrieval.corpus import Corpus
    from hengfa.law.retrieval.measures import Run
    from hengfa.law.retrieval.methods import Fields
    from hengfa.law.retrieval.opening import CrossEncoder, Reading, Searcher

_FOLDER = Place(file_okay=False, encoding="utf-8")  # the readers of models take no other
_FIELDS = click.Choice(["text", "name+text"])
DENSE = "dense"
METHODS = ("bm25-bigrams", "bm25-words", "tfidf", "frequency", "knn", "linear", "fusion", DENSE)
_neural_options = several(
    click.option(
        "--encoder",
        type=_FOLDER,
        metavar="DIR",
        help="Where the encoder of an index of vectors lies now, if it has moved.",
    ),
    click.option(
        "--approximate",
        is_flag=True,
        help="Search vectors by a graph, which is made the first time: for a million, not for "
        "some thousand (optional part `dense`).",
    ),
    click.option(
        "--rerank",
        type=_FOLDER,
        metavar="DIR",
        help="Let this reranker order the first hits anew; the others follow as they were.",
    ),
    click.option(
        "--rerank-depth",
        type=Whole(1, 10_000),
        default=50,
        metavar="N",
        help="How many hits it reads.",
    ),
    click.option(
        "--rerank-fields",
        type=_FIELDS,
        default="name+text",
        help="What of a hit it reads: as it was trained.",
    ),
    lone_worker_option,
)
"""The options of which :class:`_Neural` is made."""


class _SearchByDefault(click.Group):
    """`hengfa retrieve QUERY` searches: what names no other command is a query."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        helping = {"-h", "--help"}
        if args and args[0] not in self.commands and args[0] not in helping:
            args = ["search", *args]
        return super().parse_args(context, args)


@click.group(cls=_SearchByDefault)
def command() -> None:
    """Find provisions and cases for a text; build indexes; measure retrievers.

    \b
    Example:
      hengfa retrieve 试用期最长多久
      hengfa retrieve build articles.jsonl -o articles.index
      hengfa retrieve 酒后驾驶机动车 --index articles.index
      hengfa retrieve evaluate articles.index --queries q.jsonl --qrels qrels.txt
    """


def _elsewhere(executor: Executor) -> Executor | None:
    """Who encodes and reranks, if it is not this process."""
    from hengfa.base.workers import Processes  # noqa: PLC0415 - not for --help

    alone = isinstance(executor, Processes) and executor.workers == 1
    return None if alone else executor


@dataclass(frozen=True)
class _Neural:
    """What a call says about encoder and reranker."""

    encoder: Path | None
    approximate: bool
    rerank: Path | None
    rerank_depth: int
    rerank_fields: Fields
    executor: Executor

    @property
    def elsewhere(self) -> Executor | None:
        return _elsewhere(self.executor)

    def check(self, indexes: Sequence[Path]) -> None:
        """Refuse options that none of these indexes has a use for."""
        from hengfa.law.retrieval.opening import holds_vectors  # noqa: PLC0415 - numpy

        options = {
            "--encoder": self.encoder,
            "--approximate": self.approximate,
            "--jobs or --executor": self.elsewhere and not self.rerank,
        }
        named = [name for name, given in options.items() if given]
        if named and not any(map(holds_vectors, indexes)):
            raise UsageError(f"{named[0]} is for an index of vectors: there is none here")

    def open(self, folder: Path) -> Searcher:
        """The index in this folder, whichever kind it is."""
        from hengfa.law.retrieval.opening import open_index  # noqa: PLC0415 - numpy

        with counting(f"opening {folder.name}") as watch:
            return open_index(
                folder,
                encoder=self.encoder,
                approximate=self.approximate,
                watch=watch,
                executor=self.elsewhere,
            )

    def reranker(self) -> CrossEncoder | Reading | None:
        if self.rerank is None:
            return None
        from hengfa.law.retrieval.opening import neural  # noqa: PLC0415 - numpy

        if self.elsewhere is not None:
            return neural().reading(self.rerank)
        with counting(f"opening {self.rerank.name}"):
            return neural().open_reranker(self.rerank)

    def reranked(self, index: Searcher, reranker: CrossEncoder | Reading | None) -> Searcher:
        from hengfa.law.retrieval.opening import Reranked  # noqa: PLC0415 - numpy

        if reranker is None:
            return index
        return Reranked(
            index, reranker, self.rerank_depth, self.rerank_fields, executor=self.elsewhere
        )


@command.command("search")
@click.argument("query")
@click.option(
    "--index",
    "folder",
    type=Place(),
    metavar="DIR",
    help="Search this index, of words or of vectors, instead of the law library.",
)
@click.option("--law", "name", metavar="NAME", help="Only articles of this law of the library.")
@click.option("-k", "--k", type=Whole(1, 1000), default=10)
@_neural_options
@library_option
@json_option
def search_(
    query: str,
    folder: Path | None,
    name: str | None,
    k: int,
    file: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Find what fits QUERY best: articles in force, or what an index holds.

    QUERY is a question, a few words or the facts of a case; `@FILE` takes it from a file. The word
    `search` may be left out. An index of vectors and --rerank need the optional part `train`.

    \b
    Example:
      hengfa retrieve 房东不退押金怎么办 --law 民法典
      hengfa retrieve @facts.txt --index articles.index --k 5 --json
      hengfa retrieve @facts.txt --index dense.index --rerank reranker
    """
    from hengfa.law.terminal.retrieval import print_hits  # noqa: PLC0415

    text = _text(query)
    neural = _Neural(**options)
    neural.check([] if folder is None else [folder])
    only = None
    if folder is None:
        law, only = _law_index(name, file)
        index = neural.reranked(law, neural.reranker())
    elif name or file:
        raise UsageError("--law and --library belong to the law library, not to --index")
    else:
        index = neural.reranked(neural.open(folder), neural.reranker())
    with counting("searching") as watch:
        hits = index.search([text], k, only=only, watch=watch)[0]
    named_hits = [(hit, index.names[hit.number], index.texts[hit.number]) for hit in hits]
    if as_json:
        rows = [
            {"rank": rank, "id": hit.id, "score": hit.score, "name": named, "text": content}
            for rank, (hit, named, content) in enumerate(named_hits, 1)
        ]
        print_json({"query": text, "hits": rows})
        return
    print_hits(
        (f"{hit.id}  {named}".strip(), hit.score, content) for hit, named, content in named_hits
    )
    if not named_hits:
        say("nothing found: no word of the query stands in what was searched")


def _text(query: str) -> str:
    if not query.startswith("@"):
        return query
    try:
        return regular(Path(query[1:])).read_text("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{query[1:]} is not UTF-8 text") from None


def _law_index(name: str | None, file: Path | None) -> tuple[Articles, NDArray[np.bool_]]:
    """The index of the law library, and which articles are in force, of the law that is named."""
    from hengfa.law.grammar.dates import today  # noqa: PLC0415
    from hengfa.law.library.article_index import articles_of  # noqa: PLC0415
    from hengfa.law.library.model import STATUTES  # noqa: PLC0415
    from hengfa.law.library.names import find_law  # noqa: PLC0415
    from hengfa.law.library.search import versions_of  # noqa: PLC0415
    from hengfa.law.library.store import Library  # noqa: PLC0415

    with Library.open(file) as library:
        law = find_law(library, name) if name else None
        articles = articles_of(library, say, counting)
        wanted = versions_of(library, law, STATUTES, today(), "in force on")
    return articles, articles.within(wanted)


@command.command("build")
@click.argument(
    "corpora", metavar="CORPUS.jsonl...", nargs=-1, required=True, type=Place(dir_okay=False)
)
@click.option("-o", "--output", type=Place(), required=True, metavar="INDEX")
@force_option("Write beside what else is in the folder; only files of the same name are replaced.")
@click.option("--method", type=click.Choice(METHODS), default="bm25-bigrams")
@click.option(
    "--encoder", type=_FOLDER, metavar="DIR", help="With dense: the folder of the retriever."
)
@click.option(
    "--fields",
    type=_FIELDS,
    help="With dense: what it reads of a document, as it was trained.  [default: name+text]",
)
@lone_worker_option
@json_option
def build_(
    corpora: tuple[Path, ...],
    output: Path,
    force: bool,
    method: str,
    encoder: Path | None,
    fields: Fields | None,
    executor: Executor,
    as_json: bool,
) -> None:
    """Build an index from JSON lines.

    A row has `id` and `text`, and may have `name` (searched with the text) and `group`. A row that
    also has `labels`, the ids to be found for its text, is no document but an example, from which
    frequency, knn, linear and fusion learn; labels without a document are found by their id.
    linear needs the optional part `retrieval`.

    dense compares vectors, which the encoder of a folder makes of documents and queries; `hengfa
    train retriever` trains one. The index remembers the folder. It needs the optional part `train`.

    \b
    Example:
      hengfa retrieve build articles.jsonl -o bm25.index --method bm25-words
      hengfa retrieve build articles.jsonl facts.jsonl -o both.index --method fusion
      hengfa retrieve build articles.jsonl -o dense.index --method dense --encoder retriever
    """
    from hengfa.law.retrieval.corpus import read_corpus  # noqa: PLC0415

    if method == DENSE and encoder is None:
        raise UsageError(
            "--method dense needs --encoder DIR, the folder of a retriever: `hengfa train "
            "retriever` makes one"
        )
    if method != DENSE and (encoder or fields or _elsewhere(executor)):
        raise UsageError("--encoder, --fields, --jobs and --executor belong to --method dense")
    corpus = read_corpus(corpora)
    if not corpus.documents and not corpus.examples:
        raise UsageError(f"{', '.join(map(str, corpora))}: no rows, nothing to index")
    if encoder is not None:
        _build_dense(corpus, output, encoder, fields or "name+text", force, executor, as_json)
    else:
        _build_words(corpus, output, method, force, as_json)


def _build_words(corpus: Corpus, output: Path, method: str, force: bool, as_json: bool) -> None:
    from hengfa.law.retrieval.index import Index  # noqa: PLC0415
    from hengfa.law.retrieval.methods import NAMED, SUPERVISED  # noqa: PLC0415

    plan = SUPERVISED if method == "fusion" and corpus.examples else NAMED[method]
    with counting("indexing") as watch:
        index = Index.build(corpus, plan, watch)
    index.write(output, force=force)
    if as_json:
        print_json(
            {"index": str(output), "method": method, "plan": plan, "targets": len(index)}
            | {"documents": len(corpus.documents), "examples": len(corpus.examples)}
        )
        return
    click.echo(
        f"{counted(len(index), 'target')} from {counted(len(corpus.documents), 'document')} and"
        f" {len(corpus.examples):,} examples, {method}, in {output}"
    )


def _build_dense(
    corpus: Corpus, output: Path, encoder: Path, fields: Fields, force: bool, executor: Executor,
    as_json: bool,
) -> None:  # fmt: skip
    from hengfa.law.retrieval.opening import neural  # noqa: PLC0415

    with counting("encoding") as watch:
        number, remark = neural().build_vectors(
            corpus.documents, encoder, output, fields=fields, force=force, watch=watch,
            executor=_elsewhere(executor),
        )  # fmt: skip
    if remark:
        say(remark)
    if corpus.examples:
        say(f"{len(corpus.examples):,} labelled rows left out: only documents have vectors")
    if as_json:
        print_json(
            {"index": str(output), "method": DENSE, "encoder": str(encoder), "fields": fields}
            | {"targets": number, "documents": number, "examples": 0}
        )
        return
    click.echo(f"{counted(number, 'target')} by their vectors of {encoder}, in {output}")


@command.command("evaluate")
@click.argument("places", metavar="INDEX|RUN...", nargs=-1, required=True, type=Place())
@click.option(
    "--queries",
    type=Place(dir_okay=False),
    metavar="Q.jsonl",
    help="JSON lines with `id` and `text`; not needed for runs.",
)
@click.option(
    "--qrels",
    type=Place(dir_okay=False),
    required=True,
    metavar="FILE",
    help="Judgments as trec_eval reads them: query 0 document relevance.",
)
@click.option(
    "--run",
    "output",
    type=Place(),
    metavar="OUT",
    help="Write what was found as a TREC run; of several indexes into this folder.",
)
@force_option("Replace runs that are there.")
@click.option(
    "--measure", "measures", multiple=True, metavar="M", help="Such as MRR@100, P@5, R@10, nDCG@10."
)
@click.option("--depth", type=Whole(1, 100_000), default=100)
@_neural_options
@json_option
def evaluate_(
    places: tuple[Path, ...],
    queries: Path | None,
    qrels: Path,
    output: Path | None,
    force: bool,
    measures: tuple[str, ...],
    depth: int,
    as_json: bool,
    **neural: Any,
) -> None:
    """Measure indexes and TREC runs on judged queries, as trec_eval does, and compare them.

    Every judged query counts; one without an answer scores 0. Several are compared with the first
    on the same queries. --rerank is for the indexes, so what it adds is seen beside a run that was
    written without it.

    \b
    Example:
      hengfa retrieve evaluate bm25.index dense.index --queries q.jsonl --qrels qrels.txt --run runs
      hengfa retrieve evaluate runs/bm25.index.run bm25.index --queries q.jsonl \\
          --qrels qrels.txt --rerank reranker
      hengfa retrieve evaluate runs/bm25.index.run --qrels qrels.txt --measure R@100
    """
    from hengfa.law.retrieval.evaluating import evaluate, read_qrels  # noqa: PLC0415
    from hengfa.law.retrieval.measures import STANDARD, parse_measure  # noqa: PLC0415
    from hengfa.law.terminal.retrieval import print_measured  # noqa: PLC0415

    wanted = [parse_measure(measure) for measure in measures] or STANDARD
    judged = read_qrels(qrels)
    indexes = [place for place in places if place.is_dir()]
    targets = {
        place: claim(output if len(indexes) == 1 else output / f"{place.name}.run", force=force)
        for place in indexes
        if output is not None
    }
    runs = _runs(places, queries, depth, targets, _Neural(**neural))
    measured = evaluate(runs, judged, wanted)
    if as_json:
        print_json(measured)
        return
    print_measured(measured)


def _runs(
    places: tuple[Path, ...],
    queries: Path | None,
    depth: int,
    targets: dict[Path, Path],
    neural: _Neural,
) -> dict[str, Run]:
    """What each index finds, and what each run says was found, by the name of its place."""
    from hengfa.law.retrieval.corpus import read_queries  # noqa: PLC0415
    from hengfa.law.retrieval.evaluating import read_run, run_of, write_run  # noqa: PLC0415

    if len(set(places)) < len(places):
        raise UsageError("the same place is named twice")
    indexes = [place for place in places if place.is_dir()]
    if indexes and queries is None:
        raise UsageError("an index is measured on --queries")
    if neural.rerank and not indexes:
        raise UsageError("--rerank reads the texts of an index: a run has none")
    neural.check(indexes)
    asked = read_queries(queries) if queries else []
    runs: dict[str, Run] = {}
    reranker = neural.reranker()
    for place in places:
        if place not in indexes:
            runs[str(place)] = read_run(place)
            continue
        index = neural.reranked(neural.open(place), reranker)
        with counting(f"searching {place.name}") as watch:
            runs[str(place)] = run_of(index, asked, depth, watch)
        if target := targets.get(place):
            with disk_errors(target):
                target.parent.mkdir(parents=True, exist_ok=True)
            write_run(target, runs[str(place)], place.name)
            say(f"run written to {target}")
    return runs
