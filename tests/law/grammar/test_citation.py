"""Citations in running text: every form of position, of list and of name, one example at least."""

from __future__ import annotations

import pytest

from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.citation_model import (
    LONGEST_RANGE,
    Citation,
    Position,
    Relative,
    resolve_relative,
)
from hengfa.law.grammar.citation_positions import format_citation, format_position, parse_position

HERE = Position(12, None, 3)


def dotted(citation: Citation) -> str:
    """A citation in short: 52, 133-1.1.2, 10~12; relative ones with a ^ for each step back."""
    written = "^" * citation.relative.back if citation.relative else ""
    if citation.relative and not citation.relative.back:
        written = "="
    if any(citation.position):
        written += format_position(citation.position, "dotted")
    if citation.until:
        written += "~" + format_position(citation.until, "dotted")
    return written


def positions(text: str) -> str:
    return " ".join(map(dotted, find_citations(text)))


def laws(text: str) -> list[str | None]:
    return [citation.law for citation in find_citations(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("《甲法》第五条", "5"),
        ("《甲法》第五条第二款", "5.2"),
        ("《甲法》第五条第二款第三项", "5.2.3"),
        ("《甲法》第五条第（三）项", "5..3"),
        ("《甲法》第五条第(三)项", "5..3"),
        ("《甲法》第5条第2款第3项", "5.2.3"),
        ("《甲法》第 5 条第 2 款", "5.2"),
        ("《甲法》第１２条第３款", "12.3"),
        ("《甲法》第一百二十条之一第二款第（三）项", "120-1.2.3"),
        ("《甲法》第133条之一", "133-1"),
        ("《甲法》第一百三十三条之一第一款第(二)项", "133-1.1.2"),
        ("《甲法》第133-1条", "133-1"),
        ("《甲法》第一百二十之一条", "120-1"),
        ("《甲法》第一千二百六十条", "1260"),
        ("《甲法》第1,260条", "1260"),
        ("《甲法》第一〇三条", "103"),
        ("《甲法》第二百零五條第二款第三項", "205.2.3"),
        ("《甲法》笫五十四条", "54"),
        ("《甲法》第廿五条", "25"),
        ("《甲法》第三条之一般规定", "3"),
        # slips of the pen in real judgments
        ("《甲法》三百零七条之一", "307-1"),
        ("甲法264条", "264"),
        ("《甲法》第七十二条二款", "72.2"),
        ("《甲法》第六十七第三款", "67.3"),
        ("《甲法》第七十三条第二条款", "73.2"),
        ("《甲法》第五十二条、第五十三之规定", "52 53"),
        ("《甲法》第二百二十四条第一款（一）项", "224.1.1"),
        ("《甲法》第五条（三）、（四）项", "5..3 5..4"),
    ],
)
def test_positions(text: str, expected: str) -> None:
    assert positions(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("《甲法》第52、53条", "52 53"),
        ("《甲法》第52，53条", "52 53"),
        ("《甲法》第五十二条、第五十三条第一款", "52 53.1"),
        ("《甲法》第五十二条，第五十三条", "52 53"),
        ("《甲法》第五十二条和第五十三条", "52 53"),
        ("《甲法》第五十二条及第五十三条", "52 53"),
        ("《甲法》第五十二条以及第五十三条", "52 53"),
        ("《甲法》第五十二条与第五十三条", "52 53"),
        ("《甲法》第五十二条；第五十三条", "52 53"),
        ("《甲法》第五十二条或者第五十三条", "52 53"),
        ("《甲法》第五十二条的规定和第五十三条", "52 53"),
        ("《甲法》第5条(行为)、第6条(结果)和第7条", "5 6 7"),
        ("《甲法》第七十二条第一、三款", "72.1 72.3"),
        ("《甲法》第七十二条第一款及第三款", "72.1 72.3"),
        ("《甲法》第七十三条第一款第三款", "73.1 73.3"),
        ("《甲法》第八条第二、第三款", "8.2 8.3"),
        ("《甲法》第二条第一款第四项、第二款第一项", "2.1.4 2.2.1"),
        ("《甲法》第一款、第二款第三项", ".1 .2.3"),
        ("《甲法》第十条至第十二条", "10~12"),
        ("《甲法》第10-12条", "10~12"),
        ("《甲法》第十至十二条", "10~12"),
        ("《甲法》第十至第十二条", "10~12"),
        ("《甲法》第十条第（一）至（三）项", "10..1~10..3"),
        ("《甲法》第十条第一款第一项至第六项、第七项", "10.1.1~10.1.6 10.1.7"),
        ("《甲法》第十条第二款至第十二条第一款", "10.2~12.1"),
        ("《甲法》第十条第（一）（二）项", "10..1 10..2"),
        ("《甲法》第一百二十条之一、之二", "120-1 120-2"),
        ("《甲法》第十条前三项", "10..1~10..3"),
        ("《甲法》第十条规定的第（二）项", "10..2"),
    ],
)
def test_lists_and_ranges(text: str, expected: str) -> None:
    assert positions(text) == expected
    assert {citation.law for citation in find_citations(text)} == {"甲法"}


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("《中华人民共和国刑法》第二百六十四条", "中华人民共和国刑法"),
        ("依照刑法第264条处罚", "刑法"),
        ("依照中华人民共和国刑法第264条处罚", "中华人民共和国刑法"),
        ("根据民诉法第六十四条", "民诉法"),
        ("属于劳动合同法第三条规定的情形", "劳动合同法"),
        ("违反合同法第五十二条", "合同法"),
        ("适用涉外民事关系法律适用法第四条", "涉外民事关系法律适用法"),
        ("债权人依照海棠省灯塔管理条例第四条", "海棠省灯塔管理条例"),
        ("该公司还应当遵守灯塔注册与备案管理办法第四条", "灯塔注册与备案管理办法"),
        ("民法典和灯塔保护法第四条", "灯塔保护法"),
        ("刑法修正案（十一）第二条", "刑法修正案（十一）"),
        ("德国民法典第八百二十三条", "德国民法典"),
        ("依据“九民纪要”第六条", "九民纪要"),
        ("根据PIPL第13条", "PIPL"),
        (
            "根据最高人民法院关于审理灯塔案件适用法律若干问题的解释第三条",
            "最高人民法院关于审理灯塔案件适用法律若干问题的解释",
        ),
        (
            "最高人民法院、最高人民检察院《关于办理灯塔案件的解释》第三条",
            "最高人民法院、最高人民检察院关于办理灯塔案件的解释",
        ),
        (
            "最高人民法院关于适用《中华人民共和国灯塔法》的解释（二）第三条",
            "最高人民法院关于适用《中华人民共和国灯塔法》的解释（二）",
        ),
        (
            "《最高人民法院关于适用〈中华人民共和国灯塔法〉的解释》第三条",
            "最高人民法院关于适用〈中华人民共和国灯塔法〉的解释",
        ),
        (
            "《最高人民法院关于适用《中华人民共和国灯塔法》的解释》第三条",
            "最高人民法院关于适用《中华人民共和国灯塔法》的解释",
        ),
        ("《关于审理灯塔案件若干问题》的规定第七条", "《关于审理灯塔案件若干问题》的规定"),
        ("《灯塔法》的第三条", "灯塔法"),
        ("灯塔法中的第三条", "灯塔法"),
        ("《灯塔法》第十一章第一百零六条", "灯塔法"),
        ("刑法分则第九章第三百九十八条", "刑法"),
        ("民法典合同编第五百条", "民法典"),
        ("《灯塔法》</span>第三条", "灯塔法"),
        ("中华人民共和国刑法》第三条", "中华人民共和国刑法"),
        ("《灯塔法第二十条》规定", "灯塔法"),
        ("国际救助公约第十二条", "国际救助公约"),
    ],
)
def test_the_law_is_named(text: str, law: str) -> None:
    (citation,) = find_citations(text)
    assert citation.law == law
    assert (citation.basis, citation.kind) == ("named", "law")
    assert citation.name is not None
    assert text[slice(*citation.name)].replace("《", "")[:2] == law.replace("《", "")[:2]


