"""Scores of single answers, of tasks and of levels (lawbench.md 1, 2 and 5)."""

from __future__ import annotations

import math

import pytest
from tests.scoring import score_response, summarise

from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.results.figures import ABSTAINED, Pooled, TaskFigures
from hengfa.evals.suites.base import Answer, AnswerStatus, Attempt, Metrics, Rules, Score
from hengfa.evals.suites.kit.tasks import levels
from hengfa.evals.suites.lawbench import gold
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.evals.suites.lawbench.rules import LawBenchFix
from hengfa.evals.suites.lawbench.suite import LEVELS, SUITE
from hengfa.evals.suites.scoring import ANSWERS_AND_CUT, Scored

EPSILON = 1e-10
LONGEST = math.log(216)
GOLD = {
    "1-1": "答案:开办茶馆，应当登记。",
    "1-2": "正确答案：B。",
    "2-1": "他们开会。",
    "2-2": "争议焦点类别：利息。",
    "2-3": "类别:准予离婚、适当帮助。",
    "2-4": "公司法",
    "2-5": "回答:三天",
    "2-6": "受害人:乙某;时间:昨夜",
    "2-7": "某地发生事故。",
    "2-8": "[正确答案]B<eoa>",
    "2-9": "卖出;获利",
    "2-10": "砸毁;索要",
    "3-1": "法条:刑法第264、52条",
    "3-2": "第三条 略",
    "3-3": "罪名:盗窃;诈骗",
    "3-4": "刑期:18个月",
    "3-5": "刑期:18个月",
    "3-6": "正确答案:B。",
    "3-7": "上文涉及到的犯罪金额:3900.5元。",
    "3-8": "回答:可以。法律依据:略",
}


def sample(task: str, answer: str = "") -> LawBenchSample:
    return LawBenchSample("0", "回答。\n句子：", "他门开会。", answer or GOLD[task])


def metrics(task: str, text: str, rules: Rules = Rules.OFFICIAL, answer: str = "") -> Metrics:
    response = Response(status=Status.ANSWERED, text=text)
    rule_set = SUITE.tasks[task].rule_set(rules)
    return score_response(rule_set, sample(task, answer), response).metrics


def score(task: str, text: str, rules: Rules = Rules.OFFICIAL, answer: str = "") -> float | None:
    return metrics(task, text, rules, answer)[SUITE.tasks[task].metric]


def figure(task: str, rules: Rules, *pairs: tuple[str, str]) -> TaskFigures:
    """Of (gold, response) pairs."""
    rule_set = SUITE.tasks[task].rule_set(rules)
    scored = [
        score_response(rule_set, sample(task, answer), Response(status=Status.ANSWERED, text=text))
        for answer, text in pairs
    ]
    return summarise(SUITE.tasks[task].metric, rule_set.pooled, scored)


@pytest.mark.parametrize("task", SUITE.tasks)
@pytest.mark.parametrize("rules", list(Rules))
def test_the_reference_in_the_form_that_is_asked_for_is_perfect(task: str, rules: Rules) -> None:
    reference = SUITE.tasks[task].baselines.reference(sample(task))
    assert score(task, reference, rules) == pytest.approx(1.0, abs=1e-8)


def test_a_perfect_recitation_misses_one_by_the_official_epsilon() -> None:
    assert score("1-1", "开办茶馆，应当登记。") == pytest.approx(0.999999995, abs=1e-12)
    assert score("1-1", "开办茶馆，应当登记。", Rules.CORRECTED) == 1.0


@pytest.mark.parametrize("task", ["1-1", "2-5"])
def test_repeating_the_label_of_the_gold_costs_points_under_official_rules(task: str) -> None:
    labelled = score(task, GOLD[task])
    assert labelled is not None
    assert 0.5 < labelled < 0.99
    assert score(task, GOLD[task], Rules.CORRECTED) == 1.0


def test_corrected_texts_are_compared_by_characters_as_well() -> None:
    assert set(metrics("2-7", "某地", Rules.OFFICIAL)) == {"rouge_l"}
    assert metrics("2-7", "某地", Rules.CORRECTED)["rouge_l_char"] == pytest.approx(4 / 9)


