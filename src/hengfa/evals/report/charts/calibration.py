"""The picture of a calibration: each submission by people and by the grader, and how they differ.

Left, the grader against people with the diagonal of perfect agreement. Right, after Bland and
Altman, the difference against the mean of both: whether a grader is too generous, and whether that
depends on how good the response is. The lines are the mean difference and 1.96 standard deviations
around it. One row for all, and one for each task and each dimension of it; where there are overall
ratings, all is of them, and the sums of items have a row of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from hengfa.evals.grading.people.calibration import Pair
from hengfa.evals.report.charts.vega import (
    SCHEMA,
    SERIES,
    Drawing,
    Spec,
    channel,
    layer,
    number_axis,
    tooltip,
)

_FEWEST: Final = 5
_MOST_ROWS: Final = 12
_SIZE: Final = 260
_ALL: Final = "all"
_PERCENT: Final = (0.0, 100.0)
_PALE: Final = {"strokeDash": [4, 4]}


def plot_calibration(pairs: Sequence[Pair], file: Path) -> list[str]:
    """Draw into a .svg, .png or .html file; returns notices for the person."""
    rows, notices = _panels(pairs)
    raters = list(dict.fromkeys(str(row["rater"]) for row in rows))
    panels: list[Spec] = []
    for panel in dict.fromkeys(row["panel"] for row in rows):
        values = [row for row in rows if row["panel"] == panel]
        sides = [_agreement(panel, raters), _difference(raters)]
        panels.append({"data": {"values": values}, "hconcat": sides})
    return notices + Drawing().save({"$schema": SCHEMA, "vconcat": panels}, file)


def _panels(pairs: Sequence[Pair]) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows of the picture, with the lines of each grader in each; and what is left out."""
    groups: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        groups.setdefault((pair.of or _ALL, pair.rater), []).append(pair)
    large = {key: group for key, group in groups.items() if len(group) >= _FEWEST or key[0] == _ALL}
    names = list(dict.fromkeys(panel for panel, _ in large))
    notices = []
    left_out = len({panel for panel, _ in groups}) - min(len(names), _MOST_ROWS)
    if left_out:
        few = f"of fewer than {_FEWEST} submissions, or beyond the first {_MOST_ROWS}"
        notices.append(f"{left_out} tasks or dimensions are not in the picture: {few}")
    rows: list[dict[str, Any]] = []
    for (panel, _), group in large.items():
        if panel not in names[:_MOST_ROWS]:
            continue
        apart = np.array([pair.rated - pair.target for pair in group])
        middle, spread = float(apart.mean()), 1.96 * float(apart.std(ddof=min(1, len(apart) - 1)))
        lines = {"middle": middle, "lower": middle - spread, "upper": middle + spread}
        for pair in group:
            numbers = {
                "people": pair.target,
                "graded": pair.rated,
                "mean": (pair.target + pair.rated) / 2,
                "difference": pair.rated - pair.target,
                **lines,
            }
            of = {"rater": pair.rater, "submission": pair.submission, "task": pair.task}
            rounded = {name: round(value, 3) for name, value in numbers.items()}
            rows.append({"panel": panel, **of, **rounded})
    return rows, notices


def _agreement(panel: str, raters: Sequence[str]) -> Spec:
    zero, hundred = {"datum": 0, "type": "quantitative"}, {"datum": 100}
    rule = {"type": "rule", "color": "#777", **_PALE}
    diagonal = layer(rule, x=zero, y=zero, x2=hundred, y2=hundred)
    dots = _dots(
        number_axis("people", "people, % of the maximum", _PERCENT),
        number_axis("graded", "grader, % of the maximum", _PERCENT),
        raters,
    )
    return {"title": panel, "width": _SIZE, "height": _SIZE, "layer": [diagonal, dots]}


def _difference(raters: Sequence[str]) -> Spec:
    lines = []
    for name, style in (("lower", _PALE), ("upper", _PALE), ("middle", {})):
        y = {"aggregate": "mean", "field": name, "type": "quantitative"}
        lines.append(layer({"type": "rule", **style}, y=y, color=_color(raters)))
    dots = _dots(
        number_axis("mean", "mean of both, %", _PERCENT),
        number_axis("difference", "grader less people, points of 100"),
        raters,
    )
    title = "difference (Bland–Altman)"
    return {"title": title, "width": _SIZE, "height": _SIZE, "layer": [*lines, dots]}


def _dots(x: Spec, y: Spec, raters: Sequence[str]) -> Spec:
    titles = {name: name for name in ("submission", "task", "rater", "people", "graded")}
    dot = {"type": "circle", "size": 34, "opacity": 0.55}
    return layer(dot, x=x, y=y, color=_color(raters), tooltip=tooltip(**titles))


def _color(raters: Sequence[str]) -> Spec:
    scale = {"domain": list(raters), "range": list(SERIES)}
    return channel("rater", "nominal", title="grader", scale=scale)
