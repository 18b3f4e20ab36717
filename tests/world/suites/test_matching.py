"""A key in a text: to the letter, or as the same value; and never a number inside another."""

from __future__ import annotations

import random
from datetime import date
from decimal import Decimal
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.world.suites.matching import literal, tolerant

SAME = [
    ("1000.00万元", "注册资本为1000万元。"),
    ("1000.00万元", "注册资本为1,000万元。"),
    ("1000.00万元", "注册资本为 10000000 元"),
    ("1000.00万元", "注册资本０.１亿元"),
    ("1000.00万元", "注册资本为1000万。"),
    ("1000.00万元", "注册资本为1000万（实缴）"),
    ("1000.00万元", "注册资本为人民币1000万"),
    ("1000.00万元", "共￥10,000,000"),
    ("86000元", "涉案金额86000.00 元"),
    ("4,200元", "赔偿4200元"),
    ("40638153", "40,638,153元"),
    ("40638153", "金额（元）：40638153.0"),
    ("350000", "罚款35万元"),
    ("3.56亿", "投资3.56亿元"),
    ("3.56亿", "投资35600万的公司"),
    ("2019年02月22日", "于2019年2月22日成立"),
    ("2019年02月22日", "成立日期：2019-02-22"),
    ("2019年02月22日", "成立日期：2019/2/22，"),
    ("2019年02月22日", "成立日期：2019.02.22。"),
    ("2019年02月22日", "2019 年 2 月 22 号"),
    ("1998年7月", "1998年07月15日"),
    ("2012年3月5日至2013年1月1日", "自2012-03-05至2013-01-01止"),
    ("5次", "共 5 次"),
    ("5次", "共５次"),
    ("（2023）月0101民初18号", "案号(2023)月0101民初18号"),
    ("（2023）月0101民初18号", "案号（2023） 月0101 民初 18号"),
    ("0990-8000102", "电话：0990 - 8000102"),
    ("91990101MA0MOON01X", "代码为９１９９０１０１ＭＡ０ＭＯＯＮ０１Ｘ。"),
    ("月湖省东岸市", "月湖省 东岸市"),
    ("是上市公司", "该公司是\n上市公司"),
    ("-", "官网：-"),
]
OTHER = [
    ("1万元", "11万元"),
    ("1万元", "1.1万元"),
    ("1万元", "0.1万元"),
    ("1万元", "1,111万元"),
    ("1万元", "1亿1万元"),
    ("5次", "15次"),
    ("5次", "0.5次"),
    ("5次", "5起"),
    ("5次", "50次"),
    ("1家", "11家"),
    ("1家", "是一家公司"),
    ("0个", "20个"),
    ("0.00元", "5000000.00元"),
    ("100", "100,200元"),
    ("86000元", "86000"),
    ("86000元", "86000美元"),
    ("86000元", "86000.5元"),
    ("0.90亿元", "8995万元"),
    ("1.20亿元", "1.20亿股"),
    ("600000", "60万股"),
    ("600000", "60万"),
    ("5", "5万元"),
    ("5元", "-5元"),
    ("2019年02月22日", "2019年2月2日"),
    ("2019年02月02日", "2019年2月22日"),
    ("2019年02月22日", "2019年02月"),
    ("2019年02月22日", "12019年02月22日"),
    ("2019年02月22日", "2019-02-221"),
    ("2019年02月22日", "2019-02.22"),
    ("月73", "月7301民初"),
    ("月01", "月0101"),
    ("0101", "101"),
    ("101", "0101"),
    ("800101", "0800101"),
    ("91990101", "91990101MA0MOON01X"),
    ("0990-8000102", "0990-80001021"),
    ("8号", "柳巷18号"),
    (" ", "任何 文字"),
    ("", "任何文字"),
]


@pytest.mark.parametrize(("key", "text"), SAME)
def test_the_same_value_in_another_form_is_found(key: str, text: str) -> None:
    assert tolerant(text)(key)


@pytest.mark.parametrize(("key", "text"), OTHER)
def test_another_value_is_not(key: str, text: str) -> None:
    assert not tolerant(text)(key)


