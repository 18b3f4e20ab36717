"""Files that are broken, huge, or made to do harm: a build goes on and says what it left out."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hengfa.base.errors import DataError
from hengfa.law.library import Library, find_law
from hengfa.law.library.building.build import build_library
from hengfa.law.library.documents import decode
from tests.law.library.fictional import TEA, TEA_2001, row, write_rows

GOOD = row(TEA, "2001-03-10", TEA_2001)


SIGNS = "第一二三条款（）、　 \n#*->|《》自2020年1月日起施行同时废止修正通过甲乙。；："


def build_with(tmp_path: Path, *rows: dict[str, Any] | bytes) -> Library:
    """A library of one good law and whatever else there is."""
    folder = tmp_path / "laws"
    folder.mkdir(exist_ok=True)
    content = b"".join(
        (one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n"
        for one in (GOOD, *rows)
    )
    (folder / "statutes.jsonl").write_bytes(content)
    build_library([folder], tmp_path / "law.sqlite")
    return Library.open(tmp_path / "law.sqlite")


def test_a_line_of_ten_megabytes(tmp_path: Path) -> None:
    bodies = {
        "一行": "第一条 " + "茶" * 10_000_000,
        "括号": "第一条 " + "（一）" * 300_000,
        "条号": "第一条" * 300_000,
        "空白": "第一条 " + " " * 1_000_000 + "完。",
    }
    rows = [row(f"月湖{name}法", "2001-01-01", text) for name, text in bodies.items()]
    with build_with(tmp_path, *rows) as library:
        assert len(library.versions()) == 5
        assert find_law(library, TEA)


def test_rows_that_are_no_rows_are_reported_by_number(tmp_path: Path) -> None:
    bad: list[dict[str, Any] | bytes] = [
        b"{",
        b"[]",
        b"null",
        b'{"law": "x"}',
        b'{"law": 1, "version": "2001-01-01", "text": "x"}',
        b"\xff\xfe\x00",
        b'{"law": "x", "version": "2001-01-01", "text": "\\ud800"}',
        b"[" * 100_000,
        {"law": "", "version": "2001-01-01", "text": "x"},
        {"law": "x", "version": "2001-13-01", "text": "x"},
        {"law": "x", "version": "yesterday", "text": "x"},
        {"law": "x", "version": "2001-01-01", "text": "x", "kind": "poem"},
        {"law": "x", "version": "2001-01-01", "text": "x", "event": "sung"},
        {"law": "x", "version": "2001-01-01", "text": "x", "effective": "soon"},
    ]
    with build_with(tmp_path, *bad) as library:
        told = {remark.row for remark in library.remarks() if remark.line is None}
        assert told == set(range(2, len(bad) + 2))
        assert len(library.versions()) == 1


def test_texts_without_headings_or_with_articles_twice(tmp_path: Path) -> None:
    bare = "第一条 甲。\n第二条 乙。\n第二条 又是乙。\n第九条 壬。\n第三条 丙。"
    with build_with(tmp_path, row("月湖乱法", "2002-02-02", bare)) as library:
        [version] = library.versions(find_law(library, "月湖乱法"))
        entries = [(e.position.article, e.text) for e in library.entries(version)]
        assert (1, "甲。") in entries
        placed = " ".join(text for _, text in entries)
        unplaced = " ".join(r.text for r in library.remarks() if r.law == version.law)
        for words in ("乙。", "又是乙。", "壬。", "丙。"):
            assert words in placed or words in unplaced


@pytest.mark.parametrize(
    ("encoding", "remark"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("gb18030", "read as GB18030"),
        ("utf-16", "read as UTF-16"),
    ],
)
def test_pages_in_the_encodings_that_circulate(
    tmp_path: Path, encoding: str, remark: str | None
) -> None:
    folder = tmp_path / "Laws"
    folder.mkdir()
    (folder / "茶馆法(2001-03-10).md").write_bytes(TEA_2001.replace("\n", "\r\n").encode(encoding))
    build_library([folder], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        [version] = library.versions()
        assert (version.law, version.articles, version.leaves) == (TEA, 4, 8)
        assert [r.reason for r in library.remarks() if r.line is None] == (
            [remark] if remark else []
        )


def test_bytes_in_no_encoding_are_read_as_far_as_they_go() -> None:
    text, how = decode(TEA_2001.encode() + b"\xff\xff" + "末".encode("gb18030"))
    assert "明码标价" in text
    assert "characters lost" in how
    text, how = decode("茶".encode("utf-16") + b"\x00")
    assert text.startswith("茶")
    assert how


def test_rows_in_gb18030_are_read(tmp_path: Path) -> None:
    line = json.dumps(row("月湖旧法", "1985-01-01", "第一条 旧。"), ensure_ascii=False)
    with build_with(tmp_path, line.encode("gb18030")) as library:
        assert find_law(library, "月湖旧法")


def test_a_broken_archive_is_read_up_to_the_break(tmp_path: Path) -> None:
    folder = write_rows(tmp_path / "laws", [GOOD])
    whole = gzip.compress(b"".join(json.dumps(GOOD).encode() + b"\n" for _ in range(5)))
    (folder / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    (folder / "noise.jsonl.gz").write_bytes(os.urandom(1000))
    (folder / "empty.jsonl.gz").write_bytes(b"")
    build_library([folder], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        told = {Path(r.file).name for r in library.remarks() if "cannot be read" in r.reason}
        assert {"cut.jsonl.gz", "noise.jsonl.gz"} <= told
        assert library.versions()


def test_pages_of_noise_are_no_laws(tmp_path: Path) -> None:
    folder = write_rows(tmp_path / "laws", [GOOD])
    (folder / "noise.md").write_bytes(os.urandom(200_000))
    (folder / "nul(2001-01-01).md").write_bytes(b"\0" * 100_000)
    (folder / "deep(2001-01-01).md").write_text(
        "# 甲法\n\n" + "#" * 100_000 + "\n" + "《" * 100_000
    )
    (folder / "version_calendar.tsv").write_bytes(os.urandom(10_000))
    build_library([folder], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        assert find_law(library, TEA)


def test_links_that_lead_nowhere_do_no_harm(tmp_path: Path) -> None:
    folder = write_rows(tmp_path / "laws", [GOOD])
    (folder / "loop.md").symlink_to("loop.md")
    (folder / "gone.md").symlink_to("nowhere.md")
    build_library([folder], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        assert find_law(library, TEA)


def test_files_whose_names_are_not_utf8_are_left_out_by_name(tmp_path: Path) -> None:
    folder = write_rows(tmp_path / "laws", [GOOD])
    name = os.fsdecode(b"\xb2\xe8.jsonl")  # GBK
    (folder / name).write_text(json.dumps(GOOD), "utf-8")
    build_library([folder], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        [remark] = [remark for remark in library.remarks() if "not UTF-8" in remark.reason]
    assert "\\udcb2" in remark.file
    with pytest.raises(DataError, match="not UTF-8"):
        build_library([folder / name], tmp_path / "law.sqlite")


def test_names_and_texts_are_data_never_commands(tmp_path: Path) -> None:
    evil = "甲法'); DROP TABLE laws; --"
    text = '第一条 "; DROP TABLE texts; --\n第二条 %s {x} \\ \x00。'
    with build_with(tmp_path, row(evil, "2001-01-01", text)) as library:
        law = next(law for law in library.laws() if law.name.startswith("甲法"))
        [version] = library.versions(law)
        assert "DROP TABLE texts" in next(library.entries(version)).text


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.text(alphabet=SIGNS, max_size=300))
def test_no_text_breaks_a_build(tmp_path: Path, text: str) -> None:
    with build_with(tmp_path, row("月湖某法", "2001-01-01", text)) as library:
        for version in library.versions():
            for entry in library.entries(version, role=None):
                assert library.provision(version, entry.position) is not None
                assert library.text(version, entry.position)
