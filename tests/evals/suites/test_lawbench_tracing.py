"""Traces of LawBench: right places, the same sums as the score, and no text that breaks them."""

from __future__ import annotations

import math
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from tests.evals.suites.test_lawbench_robustness import ALL_RULES, GOLD, RESPONSES
from tests.scoring import trace_of

from hengfa.evals.results.trace import Finding, Trace
from hengfa.evals.suites.base import Metrics, PredictionContext, Rules
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.evals.suites.lawbench.proofreading import F_HALF, FN, FP, TP
from hengfa.evals.suites.lawbench.rules import ROUGE_L
from hengfa.evals.suites.lawbench.suite import SUITE
from hengfa.evals.suites.predictions import read_predictions
from hengfa.law.text.proofreading import f_half

TEXTS = ("1-1", "2-5", "2-7", "3-2", "3-8")
ONE_ANSWER = ("1-2", "2-2", "2-4", "2-8", "3-6", "3-7")
SETS = ("2-3", "2-9", "3-1", "3-3")
SOFT = ("2-6", "2-10")
TERMS = ("3-4", "3-5")


def sample(task: str, gold: str | None = None, question: str = "他门再次开会。") -> LawBenchSample:
    return LawBenchSample("0", "改错。\n句子：", question, GOLD[task] if gold is None else gold)


def traced(
    task: str, response: str, gold: str | None = None, rules: Rules = Rules.CORRECTED
) -> Trace:
    return trace_of(SUITE.tasks[task].rule_set(rules), sample(task, gold), response)


def words(finding: Finding, response: str) -> list[str]:
    return [response[start:end] for start, end in finding.spans]


def check_spans(trace: Trace, response: str) -> None:
    spans = [span for finding in trace.findings for span in finding.spans]
    assert all(0 <= start < end <= len(response) for start, end in spans)


def check_agreement(task: str, trace: Trace, metrics: Metrics) -> None:
    """The findings make the score, as the module says for each kind of task."""
    value, findings = metrics[SUITE.tasks[task].metric], trace.findings
    if task == "2-1":
        made = [one.points for one in findings if one.points is not None]
        tp = math.fsum(points for points in made if points > 0)
        fp = -math.fsum(points for points in made if points < 0)
        fn = math.fsum(one.maximum for one in findings if one.maximum and not one.right)
        assert (tp, fp, fn) == (metrics[TP], metrics[FP], metrics[FN])
        assert f_half(tp, fp, fn) == pytest.approx(metrics[F_HALF])
        return
    if value is None:
        assert [one.right for one in findings] == [None] * len(findings)
        return
    given_, expected = (
        sum(bool(getattr(one, side)) for one in findings) for side in ("given", "expected")
    )
    shared = math.fsum(
        (one.points or 0.0) if task in SOFT else float(one.right is True) for one in findings
    )
    if task in (*TEXTS, *TERMS):
        assert findings[0].points == value
    elif task in ONE_ANSWER:
        assert float(all(one.right for one in findings)) == value
    elif task == "2-6" and not expected:
        assert float(not given_) == value
    else:
        assert 2 * shared / (given_ + expected) == pytest.approx(value, abs=1e-9)


def test_every_task_is_one_of_these_kinds() -> None:
    assert set(SUITE.tasks) == {*TEXTS, *ONE_ANSWER, *SETS, *SOFT, *TERMS, "2-1"}


@pytest.mark.parametrize("task", SUITE.tasks)
@given(text=RESPONSES)
@settings(max_examples=30, deadline=None)
def test_any_text_has_a_trace_that_agrees_with_its_score(task: str, text: str) -> None:
    one = sample(task)
    for rule_set in ALL_RULES[task].values():
        trace = trace_of(rule_set, one, text)
        check_spans(trace, text)
        check_agreement(task, trace, rule_set.score(one, rule_set.read(text)).metrics)


