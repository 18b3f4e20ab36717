"""Which of a case's own provisions an answer cites: without a grader, by law and article."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.evals.suites.claw_cases.guiding_cases import load_cases
from hengfa.evals.suites.claw_cases.statutes import METRICS, lines_of, overlap

LIST = (
    "《中华人民共和国海洋环境保护法》（2017年修正）第94条第1项\n"
    "《中华人民共和国刑法》第一百三十三条之一"
)


def test_law_and_article_are_compared_whatever_the_spelling_and_the_paragraph() -> None:
    said = overlap(
        LIST, "根据《海洋环境保护法》第九十四条、第三条和刑法第133条之一第二款，应予支持。"
    )
    assert said["statutes_recall"] == 1
    assert said["statutes_precision"] == pytest.approx(2 / 3)
    assert said["statutes_f1"] == pytest.approx(0.8)
    assert said["laws_precision"] == said["laws_recall"] == 1


def test_the_same_number_in_another_law_and_the_article_before_an_insertion_are_others() -> None:
    said = overlap(LIST, "依照《刑法》第一百三十三条和《民法典》第九十四条。")
    assert (said["statutes_recall"], said["statutes_precision"]) == (0, 0)
    assert (said["laws_recall"], said["laws_precision"]) == (0.5, 0.5)


@pytest.mark.parametrize("text", ["应予支持。", "", None, "合同第三条约定，逾期付款应支付违约金。"])
def test_who_cites_nothing_has_no_precision_and_recalls_nothing(text: str | None) -> None:
    said = overlap(LIST, text)
    assert said["statutes_precision"] is None
    assert (said["statutes_recall"], said["statutes_f1"]) == (0, 0)


def test_a_case_that_lists_nothing_has_no_such_figure() -> None:
    assert overlap("", "《刑法》第一条") == dict.fromkeys(METRICS)


NOTED = (
    "《中华人民共和国合同法》第6条、第114条"
    "（注：现行有效的法律为《中华人民共和国民法典》第7条、第585条）"
)


@pytest.mark.parametrize(
    ("text", "recall"),
    [
        ("《合同法》第6条、第114条", 1),
        ("《民法典》第七条、第五百八十五条", 1),
        ("《民法典》第七条", 0.5),
        ("《合同法》第6条；《民法典》第585条", 0.5),
    ],
)
def test_a_remark_is_another_reading_of_its_line(text: str, recall: float) -> None:
    said = overlap(NOTED, text)
    assert (said["statutes_recall"], said["statutes_precision"]) == (recall, 1)


def test_remarks_belong_to_their_own_line() -> None:
    first, second, third = lines_of(
        f"《森林法》第1条\n{NOTED}\n（本案适用《民法总则》第7条）\n《刑法》第2条"
    )
    assert (first.provisions, first.remark) == ({("森林法", 1, 0)}, set())
    assert ("民法总则", 7, 0) in second.remark
    assert third.provisions == {("刑法", 2, 0)}
    assert len(lines_of("《关于适用〈某法〉的解释（一）》第20条、第21条")) == 1


@given(
    st.text(alphabet="《》刑法第一二条款（）()、\n注本案适用0123456789 ", max_size=80),
    st.text(max_size=40),
)
def test_any_text_gives_shares_or_nothing(statutes: str, response: str) -> None:
    for text in (response, statutes):
        values = overlap(statutes, text).values()
        assert all(value is None or 0 <= value <= 1 for value in values)
    if lines_of(statutes):
        assert overlap(statutes, statutes)["statutes_precision"] == 1


@pytest.mark.shared
def test_every_list_of_the_real_cases_is_read_and_the_court_cites_half_of_it(shared: Path) -> None:
    cases = load_cases(shared / "data" / "guiding_cases")
    assert all(lines_of(case.statutes) for case in cases)
    assert sum(any(line.remark for line in lines_of(case.statutes)) for case in cases) == 34
    own = [overlap(case.statutes, case.reasoning) for case in cases]
    mean = sum(said["statutes_recall"] or 0 for said in own) / len(own)
    assert mean == pytest.approx(0.4706, abs=1e-4)
