"""Terms as numbers: exact for short ones, the same for the same text, in any batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.law.retrieval.terms import TermKind, code_of, terms_of

KINDS: list[TermKind] = ["words", "bigrams", "characters", "grams"]


def test_pairs_of_characters_are_cut_without_white_space() -> None:
    terms = terms_of(["甲 乙\n丙", "", "丁"], "bigrams")
    assert terms.codes.tolist() == [code_of("甲乙"), code_of("乙丙")]
    assert terms.starts.tolist() == [0, 2, 2, 2]


def test_grams_are_all_runs_of_one_to_three_with_case_folded_and_blanks_kept() -> None:
    terms = terms_of(["A  b"], "grams")
    assert sorted(terms.codes.tolist()) == sorted(map(code_of, ["a", " ", "b", "a ", " b", "a b"]))


def test_words_are_those_of_jieba_without_white_space() -> None:
    terms = terms_of(["有期徒刑 三年"], "words")
    assert terms.codes.tolist() == [code_of("有期徒刑"), code_of("三年")]


def test_short_terms_never_collide_and_long_ones_are_marked() -> None:
    some = ["甲", "甲甲", "甲甲甲", "\x00", "\x00\x00", "乙甲", "甲乙"]
    assert len({code_of(one) for one in some}) == len(some)
    assert all(code_of(one) < 1 << 63 for one in some)
    assert code_of("中华人民共和国") >= 1 << 63


@settings(deadline=None)
@given(st.lists(st.text(max_size=30), max_size=6))
def test_a_text_has_the_same_terms_alone_and_in_a_batch(texts: list[str]) -> None:
    for kind in KINDS:
        together = terms_of(texts, kind)
        assert len(together.starts) == len(texts) + 1
        for place, text in enumerate(texts):
            alone = terms_of([text], kind)
            within = together.codes[together.starts[place] : together.starts[place + 1]]
            assert np.array_equal(within, alone.codes)


@given(st.text(max_size=40))
def test_grams_equal_a_plain_count(text: str) -> None:
    folded = text.lower()
    import re

    folded = re.sub(r"\s\s+", " ", folded)
    plain = sorted(
        code_of(folded[start : start + size])
        for size in (1, 2, 3)
        for start in range(len(folded) - size + 1)
    )
    assert sorted(terms_of([text], "grams").codes.tolist()) == plain


@pytest.mark.parametrize("kind", KINDS)
def test_lone_surrogates_do_no_harm(kind: TermKind) -> None:
    assert len(terms_of(["\ud800\udfff甲乙"], kind).starts) == 2
