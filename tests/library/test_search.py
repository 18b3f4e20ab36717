"""Search by words and by questions."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hengfa.library import Library, find_law
from hengfa.library.search import Ranking, search, units_of
from tests.library.fictional import FERRY, TEA, WATER


def texts(library: Library, query: str, **options: object) -> list[str]:
    return [hit.text for hit in search(library, query, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize("query", ["以陈茶冒充新茶", "陈茶冒", "陈茶", "冒充", "充"])
def test_a_phrase_of_any_length_is_found_where_it_stands(library: Library, query: str) -> None:
    assert texts(library, query) == ["以陈茶冒充新茶；"]


def test_words_at_the_very_end_of_a_text_are_found(library: Library) -> None:
    assert texts(library, "新茶；", law=find_law(library, TEA)) == ["以陈茶冒充新茶；"]
    assert "罚款。" in texts(library, "款。")[0]


def test_all_words_come_before_some(library: Library) -> None:
    found = search(library, "茶馆 罚款 明码标价")
    assert not found[0].exact
    found = search(library, "处 五百元 罚款")
    assert found[0].exact
    assert found[0].text == "违反前款规定的，处五百元罚款。"


def test_a_question_finds_what_shares_most_with_it(library: Library) -> None:
    assert texts(library, "坐渡船需要救生衣吗？")[0] == "渡船应当备有救生衣。"


def test_one_text_is_one_hit_however_often_it_stands(library: Library) -> None:
    [hit] = search(library, "渡船应当备有救生衣")
    assert hit.version.law == WATER  # the latest
    assert hit.elsewhere == 1


def test_a_day_limits_the_search_to_what_was_in_force(library: Library) -> None:
    [hit] = search(library, "渡船应当备有救生衣", on=date(2005, 1, 1))
    assert (hit.version.law, hit.elsewhere) == (FERRY, 0)
    assert search(library, "渡船应当备有救生衣", on=date(1990, 1, 1)) == []
    # in 2012 a version of 2008 was in force whose text is unknown
    assert search(library, "明码标价", on=date(2012, 1, 1)) == []
    assert search(library, "明码标价", on=date(2012, 1, 1), reading="latest by") == []


def test_a_search_can_be_held_to_a_law_or_a_kind(library: Library) -> None:
    assert search(library, "救生衣", law=find_law(library, TEA)) == []
    [hit] = search(library, "法院管辖", kinds=["interpretation"])
    assert hit.version.kind == "interpretation"
    assert search(library, "法院管辖", kinds=["statute"]) == []


@pytest.mark.parametrize(
    "query", ["", "   ", "？！", "不存在的词", '"', "OR", "a" * 10_000, "茶*", "NEAR("]
)
def test_nothing_typed_into_a_search_can_break_it(library: Library, query: str) -> None:
    assert isinstance(search(library, query), list)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.text(max_size=60))
def test_no_string_breaks_a_search(library: Library, query: str) -> None:
    for hit in search(library, query, limit=3):
        assert hit.text


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 30), st.integers(1, 12))
def test_every_part_of_every_text_is_found_exactly(
    library: Library, number: int, start: int, length: int
) -> None:
    everything = [e.text for v in library.versions() for e in library.entries(v, role=None)]
    text = everything[number % len(everything)]
    part = text[start % len(text) :][:length]
    if not set(part) & set("，。；：、（）《》"):
        assert text in texts(library, part, limit=1000)


def test_rare_pairs_weigh_more_than_common_ones() -> None:
    ranking = Ranking({"抚养": 10, "可以": 10_000}, 80_000)
    assert ranking.score("抚养费。") > ranking.score("可以。") > ranking.score("其他。") == 0


def test_units_are_pairs() -> None:
    assert units_of(["抚养费", "罪", "抚养"]) == ["抚养", "养费", "罪"]


def test_a_question_of_a_thousand_words_is_searched(library: Library) -> None:
    words = (chr(0x4E00 + number) for number in range(1_000))
    assert search(library, "以陈茶冒充新茶 " + " ".join(words))
