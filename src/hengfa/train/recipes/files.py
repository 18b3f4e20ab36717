"""The files that trainings read: texts, labelled queries, first runs, prompts with targets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from hengfa.base.data.jsonfile import json_decoder, read_lines
from hengfa.base.errors import DataError, UsageError
from hengfa.law.retrieval.corpus import fields_of, read_corpus
from hengfa.law.retrieval.evaluating import read_run
from hengfa.law.retrieval.methods import Fields
from hengfa.train.recipes.fine_tuning import TargetRow
from hengfa.train.recipes.retrievers import LabelledQuery

_text = json_decoder(str)


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
                texts.append(_text(row[field]))
            except msgspec.DecodeError as error:
                raise DataError(str(error), file=file, row=number, field=field) from error
    return texts


def read_labelled(
    files: Iterable[Path], fields: Fields
) -> tuple[list[LabelledQuery], dict[str, str]]:
    """Queries with their relevant passages (rows with `labels`), and the passages (the others). A
    label without a passage cannot be learnt; a query that has no other is an error."""
    corpus = read_corpus(files)
    if not corpus.documents or not corpus.examples:
        raise UsageError(
            "a training needs passages (rows with id and text) and queries (rows with labels too): "
            f"there are {len(corpus.documents)} and {len(corpus.examples)}"
        )
    texts = fields_of(corpus.documents, fields)
    passages = {document.id: text for document, text in zip(corpus.documents, texts, strict=True)}
    queries = [
        LabelledQuery(example.id, example.text, frozenset(example.labels))
        for example in corpus.examples
    ]
    return queries, passages


def read_hard(file: Path, depth: int) -> Mapping[str, list[str]]:
    """For each query of a run the first `depth` passages, best first."""
    return {
        query: [name for name, _ in sorted(listed, key=lambda pair: (-pair[1], pair[0]))[:depth]]
        for query, listed in read_run(file).items()
    }


def read_targets(files: Iterable[Path]) -> list[TargetRow]:
    """JSON lines with a `target` and with either `prompt` or `messages`, what is to be answered."""
    rows = []
    for file in files:
        for number, row in read_lines(file, _TargetLine):
            if (row.prompt is None) == (row.messages is None):
                raise DataError("give either 'prompt' or 'messages'", file=file, row=number)
            if not row.target.strip():
                raise DataError("nothing to learn", file=file, row=number, field="target")
            messages = tuple((message.role, message.content) for message in row.messages or ())
            rows.append(TargetRow(row.target, row.prompt or "", messages))
    return rows


class _TargetLine(msgspec.Struct):
    target: str
    prompt: str | None = None
    messages: list[_Message] | None = None


class _Message(msgspec.Struct):
    role: str
    content: str
