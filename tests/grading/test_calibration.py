"""Graders against people: what is compared with what, worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from hengfa.errors import DataError
from hengfa.grading.people.calibration import Agreement, Calibration, calibrate
from hengfa.grading.people.score_table import NOT_COUNTED, Score


def rows(
    rater: str, table: Mapping[str, Sequence[float | None]], *, model: str = "", task: str = "t"
) -> list[Score]:
    """Submissions with two items, of 4 points in dimension A and of 6 in dimension B."""
    return [
        Score(name, task, dimension, item, maximum, value, rater, model=model)
        for name, values in table.items()
        for value, (dimension, item, maximum) in zip(
            values, (("A", "i1", 4.0), ("B", "i2", 6.0)), strict=True
        )
    ]


def the(found: tuple[Agreement, ...], **wanted: object) -> Agreement:
    matching = [
        one for one in found if all(getattr(one, name) == value for name, value in wanted.items())
    ]
    assert len(matching) == 1, matching
    return matching[0]


def compare(human: list[Score], graded: list[Score]) -> Calibration:
    return calibrate(human, graded, resamples=200)


HUMAN = {"a": [4.0, 6.0], "b": [2.0, 3.0], "c": [0.0, 0.0], "d": [4.0, 0.0]}
GRADED = {"a": [4.0, 5.0], "b": [2.0, 4.0], "c": [1.0, 0.0], "d": [2.0, 0.0]}


def test_totals_are_shares_of_the_maximum() -> None:
    """People 100 50 0 40 %, grader 90 60 10 20 %."""
    found = compare(rows("h", HUMAN), rows("g", GRADED))
    total = the(found.graders, level="totals", task="", dimension="")
    assert (total.n, total.submissions, total.rater, total.against) == (4, 4, "g", "people")
    assert total.figures["mae"].value == pytest.approx((10 + 10 + 10 + 20) / 4)
    assert total.figures["bias"].value == pytest.approx((-10 + 10 + 10 - 20) / 4)
    # same order throughout: 100 > 50 > 40 > 0 and 90 > 60 > 20 > 10
    assert total.figures["spearman"].value == pytest.approx(1)
    assert total.figures["kendall"].value == pytest.approx(1)
    # means 47.5, 45; deviations 52.5 2.5 -47.5 -7.5 and 45 15 -35 -25
    # products 2362.5 + 37.5 + 1662.5 + 187.5 = 4250; squares 5075, 4100
    assert total.figures["pearson"].value == pytest.approx(4250 / (5075 * 4100) ** 0.5)
    # squared distances 100 + 100 + 100 + 400 = 700, by chance 5075 + 4100 + 4 * 2.5**2 = 9200
    assert total.figures["kappa"].value == pytest.approx(1 - 700 / 9200)
    assert total.few


def test_items_and_dimensions_are_compared_by_themselves() -> None:
    found = compare(rows("h", HUMAN), rows("g", GRADED))
    items = the(found.graders, level="items", task="", dimension="")
    assert (items.n, items.submissions) == (8, 4)
    # i1: 0 0 25 50, i2: 1/6 1/6 0 0 of 100
    assert items.figures["mae"].value == pytest.approx((75 + 100 / 3) / 8)
    first = the(found.graders, level="totals", dimension="A")
    assert first.figures["bias"].value == pytest.approx((0 + 0 + 25 - 50) / 4)
    # there is one task, so there is no row of its own for it
    assert {(one.task, one.dimension) for one in found.graders} == {
        ("", ""), ("t", "A"), ("t", "B"),
    }  # fmt: skip


def test_the_target_is_the_mean_of_people_and_they_are_compared_with_each_other() -> None:
    human = [
        *rows("x", {"a": [4, 6], "b": [0, 0], "c": [2, 3]}),
        *rows("y", {"a": [4, 4], "b": [0, 2], "c": [2, 3]}),
        *rows("z", {"a": [4, 5], "b": [0, 1]}),
    ]
    found = compare(human, rows("g", {"a": [4, 5], "b": [0, 1], "c": [2, 3]}))
    total = the(found.graders, level="totals", dimension="")
    assert total.figures["mae"].value == pytest.approx(0)  # the means are 90, 10 and 50
    alone = the(found.people, level="totals", rater="x", against="the others")
    # x has 100 0 50, the mean of the others 85 (80, 90), 15 (20, 10), 50
    assert alone.figures["mae"].value == pytest.approx((15 + 15 + 0) / 3)
    pair = the(found.people, level="totals", rater="x", against="y")
    assert pair.figures["mae"].value == pytest.approx((20 + 20 + 0) / 3)
    assert the(found.people, level="totals", rater="y", against="z").n == 2


def test_several_graders_each_have_rows_and_are_compared_with_each_other() -> None:
    graded = [*rows("g", GRADED), *rows("k", HUMAN)]
    found = compare(rows("h", HUMAN), graded)
    perfect = the(found.graders, level="totals", rater="k", dimension="")
    assert perfect.figures["kappa"].value == pytest.approx(1)
    between = the(found.between_graders, level="totals")
    assert (between.rater, between.against) == ("g", "k")
    assert between.figures["mae"].value == pytest.approx(12.5)
    assert not found.people


def test_means_of_models_come_next_to_single_ratings() -> None:
    tables: dict[str, dict[str, list[float]]] = {
        "m1": {"a": [4, 6], "b": [2, 3]},
        "m2": {"c": [0, 0], "d": [4, 0]},
        "m3": {"e": [4, 2], "f": [2, 2]},
    }
    human = [row for table in tables.values() for row in rows("h", table)]
    graded = [row for model, table in tables.items() for row in rows("g", table, model=model)]
    worse = [
        row
        for model in tables
        for row in rows("k", {n: [0, 3] for n in tables[model]}, model=model)
    ]
    found = compare(human, [*graded, *worse])
    means = the(found.graders, level="model means", rater="g")
    assert (means.n, means.submissions) == (3, 6)
    assert means.figures["pearson"].value == pytest.approx(1)
    constant = the(found.graders, level="model means", rater="k")
    assert constant.figures["pearson"].value is None
    assert "the same" in constant.figures["pearson"].why
    assert the(found.between_graders, level="model means").n == 3


def test_what_is_not_scored_is_never_zero() -> None:
    human = rows("h", {**HUMAN, "e": [1, None]})
    found = compare(human, rows("g", {**GRADED, "e": [1, 2]}))
    total = the(found.graders, level="totals", dimension="")
    assert (total.n, the(found.graders, level="items", dimension="").n) == (4, 9)
    assert the(found.graders, level="totals", dimension="A").n == 5
    assert found.blank == {"h": 1}
    assert found.incomplete == {"h": 1}


def test_what_has_no_counterpart_is_counted_with_an_example() -> None:
    found = compare(
        rows("h", {**HUMAN, "x": [1, 1], "y": [1, 1]}), rows("g", {**GRADED, "z": [1, 1]})
    )
    assert (found.unmatched.only_people, found.unmatched.only_graders) == (4, 2)
    assert found.unmatched.example_people == ("x", "i1")
    assert found.unmatched.example_graders == ("z", "i1")
    assert the(found.graders, level="totals", dimension="").n == 4


def test_what_is_taken_from_the_whole_counts_in_totals_only() -> None:
    human, graded = rows("h", HUMAN), rows("g", GRADED)
    before = compare(human, graded)
    graded.append(Score("a", "t", "A", "*s", 0, -1, "g"))
    graded.append(Score("a", "t", "", "*", 0, -2, "g"))
    after = compare(human, graded)

    def mae(found: Calibration, level: str, dimension: str = "") -> float:
        value = the(found.graders, level=level, dimension=dimension).figures["mae"].value
        assert value is not None
        return value

    assert mae(after, "items") == mae(before, "items")
    assert mae(after, "totals") == pytest.approx(mae(before, "totals") + 30 / 4)
    assert mae(after, "totals", "A") == pytest.approx(mae(before, "totals", "A") + 25 / 4)


def test_an_item_beside_the_total_stays_beside_it() -> None:
    def beside(rater: str, values: dict[str, float]) -> list[Score]:
        return [
            Score(name, "t", "overall", "o", 100, value, rater, flags=(NOT_COUNTED,))
            for name, value in values.items()
        ]

    human = [*rows("h", HUMAN), *beside("h", {"a": 90, "b": 50, "c": 10, "d": 30})]
    graded = [*rows("g", GRADED), *beside("g", {"a": 80, "b": 60, "c": 20, "d": 40})]
    found = compare(human, graded)
    assert the(found.graders, level="totals", dimension="").figures["mae"].value == pytest.approx(
        12.5
    )
    assert the(found.graders, level="totals", dimension="overall").figures[
        "mae"
    ].value == pytest.approx(10)


def test_with_two_submissions_there_are_distances_but_no_correlations() -> None:
    found = compare(rows("h", {"a": [4, 6], "b": [0, 0]}), rows("g", {"a": [4, 3], "b": [0, 0]}))
    total = the(found.graders, level="totals", dimension="")
    assert total.figures["mae"].value == pytest.approx(15)
    assert total.figures["mae"].low is None
    assert total.figures["pearson"].value is None
    assert total.figures["pearson"].why == "needs 3 submissions"


def test_a_grader_who_always_says_the_same_has_no_correlation() -> None:
    found = compare(rows("h", HUMAN), rows("g", {name: [2, 3] for name in HUMAN}))
    figures = the(found.graders, level="totals", dimension="").figures
    assert {figures[name].value for name in ("pearson", "spearman", "kendall")} == {None}
    assert figures["pearson"].why == "the rater gave all the same"
    assert figures["kappa"].value == pytest.approx(0, abs=0.1)


def test_an_interval_that_is_often_undefined_is_not_given() -> None:
    """One of four differs: about a third of the resamples lack it."""
    human = rows("h", {"a": [4, 6], "b": [0, 0], "c": [0, 0], "d": [0, 0]})
    found = compare(human, rows("g", HUMAN))
    estimate = the(found.graders, level="totals", dimension="").figures["pearson"]
    assert estimate.value is not None
    assert estimate.low is None
    assert "of resamples" in estimate.why


def test_the_same_seed_gives_the_same_intervals_whatever_stands_beside() -> None:
    one = compare(rows("h", HUMAN), rows("g", GRADED))
    other = compare(rows("h", HUMAN), [*rows("k", HUMAN), *rows("g", GRADED)])
    wanted = {"level": "totals", "rater": "g", "dimension": "A"}
    assert the(one.graders, **wanted) == the(other.graders, **wanted)
    assert calibrate(rows("h", HUMAN), rows("g", GRADED), seed=1, resamples=200) != one


def test_tables_of_different_rubrics_or_submissions_are_refused() -> None:
    with pytest.raises(DataError, match="the maximum is 4 in one row and 5 in another"):
        calibrate([Score("a", "", "", "i", 4, 1, "h")], [Score("a", "", "", "i", 5, 1, "g")])
    with pytest.raises(DataError, match="share no item"):
        calibrate([Score("a", "", "", "i", 4, 1, "h")], [Score("b", "", "", "i", 4, 1, "g")])
    with pytest.raises(DataError, match="HUMAN: no item has points"):
        calibrate([Score("a", "", "", "i", 4, None, "h")], [Score("a", "", "", "i", 4, 1, "g")])


def test_pairs_for_a_picture_are_totals_of_all_and_of_dimensions() -> None:
    found = compare(rows("h", HUMAN), rows("g", GRADED))
    assert len(found.pairs) == 4 * 3
    pair = next(one for one in found.pairs if one.submission == "b" and not one.of)
    assert (pair.target, pair.rated, pair.task) == (50, 60, "t")


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    human, graded = rows("h", HUMAN), rows("g", GRADED)
    found = calibrate(human, graded, resamples=10, progress=lambda *at: told.append(at))
    comparisons = len(found.graders) + len(found.people) + len(found.between_graders)
    assert told == [(done, comparisons) for done in range(1, comparisons + 1)]
