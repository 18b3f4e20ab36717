"""Answers have one form each, and what has none is refused."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.world.factory.follow import (
    DATE_HINT,
    WAN_HINT,
    YI_HINT,
    YUAN_HINT,
    Row,
    in_passing,
    joined_region,
    key_of_cell,
    key_of_count,
    money,
    most_frequent,
    names_in,
    passes,
    percent,
    picked,
    single_text,
    yuan,
)
from hengfa.world.factory.task import Filter, Pick, Reason, Refused

A = "涉案金额（元）"


def reason(call: object, *given: object) -> Reason:
    with pytest.raises(Refused) as refused:
        call(*given)  # type: ignore[operator]
    return refused.value.reason


def test_amounts_in_yuan_have_two_decimals() -> None:
    assert yuan(740564) == ("740564.00元", YUAN_HINT)
    assert yuan(Decimal("2466168.78")) == ("2466168.78元", YUAN_HINT)
    assert reason(yuan, Decimal("1.005")) is Reason.INEXACT
    assert reason(yuan, 0) is Reason.TRIVIAL


def test_money_takes_the_largest_unit_that_says_all() -> None:
    assert money(131_000_000) == ("1.31亿元", YI_HINT)
    assert money(97_459_000) == ("9745.90万元", WAN_HINT)
    assert money(131_000_100) == ("13100.01万元", WAN_HINT)
    assert money(1_234) == ("1234.00元", YUAN_HINT)


@given(st.integers(1, 10**13))
def test_money_never_loses_a_cent(cents: int) -> None:
    text = money(Decimal(cents) / 100).text
    unit = 10**8 if "亿" in text else 10**4 if "万" in text else 1
    assert Decimal(text.rstrip("元万亿")) * unit * 100 == cents


def test_shares() -> None:
    assert percent(1, 4).text == "25.00%"
    assert percent(1, 3).text == "33.33%"
    assert reason(percent, 3, 3) is Reason.TRIVIAL
    assert reason(percent, 1, 32) is Reason.INEXACT  # 3.125: calculators differ in the last digit


def test_cells_as_keys() -> None:
    assert key_of_cell("2019年2月3日", "date") == ("2019年02月03日", DATE_HINT)
    assert key_of_cell("65.0", "numeral").text == "65"
    assert key_of_cell(3, "number", "名", "第").text == "第3名"
    assert key_of_cell("9000万", "money").text == "9000.00万元"
    assert reason(key_of_cell, " - ", "text") is Reason.MISSING
    assert reason(key_of_cell, "一句话。又一句。", "text") is Reason.INEXACT
    assert reason(key_of_cell, "5", "numeral") is Reason.TRIVIAL
    assert reason(key_of_count, 0, "家") is Reason.TRIVIAL


def test_values_on_the_way_are_as_the_tables_write_them() -> None:
    assert in_passing(40638153.0, "yuan") == "40638153元"
    assert in_passing("24.05亿", "money") == "24.05亿元"
    assert in_passing("-", "yuan") is None
    assert joined_region(("望汀市", "望汀市", "虹檐区")) == "望汀市望汀市虹檐区"


def test_several_names_in_a_cell() -> None:
    assert names_in("甲公司, 乙公司,甲公司,-") == ("甲公司", "乙公司")
    assert reason(single_text, "甲公司,乙公司") is Reason.SEVERAL_VALUES


def rows(*amounts: object) -> list[Row]:
    return [{A: amount, "n": n} for n, amount in enumerate(amounts)]  # type: ignore[dict-item]


def test_the_row_that_comes_first() -> None:
    assert picked(rows(5, "7", 3.0), Pick("largest", A))["n"] == 1
    assert picked(rows(5, "7", 3.0), Pick("second", A))["n"] == 0
    assert picked(rows(5, "7", 3.0), Pick("smallest", A))["n"] == 2
    assert picked(rows(5, "-"), Pick("largest", A))["n"] == 0


def test_no_row_is_first_where_two_are_or_where_nobody_knows() -> None:
    assert reason(picked, rows(7, 7.0, 1), Pick("largest", A)) is Reason.TIE
    assert reason(picked, rows(9, 7, 7), Pick("second", A)) is Reason.TIE
    assert reason(picked, rows(5, "-"), Pick("smallest", A)) is Reason.MISSING
    assert reason(picked, rows(0.0, 0.0), Pick("largest", A)) is Reason.TIE
    assert reason(picked, rows(0.0), Pick("largest", A)) is Reason.TRIVIAL


def test_the_value_that_occurs_most() -> None:
    courts: list[Row] = [{"执行法院": name} for name in ("甲", "乙", "甲", "-", "-", "-")]
    assert most_frequent(courts, "执行法院") == ("甲", 2)
    assert reason(most_frequent, courts[:2], "执行法院") is Reason.TIE


def test_filters() -> None:
    row: Row = {
        "日期": "2020年01月02日",
        A: "100001",
        "被告": "甲公司,乙公司",
        "文书类型": "判决书",
    }
    assert passes(row, Filter("year", "日期", 2020), "")
    assert not passes(row, Filter("year", "日期", 2021), "")
    assert passes(row, Filter("over", A, 100_000), "")
    assert not passes(row, Filter("over", A, 100_001), "")
    assert passes(row, Filter("role", "被告"), "乙公司")
    assert not passes(row, Filter("role", "被告"), "丙公司")
    assert passes(row, Filter("equals", "文书类型", "判决书"), "")
