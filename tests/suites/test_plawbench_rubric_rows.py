"""Reading the released files as rows: either layout, and a bad row named with its field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hengfa.errors import DataError
from hengfa.suites.plawbench.dataset import (
    CASE_FILE,
    CONSULTATION_FILE,
    DOCUMENT_FILES,
    read_cases,
    read_consultation,
    read_documents,
)
from hengfa.suites.plawbench.rubric_case import TAGS

CONSULTATION: dict[str, Any] = {
    "id": 1,
    "conversation": "船撞了。",
    "rubrics": "1.(+3分)何时？",
    "score": "",
}
CASE: dict[str, Any] = {
    "label": "诉讼仲裁",
    "context": "月湖上两船相撞。",
    "question": "谁赔？",
    "rubrics": [{"criterion": "（+5分）甲赔", "points": "5", "tags": tag} for tag in TAGS],
}
DOCUMENT: dict[str, Any] = {
    "id": 1,
    "tag": "碰撞",
    "conversation": "写起诉状。",
    "Rubrics": "一、管辖（5分）",
    "score": 5,
}


def write(folder: Path, name: str, rows: list[dict[str, Any]], *, lines: bool = False) -> Path:
    text = "\n".join(map(json.dumps, rows)) if lines else json.dumps(rows)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("lines", [True, False])
def test_arrays_and_lines_are_read_alike(tmp_path: Path, lines: bool) -> None:
    write(tmp_path, CONSULTATION_FILE, [CONSULTATION, CONSULTATION | {"id": 2}], lines=lines)
    write(tmp_path, CASE_FILE, [CASE], lines=lines)
    write(tmp_path, DOCUMENT_FILES["defendant"], [DOCUMENT], lines=lines)
    assert [row.id for row in read_consultation(tmp_path)] == [1, 2]
    assert [one.maximum for one in read_cases(tmp_path)[0].rubrics] == [5.0] * 4
    assert read_documents(tmp_path, "defendant")[0].rubrics == "一、管辖（5分）"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"rubrics": 1}, "rubrics"),
        ({"conversation": ""}, "conversation"),
        ({"id": "x"}, "id"),
        ({"id": 1}, "id"),
    ],
)
def test_a_bad_consultation_is_named(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    write(tmp_path, CONSULTATION_FILE, [CONSULTATION, CONSULTATION | {"id": 2} | change])
    with pytest.raises(DataError, match=rf"row 1, field '{field}'"):
        read_consultation(tmp_path)


@pytest.mark.parametrize(
    ("criterion", "words"),
    [
        ({"points": "many"}, "points are not a number"),
        ({"points": "0"}, "points are not a number above 0"),
        ({"points": "inf"}, "points are not a number"),
        ({"tags": "其他"}, "the tag is none of"),
        ({"tags": TAGS[1]}, "not the four sections"),
    ],
)
def test_a_bad_criterion_is_named(tmp_path: Path, criterion: dict[str, Any], words: str) -> None:
    rubrics = [CASE["rubrics"][0] | criterion, *CASE["rubrics"][1:]]
    write(tmp_path, CASE_FILE, [CASE, CASE | {"rubrics": rubrics}])
    with pytest.raises(DataError, match=f"row 1.*{words}"):
        read_cases(tmp_path)


@pytest.mark.parametrize("text", ["", "[", "[]", "{}", "[1]", '{"id": 1', "\xff", "[" * 100_000])
def test_what_is_no_row_is_an_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    (tmp_path / CONSULTATION_FILE).write_bytes(text.encode("latin-1"))
    with pytest.raises(DataError, match=CONSULTATION_FILE):
        read_consultation(tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=CASE_FILE):
        read_cases(tmp_path)


def test_a_score_of_nothing_is_refused(tmp_path: Path) -> None:
    write(tmp_path, DOCUMENT_FILES["plaintiff"], [DOCUMENT | {"score": 0}])
    with pytest.raises(DataError, match="row 0, field 'score'"):
        read_documents(tmp_path, "plaintiff")
