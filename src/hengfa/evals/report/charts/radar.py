"""A radar: several abilities of a few models at once.

Vega-Lite has no polar axes, so the corners are computed here and drawn as lines between points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hengfa.evals.report.charts.theme import (
    SCHEMA,
    SERIES,
    Spec,
    chosen_in_legend,
    colours,
    pale_unless_chosen,
    per_cent,
    tooltip,
)

FEWEST_AXES: Final = 3
_RINGS: Final = (0.25, 0.5, 0.75, 1.0)
_GRID: Final = "#9aa5b1"
_WIDTH, _HEIGHT = 420, 330
_REACH: Final = 1.25
"""How far the picture reaches up and down, where the outer ring is 1; sideways by its shape."""


@dataclass(frozen=True, slots=True)
class Spoke:
    """A value on an axis; from 0 in the middle to 1 at the rim."""

    name: str
    axis: str
    value: float


@dataclass(frozen=True, slots=True)
class RadarWords:
    name: str
    axis: str
    value: str


def radar(spokes: Sequence[Spoke], words: RadarWords, axes: Sequence[str]) -> Spec:
    """A closed line for each name; one that lacks an axis is drawn without that corner."""
    if len(axes) < FEWEST_AXES:
        raise ValueError(f"a radar has at least {FEWEST_AXES} axes")
    names = list(dict.fromkeys(spoke.name for spoke in spokes))
    angles = {axis: 2 * math.pi * place / len(axes) for place, axis in enumerate(axes)}
    values = [
        {
            "name": spoke.name,
            "axis": spoke.axis,
            "value": per_cent(spoke.value),
            "order": axes.index(spoke.axis),
            **_point(angles[spoke.axis], min(1.0, max(0.0, spoke.value))),
        }
        for spoke in spokes
    ]
    colour = colours("name", names, SERIES, None)
    line = {
        "params": chosen_in_legend("name"),
        "mark": {"type": "line", "interpolate": "linear-closed", "strokeWidth": 2},
        "encoding": {
            **_XY,
            "order": {"field": "order"},
            "color": colour,
            "opacity": pale_unless_chosen(),
        },
    }
    dots = {
        "mark": {"type": "point", "filled": True, "size": 36},
        "encoding": {
            **_XY,
            "color": colour,
            "opacity": pale_unless_chosen(),
            "tooltip": tooltip(name=words.name, axis=words.axis, value=words.value),
        },
    }
    return {
        "$schema": SCHEMA,
        "width": _WIDTH,
        "height": _HEIGHT,
        "data": {"values": values},
        "layer": [*_web(list(angles.values())), *_labels(angles), line, dots],
    }


def _point(angle: float, radius: float) -> dict[str, float]:
    """Clockwise from the top."""
    return {
        "x": round(radius * math.sin(angle), 4),
        "y": round(radius * math.cos(angle), 4),
    }


def _scale(field: str, reach: float) -> Spec:
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [-reach, reach], "nice": False},
        "axis": None,
    }


_XY: Final[Spec] = {"x": _scale("x", _REACH * _WIDTH / _HEIGHT), "y": _scale("y", _REACH)}


def _web(angles: Sequence[float]) -> list[Spec]:
    """The rings, the spokes and the numbers on them."""
    rings = [
        {"ring": ring, "order": order, **_point(angle, ring)}
        for ring in _RINGS
        for order, angle in enumerate(angles)
    ]
    spokes = [{**_point(angle, 1.0), "x0": 0, "y0": 0} for angle in angles]
    marks = [{"text": f"{ring * 100:.0f}", **_point(0.0, ring)} for ring in _RINGS]
    return [
        {
            "data": {"values": rings},
            "mark": {
                "type": "line", "interpolate": "linear-closed", "strokeWidth": 0.7, "color": _GRID,
            },
            "encoding": {**_XY, "detail": {"field": "ring"}, "order": {"field": "order"}},
        },
        {
            "data": {"values": spokes},
            "mark": {"type": "rule", "strokeWidth": 0.7, "color": _GRID},
            "encoding": {
                "x": {**_XY["x"], "field": "x0"},
                "y": {**_XY["y"], "field": "y0"},
                "x2": {"field": "x"},
                "y2": {"field": "y"},
            },
        },
        _text(marks, {"align": "left", "dx": 4, "fontSize": 9, "opacity": 0.7}),
    ]  # fmt: skip


def _labels(angles: Mapping[str, float]) -> list[Spec]:
    """The names of the axes, outside of the rim, each turned away from it."""
    sides: dict[str, list[dict[str, Any]]] = {"left": [], "center": [], "right": []}
    for axis, angle in angles.items():
        across = math.sin(angle)
        side = "center" if abs(across) < 0.2 else "left" if across > 0 else "right"
        sides[side].append({"text": axis, **_point(angle, 1.1)})
    return [
        _text(labels, {"align": side, "fontSize": 12}) for side, labels in sides.items() if labels
    ]


def _text(values: Sequence[Mapping[str, Any]], mark: Spec) -> Spec:
    return {
        "data": {"values": list(values)},
        "mark": {"type": "text", "baseline": "middle", **mark},
        "encoding": {**_XY, "text": {"field": "text"}},
    }
