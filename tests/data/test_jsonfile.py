"""JSON lines, also packed, with errors that name the place."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from hengfa.data.jsonfile import read_lines
from hengfa.errors import DataError


class Row(msgspec.Struct):
    a: int


LINES = b'\xef\xbb\xbf{"a": 1}\n\n{"a": 2}\n'


def test_lines_are_numbered_as_an_editor_numbers_them(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes(LINES)
    assert [(number, row.a) for number, row in read_lines(file, Row)] == [(1, 1), (3, 2)]


def test_packed_files_are_read_alike_and_damage_is_said(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl.gz"
    file.write_bytes(gzip.compress(LINES))
    assert [row.a for _, row in read_lines(file, Row)] == [1, 2]
    file.write_bytes(gzip.compress(b'{"a": 1}\n' * 500)[:-20])
    with pytest.raises(DataError, match="damaged"):
        list(read_lines(file, Row))
    file.write_bytes(b"no archive")
    with pytest.raises(DataError, match=r"x\.jsonl\.gz"):
        list(read_lines(file, Row))


@pytest.mark.parametrize("line", ['{"a": "x"}', "{", '{"b": 1}', "\xff"])
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "x.jsonl"
    file.write_bytes(b'{"a": 1}\n' + line.encode("latin-1"))
    with pytest.raises(DataError, match="row 2"):
        list(read_lines(file, Row))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nowhere"):
        list(read_lines(tmp_path / "nowhere.jsonl", Row))
