"""No text makes reading or scoring fail, give no number, or take long."""

from __future__ import annotations

import math
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scoring import score_response

from hengfa.base.data.packs import sample_root
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites.base import AnswerStatus, Rules
from hengfa.evals.suites.judgment.dataset import DIRECT, load
from hengfa.evals.suites.judgment.suite import DOCUMENT
from hengfa.evals.suites.scoring import Scored

DATA = sample_root() / "judgment"
SAMPLES = load(DATA, DIRECT, {"version": "head"})
FIVE_MEGABYTES = 5_000_000 // 3
FRAGMENTS = [
    *"犯罪第条年月元判处附：，。；、（）《》\n \u3000<>&,.点万亿两１0\ud800",
    *(
        "审理终结。",
        "本院认为",
        "判决如下：",
        "如不服本判决",
        "审判长",
        "被告人灯笼",
        "盗窃罪",
        "有期徒刑",
    ),
    *(
        "《刑法》第",
        "二百六十四条",
        "罚金人民币",
        "三千元",
        "一、",
        "（二）",
        "撤销",
        "决定执行",
        "死刑",
    ),
    *(
        "<p>",
        "<script>",
        "</b>",
        "<!--",
        "&lt;",
        "无罪",
        "免予刑事处罚",
        "缓刑",
        "六个月",
        "裁定：",
    ),
]


def scored(text: str, rules: Rules, version: str = "head") -> Scored:
    sample = load(DATA, DIRECT, {"version": version})[0]
    rule_set = DOCUMENT.rule_set(rules, DATA)
    return score_response(rule_set, sample, Response(Status.ANSWERED, text=text))


def check(one: Scored) -> None:
    assert one.answer is not None and isinstance(one.answer.status, AnswerStatus)
    for name, value in one.metrics.items():
        assert value is None or (math.isfinite(value) and 0 <= value <= 1), name


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join), st.sampled_from(Rules))
@settings(deadline=None, max_examples=300)
def test_any_mixture_of_words_is_scored(text: str, rules: Rules) -> None:
    check(scored(text, rules))


@given(st.text(), st.sampled_from(["head", "legacy"]))
@settings(deadline=None)
def test_any_text_is_scored(text: str, version: str) -> None:
    check(scored(text, Rules.OFFICIAL, version))


@pytest.mark.parametrize("rules", list(Rules))
@pytest.mark.parametrize("sample", range(len(SAMPLES)))
def test_parts_of_a_judgment_are_scored(rules: Rules, sample: int) -> None:
    text = SAMPLES[sample].document
    for end in range(0, len(text), 40):
        check(scored(text[:end], rules))
        check(scored(text[end:], rules))


BROKEN = {
    "empty": "",
    "one line": "被告人灯笼犯盗窃罪，判处拘役四个月。",
    "page": "<html><head><style>p{}</style></head><body><p>本院认为</p>判决如下:</body></html>",
    "no marks": "灯笼偷了一只船灯，后来还了。" * 100,
    "glued": "\n".join(sample.document for sample in SAMPLES),
}


@pytest.mark.parametrize("rules", list(Rules))
@pytest.mark.parametrize("name", BROKEN)
def test_broken_documents_have_a_status(name: str, rules: Rules) -> None:
    one = scored(BROKEN[name], rules)
    check(one)
    expected = {"empty": "abstained", "no marks": "abstained"}
    # The corrected rules find nothing outside a result.
    expected["one line"] = "malformed" if rules is Rules.OFFICIAL else "abstained"
    assert one.answer_status == expected.get(name, one.answer_status)
    assert name != "glued" or one.answer_status == AnswerStatus.AMBIGUOUS


SENTENCE = "被告人灯笼犯盗窃罪，判处有期徒刑六个月，并处罚金人民币二千元。"
LONG = {
    "head": (
        SENTENCE,
        "本院认为，判决如下：",
        "《刑法》第一百条、",
        "第一百",
        "9",
        "犯",
        "罚金，元",
        "\n",
    ),
    "legacy": (SENTENCE, "判决如下：", "《刑法》第一百条、"),
}


@pytest.mark.deep
@pytest.mark.parametrize(
    ("version", "piece"), [(version, piece) for version in LONG for piece in LONG[version]]
)
def test_five_megabytes_are_read_in_seconds(version: str, piece: str) -> None:
    start = process_time()
    check(scored(long_text(piece), Rules.OFFICIAL, version))
    assert process_time() - start < 30


@pytest.mark.deep
@pytest.mark.parametrize("piece", [SENTENCE, "判决如下："])
def test_five_megabytes_are_read_in_seconds_by_the_corrected_rules(piece: str) -> None:
    start = process_time()
    check(scored(long_text(piece), Rules.CORRECTED))
    assert process_time() - start < 60


def long_text(piece: str) -> str:
    repeated = piece * (FIVE_MEGABYTES // len(piece))
    return f"现已审理终结。本院认为，判决如下：{repeated}"
