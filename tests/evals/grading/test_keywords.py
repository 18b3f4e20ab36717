"""The built-in grader that looks for words."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.evals.grading.keywords import keyword_reply
from hengfa.evals.grading.marking import mark
from hengfa.evals.grading.rubric import Deduction, Item, Level, Mark, Rubric
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import Reply, Sheet, read_verdict
from hengfa.evals.runs.grading import KEYWORDS
from tests.evals.grading.rubrics import RESPONSE, rubric, section, submission

TEA = rubric(
    section(
        Item("押金", "指出茶馆应当退还押金（+5分）", 5),
        Item("违约", "未提供热水构成违约", 10, deductions=(Deduction("d", "未写", 2),)),
        Item("灯笼", "夜间悬挂灯笼的义务", 5),
        Item("法条", "《月湖茶馆法》第四条", 5, statute=True),
        Item("别的法条", "《月湖灯笼法》第九条", 5, statute=True),
        Item(
            "替代",
            "《月湖灯笼法》第九条",
            5,
            statute=True,
            alternatives=("可替代法条：《月湖茶馆法》第4条",),
        ),
    )
)


def graded(graded_submission: Submission) -> Mark:
    text = keyword_reply(graded_submission)
    sheet = Sheet(KEYWORDS, (Reply("grade", "answered", text),))
    return mark(graded_submission, sheet)


def points(response: str, graded_by: Rubric = TEA) -> dict[str, float]:
    return {one.id: one.points for one in graded(submission(graded_by, response)).items()}


def test_words_and_citations_earn_points_with_real_quotations() -> None:
    found = graded(submission(TEA))
    earned = {one.id: one.points for one in found.items()}
    assert earned == {"押金": 5, "违约": 10, "灯笼": 0, "法条": 5, "别的法条": 0, "替代": 5}
    assert found.backed == found.points
    assert found.ungraded == 0
    assert found.faults == ()


def test_its_reply_is_a_verdict_like_any_other() -> None:
    text = keyword_reply(submission(TEA))
    assert read_verdict(submission(TEA), text).whole
    assert json.loads(text)["faults"] == []


def test_a_short_name_means_the_same_law() -> None:
    code = rubric(section(Item("a", "《中华人民共和国民事诉讼法》第六十七条", 5, statute=True)))
    assert points("依照民诉法第67条，举证责任在原告。", code) == {"a": 5}
    assert points("依照民诉法第68条，举证责任在原告。", code) == {"a": 0}


def test_half_of_the_words_earn_some_of_the_points() -> None:
    one = rubric(section(Item("a", "灯塔 看守 点灯 熄灯", 10)))
    assert points("灯塔里有人点灯。", one)["a"] == round(10 * 0.5 / 0.6, 1)
    assert points("灯塔。", one)["a"] == 0


def test_words_far_apart_are_not_found_together() -> None:
    one = rubric(section(Item("a", "灯塔 看守", 10)))
    apart = "灯塔很高。" + "今天下雨。" * 5 + "看守睡了。"
    assert points(apart, one)["a"] < points("灯塔的看守睡了。", one)["a"] == 10


def test_levels_are_chosen_by_what_the_words_are_worth() -> None:
    grades = (Level("好", 20), Level("中", 10), Level("差", 0))
    one = rubric(section(Item("a", "灯塔 看守 点灯 熄灯", 20, levels=grades)))
    assert points("灯塔看守点灯熄灯。", one) == {"a": 20}
    assert points("灯塔要点灯。", one) == {"a": 10}
    assert points("没有。", one) == {"a": 0}


def test_an_empty_response_earns_nothing() -> None:
    assert set(points("").values()) == {0}


def test_it_cannot_see_a_negation() -> None:
    """A known weakness, kept in sight: the figures of this grader are no measure of quality."""
    assert points("茶馆不应当退还押金。")["押金"] == 5


@settings(max_examples=50, deadline=None)
@given(st.text() | st.text(alphabet="退还押金茶馆热水违约。，\n《月湖法》第四条"))
def test_any_response_gives_a_whole_verdict_with_evidence_that_holds(response: str) -> None:
    graded_submission = submission(TEA, response)
    assert read_verdict(graded_submission, keyword_reply(graded_submission)).whole
    found = graded(graded_submission)
    assert found.points == found.backed
    assert keyword_reply(graded_submission) == keyword_reply(graded_submission)


@pytest.mark.deep
def test_a_response_of_a_hundred_thousand_characters_takes_seconds_at_most() -> None:
    started = time.process_time()
    keyword_reply(submission(TEA, RESPONSE * (100_000 // len(RESPONSE))))
    assert time.process_time() - started < 20


def test_a_reference_is_compared_by_words_and_named_grades_are_left_ungraded() -> None:
    quality = rubric(
        section(Item("严谨", "论证严谨", 20, levels=(Level("Good", 20), Level("Bad", 0)))),
        section(Item("总评", "总体评价", 100)),
    )
    reference = "茶馆没有提供热水，构成违约，应当退还押金。"
    same = Submission("k", "", reference, quality, reference=reference)
    other = Submission("k", "", "灯笼挂得很高。", quality, reference=reference)
    assert [one.awarded for one in graded(same).items()] == [None, 100]
    assert [one.awarded for one in graded(other).items()] == [None, 0]
