"""Where the published and the corrected rules read the same judgment differently."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.law.judgment_texts import judgment

from hengfa.law.judgment.charges import Charges
from hengfa.law.judgment.differences import differences

EQUAL = (
    " 一、被告人林帆犯盗窃罪，判处有期徒刑六个月，并处罚金人民币二千元。"
    " 二、被告人海星犯盗窃罪，判处有期徒刑六个月，并处罚金人民币二千元。"
)
"""Terms and fines of two people, which are those of one for the published rules."""
COMBINED = (
    " 被告人林帆犯盗窃罪，判处有期徒刑一年；犯诈骗罪，判处有期徒刑二年；"
    "决定执行有期徒刑二年六个月。"
)
"""A combined term, which the published rules add to its parts."""


def found(result: str) -> dict[str, tuple[str, str]]:
    told = differences(judgment(result), Charges(["盗窃罪", "诈骗罪", "窝藏、包庇罪"]))
    return {one.element: (one.official, one.corrected) for one in told}


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (" 被告人林帆犯盗窃罪，判处有期徒刑六个月，并处罚金人民币二千元。", {}),
        (EQUAL, {"months": ("6", "12"), "fine": ("2000", "4000")}),  # Q3
        (COMBINED, {"months": ("66", "30")}),  # Q3
        (" 被告人林帆犯盗窃罪，判处有期徒刑两年。", {"months": ("0", "24")}),  # Q7
        (" 被告人林帆犯盗窃罪，免予刑事处罚。", {}),
        (" 被告人林帆犯盗窃罪，判处无期徒刑。", {}),
        (" 被告人林帆犯盗窃罪，单处罚金人民币二千元。", {}),
    ],
)
def test_both_readings_are_told(result: str, expected: dict[str, tuple[str, str]]) -> None:
    assert found(result) == expected


def test_sections_are_told_by_their_ends_and_length() -> None:
    text = judgment().replace("审理终结。", "审理终结，")
    told = {one.element: one for one in differences(text)}
    assert set(told) >= {"heading", "facts"}
    assert told["heading"].official != told["heading"].corrected
    assert told["facts"].corrected.endswith(")")


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    differences(text)
