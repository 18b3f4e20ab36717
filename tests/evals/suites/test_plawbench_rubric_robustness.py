"""Any text is parsed or refused, in a time in proportion to it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hengfa.base.errors import DataError
from hengfa.evals.grading.rubric import Rubric
from hengfa.evals.suites.plawbench.dataset import TAGS, CriterionRow
from hengfa.evals.suites.plawbench.rubric_case import parse_case
from hengfa.evals.suites.plawbench.rubric_defects import MOST_CHARACTERS
from hengfa.evals.suites.plawbench.rubric_text import parse_consultation, parse_document

PIECES = st.sampled_from(
    [
        *("（+5分）", "（+10）", "（5分）", "（＋5分", "(+2.5分)", "+ 10分", "（3点答全+10分）"),
        *("扣2分", "（未提及扣 1-3 分，扣完5分为止）", "-3分", "最多扣5分", "不得分", "不扣分"),
        *(
            "第一步",
            "第二步：",
            "问题一：",
            "一、",
            "1.1 甲（5分）",
            "（一）乙（5 分）",
            "1、",
            "- ",
        ),
        *("得分点：", "扣分点：", "不及格：", "优秀档：", "本项得0分并倒扣10分", "本项最高得6分"),
        *("六、统一扣分项", "法条准确：", "每有一项未达到，扣 10 分：", "总分：10分", "1.(+3分)"),
        *(
            "按照第一步、第二步的顺序写才可得分",
            "顺序可以调换",
            "第三步须在第一步之后",
            "与第四步之间不得",
        ),
        *(
            "【结论得分】",
            "可替代法条：",
            "《月湖法》第1条",
            "船",
            "。",
            "；",
            "，",
            " ",
            "\t",
            "\n",
            "\n",
        ),
    ]
)
TEXTS = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=40).map("".join))


def parse_criterion(text: str) -> Rubric:
    rows = [CriterionRow(text, "20", tag) for tag in TAGS]
    return parse_case(rows, "x").rubric


PARSERS: dict[str, Callable[[str], Rubric]] = {
    "consultation": lambda text: parse_consultation(text, "x").rubric,
    "case": parse_criterion,
    "document": lambda text: parse_document(text, 20.0, "x").rubric,
}


@pytest.mark.parametrize("name", PARSERS)
@settings(deadline=None, max_examples=150)
@example(text="0(+5)(+10)(+5)(+5)(+5)")
@given(text=TEXTS)
def test_any_text_is_a_sound_rubric_or_refused(name: str, text: str) -> None:
    try:
        rubric = PARSERS[name](text)
    except DataError:
        return
    ids = [item.id for item in rubric.items()] + [fault.id for fault in rubric.faults()]
    assert len(ids) == len(set(ids))
    assert rubric.maximum > 0
    assert all(item.maximum >= 0 and item.text for item in rubric.items())
    for section in rubric.sections:
        known = {item.id for item in section.items}
        assert all(known.issuperset(pair) and pair[0] != pair[1] for pair in section.order.pairs)


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize(
    "piece",
    [
        "（",
        "（+5）",
        "扣5分，",
        "第一步、顺序",
        "一、\n",
        "1.1 a（5分）\n",
        " ",
        "\n",
        "（5分）a",
        "l ",
    ],
)
def test_a_long_text_is_read_in_seconds(name: str, piece: str) -> None:
    begun = time.monotonic()
    text = f"一、船（20分）\n（+10分）第一步\n{piece * (MOST_CHARACTERS // len(piece))}"
    for tried in (text[:MOST_CHARACTERS], piece * (10_000_000 // len(piece))):
        with contextlib.suppress(DataError):
            PARSERS[name](tried)
    assert time.monotonic() - begun < 15


@pytest.mark.parametrize("name", PARSERS)
def test_a_line_of_ten_megabytes_is_refused(name: str) -> None:
    with pytest.raises(DataError, match="at most 100,000"):
        PARSERS[name]("船" * 10_000_000)
