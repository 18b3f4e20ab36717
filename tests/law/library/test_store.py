"""Look-ups by key: provisions, composed texts, parts, and many readers at once."""

from __future__ import annotations

import multiprocessing
import pickle
import sqlite3
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest

from hengfa.base.errors import DataError
from hengfa.law.library import FoundVersion, Library, Position, Version, find_law, promulgated_on
from tests.law.library.fictional import FERRY, TEA


def tea(library: Library, day: str = "2001-03-10") -> Version:
    answer = promulgated_on(library, find_law(library, TEA), date.fromisoformat(day))
    assert isinstance(answer, FoundVersion)
    return answer.version


def test_entries_are_leaves_in_order_and_leads_on_request(library: Library) -> None:
    leaves = [entry.position for entry in library.entries(tea(library))]
    assert leaves == [
        Position(1),
        Position(2, None, 1),
        Position(2, None, 2),
        Position(3, None, 1, 1),
        Position(3, None, 1, 2),
        Position(3, None, 1, 3),
        Position(3, None, 2),
        Position(4),
    ]
    leads = list(library.entries(tea(library), role="lead"))
    assert [(one.position, one.text) for one in leads] == [
        (Position(3, None, 1), "经营者不得有下列行为：")
    ]
    assert len(list(library.entries(tea(library), role=None))) == 9


def test_headings_and_labels_come_with_a_provision(library: Library) -> None:
    found = library.provision(tea(library), Position(3, None, 1, 2))
    assert found is not None
    assert found.text == "强迫客人购买点心；"
    assert found.label == "（二）"
    assert found.headings == ("第二章　经营",)


@pytest.mark.parametrize(
    ("position", "text"),
    [
        (Position(1), "为了规范茶馆的经营，制定本法。"),
        (Position(1, None, 1), "为了规范茶馆的经营，制定本法。"),  # the only paragraph
        (Position(2), "茶馆应当明码标价。\n违反前款规定的，处一百元罚款。"),
        (Position(3, None, 1, 3), "拒绝提供热水。"),
        (
            Position(3, None, 1),
            "经营者不得有下列行为：\n（一）以陈茶冒充新茶；\n（二）强迫客人购买点心；\n（三）拒绝提供热水。",
        ),
        (Position(3, None, 2), "有前款行为之一的，处二百元罚款。"),
        (Position(3, None, None, 1), None),  # which paragraph?
        (Position(2, None, 3), None),
        (Position(9), None),
        (Position(1, 1), None),
    ],
)
def test_text_at_every_level(library: Library, position: Position, text: str | None) -> None:
    assert library.text(tea(library), position) == text


def test_an_article_of_several_paragraphs_is_no_single_provision(library: Library) -> None:
    assert library.provision(tea(library), Position(2)) is None
    only = library.provision(tea(library), Position(1, None, 1))
    assert only is not None
    assert only.position == Position(1)


def test_articles_between_numbers_are_found(library: Library) -> None:
    found = library.provision(tea(library, "2020-06-01"), Position(4, 1))
    assert found is not None
    assert found.text == "夜间营业的茶馆应当悬挂灯笼。"


def test_what_is_not_an_article_is_kept_as_a_part(library: Library) -> None:
    [header] = [part for part in library.parts(tea(library)) if part.part == "header"]
    assert "2001年3月10日" in header.text


def test_a_missing_library_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="hengfa law get"):
        Library.open(tmp_path / "law.sqlite")


def test_the_default_lies_in_the_home(own_home: Path) -> None:
    with pytest.raises(DataError, match=str(own_home)):
        Library.open()


@pytest.mark.parametrize("content", [b"", b"not a database" * 100])
def test_a_file_that_is_no_library_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "law.sqlite"
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"law library"):
        Library.open(file)


def test_a_library_of_another_format_is_to_be_built_anew(tmp_path: Path) -> None:
    file = tmp_path / "law.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript("PRAGMA application_id = 1212566615; PRAGMA user_version = 999;")
    connection.close()
    with pytest.raises(DataError, match="hengfa law build"):
        Library.open(file)


def test_names_with_marks_of_sql_are_only_names(library: Library) -> None:
    evil = "茶馆'; DROP TABLE laws; --"
    assert not library.mentions(evil)
    assert library.laws()


def _texts(path: Path, _number: int = 0) -> list[str]:
    with Library.open(path) as library:
        return [entry.text for version in library.versions() for entry in library.entries(version)]


def test_threads_share_one_library(library: Library) -> None:
    expected = _texts(library.path)
    versions = library.versions()

    def read(_number: int) -> list[str]:
        return [entry.text for version in versions for entry in library.entries(version)]

    with ThreadPoolExecutor(8) as pool:
        assert all(found == expected for found in pool.map(read, range(40)))


@pytest.mark.parametrize("start", ["spawn", "forkserver"])
def test_processes_share_one_file(library: Library, start: str) -> None:
    expected = _texts(library.path)
    context = multiprocessing.get_context(start)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        for found in pool.map(_texts, [library.path] * 4):
            assert found == expected


def test_a_library_travels_as_its_path(library: Library) -> None:
    copy: Library = pickle.loads(pickle.dumps(library))
    with copy:
        assert copy.laws() == library.laws()


def test_a_closed_library_opens_again_when_it_is_used(library: Library) -> None:
    library.close()
    assert find_law(library, FERRY).name == FERRY