def test_only_the_gold_option_alone_earns_the_point() -> None:
    for task in ("1-2", "2-8", "3-6"):
        assert score(task, "[正确答案]B<eoa>") == 1.0
        assert score(task, "[正确答案]A<eoa>") == 0.0
        assert score(task, "A或B") == 0.0
    assert score("2-4", "公司法") == 1.0
    assert score("2-4", "公司法、侵权") == 0.0


@pytest.mark.parametrize(
    ("task", "text", "expected"),
    [
        ("2-3", "准予离婚", 2 * 1 * 0.5 / 1.5),
        ("2-3", "准予离婚、适当帮助、法定离婚", 2 * (2 / 3) / (2 / 3 + 1)),
        ("2-3", "法定离婚", 0.0),
        ("2-3", "不知道", 0.0),
        ("2-9", "获利；卖出", 1.0),
        ("3-1", "第52条、第1条", 0.5),
        ("3-3", "盗窃罪", 2 * 1 * 0.5 / 1.5),
    ],
)
def test_sets_are_scored_by_f1(task: str, text: str, expected: float) -> None:
    assert score(task, text) == pytest.approx(expected, abs=1e-15)


def test_reading_is_scored_by_characters() -> None:
    assert score("2-5", "共三天。") == pytest.approx(2 * (2 / 3) / (2 / 3 + 1))
    assert score("2-5", "") == 0.0


@pytest.mark.parametrize(
    ("text", "official", "corrected"),
    [
        ("砸毁;索要", 2 / (2 + EPSILON), 1.0),
        # Q: words are paired by position.
        ("索要;砸毁", 0.0, 1.0),
        ("打;砸毁;索要", 0.0, 2 * (2 / 3) * 1 / (5 / 3)),
        ("砸毁", 2 * 1 * 0.5 / (1.5 + EPSILON), 2 / 3),
        # Q: other separators separate nothing.
        ("砸毁；索要", 2 * (2 / 3) * (1 / 3) / (1 + EPSILON), 1.0),
        # Q: an empty response has one empty piece.
        ("", 0.0, 0.0),
    ],
)
def test_trigger_words(text: str, official: float, corrected: float) -> None:
    assert score("2-10", text) == pytest.approx(official, abs=1e-15)
    assert score("2-10", text, Rules.CORRECTED) == pytest.approx(corrected, abs=1e-15)


def test_an_empty_response_is_an_abstention_of_trigger_words_under_corrected_rules_only() -> None:
    rates = [figure("2-10", rules, (GOLD["2-10"], "")).abstention for rules in Rules]
    assert rates == [0.0, 1.0]


def test_a_trigger_word_may_be_expected_twice() -> None:
    value = score("2-10", "骂、打、打", Rules.CORRECTED, answer="打;打")
    assert value == pytest.approx(2 * (2 / 3) * 1 / (5 / 3), abs=1e-15)


def test_of_many_trigger_words_the_best_are_matched() -> None:
    noise = ";".join(["砸"] * 500 + ["要"] * 500)
    text = f"{noise};索要;砸毁"
    assert score("2-10", text, Rules.CORRECTED) == pytest.approx(
        2 * (2 / 1002) * 1 / (2 / 1002 + 1), abs=1e-15
    )


@pytest.mark.parametrize("task", ["3-4", "3-5"])
@pytest.mark.parametrize(
    ("text", "expected", "near"),
    [
        ("18个月", 1.0, 1.0),
        ("22个月", 1 - math.log(23 / 19) / LONGEST, 1.0),
        ("23个月", 1 - math.log(24 / 19) / LONGEST, 0.0),
        ("0个月", 1 - math.log(19) / LONGEST, 0.0),
        ("不知道", 0.0, 0.0),  # an abstention is as far as 216
    ],
)
def test_terms_are_scored_by_logarithmic_distance(
    task: str, text: str, expected: float, near: float
) -> None:
    found = metrics(task, text)
    assert found["nlog_distance"] == pytest.approx(expected, abs=1e-12)
    assert found["within_25_percent"] == near


