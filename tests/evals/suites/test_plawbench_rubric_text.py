"""Rubrics of consultations, one question a line, and of documents, trees of leaves."""

from __future__ import annotations

import pytest

from hengfa.base.errors import DataError
from hengfa.evals.grading.rubric import Gate, Section
from hengfa.evals.suites.plawbench.rubric_defects import Code, RubricReading
from hengfa.evals.suites.plawbench.rubric_text import parse_consultation, parse_document

# --- consultations ---


def test_every_line_is_an_item() -> None:
    text = "总分：6分\n1.(+3 分) 船何时修好？\n2.（+2分）谁付的钱？\n 3. (+1分)有无收据？"
    parsed = parse_consultation(text, "1")
    (section,) = parsed.rubric.sections
    assert [(item.id, item.maximum, item.text) for item in section.items] == [
        ("提问.1", 3.0, "船何时修好？"),
        ("提问.2", 2.0, "谁付的钱？"),
        ("提问.3", 1.0, "有无收据？"),
    ]
    assert parsed.rubric.maximum == section.maximum == 6.0
    assert parsed.defects == ()


def test_a_total_that_is_not_the_sum_is_reported_and_the_sum_counts() -> None:
    parsed = parse_consultation("总分：12分\n1.(+3分)甲\n2.(+3分)乙", "17")
    assert parsed.rubric.maximum == 6.0
    (found,) = parsed.defects
    assert found.code is Code.TOTAL
    assert found.text == "the total says 12, the items have 6"


def test_a_missing_total_and_numbers_out_of_sequence_are_reported() -> None:
    parsed = parse_consultation("1.(+3分)甲\n1.(+2分)乙", "12")
    assert [one.code for one in parsed.defects] == [Code.NO_TOTAL, Code.NUMBERING]
    assert [item.id for item in parsed.rubric.items()] == ["提问.1", "提问.2"]


def test_a_second_line_belongs_to_its_question() -> None:
    parsed = parse_consultation("1.(+3分)甲\n包括日期", "1")
    assert next(parsed.rubric.items()).text == "甲\n包括日期"


@pytest.mark.parametrize("text", ["", "总分：5分", "没有分值的一行", "1.(+0分)甲", "1.(+3分)"])
def test_what_has_no_points_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"row-7, field 'rubrics'"):
        parse_consultation(text, "row-7")


# --- documents ---


WHOLE = """总分：40分
一、管辖（20 分）注意：法院可用 xxx 代替。
1.1 法院（10 分）
得分点：
选择月湖法院（6分）；
引用《船法》第 2 条（2分），说明理由（2分）。
扣分点：
只写“法院”，没有写明哪一家。没有理由，扣 3 分【扣分说明：难以立案】；
人名少一个扣1分，扣满5分为止。
不及格：
选择云上法院，扣 10 分（本项得 0 分）。
（二）当事人（10分）
得分点：列明甲和乙，得 10 分。
不及格：不提乙。
有此情形，本项 0–4 分：
只字不提：2 分；
说乙无责：0 分。
二、请求（20分）（名称不必相同）
得分点：请求修船费（20分）。
扣分点：笼统地写，本项最高得6分。
不合格：叫人作假，本项得0分并倒扣10分。
三、统一扣分项
说明：可以累计。
法条准确：每出现一处，扣 10 分。
指令遵循：写成别的文书，扣 10 分。
文书规范：每有一项未达到，扣 10 分：（1）格式；（2）用语；（3）要素。"""


def leaf(lines: str, points: float = 10) -> Section:
    return parse(lines, points).rubric.sections[0]


def parse(lines: str, points: float = 10) -> RubricReading:
    return parse_document(f"总分：{points:g}分\n一、船（{points:g}分）\n{lines}", points, "x")


