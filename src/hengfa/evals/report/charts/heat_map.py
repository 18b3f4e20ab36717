"""A heat map: rows of models, columns of tasks or kinds, a number in each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hengfa.evals.report.charts.theme import (
    DARK_TEXT,
    LIGHT_TEXT,
    ROW_HEIGHT,
    SCORES,
    Spec,
    chart,
    names_axis,
    per_cent,
    tooltip,
)

_MOST_FITTING = 10
_COLUMN_WIDTH = 36
"""With more columns than fit into a page, each is as wide as its number, and the page scrolls."""


@dataclass(frozen=True, slots=True)
class Square:
    """A cell: what is written in it, and how strongly it is coloured; both are fractions."""

    row: str
    column: str
    value: float
    shade: float
    about: str = ""


@dataclass(frozen=True, slots=True)
class HeatWords:
    row: str
    column: str
    value: str
    shade: str
    about: str = ""


def heat_map(
    squares: Sequence[Square],
    words: HeatWords,
    rows: Sequence[str],
    columns: Sequence[str],
    range_: Sequence[str] = SCORES,
) -> Spec:
    """Rows and columns in the order given; colours run from 0 to 100 %."""
    values = [
        {
            "row": square.row,
            "column": square.column,
            "value": per_cent(square.value),
            "text": f"{square.value * 100:.1f}",
            "shade": per_cent(square.shade),
            "about": square.about,
        }
        for square in squares
    ]
    x = {
        "field": "column",
        "type": "nominal",
        "sort": list(columns),
        "title": None,
        "axis": {"orient": "top", "labelAngle": -45, "labelLimit": 120, "domain": False},
    }
    y = names_axis(rows, "row")
    told = tooltip(row=words.row, column=words.column, value=words.value)
    if words.about:
        told += tooltip(about=words.about)
    legend: Spec | None = None  # the numbers in the cells say what colours mean
    if words.shade != words.value:
        told += tooltip(shade=words.shade)
        legend = {"title": words.shade, "orient": "bottom", "gradientLength": 180}
    colour = {
        "field": "shade",
        "type": "quantitative",
        "scale": {"domain": [0, 100], "range": list(range_), "clamp": True},
        "legend": legend,
    }
    rect = {
        "mark": {"type": "rect"},
        "encoding": {"x": x, "y": y, "color": colour, "tooltip": told},
    }
    text = {
        "mark": {"type": "text", "fontSize": 10},
        "encoding": {
            "x": x,
            "y": y,
            "text": {"field": "text"},
            "color": {
                "condition": {"test": "datum.shade > 45", "value": LIGHT_TEXT},
                "value": DARK_TEXT,
            },
            "tooltip": told,
        },
    }
    spec = chart(values, height=ROW_HEIGHT * len(rows), layer=[rect, text])
    if len(columns) > _MOST_FITTING:
        spec["width"] = {"step": _COLUMN_WIDTH}
    return spec