def test_a_quarter_more_or_less_is_near() -> None:
    terms = ("14个月", "15个月", "25个月", "26个月")
    found = [metrics("3-4", text, answer="刑期:20个月")["within_25_percent"] for text in terms]
    assert found == [0.0, 1.0, 1.0, 0.0]


def test_an_absurd_term_scores_below_zero_unless_clipped() -> None:
    official = score("3-4", "99999个月")
    assert official is not None
    assert official < 0
    assert score("3-4", "99999个月", Rules.CORRECTED) == 0.0


@pytest.mark.parametrize("answer", ["刑期:无期", "刑期:死刑"])
def test_life_and_death_sentences_are_left_out_of_scores(answer: str) -> None:
    pairs = ((answer, "不知道"), (GOLD["3-4"], "18个月"), (GOLD["3-4"], "不知道"))
    official, corrected = (figure("3-4", rules, *pairs) for rules in Rules)
    assert (official.score, official.n) == (corrected.score, corrected.n) == (0.5, 2)
    # Q: but they count where abstentions are divided, and are no abstention themselves.
    assert official.abstention == pytest.approx(1 / 3)
    assert corrected.abstention == pytest.approx(1 / 2)
    assert corrected.more == {"within_25_percent": 0.5}


def test_a_dispute_focus_that_is_no_option_is_left_out_of_scores() -> None:
    left_out = "争议焦点类别：赔偿。"
    pairs = ((left_out, "不知道"), (left_out, "利息"), (GOLD["2-2"], "不知道"))
    official, corrected = (figure("2-2", rules, *pairs) for rules in Rules)
    assert (official.score, official.n) == (corrected.score, corrected.n) == (0.0, 1)
    assert official.abstention == pytest.approx(1 / 3)
    assert corrected.abstention == 1.0


def test_where_no_sample_counts_there_is_no_score() -> None:
    nothing = figure("2-2", Rules.CORRECTED, ("争议焦点类别：赔偿。", "利息"))
    assert (nothing.score, nothing.lenient, nothing.standard_error) == (None, None, None)
    assert (nothing.n, nothing.abstention) == (0, 0.0)


def test_amounts_are_equal_or_not() -> None:
    assert score("3-7", "3900.5元") == 1.0
    assert score("3-7", "3900元") == 0.0
    # Q: quoting every number is rewarded.
    assert score("3-7", "3000元、900.5元、3900.5元、1元") == 1.0
    assert score("3-7", "3000元、900.5元、3900.5元、1元", Rules.CORRECTED) == 0.0


@pytest.mark.parametrize("task", ["3-1", "3-4", "3-7"])
def test_a_gold_that_must_be_a_number_and_is_none_is_refused(task: str) -> None:
    with pytest.raises(ValueError, match=r"invalid literal|could not convert"):
        gold.CHECKED[task]("甲")


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.ANSWERED])
@pytest.mark.parametrize("rules", list(Rules))
@pytest.mark.parametrize("task", SUITE.tasks)
def test_what_is_no_answer_is_never_read_and_is_no_abstention(
    task: str, rules: Rules, status: Status
) -> None:
    suite_task = SUITE.tasks[task]
    rule_set = suite_task.rule_set(rules)
    text = suite_task.baselines.reference(sample(task))
    scored = score_response(rule_set, sample(task), Response(status=status, text=text))
    assert scored.answer is None
    assert scored.metrics[suite_task.metric] == 0.0
    found = summarise(suite_task.metric, rule_set.pooled, [scored])
    assert (found.score, found.lenient, found.abstention) == (0.0, None, 0.0)
    assert found.statuses == {str(status): 1}
    assert not found.answers


def test_cut_texts_are_read_on_request() -> None:
    cut = Response(status=Status.TRUNCATED, text="[正确答案]B<eoa>因为")
    rule_set = SUITE.tasks["1-2"].rule_set(Rules.OFFICIAL)
    assert score_response(rule_set, sample("1-2"), cut).metrics == {"accuracy": 0.0}
    read = score_response(rule_set, sample("1-2"), cut, ANSWERS_AND_CUT)
    assert read.metrics == {"accuracy": 1.0}


