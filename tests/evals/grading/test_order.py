"""Steps in the order that a rubric asks for, compared with trying every set of steps."""

from __future__ import annotations

import time
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.evals.grading.marking import Choices, Way, keep_order, mark_verdict
from hengfa.evals.grading.rubric import Order, OrderKind
from hengfa.evals.grading.verdict import Award, Verdict
from tests.evals.grading.rubrics import item, rubric, section, strict, submission

STEPS = "abcdefg"


@pytest.mark.parametrize(
    ("places", "out"),
    [
        ("abcd", ""), ("", ""), ("a", ""), ("dcba", "abc"), ("bcda", "a"), ("dabc", "d"),
        ("badc", "ac"), ("acbd", "b"),
    ],
)  # fmt: skip
def test_the_longest_increasing_run_stays(places: str, out: str) -> None:
    """With equal points the earlier in the response stays: of "badc" b and d, of "acbd" a, c, d."""
    positions = {step: 10 * n for n, step in enumerate(places)}
    assert keep_order(strict(*"abcd"), positions) == frozenset(out)


def test_length_comes_before_points() -> None:
    positions = {"c": 0, "a": 1, "b": 2}
    assert keep_order(strict(*"abc"), positions, {"a": 1, "b": 1, "c": 50}) == {"c"}


def test_all_points_of_a_run_count_not_the_largest() -> None:
    order = Order(OrderKind.PARTIAL, (("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")))
    positions = {"c": 0, "d": 1, "a": 2, "b": 3}
    assert keep_order(order, positions, {"a": 5, "b": 5, "c": 6, "d": 1}) == {"c", "d"}


@pytest.mark.parametrize("kind", [OrderKind.FREE, OrderKind.STEPS, OrderKind.UNSTATED])
def test_without_pairs_nothing_is_out_of_order(kind: OrderKind) -> None:
    assert keep_order(Order(kind), {"b": 0, "a": 1}) == frozenset()


def test_pairs_that_contradict_each_other_are_no_trouble() -> None:
    order = Order(OrderKind.PARTIAL, (("a", "b"), ("b", "a")))
    assert keep_order(order, {"a": 0, "b": 1}) == {"b"}


def brute_force(
    order: Order, positions: dict[str, int], points: dict[str, float]
) -> frozenset[str]:
    steps = sorted(positions, key=lambda step: (positions[step], step))
    before = set(order.pairs)
    while more := {(a, d) for a, b in before for c, d in before if b == c} - before:
        before |= more
    best = max(
        (
            kept
            for size in range(len(steps) + 1)
            for kept in combinations(steps, size)
            if not any(positions[b] < positions[a] for a in kept for b in kept if (a, b) in before)
        ),
        key=lambda kept: (
            len(kept),
            sum(points[step] for step in kept),
            [step in kept for step in steps],
        ),
    )
    return frozenset(steps) - frozenset(best)


@settings(max_examples=300)
@given(
    pairs=st.sets(st.sampled_from(list(combinations(STEPS, 2)))),
    positions=st.dictionaries(st.sampled_from(STEPS), st.integers(0, 12)),
    worth=st.lists(st.sampled_from([0.5, 1, 2, 5, 10]), min_size=7, max_size=7),
    is_strict=st.booleans(),
)
def test_it_is_the_best_of_all_sets(
    pairs: set[tuple[str, str]], positions: dict[str, int], worth: list[float], is_strict: bool
) -> None:
    order = strict(*STEPS) if is_strict else Order(OrderKind.PARTIAL, tuple(sorted(pairs)))
    points = dict(zip(STEPS, worth, strict=True))
    assert keep_order(order, positions, points) == brute_force(order, positions, points)


WORKED = {
    # stands in the response as: paper, longest, unordered; three steps of 10 points
    "21": (0, 10, 20),
    "321": (0, 10, 30),
    "13": (10, 20, 20),
    "132": (0, 20, 30),
    "23": (0, 20, 20),
    "123": (30, 30, 30),
    "": (0, 0, 0),
}


@pytest.mark.parametrize("stands", WORKED)
@pytest.mark.parametrize("way", Way)
def test_what_three_steps_of_ten_earn_by_each_way(stands: str, way: Way) -> None:
    """Marked from a verdict; steps that do not stand in the response are awarded 0."""
    response = "。".join(f"第{step}步的论证写在这里" for step in stands) + "。"
    bound = rubric(section(*(item(step, 10) for step in "123"), order=strict(*"123")))
    awards = tuple(
        Award(step, 10, (f"第{step}步的论证",)) if step in stands else Award(step, 0)
        for step in "123"
    )
    marked = mark_verdict(submission(bound, response), Verdict(awards), Choices(way))
    assert marked.points == WORKED[stands][list(Way).index(way)]
    assert marked.backed == marked.lenient == marked.points


@pytest.mark.deep
def test_a_hundred_steps_are_quick() -> None:
    steps = [f"{n:03}" for n in range(100)]
    started = time.process_time()
    out = keep_order(strict(*steps), {step: -n for n, step in enumerate(steps)})
    assert len(out) == 99
    assert time.process_time() - started < 5
