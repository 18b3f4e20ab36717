"""Citations that name no law, short names, quotations, and provisions copied out."""

from __future__ import annotations

import pytest

from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.citation_model import Citation, Position, resolve_relative


def brief(citation: Citation) -> tuple[str | None, int | None, str]:
    return citation.law, citation.position.article, citation.basis


def briefs(text: str) -> list[tuple[str | None, int | None, str]]:
    return [brief(citation) for citation in find_citations(text)]


def quotes(text: str) -> list[tuple[int | None, str, str]]:
    """Article, kind of mark and words of each quotation."""
    return [
        (c.position.article, c.quoted.mark, text[c.quoted.start : c.quoted.end])
        for c in find_citations(text)
        if c.quoted
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("《灯塔法》第二条，同法第三条", [("灯塔法", 2, "named"), ("灯塔法", 3, "same")]),
        ("《灯塔法》第二条。该法第三条", [("灯塔法", 2, "named"), ("灯塔法", 3, "that")]),
        ("《灯塔法》自五月施行后，该法第三条", [("灯塔法", 3, "that")]),
        ("《灯塔法》第二条；上述法律第三条", [("灯塔法", 2, "named"), ("灯塔法", 3, "above")]),
        (
            "《甲条例》第一条、《乙法》第二条，该条例第三条，该法第四条",
            [
                ("甲条例", 1, "named"),
                ("乙法", 2, "named"),
                ("甲条例", 3, "that"),
                ("乙法", 4, "that"),
            ],
        ),
        (
            "最高人民法院《关于灯塔案件的规定》第一条，《甲法》第二条，上述司法解释第三条",
            [
                ("最高人民法院关于灯塔案件的规定", 1, "named"),
                ("甲法", 2, "named"),
                ("最高人民法院关于灯塔案件的规定", 3, "above"),
            ],
        ),
        ("《甲法》第一条第一款、该条第二款", [("甲法", 1, "named"), ("甲法", 1, "that")]),
        ("该法第三条", [(None, 3, "that")]),
        ("本法第三条", [(None, 3, "this")]),
        ("基本法第三条", [("基本法", 3, "named")]),
        ("合同法第三条", [("合同法", 3, "named")]),
        ("构成本法第三条规定的犯罪", [(None, 3, "this")]),
        ("《甲法》第一条规定，违反本法第三条的", [("甲法", 1, "named"), ("甲法", 3, "this")]),
        ("《甲法》第一条。违反本法第三条的", [("甲法", 1, "named"), (None, 3, "this")]),
        ("《甲法》第一条……而根据第三条", [("甲法", 1, "named"), ("甲法", 3, "context")]),
        ("《甲法》第一条\n而根据第三条", [("甲法", 1, "named"), (None, 3, "none")]),
        (
            "《甲法》第一条规定：“乙。”第二款规定：“丙。”",
            [("甲法", 1, "named"), ("甲法", 1, "context")],
        ),
        ("依照第三条处罚", [(None, 3, "none")]),
    ],
)
def test_the_law_comes_from_the_words_before(
    text: str, expected: list[tuple[str | None, int | None, str]]
) -> None:
    assert briefs(text) == expected


def test_a_law_is_carried_on_only_so_far() -> None:
    text = "《甲法》第一条。" + "无关。" * 300 + "根据第三条"
    assert briefs(text)[-1] == (None, 3, "none")


@pytest.mark.parametrize(
    "definition",
    [
        "《最高人民法院关于灯塔的规定（二）》（以下简称《解释》）第一条。",
        "《最高人民法院关于灯塔的规定（二）》（简称《解释》）。",
        "《最高人民法院关于灯塔的规定（二）》（下称“解释”）。",
        "《最高人民法院关于灯塔的规定（二）》，以下简称“解释”。",
        "《最高人民法院关于灯塔的规定（二）》以下简称解释。",
        "《最高人民法院关于灯塔的规定（二）》（法释〔2014〕9号，以下简称《解释》）。",
        "《最高人民法院关于灯塔的规定（二）》（2014年修正）（以下简称《解释》）。",
    ],
)
@pytest.mark.parametrize(
    "use", ["《解释》第五条", "根据解释第五条", "该解释第五条", "“解释”第五条"]
)
def test_short_names_that_the_text_defines(definition: str, use: str) -> None:
    citation = find_citations(definition + use)[-1]
    assert brief(citation) == ("最高人民法院关于灯塔的规定（二）", 5, "defined")


