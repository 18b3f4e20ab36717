"""Rubrics of cases, all fictional: markers, clauses, what does not add up, the order of steps."""

from __future__ import annotations

import pytest

from hengfa.base.errors import DataError
from hengfa.evals.grading.rubric import Order, OrderKind, Section
from hengfa.evals.suites.plawbench.dataset import TAGS, CriterionRow
from hengfa.evals.suites.plawbench.rubric_case import parse_case
from hengfa.evals.suites.plawbench.rubric_defects import Code, RubricReading
from hengfa.evals.suites.plawbench.rubric_points import find_clauses, is_each

CONCLUSION, FACTS, REASONING, STATUTES = TAGS


def parse(criterion: str, points: str = "10", tag: str = FACTS) -> RubricReading:
    return parse_case([CriterionRow(criterion, points, tag)], "x")


def section(criterion: str, points: str = "10", tag: str = FACTS) -> Section:
    return parse(criterion, points, tag).rubric.sections[0]


def values(criterion: str, points: str = "10", tag: str = FACTS) -> list[tuple[str, float, str]]:
    return [(i.id, i.maximum, i.text) for i in section(criterion, points, tag).items]


def codes(criterion: str, points: str = "10", tag: str = FACTS) -> list[Code]:
    return [one.code for one in parse(criterion, points, tag).defects]


@pytest.mark.parametrize(
    "criterion",
    [
        "【案情简述得分】10分\n（+5分）甲有船\n（+5分）乙有桨",
        "二、案情得分（共 10 分，每个案情 + 5 分）\n【案情简述得分】\n（+5）甲有船\n(＋5 分)乙有桨",
        "【案情简述】（10分）\n甲有船（+5分）\n乙有桨（+5分）",
        "（+5分）甲有船。（+5分）乙有桨。",
        "甲有船（+5分）；乙有桨（+5分）。",
        "1、甲有船（5分）\n2、乙有桨（5分）",
        "【案情简述得分】10分 （+5分）\n甲有船 （+5分）\n乙有桨",
        '"【案情简述得分】10\n（+5）甲有船\n（+5分乙有桨',
    ],
)
def test_a_marker_stands_before_or_after_its_text(criterion: str) -> None:
    found = [text.removeprefix("1、").removeprefix("2、") for _, _, text in values(criterion)]
    assert found == ["甲有船", "乙有桨"]
    assert [(name, points) for name, points, _ in values(criterion)] == [
        ("案件事实.1", 5.0),
        ("案件事实.2", 5.0),
    ]


def test_four_criteria_make_one_rubric() -> None:
    rows = [CriterionRow("（+5分）甲赔", "5", tag) for tag in TAGS]
    rubric = parse_case(rows, "7").rubric
    assert [one.id for one in rubric.sections] == ["结论", "案件事实", "推理过程", "法条依据"]
    assert rubric.maximum == 20.0
    assert [item.statute for item in rubric.items()] == [False, False, False, True]
    with pytest.raises(DataError, match="twice"):
        parse_case([rows[0], rows[0]], "7")
    with pytest.raises(DataError, match="no section"):
        parse_case([], "7")


def test_clauses_become_deductions_and_leave_the_text() -> None:
    (item,) = section(
        "（+5分）甲的船沉了（未提及日期扣2分，未提及地点扣 1-3 分，扣完5分为止；未写船名不扣分）",
        "5",
    ).items
    assert item.text == "甲的船沉了（；未写船名不扣分）"
    assert [(d.id, d.text, d.points, d.most, d.cap) for d in item.deductions] == [
        ("案件事实.1-d1", "未提及日期扣2分", 2.0, None, None),
        ("案件事实.1-d2", "未提及地点扣 1-3 分", 1.0, 3.0, None),
    ]


def test_a_cap_below_the_item_is_kept() -> None:
    (item,) = section("（+10分）列出船上的人（少一个扣2分，最多扣5分）", tag=REASONING).items
    (one,) = item.deductions
    assert (one.points, one.each, one.cap) == (2.0, True, 5.0)


def test_a_gate_takes_everything() -> None:
    (item,) = section(
        "（+5分）[甲应当赔。（若回答不赔，本项不得分）（只说要赔仅得3分）]", "5", CONCLUSION
    ).items
    assert [(one.id, one.text, one.leaves, one.tier) for one in item.gates] == [
        ("结论.1-g1", "若回答不赔，本项不得分", 0.0, False),
        ("结论.1-g2", "只说要赔仅得3分", 3.0, True),
    ]
    assert item.text == "[甲应当赔。]"