def test_a_whole_rubric() -> None:
    parsed = parse_document(WHOLE, 40, "d")
    assert parsed.defects == ()
    court, parties, claims = parsed.rubric.sections
    assert [one.id for one in parsed.rubric.sections] == ["1.1", "1.2", "2"]
    assert (court.title, court.group) == ("法院（注意：法院可用 xxx 代替。）", "管辖")
    assert (claims.title, claims.group) == ("请求（名称不必相同）", "请求")
    assert [(one.id, one.maximum, one.text) for one in court.items] == [
        ("1.1.1", 6.0, "选择月湖法院"),
        ("1.1.2", 2.0, "引用《船法》第 2 条"),
        ("1.1.3", 2.0, "说明理由"),
    ]
    assert [(one.id, one.points, one.each, one.text) for one in court.deductions] == [
        ("1.1-d1", 3.0, False, "只写“法院”，没有写明哪一家。没有理由，扣 3 分"),
        ("1.1-d2", 1.0, True, "人名少一个扣1分"),
    ]
    assert [(one.id, one.leaves, one.tier) for one in court.gates] == [("1.1-g1", 0.0, False)]
    assert [(one.leaves, one.tier) for one in parties.gates] == [(2.0, True), (0.0, True)]
    assert [(one.leaves, one.tier) for one in claims.gates] == [(6.0, False), (-10.0, False)]
    assert [(one.id, one.points, one.times) for one in parsed.rubric.penalties] == [
        ("p1", 10.0, None),
        ("p2", 10.0, 1),
        ("p3", 10.0, 1),
        ("p4", 10.0, 1),
        ("p5", 10.0, 1),
    ]
    assert parsed.rubric.penalties[3].text == "文书规范：未达到“用语”"


def test_standards_of_form_may_have_a_price_each() -> None:
    text = "一、船（5分）\n二、统一扣分项\n文书规范：\n格式错，扣 10 分；\n每缺一项扣 10 分。"
    penalties = parse_document(text, 5, "x").rubric.penalties
    assert [(one.text, one.times) for one in penalties] == [
        ("文书规范：格式错，扣 10 分", 1),
        ("文书规范：每缺一项扣 10 分", None),
    ]


@pytest.mark.parametrize(
    "remark",
    [
        "（本项得 4 分）",
        "。（本项得4分）",
        "。 （对应中等分 4 分的情形）",
        "。\n（对应中等档 4 分情形）",
    ],
)
def test_a_deduction_whose_remark_says_what_the_leaf_gets_is_a_tier(remark: str) -> None:
    """It keeps the number that it has among the deductions."""
    found = leaf(
        f"得分点：写明（10分）。\n扣分点：\n潦草，扣 1 分；\n只写船名，扣 6 分{remark}\n"
        "漏页，扣 2 分。\n不及格：没写，本项 得 3 分（按原逻辑最低档处理）。"
    )
    assert [(one.id, one.points) for one in found.deductions] == [("1-d1", 1.0), ("1-d3", 2.0)]
    assert found.gates == (
        Gate("1-d2", "只写船名，扣 6 分", 4.0, tier=True),
        Gate("1-g1", "没写，本项 得 3 分", 3.0, tier=True),
    )


def test_a_remark_that_says_how_much_at_most_adds_nothing_to_a_deduction() -> None:
    found = leaf("得分点：写明（10分）。\n扣分点：潦草，扣3分。（本项最高得7 分）")
    assert [(one.text, one.points) for one in found.deductions] == [("潦草，扣3分", 3.0)]
    assert found.gates == ()


def test_bands_are_levels_of_one_item() -> None:
    (item,) = leaf("充分（10 分）：都有。\n部分（3 分）：有一些。\n错误（0 分）：没有。").items
    assert [(one.name, one.points) for one in item.levels] == [
        ("充分", 10.0),
        ("部分", 3.0),
        ("错误", 0.0),
    ]
    assert item.maximum == 10.0


def test_grades_by_name_are_blocks_too() -> None:
    found = leaf(
        "分层优秀档：\n写明船名（10 分）。\n合格档：\n有错，扣 2 分。\n不足档：\n没写，扣 10 分。"
    )
    assert [item.maximum for item in found.items] == [10.0]
    assert [one.points for one in found.deductions] == [2.0]
    assert [one.leaves for one in found.gates] == [0.0]


