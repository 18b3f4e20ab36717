"""The articles of a statute: which lines open one, and how each divides into paragraphs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.law.grammar.numerals import format_article
from hengfa.law.grammar.statute import Paragraph, Statute
from hengfa.law.grammar.statute_lines import read_item
from hengfa.law.grammar.statute_parsing import parse_statute


def parse(text: str) -> Statute:
    """The statute whose lines are divided by " / "."""
    return parse_statute("\n\n".join(text.split(" / ")))


def contents(text: str) -> dict[str, str]:
    """What each article says."""
    return {article.name: article.full_text for article in parse(text).articles}


def paragraphs(text: str) -> tuple[Paragraph, ...]:
    """The paragraphs of the first article."""
    return parse(text).articles[0].paragraphs


def texts(text: str) -> list[str]:
    return [paragraph.full_text for paragraph in paragraphs(text)]


def unplaced(text: str) -> list[tuple[str, str]]:
    return sorted((line.text, line.reason) for line in parse(text).unplaced)


# The numbers of articles


@pytest.mark.parametrize(
    ("label", "number", "sub"),
    [
        ("第一条", 1, 0),
        ("笫五十四条", 54, 0),
        ("第一百〇五条", 105, 0),
        ("第一百零五条", 105, 0),
        ("第１２条", 12, 0),
        ("第 12 条", 12, 0),
        ("第一百二十八 条", 128, 0),
        ("第一千二百六十条", 1260, 0),
        ("第一百二十条之一", 120, 1),
        ("第一百二十条之十二", 120, 12),
    ],
)
def test_article_numbers_are_read_in_every_spelling(label: str, number: int, sub: int) -> None:
    (article,) = parse(f"{label} 茶叶归公。").articles
    assert (article.number, article.sub, article.label) == (number, sub, label.replace(" ", ""))


def test_a_number_needs_no_blank_after_it_where_the_sequence_goes_on() -> None:
    found = contents(
        "第一条茶叶归公。 / 第二条茶园归公。 / 第二条之一茶具归私。 / 第三条茶山归公。"
    )
    assert list(found) == ["第一条", "第二条", "第二条之一", "第三条"]


@pytest.mark.parametrize(
    "line",
    [
        "第九条规定的茶园，不在此限。",
        "第三条规定的茶园，不在此限。",
        "第三条第二款的茶园，不在此限。",
        "第三条、第四条的茶园，不在此限。",
        "第九条所列茶园，不在此限。",
        "第九条 规定的茶园，不在此限。",
        "第八条茶园，不在此限。",
    ],
)
def test_a_citation_at_the_start_of_a_line_is_a_paragraph(line: str) -> None:
    found = contents(f"第一条 甲。 / 第二条 乙。 / {line} / 第三条 丙。 / 第四条 丁。")
    assert list(found) == ["第一条", "第二条", "第三条", "第四条"]
    assert found["第二条"].startswith("乙。\n")


def test_an_article_may_begin_like_a_citation_if_its_place_is_empty() -> None:
    found = contents("第一条 甲。 / 第二条 规定茶园大小的办法，由县定。 / 第三条 丙。")
    assert found["第二条"] == "规定茶园大小的办法，由县定。"


def test_a_number_stands_alone_on_its_line() -> None:
    found = contents("第一条 / 茶叶归公。 / 第二条 / 乙。")
    assert found == {"第一条": "茶叶归公。", "第二条": "乙。"}


def test_missing_articles_leave_a_gap() -> None:
    assert list(contents("第二条 甲。 / 第三条 乙。 / 第七条 丙。")) == [
        "第二条",
        "第三条",
        "第七条",
    ]


def test_a_repeated_article_is_reported_and_not_merged() -> None:
    text = "第一条 甲。 / 第二条 乙。 / 第二条 再乙。 / 再乙二款。 / 第三条 丙。"
    assert list(contents(text).values()) == ["甲。", "乙。", "丙。"]
    assert unplaced(text) == [
        ("再乙二款。", "repeated article"),
        ("第二条 再乙。", "repeated article"),
    ]


def test_a_wrong_number_is_reported_and_not_guessed() -> None:
    text = "第一条 甲。 / 第二条 乙。 / 第三百条 丙。 / 第四条 丁。"
    assert list(contents(text)) == ["第一条", "第二条", "第四条"]
    assert unplaced(text) == [("第三百条 丙。", "article out of sequence")]


@pytest.mark.parametrize(
    "text",
    [
        "附则 / 第三条 丙。 / 第四条 丁。 / 第一条 甲。 / 第二条 乙。",
        "第四条 丁。 / 第一条 甲。 / 第二条 乙。 / 第三条 丙。",
        "第一条 甲。 / 第三条 丙。 / 第二条 乙。 / 第四条 丁。",
    ],
)
def test_parts_of_a_code_may_stand_in_any_order(text: str) -> None:
    assert list(contents(text).values()) == ["甲。", "乙。", "丙。", "丁。"]
    assert unplaced(text) == []


def test_of_two_statutes_in_one_text_the_longer_is_read_and_the_other_reported() -> None:
    text = "第一条 子。 / 第二条 丑。 / 第一条 甲。 / 第二条 乙。 / 第三条 丙。"
    assert list(contents(text).values()) == ["甲。", "乙。", "丙。"]
    assert [reason for _, reason in unplaced(text)] == ["repeated article"] * 2


def test_a_caption_is_kept_apart_from_the_text() -> None:
    text = "第一条 【盗茶罪】盗窃茶叶的，处罚。 / 第二条 其他 / 没有规定的，从习惯。"
    assert [(article.caption, article.full_text) for article in parse(text).articles] == [
        ("盗茶罪", "盗窃茶叶的，处罚。"),
        ("其他", "没有规定的，从习惯。"),
    ]


# Paragraphs and items


def test_a_paragraph_after_a_list_is_the_next_one() -> None:
    found = texts("第一条 有： / （一）甲； / （二）乙。 / 前款所列，从严。")
    assert found == ["有：\n（一）甲；\n（二）乙。", "前款所列，从严。"]


def test_each_paragraph_may_have_a_list() -> None:
    found = paragraphs("第一条 有： / （一）甲； / （二）乙。 / 又有： / （一）丙； / （二）丁。")
    assert [(p.text, len(p.items)) for p in found] == [("有：", 2), ("又有：", 2)]


def test_lines_between_two_items_belong_to_the_first() -> None:
    (only,) = paragraphs("第一条 有： / （一）甲。 / 在茶季，从严。 / 在淡季，从宽。 / （二）乙。")
    assert [item.text for item in only.items] == ["甲。\n在茶季，从严。\n在淡季，从宽。", "乙。"]


@pytest.mark.parametrize("third", ["1.丙；", "１．丙；", "（1）丙；", "1、丙；", "①丙；"])
def test_the_third_level_stays_in_the_item(third: str) -> None:
    only, last = paragraphs(f"第一条 有： / （一）甲： / {third} / （二）乙。 / 丁。")
    assert only.items[0].text == f"甲：\n{third}"
    assert last.text == "丁。"


def test_the_third_level_of_the_last_item_stays_in_it_and_a_higher_one_begins_anew() -> None:
    (only,) = paragraphs("第一条 有： / （一）甲： / 1.丙； / 2.丁。")
    assert only.items[0].text == "甲：\n1.丙；\n2.丁。"
    one, two = paragraphs("第一条 有： / 1.甲； / 2.乙。 / （一）丙； / （二）丁。")
    assert [len(one.items), len(two.items)] == [2, 2]


@pytest.mark.parametrize(
    ("first", "second"),
    [("一、", "二、"), ("1.", "2."), ("1、", "2、"), ("（1）", "（2）"), ("(一)", "(二)")],
)
def test_a_list_after_a_colon_may_be_numbered_otherwise(first: str, second: str) -> None:
    (only,) = paragraphs(f"第一条 有： / {first}甲； / {second}乙。")
    assert [(item.label, item.number) for item in only.items] == [(first, 1), (second, 2)]
    assert [item.text for item in only.items] == ["甲；", "乙。"]


def test_a_lone_number_opens_no_list() -> None:
    lines = ["甲。", "1.5吨以下，从宽。", "一、二审的茶税，另定。"]
    assert texts("第一条 " + " / ".join(lines)) == lines


def test_items_on_one_line_are_divided() -> None:
    (only,) = paragraphs("第一条 条件：（一）守法；（二）爱茶，依照第（三）项办理；（三）廉洁。")
    assert [item.text for item in only.items] == ["守法；", "爱茶，依照第（三）项办理；", "廉洁。"]
    (only,) = paragraphs("第一条 有： / （一）甲； / （二）乙；（三）丙； / （四）丁。")
    assert [item.number for item in only.items] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "text", ["依照前条（一）、（二）和第（三）项办理。", "茶会议茶。（一）甲。", "茶：（一）甲。"]
)
def test_a_bracket_in_a_sentence_divides_nothing(text: str) -> None:
    assert texts(f"第一条 {text}") == [text]


def test_a_list_without_numbers_is_one_paragraph() -> None:
    # The Constitution's amendment of 2018 cites 第六十五条第四款 so.
    found = texts("第一条 茶会由下列人员组成： / 会长， / 会员若干人。 / 茶会议茶。")
    assert found == ["茶会由下列人员组成：\n会长，\n会员若干人。", "茶会议茶。"]


def test_definitions_after_a_colon_are_paragraphs() -> None:
    lines = ["本法下列用语的含义：", "茶，是指茶叶。", "园，是指茶园。"]
    assert texts("第一条 " + " / ".join(lines)) == lines


def test_a_line_that_breaks_off_is_joined_to_the_next() -> None:
    found = texts("第一条 需要茶园的，有权使用 / 茶园，任何人不得妨碍。 / 茶税另定。")
    assert found == ["需要茶园的，有权使用茶园，任何人不得妨碍。", "茶税另定。"]
    assert texts("第一条 茶叶归公 / ；茶园归公。") == ["茶叶归公；茶园归公。"]


def test_a_comma_that_should_be_a_full_stop_joins_nothing() -> None:
    assert len(texts("第一条 市分为区、县， / 区、县都是茶区。")) == 2


def test_a_list_that_begins_again_is_a_new_paragraph() -> None:
    one, two = paragraphs("第一条 有： / （一）甲； / （二）乙。 / （一）丙； / （二）丁。")
    assert (one.items[1].text, two.text, two.items[0].text) == ("乙。", "", "丙；")


@pytest.mark.parametrize(
    ("text", "style", "number"),
    [
        ("（一）茶", "（一）", 1),
        ("(十二)茶", "（一）", 12),
        ("㈢茶", "（一）", 3),
        ("三、茶", "一、", 3),
        ("2.茶", "1.", 2),
        ("１２．茶", "1.", 12),
        ("1.300吨至500吨", "1.", 1),
        ("（3）茶", "（1）", 3),
        ("⑵茶", "（1）", 2),
        ("②茶", "①", 2),
    ],
)
def test_item_numbers_are_known_in_every_style(text: str, style: str, number: int) -> None:
    label = read_item(text)
    assert label and (label.style, label.number) == (style, number)


@pytest.mark.parametrize(
    "text", ["", "茶", "1.5吨", "一茶", "（茶）", "2020年", "（一茶）", "第一，茶"]
)
def test_other_lines_have_no_item_number(text: str) -> None:
    assert read_item(text) is None


# Marks of the page


@pytest.mark.parametrize(
    "line",
    [
        "**第一条**　茶叶归公。",
        "**第一条**茶叶归公。",
        "#### 第一条 茶叶归公。",
        "> 第一条 茶叶归公。",
        "- **第一条** 茶叶归公。",
        "　　第一条　茶叶归公。",
        "&nbsp;&nbsp;第一条&nbsp;茶叶归公。",
        "<br>　　第一条 茶叶归公。",
        "<p>第一条 <b>茶叶</b>归公。</p>",
        "\u200b第一条\u3000茶叶\u200b归公。",
        "\ufeff第一条 茶叶归公。<!-- 注 -->",
        "第一条 茶 叶 归 公。",
    ],
)
def test_marks_of_markdown_and_html_are_no_text(line: str) -> None:
    assert texts(line) == ["茶叶归公。"]


def test_blanks_between_latin_words_stay() -> None:
    assert texts("第一条 商标 Tea House 归公，共 3 个。") == ["商标Tea House归公，共3个。"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\n\r\n", "\u2028"])
def test_any_line_end_will_do(end: str) -> None:
    statute = parse_statute(end.join(["茶叶法", "第一条 甲。", "乙。", "第二条 丙。"]))
    assert [len(article.paragraphs) for article in statute.articles] == [2, 1]


# All together

WORDS = st.text("甲乙丙丁，、", min_size=3, max_size=8).map(lambda word: word.strip("，、") + "茶")
WRITTEN = st.lists(
    st.lists(st.tuples(WORDS, st.integers(0, 4)), min_size=1, max_size=4), min_size=1, max_size=8
)


@settings(deadline=None)
@given(WRITTEN, st.sampled_from(["**{}**　{}", "{} {}", "　　{}　{}"]))
def test_a_statute_that_is_written_is_read_again(
    written: list[list[tuple[str, int]]], layout: str
) -> None:
    lines = ["茶叶法"]
    for number, article in enumerate(written, 1):
        start = len(lines)
        for text, items in article:
            lines.append(text + ("：" if items else "。"))
            lines += [
                f"（{'一二三四'[i]}）{text}{'；' if i + 1 < items else '。'}" for i in range(items)
            ]
        lines[start] = layout.format(format_article(number), lines[start])
    read = parse_statute("\n\n".join(lines)).articles
    shape = [[(p.text[:-1], len(p.items)) for p in article.paragraphs] for article in read]
    assert shape == written