def test_a_collection_of_laws_tells_where_a_name_begins() -> None:
    text = "程序法灯塔裁决法第四条"
    assert laws(text) == ["程序法灯塔裁决法"]
    found = find_citations(text, known_names=lambda name: name == "灯塔裁决法")
    assert [citation.law for citation in found] == ["灯塔裁决法"]


def test_several_laws_in_one_sentence() -> None:
    text = (
        "依照《刑法》第二百六十四条、第六十七条第三款，《刑事诉讼法》第十五条及"
        "最高人民法院《关于办理灯塔案件的解释》第一条、第二条之规定"
    )
    found = find_citations(text)
    assert [(c.law, dotted(c), c.basis) for c in found] == [
        ("刑法", "264", "named"),
        ("刑法", "67.3", "carried"),
        ("刑事诉讼法", "15", "named"),
        ("最高人民法院关于办理灯塔案件的解释", "1", "named"),
        ("最高人民法院关于办理灯塔案件的解释", "2", "carried"),
    ]
    assert text[found[1].start : found[1].end] == "第六十七条第三款"


@pytest.mark.parametrize(
    "text",
    [
        "第一条理由是程序违法",
        "住在第二条街",
        "沿第二条机动车道行驶",
        "第三人李四，第一被告王五",
        "撤销该判决第一项、第二项",
        "（2017）沪0120刑初684号",
        "合同第2.4条",
        "《全国人大常委会关于〈民法〉第九十九条第一款的解释》",
        "第一百五条",
        "第十条件",
        "提前款项已经付清，基本条件具备，依照本条例执行",
        "第三款车型",
        "第一，第二审程序",
        "第零条、第0条",
        "",
    ],
)
def test_what_is_no_citation(text: str) -> None:
    assert find_citations(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "合同第三条约定租金",
        "《灯塔租赁合同》第九条",
        "公司章程第十四条规定",
        "该协议第七条",
        "本合同第二条",
        "其中第七条约定违约金",
        "第八条“违约责任”约定：甲方",
        "灯塔保险条款第8条",
        "行政处罚决定书第二条",
    ],
)
def test_clauses_of_papers_have_no_law(text: str) -> None:
    (citation,) = find_citations(text)
    assert (citation.law, citation.kind) == (None, "document")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("《灯塔法》（2012年修正）第三条", (2012, None, None, "修正")),
        ("《灯塔法》(2018修正)第三条", (2018, None, None, "修正")),
        ("《灯塔法》（2014年4月24日修订）第三条", (2014, 4, 24, "修订")),
        ("《灯塔法》（2018年）第三条", (2018, None, None, None)),
        ("《〈灯塔法〉(2020修正)》第三条", (2020, None, None, "修正")),
        ("《灯塔法（2020修订）》第三条", (2020, None, None, "修订")),
        ("2017年《灯塔法》第三条", (2017, None, None, None)),
        ("1997年刑法第三条", (1997, None, None, None)),
        ("2001年修正的商标法第三条", (2001, None, None, "修正")),
        ("宪法修正案1988年第一条", (1988, None, None, None)),
        ("《灯塔规定》（法释〔2015〕24号）第三条", (2015, None, None, "文号")),
        ("《灯塔法》（１９８９年４月４日通过）第三条", (1989, 4, 4, "通过")),
        ("修订后的灯塔法第三条", (None, None, None, "修订后的")),
        ("原《灯塔法》第三条", (None, None, None, "原")),
    ],
)
def test_hints_at_the_version(
    text: str, version: tuple[int | None, int | None, int | None, str | None]
) -> None:
    (citation,) = find_citations(text)
    assert citation.version is not None
    assert citation.version[1:] == version
    assert citation.version.text in text
    assert "年" not in (citation.law or "").replace("（2020修订）", "")


