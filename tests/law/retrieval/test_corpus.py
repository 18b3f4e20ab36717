"""Reading documents, examples and queries."""

from __future__ import annotations

from pathlib import Path

import pytest

from hengfa.base.errors import DataError
from hengfa.law.retrieval.corpus import Corpus, Document, Example, Query, read_corpus, read_queries


def test_rows_with_labels_are_examples(tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl"
    file.write_text(
        '{"id": 1, "text": "甲", "name": "第一条", "group": "律"}\n'
        '{"id": "x", "text": "乙", "labels": [1, "9"], "source": "s"}\n'
    )
    corpus = read_corpus([file])
    assert corpus == Corpus(
        (Document("1", "甲", "第一条", "律"),), (Example("x", "乙", ("1", "9"), "s"),)
    )
    assert [target.id for target in corpus.targets()] == ["1", "9"]


def test_rows_of_the_published_data_set_are_read_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "test.json"
    file.write_text('{"text_id": "u-1", "text": "甲", "la": [1], "fd": "判"}\n')
    assert read_queries(file) == [Query("u-1", "甲")]
    assert read_corpus([file]).documents == (Document("u-1", "甲"),)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"id": 1}\n', "row 1, field 'text'"),
        ('{"text": "a"}\n', "row 1, field 'id'"),
        ('{"id": 1, "text": "a"}\n{"id": "1", "text": "b"}\n', "row 2, field 'id'"),
        ("nonsense\n", "row 1: not readable as JSON"),
    ],
)
def test_broken_rows_are_named(tmp_path: Path, content: str, problem: str) -> None:
    file = tmp_path / "c.jsonl"
    file.write_text(content)
    for read in (lambda: read_corpus([file]), lambda: read_queries(file)):
        with pytest.raises(DataError) as error:
            read()
        assert problem in str(error.value)


def test_queries_are_read_in_order_and_must_be_there(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text('{"id": 2, "text": "b"}\n{"id": 1, "text": ""}\n')
    assert read_queries(file) == [Query("2", "b"), Query("1", "")]
    file.write_text("\n")
    with pytest.raises(DataError, match="no queries"):
        read_queries(file)
