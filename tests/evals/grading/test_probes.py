"""Biases of position and length: variants that change nothing else, and slopes by hand."""

from __future__ import annotations

import math

import msgspec
import pytest

from hengfa.evals.grading.attacks import builtin_samples
from hengfa.evals.grading.probes import (
    FILLED,
    ORDERS,
    REPEATED,
    length_bias,
    length_variants,
    position_bias,
    position_variants,
    reorder,
)
from hengfa.evals.grading.rubric import Item, ItemMark, Mark, Rubric, Section, SectionMark
from hengfa.evals.grading.submission import Submission
from hengfa.evals.report.terminal.grading import trend_words

ITEMS = tuple(Item(name, f"要点{name}", 10) for name in "abc")
ONE = Submission("k", "问", "答" * 100, Rubric("r", 30, (Section("s", "要点", 30, ITEMS),)))


def marked(*awarded: float | None) -> Mark:
    items = tuple(
        ItemMark(item.id, 10, points, points or 0, points or 0, points or 0)
        for item, points in zip(ITEMS, awarded, strict=True)
    )
    total = sum(points or 0 for points in awarded)
    ungraded = sum(points is None for points in awarded)
    section = SectionMark("s", 30, total, total, total, items)
    return Mark(30, total, total, total, (section,), ungraded=ungraded)


def ids(rubric: Rubric) -> str:
    return "".join(item.id for item in rubric.items())


def test_orders_of_one_section() -> None:
    assert [ids(reorder(ONE.rubric, order)) for order in ORDERS] == ["cba", "bca", "cab"]


@pytest.mark.parametrize("sample", builtin_samples(), ids=lambda sample: sample.key)
def test_another_order_changes_nothing_but_the_order(sample: Submission) -> None:
    variants = position_variants([sample])
    assert len({variant.key for variant in variants}) == len(variants) == 5
    for variant in variants:
        assert sorted(variant.rubric.items(), key=lambda item: item.id) == sorted(
            sample.rubric.items(), key=lambda item: item.id
        )
        assert variant.rubric.maximum == sample.rubric.maximum
        assert (variant.question, variant.response) == (sample.question, sample.response)
    assert len({tuple(item.id for item in one.rubric.items()) for one in variants}) >= 4


def test_a_grader_that_likes_what_stands_first() -> None:
    """Items at places 0, 1/2 and 1 get 10, 8 and 6: what stands last loses 40 % of its maximum."""
    marks = {"k/clean": marked(10, 8, 6), "k/clean-again": marked(10, 8, 6)}
    for order in ORDERS:
        place = {name: n for n, name in enumerate(ids(reorder(ONE.rubric, order)))}
        marks[f"k/{order}"] = marked(*(10 - 2 * place[item.id] for item in ITEMS))
    found = position_bias([ONE], marks)
    assert found.trend.value == pytest.approx(-0.4)
    assert found.trend.units == 3
    # three items that agree: what may not have been seen is nearly everything
    assert found.trend.interval is not None
    assert found.trend.interval.low < -0.4 < 0 < found.trend.interval.high
    # cba moves a and c by 4, bca a by 4, b and c by 2, cab c by 4, a and b by 2; b stays in cba
    assert found.compared == 9
    assert found.changed == pytest.approx(8 / 9)
    assert found.moved == pytest.approx((4 + 4 + 4 + 2 + 2 + 4 + 2 + 2) / 90)
    assert (found.noise_changed, found.noise_moved) == (0.0, 0.0)


def test_ungraded_awards_are_counted_and_left_out() -> None:
    marks = {f"k/{name}": marked(5, 5, 5) for name in ("clean", "clean-again", *ORDERS)}
    marks["k/reversed"] = marked(5, None, 5)
    marks["k/clean-again"] = marked(6, 5, 5)
    found = position_bias([ONE], marks)
    assert (found.compared, found.ungraded, found.changed) == (8, 1, 0.0)
    assert found.noise_changed == pytest.approx(1 / 3)
    assert found.noise_moved == pytest.approx(0.1 / 3)


def test_longer_responses_are_as_long_as_they_say() -> None:
    variants = {one.key.removeprefix("k/"): one for one in length_variants([ONE])}
    assert set(variants) == {"clean", "clean-again", *FILLED, *REPEATED}
    for name, share in FILLED.items():
        assert variants[name].response.startswith(ONE.response)
        assert len(variants[name].response) == 100 + 2 + round(100 * share)
    assert variants["repeat-3"].response.split("\n\n") == [ONE.response] * 3


def test_a_grader_that_likes_length() -> None:
    """One point of 30 more for each doubling, whatever the response is made of."""
    marks = {"k/clean": marked(5, 0, 0), "k/clean-again": marked(5, 0, 0)}
    two = msgspec.structs.replace(ONE, key="j", response="答" * 40)
    for sample in (ONE, two):
        for variant in length_variants([sample]):
            doublings = math.log2(len(variant.response) / len(sample.response))
            marks[variant.key] = marked(5 + doublings, 0, 0)
    found = length_bias([ONE, two], marks)
    for kind in ("filler", "repeat"):
        assert found.slopes[kind].value == pytest.approx(1 / 30)
        assert found.slopes[kind].units == 2
        low, high = found.slopes[kind].interval or (0, 0)
        assert low < 0 < 1 / 30 < high  # of two responses, as many as agree by chance
    again, *_, last = found.rows
    assert (again.variant, again.times_as_long, again.shift) == ("clean-again", 1.0, 0.0)
    assert last.variant == "repeat-3"
    assert last.times_as_long == pytest.approx((304 / 100 + 124 / 40) / 2)


def test_a_slope_in_words() -> None:
    marks = {one.key: marked(5, 5, 5) for one in length_variants([ONE])}
    flat = length_bias([ONE], marks).slopes["filler"]
    assert trend_words(flat, "it", "responses") == (
        "it gains nothing (1 responses: too few for an interval)."
    )
    marks = {one.key: marked(*(None,) * 3) for one in length_variants([ONE])}
    found = length_bias([ONE], marks)
    assert found.ungraded == 8
    assert "not known" in trend_words(found.slopes["filler"], "it", "responses")