def test_a_remark_that_names_the_number_of_another_version() -> None:
    found = find_citations("《灯塔法》第二十三条（原第二十一条）、第三十条（现为第三十二条）")
    assert [(dotted(c), c.law, c.version and c.version.event) for c in found] == [
        ("23", "灯塔法", None),
        ("21", "灯塔法", "原"),
        ("30", "灯塔法", None),
        ("32", "灯塔法", "现"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("前款规定的期限", "12.2"),
        ("前两款规定", "12.1~12.2"),
        ("前三款规定", None),
        ("前条规定", "11"),
        ("前条第二款", "11.2"),
        ("前两条的规定", "10~11"),
        ("本条第二款、第四款", "12.2 12.4"),
        ("本条规定", "12"),
        ("本款规定", "12.3"),
        ("前款第（一）项", "12.2.1"),
        ("前款第一项至第三项", "12.2.1~12.2.3"),
        ("本条前两款", "12.1~12.2"),
        ("违反第一款规定", "12.1"),
        ("前两款第一项", None),
        ("构成本条规定的犯罪", "12"),
        ("依照本法第三条", "3"),
        ("依照第三条", "3"),
    ],
)
def test_relative_references_are_read_where_they_stand(text: str, expected: str | None) -> None:
    resolved = [resolve_relative(citation, HERE) for citation in find_citations(text)]
    if expected is None:
        assert resolved == [None]
    else:
        assert " ".join(dotted(c) for c in resolved if c).translate({94: "", 61: ""}) == expected


