"""Files that are only appended to: whatever happens to them, no entry and no byte is lost."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.data.appended import Appended, read_appended
from hengfa.base.data.jsonfile import json_decoder
from hengfa.base.errors import HengfaError, JournalError


class Note(msgspec.Struct, frozen=True):
    """An entry with what entries have: a number, a text, and something nested."""

    number: int
    text: str
    more: dict[str, str] = {}


DECODE = json_decoder(Note)
NOTES = st.lists(
    st.builds(
        Note,
        st.integers(0, 99),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.just('}\r\n{"[],'),
        st.dictionaries(st.sampled_from("ab"), st.sampled_from(["", "{", "}"])),
    ),
    max_size=5,
)
STYLES = [
    (b"", b"\n", b"\n"),
    (b"", b"\n", b""),
    (b"", b"\n\n", b"\n"),
    (b"", b"\r\n", b"\r\n"),
    (b"", b"\r", b"\r"),
    (b"", b"", b""),
    (b"", b" ", b"\n"),
    (b"[", b", ", b"]"),
    (b"\xef\xbb\xbf[", b",", b"]\n"),
]
PIECES = st.binary(max_size=6) | st.sampled_from(
    [
        b"\n",
        b"\r",
        b"\0" * 9,
        b"}",
        b'"',
        b'{"number": 1, "te',
        b'{"number": 7, "text": ""}',
        b'{"a":',
    ]
)


def opened(path: Path) -> tuple[list[Note], list[str]]:
    """What is read when it is opened for writing, and the notices."""
    file = Appended(path, DECODE, "do something")
    try:
        return [note for _, note in file], file.notices
    finally:
        file.close()


def torn_beside(path: Path) -> bytes:
    beside = path.with_name(f"{path.name}.torn")
    return beside.read_bytes() if beside.exists() else b""


def written(notes: list[Note], style: tuple[bytes, bytes, bytes]) -> tuple[bytes, list[range]]:
    """The bytes of a file, and where in it each note stands."""
    before, between, after = style
    content, places = before, []
    for number, note in enumerate(notes):
        content += between if number else b""
        encoded = msgspec.json.encode(note)
        places.append(range(len(content), len(content) + len(encoded)))
        content += encoded
    return content + after, places


@pytest.mark.parametrize("style", STYLES)
def test_entries_are_read_whatever_stands_between_them(
    style: tuple[bytes, bytes, bytes], tmp_path: Path
) -> None:
    path = tmp_path / "file"
    notes = [Note(n, "第一行\n「}{」", {"a": "]"}) for n in range(160)]
    content, _ = written(notes, style)
    path.write_bytes(content)
    assert list(read_appended(path, DECODE, "")) == notes
    assert path.read_bytes() == content
    assert opened(path) == (notes, [])
    assert path.read_bytes() == content if content.endswith(b"\n") else content + b"\n"
    file = Appended(path, DECODE, "")
    list(file)
    file.append(msgspec.json.encode(Note(160, "")) + b"\n")
    file.close()
    assert opened(path) == ([*notes, Note(160, "")], [])
    assert not torn_beside(path)


@settings(deadline=None, max_examples=500)
@given(notes=NOTES, style=st.sampled_from(STYLES), data=st.data())
def test_any_change_of_bytes_loses_no_entry_that_it_did_not_touch_and_no_byte(
    notes: list[Note],
    style: tuple[bytes, bytes, bytes],
    data: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    content, places = written(notes, style)
    start = data.draw(st.integers(0, len(content)))
    stop = data.draw(st.sampled_from([start, start + 1, start + 5, len(content)]))
    changed = content[:start] + data.draw(PIECES) + content[stop:]
    untouched = [
        note
        for note, place in zip(notes, places, strict=True)
        if place.stop <= start or place.start >= stop
    ]
    path = tmp_path_factory.mktemp("changed") / "file"
    path.write_bytes(changed)
    try:
        kept, notices = opened(path)
    except JournalError as refused:
        assert str(path) in str(refused)
        assert (path.read_bytes(), torn_beside(path)) == (changed, b"")
        return
    rest = iter(kept)
    assert all(note in rest for note in untouched), "all of them, in their order"
    after, torn = path.read_bytes(), torn_beside(path)
    assert bool(torn) == bool(notices)
    assert changed in (after + torn[:-1], after.removesuffix(b"\n") + torn[:-1])
    assert opened(path) == (kept, []), "mended for good"


@settings(deadline=None, max_examples=200)
@given(
    content=st.binary(max_size=60)
    | st.text(max_size=60).map(lambda text: json.dumps(text).encode())
)
def test_a_file_of_anything_is_refused_or_kept_to_the_last_byte(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / "file"
    path.write_bytes(content)
    try:
        opened(path)
    except JournalError:
        assert path.read_bytes() == content
    else:
        after, torn = path.read_bytes(), torn_beside(path)
        assert content in (after + torn[:-1], after.removesuffix(b"\n") + torn[:-1])


def test_what_is_torn_again_and_again_is_all_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    whole = b'{"number":1,"text":""}\n'
    for torn in (b'{"number":', b'{"number":2,"text":"'):
        path.write_bytes(whole + torn)
        kept, notices = opened(path)
        assert kept == [Note(1, "")]
        assert notices == [f"{path}: the last write was torn: {len(torn)} bytes moved to file.torn"]
        assert path.read_bytes() == whole
    assert torn_beside(path) == b'{"number":\n{"number":2,"text":"\n'


@pytest.mark.parametrize("between", [b"\n", b"\r", b"", b","])
@pytest.mark.parametrize("damage", [b"x", b"\0", b'{"number":', b'"', b'{"a":'])
def test_damage_before_an_entry_is_refused_whatever_stands_between_them(
    between: bytes, damage: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    whole = b'{"number":1,"text":""}'
    path.write_bytes(between.join([whole, whole, damage + whole, whole]))
    before = path.read_bytes()
    with pytest.raises(JournalError, match=r"line [13]: not a journal entry \(at byte \d+\)"):
        opened(path)
    with pytest.raises(JournalError):
        list(read_appended(path, DECODE, ""))
    assert (path.read_bytes(), torn_beside(path)) == (before, b"")


@pytest.mark.parametrize(
    "line", [b"[" * 100_000, b'{"number":' * 100_000, b'{"text":' + b"[" * 100_000]
)
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_nesting_without_end_is_refused_or_moved(line: bytes, end: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b'{"number":1,"text":""}\n' + line + end)
    before = path.read_bytes()
    try:
        kept, _ = opened(path)
    except JournalError as refused:
        assert "nested too deep" in str(refused)
        assert path.read_bytes() == before
    else:
        assert kept == [Note(1, "")]


def test_a_link_in_place_of_what_was_torn_is_not_followed(tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "file", tmp_path / "elsewhere"
    path.write_bytes(b'{"number":1')
    path.with_name("file.torn").symlink_to(elsewhere)
    with pytest.raises(HengfaError):
        opened(path)
    assert path.read_bytes() == b'{"number":1'
    assert not elsewhere.exists()
