"""Traces of agents: keys in JSON texts, the gold path, the class of a failure."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.suites.test_legalagentbench_score import PATH, reply, sample, scored, step

from hengfa.agents.trajectory import Ended, Reply, Step, Texts, write_reply
from hengfa.results.trace import Finding, Trace
from hengfa.suites.base import PredictionContext, Rules
from hengfa.suites.legalagentbench import fixes as fix
from hengfa.suites.legalagentbench.dataset import AgentSample
from hengfa.suites.legalagentbench.predictions import read_predictions
from hengfa.suites.legalagentbench.suite import SUITE
from hengfa.world.tools.observation import Status


def traced(one: AgentSample, text: str, *fixes: str) -> Trace:
    trace = SUITE.tasks["3-hop"].rules(frozenset(fixes), None).trace
    assert trace is not None
    return trace(one, text)


def share(trace: Trace, label: str) -> float:
    found = [one.right for one in trace.findings if one.label == label]
    return sum(map(bool, found)) / len(found)


def words(finding: Finding, response: str) -> list[str]:
    return [response[start:end] for start, end in finding.spans]


def test_keys_are_found_in_the_text_that_counts_for_them() -> None:
    response = reply('“甲公司”\n是\t"它"，甲公司', "先查乙公司\\，再查甲公司")
    trace = traced(sample(), response)
    assert trace.kind == "keywords"
    assert [(one.label, one.expected, one.right) for one in trace.findings[:5]] == [
        ("answer", "甲公司", True),
        ("answer", "1000.00万元", False),
        ("process", "甲公司", True),
        ("process", "1000.00万元", False),
        ("process", "乙公司", True),
    ]
    answer, _, process, _, middle = trace.findings[:5]
    assert words(answer, response) == ["甲公司", "甲公司"]
    summary = response.index('"summary"')
    assert all(start < summary for start, _ in answer.spans)
    assert process.spans[0][0] > middle.spans[0][0] > summary
    assert (words(process, response), words(middle, response)) == (["甲公司"], ["乙公司"])


def test_a_plain_text_is_both_texts() -> None:
    response = "答案是甲公司。"
    trace = traced(sample(), response)
    assert [one.spans for one in trace.findings if one.right] == [((3, 6),), ((3, 6),)]


def test_a_value_that_is_written_otherwise_is_found_and_said_to_be_so() -> None:
    found = traced(sample(), "1000万元", fix.TOLERANT).findings[1]
    assert (found.right, found.note, found.spans) == (
        True,
        "written otherwise, the same value",
        (),
    )
    assert traced(sample(), "1000万元").findings[1].right is False


def test_texts_at_a_line_are_placed_too() -> None:
    response = write_reply(Reply("无", "无", at_line=Texts("甲公司", "乙公司")))
    answer, _, _, _, middle = traced(sample(), response).findings
    assert (words(answer, response), words(middle, response)) == (["甲公司"], ["乙公司"])


def test_the_path_shows_which_tools_were_called_in_order() -> None:
    response = reply("甲公司", "", step(PATH[2]), step(PATH[0]), step(PATH[2]), step("get_sum"))
    trace = traced(sample(), response)
    path = [(one.expected, one.right) for one in trace.findings if one.label == "path"]
    assert path == [(PATH[0], True), (PATH[1], False), (PATH[2], True)]
    assert share(trace, "path") == scored(sample(), response).metrics["path_recall"]


@pytest.mark.parametrize(
    ("answer", "steps", "ended", "error"),
    [
        ("甲公司，1000.00万元", [step(None)], Ended.STEP_LIMIT, ""),
        ("甲公司", [step(None)], Ended.STEP_LIMIT, "step limit"),
        ("甲公司", [], Ended.CONTEXT_OVERFLOW, "context overflow"),
        ("silence", [step(None)], Ended.FINISHED, "no answer"),
        ("甲公司", [step(PATH[0], Status.BAD_COLUMN)], Ended.FINISHED, "tool error"),
        ("丙公司", [step(None)], Ended.PLAN_OVER, "tool error"),
        ("丙公司", [step(PATH[0], Status.NO_DATA)], Ended.FINISHED, "no data"),
        ("甲公司", [step(PATH[0])], Ended.FINISHED, "incomplete"),
        ("丙公司", [step(PATH[0])], Ended.FINISHED, "wrong"),
    ],
)
def test_why_a_run_did_not_succeed(
    answer: str, steps: list[Step], ended: Ended, error: str
) -> None:
    assert traced(sample(), reply(answer, "", *steps, ended=ended)).error == error


def test_without_a_trajectory_only_the_answer_tells() -> None:
    assert [traced(sample(), one).error for one in ("", "丙", "甲公司")] == [
        "no answer",
        "wrong",
        "incomplete",
    ]


TEXTS = st.text(st.characters(codec=None), max_size=30) | st.lists(
    st.sampled_from(
        ["甲公司", "1000万元", "1,000.00万元", '"', "\\", "\n", "{", '"answer": ""', "乙"]
    ),
    max_size=8,
).map("".join)


@given(answer=TEXTS, summary=TEXTS, plain=st.booleans())
@settings(deadline=None)
def test_any_text_has_a_trace_that_agrees_with_its_score(
    answer: str, summary: str, plain: bool
) -> None:
    response = answer if plain else reply(answer, summary, step(PATH[0]))
    for rules in Rules:
        fixes = SUITE.tasks["3-hop"].fixes if rules is Rules.CORRECTED else ()
        trace = traced(sample(), response, *fixes)
        metrics = scored(sample(), response, *fixes).metrics
        spans = [span for one in trace.findings for span in one.spans]
        assert all(0 <= start < end <= len(response) for start, end in spans)
        assert share(trace, "answer") == metrics["success"]
        assert share(trace, "process") == metrics["process"]
        assert (trace.error == "") == (metrics["success"] == 1.0)


@pytest.mark.shared
def test_published_runs_have_traces_that_agree_with_their_scores(shared: Path) -> None:
    data = shared / "data" / "LegalAgentBench"
    for run in read_predictions(data / "runs", PredictionContext("react", data)):
        for task in run.tasks():
            rule_set = SUITE.tasks[task].rule_set(Rules.OFFICIAL, data)
            assert rule_set.trace is not None
            for one, response, _ in run.attempts(task):
                trace = rule_set.trace(one, response.text)
                metrics = rule_set.score(one, rule_set.read(response.text))
                assert share(trace, "answer") == metrics["success"]
                assert share(trace, "process") == metrics["process"]
                assert all(one.spans for one in trace.findings if one.right)
