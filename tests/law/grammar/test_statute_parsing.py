"""Statutes as a whole: headings, what stands above and below the articles, the form of an act."""

from __future__ import annotations

from collections import Counter

import pytest

from hengfa.law.grammar.statute import Article, Entry, Heading, Paragraph, Statute, entries
from hengfa.law.grammar.statute_lines import is_annex, read_heading, read_lines
from hengfa.law.grammar.statute_parsing import parse_statute

TEA = """# 山海国茶叶法

2001年3月4日山海国议会第一次会议通过

<!-- INFO END -->

## 第一章　总则

**第一条**　为了保护茶园，制定本法。

**第二条**　本法所称茶叶，包括下列各项：

（一）绿茶；

（二）红茶。

花茶适用本法。

## 第二章　茶园

### 第一节　设立

**第三条**　设立茶园，应当登记。

登记不收费。
"""


def parse(text: str) -> Statute:
    """The statute whose lines are divided by " / "."""
    return parse_statute("\n\n".join(text.split(" / ")))


def contents(statute: Statute) -> list[str]:
    return [article.full_text for article in statute.articles]


def reasons(statute: Statute) -> list[tuple[str, str]]:
    return [(unplaced.text, unplaced.reason) for unplaced in statute.unplaced]


def titles(statute: Statute) -> list[list[str]]:
    """The headings above each article."""

    def of(article: Article) -> list[str]:
        return [heading.label + heading.title for heading in article.headings]

    return [of(article) for article in statute.articles]


# The structure


def test_a_statute_has_headings_articles_paragraphs_and_items() -> None:
    statute = parse_statute(TEA)
    assert (statute.title, statute.form) == ("山海国茶叶法", "articles")
    assert statute.header == ("2001年3月4日山海国议会第一次会议通过",)
    assert [h.kind for h in statute.headings] == ["章", "章", "节"]
    first, second, third = statute.articles
    assert first.paragraphs == (Paragraph("为了保护茶园，制定本法。"),)
    lead, last = second.paragraphs
    assert (lead.text, last.text) == ("本法所称茶叶，包括下列各项：", "花茶适用本法。")
    assert [(item.number, item.text) for item in lead.items] == [(1, "绿茶；"), (2, "红茶。")]
    assert third.headings == (
        Heading("章", 2, "茶园", "第二章", 19),
        Heading("节", 1, "设立", "第一节", 21),
    )
    assert (third.line, third.label) == (23, "第三条")


def test_text_is_composed_at_every_level() -> None:
    second = parse_statute(TEA).articles[1]
    lead = second.paragraphs[0]
    assert lead.items[1].full_text == "（二）红茶。"
    assert lead.full_text == "本法所称茶叶，包括下列各项：\n（一）绿茶；\n（二）红茶。"
    assert second.full_text == lead.full_text + "\n花茶适用本法。"


def test_entries_are_the_flat_rows() -> None:
    assert list(entries(parse_statute(TEA))) == [
        Entry(1, 0, None, None, "leaf", "为了保护茶园，制定本法。", False),
        Entry(2, 0, 1, None, "lead", "本法所称茶叶，包括下列各项：", False),
        Entry(2, 0, 1, 1, "leaf", "绿茶；", False),
        Entry(2, 0, 1, 2, "leaf", "红茶。", False),
        Entry(2, 0, 2, None, "leaf", "花茶适用本法。", False),
        Entry(3, 0, 1, None, "leaf", "设立茶园，应当登记。", False),
        Entry(3, 0, 2, None, "leaf", "登记不收费。", False),
    ]


def test_items_of_an_only_paragraph_have_no_paragraph_number() -> None:
    rows = list(entries(parse("第一条 茶有： / （一）绿茶； / （二）红茶。")))
    assert [(row.paragraph, row.item) for row in rows] == [(None, None), (None, 1), (None, 2)]


def test_text_that_the_source_marks_as_deleted_is_kept_and_flagged() -> None:
    statute = parse("第一条 （删去） / 第二条 茶税另定。（2009年8月27日删除） / 茶税从轻。")
    assert [(row.text, row.deleted) for row in entries(statute)] == [
        ("（删去）", True),
        ("茶税另定。（2009年8月27日删除）", True),
        ("茶税从轻。", False),
    ]
    assert not any(row.deleted for row in entries(parse("第一条 删去第一款。")))


