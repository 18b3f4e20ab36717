"""The published preparation and cutting of a judgment, quirk by quirk (judgment spec 2)."""

from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.law.judgment.official_sections import OfficialSections, cut_sections
from hengfa.law.judgment.official_text import normalise

WHOLE = (
    "月湖县人民法院刑事判决书。现已审理终结。经审理查明，某甲偷了一只船灯。"
    "本院认为，某甲的行为构成盗窃罪，判决如下：某甲犯盗窃罪，判处拘役一个月。"
    "如不服本判决，可以上诉。审判员某乙"
)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("判决如下: (一) 甲", "判决如下：（一）甲"),
        ("\u3000甲\u00a0乙\u3000", "甲 乙"),
        ("<p>甲</p><br>乙&#xD;\ufffd", "甲乙"),
        ("甲,乙", "甲，乙"),
        ("罚金10,000元,", "罚金10,000元，"),
        ("甲,1", "甲,1"),
        ("甲\n乙\n", "甲\n乙"),
        ("<b>甲</b> 乙 <i> 丙 </i>", "甲 乙 丙"),
        ("甲<!-- 注 -->乙", "甲 乙"),
        ("甲<style>p{}</style>乙<SCRIPT>x<b>y</SCRIPT >丙", "甲 乙 丙"),
        ("甲<script>丙", "甲"),
        ("甲&lt;乙&amp;", "甲<乙&"),
        ("适用<刑事诉讼法>的解释", "适用<刑事诉讼法>的解释"),
        ("甲<b 乙", "甲<b乙"),
        ("甲<!-- 乙<b>丙", "甲<!--乙 丙"),
        ("", ""),
    ],
)
def test_normalisation(text: str, plain: str) -> None:
    assert normalise(text) == plain


class _Nodes(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.nodes = [""]

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.nodes.append("")

    def handle_endtag(self, tag: str) -> None:
        self.nodes.append("")

    def handle_comment(self, data: str) -> None:
        self.nodes.append("")

    def handle_data(self, data: str) -> None:
        self.nodes[-1] += data


@given(st.lists(st.sampled_from(["<b>", "</b>", "<td>", "<!--x-->", "甲", "\n", "&lt;", "<乙"])))
def test_well_formed_markup_is_read_as_the_standard_library_reads_it(pieces: list[str]) -> None:
    text = "".join(pieces)
    parser = _Nodes()
    parser.feed(text)
    parser.close()
    assert normalise(text) == " ".join(node.strip() for node in parser.nodes if node.strip())


@pytest.mark.parametrize(
    "piece", ["<a ", "<!--", "<", "</", "&", "<script>", "<b>", "</script", ">"]
)
def test_markup_that_is_never_closed_takes_linear_time(piece: str) -> None:
    start = time.process_time()
    cut_sections(normalise(piece * 300_000))
    assert time.process_time() - start < 5


def test_five_sections() -> None:
    assert cut_sections(WHOLE) == OfficialSections(
        "月湖县人民法院刑事判决书。现已审理终结。",
        "经审理查明，某甲偷了一只船灯。",
        "本院认为，某甲的行为构成盗窃罪，判决如下：",
        "某甲犯盗窃罪，判处拘役一个月。",
        "如不服本判决，可以上诉。审判员某乙",
    )


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("公开开庭审理了本案。指控某甲", "公开开庭审理了本案。"),
        ("公开开庭审理了本案。现已审理终结。指控", "公开开庭审理了本案。现已审理终结。"),
        ("某乙。月湖公诉机关某院指控，", "某乙。"),
        ("某乙，抗诉机关认为", "某乙，"),
        ("某乙。公诉机关某院。指控", ""),
    ],
)
def test_where_the_heading_ends(text: str, heading: str) -> None:
    assert cut_sections(text).heading == heading


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("本院认为甲判决如下\n乙", "本院认为甲判决如下\n"),
        ("本院认为甲判决如下乙判决如下：丙", "本院认为甲判决如下乙判决如下："),
        ("本院认为甲裁定如下：乙", "本院认为甲裁定如下："),
        ("本院认为甲裁定准许乙", "本院认为甲裁定准许乙"),
    ],
)
def test_where_the_reasoning_ends(text: str, reason: str) -> None:
    assert cut_sections(text).reason == reason


@pytest.mark.parametrize(
    ("end", "there"),
    [
        ("如对不服本判决", True),
        ("如果你们四不服本判决", False),
        ("\n \n 本判决为终审判决", True),
        ("本判决为终审判决", False),
        ("如未按本判决指定的期间履行给付金钱义务", True),
        ("\n代理审 判 长", True),
        (" 审判员", False),
        ("\n\t审判员", True),
        ("附录", True),
        ("附：", True),
        ("附相关法律", True),
        ("附本判决的清单：", True),
        ("\n本案适用的法律", True),
        ("\n《刑法》", True),
        ("《刑法》", False),
    ],
)
def test_what_ends_the_result(end: str, there: bool) -> None:
    found = cut_sections(f"本院认为，判决如下：甲有罪。{end}乙")
    assert found.judgment == ("甲有罪。" if there else f"甲有罪。{end}乙")


def test_a_result_that_would_be_empty_is_the_whole_rest() -> None:
    assert cut_sections("本院认为，判决如下：附：清单").judgment == "附：清单"


def test_without_a_mark_all_is_reasoning() -> None:
    assert cut_sections("某甲有罪。") == OfficialSections("", "", "某甲有罪。", "", "")


def test_q1_a_section_is_deleted_wherever_it_comes_again() -> None:
    text = "甲。本院认为，判决如下：乙。甲。丙。"
    assert cut_sections(text).judgment == "乙。丙。"
    assert cut_sections(text, by_position=True).judgment == "乙。甲。丙。"


def test_q2_the_first_of_the_list_ends_a_section() -> None:
    text = "本院认为，判决如下：乙。附：清单。如不服本判决"
    assert cut_sections(text).judgment == "乙。附：清单。"
    assert cut_sections(text, earliest=True).judgment == "乙。"
    assert cut_sections("本院认为，判决如下：乙。", earliest=True).reason.endswith("：")


MARKS = [
    "审理终结。",
    "本院认为",
    "判决如下：",
    "\n",
    " ",
    "审判长",
    "附：",
    "如不服本判决",
    "甲",
    "《",
]


@given(st.lists(st.sampled_from(MARKS)), st.booleans())
@settings(deadline=None)
def test_by_position_nothing_is_lost(pieces: list[str], earliest: bool) -> None:
    text = normalise("".join(pieces))
    found = cut_sections(text, by_position=True, earliest=earliest)
    assert "".join(part for part in found if part.strip()) == "".join(
        part for part in (text,) if part.strip()
    )


@pytest.mark.parametrize(
    "piece", ["\n", " ", "本案", "公诉机关", "如不服", "审 判 ", "附某", "本院认为"]
)
def test_repetitions_take_linear_time(piece: str) -> None:
    start = time.process_time()
    cut_sections(piece * 300_000)
    assert time.process_time() - start < 5
