"""Quoted words in a response."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.evals.grading.evidence import bears_on, find_evidence
from hengfa.evals.grading.marking import mark_verdict
from hengfa.evals.grading.rubric import UNBACKED, Flag, Item, Level, Rubric, Section, Span
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import Award, Verdict
from hengfa.evals.suites.plawbench.dataset import CriterionRow
from hengfa.evals.suites.plawbench.rubric_case import parse_case
from tests.evals.grading.rubrics import RESPONSE


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


RENT = Item("i", "追问已付租金的月数和金额", 5, alternatives=("Lease term",))


@pytest.mark.parametrize(
    ("words", "bears"),
    [
        ("租金是每月多少？", True),
        ("该 租／金", False),  # a sign between two letters parts them
        ("the LEASE was oral", True),
        ("阁下手里的那份清单，上文都已经做到了。", False),
        ("tick all of it", False),
        ("", False),
    ],
)
def test_words_bear_on_an_item_that_have_a_word_of_it(words: str, bears: bool) -> None:
    assert bears_on(RENT, words) is bears


def test_words_are_not_compared_with_what_names_no_content() -> None:
    for item in (
        Item("i", "名称", 5),
        Item("i", "论证严谨，紧扣案情且有深度", 5, levels=(Level("好", 5),)),
        Item("i", "《月湖买卖法》第十二条", 5, statute=True),
    ):
        assert bears_on(item, "甲乙丙丁")


@pytest.mark.shared
def test_honest_words_bear_on_the_items_of_real_rubrics(shared: Path) -> None:
    """The facts of PLawBench's cases, each told by the sentence of the case that is most like it.

    Whoever wrote an item wrote it in words of their own. The two that share none are the form of
    the answer, and a fact that the case does not have.
    """
    file = shared / "data/PLawbench/practical_case_analysis_250.jsonl"
    off = counted = 0
    for line in file.read_text("utf-8").splitlines():
        case = json.loads(line)
        rows = msgspec.convert(case["rubrics"], list[CriterionRow])
        told_by = case["context"]
        told = [one for one in re.split(r"[。！？；\n]", told_by) if len(one) > 3]
        items = parse_case(rows, "r").rubric.sections[1].items
        awards = []
        for item in items:
            signs = set(item.text)
            likest = max(told, key=lambda one: len(signs & set(one)) / len(signs | set(one)))
            awards.append(Award(item.id, item.maximum, (likest,)))
        whole = Rubric("r", 100, (Section("s", "", 100, items),))
        marks = mark_verdict(Submission("k", told_by, told_by, whole), Verdict(tuple(awards)))
        assert not any(UNBACKED.intersection(item.flags) for item in marks.items())
        off += sum(Flag.OFF_THE_ITEM in item.flags for item in marks.items())
        counted += len(items)
    assert (off, counted) == (2, 1003)


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


@pytest.mark.deep
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