def test_a_figure_is_a_band_when_something_is_no_answer() -> None:
    rule_set = SUITE.tasks["1-2"].rule_set(Rules.OFFICIAL)
    responses = [
        Response(status=Status.ANSWERED, text="B"),
        Response(status=Status.ANSWERED, text="不知道"),
        Response(status=Status.FILTERED),
        Response(status=Status.FAILED),
    ]
    scored = [score_response(rule_set, sample("1-2"), response) for response in responses]
    found = summarise("accuracy", rule_set.pooled, scored)
    assert (found.score, found.lenient, found.n) == (0.25, 0.5, 4)
    assert found.abstention == 0.25
    assert found.statuses == {"answered": 2, "filtered": 1, "failed": 1}
    assert found.answers == {"extracted": 1, "abstained": 1}


def test_proofreading_counts_as_missed_what_no_answer_corrected() -> None:
    rule_set = SUITE.tasks["2-1"].rule_set(Rules.OFFICIAL)
    found = score_response(rule_set, sample("2-1"), Response(status=Status.FAILED)).metrics
    assert (found["tp"], found["fp"], found["fn"]) == (0.0, 0.0, 1.0)


def counted(values: Metrics, answer: AnswerStatus | None = AnswerStatus.EXTRACTED) -> Scored:
    attempt = Attempt(sample("1-2"), Response(status=Status.ANSWERED))
    read: Answer[object] | None = None if answer is None else Answer(None, answer)
    return Scored(attempt, read, Score(values))


def test_a_metric_may_say_whether_a_sample_abstained() -> None:
    scored = [
        counted({"m": 0.0}, AnswerStatus.ABSTAINED),
        counted({"m": 0.0, ABSTAINED: 0.0}, AnswerStatus.ABSTAINED),
        counted({"m": 1.0, ABSTAINED: 1.0}),
        counted({"m": None, ABSTAINED: None}, AnswerStatus.ABSTAINED),
    ]
    found = summarise("m", None, scored)
    assert found.abstention == pytest.approx(2 / 3)
    assert found.more == {}


def test_pooled_figures_are_made_of_sums_and_only_the_score_is_rounded() -> None:
    def share(right: float, wrong: float) -> float:
        return right / (right + wrong)

    pooled = Pooled(("right", "wrong"), share, 2)
    scored = [
        counted({"m": 0.0, "right": 1.0, "wrong": 0.0, "late": 1.0}),
        counted({"m": 0.0, "right": 1.0, "wrong": 1.0, "late": 0.0}),
        counted({"m": 0.0, "right": 0.0, "wrong": 3.0}, None),
    ]
    found = summarise("m", pooled, scored)
    assert (found.score, found.lenient, found.n) == (0.33, 0.67, 3)
    without = [share(1, 4), share(1, 3), share(2, 1)]
    centre = sum(without) / 3
    spread = sum((one - centre) ** 2 for one in without)
    assert found.standard_error == pytest.approx(math.sqrt(spread * 2 / 3), abs=1e-15)
    assert found.more == {"right": 2.0, "wrong": 4.0, "late": 0.5}


@pytest.mark.parametrize(
    ("name", "digits"),
    [(LawBenchFix.SOURCE, 4), (LawBenchFix.WHOLE, 4), (LawBenchFix.ALIGNMENT, None)],
)
def test_proofreading_is_rounded_unless_the_first_alignment_is_taken(
    name: str, digits: int | None
) -> None:
    pooled = SUITE.tasks["2-1"].rules(frozenset({name}), None).pooled
    assert pooled is not None
    assert pooled.digits == digits


def test_overall_is_the_mean_of_tasks_not_of_levels() -> None:
    scores = {"1-1": 0.2, "1-2": 0.4, "3-1": 0.9}
    assert levels(tuple(scores), LEVELS)(scores) == pytest.approx(
        {"memorization": 0.3, "applying": 0.9, "overall": 0.5}
    )


def test_a_level_with_a_missing_task_has_no_figure() -> None:
    assert levels(("1-1", "1-2", "3-1"), LEVELS)({"1-1": 0.2, "3-1": 0.9}) == {"applying": 0.9}
