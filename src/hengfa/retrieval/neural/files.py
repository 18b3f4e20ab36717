"""The files that trainings read: texts, labelled queries, first runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from hengfa.data.jsonfile import read_lines
from hengfa.errors import DataError, UsageError
from hengfa.retrieval.corpus import fields_of, read_corpus
from hengfa.retrieval.methods import Fields
from hengfa.retrieval.neural.examples import LabelledQuery
from hengfa.retrieval.trec import read_run


def read_texts(files: Iterable[Path], field: str) -> list[str]:
    """One text a row, under this name; other fields do not matter."""
    texts = []
    for file in files:
        for number, row in read_lines(file, dict[str, msgspec.Raw]):
            if field not in row:
                raise DataError(
                    f"no such field; there are {', '.join(row)}", file=file, row=number, field=field
                )
            try:
                texts.append(msgspec.json.decode(row[field], type=str))
            except msgspec.ValidationError as error:
                raise DataError(str(error), file=file, row=number, field=field) from error
    return texts


def read_labelled(
    files: Iterable[Path], fields: Fields
) -> tuple[list[LabelledQuery], dict[str, str]]:
    """Queries with their relevant passages (rows with `labels`), and the passages (the others).

    A label without a passage cannot be learnt; a query that has no other is an error.
    """
    corpus = read_corpus(files)
    if not corpus.documents or not corpus.examples:
        raise UsageError(
            "a training needs passages (rows with id and text) and queries (rows with labels too): "
            f"there are {len(corpus.documents)} and {len(corpus.examples)}"
        )
    texts = fields_of(corpus.documents, fields)
    passages = {one.id: text for one, text in zip(corpus.documents, texts, strict=True)}
    queries = [LabelledQuery(one.id, one.text, frozenset(one.labels)) for one in corpus.examples]
    return queries, passages


def read_hard(file: Path, depth: int) -> Mapping[str, list[str]]:
    """For each query of a run the first `depth` passages, best first."""
    return {
        query: [name for name, _ in sorted(found, key=lambda one: (-one[1], one[0]))[:depth]]
        for query, found in read_run(file).items()
    }