def test_a_short_name_for_a_contract_or_a_company_is_no_law() -> None:
    text = "《灯塔租赁合同》（以下简称《合同》）由海棠公司（以下简称乙方）签订。《合同》第三条"
    (citation,) = find_citations(text)
    assert (citation.law, citation.kind, citation.basis) == (None, "document", "defined")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("《甲法》第三条规定：“船舶应当登记。”", [(3, "quotes", "船舶应当登记。")]),
        ('《甲法》第三条规定："船舶应当登记。"', [(3, "quotes", "船舶应当登记。")]),
        ("《甲法》第三条：“船舶应当登记。”", [(3, "quotes", "船舶应当登记。")]),
        ("《甲法》第三条“船舶应当登记”的规定", [(3, "quotes", "船舶应当登记")]),
        ("《甲法》第三条规定，“船舶应当登记。”", [(3, "quotes", "船舶应当登记。")]),
        ("《甲法》第三条进一步明确规定：‘登记。’", [(3, "quotes", "登记。")]),
        ("《甲法》第三条规定：「登记。」", [(3, "quotes", "登记。")]),
        ("《甲法》第三条规定：“称‘船舶’者，须登记。”", [(3, "quotes", "称‘船舶’者，须登记。")]),
        ("《甲法》第三条规定：“甲。\n“乙。”", [(3, "quotes", "甲。\n“乙。")]),
        ("《甲法》第三条规定的“数额较大”", [(3, "phrase", "数额较大")]),
        ("《甲法》第三条中的“数额较大”", [(3, "phrase", "数额较大")]),
        ("《甲法》第三条规定：船舶应当登记。后文。", [(3, "colon", "船舶应当登记。")]),
        (
            "《甲法》第三条规定：有下列情形的：\n（一）甲；\n（二）乙。\n后文。",
            [(3, "colon", "有下列情形的：\n（一）甲；\n（二）乙。")],
        ),
        ("《甲法》第三、四条规定：“登记。”", [(3, "quotes", "登记。"), (4, "quotes", "登记。")]),
        ("《甲法》第三条规定，船舶应当登记。", []),
        ("《甲法》第三条规定船舶应当登记。", []),
        ("《甲法》第三条：关于登记的规定。", []),
        ('他说"根据《甲法》第三条"就走了', []),
        ("《甲法》第三条规定：“没有结束", []),
        ("将《甲法》第三条修改为：“登记。”", []),
    ],
)
def test_quotations(text: str, expected: list[tuple[int, str, str]]) -> None:
    assert quotes(text) == expected


def test_inside_a_quotation_its_own_law_is_meant() -> None:
    text = "《甲法》第三条规定：“依照乙法第四条和本法第五条，前款、第六条除外。”第七条规定"
    found = find_citations(text)
    assert [(c.law, c.position.article, c.within) for c in found] == [
        ("甲法", 3, None),
        ("乙法", 4, 0),
        ("甲法", 5, 0),
        ("甲法", None, 0),
        ("甲法", 6, 0),
        ("甲法", 7, None),
    ]
    resolved = resolve_relative(found[3], Position(3, None, 2))
    assert resolved is not None
    assert resolved.position == Position(3, None, 1)


def test_a_provision_told_in_prose_does_not_lend_its_laws_to_the_next() -> None:
    text = "《甲解释》第一条规定，符合乙法第九条规定的，应予受理；第二条规定，应予驳回。"
    assert briefs(text)[-1] == ("甲解释", 2, "context")


