"""How far marks move: figures computed by hand."""

from __future__ import annotations

import pytest

from hengfa.base.statistics.evidence import Bounds, Evidence, evidence_of
from hengfa.evals.grading.attacks import (
    NOISE,
    Attack,
    Movement,
    Placement,
    builtin_samples,
    interval_of,
    movements,
    moves,
    worst,
)
from hengfa.evals.grading.rubric import Flag, ItemMark, Mark, SectionMark

SAMPLE = builtin_samples()[0]  # of 20 points
AFTER = [Attack(f"x-{n}", "x", "zh", Placement.AFTER, "", "") for n in (1, 2)]
WHOLE = Attack("y-1", "y", "zh", Placement.REPLACE, "", "")


def marked(points: float, backed: float | None = None, *, ungraded: bool = False) -> Mark:
    backed = points if backed is None else backed
    flags = () if backed == points else (Flag.NO_EVIDENCE,)
    awarded = None if ungraded else points
    item = ItemMark("q", 20, awarded, points, points, backed, flags=flags)
    section = SectionMark("s", 20, points, points, backed, (item,))
    return Mark(20, points, points, backed, (section,), ungraded=int(ungraded))


def by_family(**marks: Mark) -> dict[str, Movement]:
    keyed = {
        f"{SAMPLE.key}/{name.replace('_', '-')}": found
        for name, found in ({"clean": marked(10), "clean_again": marked(11)} | marks).items()
    }
    found = moves([SAMPLE], [*AFTER, WHOLE], keyed)
    return {one.family: one for one in movements(found)}


def test_shifts_are_shares_of_the_maximum_against_the_clean_mark() -> None:
    found = by_family(x_1=marked(20, 5), x_2=marked(11), y_1=marked(4, 0))
    x = found["x"]
    assert (x.attacks, x.pairs, x.compared) == (2, 2, 2)
    assert x.shift == pytest.approx((0.5 + 0.05) / 2)
    assert x.backed == pytest.approx((-0.25 + 0.05) / 2)
    assert (x.raised, x.flagged, x.broken) == (0.5, 0.5, 0.0)
    assert x.interval is not None
    assert list(x.interval) == [-1, 1]  # two attacks say nothing about others


def test_a_replaced_response_is_compared_with_nothing() -> None:
    found = by_family(x_1=marked(10), x_2=marked(10), y_1=marked(4, 0))["y"]
    assert (found.shift, found.backed, found.raised) == (0.2, 0.0, 1.0)
    assert found.interval is None


def test_asking_again_is_the_noise_and_no_attack() -> None:
    found = by_family(x_1=marked(10), x_2=marked(10), y_1=marked(0))
    assert found[NOISE].shift == pytest.approx(0.05)
    assert found[NOISE].attacks == 0
    assert found["all attacks"].shift == 0
    assert found["all attacks"].pairs == 3


def test_ungraded_marks_are_broken_and_not_compared() -> None:
    found = by_family(x_1=marked(0, ungraded=True), x_2=marked(12), y_1=marked(0))["x"]
    assert (found.pairs, found.compared, found.broken) == (2, 1, 0.5)
    assert found.shift == pytest.approx(0.1)
    assert found.raised == 1.0


def test_an_ungraded_clean_mark_leaves_nothing_to_compare() -> None:
    found = by_family(
        clean=marked(0, ungraded=True), x_1=marked(20), x_2=marked(20), y_1=marked(20)
    )
    assert found["x"].shift is None
    assert found["x"].compared == 0
    assert found["x"].broken == 0
    assert found["y"].shift == 1.0


def test_worst_cases_are_those_that_rose_most() -> None:
    marks = {
        f"{SAMPLE.key}/{name}": found
        for name, found in {
            "clean": marked(10), "clean-again": marked(20), "x-1": marked(12), "x-2": marked(9),
            "y-1": marked(20),
        }.items()
    }  # fmt: skip
    found = moves([SAMPLE], [*AFTER, WHOLE], marks)
    assert [case.attack for case in worst(found)] == ["y-1", "x-1"]
    assert [case.attack for case in worst(found, 1)] == ["y-1"]


def changes(*values: float) -> Evidence:
    names = [str(number) for number in range(len(values))]
    return evidence_of(names, values, bounds=Bounds(-1, 1))


def test_intervals() -> None:
    assert interval_of(changes(1.0), "x") is None
    same = interval_of(changes(*[0.2] * 20), "x")
    assert same is not None
    # 20 alike: up to 1 - 0.025 ** (1 / 20) of all attacks may move marks to either end
    assert list(same) == pytest.approx([0.2 - 0.1684 * 1.2, 0.2 + 0.1684 * 0.8], abs=1e-4)
    coin = changes(*[0.0] * 50, *[1.0] * 50)
    found = interval_of(coin, "x")
    assert found is not None
    assert found == interval_of(coin, "x")
    # of 100 tosses of a coin: 1.98 standard errors of 0.05 on either side
    assert found.low == pytest.approx(0.402, abs=0.02)
    assert found.high == pytest.approx(0.598, abs=0.02)
