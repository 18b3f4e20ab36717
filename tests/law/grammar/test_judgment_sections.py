"""Where the parts of a judgment begin and end."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.law.grammar.judgment_texts import APPENDIX, FACTS, HEADING, REASONING, RESULT, judgment

from hengfa.law.grammar.judgment.document import SECTIONS, Judgment, SectionKind
from hengfa.law.grammar.judgment.parse import parse_judgment


def parts(text: str) -> dict[SectionKind, str]:
    made = parse_judgment(text)
    return {one.kind: one.of(text).strip() for one in made.sections}


def codes(made: Judgment) -> set[str]:
    return {remark.code for remark in made.remarks}


def test_a_whole_judgment_has_five_parts() -> None:
    text = judgment()
    whole = [HEADING, FACTS, REASONING, RESULT, APPENDIX]
    assert parts(text) == dict(zip(SECTIONS, (one.strip() for one in whole), strict=True))
    assert not parse_judgment(text).remarks


def test_parts_follow_one_another_without_gaps() -> None:
    text = judgment()
    sections = parse_judgment(text).sections
    assert sections[0].start == 0
    assert sections[-1].end == len(text)
    assert all(a.end == b.start for a, b in pairwise(sections))


def test_a_text_without_any_blank_has_the_same_parts() -> None:
    text = judgment().replace(" ", "")
    assert list(parts(text)) == list(SECTIONS)
    assert parts(text)["result"] == RESULT.strip()
    assert parts(text)["reasoning"] == REASONING.strip()


def test_tags_entities_and_spaced_words_are_read_through() -> None:
    text = (
        judgment()
        .replace("现已审理终结。", "现已审&nbsp;理&nbsp;终&nbsp;结。</p><p class='x'>")
        .replace("本院认为", "<br/>本 院 认 为")
        .replace("判决如下：", "判 决 如 下：<style>.a{color:red}本院认为</style>")
        .replace("审判长", "<p>审 判 长")
    )
    found = parts(text)
    assert list(found) == list(SECTIONS)
    assert found["reasoning"].startswith("本 院 认 为，")
    assert found["result"].endswith("二千元。")
    made = parse_judgment(text)
    assert made.defendants[0].verdicts[0].months == 6


def test_a_repeated_sentence_stays_where_it_is() -> None:
    """Q1: the official rule deletes every repetition of a part from the rest."""
    text = judgment(RESULT + FACTS)
    assert parts(text)["result"].endswith(FACTS.strip())


def test_the_earliest_end_of_the_result_counts() -> None:
    """Q2: the official list takes 如不服本判决 even where the signatures come first."""
    text = judgment(appendix=" 审判员海明 二〇三一年七月八日 书记员潮生 如不服本判决，可以上诉。")
    assert parts(text)["result"] == RESULT.strip()
    assert parts(text)["appendix"].startswith("审判员海明")


def test_an_answer_to_one_objection_does_not_open_the_reasoning() -> None:
    facts = FACTS + " 关于被告人的辩解，本院认为，该辩解不能成立。"
    text = judgment(facts=facts)
    assert parts(text)["reasoning"] == REASONING.strip()


def test_weighing_evidence_does_not_open_the_reasoning() -> None:
    facts = FACTS + " 本院认为，上述证据经当庭质证，来源合法，予以确认。"
    text = judgment(facts=facts)
    assert parts(text)["reasoning"] == REASONING.strip()


def test_a_quoted_judgment_does_not_open_the_result() -> None:
    facts = FACTS + " 原审法院依照刑法，判决如下：被告人林帆犯盗窃罪，判处有期徒刑九年。"
    text = judgment(facts=facts)
    assert parts(text)["result"] == RESULT.strip()
    assert parse_judgment(text).defendants[0].verdicts[0].months == 6


def test_the_heading_ends_before_the_facts_where_no_hearing_is_closed() -> None:
    heading = HEADING.replace("现已审理终结。", "")
    text = judgment(heading=heading)
    assert parts(text)["heading"] == heading.strip()
    assert parts(text)["facts"].startswith("公诉机关指控")


def test_only_the_first_of_two_judgments_is_read() -> None:
    first, second = judgment(), judgment(" 被告人林帆犯抢劫罪，判处有期徒刑九年。")
    made = parse_judgment(f"{first} {second}")
    assert codes(made) == {"several judgments"}
    assert made.charges == ("盗窃罪",)
    assert made.sections[-1].end <= len(first) + 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {"empty"}),
        (" \n\t", {"empty"}),
        ("<style>a</style>", {"empty"}),
        ("一段与法院无关的话。", {"no heading", "no reasoning", "no result", "no defendant"}),
        (judgment(reasoning=" 判决如下："), {"no reasoning"}),
        (HEADING + FACTS + REASONING.replace("判决如下：", ""), {"no result"}),
        (judgment().replace("判决如下", "裁定如下"), {"ruling"}),
        (
            judgment(heading=HEADING.replace("被告人林帆，男", "上诉人林帆，男")),
            {"second instance"},
        ),
        (judgment(heading=HEADING.replace("刑初7号", "刑再7号")), {"second instance"}),
    ],
)
def test_what_is_missing_has_a_remark(text: str, expected: set[str]) -> None:
    assert codes(parse_judgment(text)) == expected


def test_titles_of_models_stand_for_the_formulas() -> None:
    text = (
        f"**{HEADING}**\n\n{FACTS}\n\n## 裁判理由：\n被告人构成盗窃罪，依照《刑法》第二百六十四条。"
        "\n\n**裁判结果**：\n被告人林帆犯盗窃罪，判处拘役三个月。\n\n**审判员**：海明"
    )
    found = parts(text)
    assert list(found) == list(SECTIONS)
    made = parse_judgment(text)
    assert made.defendants[0].name == "林帆"
    assert (made.statutes[0].article, made.defendants[0].verdicts[0].months) == (264, 3)
