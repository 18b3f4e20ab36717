"""Traces of graded suites: an item is a finding, and findings sum to the points that count."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evals.suites.test_claw_cases_score import RESPONSE, RULES, SAMPLE
from tests.evals.suites.test_claw_cases_score import graded as rated
from tests.evals.suites.test_claw_cases_score import sheet as rating
from tests.evals.suites.test_plawbench_score import ANSWER, FULL, SWAPPED, sample, scored, sheet
from tests.scoring import trace_of

from hengfa.evals.grading.rubric import Item, Penalty, Rubric, Section, Span
from hengfa.evals.grading.verdict import Reply, Sheet
from hengfa.evals.results.trace import Trace
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.findings import placed_by_line
from hengfa.evals.suites.plawbench.dataset import CASE, CONSULTATION, DEFENDANT, PLawBenchSample
from hengfa.evals.suites.plawbench.suite import SUITE


def traced(
    one: PLawBenchSample, *sheets: Sheet, text: str = ANSWER, rules: Rules = Rules.OFFICIAL
) -> Trace:
    """What is said of the items; errors of the whole answer come after them."""
    trace = scored(one, *sheets, text=text, rules=rules).score.explain()
    items = [finding for finding in trace.findings if not finding.label.startswith("error: ")]
    assert list(trace.findings[: len(items)]) == items
    return Trace(trace.kind, tuple(items))


def total(trace: Trace) -> float:
    return math.fsum(one.points or 0.0 for one in trace.findings)


def test_an_item_has_its_points_its_evidence_and_its_flags() -> None:
    given_ = FULL | {"f1": (2.0, "甲借了三把伞"), "s1": (5.0, "从未写过"), "r2": (0.0, "")}
    trace = traced(sample(), sheet(given_))
    found = {one.label: one for one in trace.findings}
    assert trace.kind == "items"
    assert list(found) == ["结论: c1", "事实: f1", "推理: r1", "推理: r2", "法条: s1"]
    conclusion, facts, law = found["结论: c1"], found["事实: f1"], found["法条: s1"]
    assert (conclusion.points, conclusion.maximum, conclusion.right) == (5, 5, True)
    assert [ANSWER[start:end] for start, end in conclusion.spans] == ["应当还伞"]
    assert (facts.right, facts.points) == (None, 2)
    assert (law.points, law.note, law.spans) == (5, "not found", ())
    assert found["推理: r2"].right is False


@pytest.mark.parametrize("rules", Rules)
@pytest.mark.parametrize("awards", [FULL, SWAPPED, FULL | {"c1": (5.0, "没有的话")}])
@pytest.mark.parametrize("faults", [(), ("d",)])
def test_findings_sum_to_the_points_of_the_rules(
    rules: Rules, awards: dict[str, tuple[float, str]], faults: tuple[str, ...]
) -> None:
    said = sheet(awards, faults)
    trace = traced(sample(), said, rules=rules)
    assert total(trace) == pytest.approx(scored(sample(), said, rules=rules).metrics["points"])
    assert [one.note for one in trace.findings].count("fault") == len(faults)


def test_what_is_cut_above_the_items_is_a_finding_of_its_own() -> None:
    """Two items of 4 in a section of 6, and a penalty of 1: 8 − 2 − 1."""
    rubric = Rubric(
        "d",
        6,
        (Section("s", "", 6, (Item("a", "甲项", 4), Item("b", "乙项", 4))),),
        penalties=(Penalty("p", "错字", 1),),
    )
    said = sheet({"a": (4.0, "应当还伞"), "b": (4.0, "借伞法")}, ("p",))
    trace = traced(sample(DEFENDANT, rubric), said)
    assert [(one.label, one.points) for one in trace.findings] == [
        ("甲项", 4),
        ("乙项", 4),
        ("s", -2),
        ("total", -1),
        ("错字", None),
    ]
    assert scored(sample(DEFENDANT, rubric), said).metrics["points"] == 5


def test_an_item_that_nobody_graded_is_neither_right_nor_wrong() -> None:
    trace = traced(sample(), sheet({"c1": (5.0, "应当还伞")}))
    assert [(one.right, one.note) for one in trace.findings[1:]] == [(None, "ungraded")] * 4


def test_several_graders_are_named() -> None:
    trace = traced(sample(), sheet(FULL), sheet({"c1": (0.0, "")}, grader="h"))
    assert len(trace.findings) == 10
    assert {one.note.partition(";")[0] for one in trace.findings[:5]} == {"g"}
    assert trace.findings[6].note == "h; ungraded"


def test_without_graders_there_is_nothing_to_say() -> None:
    rule_set = SUITE.tasks[CASE].rule_set(Rules.OFFICIAL)
    assert trace_of(rule_set, sample(), ANSWER) == Trace("items")
    assert {finding.right for finding in traced(sample()).findings} == {
        None
    }  # asked, all left open
    assert trace_of(RULES, SAMPLE, RESPONSE) == Trace("items")


def test_evidence_of_a_consultation_is_found_in_the_response_itself() -> None:
    """Graders see the numbered questions only; the greeting above them shifts every place."""
    rubric = Rubric("c", 3, (Section("s", "", 3, (Item("a", "问时间", 3),)),))
    response = "您好！先问几点：\n\n  1. 您贵姓？\n\n  2. 何时借的\n      伞？\n谢谢"
    said = sheet({"a": (3.0, "何时借的伞")})
    (finding,) = traced(sample(CONSULTATION, rubric), said, text=response).findings
    ((start, end),) = finding.spans
    assert response[start:end] == "何时借的\n      伞"


@given(before=st.text(max_size=20), line=st.text(min_size=1, max_size=8), after=st.text(max_size=9))
def test_lines_are_found_wherever_they_stand(before: str, line: str, after: str) -> None:
    words = "".join(line.split()) or "甲"
    response = f"{before}\n{words}{after}"
    placed = placed_by_line(words, response)(Span(0, len(words)))
    assert placed is not None
    assert response[slice(*placed)] == words


def test_ratings_of_reasons_are_findings() -> None:
    found = rated(rating({"reasoning": "Good", "clarity": "Bad"}, 30)).score.explain()
    graded = {one.given: one for one in found.findings if one.note != "ungraded"}
    assert (graded["Good"].points, graded["Good"].right) == (20, True)
    assert (graded["Bad"].points, graded["Bad"].right) == (0, False)
    overall = graded[""]
    assert (overall.points, overall.maximum, overall.right) == (30, 100, None)
    assert [RESPONSE[start:end] for start, end in overall.spans] == ["维持原判"]


QUOTES = st.text(st.characters(codec=None), max_size=6) | st.sampled_from(["应当", "1.", "……"])


@given(text=st.text(st.characters(codec=None), max_size=80), quote=QUOTES, said=st.text(max_size=9))
@settings(deadline=None)
def test_any_text_and_any_reply_have_a_trace_within_bounds(
    text: str, quote: str, said: str
) -> None:
    sheets = (
        sheet(dict.fromkeys(FULL, (1.0, quote.encode("utf-8", "replace").decode()))),
        Sheet("h", (Reply("grade", "answered", said),)),
    )
    for task in (CASE, CONSULTATION, DEFENDANT):
        for rules in Rules:
            trace = traced(sample(task), *sheets, text=text, rules=rules)
            spans = [span for one in trace.findings for span in one.spans]
            assert all(0 <= start < end <= len(text) for start, end in spans)
