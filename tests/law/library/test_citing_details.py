"""Details of told words: quantities in every form, opposite words, and what is no contradiction."""

from __future__ import annotations

import pytest

from hengfa.law.library.citing.details import contradictions, opposites, quantities, strange


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("三十日、30日、30天", [(30, "day")] * 3),
        ("半年、六个月、6个月", [(6, "month")] * 3),
        ("一年半，一个半月", [(18, "month"), (1.5, "month")]),
        ("两周内，七日", [(14, "day"), (7, "day")]),
        ("百分之五、5%、5％、千分之五十", [(5, "%")] * 4),
        ("二分之一以上", [(50, "%")]),
        ("双倍返还，二倍，2倍", [(2, "倍")] * 3),
        ("1.5万元、15000元、15,000元、一万五千元", [(15000, "元")] * 4),
        ("不满十六周岁，16岁", [(16, "周岁")] * 2),
        ("五个工作日", [(5, "working day")]),
        ("第三条第二款，2021年，二三十日，一次性支付", []),
    ],
)
def test_quantities_by_value(text: str, expected: list[tuple[float, str]]) -> None:
    assert [(one.value, one.unit) for one in quantities(text)] == expected


@pytest.mark.parametrize(
    ("told", "law", "expected"),
    [
        ("三倍", "二倍", ["三倍"]),
        ("一个月", "三十日", []),
        ("24小时", "一日", []),
        ("五年", "十年以上二十年以下", ["五年"]),
        ("一年", "十二个月", []),
        ("七个工作日", "七日", ["七个工作日"]),
    ],
)
def test_strange_quantities(told: str, law: str, expected: list[str]) -> None:
    assert [one.shown for one in strange(quantities(told), quantities(law))] == expected


LIMITS = "看守最长不得超过十二个月，巡逻最长不得超过六个月。宽限期自催告之日起，不得少于六十日。"


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("看守最长不得超过十二个月，巡逻最长不得超过六个月", []),
        ("看守最长不得超过六个月", ["六个月"]),  # that of the patrol
        ("宽限期不得少于三十日", ["三十日"]),
        ("看守十二个月，巡逻六个月", []),
        ("宽限三十日", []),  # nothing says of what
    ],
)
def test_a_quantity_in_the_place_of_another(told: str, expected: list[str]) -> None:
    shown = [one.shown for one in contradictions(quantities(told), quantities(LIMITS))]
    assert shown == expected


@pytest.mark.parametrize(
    ("told", "law", "expected"),
    [
        ("看守人可以解除合同", "看守人不得解除合同", ["可以解除"]),
        ("应当减轻处罚", "可以减轻处罚", ["应当减轻"]),
        ("必须登记", "应当登记", []),
        ("有权请求赔偿", "可以请求赔偿", []),
        ("可以解除", "可以解除；有灯的，不得解除", []),
        ("应当同意", "不得拒绝", []),
        ("按连带责任保证处理", "按照一般保证承担责任", ["连带责任保证"]),
        ("不是连带责任保证", "按照一般保证承担责任", []),
        ("分为一般保证和连带责任保证", "按照一般保证承担责任", []),
        ("由国家先行垫付", "由可能加害的使用人补偿", ["由国家"]),
        ("由国家垫付", "国家先行垫付", []),
        ("处三年以上有期徒刑", "处三年以下有期徒刑", ["三年以上"]),
        ("处三年以上有期徒刑", "处三年以下有期徒刑；严重的，处三年以上", []),
    ],
)
def test_opposite_words(told: str, law: str, expected: list[str]) -> None:
    assert list(opposites(told, law)) == expected
