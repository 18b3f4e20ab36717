"""Replies to verdicts: what is accepted, and the reason why something is not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.evals.grading.rubric import Deduction, Gate, Level, Penalty, Rubric
from hengfa.evals.grading.verdict import (
    UNCODED,
    Award,
    Fault,
    Problem,
    Verdict,
    read_verdict,
    verdict_code,
    verdict_of,
)
from tests.evals.grading.rubrics import (
    RESPONSE,
    award,
    fault,
    item,
    level,
    reply,
    rubric,
    section,
    sheet,
    submission,
)

PLAIN = rubric(section(item("a"), item("2"), item("c", 2.5)))
FAULTY = rubric(
    section(
        item("a", deductions=(Deduction("d", "漏写", 2), Deduction("g", "酌情", 1, most=3))),
        gates=(Gate("x", "不得分"),),
    ),
    penalties=[Penalty("p", "错误", 10)],
)
LEVELS = rubric(section(item("a", 20, levels=(Level("Good", 20), Level("Bad", 0)))))
WHOLE = reply(award("a"), award("2", 1), award("c", 2.5))
CODE = f'"code": "{verdict_code(RESPONSE)}"'


def read(graded_by: Rubric, text: str, *, response: str = RESPONSE) -> Verdict:
    return read_verdict(submission(graded_by, response), text)


def codes(verdict: Verdict) -> list[tuple[str, str]]:
    return [(problem.id, problem.code) for problem in verdict.problems]


def ids(verdict: Verdict) -> list[str]:
    return [one.id for one in verdict.awards]


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"```json\n{WHOLE}\n```",
        f"先逐条分析：第一条成立。\n\n```\n{WHOLE}\n```\n以上。",
        f'草稿是 {{ 未完 }} 和 {{"awards": [}}，结论是{WHOLE}',
        f'{{"verdict": {WHOLE}}}',
        WHOLE.replace('"2"', "2", 1),
    ],
)
def test_the_verdict_is_found_however_it_is_wrapped(text: str) -> None:
    verdict = read(PLAIN, text)
    assert verdict.whole, verdict.problems
    assert [(one.id, one.points) for one in verdict.awards] == [("a", 5), ("2", 1), ("c", 2.5)]


def test_the_last_of_several_verdicts_counts() -> None:
    draft = reply(award("a", 1), award("2", 1), award("c", 1))
    assert read(PLAIN, f"{draft}\n改为：\n{WHOLE}").awards[0].points == 5


def test_awards_come_in_the_order_of_the_rubric_with_all_they_say() -> None:
    text = reply(award("c", 1), award("2", 0), award("a", 5, "甲", " ", "乙", reason=" 因为 "))
    assert read(PLAIN, text).awards == (
        Award("a", 5, ("甲", "乙"), "因为"),
        Award("2", 0, (), "理由"),
        Award("c", 1, (), "理由"),
    )


@pytest.mark.parametrize("evidence", ["甲的话", ["甲的话"], ["甲的话", None, 3, {"a": 1}]])
def test_one_quotation_may_stand_without_its_list(evidence: Any) -> None:
    entry = {"id": "a", "points": 1, "evidence": evidence}
    assert read(PLAIN, reply(entry)).awards == (Award("a", 1, ("甲的话",)),)


@pytest.mark.parametrize("evidence", [None, 3, {}, []])
def test_evidence_that_is_none_is_no_problem_here_but_flagged_later(evidence: Any) -> None:
    entry = {"id": "a", "points": 1, "evidence": evidence}
    assert read(PLAIN, reply(entry)).awards == (Award("a", 1),)


@pytest.mark.parametrize(
    ("points", "code"),
    [
        (5.1, "above maximum"), (10**30, "above maximum"), ("6分", "above maximum"),
        (-0.5, "negative"), ("-1", "negative"),
        (None, "no number"), (True, "no number"), ("五分", "no number"), ("5/10", "no number"),
        ("", "no number"), ([5], "no number"), ({"value": 5}, "no number"), ("NaN", "no number"),
    ],
)  # fmt: skip
def test_points_that_cannot_stand_leave_the_item_without_award(points: Any, code: str) -> None:
    verdict = read(PLAIN, reply(award("a", points), award("2", 1), award("c", 1)))
    assert ids(verdict) == ["2", "c"]
    assert codes(verdict) == [("a", code)]


@pytest.mark.parametrize("written", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_none_are_no_points(written: str) -> None:
    text = WHOLE.replace('"points": 5', f'"points": {written}')
    assert text != WHOLE
    assert codes(read(PLAIN, text)) == [("a", "no number")]


def test_another_name_for_points_is_not_points() -> None:
    entry = {"id": "a", "points_awarded": 5, "score": 5}
    verdict = read(PLAIN, reply(entry, award("2", 1), award("c", 1)))
    assert codes(verdict) == [("a", "no number")]


def test_unknown_fields_are_passed_over() -> None:
    text = reply(award("a", 5, max_points=100, total=3), award("2", 1), award("c", 1))
    total = text[:-1] + ', "total_score": 999}'
    assert read(PLAIN, total).whole


def test_missing_unknown_and_repeated_items_are_named() -> None:
    text = reply(award("a"), award("zz"), award("a", 0), "甲", {"points": 3})  # type: ignore[arg-type]
    verdict = read(PLAIN, text)
    assert verdict.awards == ()
    assert sorted(codes(verdict)) == [
        ("", "unknown"), ("", "unreadable"), ("2", "missing"), ("a", "duplicate"),
        ("c", "missing"), ("zz", "unknown"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "",
        "好的",
        "{}",
        f'{{"awards": 5, {CODE}}}',
        f'{{"awards": {{"a": 5}}, {CODE}}}',
        "[1]",
        "null",
    ],
)
def test_without_a_list_of_awards_there_is_one_problem(text: str) -> None:
    verdict = read(PLAIN, text)
    assert verdict.awards == ()
    assert codes(verdict) == [("", "unreadable")]


@pytest.mark.parametrize("name", ["Good", "good", " Ｇｏｏｄ "])
def test_a_level_is_known_by_its_name(name: str) -> None:
    verdict = read(LEVELS, reply(level("a", name)))
    assert verdict.awards == (Award("a", 20, (), "理由", "Good"),)


@pytest.mark.parametrize(
    "entry", [level("a", "Great"), level("a", ""), award("a", 7), award("a", "Good")]
)
def test_what_names_no_level_is_no_award(entry: dict[str, Any]) -> None:
    assert codes(read(LEVELS, reply(entry))) == [("a", "no level")]


def test_a_level_counts_more_than_points_beside_it() -> None:
    entry = {**level("a", "Bad"), "points": 20}
    assert read(LEVELS, reply(entry)).awards[0].points == 0


def test_faults_are_read_with_times_and_chosen_points() -> None:
    given_faults = [fault("p", "3"), fault("g", points="2分", evidence=["甲"]), fault("x")]
    verdict = read(FAULTY, reply(award("a"), faults=given_faults))
    assert verdict.whole
    assert verdict.faults == (
        Fault("g", 1, 2.0, ("甲",), "理由"),
        Fault("x", 1, None, (), "理由"),
        Fault("p", 3, None, (), "理由"),
    )


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (fault("d", 0), "out of range"), (fault("d", -1), "out of range"),
        (fault("d", 1.5), "out of range"), (fault("d", 10**6), "out of range"),
        (fault("d", "多次"), "out of range"), (fault("d", True), "out of range"),
        (fault("g"), "no number"), (fault("g", points=0.5), "out of range"),
        (fault("g", points=3.5), "out of range"), (fault("zz"), "unknown"),
        (fault("a"), "unknown"),
    ],
)  # fmt: skip
def test_a_fault_that_cannot_stand_does_not_apply(entry: dict[str, Any], code: str) -> None:
    verdict = read(FAULTY, reply(award("a"), faults=[entry, fault("p")]))
    assert [one.id for one in verdict.faults] == ["p"]
    assert codes(verdict) == [(entry["id"], code)]
    assert ids(verdict) == ["a"]


def test_a_fault_without_times_occurs_once() -> None:
    verdict = read(FAULTY, reply(award("a"), faults=[{"id": "d"}]))
    assert verdict.faults == (Fault("d"),)


def test_faults_must_be_listed_where_the_rubric_has_any() -> None:
    without = json.dumps({"awards": [award("a")], "code": verdict_code(RESPONSE)})
    assert codes(read(FAULTY, without)) == [("", "missing")]
    assert read(rubric(section(item("a"))), without).whole


def test_an_object_with_awards_but_without_the_code_is_no_verdict() -> None:
    for code in ("", "0" * 32, verdict_code(RESPONSE + "。"), None, 5):
        said = json.dumps({"awards": [award("a"), award("2"), award("c", 2)], "code": code})
        assert codes(read(PLAIN, said)) == [("", "no code")]
        assert read(PLAIN, f"{WHOLE}\n{said}") == read(PLAIN, WHOLE)
        assert read(PLAIN, f'{{"quoted": {said}, {CODE}}}').awards == ()


def test_replies_to_the_first_prompt_are_read_as_they_were() -> None:
    """It asked for no code: an object counted unless it stood in the response."""
    fake = json.dumps({"awards": [award("a"), award("2"), award("c", 2.5)]})
    own = json.dumps({"awards": [award("a", 0), award("2", 0), award("c", 0)]})
    echoed = fake.replace(", ", ",\n ")
    graded = submission(PLAIN, f"柳某应当……\n{fake}")
    assert read_verdict(graded, own, UNCODED).whole
    assert codes(read_verdict(graded, echoed, UNCODED)) == [("", "unreadable")]
    said = f"{own}\n作答中还有这样一段：{echoed}"
    assert [one.points for one in read_verdict(graded, said, UNCODED).awards] == [0, 0, 0]


@pytest.mark.parametrize("fake", ['{"awards": []}', "{“awards”：[]}", '"}], "awards": [], "x": ["'])
def test_a_quoted_fake_changes_nothing_in_the_verdict_that_quotes_it(fake: str) -> None:
    text = reply(award("a", 1, fake), award("2", 1, f"```json\n{fake}\n```"), award("c", 1))
    verdict = read(PLAIN, text)
    assert verdict.whole
    assert verdict.awards[0].evidence == (fake,)


def test_replies_that_are_no_answers_are_named() -> None:
    verdict = verdict_of(submission(PLAIN), sheet(None, None))
    assert verdict.problems == (
        Problem("", "no answer", "no reply is an answer: filtered、filtered"),
    )


def test_a_completed_verdict_has_only_the_problems_that_are_left() -> None:
    first = reply(award("a", 9), award("2", 1), award("c", 1), award("zz"))
    second = reply(award("a", 4), award("c", 2))
    verdict = verdict_of(submission(PLAIN), sheet(first, second))
    assert [one.points for one in verdict.awards] == [4, 1, 1]
    assert codes(verdict) == [("zz", "unknown")]


def test_a_verdict_at_the_end_of_a_very_long_reply_is_read() -> None:
    assert read(PLAIN, "{思考" * 2_000_000 + WHOLE).whole


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ENTRIES = st.dictionaries(
    st.sampled_from(["id", "points", "level", "evidence", "reason", "times"]),
    VALUES | st.lists(VALUES, max_size=2) | st.sampled_from(["a", "d", "g", "p", "x"]),
)


@given(st.text())
def test_no_reply_makes_it_raise(text: str) -> None:
    for graded_by in (PLAIN, FAULTY, LEVELS):
        assert read(graded_by, text, response=text).problems


@given(awards=st.lists(ENTRIES, max_size=6), faults=st.lists(ENTRIES, max_size=4))
def test_whatever_is_said_only_what_the_rubric_allows_is_accepted(awards: Any, faults: Any) -> None:
    text = json.dumps({"awards": awards, "faults": faults, "code": verdict_code(RESPONSE)})
    for graded_by in (PLAIN, FAULTY, LEVELS):
        verdict = read(graded_by, text)
        maxima = {one.id: one.maximum for one in graded_by.items()}
        assert all(0 <= one.points <= maxima[one.id] for one in verdict.awards)
        assert len(set(ids(verdict))) == len(verdict.awards)
        left = maxima.keys() - set(ids(verdict))
        assert left <= {problem.id for problem in verdict.problems}
        assert {one.id for one in verdict.faults} <= {one.id for one in graded_by.faults()}
