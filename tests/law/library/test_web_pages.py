"""Web pages as documents: what a browser shows, and nothing that it does not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.library.documents import document_of, read_document
from hengfa.law.library.html_text import html_text
from tests.bounded import told_within

PAGE = """<!DOCTYPE html>
<html><head><title>标题</title><style>p { content: "样式" }</style>
<script>document.write("《假法》第一条 </p>")</script></head><body>
<!-- 注释 > 《假法》第二条 -->
<h1>判决书</h1><p class="a>b">依照《<b>海岸</b>法》第四
   条&nbsp;的规定，</p>
<table><tr><td>甲</td><td>乙 &lt;5克&#65289;</td></tr></table>
第一行<br/>第二行 and
three   words<noscript>请启用</noscript><template>模板</template>
<pre>甲
  乙</pre></body></html>
"""


def test_a_page_is_read_as_a_browser_shows_it() -> None:
    assert html_text(PAGE).split("\n") == [
        "判决书", "依照《海岸法》第四条\xa0的规定，", "甲", "乙 <5克）", "第一行",
        "第二行 and three words", "甲", "乙",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>甲<p>乙", "甲\n乙"),
        ("<P>甲</P ><Script>x</SCRIPT >乙", "甲\n乙"),
        ("甲<script>乙", "甲"),
        ("甲<!-- 乙", "甲"),
        ("甲<!-->乙", "甲"),
        ('甲<a title="乙>丙', "甲"),
        ("甲<a title=乙>丙", "甲丙"),
        ('甲<a "乙>丙', "甲丙"),
        ("甲 < 乙，1<2", "甲 < 乙，1<2"),
        ("甲</乙", "甲</乙"),
        ("<?xml version='1.0'?><!DOCTYPE html><html>甲</html>", "甲"),
        ("&lt;script&gt;alert(1)&lt;/script&gt;", "<script>alert(1)</script>"),
        ("&#0;&#" + "9" * 5000 + ";&#x110000;&bogus;&amp;amp;", "\ufffd\ufffd\ufffd&bogus;&amp;"),
        ("甲\x1c乙", "甲 乙"),
        ("", ""),
    ],
)
def test_markup_of_all_kinds(source: str, text: str) -> None:
    assert html_text(source) == text


@given(st.lists(st.sampled_from([
    "<", ">", "</", "<!--", "-->", "<p>", "</p>", "<script>", "</script>", "<a b='", '"', "&#", "&",
    "《海岸法》", "第四条", " ", "\n", "\r\n", "=", "/", "<pre>", "\ufeff",
])))  # fmt: skip
def test_whatever_a_page_is_made_of_it_is_read(parts: list[str]) -> None:
    text = html_text("".join(parts))
    assert "\x00" not in text
    assert "\n\n" not in text


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<&"), min_size=1))
def test_plain_text_keeps_every_word(text: str) -> None:
    assert "".join(html_text(f"<p>{text}</p>").split()) == "".join(text.split())


UNITS = (
    "<", "<a ", "<a b='", '<a "', "</", "<!--", "<!", "&#9", "<script>", "<p> ", "\n \x1c",
    "<b> </b>", "&amp",
)  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_a_page_takes_time_by_its_length(unit: str) -> None:
    """A quadratic reading of a megabyte would take minutes."""
    started = time.monotonic()
    html_text(unit * (1_000_000 // len(unit)) + "'>")
    assert time.monotonic() - started < 10


@pytest.mark.deep
def test_a_million_open_elements_take_little_memory(tmp_path: Path) -> None:
    (tmp_path / "deep.html").write_text("<div><b>" * 4_000_000, "utf-8")
    code = (
        "from pathlib import Path\nfrom hengfa.law.library.documents import read_document\n"
        f"read_document(Path({str(tmp_path / 'deep.html')!r}))\n"
    )
    assert told_within(code) == "no error"


@pytest.mark.parametrize("name", ["a.html", "A.HTM", "a.txt", "-"])
@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16"])
def test_a_page_is_known_by_its_name_or_its_beginning(name: str, encoding: str) -> None:
    document = document_of(PAGE.encode(encoding), name)
    assert document.text.startswith("判决书\n")
    assert document.name == name


def test_a_text_that_speaks_of_markup_stays_a_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("用 <html> 标签\n<b>粗</b>", "utf-8")
    assert read_document(tmp_path / "a.md").text == "用 <html> 标签\n<b>粗</b>"
