"""The texts that are searched, and labelled examples to learn from: JSON lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from hengfa.base.data.jsonfile import read_lines
from hengfa.base.errors import DataError


class Document(msgspec.Struct, frozen=True):
    id: str
    text: str
    name: str = ""
    group: str = ""  # such as the law that an article is of


class Example(msgspec.Struct, frozen=True):
    """A text of which is known what is to be found for it: the ids in ``labels``.

    Examples of different ``source`` may be labelled by different customs; a part can learn from one
    of them alone.
    """

    id: str
    text: str
    labels: tuple[str, ...]
    source: str = ""


class Query(msgspec.Struct, frozen=True):
    id: str
    text: str


class _Row(msgspec.Struct, frozen=True):
    """JuDGE's files, articles and facts, have the id under another name."""

    text: str
    id: str | int | None = None
    text_id: str | int | None = None
    name: str = ""
    group: str = ""
    labels: tuple[str | int, ...] | None = None
    source: str = ""

    def key(self, file: Path, number: int) -> str:
        name = self.text_id if self.id is None else self.id
        if name is None:
            raise DataError("a row needs an id", file=file, row=number, field="id")
        return str(name)


class Corpus(msgspec.Struct, frozen=True):
    documents: tuple[Document, ...]
    examples: tuple[Example, ...] = ()

    def targets(self) -> list[Document]:
        """What can be found: the documents, then labels that no document bears, sorted."""
        known = {document.id for document in self.documents}
        unknown = {label for example in self.examples for label in example.labels} - known
        return [*self.documents, *(Document(label, "") for label in sorted(unknown))]


def read_corpus(files: Iterable[Path]) -> Corpus:
    """The documents and examples of some files; a row that has `labels` is an example."""
    documents: list[Document] = []
    examples: list[Example] = []
    seen: dict[tuple[str, bool], None] = {}
    for file in files:
        for number, row in read_lines(file, _Row):
            key = (row.key(file, number), row.labels is None)
            if key in seen:
                problem = f"{key[0]!r} has been used before"
                raise DataError(problem, file=file, row=number, field="id")
            seen[key] = None
            if row.labels is None:
                documents.append(Document(key[0], row.text, row.name, row.group))
            else:
                labels = tuple(map(str, row.labels))
                examples.append(Example(key[0], row.text, labels, row.source))
    return Corpus(tuple(documents), tuple(examples))


def read_queries(file: Path) -> list[Query]:
    """Queries of a file of JSON lines with `id` and `text`, in their order."""
    queries: dict[str, Query] = {}
    for number, row in read_lines(file, _Row):
        name = row.key(file, number)
        if name in queries:
            raise DataError(f"{name!r} has been used before", file=file, row=number, field="id")
        queries[name] = Query(name, row.text)
    if not queries:
        raise DataError("no queries in it", file=file)
    return list(queries.values())


def fields_of(documents: Sequence[Document], fields: str) -> list[str]:
    """The texts that are indexed: with the name before them, or alone."""
    if fields == "text":
        return [document.text for document in documents]
    return [document.name + document.text for document in documents]