# Headings


@pytest.mark.parametrize(
    ("line", "kind", "number", "title"),
    [
        ("## 第一章　总　则", "章", 1, "总则"),
        ("第十二章 附则", "章", 12, "附则"),
        ("**第二节** 登记", "节", 2, "登记"),
        ("###### 第一分编 通则", "分编", 1, "通则"),
        ("第3编", "编", 3, ""),
        ("第二章茶园", "章", 2, "茶园"),
        ("第二章中央茶会", "章", 2, "中央茶会"),
        ("# 一、管辖", "部分", 1, "管辖"),
    ],
)
def test_headings_are_known_with_and_without_marks(
    line: str, kind: str, number: int, title: str
) -> None:
    mark = read_heading(read_lines(line)[0])
    assert mark and (mark.kind, mark.number, mark.title) == (kind, number, title)


@pytest.mark.parametrize(
    "line",
    ["第二章规定的茶园", "第二章、第三章", "第一条 茶", "第二章的茶园登记。", "一、管辖", "总则"],
)
def test_other_lines_are_no_headings_by_themselves(line: str) -> None:
    assert read_heading(read_lines(line)[0]) is None


def test_a_heading_ends_deeper_ones() -> None:
    statute = parse(
        "第一章 甲 / 第一节 乙 / 第一条 甲。 / 第二节 丙 / 第二条 乙。 / 第二章 丁 / 第三条 丙。"
    )
    assert titles(statute) == [["第一章甲", "第一节乙"], ["第一章甲", "第二节丙"], ["第二章丁"]]


def test_a_title_goes_on_below_its_heading() -> None:
    statute = parse("## 第一章 听取茶园和 / 茶会的报告 / 第一条 甲。 / 第二章 / 附则 / 第二条 乙。")
    assert titles(statute) == [["第一章听取茶园和茶会的报告"], ["第二章附则"]]


def test_titles_without_a_mark_stand_between_articles() -> None:
    statute = parse(
        "第一编 总则 / 第一章 茶 / 第一条 甲。 / 茶园的登记 / 第二条 乙。 / 附 则 / 第三条 丙。"
    )
    assert titles(statute) == [["第一编总则", "第一章茶"], ["第一编总则", "茶园的登记"], ["附则"]]
    assert [heading.kind for heading in statute.headings] == ["编", "章", "章", "编"]
    assert titles(parse("茶叶法 / 总则 / 第一条 甲。 / 附则 / 第二条 乙。")) == [["总则"], ["附则"]]


def test_numbered_titles_of_interpretations_are_headings_and_not_items() -> None:
    statute = parse(
        "一、管辖 / 第一条 甲。 / 二、证据 / （一）书证 / 第二条 有： / （一）乙； / （二）丙"
        " / 第三条 丁。"
    )
    evidence = ["二、证据", "（一）书证"]
    assert titles(statute) == [["一、管辖"], evidence, evidence]
    assert len(statute.articles[1].paragraphs[0].items) == 2


def test_prose_between_heading_and_article_is_reported() -> None:
    statute = parse(
        "第一章 甲 / 茶会解释。 / 第一条 甲。 / 第二章 乙 / 也由茶会解释。 / 第二条 乙。"
    )
    assert titles(statute) == [["第一章甲"], ["第二章乙"]]
    assert reasons(statute) == [
        ("茶会解释。", "between heading and article"),
        ("也由茶会解释。", "between heading and article"),
    ]


def test_marked_titles_between_articles_are_headings_without_a_number() -> None:
    statute = parse("第一章 甲 / 第一条 甲。 / ## 茶园 / 第二条 乙。 / 附则 / 第三条 丙。")
    assert titles(statute) == [["第一章甲"], ["茶园"], ["附则"]]
    assert {(heading.kind, heading.number) for heading in statute.headings[1:]} == {("章", None)}