def test_points_without_a_number_are_left_to_the_grader() -> None:
    parsed = parse("（+5分）三条船（少写一点扣，最多扣5分）\n（+5分）两支桨")
    item = next(parsed.rubric.items())
    assert (item.deductions[0].points, item.deductions[0].most) == (1.0, 5.0)
    assert [one.code for one in parsed.defects] == [Code.NO_POINTS]


def test_a_clause_that_points_back_says_to_what() -> None:
    text = (
        "（+10分）第一步：看船\n（1）船已沉。（未分析此点扣4分）\n（2）桨还在。（未分析此点扣6分）"
    )
    (item,) = section(text, tag=REASONING).items
    assert [one.text for one in item.deductions] == [
        "未分析此点扣4分（（1）船已沉。）",
        "未分析此点扣6分（（2）桨还在。）",
    ]
    assert item.elements == ("（1）船已沉。", "（2）桨还在。")
    assert item.text == "第一步：看船"


@pytest.mark.parametrize(
    ("words", "each"),
    [
        ("每少一项扣1分", True),
        ("未提船名、桨数的少一个扣2分", True),
        ("各扣 1 分", True),
        ("缺任一子点扣 5 分", True),
        ("每缺失一项内容，扣0.5分", True),
        ("未提及价款扣2分", False),
        ("没有针对每一项请求反对，扣2分", False),
        ("缺乏理由，扣6分", False),
    ],
)
def test_each_is_what_the_last_words_say(words: str, each: bool) -> None:
    assert is_each(words) is each


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("（未说明标准-10分）", 1),
        ("（扣3-5分）", 1),
        ("（未分析的扣3）", 1),
        ("收受回扣 2397 元，予以扣除", 0),
        ("共有人不得分割", 0),
        ("（未写明不扣分）", 0),
        ("（最多扣40分）", 0),
    ],
)
def test_what_is_a_clause(text: str, number: int) -> None:
    assert len(find_clauses(text).clauses) == number


def test_statutes_have_alternatives() -> None:
    criterion = (
        "（+5分）《月湖法》第1条 船归甲。\n可替代法条：《桨法》第2条 桨归乙。\n"
        "（+5分）《月湖法》第3条 可替代法条：无"
    )
    first, second = section(criterion, tag=STATUTES).items
    assert (first.text, first.alternatives) == (
        "《月湖法》第1条 船归甲。",
        ("《桨法》第2条 桨归乙",),
    )
    assert (second.text, second.alternatives) == ("《月湖法》第3条", ())


def test_a_divided_step_has_an_item_for_each_part() -> None:
    criterion = (
        "第一步：看船（+10分）\n（+6）（1）看船头\n（+4）（2）看船尾\n第二步：看桨（+10分）\n-长短"
    )
    items = section(criterion, "20", REASONING).items
    assert [(item.id, item.maximum, item.step) for item in items] == [
        ("推理过程.1.1", 6.0, 1),
        ("推理过程.1.2", 4.0, 1),
        ("推理过程.2", 10.0, 2),
    ]
    assert items[0].text == "第一步：看船\n（1）看船头"
    assert items[2].elements == ("长短",)


def test_parts_that_do_not_add_up_stay_elements() -> None:
    criterion = "1.看船(+10分)\n(1)(+2.5分)船头\n(2)(+5分)船尾\n2.看桨(+10分)"
    parsed = parse(criterion, "20", REASONING)
    assert [item.maximum for item in parsed.rubric.items()] == [10.0, 10.0]
    assert [one.code for one in parsed.defects] == [Code.SUB_SPLIT]


