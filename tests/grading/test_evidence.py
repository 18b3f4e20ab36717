"""Quoted words in a response."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.grading.evidence import find_evidence
from hengfa.grading.marks import Span
from tests.grading.rubrics import RESPONSE


def found(quote: str, response: str = RESPONSE) -> list[str]:
    (quoted,) = find_evidence(response, [quote])
    return [response[span.start : span.end] for span in quoted.spans]


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("月湖茶馆应当退还押金", ["月湖茶馆应当退还押金"]),
        ("“月湖茶馆，应当退还押金。”", ["月湖茶馆应当退还押金"]),
        (" 月湖茶馆\n应当 退还押金 ", ["月湖茶馆应当退还押金"]),
        ("押金,柳某无权", ["押金，柳某无权"]),
        ("协议有效第二茶馆", ["协议有效。第二，茶馆"]),
        ("双方签订……协议有效", ["双方签订", "协议有效"]),
        ("双方签订...构成违约...应当退还", ["双方签订", "构成违约", "应当退还"]),
        ("下列行为：……（三）拒绝", ["下列行为：……（三）拒绝"]),
    ],
)
def test_words_are_found_by_their_letters(quote: str, words: list[str]) -> None:
    assert found(quote) == words


@pytest.mark.parametrize(
    "quote",
    [
        "月湖茶馆不应当退还押金",
        "构成违约……双方签订",  # the pieces stand in another order
        "双方签订……不存在的词句",
        "a的内容",
        "退", "。", "", "……", "《》“”",
    ],
)  # fmt: skip
def test_what_is_not_there_or_says_nothing_is_not_found(quote: str) -> None:
    assert found(quote) == []


@pytest.mark.parametrize(("quote", "proves"), [("退", False), ("……", False), ("没有的话", True)])
def test_only_letters_prove_anything(quote: str, proves: bool) -> None:
    (quoted,) = find_evidence(RESPONSE, [quote])
    assert quoted.proves is proves


@pytest.mark.parametrize(
    ("response", "quote"),
    [
        ("依照ＬＰＲ计算１２％", "LPR计算12"),
        ("第㈠项与①", "第一项与1"),
        ("Café CONTRACT", "cafe\u0301 contract"),
        ("a\u200bb\u202ec", "abc"),
        ("押\u3164金\u115f退\uffa0还", "押金退还"),
        ("ﬃ法", "ffi法"),
    ],
)
def test_width_case_and_invisible_signs_do_not_count(response: str, quote: str) -> None:
    assert found(quote, response)


def test_the_first_of_several_places_counts() -> None:
    assert find_evidence("甲乙丙，甲乙丙", ["甲乙丙"])[0].spans == (Span(0, 3),)


SIGNS = st.text(alphabet="甲乙丙aＡ1①㈠，。…“” \n\u200bé", min_size=1) | st.text(min_size=1)


@given(text=SIGNS, ends=st.tuples(st.integers(0, 40), st.integers(0, 40)))
def test_any_slice_of_a_response_is_found_where_it_stands(text: str, ends: tuple[int, int]) -> None:
    start, end = sorted(end % (len(text) + 1) for end in ends)
    quote = text[start:end]
    (quoted,) = find_evidence(text, [quote])
    if not quoted.proves:
        return
    (span,) = quoted.spans
    words = text[span.start : span.end]
    assert span.start <= end, "the first place is not after this one"
    assert find_evidence(words, [quote])[0].spans, "the span has the letters of the quotation"
    assert len(words) <= len(quote) or text.find(quote) > span.start


@given(st.text(), st.lists(st.text(), max_size=4))
def test_no_text_makes_it_raise(response: str, quotes: list[str]) -> None:
    for quoted in find_evidence(response, quotes):
        assert all(0 <= span.start < span.end <= len(response) for span in quoted.spans)


@pytest.mark.parametrize(
    ("response", "quote"),
    [
        ("甲" * 100_000, "甲" * 50_000 + "乙"),
        ("甲乙" * 50_000, "甲乙" * 20_000 + "甲甲"),
        ("甲乙" * 50_000, "……".join(["甲乙"] * 30_000) + "……丙丁"),
        ("甲" * 100_000 + "乙", "甲" * 99_999 + "乙"),
        ("…" * 100_000, "……" * 50_000 + "甲乙"),
    ],
)
def test_hostile_repetition_takes_no_time(response: str, quote: str) -> None:
    started = time.process_time()
    find_evidence(response, [quote] * 5)
    assert time.process_time() - started < 5
