"""Named entities: what is read out of responses and what it earns (lawbench.md 2-6)."""

from __future__ import annotations

import pytest
from tests.scoring import score_response, summarise

from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.results.figures import ABSTAINED
from hengfa.evals.suites.base import AnswerStatus, Metrics, Rules
from hengfa.evals.suites.lawbench import gold
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.evals.suites.lawbench.entities import SOFT_F1
from hengfa.evals.suites.lawbench.rules import LawBenchFix
from hengfa.evals.suites.lawbench.suite import SUITE

TASK = SUITE.tasks["2-6"]
EPSILON = 1e-10


def read(response: str, *fixes: str) -> dict[str, str]:
    answer = TASK.rules(frozenset(fixes), None).read(response)
    assert (answer.status is AnswerStatus.ABSTAINED) == (answer.value is None)
    found: dict[str, str] = answer.value or {}
    return found


def metrics(reference: str, response: str, rules: Rules) -> Metrics:
    sample = LawBenchSample("0", "提取实体。", "句子:略", reference)
    return score_response(
        TASK.rule_set(rules), sample, Response(status=Status.ANSWERED, text=response)
    ).metrics


def score(reference: str, response: str, rules: Rules = Rules.OFFICIAL) -> float | None:
    return metrics(reference, response, rules)[SOFT_F1]


@pytest.mark.parametrize(
    ("response", "official", "corrected"),
    [
        (
            "犯罪嫌疑人:甲某\n受害人：乙某、丙某",
            {"犯罪嫌疑人": "甲某", "受害人": "乙某、丙某"},
            {"犯罪嫌疑人": "甲某", "受害人": "乙某、丙某"},
        ),
        ("受害人是乙某", {}, {}),
        ("", {}, {}),
        # Q: at least three characters must follow the name.
        ("时间：夜", {}, {}),
        ("时间：昨夜", {"时间": "昨夜"}, {"时间": "昨夜"}),
        # Q: the last valid occurrence wins.
        ("受害人：乙某\n受害人：丙某", {"受害人": "丙某"}, {"受害人": "乙某、丙某"}),
        ("受害人：乙某\n受害人：乙某", {"受害人": "乙某"}, {"受害人": "乙某"}),
        # Q: 无 and 未提及 do not erase an earlier value.
        ("受害人：乙某\n受害人：无\n", {"受害人": "乙某"}, {"受害人": "乙某"}),
        ("受害人：未提及\n地点：无\n", {}, {}),
        # Q: an empty value is stored.
        ("受害人：\n\n", {"受害人": ""}, {}),
        # Q: values are not cut at ; or ；, so the first swallows what follows.
        (
            "受害人:乙某;时间:昨夜",
            {"受害人": "乙某;时间:昨夜", "时间": "昨夜"},
            {"受害人": "乙某", "时间": "昨夜"},
        ),
        (
            "受害人：乙某；时间：昨夜",
            {"受害人": "乙某；时间：昨夜", "时间": "昨夜"},
            {"受害人": "乙某", "时间": "昨夜"},
        ),
        # Q: nor where another type begins.
        (
            "受害人：乙某时间：昨夜",
            {"受害人": "乙某时间：昨夜", "时间": "昨夜"},
            {"受害人": "乙某", "时间": "昨夜"},
        ),
        (
            "受害人：\n时间：昨夜",
            {"受害人": "时间：昨夜", "时间": "昨夜"},
            {"时间": "昨夜"},
        ),
        # A comma may be part of a value under all rules, an ASCII blank ends it.
        ("被盗物品：手机，钱包", {"被盗物品": "手机，钱包"}, {"被盗物品": "手机，钱包"}),
        ("受害人：乙某 男", {"受害人": "乙某"}, {"受害人": "乙某"}),
        ("受害人：乙某\u3000男", {"受害人": "乙某\u3000男"}, {"受害人": "乙某\u3000男"}),
        ("地点：某村<eoa>", {"地点": "某村<eoa>"}, {"地点": "某村"}),
        # Q: a value on the next line is taken when the rest of the line is empty.
        ("受害人： \n乙某某", {"受害人": "乙某某"}, {"受害人": "乙某某"}),
        # Q: names match inside longer words.
        ("作案时间：昨夜", {"时间": "昨夜"}, {"时间": "昨夜"}),
        # Words for nothing other than 无 and 未提及, or with a full stop, are values.
        ("地点：不详\n时间：没有", {"地点": "不详", "时间": "没有"}, {}),
        ("地点：未知\n时间：无法确定", {"地点": "未知", "时间": "无法确定"}, {}),
        ("地点：无。\n时间：昨夜", {"地点": "无。", "时间": "昨夜"}, {"时间": "昨夜"}),
        ("地点：无锡某村", {"地点": "无锡某村"}, {"地点": "无锡某村"}),
    ],
)
def test_entities(response: str, official: dict[str, str], corrected: dict[str, str]) -> None:
    assert read(response) == official
    assert read(response, *TASK.fixes) == corrected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (LawBenchFix.SEPARATORS, {"受害人": "不详"}),
        (LawBenchFix.LINES, {"受害人": "乙某；男、不详；男"}),
        (LawBenchFix.NOTHING, {"受害人": "不详；男"}),
        (LawBenchFix.REPORTED, {"受害人": "不详；男"}),
    ],
)
def test_each_fix_does_nothing_but_its_own(name: str, value: dict[str, str]) -> None:
    assert read("受害人：乙某；男\n受害人：不详；男", name) == value


