"""Article numbers, terms and amounts read out of responses (lawbench.md 3-1, 3-4, 3-5, 3-7).

Each row is a response, what the official rules read and what the corrected ones read; None where
nothing is read, which is an abstention.
"""

from __future__ import annotations

import math

import pytest

from hengfa.evals.suites.base import AnswerStatus, Rules
from hengfa.evals.suites.lawbench.numbers import LONGEST_NUMBER
from hengfa.evals.suites.lawbench.rules import LawBenchFix
from hengfa.evals.suites.lawbench.suite import SUITE


def read(task: str, response: str, *fixes: str) -> object:
    """What is read with some fixes on; what is not read is an abstention."""
    answer = SUITE.tasks[task].rules(frozenset(fixes), None).read(response)
    expected = AnswerStatus.ABSTAINED if answer.value is None else AnswerStatus.EXTRACTED
    assert answer.status is expected
    return answer.value


def check(task: str, response: str, official: object, corrected: object) -> None:
    assert read(task, response) == official
    assert read(task, response, *SUITE.tasks[task].fixes) == corrected


@pytest.mark.parametrize(
    ("response", "official", "corrected"),
    [
        ("[法条]刑法第264条、刑法第52条<eoa>", {264, 52}, {264, 52}),
        ("刑法第二百六十四条", {264}, {264}),
        ("第264、52条", {264, 52}, {264, 52}),
        ("第２６４条", {264}, {264}),
        ("盗窃罪", None, None),
        ("", None, None),
        # Q: the deletion of 款 starts at the first 第, so the article vanishes with it.
        ("第264条第1款", None, {264}),
        ("第264条第一款、第52条", {52}, {264, 52}),
        ("第二百六十四条第一款、第二款", None, {264}),
        ("第264条\n第1款", {264}, {264}),  # within a line only
        ("第234条第二款第（一）项", {1}, {234}),
        # Q: what anything but 、 separates is one chunk, and a chunk yields one number.
        ("第264条，第52条", {264}, {264, 52}),
        ("第264条和第52条", {264}, {264, 52}),
        ("第264条\n第52条", {264}, {264, 52}),
        ("第264，52条", {264}, {264, 52}),
        # Q: any leading number wins over the article.
        ("2016年3月，第264条", {2016}, {264}),
        ("1. 第264条", {1}, {264}),
        ("不是第52条，[法条]第264条<eoa>", {52}, {264}),
        # 万元 becomes 元 before numerals are read.
        ("罚金三万元", {3}, None),
        # No range check, but no code has that many articles.
        ("第99999条", {99999}, None),
        ("第0条", {0}, None),
        # 之一 belongs to the article; the gold has its number only.
        ("第一百三十三条之一", {133}, {133}),
        ("第一百三十三之一条", {133}, {133}),
        # Bare numbers are articles inside the wrapper only, and only if it is closed.
        ("[法条]264，52<eoa>", {264}, {264, 52}),
        ("[法条]刑法264条<eoa>", {264}, {264}),
        ("刑法264条", {264}, None),
        ("[法条]第264条，2016", {264}, {264}),
        ("[法条]第264条\n[法条]第52条", {264}, {264, 52}),
        # The clause of an article is no bare number.
        ("[法条]第264条第1款<eoa>", None, {264}),
        # Python reads no integer this long, and the published evaluator stops.
        (f"第{'1' * (LONGEST_NUMBER + 1)}条", None, None),
    ],
)
def test_articles(response: str, official: object, corrected: object) -> None:
    check("3-1", response, official, corrected)


def test_the_longest_number_that_python_reads_is_read_under_official_rules() -> None:
    assert read("3-1", "1" * LONGEST_NUMBER) == {int("1" * LONGEST_NUMBER)}


