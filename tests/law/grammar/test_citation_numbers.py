"""Numbers as people type them: without 第 or 条, with §, broken by lines; and in contracts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.law.grammar.test_citation import dotted, positions

from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.citation_positions import format_position


def laws(text: str) -> list[str | None]:
    return [citation.law for citation in find_citations(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("《甲法》第577条、585条", "577 585"),
        ("《甲法》第577条和585条", "577 585"),
        ("《甲法》第577条至585条", "577~585"),
        ("《甲法》第五百七十七条、五百八十五条", "577 585"),
        ("请看民法典1062条和1063条，1266条也可以看看。", "1062 1063 1266"),
        ("民法典 1062条", "1062"),
        ("《民诉法》67条1款、122条4项，122条5项。", "67.1 122..4 122..5"),
        ("刑法264、刑法266，分别是盗窃和诈骗。", "264 266"),
        ("刑法264、266", "264 266"),
        ("民法典577-580", "577~580"),
        ("民法典 577", "577"),
        ("《刑法》264", "264"),
        ("依民法典577条处理，另见584、585条。", "577 584 585"),
        ("《民法典》§563；§577", "563 577"),
        ("《民法典》§§ 563、577", "563 577"),
    ],
)
def test_numbers_without_their_words(text: str, expected: str) -> None:
    assert positions(text) == expected
    assert len(set(laws(text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        *(
            "公司法2018",
            "《公司法》2023",
            "保险法12号",
            "民法典1周年",
            "计算方法264",
            "《民法典》35",
        ),
        *(
            "证据、585条",
            "参照100条意见",
            "另见15条",
            "五十条建议",
            "刑法3000元",
            "看法12",
            "某某法264",
        ),
    ],
)
def test_numbers_that_are_no_articles(text: str) -> None:
    assert positions(text) == ""


@pytest.mark.parametrize(
    "text", ["民法典第577条，15条证据", "民法典第577条、3条", "民法典第577条和三条规章"]
)
def test_things_that_are_counted_after_an_article(text: str) -> None:
    assert positions(text) == "577"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("《甲法》第四十\n七条及第七 十六 条", "47 76"),
        ("《甲法》第二百\n七十条", "270"),
        ("《甲法》第1\n062条", "1062"),
        ("《甲法》第\n五条", "5"),
        ("《甲法》第五\n条第二\n款", "5.2"),
        ("《甲法》第94条\n第4项", "94..4"),
        ("《甲法》第五条、\n第六条和\n第七条", "5 6 7"),
        ("《甲法》第\t五\t条", "5"),
    ],
)
def test_numbers_that_layout_broke(text: str, expected: str) -> None:
    assert positions(text) == expected
    assert set(laws(text)) == {"甲法"}


def test_two_numbers_with_a_blank_are_not_made_one() -> None:
    assert positions("《甲法》第52 53条") == ""


BLANKS = st.sampled_from(["", " ", "\n", "\u3000"])
WIDE = str.maketrans("0123456789", "０１２３４５６７８９")


@settings(deadline=None)
@given(
    st.builds(Position, st.integers(1, 1260), st.none() | st.integers(1, 9), st.none(), st.none()),
    st.integers(1, 9),
    st.lists(BLANKS, min_size=12, max_size=12),
    st.booleans(),
)
def test_positions_survive_blanks_and_widths(
    article: Position, paragraph: int, blanks: list[str], wide: bool
) -> None:
    """One blank or line break between any two characters of a Chinese number, and around it."""
    position = article._replace(paragraph=paragraph)
    plain = format_position(position)
    number, rest = plain.split("条", 1)
    broken = (
        "".join(letter + blank for letter, blank in zip(number, blanks, strict=False))
        + number[len(blanks) :]
    )
    (found,) = find_citations(f"《甲法》{broken}条{rest}")
    assert found.position == position
    arabic = format_position(position, "arabic")
    (found,) = find_citations(f"《甲法》{arabic.translate(WIDE) if wide else arabic}")
    assert found.position == position


# --- clauses of the contract that a document is ---

CONTRACT = """供货合同
甲方：月湖茶行
乙方：云港船行

第一条 标的
甲方向乙方供应茶叶。

第二条 价款
按第一条计算。

第三条 违反第二条的，依照《民法典》第五百七十七条、第五百八十四条承担责任；第五百八十五条也适用。
违反第一条、第二条的约定，赔偿损失。
"""


def test_clauses_of_the_contract_itself_are_never_law() -> None:
    cited = find_citations(CONTRACT)
    assert " ".join(map(dotted, cited)) == "1 2 1 3 2 577 584 585 1 2"
    assert [c.law for c in cited if c.kind == "law"] == ["民法典"] * 3
    assert all(c.kind == "document" for c in cited if c.position.article in {1, 2, 3})
    assert all(c.within is None for c in cited), "a clause is no provision that is copied out"


def test_provisions_that_are_copied_out_are_no_clauses() -> None:
    text = "甲方：\n附：《云港海岸法》\n第一条 为了海岸，制定本法。\n第二条 不得驾车，违者罚款。\n"
    assert laws(text) == ["云港海岸法", "云港海岸法"]
    assert all(c.quoted for c in find_citations(text))


@pytest.mark.parametrize("after", ["的约定", "之约定", "所约定的价款", "项下的约定", "约定"])
def test_what_is_agreed_is_no_law(after: str) -> None:
    law, clause = find_citations(f"依照《民法典》第五百六十三条处理；第十二条{after}，不变。")
    assert (law.kind, clause.kind, clause.law) == ("law", "document", None)


def test_after_the_title_of_a_contract_a_bare_number_may_be_its_clause() -> None:
    text = "根据《民法典》第509条履行。双方签订《采购合同》，按第十二条付款，第五百八十五条亦适用。"
    assert laws(text) == ["民法典", None, "民法典"]
