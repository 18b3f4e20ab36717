"""Months and fines by the published rule, and how they are compared (judgment spec 4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.judgment.official_penalty import PenaltyRule, full_numbers, penalty_score

RULE = PenaltyRule()


@pytest.mark.parametrize(
    ("judgment", "months"),
    [
        ("判处有期徒刑一年三个月", 15),
        ("判处有期徒刑三年，缓刑四年", 36),
        ("判处拘役四个月，缓刑六个月", 4),
        ("判处管制一年", 12),
        ("判处有期徒刑十年以上", 120),
        ("判处无期徒刑", 240),
        ("判处死刑", 10001),
        ("免予刑事处罚", 0),
        ("没有刑期", -1),
        ("判处有期徒刑六个月零五天一月", 0),
    ],
)
def test_months(judgment: str, months: int) -> None:
    assert RULE.months(judgment, "") == months


def test_q3_equal_terms_count_once_and_a_combined_one_on_top() -> None:
    two = "甲判处有期徒刑八个月。乙判处有期徒刑八个月。"
    assert RULE.months(two, "") == 8
    combined = "判处有期徒刑十个月；判处有期徒刑一年；决定执行有期徒刑一年六个月"
    assert RULE.months(combined, "") == 10 + 12 + 18


def test_q4_the_whole_document_is_searched_where_the_result_says_nothing() -> None:
    document = "曾因盗窃被判处有期徒刑二年，并处罚金三千元"
    assert (RULE.months("", document), RULE.fine("", document)) == (24, 3000)
    own = PenaltyRule(whole_document=False)
    assert (own.months("", document), own.fine("", document)) == (-1, -1)


@pytest.mark.parametrize(
    ("judgment", "fine"),
    [
        ("并处罚金人民币三千元", 3000),
        ("并处罚金人民币10,000元", 10000),
        ("罚金二千元，于判决生效后十日内一次缴清；罚金二千元", 2000),
        ("罚金二千元，于判决生效后十日内一次缴清；罚金三千元", 5000),
        ("罚金二千元；罚金三千元", 2000),  # fifteen characters reach over both
        ("罚金人民币1.5元", 0),
        ("罚金已缴纳三千元", -1),
        ("罚金已于判决前缴纳", -1),
    ],
)
def test_fines(judgment: str, fine: int) -> None:
    assert RULE.fine(judgment, "") == fine


def test_q5_a_fine_behind_one_without_yuan_is_not_examined() -> None:
    far = "判决生效后十日内缴纳完毕，逾期强制缴纳。"
    judgment = f"罚金二千，余一元。{far}罚金五百，余二元。{far}罚金三千，余三元。"
    assert RULE.fine(judgment, "") == 500
    assert PenaltyRule(skipping=False).fine(judgment, "") == -1


def test_q7_two_and_mixed_numerals() -> None:
    full = PenaltyRule(numbers=full_numbers)
    assert RULE.months("有期徒刑两年六个月", "") == 72
    assert full.months("有期徒刑两年六个月", "") == 30
    assert RULE.fine("罚金3万5千元", "") == 0
    assert full.fine("罚金3万5千元", "") == 35000
    assert full.fine("罚金１万元", "") == 10000


def test_q10_a_finding_without_a_penalty_is_no_term() -> None:
    rule = PenaltyRule(bare_terms=False)
    assert rule.months("免予刑事处罚", "") == -1
    assert rule.months("免予刑事处罚；有期徒刑六个月", "") == 6


def test_q11_a_mention_of_death_is_no_sentence() -> None:
    rule = PenaltyRule(any_death=False)
    mention = "不属于可能判处，死刑的案件；判处有期徒刑六个月"
    assert RULE.months(mention, "") == 10007
    assert rule.months(mention, "") == 6
    assert rule.months("判处被告人甲死刑", "") == 10001


@pytest.mark.parametrize(
    ("expected", "given_", "score"),
    [
        (-1, -1, None),
        (0, 0, 1.0),
        (12, -1, 0.0),
        (-1, 0, 0.0),
        (12, 9, 0.75),
        (9, 12, 0.75),
        (10001, 240, 0.0),
        (10000, 20000, 0.5),
        (9000, 12000, 0.0),
    ],
)
def test_scores(expected: int, given_: int, score: float | None) -> None:
    assert penalty_score(expected, given_) == score


def test_q6_the_guard_can_be_left_off() -> None:
    assert penalty_score(9000, 12000, guard=False) == 0.75


@given(st.integers(-1, 50_000), st.integers(-1, 50_000))
def test_scores_lie_between_0_and_1_and_do_not_depend_on_the_side(one: int, other: int) -> None:
    score = penalty_score(one, other)
    assert score == penalty_score(other, one)
    assert score is None or 0 <= score <= 1
