"""What laws are called."""

from __future__ import annotations

import pytest

from hengfa.errors import UsageError
from hengfa.library import Library, candidates, find_law
from tests.library.fictional import GUIDE, TEA


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


@pytest.mark.parametrize("name", ["", "《》", "x" * 5000, "'; DROP TABLE laws", "%"])
def test_what_is_no_name_is_a_wrong_call(library: Library, name: str) -> None:
    with pytest.raises(UsageError):
        find_law(library, name)
