"""The journal after a crash: a torn end is moved aside, other damage is named and left alone."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.errors import JournalError
from hengfa.evals.engine.journal import Journal, newest_entries, read_entries
from hengfa.evals.engine.messages import Response, Status

from .asking import question

ANSWERS = [Response(status=Status.ANSWERED, text=f"答案{number}\n「……」") for number in range(3)]


def written(folder: Path) -> Path:
    path = folder / "journal.jsonl"

    async def run() -> None:
        with Journal(path) as journal:
            for number, response in enumerate(ANSWERS):
                request = question(number)
                await journal.append(request, request.prompt_hash(), "m", response)

    asyncio.run(run())
    return path


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    path = written(tmp_path_factory.mktemp("lines"))
    return path.read_bytes().splitlines(keepends=True)


def check_mended(path: Path, whole: int) -> None:
    """The first `whole` answers are there, no byte is lost, and the journal can be gone on with."""
    before, beside = path.read_bytes(), path.with_name("journal.jsonl.torn")
    beside.unlink(missing_ok=True)
    with Journal(path) as journal:
        assert len(journal) == whole
        for number, response in enumerate(ANSWERS):
            expected = response if number < whole else None
            assert journal.find(question(number), question(number).prompt_hash()) == expected
        moved = beside.read_bytes()[:-1] if beside.exists() else b""
        after = path.read_bytes()
        assert before in (after + moved, after.removesuffix(b"\n") + moved)
        said = f"{path}: the last write was torn: {len(moved)} bytes moved to journal.jsonl.torn"
        assert journal.notices == ([said] if moved else [])
        request = question(7)
        asyncio.run(journal.append(request, request.prompt_hash(), "m", ANSWERS[0]))
    with Journal(path) as journal:
        assert journal.notices == []
        assert len(journal) == whole + 1
    assert len(list(read_entries(path))) == whole + 1


def test_every_cut_through_the_last_line_is_mended(lines: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    for cut in range(1, len(lines[2]) - 1):
        path.write_bytes(lines[0] + lines[1] + lines[2][:cut])
        assert [entry.response for entry in newest_entries(path)] == ANSWERS[:2]
        check_mended(path, 2)


def test_a_last_answer_that_lacks_only_its_line_end_is_kept(
    lines: list[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"".join(lines)[:-1])
    assert [entry.response for entry in read_entries(path)] == ANSWERS
    check_mended(path, 3)


@pytest.mark.parametrize("between", [b"\r", b"\r\n", b"", b"\n\n", b" "])
def test_a_journal_that_lost_its_line_ends_is_read_and_gone_on_with(
    between: bytes, lines: list[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"".join(lines).replace(b"\n", between))
    assert [entry.response for entry in newest_entries(path)] == ANSWERS
    check_mended(path, 3)


def test_a_journal_that_became_one_array_is_read_and_gone_on_with(
    lines: list[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"[" + b",".join(line.strip() for line in lines) + b"]")
    assert [entry.response for entry in newest_entries(path)] == ANSWERS
    check_mended(path, 3)


def test_a_journal_that_was_laid_out_over_lines_is_refused_and_left_alone(
    lines: list[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"".join(msgspec.json.format(line, indent=2) + b"\n" for line in lines))
    before = path.read_bytes()
    with pytest.raises(JournalError, match="line 1: not a journal entry"):
        Journal(path)
    assert path.read_bytes() == before


def test_every_cut_through_the_only_line_is_mended(lines: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    for cut in range(1, len(lines[0]) - 1):
        path.write_bytes(lines[0][:cut])
        check_mended(path, 0)


@pytest.mark.parametrize("zeros", [1, 4096, 3 << 20])
@pytest.mark.parametrize("part", [0, 1, 100])
def test_zeros_left_by_a_power_cut_are_mended(
    zeros: int, part: int, lines: list[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(lines[0] + lines[1] + lines[2][:part] + bytes(zeros))
    check_mended(path, 2)


def test_a_whole_object_of_another_kind_at_the_end_is_refused(
    lines: list[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(content := b"".join(lines) + b"{}")
    with pytest.raises(JournalError, match=r"line 4: .* missing required field"):
        Journal(path)
    assert path.read_bytes() == content


def test_zeros_in_place_of_the_beginning_of_the_last_line_are_mended(
    lines: list[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(lines[0] + lines[1] + bytes(40) + lines[2][40:])
    check_mended(path, 2)


# A whole object, of which no write leaves one behind: "{}", "x{1}"; not "{", "}{".
OBJECT = re.compile(rb"\{[^{}]*\}")


@settings(deadline=None)
@given(junk=st.binary(min_size=1).filter(lambda j: b"\n" not in j and not OBJECT.search(j)))
def test_any_torn_end_is_mended(
    junk: bytes, lines: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("junk") / "journal.jsonl"
    path.write_bytes(b"".join(lines) + junk)
    check_mended(path, 3)


@pytest.mark.parametrize("empty", [b"", b"\n", b"\n\n\n", b"[]"])
def test_an_empty_file_is_a_journal(empty: bytes, tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(empty)
    with Journal(path) as journal:
        assert len(journal) == 0


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("damage", [b"{", b"{}", b"\0" * 9, b'{"key": 1}', b"\xff", b"[1]"])
def test_damage_before_the_last_line_is_refused_by_number_and_nothing_is_touched(
    number: int, damage: bytes, lines: list[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "journal.jsonl"
    damaged = [*lines[: number - 1], damage + b"\n", *lines[number:]]
    path.write_bytes(b"".join(damaged))
    with pytest.raises(JournalError, match=f"line {number}: not a journal entry") as refused:
        Journal(path)
    assert "--fresh" in str(refused.value)
    assert path.read_bytes() == b"".join(damaged)


@pytest.mark.parametrize(
    "content",
    [
        b'{"question": "q", "answer": "a"}\n' * 3,
        b"a letter\nto somebody\n",
        b"a letter\nto somebody",
    ],
)
def test_a_file_that_is_no_journal_is_not_emptied(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(content)
    with pytest.raises(JournalError, match="line 1: not a journal entry"):
        Journal(path)
    assert path.read_bytes() == content


def test_a_refused_journal_is_not_left_locked(lines: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"?\n" + lines[0])
    with pytest.raises(JournalError):
        Journal(path)
    path.write_bytes(lines[0])
    with Journal(path) as journal:
        assert len(journal) == 1


@pytest.mark.parametrize(
    "line",
    [
        b'{"key": "test/0000", "prompt_hash": "0"}\n',
        b'{"key": "test/0000", "prompt_hash": "0", "model": "m", "at": "", "response": 7}\n',
        b'{"key": "test/0000", "note": "\xff"}\n',
    ],
)
def test_a_whole_line_of_another_kind_is_named_and_left_alone(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(line)
    with pytest.raises(JournalError, match="line 1: not a journal entry"):
        Journal(path)
    assert path.read_bytes() == line
    with pytest.raises(JournalError, match="line 1: not a journal entry"):
        list(read_entries(path))


def test_reading_beside_a_writer_passes_over_the_line_being_written(
    lines: list[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "journal.jsonl"
    for cut in range(len(lines[2]) - 1):
        path.write_bytes(lines[0] + lines[1] + lines[2][:cut])
        assert [entry.response for entry in read_entries(path)] == ANSWERS[:2]
