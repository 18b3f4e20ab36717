"""Values along an axis: dots with ranges, bars, lines, and points in the plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hengfa.evals.report.charts.theme import (
    MOST_SERIES,
    ROW_HEIGHT,
    SERIES,
    Spec,
    chart,
    chosen_in_legend,
    colours,
    names_axis,
    number_axis,
    pale_unless_chosen,
    per_cent,
    tooltip,
)

RUN, BUILTIN, PUBLISHED = (
    (SERIES[0], "circle"),
    (SERIES[7], "diamond"),
    (SERIES[1], "square"),
)
"""The colour and shape of what was measured here, of built-in models, of what a paper printed."""
_BAR_HEIGHT, _BETWEEN, _STACK_HEIGHT = 12, 8, 22


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


@dataclass(frozen=True, slots=True)
class Bar:
    name: str
    series: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class BarWords:
    axis: str
    name: str
    series: str
    value: str


def bars(bars_: Sequence[Bar], words: BarWords) -> Spec:
    """A group of bars for each name, one for each series, with intervals where there are some."""
    names = list(dict.fromkeys(bar.name for bar in bars_))
    series = list(dict.fromkeys(bar.series for bar in bars_))
    values = [
        {
            "name": bar.name,
            "series": bar.series,
            "value": per_cent(bar.value),
            "low": per_cent(bar.low),
            "high": per_cent(bar.high),
        }
        for bar in bars_
    ]
    y = names_axis(names)
    offset = {"field": "series", "sort": series}
    told = tooltip(name=words.name, series=words.series, value=words.value)
    layers: list[Spec] = [
        {
            "mark": {"type": "bar"},
            "encoding": {
                "y": y,
                "yOffset": offset,
                "x": number_axis("value", words.axis),
                "color": colours("series", series, SERIES, words.series),
                "tooltip": told,
            },
        }
    ]
    if any(bar.low is not None for bar in bars_):
        layers.append(
            {
                "mark": {"type": "rule", "strokeWidth": 1.5, "color": "#555555"},
                "encoding": {
                    "y": y,
                    "yOffset": offset,
                    "x": number_axis("low", words.axis),
                    "x2": {"field": "high"},
                },
            }
        )
    return chart(values, height=len(names) * (_BAR_HEIGHT * len(series) + _BETWEEN), layer=layers)


def shares(bars_: Sequence[Bar], words: BarWords, rest: str) -> Spec:
    """A bar for each name that shows how often each of a few things was the case.

    What is rarer than the most frequent seven comes together under `rest`.
    """
    totals: dict[str, float] = {}
    for bar in bars_:
        totals[bar.series] = totals.get(bar.series, 0.0) + bar.value
    frequent = sorted(totals, key=lambda name: -totals[name])
    if len(frequent) > MOST_SERIES:
        frequent = [*frequent[: MOST_SERIES - 1], rest]
    counts: dict[tuple[str, str], float] = {}
    for bar in bars_:
        key = (bar.name, bar.series if bar.series in frequent else rest)
        counts[key] = counts.get(key, 0.0) + bar.value
    values = [
        {"name": name, "series": series, "value": value, "order": frequent.index(series)}
        for (name, series), value in counts.items()
    ]
    names = list(dict.fromkeys(bar.name for bar in bars_))
    return chart(
        values,
        height=_STACK_HEIGHT * len(names),
        mark={"type": "bar"},
        encoding={
            "y": names_axis(names),
            "x": {**number_axis("value", words.axis), "stack": "zero"},
            "color": colours("series", frequent, SERIES, words.series),
            "order": {"field": "order"},
            "tooltip": tooltip(name=words.name, series=words.series, value=words.value),
        },
    )


def lines(points: Sequence[Bar], words: BarWords) -> Spec:
    """A line for each series over the names, in the order given."""
    names = list(dict.fromkeys(point.name for point in points))
    series = list(dict.fromkeys(point.series for point in points))
    values = [
        {"name": point.name, "series": point.series, "value": per_cent(point.value)}
        for point in points
    ]
    return chart(
        values,
        height=320,
        params=chosen_in_legend("series"),
        mark={"type": "line", "point": {"size": 60}, "strokeWidth": 2},
        encoding={
            "x": {
                "field": "name",
                "type": "ordinal",
                "sort": names,
                "title": words.name,
                "axis": {"labelAngle": 0},
            },
            "y": number_axis("value", words.axis, (0, 100)),
            "color": colours("series", series, SERIES, words.series),
            "opacity": pale_unless_chosen(),
            "tooltip": tooltip(series=words.series, name=words.name, value=words.value),
        },
    )


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
    values = [{"name": point.name, "x": point.x, "y": per_cent(point.y)} for point in points]
    smallest, largest = min(point.x for point in points), max(point.x for point in points)
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


@dataclass(frozen=True, slots=True)
class Curve:
    """A point of a line: `series` has a colour, `kind` a way of drawing."""

    series: str
    kind: str
    x: float
    y: float
    name: str


@dataclass(frozen=True, slots=True)
class CurveWords:
    x: str
    y: str
    series: str
    kind: str
    name: str


def curves(points: Sequence[Curve], words: CurveWords) -> Spec:
    """A line for each series and kind over numbers; the kinds differ in their dashes."""
    series = list(dict.fromkeys(point.series for point in points))
    kinds = list(dict.fromkeys(point.kind for point in points))
    values = [
        {
            "series": point.series,
            "kind": point.kind,
            "x": point.x,
            "y": per_cent(point.y),
            "name": point.name,
        }
        for point in points
    ]
    return chart(
        values,
        height=360,
        params=chosen_in_legend("series"),
        mark={"type": "line", "point": {"size": 60 if len(points) < 200 else 10}, "strokeWidth": 2},
        encoding={
            "x": number_axis("x", words.x),
            "y": number_axis("y", words.y),
            "color": colours("series", series, SERIES, words.series),
            "strokeDash": {
                "field": "kind",
                "type": "nominal",
                "sort": kinds,
                "legend": {"title": words.kind, "orient": "bottom"} if len(kinds) > 1 else None,
            },
            "opacity": pale_unless_chosen(),
            "tooltip": tooltip(
                name=words.name, series=words.series, kind=words.kind, x=words.x, y=words.y
            ),
        },
    )