@pytest.mark.parametrize(
    ("criterion", "points", "tag", "code", "expected"),
    [
        ("船归甲所有", "5", CONCLUSION, Code.NO_MARKER, [5.0]),
        ("1、船\n2、桨\n3、帆", "15", FACTS, Code.NO_MARKER, [5.0] * 3),
        ("第一步：船\n·新\n第二步：桨", "20", REASONING, Code.NO_MARKER, [10.0] * 2),
        ("（+5分）船\n（+5分）桨", "5", CONCLUSION, Code.ABOVE, [5.0] * 2),
        ("（+5分）船\n（+5分）桨", "15", FACTS, Code.BELOW, [5.0] * 2),
        ("（+5分）船\n（两项都对直接+5分）", "5", CONCLUSION, Code.BONUS, [5.0]),
        ("（+5）《甲法》第1条\n《乙法》第2条", "10", STATUTES, Code.ONE_MARKER, [5.0] * 2),
        ("（+5）船\n（+5）桨\n分析帆：（+10）", "10", FACTS, Code.STRAY_ITEM, [5.0] * 2),
        ("【案情简述得分】15分\n（+5）船\n（+5）桨", "10", FACTS, Code.HEADER_TOTAL, [5.0] * 2),
        ("第一点：船（6分）\n第二点：桨+ 4分", "10", REASONING, Code.MARKER_FORM, [6.0, 4.0]),
    ],
)
def test_each_defect_has_its_code_and_its_reading(
    criterion: str, points: str, tag: str, code: Code, expected: list[float]
) -> None:
    parsed = parse(criterion, points, tag)
    assert [one.code for one in parsed.defects] == [code]
    assert parsed.defects[0].reading
    assert [item.maximum for item in parsed.rubric.items()] == expected
    assert parsed.rubric.maximum == float(points)


def test_of_two_listings_the_last_counts() -> None:
    criterion = (
        "（+10分）第一步：看船\n（+10分）第二步：看桨\n"
        "第一步：\n（+10分）（1）船是新的\n第二步：\n（+10分）（2）桨是旧的"
    )
    parsed = parse(criterion, "20", REASONING)
    assert [one.code for one in parsed.defects] == [Code.LISTED_TWICE]
    assert [(item.text, item.step) for item in parsed.rubric.items()] == [
        ("第一步：\n（1）船是新的", 1),
        ("第二步：\n（2）桨是旧的", 2),
    ]


def test_what_only_repeats_the_values_is_no_deduction() -> None:
    criterion = (
        "（+5）《甲法》第1条\n（+5）《乙法》第2条（每少一个法条均扣 5 分，累计扣分不超过 10 分）"
    )
    parsed = parse(criterion, "10", STATUTES)
    assert [one.code for one in parsed.defects] == [Code.RESTATED]
    assert list(parsed.rubric.faults()) == []


def test_a_clause_that_takes_more_than_its_section_is_left_out() -> None:
    criterion = "（+5）船归甲\n（每少一个法条均扣 5 分，累计扣分不超过 30 分）"
    parsed = parse(criterion, "5", CONCLUSION)
    assert [one.code for one in parsed.defects] == [Code.STRAY_CLAUSE]
    assert list(parsed.rubric.faults()) == []


def test_what_is_said_before_the_items_is_taken_from_the_section() -> None:
    found = section("（未先看船-10分）\n1.（+10分）看桨\n2.（+10分）看帆", "20", REASONING)
    assert [(one.id, one.points) for one in found.deductions] == [("推理过程-d1", 10.0)]


@pytest.mark.parametrize("criterion", ["", " \n ", "【结论得分】"])
def test_a_criterion_without_words_is_refused(criterion: str) -> None:
    with pytest.raises(DataError, match="nothing earns points"):
        parse(criterion, "5", CONCLUSION)


# --- the order of steps ---


NUMBERS = "一二三四五六"


def with_steps(lead: str, number: int, between: dict[int, str] | None = None) -> RubricReading:
    steps = [
        f"{(between or {}).get(n, '')}（+10分）第{NUMBERS[n - 1]}步：看第{n}条船"
        for n in range(1, number + 1)
    ]
    criterion = "\n".join((lead, *steps))
    return parse_case([CriterionRow(criterion, str(10 * number), TAGS[2])], "x")


def order(lead: str, number: int) -> Order:
    return with_steps(lead, number).rubric.sections[0].order


def pairs(found: Order) -> list[tuple[int, int]]:
    return [(int(a[-1]), int(b[-1])) for a, b in found.pairs]


@pytest.mark.parametrize(
    "lead",
    [
        "评分：按照第一步、第二步、第三步的顺序写才可得分。",
        "（按照第一步，第二步，第三步这样的顺序写才可得分）",
        "评分：要按顺序写，乱写不得分",
        "第一步、第二步、第三步的先后不可调换。",
        "评分：按照第一步至第三步的顺序写才可得分",
        "评分：按步骤分析才能得分",
        "第一、二、三步有严格顺序",
    ],
)
def test_a_strict_order_has_all_pairs(lead: str) -> None:
    found = order(lead, 3)
    assert found.kind is OrderKind.STRICT
    assert pairs(found) == [(1, 2), (1, 3), (2, 3)]
    assert found.text == lead