@pytest.mark.parametrize("task", ["3-4", "3-5"])
@pytest.mark.parametrize(
    ("response", "official", "corrected"),
    [
        ("[刑期]12个月<eoa>", 12, 12),
        ("18月", 18, 18),
        ("十八个月", 18, 18),
        ("１２个月", 12, 12),
        ("3年", 36, 36),
        ("", None, None),
        ("无期徒刑", None, None),
        # 个月 before 月, and of each the first.
        ("6月，拘役3个月", 3, 3),
        ("6个月或12个月", 6, 6),
        # Q: years are ignored whenever any month is found.
        ("三年六个月", 6, 42),
        ("3年6月", 6, 42),
        ("三年零六个月", 6, 42),
        ("十年又六个月", 6, 126),
        ("二十年三个月", 3, 243),
        # Months come before years still, but with the years that stand beside them.
        ("三年，缓刑三年六个月", 6, 42),
        # Q: decimals and halves.
        ("1.5年", 60, 18),
        ("1.5年6个月", 6, 24),
        ("一年半", 12, 18),
        ("两年半", 24, 30),
        ("半年", 60, 6),
        ("去年半夜抓获，判处三年", 36, 36),
        ("1.5个月", 5, None),
        # Q: a blank hides the number.
        ("12 个月", None, 12),
        ("3年 6 个月", 36, 42),
        ("1 年\u30006 个 月", None, 18),
        # Q: the month of a date is a term where there is no 个月.
        ("2016年3月28日", 3, None),
        ("3月28号判处三年", 3, 36),
        ("2016年3月28日判处12个月", 12, 12),
        ("二零一六年三月二十八日判处二年", 3, 24),
        ("2016年3月判处二年", 3, 24),
        ("3月份判处二年", 3, 24),
        ("2016年判处二年", 24192, 24),
        # Q: a limit is a term; no fix changes that.
        ("3年以下", 36, 36),
        ("三年以上七年以下", 36, 36),
        # What stands in the wrapper comes first; the prompt has the unit.
        ("有人判了6个月。[刑期]18个月<eoa>", 6, 18),
        ("处三年以下。[刑期]10月<eoa>", 10, 10),
        ("[刑期]18<eoa>", None, 18),
        ("刑期:18<eoa>", None, 18),
        ("18日", None, None),
        ("请填在[刑期]与<eoa>之间：三年", 36, 36),
        ("1e999年", 11988, 11988),
    ],
)
def test_terms(task: str, response: str, official: object, corrected: object) -> None:
    check(task, response, official, corrected)


@pytest.mark.parametrize(
    ("response", "name", "term"),
    [
        ("有人判了6个月。[刑期]三年六个月<eoa>", LawBenchFix.WRAPPER, 6),
        ("2016年3月28日判处三年 6 个月", LawBenchFix.YEARS, 3),
        ("三年 6 个月", LawBenchFix.SPACES, 6),
        ("2016年3月28日判处三年六个月", LawBenchFix.DATES, 6),
    ],
)
def test_each_fix_of_terms_does_nothing_but_its_own(response: str, name: str, term: int) -> None:
    assert read("3-4", response, name) == term


@pytest.mark.parametrize("rules", list(Rules))
@pytest.mark.parametrize("unit", ["个月", "月", "年"])
def test_a_term_that_python_cannot_read_is_malformed_and_no_abstention(
    rules: Rules, unit: str
) -> None:
    extract = SUITE.tasks["3-4"].rule_set(rules).read
    assert extract("9" * (LONGEST_NUMBER + 1) + unit).status is AnswerStatus.MALFORMED
    assert extract("9" * LONGEST_NUMBER + unit).status is AnswerStatus.EXTRACTED


@pytest.mark.parametrize(
    ("response", "official", "corrected"),
    [
        ("[金额]3900元<eoa>", {3900}, {3900}),
        ("共计3900", {3900}, {3900}),
        ("3900.50元", {3900.5}, {3900.5}),
        ("3900.", {3900}, {3900}),
        ("３９００元", {3900}, {3900}),
        ("无法计算", None, None),
        ("", None, None),
        # Q: any number may be the right one.
        ("3000元加900元，共3900元", {3000, 900, 3900}, {3900}),
        ("[金额]3900元<eoa>，另退100元", {3900, 100}, {3900}),
        ("[金额]3000元+900元=3900元<eoa>", {3000, 900, 3900}, {3900}),
        ("2016年盗窃3900元，2人", {2016, 3900, 2}, {3900}),
        # Q: no thousands separators.
        ("1,500元", {1, 500}, {1500}),
        ("1，500.5元", {1, 500.5}, {1500.5}),
        # Q: no units of ten thousand or thousand.
        ("1.5万元", {1.5}, {15000}),
        ("4千元", {4}, {4000}),
        ("3.5亿元", {3.5}, {350000000}),
        ("16万余元", {16}, {160000}),
        ("100余万元", {100}, {1000000}),
        # Q: no Chinese numerals; a single one is part of a word unless 元 follows.
        ("一千五百元", None, {1500}),
        ("壹万贰仟元", None, {12000}),
        ("三元", None, {3}),
        ("一般共同犯罪", None, None),
        ("1e999", {1, 999}, {999}),
    ],
)
def test_amounts(response: str, official: object, corrected: object) -> None:
    check("3-7", response, official, corrected)


def test_each_fix_of_amounts_does_nothing_but_its_own() -> None:
    assert read("3-7", "1,500元和2,000元", LawBenchFix.UNITS) == {1500, 2000}
    assert read("3-7", "1,500元和2,000元", LawBenchFix.SINGLE) == {0}


def test_an_amount_with_too_many_digits_is_infinite_or_nothing() -> None:
    check("3-7", "9" * 400 + "元", {math.inf}, None)
