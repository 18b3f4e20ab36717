"""No text makes reading or scoring fail, give no number, or take long."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scoring import score_response

from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.suites.base import AnyRuleSet, Metrics, Rules
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.evals.suites.lawbench.suite import SUITE

MEGABYTE = 1_000_000
GOLD = {
    "1-1": "答案:开办茶馆，应当登记。",
    "1-2": "正确答案：B。",
    "2-1": "他们再次开会。",
    "2-2": "争议焦点类别：利息。",
    "2-3": "类别:准予离婚、适当帮助。",
    "2-4": "公司法",
    "2-5": "回答:三天",
    "2-6": "受害人:乙某;时间:昨夜",
    "2-7": "某地发生事故。",
    "2-8": "[正确答案]B<eoa>",
    "2-9": "卖出;获利",
    "2-10": "砸毁;索要;打",
    "3-1": "法条:刑法第264、52条",
    "3-2": "第三条 略",
    "3-3": "罪名:盗窃;诈骗",
    "3-4": "刑期:18个月",
    "3-5": "刑期:18个月",
    "3-6": "正确答案:B。",
    "3-7": "上文涉及到的犯罪金额:3900.5元。",
    "3-8": "回答:可以。法律依据:略",
}
FRAGMENTS = [
    *"第条款项之、；;，,。年月日号个半两廿零点负万亿元余无的AbＢ１9<[]:：\n\t \u3000",
    *("一千零一十", "三分之一", "百分之", "摄氏度", "1e999", "2016年3月28日", "1.5年", "12 个月"),
    *(
        "[正确答案]",
        "[争议焦点]",
        "[类别]",
        "[法条]",
        "[刑期]",
        "[金额]",
        "<eoa>",
        "[eoa]",
        "与<eoa>",
    ),
    *(
        "时间：",
        "受害人:",
        "作案工具：无",
        "未提及",
        "不详",
        "答案:",
        "回答：",
        "没有错误",
        "无法标注",
    ),
    *(
        "合同诈骗",
        "盗窃、侮辱尸体",
        "爆炸",
        "利息",
        "准予离婚",
        "支付/给付",
        "砸毁",
        "……",
        "......",
    ),
    *("9" * 40, "7" * 4400, "\r\n", "\x00", "\ud800", "𠮷"),
]
RESPONSES = st.lists(
    st.sampled_from(FRAGMENTS) | st.text(st.characters(codec=None), max_size=3), max_size=25
).map("".join)


def rule_sets(task: str) -> dict[str, AnyRuleSet]:
    """Official, corrected, and with each fix alone."""
    suite_task = SUITE.tasks[task]
    found = {str(rules): suite_task.rule_set(rules) for rules in Rules}
    return found | {name: suite_task.rules(frozenset({name}), None) for name in suite_task.fixes}


ALL_RULES = {task: rule_sets(task) for task in SUITE.tasks}


def scored(task: str, rule_set: AnyRuleSet, text: str) -> Metrics:
    sample = LawBenchSample("0", "改错。\n句子：", "他门再次开会。", GOLD[task])
    return score_response(rule_set, sample, Response(status=Status.ANSWERED, text=text)).metrics


def check(task: str, metrics: Metrics) -> None:
    """Numbers that are numbers; no score above one, below zero only where the rule says so."""
    assert all(value is None or math.isfinite(value) for value in metrics.values())
    value = metrics[SUITE.tasks[task].metric]
    assert value is not None
    assert value <= 1.0
    assert value >= 0.0 or task in ("3-4", "3-5")


@pytest.mark.parametrize("task", SUITE.tasks)
@given(text=RESPONSES)
@settings(max_examples=100, deadline=None)
def test_any_text_gets_a_finite_score_under_any_rules(task: str, text: str) -> None:
    for rule_set in ALL_RULES[task].values():
        check(task, scored(task, rule_set, text))


def soup() -> str:
    """All fragments in disorder."""
    chosen = random.Random(7).choices([one for one in FRAGMENTS if len(one) < 100], k=MEGABYTE // 2)
    return "".join(chosen)[:MEGABYTE]


NUMBERS, NAMES = ("3-1", "3-4", "3-7"), ("2-3", "2-6", "3-3")
TWINS = {"2-7": "1-1", "3-2": "1-1", "3-8": "1-1", "3-5": "3-4", "3-6": "1-2"}
"""Tasks whose rules are another's: they differ in the gold only."""
OWN_RULES = tuple(task for task in SUITE.tasks if task not in TWINS)
KINDS = [
    (OWN_RULES, "第"),
    (OWN_RULES, "1"),
    (OWN_RULES, ";"),
    (OWN_RULES, " \n\u3000"),
    (OWN_RULES, "他们开会。"),
    (OWN_RULES, "[刑期][类别][法条]1[正确答案]A<[金额]"),
    (OWN_RULES, "[刑期]<eoa>[类别]<eoa>[法条]1<eoa>[正确答案]A<eoa>[金额]1元<eoa>"),
    (("3-1",), "第一条、"),
    (("3-1",), "第1条第2款"),
    (("3-7",), "1,"),
    (("3-7",), "1万"),
    (NUMBERS, "1.1"),
    (NUMBERS, "一千零一十"),
    (NUMBERS, "一分之"),
    (("3-4",), "1年1月"),
    (("3-4",), "1 年 "),
    (("3-4",), "半年"),
    (NUMBERS, "月"),
    (NAMES, "盗窃、侮辱合同诈骗"),
    (NAMES, "时间："),
    (NAMES, "时间：无\n地点：\n"),
    (NAMES, "时间：；"),
    (("2-10",), "砸、毁；"),
]


@pytest.mark.deep
@pytest.mark.timeout(60)
@pytest.mark.parametrize(("tasks", "piece"), KINDS, ids=[piece for _, piece in KINDS])
def test_a_megabyte_of_one_thing_is_read_in_time(tasks: tuple[str, ...], piece: str) -> None:
    text = piece * (MEGABYTE // len(piece))
    for task in tasks:
        for rules in Rules:
            check(task, scored(task, ALL_RULES[task][rules], text))


@pytest.mark.deep
@pytest.mark.timeout(60)
@pytest.mark.parametrize("task", SUITE.tasks)
def test_a_megabyte_of_everything_is_read_in_time(task: str) -> None:
    text = soup()
    for rules in Rules:
        check(task, scored(task, ALL_RULES[task][rules], text))