@pytest.mark.parametrize(
    ("lead", "number", "expected"),
    [
        (
            "第一步和第二步可以互换，第三步若顺序错误就没有分。",
            3,
            [(1, 3), (2, 3)],
        ),
        ("评分：前三步可以互换，第四步放在最后", 4, [(1, 4), (2, 4), (3, 4)]),
        ("评分：第一步首先写，第二步、第三步可以互换。", 3, [(1, 2), (1, 3)]),
        (
            "都要按顺序写,第三步和第四步可以互换。",
            4,
            [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4)],
        ),
        ("（第一二步要按顺序写，第三四步可以互换。）", 4, [(1, 2)]),
        ("第一步、第二步不可调换；第三步、第四步不可调换。", 4, [(1, 2), (3, 4)]),
        (
            "第一步、第二步无先后顺序。第一、二与第三、四步之间不得调换",
            4,
            [(1, 3), (1, 4), (2, 3), (2, 4)],
        ),
        ("第二步须在第一步之后。", 3, [(1, 2)]),
        ("按照第一步、第二步的顺序写才可得分。", 3, [(1, 2)]),
    ],
)
def test_a_partial_order_has_the_pairs_it_names(
    lead: str, number: int, expected: list[tuple[int, int]]
) -> None:
    found = order(lead, number)
    assert found.kind is OrderKind.PARTIAL
    assert pairs(found) == expected


@pytest.mark.parametrize("lead", ["（无需按顺序写）", "这里无先后顺序，互换也可得分"])
def test_an_order_that_does_not_matter_has_no_pairs(lead: str) -> None:
    assert order(lead, 3) == Order(OrderKind.FREE, (), lead)


def test_a_heading_may_say_that_order_does_not_matter() -> None:
    lead = "三、推理过程得分（共 20 分，无先后顺序）\n【推理过程得分】"
    assert order(lead, 2).kind is OrderKind.FREE


def test_a_contradiction_is_reported_and_read_as_strict() -> None:
    lead = "三、推理过程得分（共 20 分，无先后顺序）\n【推理过程得分】（照步骤顺序写才可得分）"
    parsed = with_steps(lead, 2)
    assert [one.code for one in parsed.defects] == [Code.CONTRADICTION]
    assert pairs(parsed.rubric.sections[0].order) == [(1, 2)]


def test_a_rule_in_the_heading_of_a_question_holds_for_its_steps() -> None:
    criterion = (
        "问题一：船（按照第一步、第二步的顺序写才可得分）\n"
        "（+10分）第一步：看船\n（+10分）第二步：修船\n"
        "问题二：桨\n（+10分）第一步：看桨\n（+10分）第二步：修桨"
    )
    parsed = parse_case([CriterionRow(criterion, "40", TAGS[2])], "x")
    found = parsed.rubric.sections[0].order
    assert (found.kind, pairs(found)) == (OrderKind.PARTIAL, [(1, 2)])
    assert next(parsed.rubric.items()).text == "问题一：船\n第一步：看船"


def test_a_rule_inside_a_step_is_a_gate_of_it() -> None:
    criterion = (
        "（+10）一、船（按照第一步，第二步的顺序写才可得分，乱写不得分）\n"
        "第一步，看船\n第二步，修船\n（+10）二、桨"
    )
    parsed = parse_case([CriterionRow(criterion, "20", TAGS[2])], "x")
    found = parsed.rubric.sections[0]
    assert (found.order.kind, found.order.pairs) == (OrderKind.PARTIAL, ())
    assert len(found.items[0].gates) == 1
    assert [one.code for one in parsed.defects] == [Code.NO_PAIRS]


def test_before_or_after_cannot_be_said_in_pairs() -> None:
    parsed = with_steps("第三步须在第一步、第二步之前或之后。", 3)
    assert parsed.rubric.sections[0].order.pairs == ()
    assert [one.code for one in parsed.defects] == [Code.NO_PAIRS]


def test_steps_without_a_rule_are_only_numbered() -> None:
    assert order("", 2).kind is OrderKind.STEPS
    criterion = "（+10分）看船\n（+10分）看桨，按照一定顺序排列"
    parsed = parse_case([CriterionRow(criterion, "20", TAGS[2])], "x")
    assert parsed.rubric.sections[0].order.kind is OrderKind.UNSTATED
