"""Graders against people: what is compared with what, worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hengfa.base.errors import DataError
from hengfa.evals.grading.people.calibration import Agreement, Calibration, calibrate
from hengfa.evals.grading.people.score_table import NOT_COUNTED, ScoreRow


def rows(
    rater: str, table: Mapping[str, Sequence[float | None]], *, model: str = "", task: str = "t"
) -> list[ScoreRow]:
    """Submissions with two items, of 4 points in dimension A and of 6 in dimension B."""
    return [
        ScoreRow(name, task, dimension, item, maximum, value, rater, model=model)
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


def compare(human: list[ScoreRow], graded: list[ScoreRow]) -> Calibration:
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
    total = the(found.graders, level="totals", dimension="", against="people")
    assert total.figures["mae"].value == pytest.approx(0)  # the means are 90, 10 and 50
    alone = the(found.people, level="totals", rater="x", against="the others")
    # x has 100 0 50, the mean of the others 85 (80, 90), 15 (20, 10), 50
    assert alone.figures["mae"].value == pytest.approx((15 + 15 + 0) / 3)
    pair = the(found.people, level="totals", rater="x", against="y")
    assert pair.figures["mae"].value == pytest.approx((20 + 20 + 0) / 3)
    assert the(found.people, level="totals", rater="y", against="z").n == 2


def test_a_rater_is_held_against_the_group_and_against_the_others() -> None:
    """Totals in percent: x 100 0 50, y 80 20 50, z 90 10 and nothing, the grader 90 10 50."""
    human = [
        *rows("x", {"a": [4, 6], "b": [0, 0], "c": [2, 3]}),
        *rows("y", {"a": [4, 4], "b": [0, 2], "c": [2, 3]}),
        *rows("z", {"a": [4, 5], "b": [0, 1]}),
    ]
    graded = rows("g", {"a": [4, 5], "b": [0, 1], "c": [2, 3]})
    found = compare(human, graded)
    # the group has 90 10 50, the rater among them: nearer than the others are (85 15 50)
    group = the(found.people, level="totals", rater="x", against="the group")
    assert group.figures["mae"].value == pytest.approx((10 + 10 + 0) / 3)
    others = the(found.people, level="totals", rater="x", against="the others")
    assert others.figures["mae"].value == pytest.approx((15 + 15 + 0) / 3)
    # the grader against those same others, and only where that person scored
    beside = the(found.graders, level="totals", against="people but x")
    assert beside.n == 3
    assert beside.figures["mae"].value == pytest.approx((5 + 5 + 0) / 3)
    assert the(found.graders, level="totals", against="people but z").n == 2
    among = compare(rows("h", HUMAN), [*rows("g", GRADED), *rows("k", HUMAN)]).between_graders
    assert {(one.rater, one.against) for one in among} == {
        ("g", "the group"), ("k", "the group"), ("g", "k"),
    }  # fmt: skip


def test_a_person_and_a_grader_may_have_one_name() -> None:
    found = compare(rows("x", {**HUMAN, "e": [1, None]}), rows("x", {**GRADED, "e": [None, 2]}))
    [same] = found.same_items
    assert (same.raters, same.items) == (("x", "x"), 8)
    assert (found.blank, found.incomplete) == ({"x": 2}, {"x": 2})


def test_nobody_is_a_group_alone() -> None:
    """What one person scored says nothing of a group, in which it would agree with itself."""
    human = [*rows("x", HUMAN), *rows("y", {"a": [4, 6]})]
    found = compare(human, rows("g", GRADED))
    assert the(found.people, level="totals", rater="x", against="the group").n == 1


def test_items_with_the_same_points_are_counted() -> None:
    human = [*rows("x", HUMAN), *rows("y", HUMAN), *rows("z", HUMAN)]
    found = compare(human, rows("g", GRADED))
    by = {one.raters: one for one in found.same_items}
    everybody = by["x", "y", "z"]
    assert (everybody.items, everybody.submissions, everybody.same, everybody.alpha) == (
        8, 4, None, 1,
    )  # fmt: skip
    with_grader = by["x", "g"]
    assert with_grader.same is not None
    # a: i1; b: i1; c: i2; d: i2
    assert with_grader.same.value == pytest.approx(100 * 4 / 8)
    assert with_grader.same.low is not None
    assert with_grader.same.low < 50
    one = [1, 1, 0.5, 0.5, 0, 0, 1, 0]
    other = [1, 5 / 6, 0.5, 2 / 3, 0.25, 0, 0.5, 0]
    apart = sum((x - y) ** 2 for x, y in zip(one, other, strict=True))
    spread = sum((share - sum(one + other) / 16) ** 2 for share in one + other)
    assert with_grader.alpha == pytest.approx(1 - apart / (spread * 16 / 15))


def test_several_graders_each_have_rows_and_are_compared_with_each_other() -> None:
    graded = [*rows("g", GRADED), *rows("k", HUMAN)]
    found = compare(rows("h", HUMAN), graded)
    perfect = the(found.graders, level="totals", rater="k", dimension="")
    assert perfect.figures["kappa"].value == pytest.approx(1)
    between = the(found.between_graders, level="totals", against="k")
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
    graded.append(ScoreRow("a", "t", "A", "*s", 0, -1, "g"))
    graded.append(ScoreRow("a", "t", "", "*", 0, -2, "g"))
    after = compare(human, graded)

    def mae(found: Calibration, level: str, dimension: str = "") -> float:
        value = the(found.graders, level=level, dimension=dimension).figures["mae"].value
        assert value is not None
        return value

    assert mae(after, "items") == mae(before, "items")
    assert mae(after, "totals") == pytest.approx(mae(before, "totals") + 30 / 4)
    assert mae(after, "totals", "A") == pytest.approx(mae(before, "totals", "A") + 25 / 4)


def overall(
    rater: str, values: Mapping[str, float], flags: tuple[str, ...] = (NOT_COUNTED,)
) -> list[ScoreRow]:
    """CLaw's rating beside the dimensions."""
    return [
        ScoreRow(name, "t", "overall", "o", 100, value, rater, flags=flags)
        for name, value in values.items()
    ]


