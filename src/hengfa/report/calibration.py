"""Calibration for a person: how far graders agree with people, and people with each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table

from hengfa.grading.people.calibration import FEW, Agreement, Calibration
from hengfa.grading.people.calibration_figures import FIGURES, Estimate
from hengfa.report.table import plain_console, printable

_TITLES: Final = {
    "totals": "totals of submissions, in percent of the maximum",
    "items": "single items, in percent of their maximum",
    "model means": "means of models",
}
_HEADINGS: Final = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "mae": "MAE",
    "bias": "bias",
    "kappa": "κ",
}
_LEAST_SHOWN: Final = 5
"""A dimension of fewer submissions is left to --json."""


def print_calibration(found: Calibration) -> None:
    console = plain_console()
    parts = (
        ("Graders against people", found.graders),
        ("People among themselves", found.people),
        ("Graders among themselves", found.between_graders),
    )
    for heading, agreements in parts:
        for level, title in _TITLES.items():
            rows = [one for one in agreements if one.level == level]
            shown = [one for one in rows if not one.dimension or one.submissions >= _LEAST_SHOWN]
            if shown:
                console.print(f"{heading}: {title}", style="italic")
                console.print(_table(shown))
            if left := len(rows) - len(shown):
                console.print(
                    f"{left} rows of dimensions with fewer than {_LEAST_SHOWN} submissions: "
                    "--json has them"
                )
    _print_notes(console, found)


def _table(rows: Sequence[Agreement]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("rater", overflow="fold")
    table.add_column("of", overflow="fold")
    table.add_column("n", justify="right", no_wrap=True)
    for name in FIGURES:
        table.add_column(_HEADINGS[name], justify="right", no_wrap=True)
    for one in rows:
        rater = one.rater if one.against == "people" else f"{one.rater}\n/ {one.against}"
        of = " · ".join(filter(None, (one.task, one.dimension))) or "all"
        n = f"{one.n}{'*' if one.few else ''}"
        figures = [show_estimate(name, one.figures[name]) for name in FIGURES]
        table.add_row(printable(rater), printable(of), n, *figures)
    return table


def show_estimate(name: str, estimate: Estimate) -> str:
    """`0.81` with its interval below, `–` where it is not defined."""
    if estimate.value is None:
        return "–"
    digits = 1 if name in {"mae", "bias"} else 2
    sign = "+" if name == "bias" else ""
    shown = f"{_no_minus_zero(estimate.value, digits):{sign}.{digits}f}"
    if estimate.low is None or estimate.high is None:
        return shown
    low, high = (_no_minus_zero(one, digits) for one in (estimate.low, estimate.high))
    return f"{shown}\n{low:{sign}.{digits}f}…{high:{sign}.{digits}f}"


def _no_minus_zero(value: float, digits: int) -> float:
    return round(value, digits) + 0.0


def _print_notes(console: Console, found: Calibration) -> None:
    everything = (*found.graders, *found.people, *found.between_graders)
    console.print(
        f"Below each figure: 95 % of {found.resamples:,} resamples of submissions (seed "
        f"{found.seed}). Bias: rater less target."
    )
    if any(one.few for one in everything):
        console.print(
            f"* of fewer than {FEW} submissions or models: too few to rely on, and such intervals "
            "are usually too narrow"
        )
    for why in dict.fromkeys(_reasons(everything)):
        console.print(printable(why))
    for rater, count in found.blank.items():
        console.print(
            printable(f"{rater}: {count} items are not scored; they are compared with nothing")
        )
    for rater, count in found.incomplete.items():
        console.print(
            printable(f"{rater}: {count} submissions have no total, since items are missing")
        )
    alone = found.unmatched
    for count, who, example in (
        (alone.only_people, "people", alone.example_people),
        (alone.only_graders, "graders", alone.example_graders),
    ):
        if count and example:
            one = f"submission {example[0]}, item {example[1]}"
            console.print(printable(f"{count} items are scored by {who} only, such as {one}"))


def _reasons(agreements: Iterable[Agreement]) -> Iterable[str]:
    for one in agreements:
        of = " · ".join(filter(None, (one.task, one.dimension))) or "all"
        reasons: dict[str, list[str]] = {}
        for name, estimate in one.figures.items():
            if estimate.why:
                reasons.setdefault(estimate.why, []).append(_HEADINGS[name])
        shown = one.submissions >= _LEAST_SHOWN or not one.dimension
        for why, names in reasons.items() if shown else ():
            yield f"{one.rater}, {of}, {one.level}: {', '.join(names)}: {why}"


def as_document(found: Calibration) -> object:
    """All of it for a program; pairs are for pictures."""
    document = msgspec.to_builtins(found)
    del document["pairs"]
    return document
