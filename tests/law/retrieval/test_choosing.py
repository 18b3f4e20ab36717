"""Parts and weights are chosen by what serves best, and never by what is then measured."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hengfa.law.retrieval.measures import folds, measure, parse_measure
from retrieval_experiments.choosing import (
    Aim,
    Asked,
    Measured,
    Slot,
    asked_of_all,
    choose,
    fuse,
    goodness,
    nested,
    scaled,
)

AIM = Aim(first=3, recalled=2)
QUERIES, TARGETS = 60, 8
SPACE = (
    Slot(("near", "noise"), (1.0, 0.5)),
    Slot(("frequency",), (0.1, 1.0)),
    Slot(("skewed",), (0.5, 2.0)),
)


def one_query(**parts: list[float]) -> Asked:
    """Five targets of which the first and the third are right; later ones go before equals."""
    scores = {name: np.array([values], np.float32) for name, values in parts.items()}
    relevant = np.array([[True, False, True, False, False]])
    return asked_of_all(scores, relevant, np.arange(5))


def test_goodness_is_reciprocal_rank_plus_recall_with_ties_as_trec_eval_has_them() -> None:
    # Ranks: the last, then the third and the first equal: the third has the higher precedence.
    asked = one_query(part=[1, 0, 1, 0, 5])
    fused = fuse(asked, {"part": 2.0})
    assert goodness(asked, fused, Aim(3, 2)).tolist() == [pytest.approx(1 / 2 + 1 / 2)]
    assert goodness(asked, fused, Aim(1, 3)).tolist() == [pytest.approx(0 + 2 / 2)]


def test_of_no_parts_the_ranking_is_precedence_alone() -> None:
    asked = one_query(part=[1, 0, 0, 0, 0])
    assert goodness(asked, fuse(asked, {}), Aim(5, 3)).tolist() == [pytest.approx(1 / 3 + 1 / 2)]


def test_relevant_targets_that_are_no_candidates_count_against_recall() -> None:
    asked = one_query(part=[1, 0, 1, 0, 0])._replace(wanted=np.array([4]))
    assert goodness(asked, fuse(asked, {"part": 1}), AIM).tolist() == [pytest.approx(1 + 2 / 4)]


@given(st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=1, max_size=4))
@settings(deadline=None)
def test_goodness_agrees_with_the_measures(rows: list[list[int]]) -> None:
    scores = np.array(rows, np.float32)
    relevant = np.tile([True, False, True, False, False], (len(rows), 1))
    found = goodness(asked_of_all({}, relevant, np.arange(5)), scores, AIM)
    run = {str(at): [(str(n), float(x)) for n, x in enumerate(row)] for at, row in enumerate(rows)}
    qrels = {str(at): {"0": 1, "2": 1} for at in range(len(rows))}
    values = measure(run, qrels, [parse_measure("MRR@3"), parse_measure("R@2")])
    assert found == pytest.approx(values["MRR@3"] + values["R@2"])


def test_the_part_and_weight_that_rank_best_are_chosen_and_useless_slots_stay_empty() -> None:
    asked = one_query(
        right=[3, 0, 2, 0, 0], wrong=[0, 5, 0, 4, 0], half=[1, 0, 0, 0, 0], nothing=[0, 0, 0, 0, 0]
    )
    space = (Slot(("wrong", "half", "right"), (1.0, 2.0)), Slot(("nothing",), (1.0,)))
    assert choose([asked], space, AIM) == {"right": 1.0}


def test_what_is_given_stays_and_the_rest_is_chosen_for_it() -> None:
    asked = one_query(right=[3, 0, 2, 0, 0], wrong=[0, 5, 0, 4, 0])
    chosen = choose([asked], [Slot(("right",), (1.0, 4.0))], AIM, given={"wrong": 1.0})
    assert chosen == {"wrong": 1.0, "right": 4.0}


def test_every_block_counts_by_its_queries() -> None:
    first = one_query(a=[3, 0, 2, 0, 0], b=[0, 1, 0, 1, 0])
    second = one_query(a=[0, 1, 0, 1, 0], b=[3, 0, 2, 0, 0])
    slot = [Slot(("a", "b"), (1.0,))]
    assert choose([first, first, second], slot, AIM) == {"a": 1.0}
    assert choose([first, second, second], slot, AIM) == {"b": 1.0}


class Synthetic:
    """Queries near to each other have like labels; each label depends on one hidden number."""

    def __init__(self) -> None:
        dice = np.random.default_rng(7)
        self.where = dice.random(QUERIES)
        centres = np.linspace(0, 1, TARGETS)
        apart = np.abs(self.where[:, None] - centres) + dice.normal(0, 0.15, (QUERIES, TARGETS))
        self.labels = apart <= np.sort(apart, axis=1)[:, 1:2]
        self.noise = dice.random((QUERIES, TARGETS)).astype(np.float32)
        self.skewed = (-np.abs(self.where[:, None] - centres * 0.8)).astype(np.float32)
        self.parts = [fold.measured for fold in folds(QUERIES, 5, seed=3)]
        self.asked_for: list[tuple[set[int], set[int]]] = []

    def ask(self, learned: NDArray[np.int64], rows: NDArray[np.int64]) -> Asked:
        self.asked_for.append((set(learned.tolist()), set(rows.tolist())))
        like = np.exp(-20 * np.abs(self.where[rows][:, None] - self.where[learned]))
        labels = self.labels[learned].astype(np.float32)
        scores = {
            "near": (like @ labels / like.sum(axis=1, keepdims=True)).astype(np.float32),
            "frequency": np.tile(labels.mean(axis=0), (len(rows), 1)),
            "noise": self.noise[rows],
            "skewed": self.skewed[rows],
        }
        return asked_of_all(scores, self.labels[rows], np.arange(TARGETS))

    def measured(self) -> list[Measured]:
        return list(nested(self.parts, self.ask, SPACE, AIM))


@pytest.mark.parametrize("number", range(5))
def test_the_labels_of_the_measured_part_have_no_share_in_its_choice(number: int) -> None:
    honest, other = Synthetic(), Synthetic()
    part = other.parts[number]
    other.labels[part] = other.labels[part][:, ::-1]  # all wrong, for this part only
    before, after = honest.measured(), other.measured()
    assert after[number].weights == before[number].weights
    assert np.array_equal(after[number].fused, before[number].fused)
    # The same labels do have a share in the others, or this test could not fail.
    others = [place for place in range(5) if place != number]
    assert any(not np.array_equal(before[at].fused, after[at].fused) for at in others)


def test_a_choice_on_the_measured_part_itself_would_be_seen() -> None:
    honest, other = Synthetic(), Synthetic()
    part = other.parts[0]
    other.labels[part] = other.labels[part][:, ::-1]
    rest = np.setdiff1d(np.arange(QUERIES), part)
    leaky = [choose([one.ask(rest, part)], SPACE, AIM) for one in (honest, other)]
    assert leaky[0] != leaky[1]


def test_nothing_learns_from_what_it_answers_or_from_the_measured_part() -> None:
    synthetic = Synthetic()
    everything = set(range(QUERIES))
    for number, _ in enumerate(nested(synthetic.parts, synthetic.ask, SPACE, AIM)):
        measured = set(synthetic.parts[number].tolist())
        *inner, (learned, rows) = synthetic.asked_for
        assert (learned, rows) == (everything - measured, measured)
        assert set().union(*(asked for _, asked in inner)) == everything - measured
        for taught, asked in inner:
            assert taught == everything - measured - asked
        synthetic.asked_for.clear()


def test_queries_that_are_alike_neither_teach_nor_choose_for_each_other() -> None:
    synthetic = Synthetic()
    one, other, third = (int(synthetic.parts[at][0]) for at in (0, 1, 2))
    close = [(one, other), (other, one), (one, third), (third, one)]
    for number, _ in enumerate(nested(synthetic.parts, synthetic.ask, SPACE, AIM, close)):
        if number == 0:
            shared = set().union(*(learned | rows for learned, rows in synthetic.asked_for))
            assert not shared & {other, third}
        for learned, rows in synthetic.asked_for:
            assert one not in learned or not rows & {other, third}
            assert one not in rows or not learned & {other, third}
        synthetic.asked_for.clear()


def test_folds_measure_everything_once_and_never_on_what_was_learned() -> None:
    parts = folds(23, 5, seed=4)
    assert sorted(place for fold in parts for place in fold.measured.tolist()) == list(range(23))
    for fold in parts:
        assert set(fold.learned) | set(fold.measured) == set(range(23))
        assert not set(fold.learned) & set(fold.measured)
    with pytest.raises(ValueError, match="folds"):
        folds(3, 5)


def test_folds_are_those_of_scikit_learn() -> None:
    selection = pytest.importorskip("sklearn.model_selection")
    for size, seed in ((501, 0), (17, 3)):
        theirs = selection.KFold(5, shuffle=True, random_state=seed).split(np.zeros(size))
        for ours, (learned, measured) in zip(folds(size, 5, seed), theirs, strict=True):
            assert np.array_equal(ours.learned, learned)
            assert np.array_equal(ours.measured, measured)


def test_scaling_leaves_rows_of_nothing_alone() -> None:
    assert scaled(np.array([[2.0, 1.0], [0.0, 0.0]], np.float32)).tolist() == [[1, 0.5], [0, 0]]