RATED_BY_PEOPLE = {"a": 90.0, "b": 50.0, "c": 10.0, "d": 30.0}
RATED_BY_GRADER = {"a": 88.0, "b": 60.0, "c": 20.0, "d": 30.0}


@pytest.mark.parametrize("flags", [(NOT_COUNTED,), ()])
def test_an_overall_rating_is_what_is_compared_first(flags: tuple[str, ...]) -> None:
    """Sums of dimensions differ by -2.5, overall ratings by +4.5; a table by hand has no flags."""
    human = [*rows("h", HUMAN), *overall("h", RATED_BY_PEOPLE, flags)]
    found = compare(human, [*rows("g", GRADED), *overall("g", RATED_BY_GRADER)])
    first = found.graders[0]
    assert (first.level, first.dimension, first.n) == ("overall", "", 4)
    assert first.figures["bias"].value == pytest.approx((-2 + 10 + 10 + 0) / 4)
    sums = the(found.graders, level="totals", dimension="")
    assert sums.figures["bias"].value == pytest.approx(-2.5)
    assert found.rated == 4
    # it is no dimension and no item
    assert {one.dimension for one in found.graders} == {"", "A", "B"}
    assert the(found.graders, level="items", dimension="").n == 8
    assert {one.of for one in found.pairs} == {"", "sum of items", "t · A", "t · B"}
    pair = next(one for one in found.pairs if one.submission == "a" and not one.of)
    assert (pair.target, pair.rated) == (90, 88)


def test_an_overall_rating_makes_the_means_of_models() -> None:
    human = [*rows("h", HUMAN), *overall("h", RATED_BY_PEOPLE)]
    graded = [*rows("g", GRADED), *overall("g", RATED_BY_GRADER)]
    found = calibrate(human, graded, models=dict(zip("abcd", "mmnn", strict=True)), resamples=100)
    means = the(found.graders, level="model means")
    # of m 70 and 74, of n 20 and 25; of the sums it would be 75 and 75, 20 and 15
    assert means.figures["bias"].value == pytest.approx((4 + 5) / 2)


def test_two_items_beside_the_total_are_no_overall_rating() -> None:
    def beside(rater: str) -> list[ScoreRow]:
        return [
            ScoreRow(name, "t", item, item, 10, 5, rater, flags=(NOT_COUNTED,))
            for name in HUMAN
            for item in ("style", "length")
        ]

    found = compare([*rows("h", HUMAN), *beside("h")], [*rows("g", GRADED), *beside("g")])
    assert found.rated == 0
    assert {one.level for one in found.graders} == {"totals", "items"}
    assert the(found.graders, level="totals", dimension="").figures["mae"].value == pytest.approx(
        12.5
    )
    assert the(found.graders, level="totals", dimension="style").n == 4


def totals(rater: str, values: Mapping[str, float], maximum: float = 10) -> list[ScoreRow]:
    return [ScoreRow(name, "", "", "", maximum, value, rater) for name, value in values.items()]


PEOPLES_TOTALS = {"a": 10.0, "b": 5.0, "c": 0.0, "d": 4.0}
GRADERS_TOTALS = {"a": 9.0, "b": 6.0, "c": 1.0, "d": 2.0}


