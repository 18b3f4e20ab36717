"""What laws are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from hengfa.base.errors import UsageError
from hengfa.law.library import Library, candidates, find_law
from hengfa.law.library.building.build import build_library
from hengfa.law.library.names import Names
from tests.law.library.fictional import GUIDE, TEA, row, write_rows


@pytest.mark.parametrize(
    ("name", "law"),
    [
        (TEA, TEA),
        ("《月湖茶馆法》", TEA),
        ("月湖茶馆法（2020修正）", TEA),
        ("月湖茶肆条例", TEA),  # its name in 2008
        (GUIDE, GUIDE),
        ("民事诉讼法", "中华人民共和国民事诉讼法"),
        ("中华人民共和国民事诉讼法", "中华人民共和国民事诉讼法"),
        ("民诉法", "中华人民共和国民事诉讼法"),
        ("《民诉法》", "中华人民共和国民事诉讼法"),
        ("月湖节日条例（1993年）", "月湖节日条例（1993年）"),
    ],
)
def test_names_resolve(library: Library, name: str, law: str) -> None:
    assert find_law(library, name).name == law


def test_an_ambiguous_name_lists_what_it_can_mean(library: Library) -> None:
    with pytest.raises(UsageError, match=r"(?s)several laws.*（1988年）.*（1993年）"):
        find_law(library, "月湖节日条例")
    assert len(candidates(library, "月湖节日条例")) == 2


def test_a_near_miss_is_suggested(library: Library) -> None:
    with pytest.raises(UsageError, match="did you mean 月湖茶馆法"):
        find_law(library, "月湖茶管法")


def test_an_abbreviation_of_a_law_that_is_absent_says_so(library: Library) -> None:
    with pytest.raises(UsageError, match="stands for 刑事诉讼法"):
        find_law(library, "刑诉法")


@pytest.mark.parametrize(
    ("name", "heard"),
    [
        (TEA, True),
        ("《月湖茶馆法》（2020修正）", True),
        ("月湖灯笼法", True),  # a law here repeals it
        ("中华人民共和国民法典", True),  # everybody knows it, though it is not here
        ("民诉法", True),
        ("月湖登山法", False),
        ("中华人民共和国人工智能法（试行）", False),
        ("登山法典", False),
        ("月湖登山办法", True),  # not judged, like all that follow
        ("月湖登山条例", True),
        ("法释〔2099〕1号", True),
        ("月湖法院关于登山的解释", True),
        ('月湖"法', False),
        ("", True),
    ],
)
def test_what_is_known_of_a_law_at_all(library: Library, name: str, heard: bool) -> None:
    assert Names(library).heard_of(name) == heard


def test_a_law_is_known_if_a_provision_names_it(tmp_path: Path) -> None:
    text = "# 月湖登山法\n\n第一条 登山适用《中华人民共和国月湖绳索法》和雪橇法。"
    rows = [row("月湖登山法", "2001-01-01", text)]
    build_library([write_rows(tmp_path / "laws", rows)], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as built:
        names = Names(built)
        assert names.heard_of("月湖绳索法")
        assert names.heard_of("《中华人民共和国月湖绳索法》")
        assert not names.heard_of("绳索法")
        assert not names.heard_of("雪橇法")


@pytest.mark.parametrize("name", ["", "《》", "x" * 5000, "'; DROP TABLE laws", "%"])
def test_what_is_no_name_is_a_wrong_call(library: Library, name: str) -> None:
    with pytest.raises(UsageError):
        find_law(library, name)
