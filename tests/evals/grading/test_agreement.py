"""How far graders agree; hand-computed."""

from __future__ import annotations

import pytest

from hengfa.evals.grading.graded import agreement, pairwise
from hengfa.evals.grading.marking import mark
from hengfa.evals.grading.rubric import Mark
from tests.evals.grading.rubrics import (
    DEPOSIT,
    VALID,
    award,
    item,
    reply,
    rubric,
    section,
    sheet,
    submission,
)

GRADED_BY = rubric(section(item("a"), id="s"), section(item("b", 10), id="t"))


def given(**points: tuple[float | None, float | None]) -> dict[str, Mark]:
    """Marks by key; None is an item without an award."""
    return {
        key: mark(
            submission(GRADED_BY),
            sheet(
                reply(
                    *([] if a is None else [award("a", a, DEPOSIT)]),
                    *([] if b is None else [award("b", b, VALID)]),
                )
            ),
        )
        for key, (a, b) in points.items()
    }


ONE = given(k1=(5, 10), k2=(0, 5), k3=(5, 0), k4=(2, None), mine=(1, 1))
OTHER = given(k1=(5, 5), k2=(0, 5), k3=(0, 0), k4=(2, 3), theirs=(1, 1))


def test_two_graders() -> None:
    """Totals 15 5 5 and 10 5 0 of 15; items a: 5/5 0/0 5/0 2/2, b: 10/5 5/5 0/0."""
    found = agreement(ONE, OTHER)
    assert (found.submissions, found.items) == (3, 7)
    assert found.exact == pytest.approx(5 / 7)
    assert found.item_mae == pytest.approx((1 + 0.5) / 7)
    assert found.mae == pytest.approx(10 / 15 / 3)
    assert found.pearson == pytest.approx(50 / (200 / 3 * 50) ** 0.5)
    assert found.spearman == pytest.approx(1.5 / (1.5 * 2) ** 0.5)
    assert found.kendall == pytest.approx(2 / 6**0.5)
    assert found.kappa is not None
    assert 0 < found.kappa < 1


def test_only_steps_of_a_scale_have_a_kappa() -> None:
    fractions = given(k1=(4.5, 9.5), k2=(0.5, 0.5))
    assert agreement(fractions, fractions).kappa is None
    assert agreement(fractions, fractions).exact == 1
    whole = given(k1=(5, 10), k2=(0, 0))
    assert agreement(whole, whole).kappa == 1


def test_nothing_in_common_has_no_figures() -> None:
    found = agreement(ONE, {})
    assert (found.submissions, found.items, found.exact, found.mae) == (0, 0, None, None)


def test_panels_are_compared_two_by_two() -> None:
    found = pairwise({"x": ONE, "y": OTHER, "z": ONE})
    assert list(found) == [("x", "y"), ("x", "z"), ("y", "z")]
    assert found["x", "z"].exact == 1
