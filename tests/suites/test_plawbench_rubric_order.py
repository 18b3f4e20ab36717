"""What rubrics say of the order of steps, in words of the kind they use."""

from __future__ import annotations

import pytest

from hengfa.grading.rubric import Order, OrderKind
from hengfa.suites.plawbench.rubric_case import TAGS, CriterionRow, parse_case
from hengfa.suites.plawbench.rubric_defects import Code, Parsed

NUMBERS = "一二三四五六"


def parse(lead: str, number: int, between: dict[int, str] | None = None) -> Parsed:
    steps = [
        f"{(between or {}).get(n, '')}（+10分）第{NUMBERS[n - 1]}步：看第{n}条船"
        for n in range(1, number + 1)
    ]
    criterion = "\n".join((lead, *steps))
    return parse_case([CriterionRow(criterion, str(10 * number), TAGS[2])], "x")


def order(lead: str, number: int) -> Order:
    return parse(lead, number).rubric.sections[0].order


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
    parsed = parse(lead, 2)
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
    parsed = parse("第三步须在第一步、第二步之前或之后。", 3)
    assert parsed.rubric.sections[0].order.pairs == ()
    assert [one.code for one in parsed.defects] == [Code.NO_PAIRS]


def test_steps_without_a_rule_are_only_numbered() -> None:
    assert order("", 2).kind is OrderKind.STEPS
    criterion = "（+10分）看船\n（+10分）看桨，按照一定顺序排列"
    parsed = parse_case([CriterionRow(criterion, "20", TAGS[2])], "x")
    assert parsed.rubric.sections[0].order.kind is OrderKind.UNSTATED
