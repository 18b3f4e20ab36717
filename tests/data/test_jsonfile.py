"""JSON lines, also packed, with errors that name the place."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest
from tests.bounded import told_within

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


def test_a_line_that_never_ends_is_refused_within_a_gigabyte(tmp_path: Path) -> None:
    file = tmp_path / "bomb.jsonl.gz"
    with gzip.open(file, "wb", compresslevel=1) as stream:
        stream.write(b'{"a": 1}\n')
        for _ in range(100):
            stream.write(b"0" * 10_000_000)
    code = (
        "from pathlib import Path\nfrom hengfa.data.jsonfile import read_lines\n"
        f"list(read_lines(Path({str(file)!r}), dict[str, int]))\n"
    )
    assert "bomb.jsonl.gz, row 2: longer than" in told_within(code)


def test_lines_that_unpack_into_gigabytes_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "bomb.jsonl.gz"
    row = b'{"a": 1, "b": "' + b"0" * 10_000 + b'"}\n'
    file.write_bytes(gzip.compress(row * 20_000))
    with pytest.raises(DataError, match=r"bomb\.jsonl\.gz, row \d+: unpacks into more than 200"):
        list(read_lines(file, Row))


def test_text_that_repeats_itself_is_no_bomb(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl.gz"
    file.write_bytes(gzip.compress(b'{"a": 1}\n' * 1_000_000))
    assert sum(row.a for _, row in read_lines(file, Row)) == 1_000_000