RULE = "灯塔看守人应当每日日落前点灯，日出后熄灯。"


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        (f"《灯塔法》第三条事关航行。该条规定：“{RULE}”", "quotes"),
        (f"依照《灯塔法》第三条第一款办理。\n同款明确：“{RULE}”", "quotes"),
        (f"《灯塔法》第三条。上述条款的原文为“{RULE}”", "quotes"),
        (f"《灯塔法》第三条第一款。该条第二款规定：“{RULE}”", "quotes"),
        (f"正如《灯塔法》第三条所言，“{RULE}”", "quotes"),
        (f"正如《灯塔法》第三条所规定的那样：“{RULE}”", "quotes"),
        (f"《灯塔法》第三条规定，原文为：“{RULE}”", "quotes"),
        (f"“{RULE}”（《灯塔法》第三条）", "quotes"),
        (f"“{RULE}”（参见我国《灯塔法》第三条）。", "quotes"),
        (f'"{RULE}"（《灯塔法》第三条）', "quotes"),
        (f"“{RULE}”——《灯塔法》第三条", "quotes"),
        (f"“{RULE}”\n——《灯塔法》第三条\n", "quotes"),
        (f"“{RULE}”这是《灯塔法》第三条的原文。", "phrase"),
        (f"> {RULE}\n>\n> ——《灯塔法》第三条", "phrase"),
    ],
)
def test_words_before_the_citation_and_after_what_points_back_at_it(text: str, mark: str) -> None:
    (found,) = quotes(text)
    assert found[:2] == (3, mark)
    assert found[2].lstrip("> ") == RULE


@pytest.mark.parametrize(
    "text",
    [
        "所谓“霸王条款”（《灯塔法》第三条）",  # too short for a provision
        f"“{RULE}”他说。《灯塔法》第三条没有这样的话。",
        f"看守人辩称：“{RULE}”（《灯塔法》第三条）",
        f"“{RULE}”违反了《灯塔法》第三条。",
        "《灯塔法》第三条。该规定“过于严苛，看守人应当有休息的权利”。",
        "《灯塔法》第三条不适用。《塔灯法》规定，该条款规定的“灯”另有含义。",
    ],
)
def test_words_that_no_citation_claims(text: str) -> None:
    assert quotes(text) == []


def test_each_paragraph_of_a_block_has_its_own_citation() -> None:
    block = f"> {RULE}\n> ——《灯塔法》第三条\n> {RULE}\n> {RULE}\n> ——《灯塔法》第四条"
    (third, _, words), (fourth, _, more) = quotes(block)
    assert (third, words, fourth) == (3, f"> {RULE}", 4)
    assert more == f"> {RULE}\n> {RULE}"


def test_words_are_quoted_once() -> None:
    text = f"《灯塔法》第三条规定：“{RULE}”（《塔灯法》第四条）"
    assert [article for article, _, _ in quotes(text)] == [3]


def test_what_stands_in_words_before_their_citation_the_law_itself_cites() -> None:
    text = "“违反本法第五条规定不点灯的，处五日以下拘留。”（《灯塔法》第九条）"
    inner, outer = find_citations(text)
    assert (inner.within, inner.paraphrase, outer.within) == (1, None, None)


COPIED = (
    "书记员赵某 附：相关法律条文 《中华人民共和国灯塔法》 第二十五条点灯是指二人以上点灯。 "
    "不点灯的，依照海棠法第九条处罚。 第六十七条［熄灯］熄灯以后自动点灯的，是复燃。 "
    "第六十八条第一款…… 点灯的，从轻处罚。 第三款有前款情形的除外。 "
    "最高人民法院《关于灯塔的解释》 第一条灯塔，是指灯和塔。 审判员钱某"
)


def test_provisions_copied_out_after_a_judgment() -> None:
    found = find_citations(COPIED)
    heads = [c for c in found if c.quoted]
    assert [(c.law, c.position.article, c.position.paragraph) for c in heads] == [
        ("中华人民共和国灯塔法", 25, None),
        ("中华人民共和国灯塔法", 67, None),
        ("中华人民共和国灯塔法", 68, 1),
        ("中华人民共和国灯塔法", 68, 3),
        ("最高人民法院关于灯塔的解释", 1, None),
    ]
    assert [mark for _, mark, _ in quotes(COPIED)] == ["heading"] * len(heads)
    assert quotes(COPIED)[1][2] == "熄灯以后自动点灯的，是复燃。"
    assert quotes(COPIED)[-1][2] == "灯塔，是指灯和塔。"


