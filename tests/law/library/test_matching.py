"""The letters by which words of the law are compared, and the index of their runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.law.library.matching import (
    QUOTED,
    RECITED,
    RECITED_RUN,
    Notation,
    RunIndex,
    SharedRuns,
    covered,
    normalise,
    normalise_in_place,
)
from hengfa.law.text.copies import codes_of

signs = ["```markdown\n", "第二条 ", "（一）", "\n1. ", "……", "（略）", "×"]
signs += ["㎡", "ﬃ", "\u0301", "\ud800"]
texts = st.lists(st.one_of(st.text(max_size=12), st.sampled_from(signs)), max_size=8).map("".join)


@pytest.mark.parametrize(
    ("text", "quoted", "recited"),
    [
        ("第三条　灯塔，应当点灯。", "第三条灯塔应当点灯", "灯塔应当点灯"),
        ("：（一）点灯；（二）熄灯", "点灯熄灯", "点灯熄灯"),
        ("第（二）项罪犯××，３次", "罪犯××3次", "第二项罪犯3次"),
        ("面积５㎡_以上", "面积5以上", "面积5m2以上"),
    ],
)
def test_each_notation_has_its_own_letters(text: str, quoted: str, recited: str) -> None:
    assert (normalise(text, QUOTED), normalise(text, RECITED)) == (quoted, recited)


def test_a_quotation_says_where_it_leaves_words_out() -> None:
    read = normalise_in_place("看守人应当……熄灯。不得（略）攀爬", QUOTED)
    assert read.letters == "看守人应当熄灯不得攀爬"
    assert read.breaks == {5, 9}
    assert read.sentences == {0, 5, 7, 9}


@given(text=texts, notation=st.sampled_from([QUOTED, RECITED]))
@settings(deadline=None)
def test_letters_stand_where_they_are_said_to_stand(text: str, notation: Notation) -> None:
    read = normalise_in_place(text, notation)
    assert notation.gaps or read.letters == normalise(text, notation)
    assert len(read.places) == len(read.letters)
    assert list(read.places) == sorted(read.places)
    for letter, place in zip(read.letters, read.places, strict=True):
        assert letter in normalise(text[place], notation) or letter in text[place]


@given(st.lists(st.text("的湖灯塔", max_size=12), max_size=6), st.text("的湖灯塔", max_size=20))
@settings(deadline=None)
def test_the_index_finds_what_a_search_finds(texts: list[str], question: str) -> None:
    held = SharedRuns(RunIndex(texts, RECITED_RUN), codes_of(question))
    runs = [question[at : at + RECITED_RUN] for at in range(len(question) - RECITED_RUN + 1)]
    assert held.times().tolist() == [
        sum(text[at:].startswith(run) for text in texts for at in range(len(text))) for run in runs
    ]
    for number in range(len(texts)):
        chosen = np.arange(len(texts)) == number
        assert held.within(chosen).tolist() == [run in texts[number] for run in runs]
        assert held.shared()[number] == sum(run in texts[number] for run in set(runs))


def test_covered_letters_are_those_in_runs_of_seven() -> None:
    starts = np.zeros(10, dtype=bool)
    starts[[0, 8]] = True
    assert covered(starts, 16, RECITED_RUN).tolist() == [True] * 7 + [False] + [True] * 7 + [False]
    assert covered(np.zeros(0, dtype=bool), 3, RECITED_RUN).tolist() == [False] * 3
