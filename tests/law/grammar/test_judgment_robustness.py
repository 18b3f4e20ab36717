"""What holds for any text: nothing raises, spans fit, time is linear, written values come back."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.law.grammar.judgment_texts import Accused, Penalty, judgment, result_of

from hengfa.law.grammar.judgment.document import SECTIONS, Judgment, Sentence
from hengfa.law.grammar.judgment.parse import parse_judgment
from hengfa.law.grammar.judgment.plain import plain
from hengfa.law.grammar.numerals import NumeralStyle

WORDS = """
云港县人民法院 刑事判决书 （2031） 云01刑初7号 公诉机关 指控 审理终结。 本院认为 判决如下：
裁定如下 被告人 被告单位 上诉人 原审 林帆 海某 、 和 犯 罪 盗窃罪 犯罪所得 以盗窃罪，判处 判处
有期徒刑 拘役 管制 三年 六个月 十五日 两年 半 无期徒刑 死刑 缓期二年执行 缓刑 罚金 人民币 2,000
三千 元 万元 没收个人全部财产 剥夺政治权利 终身 驱逐出境 免予刑事处罚 无罪 撤销 维持 ，即 “ ”
与前罪 原判 并罚 决定执行 总和刑期 （ ） 一、 二、 ， 。 ； ： 如不服本判决 审判长 附：
《中华人民共和国刑法》 第一百三十三条之一 维持原判 发回重审 准许撤回上诉 减去 罪犯 限制减刑 终身监禁
禁止 从事 三年内 社区矫正 JOHN·SMITH 民事判决书 原告 死缓 （缓期 <p> </p> <style> &nbsp; ** ##
"""
TEXTS = st.one_of(
    st.lists(st.sampled_from([*WORDS.split(), "\n", " ", "\u3000"]), max_size=60).map("".join),
    st.text(max_size=80),
)
unhurried = settings(deadline=None)


def sentences(made: Judgment) -> list[Sentence]:
    every = [one for person in made.defendants for one in (*person.verdicts, *person.earlier)]
    return every + [one.executed for one in made.defendants if one.executed]


@unhurried
@given(TEXTS)
@example("\ud800本院认为\udfff判决如下：被告人\x00犯罪罪罪")
@example("本院认为，判决如下：" + "（" * 50 + "被告人林帆犯盗窃罪" + "）" * 50)
@example("<style>" * 3)
@example("判决如下：撤销")
def test_any_text_has_a_structure_whose_spans_fit(text: str) -> None:
    made = parse_judgment(text)
    order = [SECTIONS.index(one.kind) for one in made.sections]
    assert order == sorted(set(order))
    end = 0
    for section in made.sections:
        assert end <= section.start <= section.end <= len(text)
        end = section.end
    for one in sentences(made):
        assert 0 <= one.start < one.end <= len(text)
        assert one.months is None or one.months >= 0
    for statute in made.statutes:
        assert 0 <= statute.start < statute.end <= len(text)
    assert made.sections or made.has("empty")
    for person in made.defendants:
        assert person.fine_total is None or person.fine_total >= 0
        assert person.final is None or person.final in sentences(made)


@unhurried
@given(TEXTS, TEXTS)
def test_the_words_of_a_result_never_raise(result: str, reasoning: str) -> None:
    parse_judgment(judgment(result, reasoning=f" 本院认为，{reasoning}判决如下："))


@unhurried
@given(TEXTS)
def test_every_letter_of_the_plain_text_knows_where_it_stood(text: str) -> None:
    made = plain(text)
    places = [made.origin(place) for place in range(len(made.text))]
    assert places == sorted(set(places))
    assert all(place < len(text) for place in places)


REPEATED = """
被告人 犯 （ ） 本院认为 判决如下 罚金一 < <style> ** &nbsp; 撤销 一、 、张三 犯盗窃罪、 1 因犯
被告人张三犯盗窃罪，判处有期徒刑三年。 被告人张某犯盗窃罪，判处拘役一个月。二、 有期徒刑一年、
人民法院 与本院 检察院 禁止 一年内不得 减去有期 罪犯 维持原判 发回 准许 被告人**张 **张 三年有期徒刑
三年 JOHN·A 被告人J 附带民事赔偿 剥夺政治权利 判处
"""


@pytest.mark.deep
@pytest.mark.parametrize("unit", REPEATED.split())
@pytest.mark.parametrize("before", ["", "本院认为，判决如下："])
def test_time_is_linear(unit: str, before: str) -> None:
    """Four times the text takes about four times as long; a square would take sixteen."""
    small, large = (before + unit * (n // len(unit)) for n in (20_000, 80_000))
    assert _seconds(large) < 10 * _seconds(small) + 0.5


@pytest.mark.deep
def test_five_megabytes() -> None:
    text = judgment() + "附：海滩上的沙。" * (5_000_000 // 24)
    assert len(text.encode()) > 5_000_000
    made = parse_judgment(text)
    assert made.defendants[0].verdicts[0].months == 6
    assert made.sections[-1].end == len(text)


def _seconds(text: str) -> float:
    start = time.process_time()
    parse_judgment(text)
    return time.process_time() - start


# Fictional results, written and read back

NAMES = ["林帆", "海星", "沙鸥", "潮生", "于永海", "张某1", "艾山江·吐尔逊", "×××"]
CHARGES = [
    "盗窃罪", "诈骗罪", "故意伤害罪", "掩饰、隐瞒犯罪所得罪", "传授犯罪方法罪",
    "走私、贩卖、运输、制造毒品罪", "非法制造、买卖枪支、弹药罪", "拒不执行判决、裁定罪",
]  # fmt: skip
FINES = st.none() | st.sampled_from([500, 1_000, 2_500, 10_000, 35_000, 120_000, 1_000_000])
TERMS = st.one_of(
    st.builds(
        Penalty,
        st.just("有期徒刑"),
        st.integers(6, 300),
        probation=st.none() | st.integers(12, 60),
        fine=FINES,
    ),
    st.builds(Penalty, st.just("拘役"), st.integers(1, 12), st.integers(0, 29), fine=FINES),
    st.builds(Penalty, st.just("管制"), st.integers(3, 36), fine=FINES),
    st.builds(Penalty, st.sampled_from(["无期徒刑", "死刑"]), fine=FINES),
    st.builds(Penalty, st.just("死刑，缓期二年执行"), fine=FINES),
)


@st.composite
def people(draw: st.DrawFn) -> list[Accused]:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True))
    accused = []
    for name in names:
        charges = draw(st.lists(st.sampled_from(CHARGES), min_size=1, max_size=3, unique=True))
        penalties = tuple((charge, draw(TERMS)) for charge in charges)
        accused.append(Accused(name, penalties, draw(TERMS) if len(charges) > 1 else None))
    return accused


def values(one: Sentence | None) -> Penalty | None:
    if one is None:
        return None
    assert one.kind is not None
    kind = "死刑，缓期二年执行" if one.kind == "死缓" else one.kind
    fine = None if one.fine is None else int(one.fine)
    return Penalty(kind, one.months, one.days, one.probation, fine)


@unhurried
@given(people(), st.sampled_from([None, "lower", "financial"]))
def test_what_was_written_is_read_back(accused: list[Accused], style: NumeralStyle | None) -> None:
    made = parse_judgment(judgment(result_of(accused, style)))
    read = [
        Accused(
            one.name,
            tuple((v.charge or "", values(v) or Penalty("")) for v in one.verdicts),
            values(one.executed),
        )
        for one in made.defendants
    ]
    assert read == accused
    assert not made.remarks
