"""Case numbers in texts: every width and bracket, old forms, and numbers that no court gave."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.grammar.case_numbers import (
    ABOVE_BASIC,
    FACTS,
    HIGH_COURTS,
    TYPES,
    CaseNumber,
    find_case_numbers,
    find_guiding_cases,
)


def only(text: str) -> CaseNumber:
    (case,) = find_case_numbers(text)
    return case


@pytest.mark.parametrize(
    ("text", "form", "year", "court", "kind", "serial", "rest"),
    [
        ("（2022）沪01民终12345号", "standard", 2022, "沪01", "民终", 12345, ""),
        ("(2022)沪0115民初5号", "standard", 2022, "沪0115", "民初", 5, ""),
        ("〔２０１８〕京０４９１民初１号", "standard", 2018, "京0491", "民初", 1, ""),
        ("【2019】 兵 08 民终 7 号", "standard", 2019, "兵08", "民终", 7, ""),
        ("[2020]军0101刑初2号", "standard", 2020, "军0101", "刑初", 2, ""),
        ("（2019）最高法知民终3号", "standard", 2019, "最高法", "知民终", 3, ""),
        ("（2019）最高法商初1号", "standard", 2019, "最高法", "商初", 1, ""),
        ("（2018）鲁民终8号", "standard", 2018, "鲁", "民终", 8, ""),
        ("（2021）粤0391财保4号", "standard", 2021, "粤0391", "财保", 4, ""),
        ("（2018）浙72协外认1号", "standard", 2018, "浙72", "协外认", 1, ""),
        ("（2021）粤0106民诉前调9号", "standard", 2021, "粤0106", "民诉前调", 9, ""),
        ("（2021）最高法执监5号之一", "standard", 2021, "最高法", "执监", 5, "之一"),
        ("（2016）豫04执57-4号", "standard", 2016, "豫04", "执", 57, "-4"),
        ("（2019）沪0115民初71、72号", "standard", 2019, "沪0115", "民初", 71, "、72"),
        ("（2016）黑08刑初字第33号", "standard", 2016, "黑08", "刑初", 33, ""),
        ("（2015）浦民一(民)初字第1234号", "old", 2015, "浦", "民一（民）初", 1234, ""),
        ("(2014) 沪二中民一（民）终字第 77 号", "old", 2014, "沪二中", "民一（民）终", 77, ""),
        ("（2012）民提字第61号", "old", 2012, "", "民提", 61, ""),
        ("（2010）刑三复10203040号", "old", 2010, "", "刑三复", 10203040, ""),
        ("（2014）鲁民终字第8号－1", "old", 2014, "鲁", "民终", 8, "-1"),
        ("（86）民他字第4号", "old", 1986, "", "民他", 4, ""),
        ("（2009）沪高执复议字第2号", "old", 2009, "沪高", "执复议", 2, ""),
    ],
)
def test_the_parts_of_a_number(
    text: str, form: str, year: int, court: str, kind: str, serial: int, rest: str
) -> None:
    case = only(f"见{text}民事判决书。")
    assert case.written == text
    assert (case.form, case.year, case.court) == (form, year, court)
    assert (case.kind, case.serial, case.rest) == (kind, serial, rest)


@pytest.mark.parametrize(
    "text",
    [
        "法释〔2020〕17号",
        "国发〔2020〕1号",
        "（2018）深仲裁字第64号",
        "（2020）沪劳人仲案字第5号",
        "（2015）沪长证执字第146号",
        "沪奉检诉刑诉［2017］700号",
        "（2015）洪检刑诉第90号",
        "〔2021〕罚决字第3号",
        "（2006）商标异字第2026号",
        "（2019）沪法援字第8号",
        "（2019）穗综执字第8号",
        "（2016）精鉴字第216号",
        "（2012）霍某二初字第772号",
        "（2013）民3终字第5号",
        "（20220）沪01民终1号",
        "（2022）沪01民终号",
        "（2020）年第一次会议通过的第12号",
    ],
)
def test_what_no_court_numbered_is_passed_over(text: str) -> None:
    assert list(find_case_numbers(text)) == []


def test_a_number_behind_something_that_is_none() -> None:
    text = "（2020）修订（2019）沪01民终1号，（2020）京仲裁字第2号（2019）沪02民终3号"
    assert [case.number for case in find_case_numbers(text)] == [
        "（2019）沪01民终1号",
        "（2019）沪02民终3号",
    ]


def test_ways_of_writing_one_number_have_one_key() -> None:
    ways = ("（2016）黑0882刑初33号", "(2016)黑0882刑初字第33号", "〔2016〕黑 0882 刑初 33 号之二")
    assert {only(way).key for way in ways} == {"（2016）黑0882刑初33号"}


@pytest.mark.parametrize(
    ("code", "level"),
    [("最高法", "supreme"), ("沪", "high"), ("沪01", "intermediate"), ("沪0115", "basic")],
)
def test_the_level_is_in_the_code(code: str, level: str) -> None:
    assert only(f"（2020）{code}民再1号").level == level
    assert only("（2012）沪高民再字第1号").level == ""


def test_guiding_cases_by_number() -> None:
    text = (
        "参照指导案例24号、第25号和26号，指导性案例第一百零一号；另见最高人民检察院指导性案例第7号"
    )
    assert [case.no for case in find_guiding_cases(text)] == [24, 25, 26, 101]
    assert [case.written for case in find_guiding_cases(text)][:2] == ["指导案例24号", "25号"]


def test_the_tables_hang_together() -> None:
    assert len(HIGH_COURTS) == 33
    assert ABOVE_BASIC.keys() | FACTS.only_below_high.keys() <= TYPES.keys()
    assert all(1 <= len(kind) <= 3 for kind in TYPES)  # article 7 of the standard


COURTS = st.one_of(
    st.just("最高法"),
    st.builds(
        "{}{}".format,
        st.sampled_from(sorted(HIGH_COURTS)),
        st.from_regex("([0-9]{2}){0,2}", fullmatch=True),
    ),
)
BRACKETS = st.sampled_from(["（）", "()", "〔〕", "[]", "【】", "［］"])
BLANKS = st.sampled_from(["", " ", "\u3000", "\n"])


@given(
    st.integers(2016, 2099), COURTS, st.sampled_from(sorted(TYPES)), st.integers(0, 10**8),
    BRACKETS, BLANKS, st.text("甲乙，。 \n（2020", max_size=8),
)  # fmt: skip
def test_whatever_the_standard_allows_is_found(
    year: int, court: str, kind: str, serial: int, brackets: str, blank: str, around: str
) -> None:
    written = f"{brackets[0]}{year}{brackets[1]}{blank}{court}{kind}{blank}{serial}号"
    text = f"{around}。{written}。{around}"
    case = only(text)
    assert text[case.start : case.end] == case.written == written
    assert (case.year, case.court, case.kind, case.serial) == (year, court, kind, serial)
    assert case.number == f"（{year}）{court}{kind}{serial}号"


@given(st.text("（(〔2019）)〕沪京浦01民终初字第一号之、-指导案例 \n", max_size=60))
def test_any_text_is_read_and_every_span_is_right(text: str) -> None:
    end = 0
    for case in find_case_numbers(text):
        assert end <= case.start < case.end
        assert text[case.start : case.end] == case.written
        end = case.end
    for guiding in find_guiding_cases(text):
        assert text[guiding.start : guiding.end] == guiding.written
