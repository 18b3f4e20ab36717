"""Where the published and the corrected rules read the same judgment differently."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.law.grammar.judgment_texts import judgment

from hengfa.evals.suites.judgment.reading import differences
from hengfa.law.grammar.judgment.charges import Charges, read_charges

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


def read_twice(result: str) -> dict[str, tuple[str, str]]:
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
    assert read_twice(result) == expected


def test_sections_are_told_by_their_ends_and_length() -> None:
    text = judgment().replace("审理终结。", "审理终结，")
    told = {one.element: one for one in differences(text)}
    assert set(told) >= {"heading", "facts"}
    assert told["heading"].official != told["heading"].corrected
    assert told["facts"].corrected.endswith(")")


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    differences(text)


@pytest.mark.shared
def test_where_corrected_and_official_rules_differ_on_real_judgments(shared: Path) -> None:
    """Every difference has its cause in docs/judgments.md."""
    references = (shared / "data" / "JuDGE" / "data" / "test.json").read_text("utf-8")
    file = shared / "data" / "corpora" / "criminal_docs" / "caseformer_demo.jsonl.gz"
    segmented = gzip.decompress(file.read_bytes()).decode()
    charges = read_charges(shared / "data" / "JuDGE")
    assert _differ([json.loads(line)["fd"] for line in references.splitlines()], charges) == {
        "months": 57,
        "fine": 48,
        "charges": 4,
        "articles": 12,
        "heading": 4,
        "facts": 8,
        "reasoning": 4,
        "result": 18,
    }
    assert _differ([json.loads(line)["content"] for line in segmented.splitlines()], charges) == {
        "months": 8,
        "fine": 5,
        "charges": 2,
        "articles": 1,
        "heading": 48,
        "facts": 50,
        "reasoning": 3,
        "result": 2,
    }


def _differ(documents: list[str], charges: Charges) -> Counter[str]:
    return Counter(
        difference.element for text in documents for difference in differences(text, charges)
    )
