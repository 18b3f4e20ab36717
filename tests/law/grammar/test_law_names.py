"""Names of laws: one spelling for each, and the table of abbreviations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.grammar.law_names import CUSTOMARY, MAX_NAME, STATE, abbreviations, normalise_name

WORDS = """
《 》 〈 〉 中华人民共和国 中华 人民共和国 刑法 民法典 的解释 （ ） ( ) [ ] 2018 2018年 年 修正
（2018修正） （二） （试行） 号 〔2015〕 法释 二〇一八 １
"""
PIECES = st.sampled_from([*WORDS.split(), "\u3000"])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("《中华人民共和国刑法》", "刑法"),
        ("中华人民共和国刑法", "刑法"),
        (" 刑 法 ", "刑法"),
        ("刑法（2020修正）", "刑法"),
        ("刑法(2020年修正)", "刑法"),
        ("《〈公司法〉(2018修正)》", "公司法"),
        ("公司法〔2018年修正〕", "公司法"),
        ("公司法（2018年10月26日修正）", "公司法"),
        ("公司法（2018）", "公司法"),
        ("公司法2018年修正", "公司法"),
        ("2017年民事诉讼法", "民事诉讼法"),
        ("2014年修正的商标法", "商标法"),
        ("灯塔规定（法释〔2015〕24号）", "灯塔规定"),
        ("灯塔法（修订）", "灯塔法"),
        ("灯塔规定(二)", "灯塔规定（二）"),
        ("灯塔办法（试行）", "灯塔办法（试行）"),
        (
            "《最高人民法院关于适用〈中华人民共和国民事诉讼法〉的解释》（2022修正）",
            "最高人民法院关于适用民事诉讼法的解释",
        ),
        ("香港特别行政区基本法", "香港特别行政区基本法"),
        ("刑法修正案（十一）", "刑法修正案（十一）"),
        ("１９８９年国际救助公约", "1989年国际救助公约"),
        ("中华人民共和国", "中华人民共和国"),
        ("", ""),
        ("《》", ""),
    ],
)
def test_one_spelling_for_the_names_of_one_law(text: str, name: str) -> None:
    assert normalise_name(text) == name


@given(st.one_of(st.lists(PIECES, max_size=20).map("".join), st.text(max_size=40)))
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise_name(text)
    assert normalise_name(once) == once


def test_what_is_too_long_for_a_name_keeps_its_words() -> None:
    text = STATE * 100
    assert normalise_name(f"《{text}》") == text
    assert len(text) > MAX_NAME


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("刑诉法", "刑事诉讼法"),
        ("民诉法", "民事诉讼法"),
        ("行诉法", "行政诉讼法"),
        ("消法", "消费者权益保护法"),
        ("道交法", "道路交通安全法"),
        ("反法", "反不正当竞争法"),
        ("九民纪要", "全国法院民商事审判工作会议纪要"),
    ],
)
def test_customary_abbreviations(short: str, full: str) -> None:
    assert abbreviations[short] == (full,)
    assert short in CUSTOMARY


def test_ambiguous_abbreviations_name_all_their_meanings() -> None:
    assert abbreviations["诉讼法"] == ("民事诉讼法", "刑事诉讼法", "行政诉讼法")
    assert "诉讼法" not in CUSTOMARY
    ambiguous = [short for short, full in abbreviations.items() if len(full) > 1]
    assert len(ambiguous) > 10


def test_the_table_is_consistent() -> None:
    for short, full in abbreviations.items():
        assert normalise_name(short) == short
        assert short not in full
        for name in full:
            assert normalise_name(name) == name
            assert name not in abbreviations
    for name in CUSTOMARY:
        assert normalise_name(name) == name


def test_the_table_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        abbreviations["甲法"] = ("乙法",)  # type: ignore[index]
