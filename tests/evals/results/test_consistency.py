"""Rules that recompute printed figures: each on rows worked out by hand."""

from __future__ import annotations

from fractions import Fraction

from hengfa.evals.results.published.consistency import (
    F1,
    AtMost,
    Counted,
    Grid,
    Outcome,
    Range,
    Rule,
    Same,
    Tables,
    Total,
    Weighted,
    mean,
)
from hengfa.evals.results.published.papers import PublishedRun


def row(model: str = "m", setting: str = "s", **printed: str) -> PublishedRun:
    return PublishedRun(model, model.upper(), setting, "table 1", {}, {}, printed)


def check(rule: Rule, one: PublishedRun, tables: Tables | None = None) -> Outcome:
    outcome = rule.check(one, tables or {})
    assert outcome is not None
    return outcome


def test_a_mean_that_no_rounding_explains_does_not_fit() -> None:
    rule = mean("all", ("a", "b"), "mean")
    assert check(rule, row(a="1.0", b="2.0", all="1.5")).fits
    assert check(rule, row(a="1.0", b="2.0", all="1.6")).fits  # 1.55 is the end of both ranges
    assert not check(rule, row(a="1.0", b="2.0", all="1.7")).fits


def test_a_row_that_lacks_a_number_is_not_checked() -> None:
    assert mean("all", ("a", "b"), "mean").check(row(a="1.0", all="1.5"), {}) is None
    assert F1("f", "p", "r").check(row(p="0.5", f="0.5"), {}) is None


def test_weights_may_be_printed_themselves() -> None:
    # 2 tasks with 1.5 keys (3) and 1 task with 3.0 keys (3): lengths 4 and 8 make 6
    rule = Weighted("all", ("x", "y"), ((2, "keys_x"), (1, "keys_y")), "mean over keys")
    one = row(x="4.0", y="8.0", keys_x="1.50", keys_y="3.00", all="6.0")
    assert check(rule, one).fits
    assert not check(rule, row(**{**one.printed, "all": "5.5"})).fits


def test_f1_is_taken_from_precision_and_recall() -> None:
    rule = F1("f", "p", "r")
    assert check(rule, row(p="0.7649", r="0.7356", f="0.7500")).fits
    outcome = check(rule, row(p="0.7649", r="0.7356", f="0.7502"))
    assert not outcome.fits
    assert outcome.possible is not None
    assert 0.7499 < float(outcome.possible.low) < float(outcome.possible.high) < 0.7501


def test_totals_add_and_multiply_and_counts_are_not_rounded() -> None:
    rule = Total("documents", ("train", "test"), "sum")
    assert check(rule, row(documents="2505", train="2004", test="501")).fits
    assert not check(rule, row(documents="2506", train="2004", test="501")).fits
    product = Total("items", ("questions", "each"), "product", product=True, unit=1000)
    assert check(product, row(questions="750", each="14.1", items="11000")).fits
    assert not check(product, row(questions="60", each="21", items="100")).fits


def test_an_accuracy_must_be_a_share_of_its_items() -> None:
    rule = Grid("a", Fraction(100, 485), "accuracy", only="zero_shot")
    assert check(rule, row(setting="zero_shot", a="41.65")).fits  # 202 of 485
    assert not check(rule, row(setting="zero_shot", a="41.60")).fits
    assert rule.check(row(setting="one_shot", a="41.60"), {}) is None


def test_how_many_ratings_means_can_be_of() -> None:
    rule = Counted("n", ("a", "b"), step=10, stated=20, says="ratings")
    # thirds and halves: 6 ratings, or 12, or 18; not 20
    outcome = check(rule, row(a="6.67", b="5.00"))
    assert outcome == Outcome("20", Range(Fraction(6), Fraction(18)), fits=False)
    assert check(rule, row(a="5.00", b="7.50")).fits
    assert check(rule, row(a="6.67", b="8.57")).possible is None  # thirds and sevenths: 21


def test_a_bound_holds_within_rounding() -> None:
    rule = AtMost("low", "high", "bound")
    assert check(rule, row(low="0.51", high="0.50")).fits
    assert not check(rule, row(low="0.52", high="0.50")).fits


def test_a_number_that_is_printed_twice_must_be_the_same() -> None:
    tables = {"other": [row("m", "s", a="55.2"), row("m", "t", a="10.0")]}
    rule = Same("a", "again", table="other")
    assert check(rule, row("m", "s", a="55.20"), tables).fits
    assert not check(rule, row("m", "t", a="55.20"), tables).fits
    assert rule.check(row("n", "s", a="55.20"), tables) is None
    assert not check(
        Same("keys", "listed", column="keys_listed"), row(keys="8", keys_listed="9")
    ).fits


def test_of_several_versions_the_one_counts_that_agrees_with_most_columns() -> None:
    versions = [
        row("m", "old", a="0.100000", b="0.200000", c="0.300000"),
        row("m", "new", a="0.100000", b="0.900000", c="0.900000"),
    ]
    rule = Same("c", "released", table="v", versions=True, among=("a", "b", "c"))
    assert check(rule, row(a="0.10", b="0.20", c="0.30"), {"v": versions}).fits
    # two columns are of the old version, so the third must be too, though the new one has it
    assert not check(rule, row(a="0.10", b="0.20", c="0.90"), {"v": versions}).fits
