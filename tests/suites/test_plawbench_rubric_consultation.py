"""Rubrics of consultations: one question a line."""

from __future__ import annotations

import pytest

from hengfa.errors import DataError
from hengfa.suites.plawbench.rubric_defects import Code
from hengfa.suites.plawbench.rubric_text import parse_consultation


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