@pytest.mark.parametrize("human", [totals("h", PEOPLES_TOTALS), rows("h", HUMAN)])
@pytest.mark.parametrize("graded", [totals("g", GRADERS_TOTALS), rows("g", GRADED)])
def test_totals_are_compared_as_sums_of_items_are(
    human: list[ScoreRow], graded: list[ScoreRow]
) -> None:
    with_items = compare(rows("h", HUMAN), rows("g", GRADED))
    found = compare(human, graded)
    assert the(found.graders, level="totals", dimension="") == the(
        with_items.graders, level="totals", dimension=""
    )
    only = {score.rater for score in (*human, *graded) if not score.item}
    assert found.only_totals == dict.fromkeys(sorted(only, reverse=True), 4)
    assert (found.incomplete, found.rescaled) == ({}, {})
    assert (found.unmatched.only_people, found.unmatched.only_graders) == (0, 0)
    if only:
        assert {one.level for one in found.graders} == {"totals"}
        assert found.same_items == ()


def test_a_total_takes_its_task_from_whoever_knows_it() -> None:
    graded = [*rows("g", {"a": [4, 5]}, task="t"), *rows("g", {"b": [2, 4]}, task="u")]
    found = compare(totals("h", PEOPLES_TOTALS), graded)
    assert the(found.graders, level="totals", task="u").figures["bias"].value == pytest.approx(10)
    assert found.unmatched.only_people == 2
    assert found.unmatched.example_people == ("c", "")


def test_a_total_is_a_share_of_its_own_maximum_and_that_is_said() -> None:
    hundred = {name: 10 * value for name, value in PEOPLES_TOTALS.items()}
    found = compare(totals("h", hundred, 100), rows("g", GRADED))
    assert the(found.graders, level="totals").figures["mae"].value == pytest.approx(12.5)
    assert found.rescaled == dict.fromkeys(HUMAN, (10, 100))


def test_a_total_of_what_has_an_overall_rating_is_one() -> None:
    graded = [*rows("g", GRADED), *overall("g", RATED_BY_GRADER)]
    found = compare(totals("h", RATED_BY_PEOPLE, 100), graded)
    assert the(found.graders, level="overall").figures["bias"].value == pytest.approx(4.5)
    assert [one.level for one in found.graders] == ["overall"]
    assert found.rescaled == {}


def test_who_rates_overall_and_scores_no_dimension_has_begun_no_sum() -> None:
    graded = [*rows("g", GRADED), *overall("g", RATED_BY_GRADER)]
    found = compare(overall("h", RATED_BY_PEOPLE), graded)
    assert found.incomplete == {}
    mixed = [*rows("h", HUMAN), *overall("h", {"a": 90.0})]
    assert compare(mixed, graded).incomplete == {"h": 3}


def test_where_one_side_has_no_overall_ratings_sums_come_first() -> None:
    graded = [*rows("g", GRADED), *overall("g", RATED_BY_GRADER)]
    models = dict(zip("abcd", "mmnn", strict=True))
    found = calibrate(rows("h", HUMAN), graded, models=models, resamples=100)
    assert {one.level for one in found.graders} == {"totals", "items", "model means"}
    assert the(found.graders, level="totals", dimension="").figures["bias"].value == pytest.approx(
        -2.5
    )
    assert found.incomplete == {}
    assert the(found.graders, level="items", dimension="").n == 8


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(st.integers(0, 4), st.integers(0, 6))),
    st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(st.integers(0, 4), st.integers(0, 6))),
    st.sets(st.sampled_from("abcdefgh")),
)
@settings(deadline=None, max_examples=30)
def test_it_never_matters_who_gives_totals_instead_of_items(
    human: dict[str, tuple[int, int]], graded: dict[str, tuple[int, int]], as_totals: set[str]
) -> None:
    assume(human.keys() & graded.keys())
    items = [*rows("h", human)]
    mixed = [row for row in items if row.submission not in as_totals]
    mixed += totals("h", {name: float(sum(human[name])) for name in as_totals & human.keys()})
    expected, found = (calibrate(side, rows("g", graded), resamples=10) for side in (items, mixed))
    wanted = {"level": "totals", "dimension": ""}
    assert the(found.graders, **wanted) == the(expected.graders, **wanted)


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
        calibrate([ScoreRow("a", "", "", "i", 4, 1, "h")], [ScoreRow("a", "", "", "i", 5, 1, "g")])
    with pytest.raises(DataError, match="share no item"):
        calibrate([ScoreRow("a", "", "", "i", 4, 1, "h")], [ScoreRow("b", "", "", "i", 4, 1, "g")])
    with pytest.raises(DataError, match="share no submission"):
        calibrate([ScoreRow("a", "", "", "", 4, 1, "h")], [ScoreRow("b", "", "", "", 4, 1, "g")])
    with pytest.raises(DataError, match="HUMAN: nothing has points"):
        calibrate(
            [ScoreRow("a", "", "", "i", 4, None, "h")], [ScoreRow("a", "", "", "i", 4, 1, "g")]
        )


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
