"""`hengfa retrieve`: find provisions and cases for a text; build and measure are beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hengfa.cli.law_look import library_option
from hengfa.cli.options import json_option, print_json, say
from hengfa.cli.retrieve_build import build_
from hengfa.cli.retrieve_evaluate import evaluate_
from hengfa.cli.retrieve_options import Neural, neural_options
from hengfa.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hengfa.retrieval.index import Index


class SearchByDefault(click.Group):
    """`hengfa retrieve QUERY` searches: what names no other command is a query."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        helping = {"-h", "--help"}
        if args and args[0] not in self.commands and args[0] not in helping:
            args = ["search", *args]
        return super().parse_args(context, args)


@click.group(cls=SearchByDefault)
def command() -> None:
    """Find provisions and cases for a text; build indexes; measure retrievers.

    \b
    Example:
      hengfa retrieve 试用期最长多久
      hengfa retrieve build articles.jsonl -o articles.index
      hengfa retrieve 酒后驾驶机动车 --index articles.index
      hengfa retrieve evaluate articles.index --queries q.jsonl --qrels qrels.txt
    """


@command.command("search")
@click.argument("query")
@click.option(
    "--index",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Search this index, of words or of vectors, instead of the law library.",
)
@click.option("--law", "name", metavar="NAME", help="Only articles of this law of the library.")
@click.option("-k", "--k", type=click.IntRange(1, 1000), default=10, show_default=True)
@neural_options
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
    `search` may be left out. An index of vectors and --rerank need an optional part: pip install
    "hengfa[train]".

    \b
    Example:
      hengfa retrieve 房东不退押金怎么办 --law 民法典
      hengfa retrieve @facts.txt --index articles.index --k 5 --json
      hengfa retrieve @facts.txt --index dense.index --rerank reranker
    """
    from hengfa.report.terminal.console import counting  # noqa: PLC0415
    from hengfa.report.terminal.retrieval import print_hits  # noqa: PLC0415

    text = _text(query)
    neural = Neural(**options)
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
    found = [(hit, index.names[hit.number], index.texts[hit.number]) for hit in hits]
    if as_json:
        rows = [
            {"rank": rank, "id": hit.id, "score": hit.score, "name": named, "text": content}
            for rank, (hit, named, content) in enumerate(found, 1)
        ]
        print_json({"query": text, "hits": rows})
        return
    print_hits((f"{hit.id}  {named}".strip(), hit.score, content) for hit, named, content in found)
    if not found:
        say("nothing found: no word of the query stands in what was searched")


command.add_command(build_)
command.add_command(evaluate_)


def _text(query: str) -> str:
    if not query.startswith("@"):
        return query
    try:
        return Path(query[1:]).read_text("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{query[1:]} is not UTF-8 text") from None


def _law_index(name: str | None, file: Path | None) -> tuple[Index, NDArray[np.bool_] | None]:
    """The index of the law library, and which of its articles are of the law that is named."""
    from hengfa.cli.retrieve_law import is_of, law_index  # noqa: PLC0415
    from hengfa.library.names import find_law  # noqa: PLC0415
    from hengfa.library.store import Library  # noqa: PLC0415

    with Library.open(file) as library:
        law = find_law(library, name) if name else None
        index = law_index(library)
    if law is None:
        return index, None
    import numpy as np  # noqa: PLC0415

    return index, np.array([is_of(one, law) for one in index.ids], bool)
