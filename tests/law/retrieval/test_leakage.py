"""Near-duplicates are found, all of them, and nothing else."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Indel

from hengfa.law.retrieval.leakage import SHORTEST, find_leakage

FACT = (
    "某甲于春日夜间潜入云山茶行，偷拿新茶两斤，藏于竹篓之中，次日在集市上出售时被茶行伙计认出，"
    "某甲当场承认所为，并将余下的茶叶交还茶行，茶行东家表示谅解，不再追究某甲的责任。"
)


def test_the_same_the_similar_and_the_contained_are_refused_and_reported() -> None:
    same = FACT.replace("，", "， \n")
    similar = FACT.replace("某甲", "某乙").replace("两斤", "三斤")
    contained = FACT + "另查明，" + "镜湖渔人持证捕鱼，湖证过期者须重新申领方可下湖作业。" * 6
    other = "镜湖渔规规定捕鱼须持湖证。" * 10
    report = find_leakage([FACT, "无关的一句话"], [other, same, similar, contained])
    assert [(one.query, one.text, one.closeness) for one in report.refusals] == [
        (0, 1, "same"),
        (0, 3, "contains"),
        (0, 2, "similar"),
    ]
    assert report.refused() == {1, 2, 3}
    assert report.refused_for(1) == frozenset()
    assert "3 of 4 texts are too close to one of 2 queries" in str(report)
    assert "1 same, 1 similar, 1 contains" in str(report)


def test_a_text_is_not_held_against_itself() -> None:
    report = find_leakage([FACT, "别的"], [FACT, "别的"], same_places=True)
    assert report.refusals == ()


def test_short_texts_are_not_contained_by_chance() -> None:
    short = FACT[: SHORTEST - 1]
    assert find_leakage([short], [FACT * 3]).refusals == ()


def test_empty_texts_are_the_same_as_empty_texts_only() -> None:
    report = find_leakage(["", "甲"], [" ", "甲", "乙"])
    assert [(one.query, one.text) for one in report.refusals] == [(0, 0), (1, 1)]


def test_a_threshold_must_make_sense() -> None:
    with pytest.raises(ValueError, match="threshold"):
        find_leakage([FACT], [FACT], 0.2)


@settings(deadline=None, max_examples=150)
@given(
    st.text(alphabet="甲乙丙丁", max_size=40),
    st.lists(st.integers(0, 39), max_size=6),
    st.text(alphabet="甲乙丙丁戊", max_size=6),
    st.sampled_from([0.6, 0.75, 0.85, 0.95]),
)
def test_no_similar_pair_is_lost_by_the_filter(
    text: str, dropped: list[int], added: str, threshold: float
) -> None:
    other = "".join(sign for place, sign in enumerate(text) if place not in dropped)
    middle = len(other) // 2
    other = other[:middle] + added + other[middle:]
    found = {one.text for one in find_leakage([text], [other], threshold).refusals}
    expected = Indel.normalized_similarity(text, other) > threshold or text == other
    assert (0 in found) == expected
    if difflib.SequenceMatcher(None, text, other, autojunk=False).ratio() > threshold:
        assert 0 in found
