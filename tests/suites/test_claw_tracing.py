"""Traces of CLaw: where a place goes wrong, what a recitation shares and what it changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.suites.test_claw_score import GOLD, REFUSAL, judged, sample

from hengfa.law.citation_model import Position
from hengfa.library.diagnosis.classes import diagnose
from hengfa.results.trace import Trace
from hengfa.suites.base import Rules
from hengfa.suites.claw import fixes as fix
from hengfa.suites.claw import score
from hengfa.suites.claw.baselines import id_form
from hengfa.suites.claw.corpus import open_library
from hengfa.suites.claw.dataset import ClawSample, all_samples
from hengfa.suites.claw.suite import SUITE
from hengfa.suites.plan import sample_root


def traced(task: str, one: ClawSample, response: str, *fixes: str) -> Trace:
    trace = SUITE.tasks[task].rules(frozenset(fixes), None).trace
    assert trace is not None
    return trace(one, response)


def quoted(trace: Trace, response: str) -> list[list[str]]:
    return [[response[start:end] for start, end in one.spans] for one in trace.findings]


def test_each_level_is_expected_and_given_and_the_first_wrong_one_is_the_error() -> None:
    response = f"条序号是几？\n{id_form(Position(5, None, 2, 3))}\n说明：条序号如上。"
    trace = traced("id", sample(Position(5, None, 1, 3)), response)
    assert (trace.kind, trace.error) == ("elements", "wrong paragraph")
    assert [(one.label, one.given, one.expected, one.right) for one in trace.findings] == [
        ("article", "5", "5", True),
        ("paragraph", "2", "1", False),
        ("item", "3", "3", None),
    ]
    assert quoted(trace, response) == [["条序号：第五条"], ["款序号：2"], ["项序号：3"]]


def test_labels_in_one_line_end_where_the_next_begins() -> None:
    response = "条序号：第五条之一，款序号：一，项序号：无"
    trace = traced("id", sample(Position(5, 1, 1)), response)
    assert trace.error == ""
    assert [one.given for one in trace.findings] == ["5之1", "1", "none"]
    assert quoted(trace, response) == [["条序号：第五条之一，"], ["款序号：一，"], ["项序号：无"]]


@pytest.mark.parametrize(
    ("response", "error"),
    [
        ("不知道", "no place"),
        (id_form(Position(6, None, 1)), "wrong article"),
        (id_form(Position(5, None, 1, 2)), "wrong item"),
        ("条序号：5\n款序号：甲", "wrong paragraph"),
    ],
)
def test_errors_of_places(response: str, error: str) -> None:
    assert traced("id", sample(), response).error == error


def test_other_places_and_the_version_in_force_are_named() -> None:
    one = sample(same=(Position(9),), in_force_at=(Position(7),), in_force="other")
    response = id_form(Position(9))
    article, *_, in_force = traced("id", one, response, fix.IDENTICAL).findings
    assert (article.right, article.note) == (True, "the same text stands at 第九条")
    assert (in_force.expected, in_force.right) == ("7", False)


@pytest.mark.parametrize(
    ("response", "error", "labels"),
    [
        (GOLD, "", []),
        (f"第五条　{GOLD}", "", []),
        (GOLD.replace("十五", "三十"), "minor wording", ["numbers"]),
        (GOLD.replace("应当写明", "可以写明"), "minor wording", ["duty"]),
        (GOLD + "渡船牌每三年换一次，换牌时收工本费两枚铜钱。", "addition", []),
        ("茶馆卖茶，酒馆卖酒，掌柜每天早上开门，晚上关门。", "other text", []),
        ("抱歉，我无法提供该条原文。", "refusal", []),
        ("", "refusal", []),
    ],
)
def test_errors_of_recitations(response: str, error: str, labels: list[str]) -> None:
    trace = traced("content", sample(), response)
    assert (trace.kind, trace.error) == ("answer", error)
    assert [one.label for one in trace.findings] == [score.ROUGE_L, *labels]
    assert trace.findings[0].right == (not error)


def test_what_a_recitation_has_of_the_provision_is_marked() -> None:
    response = "第五条 渡务署应当自收到申请之日起三十日内发给渡船牌；不发的，应当写明缘由。"
    assert quoted(traced("content", sample(), response), response)[0] == [
        "渡务署应当自收到申请之日起",
        "日内发给渡船牌；不发的，应当写明缘由",
    ]


def test_the_text_of_the_version_in_force_is_the_error_of_who_recites_it() -> None:
    older = "渡务署应当自收到申请之日起三十日内发给渡船牌；不发的，不必写明缘由。"
    trace = traced("content", sample(in_force_text=older), older)
    assert trace.error == "wrong provision: version"
    assert (trace.findings[-1].label, trace.findings[-1].right, trace.findings[-1].points) == (
        "text of the version in force",
        True,
        1.0,
    )


@pytest.mark.parametrize("rules", Rules)
@pytest.mark.parametrize("response", [GOLD, REFUSAL, GOLD[:12], "甲" * 30, ""])
def test_points_are_the_score(rules: Rules, response: str) -> None:
    task = SUITE.tasks["content"]
    fixes = tuple(task.fixes) if rules is Rules.CORRECTED else ()
    found = traced("content", sample(), response, *fixes).findings[0]
    assert found.points == judged("content", sample(), response, *fixes)[score.ROUGE_L]


ANY_TEXT = st.text(st.characters(codec=None), max_size=60) | st.lists(
    st.sampled_from(
        [GOLD, GOLD[:9], "```", "条序号", "款 序号：", "项的序号:", "None", "第五条", "之一", "\n"]
    ),
    max_size=12,
).map("".join)


@given(text=ANY_TEXT)
@settings(deadline=None)
def test_any_text_has_traces_within_its_bounds(text: str) -> None:
    for task, known in SUITE.tasks.items():
        one = sample(in_force_text=GOLD[:9], in_force_at=(Position(7),), same=(Position(9),))
        for rules in Rules:
            rule_set = known.rule_set(rules)
            assert rule_set.trace is not None
            trace = rule_set.trace(one, text)
            metrics = rule_set.score(one, rule_set.read(text))
            spans = [span for finding in trace.findings for span in finding.spans]
            assert all(0 <= start < end <= len(text) for start, end in spans)
            if task == "id":
                levels = [finding.right is True for finding in trace.findings[:3]]
                assert levels == [metrics[name] == 1.0 for name in score.ACCURACIES]
            else:
                assert trace.findings[0].points == metrics[score.ROUGE_L]


def test_classes_are_those_of_the_diagnosis_as_far_as_one_provision_tells() -> None:
    """Each provision of a law answered with its neighbour, with itself twice, and with a half."""
    root: Path = sample_root() / "claw"
    samples = [one for one in all_samples(root, {}) if len(one.text) > 30][:25]
    coarse = {"addition": ("addition: ",), "other text": ("wrong provision", "fabricated")}
    told = 0
    with open_library(root) as library:
        versions = {
            (version.law, version.promulgated): version
            for law in library.laws()
            for version in library.versions(law)
        }
        for one, other in zip(samples, [*samples[1:], samples[0]], strict=True):
            for answer in (one.text, one.text + other.text, other.text, one.text[:20]):
                error = traced("content", one, answer).error
                known = diagnose(library, versions[one.law, one.version], one.position, answer)
                kind = "" if known.is_right else known.kind
                if known.verbatim:
                    continue  # word for word another provision: only the law can tell
                assert kind.startswith(coarse.get(error, (error,))), (answer, error, kind)
                told += 1
    assert told > 50
