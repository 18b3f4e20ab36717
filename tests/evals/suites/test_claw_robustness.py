"""No text makes reading or scoring fail, give no number, or take long."""

from __future__ import annotations

import math
import random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evals.suites.claw_provision import GOLD, sample
from tests.scoring import score_response

from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites.base import AnswerStatus, Rules
from hengfa.evals.suites.claw import locating, reciting
from hengfa.evals.suites.claw.locating import Locating
from hengfa.evals.suites.claw.reciting import Reciting
from hengfa.evals.suites.claw.suite import SUITE
from hengfa.law.grammar.citation_model import Position

read_place = Locating(frozenset()).read
read_recitation = Reciting(frozenset()).read

MEGABYTE = 1_000_000
FRAGMENTS = [
    *"条款项序号：第一二十百之、无；，。()（）《》>#*-`~|\n\t \u3000Nn５5\ud800",
    *("条序号：", "款序号：第二款", "```markdown\n", "```", "None", "null", "（可以是None）"),
    *(
        "第二十条第二款规定：",
        "《月湖渡船法》",
        "\ufdfa",
        "**",
        "抱歉",
        "我无法",
        "提供",
        "> ",
        "第一百二十条之一",
    ),
]
WORST = {
    "labels": "条序号",
    "labels with values": "条序号：5\n款序号：2\n",
    "fences": "```",
    "blocks": "```\n条序号：5\n```\n",
    "opening brackets": "条序号：（" + "（" * 9,
    "numerals": "一二三四五六七八九十百千",
    "digits": "0123456789",
    "blanks": " ",
    "line breaks": "\n",
    "quotations": "> > > ",
    "quoted lines": ">>>>>>>>>> \n",
    "titles": "《",
    "names of laws": "月湖法",
    "positions": "第一条第二款第（三）项",
    "numbers of items": "（三）",
    "inability": "我无法",
    "half refusals": "抱歉无法不能未能难以",
    "bold": "**",
    "stars": "* ",
    "backticks": "`",
    "letters": "a",
    "provision": "渡务署应当自收到申请之日起十五日内发给渡船牌；",
    "rare": "𠮷",
    "surrogates": "\ud800",
    "combining": "a\u0301",
}


def check(text: str) -> None:
    for task in SUITE.tasks.values():
        for rules in Rules:
            scored = score_response(
                task.rule_set(rules), sample(), Response(Status.ANSWERED, text=text)
            )
            for name, value in scored.metrics.items():
                assert value is None or (math.isfinite(value) and value >= 0), name


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))
@settings(max_examples=300, deadline=None)
def test_no_mixture_of_fragments_fails(text: str) -> None:
    check(text)


@given(st.text(alphabet="条款项序号：:第一二十百之无Nn()（）`\n -|*None5５", max_size=80))
def test_what_looks_like_a_place_is_read_or_told_apart(text: str) -> None:
    block = f"```markdown\n条序号：{text}\n款序号：{text}\n项序号：{text}\n```"
    for response in (text, f"条序号：{text}", block):
        answer = read_place(response)
        nothing = answer.status in {AnswerStatus.ABSTAINED, AnswerStatus.AMBIGUOUS}
        assert (answer.value is None) == nothing or answer.status is AnswerStatus.MALFORMED
        assert read_recitation(response).value is not None


ANY_TEXT = st.text(st.characters(codec=None), max_size=60) | st.lists(
    st.sampled_from(
        [
            GOLD,
            GOLD[:9],
            "```",
            "条序号",
            "款 序号：",
            "项的序号:",
            "None",
            "第五条",
            "之一",
            "\n",
            "…①",
        ]
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
            score = rule_set.score(one, rule_set.read(text))
            metrics, trace = score.metrics, score.explain()
            spans = [span for finding in trace.findings for span in finding.spans]
            assert all(0 <= start < end <= len(text) for start, end in spans)
            if task == "id":
                levels = [finding.right is True for finding in trace.findings[:3]]
                assert levels == [metrics[name] == 1.0 for name in locating.ACCURACIES]
            else:
                assert trace.findings[0].points == metrics[reciting.ROUGE_L]


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_no_text_fails(text: str) -> None:
    check(text)


@pytest.mark.deep
@pytest.mark.parametrize("kind", WORST)
def test_a_megabyte_of_the_worst_is_read_in_seconds(kind: str) -> None:
    text = (WORST[kind] * (MEGABYTE // len(WORST[kind]) + 1))[:MEGABYTE]
    begin = process_time()
    for task in SUITE.tasks.values():
        task.rule_set(Rules.CORRECTED).read(text)
    assert process_time() - begin < 15


@pytest.mark.deep
def test_a_long_text_is_scored_in_seconds() -> None:
    random.seed(5)
    text = "".join(random.choices("渡船应当停靠码头，。的在由和", k=MEGABYTE // 5))
    begin = process_time()
    check(text)
    assert process_time() - begin < 30


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["titles", "names of laws", "labels", "fences", "inability"])
def test_four_times_the_text_does_not_take_sixteen_times_as_long(kind: str) -> None:
    def seconds(size: int) -> float:
        text = WORST[kind] * (size // len(WORST[kind]))
        best = math.inf
        for _ in range(3):
            begin = process_time()
            for task in SUITE.tasks.values():
                task.rule_set(Rules.CORRECTED).read(text)
            best = min(best, process_time() - begin)
        return best

    assert seconds(800_000) < 9 * seconds(200_000) + 0.1  # four times would be exact