@pytest.mark.shared
def test_real_responses_have_traces_that_agree_with_their_scores(
    shared: Path, tmp_path: Path, deep: bool
) -> None:
    """Of the best released model and of one that rambles."""
    data = shared / "data" / "LawBench"
    archive = data / "predictions" / "dev.tar.xz"
    if not archive.is_file():
        pytest.skip("no released predictions")
    models = [tmp_path / "zero_shot" / name for name in ("GPT4", "llama-7b")]
    with tarfile.open(archive) as packed:
        wanted = [one for one in packed if (tmp_path / one.name).parent in models]
        packed.extractall(tmp_path, wanted, filter="data")
    context = PredictionContext("zero_shot", data)
    for run in (one for model in models for one in read_predictions(SUITE, model, context)):
        for task in run.tasks():
            pairs = run.attempts(task)[: 40 if deep else 10]
            for rules in Rules:
                rule_set = SUITE.tasks[task].rule_set(rules, data)
                for one, response, *_ in pairs:
                    trace = trace_of(rule_set, one, response.text)
                    check_spans(trace, response.text)
                    metrics = rule_set.score(one, rule_set.read(response.text)).metrics
                    check_agreement(task, trace, metrics)


def test_the_words_in_common_with_a_reference_are_marked() -> None:
    response = "我想，开办茶馆，应当登记。"
    trace = traced("1-1", response)
    (finding,) = trace.findings
    assert (trace.kind, finding.label, words(finding, response)) == (
        "answer",
        ROUGE_L,
        ["开办茶馆，应当登记。"],
    )
    assert "6 words in common and in order, of 9 in the response and 6" in finding.note


@pytest.mark.parametrize(
    ("rules", "response", "read"),
    [
        (Rules.OFFICIAL, "Answer: B", [("A", False, "A"), ("B", True, "B")]),
        (Rules.CORRECTED, "Answer: B", [("B", True, "B")]),
        (Rules.CORRECTED, "A 或 C？[正确答案]Ｂ<eoa>", [("B", True, "Ｂ")]),
        (Rules.CORRECTED, "[正确答案]C<eoa>B", [("C", False, "C")]),
    ],
)
def test_letters_are_found_where_the_rules_read_them(
    rules: Rules, response: str, read: list[tuple[str, bool, str]]
) -> None:
    trace = traced("1-2", response, rules=rules)
    found = [(one.given, one.right, words(one, response)[0]) for one in trace.findings]
    assert found == read


def test_the_answer_is_in_the_last_wrapper_where_something_is_said_before() -> None:
    response = "[正确答案]与<eoa>之间填写。[正确答案]A<eoa>不对，[正确答案] B <Eoa>"
    (finding,) = traced("1-2", "想。" + response).findings
    start = response.rindex("B") + len("想。")
    assert (finding.given, finding.spans) == ("B", ((start, start + 1),))


def test_silence_is_one_finding_with_what_was_expected() -> None:
    assert traced("2-4", "不知道").findings == (Finding("label", "", "公司法", False),)


def test_labels_are_right_missed_or_too_many() -> None:
    response = "[类别]准予离婚、损害赔偿<eoa>"
    found = traced("2-3", response).findings
    assert [(one.given, one.expected, one.right) for one in found] == [
        ("准予离婚", "准予离婚", True),
        ("", "适当帮助", False),
        ("损害赔偿", "", False),
    ]
    assert words(found[2], response) == ["损害赔偿"]


def test_a_charge_inside_a_longer_one_is_not_marked_where_the_longest_wins() -> None:
    response = "构成合同诈骗，另有诈骗"
    by_rules = {
        rules: {one.given: one.spans for one in traced("3-3", response, rules=rules).findings}
        for rules in Rules
    }
    assert by_rules[Rules.OFFICIAL]["诈骗"] == ((4, 6), (9, 11))
    assert by_rules[Rules.CORRECTED]["诈骗"] == ((9, 11),)
    assert by_rules[Rules.CORRECTED]["合同诈骗"] == ((2, 6),)


def test_articles_are_found_in_any_script() -> None:
    response = "[法条]刑法第二百六十四条、第53条<eoa>"
    found = {one.given or one.expected: one for one in traced("3-1", response).findings}
    assert words(found["264"], response) == ["二百六十四"]
    assert (found["52"].right, found["53"].right) == (False, False)
    assert words(found["53"], response) == ["53"]


