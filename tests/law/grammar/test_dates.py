"""Days as documents write them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.grammar.dates import find_dates, find_days, unread_date
from hengfa.law.grammar.numerals import format_number

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


@pytest.mark.parametrize(
    "text",
    [
        *("2019-03-05", "2019-3-5", "2019.3.5", "2019.03.05", "2019/3/5", "2019/03/05"),
        *(
            "２０１９－０３－０５",
            "２０１９．３．５",
            "２０１９／３／５",
            "2019 - 3 - 5",
            "2019. 3. 5",
        ),
        *("5 March 2019", "5th March 2019", "5 Mar. 2019", "5th of March, 2019", "05 MARCH 2019"),
        *("5-Mar-2019", "2019年3月5号"),
        *("March 5, 2019", "March 5 2019", "Mar 5th, 2019", "MARCH 05, 2019"),
        *("2019年3月5日", "2019 年 3 月 5 日", "２０１９年３月５日", "2019年03月05日"),
        *("二〇一九年三月五日", "二 〇 一 九 年 三 月 五 日", "二〇一九　年　三　月　五　日"),
    ],
)
def test_a_day_in_every_usual_form(text: str) -> None:
    (found,) = find_dates(f"（{text}）")
    assert found.day == date(2019, 3, 5)
    assert f"（{text}）"[found.start : found.end] == text


@pytest.mark.parametrize(
    "text",
    [
        *("2019-03", "2019-13-05", "2019-02-30", "12019-03-05", "2019-03-051", "2019.3.5.1"),
        *(
            "2019-03/05",
            "3/5/2019",
            "March 2019",
            "5 Marching 2019",
            "32 March 2019",
            "192.168.1.1",
        ),
        *("农历2019年3月5日", "农历二〇一九年三月五日", "民国108年3月5日"),
    ],
)
def test_what_only_looks_like_a_day(text: str) -> None:
    assert find_dates(text) == []


@pytest.mark.parametrize(
    "text",
    [
        *("二〇一九年农历正月初八", "农历二〇一九年三月五日", "农历腊月廿三"),
        *("中華民國一一二年五月十日", "民国112年5月10日", "民国三十八年"),
    ],
)
def test_other_calendars_are_told_and_not_read(text: str) -> None:
    assert unread_date(f"立约日：{text}") == text
    assert find_dates(text) == []


def test_a_plain_date_is_of_no_other_calendar() -> None:
    assert unread_date("二〇一九年三月五日，2019-03-05，国民，农历法") is None


@given(st.dates(date(1949, 1, 1), date(2099, 12, 31)), st.sampled_from("-./"))
def test_a_day_in_numbers_is_read_back(day: date, mark: str) -> None:
    for written in (
        f"{day:%Y{mark}%m{mark}%d}",
        f"{day.day} {day:%B %Y}",
        f"{day:%B} {day.day}, {day.year}",
    ):
        assert [found.day for found in find_dates(written)] == [day]


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
