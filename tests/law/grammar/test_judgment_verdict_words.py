"""Lengths of time and sums of money: what is a term or a fine, and what only sounds like one."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from tests.law.grammar.judgment_texts import judgment

from hengfa.law.grammar.judgment.document import Sentence, Term
from hengfa.law.grammar.judgment.parse import parse_judgment
from hengfa.law.grammar.judgment.verdict_words import DURATION, read_term, show_term
from hengfa.law.grammar.numerals import Number

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


def sentence(words: str) -> Sentence:
    made = parse_judgment(judgment(f" 被告人林帆犯盗窃罪，判处有期徒刑一年，{words}"))
    return made.defendants[0].verdicts[0]


@pytest.mark.parametrize(
    ("words", "fine"),
    [
        ("并处罚金人民币三千元。", 3_000),
        ("罚金3000元。", 3_000),
        ("并处罚金人民币2，000元。", 2_000),
        ("并处罚金人民币2,000元。", 2_000),
        ("并处罚金人民币１０００元。", 1_000),
        ("并处罚金3000.00元。", 3_000),
        ("并处罚金1.5万元。", 15_000),
        ("并处罚金3万5千元。", 35_000),
        ("并处罚金二万五千元。", 25_000),
        ("并处罚金人民币贰万元。", 20_000),
        ("并处罚金人民币壹仟元整。", 1_000),
        ("并处罚金两万元。", 20_000),
        ("并处罚金三千元人民币。", 3_000),
        ("并处罚金人民4000元。", 4_000),
        ("并处罚金人民币（以下币种同）一万元。", 10_000),
        ("并处五千元的罚金。", 5_000),
        ("并处罚金人民币一百万元。", 1_000_000),
        ("并处罚金1234.5元。", Decimal("1234.5")),
    ],
)
def test_fines_in_every_script(words: str, fine: Number) -> None:
    assert sentence(words).fine == fine


@pytest.mark.parametrize(
    "words",
    [
        "罚金已缴纳。",
        "继续追缴违法所得人民币五千元。",
        "责令退赔被害人经济损失人民币二万元。",
        "赔偿附带民事诉讼原告人人民币三千元。",
        "扣押的现金人民币三千元予以没收。",
        "没收作案工具渔网一张。",
        "没收违法所得人民币三百元。",
    ],
)
def test_other_money_is_no_fine(words: str) -> None:
    made = sentence(words)
    assert (made.fine, made.confiscation) == (None, None)


def test_a_fine_that_is_repeated_counts_once() -> None:
    assert sentence("并处罚金人民币三千元。罚金人民币三千元已缴纳。").fine == 3_000


def test_a_remark_in_brackets_is_no_second_fine() -> None:
    made = parse_judgment(
        judgment(" 被告人林帆犯盗窃罪，判处罚金一万元（罚金10000元限十日内缴纳）。")
    )
    assert made.fine_total == 10_000
    assert made.defendants[0].verdicts[0].kind == "附加刑"


def test_a_fine_without_a_sum_has_a_remark() -> None:
    made = parse_judgment(judgment(" 被告人林帆犯盗窃罪，判处拘役三个月，并处罚金。"))
    assert made.has("unread fine")
    assert made.defendants[0].verdicts[0].fine is None


def test_a_sum_that_is_no_number_has_a_remark() -> None:
    made = parse_judgment(judgment(" 被告人林帆犯盗窃罪，判处拘役三个月，并处罚金10,0002元。"))
    assert made.has("unread fine")


@pytest.mark.parametrize(
    ("words", "share", "amount"),
    [
        ("并处没收个人全部财产。", "全部", None),
        ("并处没收个人财产人民币五万元。", "财产", 50_000),
        ("并处没收财产。", "财产", None),
        ("没收其部分财产三万元。", "部分", 30_000),
    ],
)
def test_confiscation_of_property(words: str, share: str, amount: int | None) -> None:
    made = sentence(words)
    assert (made.confiscation, made.confiscated) == (share, amount)


def test_a_fine_of_several_together_counts_once() -> None:
    made = parse_judgment(
        judgment(" 被告人林帆、海星犯盗窃罪，判处拘役三个月，共同并处罚金人民币十万元。")
    )
    assert [one.fine_total for one in made.defendants] == [100_000, 100_000]
    assert all(one.verdicts[0].fine_joint for one in made.defendants)
    assert made.fine_total == 100_000


def test_equal_fines_of_two_people_are_two_fines() -> None:
    """Q3: the official rule counts equal words once."""
    made = parse_judgment(
        judgment(" 被告人林帆、海星犯盗窃罪，均判处拘役三个月，并处罚金人民币五千元。")
    )
    assert made.fine_total == 10_000
