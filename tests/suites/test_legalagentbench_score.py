"""Success, process and what stands beside them, worked out by hand."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scoring import score_response, summarise

from hengfa.agents.trajectory import (
    Ended,
    Reply,
    Step,
    Texts,
    read_reply,
    write_reply,
)
from hengfa.engine.messages import Response
from hengfa.engine.messages import Status as ResponseStatus
from hengfa.results.figures import TaskFigure
from hengfa.suites.base import AnswerStatus, Rules
from hengfa.suites.legalagentbench import fixes as fix
from hengfa.suites.legalagentbench import score
from hengfa.suites.legalagentbench.dataset import GROUPS, HOPS, AgentSample, all_samples
from hengfa.suites.legalagentbench.extract import Submitted, submitted
from hengfa.suites.legalagentbench.score import figures, further
from hengfa.suites.legalagentbench.suite import SUITE
from hengfa.suites.plan import sample_root
from hengfa.suites.scoring import Scored
from hengfa.world.tools.observation import Status

PATH = ("get_company_register_name", "get_sub_company_info", "get_company_info")


def sample(
    key: Iterable[str] = ("甲公司", "1000.00万元"),
    middle: Iterable[str] = ("乙公司",),
    question: str = "请查。",
    path: tuple[str, ...] = PATH,
) -> AgentSample:
    return AgentSample("1", "3-hop", 1, question, "甲公司", tuple(key), tuple(middle), "", path)


def scored(one: AgentSample, text: str, *fixes: str) -> Scored:
    rule_set = SUITE.tasks["3-hop"].rules(frozenset(fixes), None)
    return score_response(rule_set, one, Response(ResponseStatus.ANSWERED, text=text))


def reply(answer: str, summary: str, *steps: Step, ended: Ended = Ended.FINISHED) -> str:
    return write_reply(Reply(answer, summary, steps, ended))


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
    found = scored(one, "甲", fix.UNIQUE).metrics
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
    found = scored(one, "1000万元，11家，2019-02-22", fix.TOLERANT).metrics
    assert (found["success"], found["process"]) == (1 / 2, 2 / 3)


def test_keys_in_the_question_do_not_count_unless_all_are_there() -> None:
    one = sample(["甲公司", "1家"], ["1000.00万元"], "甲公司投资1000万元，有几家？")
    found = scored(one, "甲公司").metrics
    assert (found["success"], found["unechoed"]) == (1 / 2, 0.0)
    assert scored(one, "甲公司", fix.ECHO).metrics["success"] == 0.0
    assert scored(one, "甲公司", fix.ECHO).metrics["process"] == 0.0
    both = scored(one, "1家，1000.00万元", fix.ECHO, fix.TOLERANT).metrics
    assert (both["success"], both["process"]) == (1.0, 1.0)
    echoed = sample(["甲公司"], [], "甲公司？")
    assert scored(echoed, "甲公司", fix.ECHO).metrics["success"] == 1.0


def test_no_answer_earns_nothing_and_tells_nothing() -> None:
    for rules in Rules:
        rule_set = SUITE.tasks["3-hop"].rule_set(rules)
        failed = score_response(rule_set, sample(), Response(ResponseStatus.FAILED))
        assert failed.answer is None
        told = {name: value for name, value in failed.metrics.items() if value is not None}
        assert told == dict.fromkeys((*score.OF_TEXTS[:-1], score.TRACED), 0.0)
    assert scored(sample(), "").answer is AnswerStatus.ABSTAINED
    assert scored(sample(), reply("silence", "silence")).answer is AnswerStatus.ABSTAINED


def step(tool: str | None, status: Status = Status.OK, **arguments: str) -> Step:
    return Step(tool, dict(arguments), status)


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
    counts = {name: found[name] for name in ("calls", *score.ERRORS, "unparsable", "repeats")}
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
    assert [found[name] for name in score.ON_PATH] == [1.0, 1.0, 1.0]
    shorter = scored(sample(), reply("", "", *forwards[:1])).metrics
    assert (shorter["path_recall"], shorter["call_efficiency"]) == (1 / 3, 1.0)


def test_without_a_trajectory_a_path_or_a_call_there_is_no_way_to_judge() -> None:
    found = scored(sample(), "甲公司").metrics
    assert found["traced"] == 0.0
    assert all(found[name] is None for name in score.OF_TRAJECTORY)
    found = scored(sample(path=()), reply("", "", step("get_company_info"))).metrics
    assert all(found[name] is None for name in score.ON_PATH)
    assert (found["traced"], found["calls"]) == (1.0, 1.0)
    found = scored(sample(), reply("", "")).metrics
    assert [found[name] for name in score.ON_PATH] == [0.0, 0.0, 0.0]


def test_a_reply_goes_through_its_text_and_other_json_is_text() -> None:
    whole = Reply("甲", "乙\ud800", (step("get_sum", Status.NO_DATA, a="1"),), Ended.BUDGET)
    assert read_reply(write_reply(whole)) == whole
    extract = submitted(frozenset())
    for text in (
        '{"公司": "甲"}',
        '{"answer": "甲"}',
        "{甲}",
        "[1]",
        '{"answer": 1, "summary": ""}',
    ):
        assert extract(text).value == Submitted(text, text)
        assert extract(text).status is AnswerStatus.EXTRACTED
    broken = '{"answer": "甲", "summary": "乙", "steps": [], "ended": "tired"}'
    assert extract(broken).status is AnswerStatus.MALFORMED


def test_alignment_goes_by_the_line_or_by_the_name() -> None:
    text = write_reply(Reply("甲公司", "甲公司", at_line=Texts("乙公司", "乙公司")))
    official, corrected = scored(sample(), text), scored(sample(), text, fix.ALIGNMENT)
    assert (official.metrics["success"], corrected.metrics["success"]) == (0.0, 1 / 2)
    assert official.answer is corrected.answer is AnswerStatus.AMBIGUOUS
    assert scored(sample(), write_reply(Reply("甲", "甲", again=True))).answer is (
        AnswerStatus.AMBIGUOUS
    )


def group(success: float, n: int, **more: float) -> TaskFigure:
    return TaskFigure(success, success, None, n, 0.0, more=more)


def test_figures_are_means_over_all_samples() -> None:
    tasks = {name: group(0.5, 10, process=0.25) for name in GROUPS}
    tasks["writing"] = group(1.0, 30, process=0.75)
    found = further(tasks)
    assert found["success/1-hop"] == 0.5
    assert found["success/hops"] == pytest.approx(0.5)
    assert found["success/all"] == pytest.approx((50 * 0.5 + 30) / 80)
    assert found["process/all"] == pytest.approx((50 * 0.25 + 30 * 0.75) / 80)
    assert "exact/all" not in found


def test_a_figure_over_groups_needs_all_of_them() -> None:
    hops = {name: group(0.5, 10) for name in HOPS}
    assert set(further(hops)) == {*(f"success/{name}" for name in HOPS), "success/hops"}
    del hops["2-hop"]
    assert set(further(hops)) == {f"success/{name}" for name in hops}
    assert further({}) == {}
    assert figures({}) == {}
    assert figures(dict.fromkeys(GROUPS, 0.25)) == {"overall": 0.25}


def test_metrics_of_the_way_count_the_tasks_that_tell_it() -> None:
    tasks = {name: group(0.5, 10, traced=0.0) for name in GROUPS}
    tasks["1-hop"] = group(0.5, 10, traced=0.2, path_recall=1.0, calls=2.0)
    tasks["2-hop"] = group(0.5, 10, traced=0.6, path_recall=0.5, calls=4.0)
    found = further(tasks)
    assert found["path_recall/all"] == pytest.approx((2 * 1.0 + 6 * 0.5) / 8)
    assert found["calls/hops"] == pytest.approx((2 * 2.0 + 6 * 4.0) / 8)
    assert "path_recall/writing" not in found


@pytest.mark.parametrize("rules", Rules)
def test_the_reference_has_all_keys_and_the_floor_few(rules: Rules) -> None:
    samples = all_samples(sample_root() / "legalagentbench")
    for one in samples:
        task = SUITE.tasks[one.group]
        rule_set = task.rule_set(rules)
        best = Response(ResponseStatus.ANSWERED, text=task.baselines.reference(one))
        assert score_response(rule_set, one, best).metrics["success"] == 1.0
        trivial = task.baselines.floor(samples)(one)
        assert trivial == one.question
        floor = score_response(rule_set, one, Response(ResponseStatus.ANSWERED, text=trivial))
        assert (floor.metrics["success"] or 0.0) <= (0.5 if rules is Rules.OFFICIAL else 0.0)
        assert task.prompt(one)[0].content == one.question
        assert task.baselines.query(one) == task.baselines.offer(one).searched == one.question
        assert task.baselines.from_found(one, ["甲", "乙"]) == "甲"
        assert task.baselines.from_found(one, []) == one.question


def test_bertscore_is_asked_of_the_folder_that_samples_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, str]] = []

    class Scorer:
        name = "bertscore/tiny/layer-1"

        def f1(self, pairs: list[tuple[str, str]]) -> list[float]:
            asked.extend(pairs)
            return [0.75] * len(pairs)

    monkeypatch.setattr("hengfa.suites.legalagentbench.rules.load_scorer", lambda _: Scorer())
    one = msgspec.structs.replace(sample(), bertscore="tiny")
    rule_set = SUITE.tasks["3-hop"].rule_set(Rules.OFFICIAL)
    for _ in range(2):
        said = Response(ResponseStatus.ANSWERED, text=reply("丁公司", "总结"))
        assert score_response(rule_set, one, said).metrics["bertscore"] == 0.75
    assert asked == [("丁公司", "甲公司")]
    silent = score_response(rule_set, one, Response(ResponseStatus.EMPTY))
    assert silent.metrics["bertscore"] == 0.0
    assert rule_set.instrument is not None
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
