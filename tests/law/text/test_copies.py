"""Texts that stand in others: the same, nearly so, and what is neither."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.law.text.copies import RUN, Copies, letters

LONG = "灯塔的看守人应当在日落以前点亮灯火，并且在航海日志上写明风向和潮水的高低。"
OTHER = "渡船每日往返三次，遇有大雾停航，已经售出的船票可以在次日使用或者退还。"


def test_signs_widths_and_case_do_not_matter() -> None:
    assert letters("（ＡＢＣ）　第１条，a b\n") == "abc第1条ab"
    assert Copies([["甲 乙：Ｃ"]]).find(["甲乙c！"]) == {(0, 0): 1.0}


def test_a_text_inside_a_longer_one_is_near_and_not_the_same() -> None:
    [(pair, share)] = Copies([[OTHER], [f"请回答：{LONG}谢谢。"]]).find([LONG, "无关"]).items()
    assert pair == (0, 1)
    assert 0.99 < share < 1


def test_half_of_a_text_is_near_and_a_third_is_not() -> None:
    half, third = LONG[: len(LONG) * 2 // 3], LONG[: len(LONG) // 3]
    assert list(Copies([[half + OTHER], [third + OTHER]]).find([LONG, "无关"])) == [(0, 0)]


def test_what_many_texts_begin_with_is_nobodys_own() -> None:
    """Questions of one form, of which a row has the form and another end."""
    questions = [f"{LONG}问：第{number}条？" for number in range(20)]
    assert Copies([[f"{LONG}问：第99条？"]]).find(questions) == {}
    assert Copies([[questions[3]]]).find(questions) == {(3, 0): 1.0}


def test_a_short_text_can_only_be_the_same() -> None:
    short = "应当点亮灯火"
    assert Copies([[short], [f"看守人{short}。"]]).find([short, OTHER]) == {(0, 0): 1.0}
    assert Copies([[short]]).find([short], shortest=20) == {}


def test_the_texts_of_a_document_are_not_read_on_from_one_to_the_next() -> None:
    parts = [LONG[at : at + RUN - 1] for at in range(0, len(LONG), RUN - 1)]
    assert Copies([parts]).find([LONG]) == {}


def test_nothing_is_in_nothing() -> None:
    assert Copies([]).find([LONG]) == {}
    assert Copies([[LONG]]).find([]) == {}


@settings(max_examples=30)
@given(st.lists(st.text(max_size=60), max_size=6), st.lists(st.text(max_size=60), max_size=6))
def test_what_is_the_same_is_always_found(texts: list[str], held: list[str]) -> None:
    found = Copies([[text] for text in held]).find(texts)
    for number, text in enumerate(texts):
        for document, other in enumerate(held):
            if letters(text) and letters(text) == letters(other):
                assert found[number, document] == 1.0
    assert all(0.5 <= share <= 1 for share in found.values())
