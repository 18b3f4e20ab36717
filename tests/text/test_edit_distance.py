"""Edit distance counts characters; divided by the longer text it lies between 0 and 1."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.text.edit_distance import edit_distance, normalised_edit_distance


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
