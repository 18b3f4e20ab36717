"""What an article is called beside its number, which is no quotation of it."""

from __future__ import annotations

import pytest

from hengfa.law.grammar.citation import find_citations


def captions(text: str) -> list[str | None]:
    return [c.caption and text[c.caption.start : c.caption.end] for c in find_citations(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("《刑法》第264条 盗窃罪", ["盗窃罪"]),
        ("《刑法》第264条 盗窃罪\n《刑法》第266条 诈骗罪", ["盗窃罪", "诈骗罪"]),
        ("《刑法》第264条：盗窃罪", ["盗窃罪"]),
        ("《刑法》第264条盗窃罪", ["盗窃罪"]),
        ("构成刑法第264条规定的盗窃罪。", ["盗窃罪"]),
        (
            "刑法第二百三十八条（非法拘禁罪）、第二百七十七条第五款（袭警罪）",
            ["非法拘禁罪", "袭警罪"],
        ),
        (
            "刑法第312条【掩饰、隐瞒犯罪所得、犯罪所得收益罪】",
            ["掩饰、隐瞒犯罪所得、犯罪所得收益罪"],
        ),
        (
            "适用条款：刑法第二百三十八条（非法拘禁罪）、刑法第二百七十七条（袭警罪）",
            ["非法拘禁罪", "袭警罪"],
        ),
        ("《刑法》第264条、第266条 盗窃罪、诈骗罪", [None, None]),  # whose is it?
        ("《民法典》第577条 违约责任", ["违约责任"]),
        ("《民法典》第577条：违约责任", ["违约责任"]),
        ("《民法典》§563 法定解除；§577 违约责任。", ["法定解除", "违约责任"]),
        ("《民法典》第577条", [None]),
        ("《民法典》第577条，违约责任", [None]),
    ],
)
def test_captions(text: str, expected: list[str | None]) -> None:
    assert captions(text) == expected
    assert all(c.quoted is None and c.paraphrase is None for c in find_citations(text))


@pytest.mark.parametrize(
    "words",
    [
        "盗窃公私财物，数额较大的，处罚金。",
        "当事人应当履行义务",
        "船只进港应当鸣笛三声。",
        "公司可以设分公司",
        "国家保护海岸和海龟，禁止捕捉。",
    ],
)
def test_words_of_a_provision_are_no_caption(words: str) -> None:
    (found,) = find_citations(f"《甲法》第三条 {words}")
    assert found.quoted is not None
    assert found.caption is None


def test_a_rubric_before_the_words_is_a_caption_and_the_words_are_quoted() -> None:
    text = "《刑法》第二百六十四条 【盗窃罪】盗窃公私财物，数额较大的，处罚金。"
    (found,) = find_citations(text)
    assert captions(text) == ["盗窃罪"]
    assert found.quoted
    assert text[found.quoted.start : found.quoted.end].startswith("盗窃公私财物")


def test_a_rubric_before_a_quotation() -> None:
    (found,) = find_citations("《民法典》第五百七十七条【违约责任】规定：“当事人一方不履行”")
    assert found.quoted
    assert found.quoted.mark == "quotes"


def test_a_list_of_captions_under_the_name_of_the_law() -> None:
    found = find_citations("《刑法》\n第264条 盗窃罪\n第266条 诈骗罪")
    assert [(c.law, c.position.article) for c in found] == [("刑法", 264), ("刑法", 266)]