def test_the_article_before_a_sub_article() -> None:
    (citation,) = find_citations("前条规定")
    for here, before in [
        (Position(120, 2), Position(120, 1)),
        (Position(120, 1), Position(120)),
        (Position(121), Position(120)),
    ]:
        resolved = resolve_relative(citation, here)
        assert resolved is not None
        assert resolved.position == before
    assert resolve_relative(citation, Position(1)) is None
    assert resolve_relative(citation, Position()) is None
    (this,) = find_citations("本条第二款")
    assert this.relative == Relative("article", 0)
    resolved = resolve_relative(this, Position(120, 1))
    assert resolved is not None
    assert resolved.position == Position(120, 1, 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("《甲法》第十条", "10"),
        ("《甲法》第十条至第十二条", "10 11 12"),
        ("《甲法》第一百二十条之一至第一百二十条之三", "120-1 120-2 120-3"),
        ("《甲法》第一百二十条至第一百二十条之二", "120 120-1 120-2"),
        ("《甲法》第十条第一款至第三款", "10.1 10.2 10.3"),
        ("《甲法》第十条第二款第一项至第三项", "10.2.1 10.2.2 10.2.3"),
        ("《甲法》第十条第（一）至（三）项", "10..1 10..2 10..3"),
        ("《甲法》第十条第二款至第十二条第一款", "10.2 11 12.1"),
        ("《甲法》第十二条至第十条", "12 10"),
        ("《甲法》第十条至第十条", "10"),
    ],
)
def test_ranges_expand(text: str, expected: str) -> None:
    (citation,) = find_citations(text)
    assert " ".join(format_position(p, "dotted") for p in citation.expand()) == expected


def test_of_an_endless_range_the_first_positions_are_told() -> None:
    (citation,) = find_citations("《刑法》第一条至第九千条")
    assert len(citation.expand()) == LONGEST_RANGE
    assert citation.expand(2) == (Position(1), Position(2))


def test_a_citation_deep_inside_quotations_quotes_nothing() -> None:
    citations = find_citations("《刑法》第三条规定：" * 9 + "法律明文规定。")
    assert [citation.quoted is not None for citation in citations] == [True] * 4 + [False] * 5


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("27.2.1", Position(27, None, 2, 1)),
        ("133-1.2", Position(133, 1, 2)),
        ("27..1", Position(27, None, None, 1)),
        ("27", Position(27)),
        (".2.1", Position(None, None, 2, 1)),
        ("２７．２", Position(27, None, 2)),
        ("第二十七条第二款第一项", Position(27, None, 2, 1)),
        ("第27条第2款第（1）项", Position(27, None, 2, 1)),
        ("第二款", Position(None, None, 2)),
        ("一百三十三之一", Position(133, 1)),
        (" 第133条之一 ", Position(133, 1)),
        ("", None),
        (".", None),
        ("0", None),
        ("27.0", None),
        ("-1", None),
        ("27.2.1.3", None),
        ("第二十七条、第二十八条", None),
        ("第二十七条至第二十八条", None),
        ("《甲法》第二十七条", None),
        ("前款", None),
        ("该条第二款", None),
        ("第二十七条规定", None),
    ],
)
def test_one_position_is_read(text: str, position: Position | None) -> None:
    assert parse_position(text) == position


def test_citations_are_written_in_three_styles() -> None:
    position = Position(120, 1, 2, 3)
    assert format_citation("刑法", position) == "《刑法》第一百二十条之一第二款第（三）项"
    assert format_citation("《刑法》", position, "arabic") == "《刑法》第120条之一第2款第3项"
    assert format_citation("刑法", position, "dotted") == "刑法 120-1.2.3"
    assert format_position(Position(27, None, None, 1), "dotted") == "27..1"
    assert (
        format_citation("关于适用《刑法》的解释", Position(1)) == "《关于适用〈刑法〉的解释》第一条"
    )


@pytest.mark.parametrize("position", [Position(), Position(0), Position(10_000), Position(3, -1)])
def test_what_is_no_position_cannot_be_written(position: Position) -> None:
    with pytest.raises(ValueError, match="position"):
        format_citation("刑法", position)


def test_a_sub_article_needs_its_article() -> None:
    with pytest.raises(ValueError, match="needs an article"):
        format_citation("刑法", Position(None, 1, 1))