def test_history_and_preamble_may_stand_between_parts() -> None:
    statute = parse(
        "# 茶叶法 / 第二条 乙。 / ## 茶叶法（续） / 2001年3月4日茶会通过 / 第三条 丙。"
        " / ## 序言 / 山海产茶。 / 第一条 甲。"
    )
    assert contents(statute) == ["甲。", "乙。", "丙。"]
    assert (statute.header, statute.preamble) == (("2001年3月4日茶会通过",), ("山海产茶。",))


# Above the first article


@pytest.mark.parametrize("mark", ["目录", "目　　录", "## 目录"])
def test_a_table_of_contents_is_set_apart(mark: str) -> None:
    listed = "第一章 总则 / 第一节 茶 / 第二章 茶园 / 附则"
    statute = parse(f"茶叶法 / {mark} / {listed} / 第一章 总则 / 第一节 茶 / 第一条 甲。")
    assert titles(statute) == [["第一章总则", "第一节茶"]]
    assert [reason for _, reason in reasons(statute)] == ["contents"] * 5


def test_contents_may_be_links() -> None:
    statute = parse(
        "# 茶叶法 / - [第一章 总则](#第一章-总则) / [[toc]] / # 第一章 总则 / 第一条 甲。"
    )
    assert [reason for _, reason in reasons(statute)] == ["contents", "contents"]
    assert titles(statute) == [["第一章总则"]]


def test_a_preamble_stands_outside_the_articles() -> None:
    statute = parse(
        "# 茶叶宪章 / 2001年3月4日茶会通过 / ## 序言 / 山海产茶。 / 茶农爱茶。 / ## 第一章 总纲"
        " / 第一条 甲。"
    )
    assert statute.preamble == ("山海产茶。", "茶农爱茶。")
    assert [heading.title for heading in statute.headings] == ["序言", "总纲"]
    assert titles(statute) == [["第一章总纲"]]


def test_titles_may_be_broken_repeated_or_missing() -> None:
    assert parse("# 茶会关于 / 茶税的决定 / 第一条 甲。").title == "茶会关于茶税的决定"
    repeated = parse("# 山海国茶叶法 / 山海国茶 / 叶法 / 第一条 甲。")
    assert (repeated.title, repeated.header) == ("山海国茶叶法", ("山海国茶", "叶法"))
    assert parse("（2001年3月4日茶会通过） / 第一条 甲。").title == ""


# Below the last article


@pytest.mark.parametrize(
    "mark", ["附件", "附件一：", "附表 茶税表", "附：茶税表", "## 附　茶税表", "附录1"]
)
def test_annexes_are_kept_apart(mark: str) -> None:
    statute = parse(f"第一条 甲。 / {mark} / 绿茶一两。 / 红茶二两。")
    assert [annex.text for annex in statute.annexes] == ["绿茶一两。\n红茶二两。"]
    assert contents(statute) == ["甲。"]


@pytest.mark.parametrize(
    "line", ["附件所列茶园，从严。", "附带的茶具，归公。", "附则", "附近茶园", "附加税的种类如下"]
)
def test_other_lines_open_no_annex(line: str) -> None:
    assert not is_annex(read_lines(line)[0])


def test_each_annex_is_one() -> None:
    statute = parse(
        "第一条 甲。 / ## 附件一 名单 / 张三。 / ## 附件二 图 / ![图](./a.jpg)"
        " / ## 改图的决定 / 改。"
    )
    assert [annex.title for annex in statute.annexes] == ["附件一 名单", "附件二 图", "改图的决定"]
    assert [annex.text for annex in statute.annexes] == ["张三。", "![图](./a.jpg)", "改。"]


def test_articles_of_an_annex_are_not_those_of_the_statute() -> None:
    statute = parse("第一条 甲。 / 第二条 乙。 / 附件：茶会章程 / 第一条 子。 / 第二条 丑。")
    assert contents(statute) == ["甲。", "乙。"]
    assert statute.annexes[0].text == "第一条 子。\n第二条 丑。"


def test_an_annex_that_is_named_between_articles_ends_nothing() -> None:
    assert len(parse("第一条 甲： / 附件一 / 第二条 乙。").articles) == 2


