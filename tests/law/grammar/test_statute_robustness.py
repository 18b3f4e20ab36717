"""Any text at all: nothing of it is lost, nothing fails, and long texts take no longer per line."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.law.grammar.statute import Statute, entries
from hengfa.law.grammar.statute_header import read_statute_header
from hengfa.law.grammar.statute_parsing import parse_statute

TAG = re.compile(
    r"</?(?:br|p|div|b|strong|i|em|u|s|font|span|center|sup|sub|a)\b[^<>]*>", re.IGNORECASE
)


def significant(text: str) -> Counter[str]:
    """The letters, digits and characters of a text, without tags."""
    return Counter(filter(str.isalnum, html.unescape(TAG.sub(" ", text))))


def kept(statute: Statute) -> Iterator[str]:
    """Everything that is in a statute."""
    yield statute.title
    yield from (*statute.header, *statute.preamble, *statute.body)
    yield from (heading.label + heading.title for heading in statute.headings)
    for article in statute.articles:
        yield from (article.label, article.caption, article.full_text)
    for annex in statute.annexes:
        yield from (annex.title, annex.text)
    yield from (unplaced.text for unplaced in statute.unplaced)


def loses_nothing(text: str, statute: Statute) -> bool:
    """Whether every character that means something is kept, and kept once."""
    return significant("\n".join(kept(statute))) == significant(text)


# What decides where a line belongs, one of each.
PIECES = """
第一条 第二条 第三条 第三条之一 第十条 第一条甲 第二条规定的 第九条、 笫四条 **第五条**
第一章 第二章 ##第三章 第一节 第一编 总则 附则 分则 序言 目录 附件 附件一 附： 附表
一、 二、 三、 （一） （二） （三） (一) 1. 2. 1、 （1） ① 甲 乙 丙丁 茶叶归公 茶叶归公。
， 。 ； ： 、 “ ” （ ） 《 》 【 】 { } {原条文： <!-- --> <br> <style> </style> <table> </table>
<td> | # ## > - * ** --- *** ::: ![a](b) [来源](http://a) 责任编辑： 注： 下列 组成：
2001年3月4日 通过 修正 自 起施行 根据 公布 主席令 INFO 关于
"""
BLANKS = [" ", "\u3000", "\n", "\n", "\n", "\n\n", "\r\n", "\u200b", "\t"]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES.split() + BLANKS), max_size=60).map("".join))
def test_nothing_is_lost_of_texts_like_statutes(text: str) -> None:
    statute = parse_statute(text)
    assert loses_nothing(text, statute)
    read_statute_header(statute)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_at_all_is_read(text: str) -> None:
    statute = parse_statute(text)
    list(entries(statute))
    read_statute_header(statute)
    assert "&" in text or "<" in text or loses_nothing(text, statute)


HOSTILE = {
    "one long line": "甲" * 10_000_000,
    "one long article": "第一条 " + "甲乙，" * 1_000_000,
    "blanks": "第一条" + " " * 3_000_000 + "甲",
    "items on a line": "第一条 有：" + "（一）甲；（二）乙；" * 50_000,
    "the same article": "第一条 甲。\n" * 30_000,
    "falling numbers": "\n".join(f"第{9999 - i % 9999}条 甲。" for i in range(20_000)),
    "no punctuation": "第一条 甲\n" + "甲乙丙丁\n" * 50_000,
    "a list without numbers": "第一条 下列：\n" + "甲，\n" * 50_000,
    "third level": "第一条 下列：\n（一）甲：\n" + "1.甲；\n" * 30_000,
    "headings": "第一章 甲\n" * 25_000 + "第一条 甲。",
    "titles": "第一章 甲\n" + "甲乙\n" * 50_000 + "第一条 甲。",
    "annexes": "第一条 甲。\n附件一\n第二条 乙。\n" * 20_000,
    "history": "茶叶法\n" + "2014年11月1日通过\n" * 20_000,
    "braces": "{甲" * 500_000,
    "brace lines": "{甲\n" * 30_000 + "}",
    "comments": "<!--" * 500_000,
    "comment lines": "<!--\n" * 50_000,
    "marks": "> - ## **" * 200_000,
    "tags": "<b" * 500_000,
    "numerals": "第" + "一" * 3_000_000 + "条",
    "quotes": "茶叶法\n2001年3月4日" + "《" * 1_000_000,
    "days": "茶叶法\n" + "2014年11月1日通过" * 50_000,
    "entities": "&nbsp;" * 200_000,
    "nothing readable": "\0\ud800" * 500_000,
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_take_time_in_proportion(name: str) -> None:
    statute = parse_statute(HOSTILE[name])
    read_statute_header(statute)
    assert sum(1 for _ in entries(statute)) >= len(statute.articles)