def test_provisions_copied_out_line_by_line() -> None:
    text = (
        "答：相关规定如下。\n《灯塔法》\n**第三条** 点灯应当登记：\n（一）甲；\n（二）乙。\n"
        "第四条　熄灯应当报告。\n因此，第五条不适用。\n"
    )
    assert quotes(text) == [
        (3, "heading", "点灯应当登记：\n（一）甲；\n（二）乙。"),
        (4, "heading", "熄灯应当报告。"),
    ]
    assert [c.law for c in find_citations(text)][:2] == ["灯塔法", "灯塔法"]


@pytest.mark.parametrize(
    "text",
    [
        "《灯塔法》第三条是关于点灯的规定。",
        "《灯塔法》第三条、第四条",
        "依照《灯塔法》第三条处罚。",
        "《灯塔法》第三条的立法目的在于点灯。",
        "以及《灯塔法》第三条关于点灯的规定",
    ],
)
def test_prose_is_not_taken_for_a_copied_provision(text: str) -> None:
    assert quotes(text) == []


def test_a_statute_of_its_own_names_no_law() -> None:
    text = "第一条 为了点灯，制定本法。\n第二条 依照本法第一条和海棠法第九条办理。\n前款除外。"
    assert briefs(text) == [
        (None, 1, "none"),
        (None, 2, "none"),
        (None, 1, "this"),
        ("海棠法", 9, "named"),
        (None, None, "relative"),
    ]
    assert [c.within for c in find_citations(text)] == [None, None, 1, 1, None]


@pytest.mark.parametrize(
    ("text", "laws"),
    [
        ("一、《公司法》第五十四条规定出资。\n二、第二十三条规定独立地位。", ["公司法", "公司法"]),
        ("（一）民法典第577条。\n\n（二）第584条规定赔偿。", ["民法典", "民法典"]),
        ("| 《民法典》第577条 | 违约 |\n| 第584条 | 赔偿 |", ["民法典", "民法典"]),
        (
            "一、《公司法》第五十四条；《民法典》概述。\n二、第二十三条规定独立地位。",
            ["公司法", "民法典"],
        ),
        ("《公司法》第五十四条规定出资。\n第二十三条规定独立地位。", ["公司法", None]),
        ("一、《公司法》第五十四条规定出资。\n2. 第二十三条规定独立地位。", ["公司法", None]),
        ("一、依照《民法典》第五百七十七条。\n二、第三条约定的租金应当支付。", ["民法典", None]),
    ],
)
def test_a_law_is_carried_to_the_next_item_of_a_list(text: str, laws: list[str | None]) -> None:
    assert [citation.law for citation in find_citations(text)] == laws


@pytest.mark.parametrize(
    ("text", "articles"),
    [
        ("《民法典》1091条可以赔偿。另外1077条规定冷静期是三十日。", [1091, 1077]),
        ("民法典1091条说可以赔偿，1079条是离婚条件。", [1091, 1079]),
        ("民法典1091条说可以赔偿，还有3条是理由，我家有1000条鱼。", [1091]),
        ("查获香烟共15个品种合计3800条，经鉴定为真品。", []),
        ("民法典1091条说可以赔偿。\n1079条是离婚条件。", [1091]),  # a line further on nobody knows
    ],
)
def test_a_number_that_is_spoken_of_is_an_article_of_the_law_before(
    text: str, articles: list[int]
) -> None:
    found = find_citations(text)
    assert [citation.position.article for citation in found] == articles
    assert {citation.law for citation in found} <= {"民法典"}


def test_words_after_a_colon_end_before_the_next_item_that_is_about_another_article() -> None:
    text = "（一）《公司法》第二十一条：股东不得滥用权利；\n（二）第二十二条：不得利用关联关系。"
    first, second = find_citations(text)
    assert first.quoted
    assert text[first.quoted.start : first.quoted.end].strip() == "股东不得滥用权利；"
    assert second.position.article == 22
    copied = "《公司法》第二十一条：下列行为无效：\n（一）滥用权利的；\n（二）利用关联关系的。"
    [whole] = find_citations(copied)
    assert whole.quoted
    assert copied[whole.quoted.start : whole.quoted.end].endswith("（二）利用关联关系的。")
