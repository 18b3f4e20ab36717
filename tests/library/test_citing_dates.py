"""The date that a document bears."""

from __future__ import annotations

from datetime import date

import pytest

from hengfa.library.citing.standing import document_day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("审判员李某 二〇一七年六月二十八日 书记员唐某 附：法条", date(2017, 6, 28)),
        ("审判长甲\n审判员乙\n二○一八年十月十一日\n法官助理丙", date(2018, 10, 11)),
        ("人民陪审员赵某 二O一四年十二月三日", date(2014, 12, 3)),
        ("二0一六年元月三十一日 书记员丁", date(2016, 1, 31)),
        ("审判员戊 二〇一五年二月××日 书记员己", date(2015, 2, 28)),  # masked: the month is known
        ("审判员庚 二〇一七年十一月七无 书记员辛", date(2017, 11, 7)),  # as the courts' site has it
        ("审判员辰 二Ο一七年二月二十三日 书记员巳", date(2017, 2, 23)),  # a Greek letter
        ("审判员壬\n2019年3月5日\n书记员癸", date(2019, 3, 5)),
        ("法律意见书\n正文。\n某律师事务所\n2020年7月1日\n", date(2020, 7, 1)),
        ("备忘录\n2021年1月2日\n" + "正文。\n" * 40, date(2021, 1, 2)),
    ],
)
def test_the_day_is_the_one_that_is_signed(text: str, day: date) -> None:
    found = document_day(text)
    assert found is not None
    assert found.day == day


def test_days_of_events_are_never_taken() -> None:
    assert document_day("被告人于2017年4月28日盗窃，2018年1月1日被捕。") is None
    assert document_day("刑期自二〇一七年四月二十八日起至二〇一八年四月二十七日止。") is None
    text = "自二〇一三年六月六日起。审判员甲 二〇一四年二月十八日 书记员乙 附：2020年1月1日公布"
    found = document_day(text)
    assert found is not None
    assert found.day == date(2014, 2, 18)


def test_the_last_signature_counts() -> None:
    text = "审判员甲 二〇一五年五月二十五日 书记员乙。更正：审判员甲 二〇一五年六月二日 书记员乙"
    found = document_day(text)
    assert found is not None
    assert found.day == date(2015, 6, 2)


@pytest.mark.parametrize(
    "text", ["", "二〇一七年十三月一日 书记员", "二〇一七年二月三十日 书记员", "年月日"]
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert document_day(text) is None
