"""Success, process and what stands beside them, worked out by hand, and the findings behind them:
keys in JSON texts, the gold path, the class of a failure."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evals.suites.agent_replies import PATH, reply, sample, scored, step
from tests.scoring import score_response, summarise

from hengfa.base.data.packs import sample_root
from hengfa.evals.engine.messages import Response
from hengfa.evals.engine.messages import Status as ResponseStatus
from hengfa.evals.results.trace import Finding, Trace
from hengfa.evals.suites.base import AnswerStatus, PredictionContext, Rules
from hengfa.evals.suites.builtin import floor_of, search_of
from hengfa.evals.suites.predictions import read_predictions
from hengfa.world.agents.trajectory import Ended, Reply, Step, Texts, read_reply, write_reply
from hengfa.world.suites.legalagentbench.dataset import AgentSample, all_samples
from hengfa.world.suites.legalagentbench.rules import (
    BY_NAME,
    CLASSES,
    ERRORS,
    NO_ECHO,
    NO_GUESS,
    OF_TEXTS,
    OF_TRAJECTORY,
    ON_PATH,
    TOLERANT_MATCH,
    TRACED,
    UNIQUE_KEYS,
    KeywordRules,
    Submitted,
)
from hengfa.world.suites.legalagentbench.suite import SUITE
from hengfa.world.tools.observation import Status


def test_success_reads_the_answer_and_process_the_summary() -> None:
    found = scored(sample(), reply("甲公司", "甲公司，乙公司")).metrics
    assert found["success"] == 1 / 2
    assert found["process"] == 2 / 3
    assert found["exact"] == 0.0
    plain = scored(sample(), "甲公司投资1000.00万元").metrics
    assert (plain["success"], plain["process"], plain["exact"]) == (1.0, 2 / 3, 1.0)


def test_lists_are_joined_and_keep_what_they_have_twice() -> None:
    one = sample(["甲", "甲", "乙"], ["甲", "丙"])
    found = scored(one, "甲").metrics
    assert (found["success"], found["process"]) == (2 / 3, 3 / 5)
    found = scored(one, "甲", UNIQUE_KEYS).metrics
    assert (found["success"], found["process"]) == (1 / 2, 1 / 3)


def test_official_rules_want_every_character_and_take_what_merely_contains_it() -> None:
    assert scored(sample(["1000.00万元"]), "1000万元").metrics["success"] == 0.0
    assert scored(sample(["1家"]), "11家").metrics["success"] == 1.0
    assert scored(sample(["-"]), "电话0990-8000102").metrics["success"] == 1.0
    assert scored(sample(["4,200元"]), "4200元").metrics["success"] == 0.0


def test_the_tolerant_figures_stand_beside_the_official_ones_and_replace_them() -> None:
    one = sample(["1000.00万元", "1家"], ["2019年02月22日"])
    found = scored(one, "1000万元，11家，2019-02-22").metrics
    assert (found["success"], found["tolerant"]) == (1 / 2, 1 / 2)
    assert (found["process"], found["tolerant_process"]) == (1 / 3, 2 / 3)
    found = scored(one, "1000万元，11家，2019-02-22", TOLERANT_MATCH).metrics
    assert (found["success"], found["process"]) == (1 / 2, 2 / 3)


def test_keys_in_the_question_do_not_count_unless_all_are_there() -> None:
    one = sample(["甲公司", "1家"], ["1000.00万元"], "甲公司投资1000万元，有几家？")
    found = scored(one, "甲公司").metrics
    assert (found["success"], found["unechoed"]) == (1 / 2, 0.0)
    assert scored(one, "甲公司", NO_ECHO).metrics["success"] == 0.0
    assert scored(one, "甲公司", NO_ECHO).metrics["process"] == 0.0
    both = scored(one, "1家，1000.00万元", NO_ECHO, TOLERANT_MATCH).metrics
    assert (both["success"], both["process"]) == (1.0, 1.0)
    echoed = sample(["甲公司"], [], "甲公司？")
    assert scored(echoed, "甲公司", NO_ECHO).metrics["success"] == 1.0


@pytest.mark.parametrize("number", ["{}家", "{} 家", "{}家公司"])
def test_who_guesses_many_counts_has_none(number: str) -> None:
    one = sample(["3家", "1000.00万元"], [], "多少家？")
    every = "、".join(number.format(n) for n in range(1, 31)) + "，1000.00万元"
    assert scored(one, every, TOLERANT_MATCH).metrics["success"] == 1.0
    assert scored(one, every, TOLERANT_MATCH, NO_GUESS).metrics["success"] == 1 / 2
    assert scored(one, every, TOLERANT_MATCH, NO_GUESS).metrics["process"] == 1.0
    wide = every.translate(str.maketrans("0123456789", "０１２３４５６７８９"))
    assert scored(one, wide, TOLERANT_MATCH, NO_GUESS).metrics["success"] == 1 / 2
    honest = "共有9家，其中8家在本省，5家成立于2019年，3家有涉诉案件，40件案件；1000.00万元"
    assert scored(one, honest, TOLERANT_MATCH, NO_GUESS).metrics["success"] == 1.0


def test_no_answer_earns_nothing_and_tells_nothing() -> None:
    for rules in Rules:
        rule_set = SUITE.tasks["3-hop"].rule_set(rules)
        failed = score_response(rule_set, sample(), Response(ResponseStatus.FAILED))
        assert failed.answer is None
        told = {name: value for name, value in failed.metrics.items() if value is not None}
        assert told == dict.fromkeys((*OF_TEXTS[:-1], TRACED), 0.0)
    assert scored(sample(), "").answer_status == AnswerStatus.ABSTAINED
    assert scored(sample(), reply("silence", "silence")).answer_status == AnswerStatus.ABSTAINED


def test_the_way_is_compared_with_the_gold_path() -> None:
    """Two of three tools in order; four of five database calls on the path; 3 / 7 actions."""
    found = scored(
        sample(),
        reply(
            "甲公司",
            "",
            step("get_company_register_name", identifier="X"),
            step("get_company_register", identifier="甲"),
            step("get_company_info", Status.BAD_COLUMN, identifier="甲"),
            step(None),
            step("get_company_info", Status.NO_DATA, identifier="甲"),
            step("get_company_info", Status.NO_DATA, identifier="甲"),
            step("get_sum", Status.BAD_ARGUMENTS),
            ended=Ended.STEP_LIMIT,
        ),
    ).metrics
    assert found["path_recall"] == 2 / 3
    assert found["path_precision"] == 4 / 5
    assert found["call_efficiency"] == 3 / 7
    counts = {name: found[name] for name in ("calls", *ERRORS, "unparsable", "repeats")}
    assert counts == {
        "calls": 7.0,
        "no_data": 2.0,
        "bad_column": 1.0,
        "bad_call": 1.0,
        "tool_failed": 0.0,
        "unparsable": 1.0,
        "repeats": 2.0,
    }
    assert (found["step_limit"], found["context_overflow"]) == (1.0, 0.0)


def test_tools_in_another_order_are_recalled_as_far_as_the_order_holds() -> None:
    backwards = [step(tool, n=str(n)) for n, tool in enumerate(reversed(PATH))]
    assert scored(sample(), reply("", "", *backwards)).metrics["path_recall"] == 1 / 3
    forwards = [step(tool) for tool in PATH]
    found = scored(sample(), reply("", "", *forwards)).metrics
    assert [found[name] for name in ON_PATH] == [1.0, 1.0, 1.0]
    shorter = scored(sample(), reply("", "", *forwards[:1])).metrics
    assert (shorter["path_recall"], shorter["call_efficiency"]) == (1 / 3, 1.0)


def test_without_a_trajectory_a_path_or_a_call_there_is_no_way_to_judge() -> None:
    found = scored(sample(), "甲公司").metrics
    assert found["traced"] == 0.0
    assert all(found[name] is None for name in OF_TRAJECTORY)
    found = scored(sample(path=()), reply("", "", step("get_company_info"))).metrics
    assert all(found[name] is None for name in ON_PATH)
    assert (found["traced"], found["calls"]) == (1.0, 1.0)
    found = scored(sample(), reply("", "")).metrics
    assert [found[name] for name in ON_PATH] == [0.0, 0.0, 0.0]


def test_a_reply_goes_through_its_text_and_other_json_is_text() -> None:
    whole = Reply("甲", "乙\ud800", (step("get_sum", Status.NO_DATA, a="1"),), Ended.BUDGET)
    assert read_reply(write_reply(whole)) == whole
    read = KeywordRules(frozenset()).read
    for text in (
        '{"公司": "甲"}',
        '{"answer": "甲"}',
        "{甲}",
        "[1]",
        '{"answer": 1, "summary": ""}',
    ):
        assert read(text).value == Submitted(text, text)
        assert read(text).status is AnswerStatus.EXTRACTED
    broken = '{"answer": "甲", "summary": "乙", "steps": [], "ended": "tired"}'
    assert read(broken).status is AnswerStatus.MALFORMED


def test_alignment_goes_by_the_line_or_by_the_name() -> None:
    text = write_reply(Reply("甲公司", "甲公司", at_line=Texts("乙公司", "乙公司")))
    official, corrected = scored(sample(), text), scored(sample(), text, BY_NAME)
    assert (official.metrics["success"], corrected.metrics["success"]) == (0.0, 1 / 2)
    assert official.answer_status == corrected.answer_status == AnswerStatus.AMBIGUOUS
    assert scored(sample(), write_reply(Reply("甲", "甲", again=True))).answer_status == (
        AnswerStatus.AMBIGUOUS
    )


@pytest.mark.parametrize("rules", Rules)
def test_the_reference_has_all_keys_and_the_floor_few(rules: Rules) -> None:
    samples = all_samples(sample_root() / "legalagentbench")
    for one in samples:
        task = SUITE.tasks[one.group]
        rule_set = task.rule_set(rules)
        best = Response(ResponseStatus.ANSWERED, text=task.baselines.reference(one))
        assert score_response(rule_set, one, best).metrics["success"] == 1.0
        trivial = floor_of(task)(samples)(one)
        assert trivial == one.question
        floor = score_response(rule_set, one, Response(ResponseStatus.ANSWERED, text=trivial))
        assert (floor.metrics["success"] or 0.0) <= (0.5 if rules is Rules.OFFICIAL else 0.0)
        assert task.prompt(one, "react")[0].content == one.question
        search = search_of(task)
        assert search.query(one) == search.offer(one).searched == one.question
        assert search.answer(one, ["甲", "乙"]) == "甲"
        assert search.answer(one, []) == one.question


def test_bertscore_is_asked_of_the_folder_that_samples_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, str]] = []

    class Scorer:
        name = "bertscore/tiny/layer-1"

        def f1(self, pairs: list[tuple[str, str]]) -> list[float]:
            asked.extend(pairs)
            return [0.75] * len(pairs)

    monkeypatch.setattr("hengfa.world.suites.legalagentbench.rules.load_scorer", lambda _: Scorer())
    one = msgspec.structs.replace(sample(), bertscore="tiny")
    rule_set = SUITE.tasks["3-hop"].rule_set(Rules.OFFICIAL)
    for _ in range(2):
        said = Response(ResponseStatus.ANSWERED, text=reply("丁公司", "总结"))
        assert score_response(rule_set, one, said).metrics["bertscore"] == 0.75
    assert asked == [("丁公司", "甲公司")]
    silent = score_response(rule_set, one, Response(ResponseStatus.EMPTY))
    assert silent.metrics["bertscore"] == 0.0
    assert rule_set.instrument() == "keywords+bertscore/tiny/layer-1"


@given(st.text(max_size=80))
@settings(deadline=None)
def test_any_response_is_read_and_scored(text: str) -> None:
    for rules in Rules:
        rule_set = SUITE.tasks["writing"].rule_set(rules)
        one = score_response(rule_set, sample(), Response(ResponseStatus.ANSWERED, text=text))
        figure = summarise("success", None, [one])
        assert figure.score is not None
        assert 0.0 <= figure.score <= 1.0


def traced(one: AgentSample, text: str, *fixes: str) -> Trace:
    return scored(one, text, *fixes).score.explain()


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
    found = traced(sample(), "1000万元", TOLERANT_MATCH).findings[1]
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


STEP = step(PATH[0], identifier="甲")


@pytest.mark.parametrize(
    ("answer", "steps", "ended", "error"),
    [
        ("甲公司，1000.00万元", [step(None)], Ended.STEP_LIMIT, ""),
        ("甲公司", [step(None)] * 10, Ended.STEP_LIMIT, "unreadable action"),
        ("甲公司", [step("look", Status.UNKNOWN_TOOL)] * 10, Ended.STEP_LIMIT, "unknown tool"),
        ("甲公司", [step(PATH[0], Status.BAD_ARGUMENTS)] * 9, Ended.STEP_LIMIT, "bad arguments"),
        ("甲公司", [step(PATH[0])] * 10, Ended.STEP_LIMIT, "loop"),
        ("甲公司", [step(PATH[0])] * 10, Ended.BUDGET, "loop"),
        ("甲公司", [step(PATH[0], n=str(n)) for n in range(10)], Ended.STEP_LIMIT, "step limit"),
        ("甲公司", [], Ended.CONTEXT_OVERFLOW, "context overflow"),
        ("甲公司", [step(None)], Ended.FAILED, "failed"),
        ("silence", [step(None)], Ended.FINISHED, "unreadable action"),
        ("silence", [step(PATH[0])], Ended.FINISHED, "no answer"),
        ("甲公司", [step(PATH[0], Status.BAD_COLUMN)], Ended.FINISHED, "wrong column"),
        ("甲公司", [step(PATH[0], Status.BAD_COLUMN), STEP], Ended.FINISHED, "incomplete"),
        ("丙公司", [step(None)], Ended.PLAN_OVER, "unreadable action"),
        ("丙公司", [step(None), STEP], Ended.PLAN_OVER, "wrong"),
        ("丙公司", [step(PATH[1], Status.NO_DATA), STEP, STEP], Ended.STEP_LIMIT, "no data"),
        ("丙公司", [step(PATH[0], Status.RETRIEVAL_ERROR)], Ended.FINISHED, "tool failed"),
        ("甲公司", [STEP, STEP], Ended.FINISHED, "incomplete"),
        ("丙公司", [STEP], Ended.FINISHED, "wrong"),
    ],
)
def test_why_a_run_did_not_succeed(
    answer: str, steps: list[Step], ended: Ended, error: str
) -> None:
    assert traced(sample(), reply(answer, "", *steps, ended=ended)).error == error


def test_the_first_action_that_went_wrong_is_named() -> None:
    lost = step(PATH[1], Status.NO_DATA, identifier="乙")
    text = reply("丙公司", "", step(None), STEP, lost, step(None), ended=Ended.STEP_LIMIT)
    (cause,) = [one for one in traced(sample(), text).findings if one.label == "cause"]
    assert (cause.given, cause.note) == (PATH[1], "action 3 of 4: no data")
    right = reply("甲公司，1000.00万元", "", lost, ended=Ended.STEP_LIMIT)
    assert "cause" not in {one.label for one in traced(sample(), right).findings}


@pytest.mark.parametrize(
    ("answer", "steps", "ended", "class_"),
    [
        ("丙公司", [step(None)], Ended.STEP_LIMIT, "argument"),
        ("丙公司", [step("look", Status.UNKNOWN_TOOL)], Ended.STEP_LIMIT, "argument"),
        ("丙公司", [STEP, STEP], Ended.STEP_LIMIT, "loop"),
        ("丙公司", [STEP], Ended.STEP_LIMIT, "loop"),
        ("丙公司", [STEP], Ended.CONTEXT_OVERFLOW, "length"),
        ("丙公司", [STEP], Ended.FINISHED, "planning"),
        ("丙公司", [step(tool) for tool in PATH], Ended.FINISHED, ""),
        ("丙公司", [STEP], Ended.BUDGET, ""),
        ("甲公司，1000.00万元", [STEP], Ended.FINISHED, ""),
    ],
)
def test_a_task_that_failed_is_of_one_class_of_the_paper(
    answer: str, steps: list[Step], ended: Ended, class_: str
) -> None:
    found = scored(sample(), reply(answer, "", *steps, ended=ended)).metrics
    of = {error.id: found[error.metric] for error in CLASSES}
    assert of == {name: float(name == class_) for name in of}


def test_tools_of_a_worlds_own_count_as_look_ups_and_unknown_ones_do_not() -> None:
    steps = [step("get_contract"), step("look", Status.UNKNOWN_TOOL), step("filter_rows")]
    found = scored(sample(path=("get_contract",)), reply("", "", *steps)).metrics
    assert (found["database_calls"], found["path_recall"], found["path_precision"]) == (1, 1, 1)


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
        score = scored(sample(), response, *fixes).score
        trace, metrics = score.explain(), score.metrics
        spans = [span for one in trace.findings for span in one.spans]
        assert all(0 <= start < end <= len(response) for start, end in spans)
        assert share(trace, "answer") == metrics["success"]
        assert share(trace, "process") == metrics["process"]
        assert (trace.error == "") == (metrics["success"] == 1.0)


@pytest.mark.shared
def test_published_runs_have_traces_that_agree_with_their_scores(shared: Path) -> None:
    data = shared / "data" / "LegalAgentBench"
    for run in read_predictions(SUITE, data / "runs", PredictionContext("react", data)):
        for task in run.tasks():
            rule_set = SUITE.tasks[task].rule_set(Rules.OFFICIAL, data)
            for one, response, *_ in run.attempts(task):
                score = rule_set.score(one, rule_set.read(response.text))
                trace, metrics = score.explain(), score.metrics
                assert share(trace, "answer") == metrics["success"]
                assert share(trace, "process") == metrics["process"]
                assert all(one.spans for one in trace.findings if one.right)