@pytest.mark.parametrize(
    ("rules", "response", "given_", "at"),
    [
        (Rules.OFFICIAL, "判处三年六个月", "6", "三年六个月"),
        (Rules.CORRECTED, "2016年3月28日，判处三年六个月", "42", "三年六个月"),
        (Rules.CORRECTED, "[刑期] 12<eoa>", "12", "12"),
        (Rules.CORRECTED, "半年", "6", "半年"),
    ],
)
def test_a_term_is_marked_as_it_was_read(rules: Rules, response: str, given_: str, at: str) -> None:
    (finding,) = traced("3-4", response, rules=rules).findings
    assert (finding.given, finding.expected, words(finding, response)) == (given_, "18", [at])


def test_a_sentence_to_death_is_not_judged() -> None:
    (finding,) = traced("3-4", "12个月", gold="刑期:死刑").findings
    assert (finding.right, finding.points, finding.expected) == (None, None, "刑期:死刑")


def test_amounts_are_listed_and_the_right_one_is_marked() -> None:
    response = "共3,900.5元，其中一千元"
    (corrected,) = traced("3-7", response).findings
    (official,) = traced("3-7", "20元和3900.5元", rules=Rules.OFFICIAL).findings
    assert (corrected.given, corrected.right, words(corrected, response)) == (
        "1000",
        False,
        ["一千"],
    )
    assert (official.given, official.right) == ("20、3900.5", True)
    assert words(official, "20元和3900.5元") == ["3900.5"]


def test_entities_stand_after_the_name_of_their_type() -> None:
    response = "乙某说：\n受害人：乙某\n时间:昨天"
    found = {one.label: one for one in traced("2-6", response).findings}
    assert (found["受害人"].right, found["受害人"].spans) == (True, ((9, 11),))
    assert (found["时间"].points, words(found["时间"], response)) == (0.5, ["昨天"])


def test_trigger_words_are_compared_by_place_or_as_they_match_best() -> None:
    response = "索要;打了;砸毁;跑"
    official, corrected = (
        [
            (one.given, one.expected, one.points)
            for one in traced("2-10", response, rules=rules).findings
        ]
        for rules in Rules
    )
    assert official == [
        ("索要", "砸毁", 0.0),
        ("打了", "索要", 0.0),
        ("砸毁", "打", 0.0),
        ("跑", "", 0.0),
    ]
    assert corrected == [
        ("砸毁", "砸毁", 1.0),
        ("索要", "索要", 1.0),
        ("打了", "打", pytest.approx(2 / 3)),
        ("跑", "", 0.0),
    ]


def test_edits_are_right_missed_and_spurious() -> None:
    """Of three mistakes one is mended, and something is changed that was right."""
    source, gold = "他门在次开会，商义大事。", "他们再次开会，商议大事。"
    response = "他们 在次开会，\n商义小事。"
    trace = trace_of(
        SUITE.tasks["2-1"].rule_set(Rules.CORRECTED), sample("2-1", gold, source), response
    )
    found = [(one.given, one.expected, one.right, one.points) for one in trace.findings]
    assert trace.kind == "edits"
    assert found == [
        ("", "门在→们再", False, 0.0),
        ("", "义→议", False, 0.0),
        ("门→们", "", False, -1.0),
        ("大→小", "", False, -1.0),
    ]
    assert [words(one, response) for one in trace.findings] == [[], [], ["们"], ["小"]]


def test_a_right_edit_is_marked_in_the_response() -> None:
    response = "他们再次开会。"
    (finding,) = traced("2-1", response).findings
    assert (finding.label, finding.right, finding.points, finding.maximum) == (
        "substitute",
        True,
        1.0,
        1.0,
    )
    assert words(finding, response) == ["们"]


def test_a_deletion_has_no_place_and_an_insertion_has_one() -> None:
    one = sample("2-1", "他再开会了。", "他再再开会。")
    response = "他再开会了。"
    trace = trace_of(SUITE.tasks["2-1"].rule_set(Rules.CORRECTED), one, response)
    by_label = {finding.label: words(finding, response) for finding in trace.findings}
    assert by_label == {"delete": [], "insert": ["了"]}
