"""Points: what a score costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hengfa.report.charts.parts import chart, number_axis, per_cent, tooltip
from hengfa.report.charts.theme import SERIES, Spec


@dataclass(frozen=True, slots=True)
class Point:
    name: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class PointWords:
    x: str
    y: str
    name: str


def scatter(points: Sequence[Point], words: PointWords) -> Spec:
    """A point with its name for each model; the horizontal axis is logarithmic where it spans more
    than a factor of twenty, because models differ that much in price."""
    values = [{"name": one.name, "x": one.x, "y": per_cent(one.y)} for one in points]
    smallest, largest = min(one.x for one in points), max(one.x for one in points)
    x = number_axis("x", words.x)
    if smallest > 0 and largest > 20 * smallest:
        x["scale"] = {"type": "log", "nice": True}
    encoding = {
        "x": x,
        "y": number_axis("y", words.y),
        "tooltip": tooltip(name=words.name, x=words.x, y=words.y),
    }
    return chart(
        values,
        height=320,
        layer=[
            {
                "mark": {
                    "type": "point",
                    "filled": True,
                    "size": 80,
                    "color": SERIES[0],
                    "opacity": 1,
                },
                "encoding": encoding,
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 8, "dy": -4, "fontSize": 11},
                "encoding": {**encoding, "text": {"field": "name"}},
            },
        ],
    )
