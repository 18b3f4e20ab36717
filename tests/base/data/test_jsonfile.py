"""JSON lines, also packed, with errors that name the place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import msgspec
import pytest
from tests.bounded import told_within

from hengfa.base.data.jsonfile import (
    decode_json,
    encode_json,
    json_decoder,
    read_json,
    read_lines,
    read_rows,
)
from hengfa.base.errors import DataError


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


ODD: list[bytes | str] = [
    b"[" * 100_000,
    b"[" * 100_000 + b"]" * 100_000,
    '{"a":' * 100_000,
    b'"\xff"',
    '"\ud83d"',
    b'"\\ud83d"',
    b'"\xed\xa0\xbd"',
    b"",
    b"\0",
    b"1e999999999",
]


@pytest.mark.parametrize("text", ODD)
def test_whatever_is_wrong_with_json_is_one_kind_of_error(text: bytes | str) -> None:
    for decode in (decode_json, json_decoder(Row), json_decoder(dict[str, msgspec.Raw])):
        with pytest.raises(msgspec.DecodeError):
            decode(text)


@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
def test_nesting_without_end_names_the_file(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_bytes(b'{"a":' * 100_000 + b"1" + b"}" * 100_000)
    with pytest.raises(DataError, match="too deep"):
        read_json(file, dict[str, object])
    for read in (lambda: read_lines(file, dict), lambda: read_rows(file, dict)):
        with pytest.raises(DataError, match=name):
            list(read())


def test_half_a_surrogate_pair_is_written_as_its_escape() -> None:
    assert json.loads(encode_json({"b": "\ud83d法"}, order="sorted")) == {"b": "\ud83d法"}
    whole = {"b": "法", "a": "😀"}
    assert encode_json(whole, order="sorted") == msgspec.json.encode(whole, order="sorted")


def test_a_line_that_never_ends_is_refused_within_a_gigabyte(tmp_path: Path) -> None:
    file = tmp_path / "bomb.jsonl.gz"
    with gzip.open(file, "wb", compresslevel=1) as stream:
        stream.write(b'{"a": 1}\n')
        for _ in range(100):
            stream.write(b"0" * 10_000_000)
    code = (
        "from pathlib import Path\nfrom hengfa.base.data.jsonfile import read_lines\n"
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
