"""What holds for any text: nothing raises, spans are in order, round trips, time is linear."""

from __future__ import annotations

import random
import time
from typing import get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hengfa.law.grammar.citation import find_citations
from hengfa.law.grammar.citation_model import Position, resolve_relative
from hengfa.law.grammar.citation_positions import (
    CitationStyle,
    format_citation,
    format_position,
    parse_position,
)
from hengfa.law.grammar.law_names import normalise_name

STYLES: tuple[CitationStyle, ...] = get_args(CitationStyle)

WORDS = """
《 》 〈 〉 刑法 民法典 灯塔条例 最高人民法院 关于 的解释 （二） （2012年修正） 2017年 （以下简称
《解释》 ） ( ) “ ” " ' 第 一 二十 百 0 12 ３ 条 款 项 之一 、 ， 和 及 至 - 的 规定 ： 。 ； 第一条
第二款 第（三）项 第52、53条 同法 该法 本法 该解释 前款 前两款 本条 该条 合同 约定 附：相关法条
** ［自首］ …… 审判员某 原 现为
"""
PIECES = st.sampled_from([*WORDS.split(), "\n", " ", "\u3000"])
TEXTS = st.one_of(st.lists(PIECES, max_size=40).map("".join), st.text(max_size=60))

POSITIONS = st.builds(
    Position,
    st.integers(1, 1260),
    st.none() | st.integers(1, 20),
    st.none() | st.integers(1, 30),
    st.none() | st.integers(1, 60),
)

unhurried = settings(deadline=None)


@unhurried
@given(TEXTS)
@example("\ud800第一条\udfff")
@example("《" * 50 + "第一条" + "》" * 50)
@example("关于第一条的解释第二条")
@example("第一条至第二条至第三条")
def test_spans_are_in_the_text_and_in_order(text: str) -> None:
    found = find_citations(text)
    end = 0
    for index, citation in enumerate(found):
        assert end <= citation.start < citation.end <= len(text)
        end = citation.end
        assert text[citation.start].strip(), "no blank at the start"
        assert text[citation.end - 1] in "条款项項)）條" or text[citation.end - 1].isalnum()
        assert citation.within is None or found[citation.within].quoted
        assert citation.within != index
        assert citation.law is None or citation.kind == "law"
        assert any(citation.position) or citation.relative
        assert citation.position in citation.expand()
        if citation.name:
            assert 0 <= citation.name[0] < citation.name[1] <= citation.end
        if citation.quoted:
            assert 0 <= citation.quoted.start < citation.quoted.end <= len(text)
            before = citation.quoted.end <= citation.start
            assert before or citation.end <= citation.quoted.start
        if resolved := resolve_relative(citation, Position(5, None, 3, 2)):
            assert any(resolved.position)


@unhurried
@given(TEXTS)
def test_any_collection_of_names_will_do(text: str) -> None:
    for known in (lambda _: True, lambda _: False):
        find_citations(text, known_names=known)


@unhurried
@given(TEXTS)
def test_reading_one_position_never_raises(text: str) -> None:
    position = parse_position(text)
    if position is not None:
        assert parse_position(format_position(position)) == position


@given(POSITIONS, st.sampled_from(STYLES))
def test_positions_survive_writing_and_reading(position: Position, style: CitationStyle) -> None:
    assert parse_position(format_position(position, style)) == position


@pytest.mark.parametrize("style", STYLES)
def test_every_article_survives(style: CitationStyle) -> None:
    for article in range(1, 1261):
        for rest in [(None, None, None), (1, 2, 3), (20, 30, 60), (None, None, 11)]:
            position = Position(article, *rest)
            assert parse_position(format_position(position, style)) == position


@given(POSITIONS, st.sampled_from(["full", "arabic"]))
def test_written_citations_are_found_again(position: Position, style: CitationStyle) -> None:
    text = f"依照{format_citation('中华人民共和国灯塔法', position, style)}的规定"
    (citation,) = find_citations(text)
    assert (citation.law, citation.position) == ("中华人民共和国灯塔法", position)
    assert text[citation.start : citation.end] == text[2:-3]


MEGABYTE = 1_000_000
UNITS = [
    *'第《》〈0一、（(“"。\n 条款项法',
    "第一",
    "第一、",
    "第一至",
    "第一第",
    "第1-",
    "第1，",
    "第（一）",
    "前款",
    "中华",
    "《刑法》",
    "（以下简称",
    "《刑法》（以下简称《刑》）",
    "最高人民法院、",
    "第一条之",
    "该条第一款",
]
DENSE = [
    "第一条、",
    "刑法第一条",
    "第一条规定：“",
    "第一条：",
    "的第一条",
    "该解释第一条",
    "\n第一条 甲",
    "附：《刑法》 第一条甲。",
    "（2012年修正）第一条",
    "合同第一条约定：“",
]


@pytest.mark.deep
@pytest.mark.parametrize("unit", UNITS)
def test_a_megabyte_of_anything_is_read_in_seconds(unit: str) -> None:
    text = (unit * (MEGABYTE // len(unit) + 1))[:MEGABYTE]
    start = time.process_time()
    find_citations(text)
    normalise_name(text)
    assert time.process_time() - start < 20


@pytest.mark.deep
@pytest.mark.parametrize("unit", DENSE)
def test_time_grows_with_the_length_of_the_text(unit: str) -> None:
    """Texts of nothing but citations: eight times the text takes no more than 20 times as long."""

    def seconds(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length]
        start = time.process_time()
        find_citations(text)
        return time.process_time() - start

    short = min(seconds(10_000) for _ in range(3))
    assert min(seconds(80_000) for _ in range(3)) < 20 * short + 0.5


@pytest.mark.deep
def test_a_megabyte_of_noise() -> None:
    letters = '第条款项一二十百0１、，。；《》〈〉（）“”"法规定：同该本前刑 \n至和解释关于以下简称'
    text = "".join(random.Random(1).choices(letters, k=MEGABYTE))
    start = time.process_time()
    find_citations(text)
    assert time.process_time() - start < 30
