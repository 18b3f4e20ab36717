"""ROUGE-N and BLEU are the textbook's; short texts and texts without a match are well defined."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_chinese import Rouge

from hengfa.text.ngrams import BLEU_ORDER, bleu, overlaps, rouge_n
from hengfa.text.rouge import lcs, rouge_l, units

tokens = st.lists(st.sampled_from(["渡船", "应当", "停靠", "，", "码头"]), max_size=14)
GOLD = ["渡船", "应当", "按时", "停靠", "码头", "。"]


def _clipped(mine: list[str], other: list[str], n: int) -> tuple[int, int, int]:
    one, two = (
        Counter(tuple(side[i : i + n]) for i in range(len(side) - n + 1)) for side in (mine, other)
    )
    return sum((one & two).values()), sum(one.values()), sum(two.values())


@given(tokens, tokens)
def test_overlaps_count_each_sequence_as_often_as_both_sides_have_it(
    mine: list[str], other: list[str]
) -> None:
    counted = [tuple(one) for one in overlaps(mine, other)]
    assert counted == [_clipped(mine, other, n) for n in range(1, BLEU_ORDER + 1)]


@given(tokens.filter(bool), tokens.filter(bool), st.integers(1, 4))
def test_rouge_n_is_the_harmonic_mean_of_precision_and_recall(
    mine: list[str], other: list[str], n: int
) -> None:
    precision, recall, f = rouge_n(mine, other, n)
    common, own, wanted = _clipped(mine, other, n)
    assert precision == (common / own if common else 0)
    assert recall == (common / wanted if common else 0)
    both = 2 * precision * recall / (precision + recall) if common else 0
    assert f == pytest.approx(both, abs=1e-12)


def test_rouge_1_and_2_are_those_of_a_known_package() -> None:
    """Where no token comes twice: the package counts sets."""
    mine, gold = ["渡船", "按时", "停靠", "在", "码头"], ["渡船", "应当", "按时", "停靠", "码头"]
    (theirs,) = Rouge(metrics=["rouge-1", "rouge-2"]).get_scores(" ".join(mine), " ".join(gold))
    assert rouge_n(mine, gold, 1).f == pytest.approx(theirs["rouge-1"]["f"], abs=1e-6)
    assert rouge_n(mine, gold, 2).f == pytest.approx(theirs["rouge-2"]["f"], abs=1e-6)


@pytest.mark.parametrize(
    ("mine", "none", "epsilon"),
    [
        (GOLD, 1.0, 1.0),
        ([], 0.0, 0.0),
        (["风筝"] * 8, 0.0, 0.0),
        # 5/6, 3/5, 1/4, and no four in a row: nothing, or a tenth of one of three
        (
            ["渡船", "应当", "按时", "入", "码头", "。"],
            0.0,
            (5 / 6 * 3 / 5 * 1 / 4 * 0.1 / 3) ** 0.25,
        ),
        # shorter than four: judged by the orders it has, and for its brevity
        (["渡船", "应当"], math.exp(1 - 6 / 2), math.exp(1 - 6 / 2)),
        (["渡船"], math.exp(1 - 6), math.exp(1 - 6)),
        # longer than the reference: no penalty but the precisions
        ([*GOLD, *GOLD], (6 / 12 * 5 / 11 * 4 / 10 * 3 / 9) ** 0.25, None),
    ],
)
def test_bleu_values(mine: list[str], none: float, epsilon: float | None) -> None:
    assert bleu(mine, GOLD) == pytest.approx(none, abs=1e-12)
    if epsilon is not None:
        assert bleu(mine, GOLD, "epsilon") == pytest.approx(epsilon, abs=1e-12)


@given(tokens, tokens)
def test_bleu_lies_between_nothing_and_one_and_smoothing_only_adds(
    mine: list[str], other: list[str]
) -> None:
    plain, smoothed = bleu(mine, other), bleu(mine, other, "epsilon")
    assert 0 <= plain <= smoothed <= 1 + 1e-12


@given(tokens.filter(bool))
def test_a_repetition_is_perfect_however_short(text: list[str]) -> None:
    assert bleu(text, text) == pytest.approx(1, abs=1e-12)
    assert rouge_n(text, text, 1).f == lcs(text, text).f == 1


@given(st.text("渡船应当 。\n停靠", max_size=20), st.text("渡船应当 。\n停靠", max_size=20))
@settings(deadline=None)  # the first example loads the dictionary
def test_units_and_lcs_are_the_two_halves_of_rouge_l(mine: str, gold: str) -> None:
    for unit in ("word", "char"):
        cut = units(mine, unit), units(gold, unit)
        assert not any(token.isspace() for side in cut for token in side)
        assert lcs(*cut) == rouge_l(mine, gold, unit=unit)
