"""`rag`: the articles that a search finds for a question, shown before it with law and version.

What is searched are the articles of every version at hand, by BM25, or an index of the user's own
(`--set index=DIR`), made of the lines that `hengfa law export --format corpus` writes. That the
article that is asked for is among them is the point of the method; often it is another version of
it, and each says of which day it is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hengfa.base.errors import UsageError
from hengfa.evals.suites.claw.clean import normalise
from hengfa.evals.suites.claw.dataset import RAG, ClawSample, Shelf, laws_in
from hengfa.law.library.export import articles_as_documents
from hengfa.law.library.store import Library

if TYPE_CHECKING:
    from hengfa.law.retrieval.opening import Searcher

Query = Callable[[ClawSample], str]
_LEAD: Final = (
    "以下是按问题检索到的条文，各注明所属法律和该版本的公布日期；可能混有其他法律或其他版本的条文，"
    "也可能没有所问的条文："
)


def before(sample: ClawSample, query: Query) -> str:
    """What stands before a question: the articles that were found for it, in the setting `rag`."""
    return "" if sample.shelf is None else f"{_LEAD}\n\n{article_list(sample, query)}\n\n"


def article_list(sample: ClawSample, query: Query) -> str:
    """The articles as a numbered list, best first."""
    if sample.shelf is None:
        raise UsageError(f"--prompts: the field provisions is of the setting {RAG}")
    found = _articles_for(sample.shelf, query(sample))
    return "\n".join(f"{number}. {article}" for number, article in enumerate(found, 1))


def kinds(sample: ClawSample, query: Query) -> dict[str, str]:
    """Whether the words of the provision stand in the prompt, in whatever version; in `rag`."""
    if sample.shelf is None:
        return {}
    gold, found = normalise(sample.text), _articles_for(sample.shelf, query(sample))
    there = any(gold in normalise(article) for article in found)
    return {"provision in the prompt": "there" if there else "not there"}


def _articles_for(shelf: Shelf, query: str) -> list[str]:
    index = _open_index(shelf.library, shelf.scope, shelf.index, shelf.changed)
    return [f"{index.names[number]}：{index.texts[number]}" for number in _hits(shelf, query)]


@lru_cache(maxsize=200_000)
def _hits(shelf: Shelf, query: str) -> tuple[int, ...]:
    """A question is searched for once, although its prompt is made again when it is kept."""
    index = _open_index(shelf.library, shelf.scope, shelf.index, shelf.changed)
    [hits] = index.search([query], shelf.k)
    return tuple(hit.number for hit in hits)


@lru_cache(maxsize=2)
def _open_index(library_file: str, scope: str, folder: str, _changed: int) -> Searcher:
    # arrays are loaded by those who search
    from hengfa.law.retrieval.corpus import Corpus  # noqa: PLC0415
    from hengfa.law.retrieval.index import Index  # noqa: PLC0415
    from hengfa.law.retrieval.methods import NAMED  # noqa: PLC0415
    from hengfa.law.retrieval.opening import open_index  # noqa: PLC0415

    if folder:
        return open_index(Path(folder))
    with Library.open(Path(library_file)) as library:
        versions = [version for law in laws_in(library, scope) for version in library.versions(law)]
        documents = tuple(articles_as_documents(library, versions))
    return Index.build(Corpus(documents), NAMED["bm25-bigrams"])
