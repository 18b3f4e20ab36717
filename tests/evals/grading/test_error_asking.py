"""Asking a grader which errors an answer has that no item of its rubric is about."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.evals.engine.messages import Options, Response, Status
from hengfa.evals.grading.error_types import By, ErrorType
from hengfa.evals.grading.grader import errors_in, errors_request
from hengfa.evals.grading.verdict import verdict_code
from tests.evals.grading.rubrics import BREACH, RESPONSE, VALID, item, rubric, section, submission

TYPES = (
    ErrorType("focus", By.GRADER, "重点错误", "wrong focus", ""),
    ErrorType("one_sided", By.GRADER, "偏信一方", "one-sided", ""),
)
GRADED = submission(rubric(section(item("a"), item("b"))))


def said(*errors: Any, code: str | None = None) -> Response:
    code = verdict_code(RESPONSE) if code is None else code
    text = json.dumps({"errors": errors, "code": code}, ensure_ascii=False)
    return Response(Status.ANSWERED, text=text)


def error(type_: Any, *quotes: Any) -> dict[str, Any]:
    return {"type": type_, "quotes": list(quotes), "reason": "理由"}


def test_the_question_has_the_types_the_rubric_and_the_response_as_data() -> None:
    request = errors_request(GRADED, TYPES, Options(temperature=0.0))
    system, user = (message.content for message in request.messages)
    assert request.key == f"{GRADED.key}#errors"
    assert "focus：重点错误\none_sided：偏信一方" in system
    assert all(part in user for part in (GRADED.question, "a的内容", RESPONSE))
    assert f"核对码：{verdict_code(RESPONSE)}\n" in user
    assert request.options.reply_schema is not None


def test_a_type_counts_with_the_words_that_show_it() -> None:
    told = errors_in(GRADED, TYPES, said(error("focus", VALID, BREACH)))
    assert told is not None and told["one_sided"] == ()
    assert [RESPONSE[span.start : span.end] for span in told["focus"] or ()] == [VALID, BREACH]
    assert errors_in(GRADED, TYPES, said()) == {"focus": (), "one_sided": ()}


@pytest.mark.parametrize("quotes", [(), ("从未写过的话",), (VALID, "从未写过的话"), (5,)])
def test_a_type_without_words_of_the_response_is_left_open(quotes: tuple[Any, ...]) -> None:
    told = errors_in(GRADED, TYPES, said(error("focus", *quotes)))
    assert told == {"focus": None, "one_sided": ()}


@pytest.mark.parametrize(
    "reply",
    [
        None,
        Response(Status.FILTERED),
        Response(Status.ANSWERED, text="没有错误。"),
        said(error("focus", VALID), code="0" * 32),
    ],
)
def test_a_reply_that_cannot_be_read_says_nothing(reply: Response | None) -> None:
    assert errors_in(GRADED, TYPES, reply) is None


def test_types_that_nobody_asked_about_are_passed_over() -> None:
    told = errors_in(GRADED, TYPES, said(error("moon", VALID), "月亮", error(["focus"], VALID)))
    assert told == {"focus": (), "one_sided": ()}


@given(st.text(max_size=60))
def test_any_reply_is_read_without_failing(text: str) -> None:
    errors_in(GRADED, TYPES, Response(Status.ANSWERED, text=text))
