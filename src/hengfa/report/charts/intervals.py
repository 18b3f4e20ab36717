"""Dots with ranges: who stands where, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hengfa.report.charts.parts import (
    ROW_HEIGHT,
    chart,
    colours,
    names_axis,
    number_axis,
    per_cent,
    tooltip,
)
from hengfa.report.charts.theme import SERIES, Spec

RUN, BUILTIN, PUBLISHED = KINDS = (
    (SERIES[0], "circle"),
    (SERIES[7], "diamond"),
    (SERIES[1], "square"),
)
"""The colour and shape of what was measured here, of built-in models, of what a paper printed."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with its interval; ``kind`` is one of the names of the legend.

    ``floor`` and ``ceiling`` are drawn as ticks in the same row.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    kind: str = ""
    floor: float | None = None
    ceiling: float | None = None


@dataclass(frozen=True, slots=True)
class IntervalWords:
    """What stands at the chart: its axis, the columns of a tooltip, and the kinds of dots, each
    with its colour and shape."""

    axis: str
    name: str
    value: str
    low: str
    high: str
    kinds: Mapping[str, tuple[str, str]]
    floor: str = ""
    ceiling: str = ""


def intervals(dots: Sequence[Dot], words: IntervalWords) -> Spec:
    """One row for each dot, in the order given."""
    order = list(dict.fromkeys(dot.name for dot in dots))
    values = [
        {
            "name": dot.name,
            "value": per_cent(dot.value),
            "low": per_cent(dot.low),
            "high": per_cent(dot.high),
            "kind": dot.kind,
            "floor": per_cent(dot.floor),
            "ceiling": per_cent(dot.ceiling),
        }
        for dot in dots
    ]
    y = names_axis(order)
    used = {dot.kind for dot in dots}
    kinds = {kind: style for kind, style in words.kinds.items() if kind in used}
    colour = colours("kind", list(kinds), [colour for colour, _ in kinds.values()], None)
    shape = {
        "field": "kind",
        "type": "nominal",
        "scale": {"domain": list(kinds), "range": [shape for _, shape in kinds.values()]},
        "legend": colour["legend"],
    }
    told = tooltip(name=words.name, value=words.value)
    if has_intervals := any(dot.low is not None for dot in dots):
        told += tooltip(low=words.low, high=words.high)
    layers: list[Spec] = []
    for end, title, colour_of_end in (
        ("floor", words.floor, SERIES[4]),
        ("ceiling", words.ceiling, SERIES[2]),
    ):
        if any(value[end] is not None for value in values):
            layers.append(
                {
                    "mark": {"type": "tick", "thickness": 3, "color": colour_of_end},
                    "encoding": {
                        "y": y,
                        "x": number_axis(end, words.axis),
                        "tooltip": tooltip(**{"name": words.name, end: title}),
                    },
                }
            )
    if has_intervals:
        layers.append(
            {
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.6},
                "encoding": {
                    "y": y,
                    "x": number_axis("low", words.axis),
                    "x2": {"field": "high"},
                    "color": colour,
                    "tooltip": told,
                },
            }
        )
    layers.append(
        {
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
            "encoding": {
                "y": y,
                "x": number_axis("value", words.axis),
                "color": colour,
                "shape": shape,
                "tooltip": told,
            },
        }
    )
    return chart(values, height=ROW_HEIGHT * len(order), layer=layers)