def test_a_failure_that_takes_less_than_the_leaf_is_a_deduction() -> None:
    found = leaf("得分点：写明（10分）。\n扣分点：潦草，扣 2 分。\n不及格：没写法院，扣 6 分。")
    assert [(one.id, one.points) for one in found.deductions] == [("1-d1", 2.0), ("1-d2", 6.0)]
    assert found.gates == ()


def test_remarks_of_the_rubric_are_left_out() -> None:
    found = leaf(
        "得分点：写明（10分）。\n评分依据：清楚。\n"
        "扣分点：潦草，扣 2 分。\n评分依据：不清楚。\n错字，扣 3 分。"
    )
    assert found.items[0].text == "写明"
    assert [one.text for one in found.deductions] == ["潦草，扣 2 分", "错字，扣 3 分"]


def test_most_that_a_deduction_takes_is_kept() -> None:
    found = leaf("得分点：列明（10分）。\n扣分点：少写一个扣1分，最高累计扣5分。")
    (one,) = found.deductions
    assert (one.each, one.cap) == (True, 5.0)


def test_a_gate_of_the_whole_group_is_in_each_of_its_leaves() -> None:
    text = (
        "一、管辖（10分）\n1.1 法院（5分）\n得分点：月湖（5分）\n不及格：\n"
        "写云上法院，本大题（10 分）直接计 0 分；\n同样计 0 分。\n"
        "1.2 理由（5分）\n得分点：近（5分）"
    )
    first, second = parse_document(text, 10, "x").rubric.sections
    assert [one.id for one in first.gates] == ["1.1-g1", "1.1-g2"]
    assert [one.id for one in second.gates] == ["1.2-g1", "1.2-g2"]


@pytest.mark.parametrize(
    ("lines", "code", "expected"),
    [
        ("得分点：写明船名。", Code.NO_MARKER, [10.0]),
        ("得分点：船（6分），桨（4分）。（10 分）", Code.REPEATED_TOTAL, [6.0, 4.0]),
        ("得分点：\n完全正确（10分）：\n船（6分）\n桨（4分）", Code.REPEATED_TOTAL, [6.0, 4.0]),
        ("得分点：船（8分），桨（4分）。", Code.ABOVE, [8.0, 4.0]),
        ("得分点：船（3分），桨（4分）。", Code.BELOW, [3.0, 4.0]),
        ("得分点：船（6分），桨（4份）。", Code.MARKER_FORM, [6.0, 4.0]),
        ("全对（10分）：有。\n全错（0分）：无。", Code.BANDS, [10.0]),
        (
            "得分点：船（10分）。\n扣分点：错一处扣 2 分（还可抵扣其他题目），扣 1 分",
            Code.REACH,
            [10.0],
        ),
    ],
)
def test_each_defect_of_a_leaf_has_its_code(lines: str, code: Code, expected: list[float]) -> None:
    parsed = parse(lines)
    assert [one.code for one in parsed.defects] == [code]
    assert [item.maximum for item in parsed.rubric.items()] == expected


@pytest.mark.parametrize(
    ("text", "score", "where"),
    [
        ("总分：12分\n一、船（5分）\n得分点：船（5分）\n二、桨（5分）\n得分点：桨（5分）", 12, ""),
        ("总分：10分\n一、船（10分）\n1.1 甲（4分）\n得分点：船（4分）", 10, "1"),
    ],
)
def test_headings_that_do_not_add_up_are_reported(text: str, score: float, where: str) -> None:
    parsed = parse_document(text, score, "x")
    assert [(one.code, one.where) for one in parsed.defects] == [(Code.CHILDREN, where)]
    assert parsed.rubric.maximum == score


@pytest.mark.parametrize(("text", "score"), [("", 5), ("没有标题", 5), ("一、船（5分）", 0)])
def test_what_is_no_rubric_is_refused(text: str, score: float) -> None:
    with pytest.raises(DataError, match="row-3"):
        parse_document(text, score, "row-3")
