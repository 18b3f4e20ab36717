"""Scores of single answers and of levels."""

from __future__ import annotations

import pytest

from hengfa.engine.messages import Response, Status
from hengfa.suites.base import Rules
from hengfa.suites.lawbench.dataset import LawBenchSample
from hengfa.suites.lawbench.score import figures
from hengfa.suites.lawbench.suite import SUITE
from hengfa.suites.scoring import ANSWERS_AND_CUT, score_response, summarise

RECITE = LawBenchSample("0", "背诵", "第三条？", "答案:开办茶馆，应当登记。")
CHOOSE = LawBenchSample("0", "选择", "几日？A:一;B:二。", "正确答案：B。")


def score(
    task: str, sample: LawBenchSample, text: str, rules: Rules = Rules.OFFICIAL
) -> float | None:
    response = Response(status=Status.ANSWERED, text=text)
    suite_task = SUITE.tasks[task]
    return score_response(suite_task, rules, sample, response).metrics[suite_task.metric]


def test_a_perfect_recitation_misses_one_by_the_official_epsilon() -> None:
    assert score("1-1", RECITE, "开办茶馆，应当登记。") == pytest.approx(0.999999995, abs=1e-12)
    assert score("1-1", RECITE, "开办茶馆，应当登记。", Rules.CORRECTED) == 1.0


def test_repeating_the_label_of_the_gold_costs_points() -> None:
    labelled = score("1-1", RECITE, "答案:开办茶馆，应当登记。")
    assert labelled is not None
    assert 0.5 < labelled < 0.99


def test_only_the_gold_option_alone_earns_the_point() -> None:
    assert score("1-2", CHOOSE, "[正确答案]B<eoa>") == 1.0
    assert score("1-2", CHOOSE, "[正确答案]A<eoa>") == 0.0
    assert score("1-2", CHOOSE, "A或B") == 0.0


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.ANSWERED])
@pytest.mark.parametrize("rules", list(Rules))
def test_what_is_no_answer_is_never_read(status: Status, rules: Rules) -> None:
    scored = score_response(
        SUITE.tasks["1-2"], rules, CHOOSE, Response(status=status, text="[正确答案]B<eoa>")
    )
    assert scored.answer is None
    assert scored.metrics == {"accuracy": 0.0}


def test_cut_texts_are_read_on_request() -> None:
    cut = Response(status=Status.TRUNCATED, text="[正确答案]B<eoa>因为")
    scored = score_response(SUITE.tasks["1-2"], Rules.OFFICIAL, CHOOSE, cut, ANSWERS_AND_CUT)
    assert scored.metrics == {"accuracy": 1.0}


def test_a_figure_is_a_band_when_something_is_no_answer() -> None:
    task = SUITE.tasks["1-2"]
    responses = [
        Response(status=Status.ANSWERED, text="B"),
        Response(status=Status.ANSWERED, text="不知道"),
        Response(status=Status.FILTERED),
        Response(status=Status.FAILED),
    ]
    figure = summarise(
        task, (score_response(task, Rules.OFFICIAL, CHOOSE, response) for response in responses)
    )
    assert (figure.score, figure.lenient, figure.n) == (0.25, 0.5, 4)
    assert figure.abstention == 0.25
    assert figure.statuses == {"answered": 2, "filtered": 1, "failed": 1}
    assert figure.answers == {"extracted": 1, "abstained": 1}


def test_overall_is_the_mean_of_tasks_not_of_levels() -> None:
    scores = {"1-1": 0.2, "1-2": 0.4, "3-1": 0.9}
    assert figures(tuple(scores), scores) == pytest.approx(
        {"memorization": 0.3, "applying": 0.9, "overall": 0.5}
    )


def test_a_level_with_a_missing_task_has_no_figure() -> None:
    tasks = ("1-1", "1-2", "3-1")
    assert figures(tasks, {"1-1": 0.2, "3-1": 0.9}) == {"applying": 0.9}
