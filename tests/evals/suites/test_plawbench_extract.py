"""Questions, parts and documents as models write them, and text that nobody expects."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.evals.suites.base import AnswerStatus
from hengfa.evals.suites.plawbench.extract import (
    CLAIM,
    DEFENCE,
    OTHER,
    PARTS,
    TITLES,
    case,
    consultation,
    count,
    document,
    kind_of,
    read_parts,
    read_questions,
)


def texts(response: str) -> list[str]:
    return [question.text for question in read_questions(response)]


# --- questions ---


@pytest.mark.parametrize(
    "number",
    [
        "1.",
        "1、",
        "1）",
        "（1）",
        "(1)",
        "1：",
        "第1问：",
        "Q1.",
        "**1.**",
        "## 1.",
        "问题1：",
        "①",
        "1．",
    ],
)
def test_numbers_of_any_dress_begin_a_question(number: str) -> None:
    response = f"{number} 伞是谁借的？\n{number.replace('1', '2').replace('①', '②')} 还了没有？"
    (first, second) = read_questions(response)
    assert first.text.endswith("伞是谁借的？") and second.text.endswith("还了没有？")
    assert first.numbered and second.numbered


@pytest.mark.parametrize(
    "line", ["1.5万元是谁付的", "2020年10月8日那天", "3000元", "1 个人", "一个人"]
)
def test_a_number_in_the_text_is_no_question_number(line: str) -> None:
    assert not any(question.numbered for question in read_questions(line))


def test_lines_below_a_question_belong_to_it_and_headings_do_not() -> None:
    response = "您好，请回答：\n## 伞\n1. 伞是谁借的？\n   - 有谁在场？\n\n【押金】\n2. 押金多少？"
    assert texts(response) == ["1. 伞是谁借的？\n- 有谁在场？", "2. 押金多少？"]


def test_a_numbered_line_that_only_announces_is_a_heading() -> None:
    response = "一、伞\n1. 伞是谁借的？\n二、桨\n2. 桨呢？\n3. 押金：\n（1）多少？\n（2）谁收的？"
    assert texts(response) == ["1. 伞是谁借的？", "2. 桨呢？", "（1）多少？", "（2）谁收的？"]


def test_questions_under_a_question_count_by_themselves() -> None:
    assert len(texts("1. 伞是谁借的？\n（1）哪天？\n（2）几把？")) == 3


def test_questions_may_be_numbered_in_chinese() -> None:
    assert texts("一、伞是谁借的？\n二、还了没有？") == ["一、伞是谁借的？", "二、还了没有？"]


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("- 伞是谁借的\n- 还了没有", ["- 伞是谁借的", "- 还了没有"]),
        ("先问一句。伞是谁借的？还了没有？谢谢。", ["伞是谁借的？", "还了没有？"]),
        ("说说伞的来历\n说说桨的去处", ["说说伞的来历", "说说桨的去处"]),
    ],
)
def test_without_numbers_bullets_then_sentences_then_lines_count(
    response: str, expected: list[str]
) -> None:
    assert texts(response) == expected
    assert consultation(response).status is AnswerStatus.MALFORMED


def test_only_the_first_questions_are_graded() -> None:
    response = "开场白\n" + "\n".join(f"{n}. 第{n}件事是什么？" for n in range(1, 31)) + "\n结束语"
    found = consultation(response)
    assert found.status is AnswerStatus.EXTRACTED and found.value is not None
    assert len(found.value.questions) == 30
    graded = found.value.first(25)
    assert graded.startswith("1. 第1件事") and graded.endswith("25. 第25件事是什么？")
    assert "开场白" not in graded


def test_no_words_are_no_questions() -> None:
    for response in ("", " \n", "1.\n2.\n", "……"):
        assert consultation(response).status is AnswerStatus.ABSTAINED


# --- parts ---


def headed(style: str, titles: tuple[str, ...]) -> str:
    return "\n".join(f"{style.format(title)}\n{title}的内容" for title in titles)


OURS = tuple(TITLES[part][0] for part in PARTS)
THEIRS = ("结论", "案情简述", "分析过程", "依据法条")


@pytest.mark.parametrize("titles", [OURS, THEIRS, ("核心结论", "案情", "分析", "法律依据")])
@pytest.mark.parametrize(
    "style",
    [
        "【{}】",
        "## {}",
        "### 【{}】",
        "**{}**",
        "**【{}】**",
        "[{}]",
        "{}",
        "{}：",
        "> 【{}】",
        "**{}：**",
    ],
)
def test_both_heading_sets_are_read_in_any_dress(style: str, titles: tuple[str, ...]) -> None:
    found = case(headed(style, titles))
    assert found.status is AnswerStatus.EXTRACTED and found.value is not None
    assert dict(found.value.parts) == {
        part: f"{title}的内容" for part, title in zip(PARTS, titles, strict=True)
    }


def test_headings_may_be_numbered_and_in_another_order() -> None:
    response = "一、结论\n甲\n二、案情简述：\n乙\n三、依据法条\n丙\n四、分析过程\n丁"
    assert dict(read_parts(response).parts) == {
        "conclusion": "甲",
        "facts": "乙",
        "reasoning": "丁",
        "statutes": "丙",
    }


def test_the_text_may_begin_on_the_line_of_the_heading() -> None:
    assert read_parts("【结论】：应当归还。\n【案情简述】甲借伞。").parts == {
        "conclusion": "应当归还。",
        "facts": "甲借伞。",
    }


def test_a_step_that_begins_with_a_title_is_no_heading_between_brackets() -> None:
    response = "【结论】是\n【案情简述】甲\n【分析过程】\n1. 事实：乙\n2. 结论：丙\n【依据法条】丁"
    found = read_parts(response)
    assert found.parts["conclusion"] == "是"
    assert found.parts["reasoning"] == "1. 事实：乙\n2. 结论：丙"


def test_the_question_repeated_in_one_pair_of_brackets_is_no_part() -> None:
    echo = "【结论+案情简述+分析过程+依据法条】\n"
    found = read_parts(echo + headed("## {}", THEIRS))
    assert found.missing == () and found.parts["facts"] == "案情简述的内容"
    assert read_parts(echo + headed("【{}】", THEIRS[:3])).missing == ("statutes",)


def test_all_four_under_one_heading_are_there_together() -> None:
    found = read_parts("【结论 + 案情简述 + 分析过程+依据法条】应当归还。")
    assert found.missing == () and set(found.parts.values()) == {"应当归还。"}


def test_a_heading_for_two_parts_stands_for_both() -> None:
    found = read_parts("【结论】甲\n【案情简述】乙\n【分析过程及法条依据】丙")
    assert found.parts["reasoning"] == found.parts["statutes"] == "丙"


def test_a_part_that_comes_twice_is_the_two_together() -> None:
    assert read_parts("【结论】甲\n【案情简述】乙\n【结论】丙").parts["conclusion"] == "甲\n丙"


@pytest.mark.parametrize(
    "response",
    ["见【结论】部分", "结论不能成立", "1. 结论不能成立的理由", "**结论**不能成立", "分析了案情"],
)
def test_words_in_running_text_are_no_headings(response: str) -> None:
    found = case(response)
    assert found.status is AnswerStatus.MALFORMED
    assert found.value is not None and found.value.missing == PARTS


def test_a_heading_without_words_is_a_missing_part() -> None:
    assert read_parts(headed("【{}】", THEIRS[:3]) + "\n【依据法条】\n").missing == ("statutes",)


# --- documents ---


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        ("民事起诉状\n原告：白云娘", CLAIM),
        ("# 民 事 答 辩 状\n答辩人：雷老虎", DEFENCE),
        ("好的，这是文书：\n\n**民事起诉状（船舶碰撞）**\n", CLAIM),
        ("民事答辩状\n针对原告的民事起诉状，答辩如下", DEFENCE),
        ("针对原告起诉状的答复如下：\n答辩人（被告）：雷老虎", DEFENCE),
        ("原告请求如下\n具状人：白云娘", CLAIM),
        ("被答辩人：白云娘", None),
        ("民事判决书\n具状人：无", OTHER),
        ("民事反诉状", OTHER),
        ("您好", None),
    ],
)
def test_a_document_is_what_its_title_or_its_speaker_says(response: str, kind: str | None) -> None:
    assert kind_of(response) == kind
    status = document(response).status
    assert status is (AnswerStatus.EXTRACTED if kind else AnswerStatus.MALFORMED)


def test_length_is_counted_without_white_space() -> None:
    assert count("民 事\n起诉状　\t") == 5
    assert document(" \n").status is AnswerStatus.ABSTAINED


# --- anything ---

FRAGMENTS = [
    *"1２一（）()【】[]#*>-：:、.。？?\n \t　",
    *(
        "结论",
        "案情简述",
        "分析过程",
        "依据法条",
        "+",
        "及",
        "**",
        "## ",
        "起诉状",
        "答辩人：",
        "有没有",
    ),
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join) | st.text(max_size=80))
def test_no_text_makes_reading_fail_or_invent_words(response: str) -> None:
    lines = {line.strip() for line in response.splitlines()}
    for question in read_questions(response):
        assert question.text.strip()
        assert all(part in response for part in question.text.split("\n"))
        if question.numbered:
            assert set(question.text.split("\n")) <= lines
    found = read_parts(response)
    assert set(found.parts) <= set(PARTS)
    assert all(line in response for text in found.parts.values() for line in text.split("\n"))
    assert kind_of(response) in {CLAIM, DEFENCE, OTHER, None}


@settings(deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=40), st.integers(1, 50))
def test_a_plain_list_is_read_back(lengths: list[int], most: int) -> None:
    asked = [f"{number}. {'伞' * length}在哪里？" for number, length in enumerate(lengths, start=1)]
    found = consultation("\n".join(asked)).value
    assert found is not None and [one.text for one in found.questions] == asked
    assert found.first(most).split("\n") == asked[:most]


@pytest.mark.deep
@pytest.mark.parametrize(
    "unit",
    [
        "1. ",
        "（",
        "一、",
        "结论",
        "结论 ",
        "【结论",
        "**",
        "#",
        " ",
        "\n",
        "？",
        "甲",
        "1.\n",
        "起诉状",
    ],
)
def test_long_texts_are_read_quickly(unit: str) -> None:
    response = unit * (400_000 // len(unit))
    begin = process_time()
    consultation(response), case(response), document(response)
    assert process_time() - begin < 3
