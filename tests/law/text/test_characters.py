"""Character-bag F1 and the edit distance: what they count, and between which bounds they lie."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.text.characters import character_f1, edit_distance, normalised_edit_distance

TEXTS = st.text(st.characters(codec=None), max_size=30) | st.text("甲乙丙aA1， ", max_size=10)


@pytest.mark.parametrize(
    ("prediction", "gold", "expected"),
    [
        ("三天", "三天", 1.0),
        ("天三", "三天", 1.0),  # order is irrelevant
        ("共三天", "三天", 2 * (2 / 3) / (2 / 3 + 1)),
        ("三三", "三", 2 * 0.5 / 1.5),  # a bag, not a set
        ("三三", "三三三", 2 * 1 * (2 / 3) / (2 / 3 + 1)),
        ("五年", "三天", 0.0),
        ("ABC", "abc", 1.0),
        (" 三，天。", "三天", 1.0),
        ("39.5％", "395", 1.0),  # no decimal point, no percent sign
        ("￥39", "39元", 0.8),
        ("３", "3", 0.0),  # full-width digits are other characters
        ("²", "²", 1.0),  # digits by Python's book, not decimals
        ("", "", 1.0),
        ("。", "，", 1.0),  # both are empty
        ("", "三天", 0.0),
        ("三天", "。", 0.0),
    ],
)
def test_known_cases(prediction: str, gold: str, expected: float) -> None:
    assert character_f1(prediction, gold) == pytest.approx(expected, abs=1e-15)


@given(TEXTS, TEXTS)
def test_is_symmetric_and_between_zero_and_one(one: str, other: str) -> None:
    value = character_f1(one, other)
    assert 0.0 <= value <= 1.0
    assert value == pytest.approx(character_f1(other, one), abs=1e-15)


@given(TEXTS)
def test_every_text_is_like_itself_in_any_case_and_order(text: str) -> None:
    assert character_f1(text, text) == 1.0
    assert character_f1("".join(reversed(text.lower())), text) == 1.0


@pytest.mark.parametrize(
    ("one", "other", "distance", "normalised"),
    [
        ("", "", 0, 0.0),
        ("应当", "应当", 0, 0.0),
        ("应当", "可以", 2, 1.0),
        ("", "应当", 2, 1.0),
        ("三十日内", "六十日内", 1, 0.25),
        ("不得进入渡口", "得进入渡口", 1, 1 / 6),
        ("𠮷野", "吉野", 1, 0.5),
    ],
)
def test_values(one: str, other: str, distance: int, normalised: float) -> None:
    assert edit_distance(one, other) == edit_distance(other, one) == distance
    assert normalised_edit_distance(one, other) == normalised


def _plain(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, mine in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, theirs in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (mine != theirs))
    return row[-1]


@given(st.text("渡船应当停", max_size=12), st.text("渡船应当停", max_size=12))
def test_it_is_the_textbook_distance(one: str, other: str) -> None:
    assert edit_distance(one, other) == _plain(one, other)
    assert 0 <= normalised_edit_distance(one, other) <= 1


def test_a_megabyte_is_no_trouble() -> None:
    assert edit_distance("渡" * 1_000_000, "渡船") == 999_999
