"""Lengths of time in sentences."""

from __future__ import annotations

import re

import pytest

from hengfa.law.judgment.document import Term
from hengfa.law.judgment.terms import DURATION, read_term, show_term

WHOLE = re.compile(DURATION)


@pytest.mark.parametrize(
    ("words", "months", "days"),
    [
        ("三年", 36, 0),
        ("三年六个月", 42, 0),
        ("十个月", 10, 0),
        ("两年", 24, 0),
        ("两年六个月", 30, 0),
        ("一年零六个月", 18, 0),
        ("一年又六个月", 18, 0),
        ("一年半", 18, 0),
        ("半年", 6, 0),
        ("拾个月", 10, 0),
        ("十五年", 180, 0),
        ("3年6个月", 42, 0),
        ("18个月", 18, 0),
        ("8月", 8, 0),
        ("四个月十五日", 4, 15),
        ("一个月零十五天", 1, 15),
        ("二年一个月零二十八日", 25, 28),
        ("一个半月", 1, 15),
        ("六个", 6, 0),
        ("二十日", 0, 20),
    ],
)
def test_lengths_of_time(words: str, months: int, days: int) -> None:
    found = WHOLE.fullmatch(words)
    assert found is not None
    assert read_term(found[0]) == Term(months, days)


@pytest.mark.parametrize("words", ["年", "以下", "若干年", "个月", ""])
def test_what_is_no_length_of_time(words: str) -> None:
    assert WHOLE.match(words) is None


@pytest.mark.parametrize("words", ["2031年3月4日", "九十九年", "999个月"])
def test_dates_and_what_is_beyond_reason_are_not_read(words: str) -> None:
    found = WHOLE.match(words)
    assert found is not None
    assert read_term(found[0]) is None


@pytest.mark.parametrize(
    ("months", "days", "shown"),
    [(42, 0, "3年6个月"), (24, 0, "2年"), (4, 15, "4个月15日"), (0, 20, "20日"), (0, 0, "0")],
)
def test_how_lengths_are_shown(months: int, days: int, shown: str) -> None:
    assert show_term(months, days) == shown


def test_no_term_is_shown_as_nothing() -> None:
    assert show_term(None) == ""
