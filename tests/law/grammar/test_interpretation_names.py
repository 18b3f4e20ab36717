"""Short names of interpretations that follow from their titles, and document numbers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.law.grammar.law_names import document_number, normalise_name, short_names, shortest_name

LAMPS = "最高人民法院关于审理灯笼买卖合同纠纷案件适用法律问题的解释"
LAMPS_2 = f"{LAMPS}（二）"
TEA = "最高人民法院关于适用〈中华人民共和国茶馆法〉若干问题的规定（三）"
THEFT = "最高人民法院、最高人民检察院关于办理偷茶刑事案件适用法律若干问题的解释"
CAKES = "最高人民法院关于审理月饼安全民事纠纷案件适用法律若干问题的解释"
BAD_CAKES = "最高人民法院、最高人民检察院关于办理危害月饼安全刑事案件适用法律若干问题的解释"


def names_of(title: str, *others: str) -> set[str]:
    return {short for short, named in short_names([title, *others]) if named == title}


@pytest.mark.parametrize(
    ("title", "shorts"),
    [
        (LAMPS, "灯笼买卖合同解释 灯笼买卖合同司法解释 灯笼买卖司法解释 灯笼买卖合同纠纷案件解释"),
        (TEA, "茶馆法解释（三） 茶馆法司法解释（三） 茶馆法规定（三） 茶馆法解释"),
        (THEFT, "偷茶解释 偷茶案件司法解释 偷茶刑事案件解释 偷茶罪解释"),
        ("最高人民法院关于在民事审判工作中适用〈灯塔法〉若干问题的解释", "灯塔法解释"),
        ("最高人民法院关于适用〈中华人民共和国民法典〉灯笼编的解释（一）", "灯笼编解释（一）"),
        ("最高人民法院关于适用〈中华人民共和国民事诉讼法〉灯笼程序的解释", "民诉法灯笼程序解释"),
        ("最高人民法院关于人民法院办理收灯案件若干问题的规定", "收灯规定 收灯案件司法解释"),
        ("最高人民法院关于点灯、熄灯的若干规定", "点灯、熄灯规定 点灯熄灯规定"),
        ("最高人民法院关于审理建设工程施工合同纠纷案件适用法律问题的解释（一）", "建工解释（一）"),
    ],
)
def test_short_names_follow_from_the_title(title: str, shorts: str) -> None:
    assert set(shorts.split()) <= names_of(title)


@pytest.mark.parametrize(
    "title",
    [
        "最高人民法院关于适用〈茶馆法〉若干问题的解释（二）的补充规定",
        "最高人民法院关于修改〈灯笼解释〉的决定",
        "最高人民法院关于点灯问题的批复",
        "中华人民共和国茶馆法",
        "",
    ],
)
def test_other_papers_have_no_such_names(title: str) -> None:
    assert not names_of(title)


def test_the_first_of_several_is_counted_even_if_its_title_is_not() -> None:
    assert "灯笼买卖合同解释（一）" in names_of(LAMPS, LAMPS_2)
    assert "灯笼买卖合同解释（一）" not in names_of(LAMPS)
    assert "灯笼买卖合同解释" in names_of(LAMPS_2, LAMPS)
    assert "灯笼买卖合同解释（一）" not in names_of(LAMPS_2, LAMPS)


def test_a_name_without_its_branch_of_law_means_both() -> None:
    bearers = {title for short, title in short_names([CAKES, BAD_CAKES]) if short == "月饼安全解释"}
    assert bearers == {CAKES, BAD_CAKES}
    assert "月饼安全民事解释" not in names_of(BAD_CAKES, CAKES)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        (THEFT, "偷茶解释"),
        ("两高关于办理偷茶案件的解释", "偷茶解释"),
        ("最高法偷茶司法解释", "偷茶解释"),
        ("关于灯笼买卖合同的司法解释（二）", "灯笼买卖解释（二）"),
        ("茶馆法解释三", "茶馆法解释（三）"),
        ("茶馆法", None),
        ("解释", None),
    ],
)
def test_half_a_title_comes_to_the_same_short_name(name: str, short: str | None) -> None:
    assert shortest_name(name) == short


TOPICS = st.text("灯笼茶馆月饼渡船", min_size=2, max_size=8)
NUMBERS = st.sampled_from(["", "（一）", "（二）", "（十一）"])


@settings(deadline=None)
@given(TOPICS, NUMBERS, st.sampled_from(["解释", "规定"]), st.sampled_from(["刑事", "民事", ""]))
def test_every_short_name_is_normal_and_keeps_its_number(
    topic: str, number: str, kind: str, branch: str
) -> None:
    title = f"最高人民法院关于审理{topic}{branch}案件适用法律若干问题的{kind}{number}"
    shorts = names_of(title)
    assert f"{topic}司法解释{number}" in shorts
    assert shortest_name(title) in shorts
    for short in shorts:
        assert normalise_name(short) == short
        assert "（" not in short or short.endswith(number)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("法释〔2013〕8号", ("法释〔2013〕8号", 2013)),
        ("法释[2013]8号", ("法释〔2013〕8号", 2013)),
        ("法释（2013）第８号", ("法释〔2013〕8号", 2013)),
        ("法釋【2013】 08 號", ("法释〔2013〕8号", 2013)),
        ("高检发释字〔2012〕2号", ("高检发释字〔2012〕2号", 2012)),
        ("法（办）发〔1988〕6号", ("法(办)发〔1988〕6号", 1988)),
        ("（2019）京01民终1号", None),
        ("灯笼解释（法释〔2013〕8号）", None),
        ("法释〔2013〕号", None),
        ("", None),
    ],
)
def test_a_document_number_has_one_spelling(text: str, number: tuple[str, int] | None) -> None:
    assert document_number(text) == number


@given(st.text(max_size=60))
def test_no_string_makes_these_raise(text: str) -> None:
    shortest_name(text)
    document_number(text)
    short_names([text])