def test_a_name_inside_a_value_begins_no_other_value_of_its_type() -> None:
    assert read("受害人：乙受害人：丙某", LawBenchFix.LINES) == {"受害人": "乙受害人：丙某"}


@pytest.mark.parametrize(
    ("answer", "entities"),
    [
        ("", {}),
        (" \n", {}),
        ("受害人:乙某、丙某;时间:昨夜", {"受害人": "乙某、丙某", "时间": "昨夜"}),
        ("时间:8:30;地点:某村", {"时间": "8", "地点": "某村"}),  # a third part is not read
    ],
)
def test_gold(answer: str, entities: dict[str, str]) -> None:
    assert gold.entities(answer) == entities


@pytest.mark.parametrize("rules", list(Rules))
def test_where_nothing_is_to_be_found_nothing_must_be_found(rules: Rules) -> None:
    assert metrics("", "没有实体", rules) == {SOFT_F1: 1.0, ABSTAINED: 0.0}
    assert metrics(" ", "受害人：乙某", rules) == {SOFT_F1: 0.0, ABSTAINED: 0.0}


def test_the_constant_in_the_denominator_keeps_a_perfect_answer_below_one() -> None:
    assert score("受害人:乙某", "受害人：乙某") == 2 / (2 + EPSILON)
    assert score("受害人:乙某", "受害人：乙某", Rules.CORRECTED) == 1.0


def test_a_type_too_many_costs_precision_and_a_missing_one_recall() -> None:
    half = 2 * 0.5 * 0.5 / (1 + EPSILON)
    assert score("受害人:乙某;时间:昨夜", "受害人：乙某\n地点：某村") == half
    assert score("受害人:乙某;时间:昨夜", "受害人：乙某") == 2 * 1 * 0.5 / (1.5 + EPSILON)
    assert score("受害人:乙某", "受害人：乙某\n地点：某村") == 2 * 0.5 * 1 / (1.5 + EPSILON)


def test_values_are_compared_by_their_characters() -> None:
    shared = 2 * (2 / 3) * 1 / (2 / 3 + 1)  # 乙某 of 乙某某, whatever the order and the marks
    assert score("受害人:某、乙", "受害人：乙某某。") == pytest.approx(
        2 * shared * shared / (2 * shared + EPSILON), abs=1e-15
    )
    assert score("受害人:乙", "受害人：丙某") == 0.0


def test_an_empty_value_counts_as_predicted_under_official_rules() -> None:
    assert score("时间:昨夜", "时间：昨夜\n受害人：\n\n") == 2 * 0.5 * 1 / (1.5 + EPSILON)
    assert score("时间:昨夜", "时间：昨夜\n受害人：\n\n", Rules.CORRECTED) == 1.0


def test_the_gold_string_itself_is_perfect_under_corrected_rules_only() -> None:
    answer = "犯罪嫌疑人:甲某;受害人:乙某;时间:昨夜"
    official, corrected = score(answer, answer), score(answer, answer, Rules.CORRECTED)
    assert official is not None
    assert 0.4 < official < 0.8
    assert corrected == pytest.approx(1.0, abs=1e-9)


def test_abstention_is_lost_under_official_rules() -> None:
    sample = LawBenchSample("0", "提取实体。", "句子:略", "受害人:乙某")
    rates = []
    for rules in Rules:
        rule_set = TASK.rule_set(rules)
        scored = [
            score_response(rule_set, sample, Response(status=Status.ANSWERED, text=text))
            for text in ("没有", "受害人：乙某", "受害人：无\n", "不知道")
        ]
        rates.append(summarise(TASK.metric, rule_set.pooled, scored).abstention)
    assert rates == [0.0, 0.75]


@pytest.mark.parametrize("rules", list(Rules))
def test_no_answer_earns_nothing_even_where_nothing_is_to_be_found(rules: Rules) -> None:
    sample = LawBenchSample("0", "提取实体。", "句子:略", "")
    scored = score_response(TASK.rule_set(rules), sample, Response(status=Status.FILTERED))
    assert scored.metrics == {SOFT_F1: 0.0, ABSTAINED: 0.0}