def test_the_published_match_is_containment() -> None:
    found = literal("共11家，1000万元")
    assert found("1家")
    assert not found("1000.00万元")
    assert not found("１1家")


CENTS = st.integers(min_value=1, max_value=10**14)
STYLES = ("plain", "commas", "万", "亿", "zeros")


def written(cents: int, style: str) -> str:
    """An amount of money in 元, exactly."""
    scale = {"万": 10**4, "亿": 10**8}.get(style, 1)
    digits = f"{Decimal(cents) / 100 / scale:,f}"
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    if style != "commas":
        digits = digits.replace(",", "")
    if style == "zeros":
        digits += "00" if "." in digits else ".00"
    return digits + {"万": "万", "亿": "亿"}.get(style, "") + "元"


@given(CENTS, st.sampled_from(STYLES), st.sampled_from(STYLES))
@settings(deadline=None)
def test_every_form_of_an_amount_is_found_in_every_other(cents: int, one: str, other: str) -> None:
    assert tolerant(f"涉案金额为{written(cents, other)}。")(written(cents, one))


@given(CENTS, CENTS, st.sampled_from(STYLES), st.sampled_from(STYLES))
@settings(deadline=None)
def test_no_form_of_an_amount_is_found_in_another_amount(
    cents: int, more: int, one: str, other: str
) -> None:
    text = f"涉案金额为{written(cents + more, other)}，"
    assert not tolerant(text)(written(cents, one))


@given(st.integers(0, 10**9), st.text("0123456789", min_size=1, max_size=4), st.booleans())
@settings(deadline=None)
def test_a_count_is_not_found_inside_a_longer_number(count: int, digits: str, before: bool) -> None:
    longer = f"{digits}{count}" if before else f"{count}{digits}"
    assert tolerant(f"共{longer}次。")(f"{count}次") == (longer == str(count))


DATES = st.dates(date(1000, 1, 1), date(2999, 12, 31))


@given(DATES, DATES)
@settings(deadline=None)
def test_a_date_is_found_in_all_its_forms_and_in_no_other_date(one: date, other: date) -> None:
    year, month, day = one.year, one.month, one.day
    key = f"{year}年{month:02}月{day:02}日"
    forms = (
        f"{year}年{month}月{day}日",
        f"{year}-{month:02}-{day:02}",
        f"{year}/{month}/{day}",
        f"{year}.{month}.{day}",
    )
    assert all(tolerant(f"于{form}，")(key) for form in forms)
    assert tolerant(f"于{other}，")(key) == (one == other)


WORDS = st.text("月湖渡船法院东岸（）、《》", min_size=1, max_size=12)


@given(WORDS, WORDS, WORDS, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_words_are_found_whatever_their_width_and_blanks(
    before: str, key: str, after: str, chance: random.Random
) -> None:
    wide = str.maketrans("（）", "()")
    spaced = "".join(
        (c.translate(wide) if chance.random() < 0.5 else c) + chance.choice(("", "", " ", "\u3000"))
        for c in key
    )
    assert tolerant(before + spaced + after)(key)


@given(st.text(max_size=60), st.text(max_size=8))
@settings(deadline=None)
def test_any_text_and_key_get_an_answer(text: str, key: str) -> None:
    assert tolerant(text)(key) in (True, False)
    if key.strip() and not any(c.isdigit() for c in text + key) and key in text:
        assert tolerant(text)(key) or not "".join(key.split()).strip("\0")


@pytest.mark.deep
@pytest.mark.parametrize(
    "unit",
    ["1", "1,", "1,111", "万", "1万", "2019年", "2019-01-", "0", "A1", " ", "-", "¥", "\0", "元"],
)
def test_time_grows_with_the_length_and_not_faster(unit: str) -> None:
    """100,000 characters: 40 times an answer, some seconds; a square would take many minutes."""
    text = unit * (100_000 // len(unit))
    begin = process_time()
    tolerant(text)("1000.00万元")
    tolerant("1000.00万元")(text)
    assert process_time() - begin < 8
