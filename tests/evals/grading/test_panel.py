"""Several graders, one mark; hand-computed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.evals.grading.graded import How, combine
from hengfa.evals.grading.marking import mark
from hengfa.evals.grading.rubric import Deduction, Flag, Gate, Level, Mark, Penalty, Rubric
from tests.evals.grading.rubrics import (
    DEPOSIT,
    VALID,
    award,
    fault,
    item,
    level,
    reply,
    rubric,
    section,
    sheet,
    submission,
)
from tests.evals.grading.test_marking import EVERYTHING, REPLIES, check

TWO = rubric(section(item("a"), item("b")))
WITH_FAULTS = rubric(
    section(
        item("a"), item("b"), deductions=(Deduction("d", "杂乱", 2),), gates=(Gate("x", "零"),)
    ),
    penalties=[Penalty("p", "错误", 3)],
)


def marks(graded_by: Rubric, *texts: str) -> list[Mark]:
    return [mark(submission(graded_by), sheet(text)) for text in texts]


def both(a: float, b: float, *faults: str) -> str:
    listed = [fault(name) for name in faults]
    return reply(award("a", a, DEPOSIT), award("b", b, VALID), faults=listed)


@pytest.mark.parametrize(
    ("how", "given_points", "points"),
    [
        ("mean", [(5, 1), (4, 2), (0, 0)], 4),
        ("median", [(5, 1), (4, 2), (0, 0)], 5),
        ("median", [(5, 1), (4, 2)], 6),
        ("majority", [(5, 1), (5, 2), (0, 2)], 7),
        ("majority", [(5, 1), (4, 2)], 5),
        ("majority", [(5, 1)], 6),
    ],
)
def test_points_are_combined_item_by_item(
    how: How, given_points: list[tuple[float, float]], points: float
) -> None:
    found = combine(marks(TWO, *(both(a, b) for a, b in given_points)), how)
    assert (found.points, found.lenient, found.backed) == (points, points, points)


def test_who_left_an_item_ungraded_has_no_say_in_it() -> None:
    found = combine(marks(TWO, both(5, 5), reply(award("a", 1, DEPOSIT)), "好的"), "mean")
    assert [one.points for one in found.items()] == [3, 5]
    assert found.ungraded == 0


def test_what_all_left_ungraded_is_ungraded() -> None:
    one = reply(award("a", 1, DEPOSIT))
    found = combine(marks(TWO, one, one), "median")
    assert (found.points, found.lenient, found.ungraded) == (1, 6, 1)
    assert combine(marks(TWO, "好的", "好的"), "mean").lenient == 10


def test_evidence_is_combined_like_points() -> None:
    unbacked = reply(award("a", 5), award("b", 5, VALID))
    found = combine(marks(TWO, both(5, 5), unbacked, unbacked), "mean")
    assert found.points == 10
    assert found.backed == pytest.approx(5 + 5 / 3)
    assert found.items()[0].flags == (Flag.NO_EVIDENCE,)
    assert combine(marks(TWO, both(5, 5), both(5, 5), unbacked), "mean").items()[0].flags == ()


@pytest.mark.parametrize(
    ("how", "points", "faults"), [("mean", 10 - 2 / 3 - 3 / 3, ()), ("majority", 10, ())]
)
def test_what_one_of_three_takes_off_counts_a_third_or_not_at_all(
    how: How, points: float, faults: tuple[str, ...]
) -> None:
    found = combine(marks(WITH_FAULTS, both(5, 5), both(5, 5, "d", "p"), both(5, 5)), how)
    assert found.points == pytest.approx(points)
    assert found.faults == faults


def test_what_two_of_three_take_off_is_taken_off() -> None:
    one = both(5, 5, "x")
    found = combine(marks(WITH_FAULTS, one, one, both(5, 5)), "median")
    assert (found.points, found.faults) == (0, ("x",))


def test_a_grader_without_an_award_takes_nothing_off_and_gives_nothing_back() -> None:
    found = combine(marks(WITH_FAULTS, both(5, 5, "d", "p"), "好的"), "mean")
    assert found.points == 5
    assert found.faults == ("d", "p")


def test_levels_stay_where_all_agree() -> None:
    grades = rubric(section(item("a", 20, levels=(Level("好", 20), Level("差", 0)))))
    good, bad = reply(level("a", "好", DEPOSIT)), reply(level("a", "差"))
    assert combine(marks(grades, good, good), "mean").items()[0].level == "好"
    mixed = combine(marks(grades, good, bad), "mean").items()[0]
    assert (mixed.level, mixed.points) == ("", 10)


def test_a_panel_needs_marks_of_one_rubric() -> None:
    other = rubric(section(item("z")))
    for wrong in ([], [*marks(TWO, both(1, 1)), *marks(other, reply(award("z", 0)))]):
        with pytest.raises(ValueError, match="one rubric"):
            combine(wrong, "mean")


@given(
    texts=st.lists(REPLIES, min_size=1, max_size=4),
    how=st.sampled_from(["mean", "median", "majority"]),
)
def test_a_combined_mark_is_a_band_like_any_other(texts: list[str], how: How) -> None:
    check(combine(marks(EVERYTHING, *texts), how))


BELOW = rubric(
    section(item("a", 10), item("b", 10), gates=(Gate("g", "全错", -10),)),
    section(item("c", 60), id="second"),
)


def test_a_section_that_a_gate_left_below_zero_stays_there() -> None:
    """24 of the second section less 10 of the first: 14, whoever and how many grade."""
    gated = reply(award("a", 0), award("b", 0), award("c", 24, DEPOSIT), faults=[fault("g")])
    other = reply(award("a", 0), award("b", 0), award("c", 20, DEPOSIT), faults=[fault("g")])
    same = marks(BELOW, gated, gated)
    assert [mark.points for mark in same] == [14, 14]
    assert combine(same, "mean").points == 14
    assert combine(same[:1], "mean") == same[0]
    assert combine(marks(BELOW, gated, other), "mean").points == 12


@given(REPLIES, st.integers(1, 4), st.sampled_from(["mean", "median", "majority"]))
def test_graders_who_agree_make_the_mark_of_each(text: str, graders: int, how: How) -> None:
    [alone] = marks(EVERYTHING, text)
    assert combine([alone] * graders, how) == alone
