"""Traces of judgments: elements beside the court's, the sections, the retrieved list."""

from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.suites.test_judgment_robustness import FRAGMENTS
from tests.suites.test_judgment_score import DATA, THEFT, case, judgment

from hengfa.results.trace import Trace
from hengfa.suites.base import Rules
from hengfa.suites.judgment.context import context_of
from hengfa.suites.judgment.dataset import JudgmentSample, load
from hengfa.suites.judgment.suite import DOCUMENT, SUITE

REASON = "依照《刑法》第二百六十四条、第六十七条之规定，"
GIVEN = judgment("被告人灯笼犯盗窃罪，判处有期徒刑八个月，并处罚金人民币一千元。", REASON)
ELEMENTS = ["months", "fine", "charges", "articles", "reason", "judgment"]


def traced(one: JudgmentSample, text: str, rules: Rules = Rules.OFFICIAL) -> Trace:
    trace = DOCUMENT.rule_set(rules, DATA).trace
    assert trace is not None
    return trace(one, text)


def overall(trace: Trace) -> float:
    points = [one.points for one in trace.findings if one.label in ELEMENTS]
    return fmean(value for value in points if value is not None)


def test_each_element_is_expected_and_given() -> None:
    trace = traced(case(judgment(THEFT)), GIVEN)
    assert trace.kind == "elements"
    assert [one.label for one in trace.findings] == ELEMENTS
    months, fine, charges, articles, reason, result = trace.findings
    assert (months.expected, months.given, months.points, months.right) == ("6", "8", 0.75, False)
    assert (fine.expected, fine.given, fine.points) == ("2000", "1000", 0.5)
    assert (charges.given, charges.right) == ("盗窃罪", True)
    assert GIVEN[slice(*charges.spans[0])] == "盗窃罪"
    assert articles.given == "264、67"
    assert articles.points == pytest.approx(2 / 3)
    assert articles.note == "recall 1.00, precision 0.50"
    assert GIVEN[slice(*reason.spans[0])].startswith("本院认为，依照")
    assert GIVEN[slice(*result.spans[0])].endswith("并处罚金人民币一千元。")


def test_a_document_without_sections_is_left_out_of_meteor() -> None:
    *_, reason, result = traced(case(judgment(THEFT)), "灯笼偷了灯。").findings
    assert {(one.right, one.points, one.note) for one in (reason, result)} == {
        (None, None, "left out by the rules")
    }


@pytest.mark.parametrize("rules", Rules)
@pytest.mark.parametrize("version", ["head", "legacy"])
@pytest.mark.parametrize("text", [GIVEN, judgment(THEFT), "无", ""])
def test_the_mean_of_the_points_is_the_score(rules: Rules, version: str, text: str) -> None:
    rule_set, one = DOCUMENT.rule_set(rules, DATA), case(judgment(THEFT), version)
    metrics = rule_set.score(one, rule_set.read(text))
    assert overall(traced(one, text, rules)) == pytest.approx(metrics["overall"])


def test_what_was_retrieved_stands_below_with_the_gold_that_is_missing() -> None:
    one = load(DATA, "rag", SUITE.choose({"cases": "folds", "provisions": "3"}))[0]
    context = context_of(one)
    below = traced(one, "").findings[len(ELEMENTS) :]
    provisions = [found for found in below if found.label == "provision in the prompt"]
    shown = [found.given for found in provisions if found.given]
    assert shown == list(context.article_ids)
    assert {found.given for found in provisions if found.right} == set(shown) & set(
        map(str, one.articles)
    )
    assert {found.expected for found in provisions if found.right is False} == set(
        map(str, one.articles)
    ) - set(shown)
    cases = [found.given for found in below if found.label == "judgment in the prompt"]
    assert cases == list(context.case_ids)
    assert len(below) == len(provisions) + len(cases)


@given(text=st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=40).map("".join))
@settings(max_examples=60, deadline=None)
def test_any_text_has_a_trace_that_agrees_with_its_score(text: str) -> None:
    one = case(judgment(THEFT))
    for rules in Rules:
        rule_set = DOCUMENT.rule_set(rules, DATA)
        trace = traced(one, text, rules)
        spans = [span for found in trace.findings for span in found.spans]
        assert all(0 <= start < end <= len(text) for start, end in spans)
        metrics = rule_set.score(one, rule_set.read(text))
        assert overall(trace) == pytest.approx(metrics["overall"])
