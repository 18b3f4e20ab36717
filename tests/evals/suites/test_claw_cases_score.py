"""Case reasoning, graded: labels to metrics, with nothing imputed (claw.md 6)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.evals.grading.rubrics import graded_by
from tests.scoring import score_response

from hengfa.base.data.packs import sample_root
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.grading.verdict import Reply, Sheet, verdict_code
from hengfa.evals.suites.base import Answer, AnswerStatus, Attempt
from hengfa.evals.suites.claw_cases.dataset import load_samples
from hengfa.evals.suites.claw_cases.rules import DIMENSIONS, METRICS, RUBRIC, CaseRules, submission
from hengfa.evals.suites.claw_cases.statutes import overlap
from hengfa.evals.suites.claw_cases.suite import SUITE
from hengfa.evals.suites.scoring import Scored, score_attempt

SAMPLE = load_samples(sample_root() / "claw-cases")[0]
RESPONSE = "本案应当维持原判，理由充分。"
CODE = verdict_code(RESPONSE)
RULES = CaseRules()


def sheet(levels: dict[str, str], overall: float | None, grader: str = "g") -> Sheet:
    awards: list[dict[str, Any]] = [
        {"id": name, "level": level, "evidence": ["理由充分"], "reason": ""}
        for name, level in levels.items()
    ]
    if overall is not None:
        awards.append({"id": "overall", "points": overall, "evidence": ["维持原判"], "reason": ""})
    return Sheet(
        grader, (Reply("grade", "answered", json.dumps({"awards": awards, "code": CODE})),)
    )


def graded(*sheets: Sheet) -> Scored:
    """The response as some graders see it; with no sheets it waits for grades."""
    said = graded_by(submission(SAMPLE, RESPONSE), *sheets)
    return score_attempt(RULES, Attempt(SAMPLE, Response(Status.ANSWERED, RESPONSE), said))


def scored(*sheets: Sheet) -> dict[str, float | None]:
    return dict(graded(*sheets).metrics)


def test_labels_are_worth_20_10_and_0_and_the_overall_is_no_sum() -> None:
    names = list(DIMENSIONS)
    found = scored(
        sheet(dict(zip(names, ["Good", "Normal", "Bad", "Good", "Bad"], strict=True)), 30)
    )
    assert [found[name] for name in names] == [1, 0.5, 0, 1, 0]
    assert (found["dimension_sum"], found["overall"], found["missing_labels"]) == (0.5, 0.3, 0)


def test_a_label_that_is_missing_is_counted_and_has_no_value() -> None:
    found = scored(sheet({"reasoning": "Good"}, 80))
    assert (found["reasoning"], found["knowledge"]) == (1, None)
    assert (found["missing_labels"], found["labels"], found["dimension_sum"]) == (4, 6, None)
    assert (found["overall"], found["overall_if_full"]) == (0.8, 0.8)


def test_an_overall_rating_that_is_missing_makes_a_band() -> None:
    found = scored(sheet(dict.fromkeys(DIMENSIONS, "Normal"), None))
    assert (found["overall"], found["overall_if_full"]) == (None, 1)
    assert found["dimension_sum"] == 0.5


def test_a_panel_is_the_mean_of_those_who_gave_a_label() -> None:
    one = sheet(dict.fromkeys(DIMENSIONS, "Good"), 90)
    other = sheet({"clarity": "Bad"}, 50, "h")
    found = scored(one, other)
    assert found["overall"] == pytest.approx(0.7)
    assert (found["clarity"], found["reasoning"]) == (0.5, 1)


def test_without_a_grader_nothing_has_a_value_not_even_silence() -> None:
    answer, silence = Response(Status.ANSWERED, RESPONSE), Response(Status.EMPTY)
    by_rule = {"error_refusal": 0.0}
    unrated = dict.fromkeys(METRICS) | overlap(SAMPLE.case.statutes, "")
    assert score_response(RULES, SAMPLE, answer).metrics == unrated | by_rule
    assert (scored()["overall"], scored()["missing_labels"]) == (None, 6)
    assert score_response(RULES, SAMPLE, silence).metrics == unrated
    asked = graded_by(submission(SAMPLE, ""))
    assert score_attempt(RULES, Attempt(SAMPLE, silence, asked)).metrics["overall"] == 0


def test_cited_provisions_are_the_same_with_and_without_a_grader() -> None:
    response = "依照《月湖渡船法》第七条和第八条，渡务所应当赔偿。"
    said = graded_by(submission(SAMPLE, response), sheet({"clarity": "Good"}, 50))
    alone, rated = (
        score_attempt(RULES, Attempt(SAMPLE, Response(Status.ANSWERED, response), by)).metrics
        for by in (None, said)
    )
    for found in (alone, rated):
        assert (found["statutes_recall"], found["statutes_precision"]) == (1, 0.5)
    assert alone["overall"] is None


def test_words_that_are_not_in_the_response_back_nothing() -> None:
    awards = [{"id": "overall", "points": 90, "evidence": ["从未写过的话"], "reason": ""}]
    replies = (Reply("grade", "answered", json.dumps({"awards": awards, "code": CODE})),)
    found = scored(Sheet("g", replies))
    assert (found["overall"], found["overall_backed"]) == (0.9, 0)


def test_graders_see_question_and_reasons_and_the_day_of_the_case() -> None:
    seen = submission(SAMPLE, RESPONSE)
    assert SAMPLE.question.question in seen.question
    assert seen.reference == SAMPLE.case.reasoning
    assert (seen.as_of, seen.rubric) == (SAMPLE.case.issued, RUBRIC)


def test_a_short_refusal_is_abstention_and_long_reasons_are_not() -> None:
    assert RULES.read("抱歉，我无法回答这个问题。").status is AnswerStatus.ABSTAINED
    assert RULES.read("本院认为，我无法认同原告。" * 30) == Answer(
        "本院认为，我无法认同原告。" * 30
    )


def test_the_figure_is_the_overall_rating() -> None:
    assert SUITE.figures({"case": 0.4}) == {"overall": 0.4}
    assert SUITE.figures({}) == {}