def test_tables_below_the_last_article_are_annexes_even_without_a_mark() -> None:
    statute = parse("第一条 甲。 / 茶税税率表（一） / | 茶 | 税 |\n|---|---|\n| 绿 | 一 |")
    assert contents(statute) == ["甲。"]
    assert statute.annexes[0].text.startswith("茶税税率表（一）\n| 茶 |")
    html = parse("第一条 甲。 / <table>\n<tr><td>绿</td></tr>\n</table>")
    assert (contents(html), len(html.annexes)) == (["甲。"], 1)


def test_marked_titles_below_the_last_article_are_annexes_and_notes_there_are_set_apart() -> None:
    statute = parse("第一条 甲。 / ## 茶税 / <!-- 表 --> / | 茶 | / [责任编辑： 张三] / 乙。")
    assert [(annex.title, annex.text) for annex in statute.annexes] == [
        ("茶税", "<!-- 表 -->\n| 茶 |\n乙。")
    ]
    assert reasons(statute) == [("[责任编辑： 张三]", "note")]
    unnamed = parse("第一条 甲。 / 茶税 / <!-- 表 --> / | 茶 |")
    assert [annex.text for annex in unnamed.annexes] == ["茶税\n<!-- 表 -->\n| 茶 |"]


def test_tables_between_articles_are_reported() -> None:
    statute = parse("第一条 税率如下： / | 茶 | 税 | / 第二条 乙。")
    assert reasons(statute) == [("| 茶 | 税 |", "table")]


def test_signatures_and_history_below_the_text_are_no_paragraphs() -> None:
    statute = parse("茶叶法 / 第一条 甲。 / 茶会会长 张三 / 2001年3月4日 / 2001年3月4日茶会通过")
    assert contents(statute) == ["甲。"]
    assert [reason for _, reason in reasons(statute)] == ["after the last article"] * 2
    assert statute.header == ("2001年3月4日茶会通过",)


# Acts without articles


def test_acts_in_numbered_sections_have_a_body_and_no_articles() -> None:
    statute = parse(
        "# 关于修改茶叶法的决定 / 2001年3月4日茶会通过 / 茶会决定："
        " / 一、第二条修改为：“第二条 茶归公。” / “茶园归公。” / 二、本决定自公布之日起施行。"
        " / 附件 / 茶税表"
    )
    assert (statute.form, statute.articles, statute.preamble) == ("numbered", (), ("茶会决定：",))
    assert (len(statute.body), len(statute.annexes)) == (3, 1)
    assert list(entries(statute)) == []


def test_acts_in_plain_paragraphs_have_a_body() -> None:
    statute = parse("# 关于批准茶税的决议 / 2001年3月4日通过 / 茶会决定：批准茶税。")
    assert (statute.form, statute.body) == ("none", ("茶会决定：批准茶税。",))


@pytest.mark.parametrize("text", ["", "\n \u3000\n", "---\n---\n", "<!-- 空 -->"])
def test_texts_without_text_are_empty_statutes(text: str) -> None:
    statute = parse_statute(text)
    assert (statute.form, statute.title, statute.articles) == ("none", "", ())


# Markup


def test_what_is_only_markup_is_reported() -> None:
    statute = parse_statute(
        "---\nsidebar: auto\n---\n# 茶叶法\n<!-- 一\n二 -->\n[来源](http://a.b/c)\n第一条 甲。\n"
        "***\n::: tip 说明\n<style>\n.a { color: red; }\n</style>\n![图](a.jpg)\n乙。\n"
        "[责任编辑： 张三]\n"
    )
    assert contents(statute) == ["甲。\n乙。"]
    assert Counter(reason for _, reason in reasons(statute)) == {"markup": 11, "note": 2}


def test_notes_of_an_editor_are_set_apart() -> None:
    statute = parse(
        "第一条 茶叶归公。{根据修正案修改} / {原条文：茶叶归私。\n（一）甲；\n（二）乙。}又。"
        " / 第二条 丙。 / ① 茶叶法的施行日期另定。"
    )
    assert contents(statute) == ["茶叶归公。\n又。", "丙。"]
    assert [reason for _, reason in reasons(statute)] == ["note"] * 5


def test_a_brace_that_never_closes_hides_nothing() -> None:
    assert len(parse("第一条 甲。{原条文 / 第二条 乙。 / 第三条 丙。}").articles) == 3
