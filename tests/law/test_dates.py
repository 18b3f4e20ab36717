"""Days as documents write them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.dates import find_days
from hengfa.law.numerals import format_number

ZEROS = "零〇○ＯOoΟО0"


def days(text: str, start: int = 0) -> list[date]:
    return [found.day for found in find_days(text, start)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("二〇一七年六月二十八日", date(2017, 6, 28)),
        ("2017年6月28日", date(2017, 6, 28)),
        ("２０１７年６月２８日", date(2017, 6, 28)),
        ("二O一八年 一月 三日", date(2018, 1, 3)),
        ("二Ο一七年二月廿三日", date(2017, 2, 23)),
        ("二0一六年元月卅一日", date(2016, 1, 31)),
        ("二〇一七年十一月七无", date(2017, 11, 7)),  # as the courts' site has it
        ("一九九九年十二月三十一 书记员", date(1999, 12, 31)),
    ],
)
def test_a_day_in_any_script(text: str, day: date) -> None:
    (found,) = find_days(f"于{text}。")
    assert (found.day, found.masked) == (day, False)


@pytest.mark.parametrize("masked", ["二〇一六年二月××日", "二〇一六年二月某日", "2016年2月X日"])
def test_of_a_masked_day_the_month_is_known(masked: str) -> None:
    (found,) = find_days(masked)
    assert (found.day, found.masked) == (date(2016, 2, 29), True)


@pytest.mark.parametrize(
    "text",
    [
        *("", "年月日", "2017年6月", "二十八日", "二〇一七年十三月一日", "二〇一七年二月三十日"),
        *("一八九八年一月一日", "二九九九年一月一日", "二〇一七年六月0日"),
    ],
)
def test_what_no_calendar_has_is_no_day(text: str) -> None:
    assert days(text) == []


def test_days_come_from_left_to_right_with_their_places() -> None:
    text = "2031年1月2日至2031年3月4日"
    found = list(find_days(text))
    assert [text[one.start : one.end] for one in found] == text.split("至")
    assert days(text, 5) == [date(2031, 3, 4)]


@given(st.dates(date(1949, 1, 1), date(2100, 12, 31)), st.sampled_from(ZEROS))
def test_every_day_is_read_as_it_was_written(day: date, zero: str) -> None:
    digits = str(day.year).translate(
        {48 + n: "〇一二三四五六七八九"[n] for n in range(10)} | {48: zero}
    )
    written = f"{digits}年{format_number(day.month)}月{format_number(day.day)}日"
    assert days(written) == days(f"{day.year}年{day.month}月{day.day}日") == [day]


@given(st.text(st.sampled_from("二〇一七年六月28日无某×元 十\n")))
def test_no_text_makes_it_fail(text: str) -> None:
    for found in find_days(text):
        assert 0 <= found.start < found.end <= len(text)
