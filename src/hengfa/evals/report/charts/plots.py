"""The charts of reports: dots with ranges, bars, lines, points in the plane, heat maps, radars.

What is written at a chart may be in both languages (`words.in_language`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from hengfa.evals.report import words
from hengfa.evals.report.charts.vega import (
    DARK_TEXT,
    LIGHT_TEXT,
    MOST_SERIES,
    PALE_UNLESS_CHOSEN,
    ROW_HEIGHT,
    SCHEMA,
    SCORES,
    SERIES,
    Spec,
    channel,
    chart,
    chosen_in_legend,
    colours,
    layer,
    names_axis,
    number_axis,
    per_cent,
    tooltip,
)
from hengfa.evals.report.words import Text, Words

RUN, BUILTIN, PUBLISHED = ((SERIES[0], "circle"), (SERIES[7], "diamond"), (SERIES[1], "square"))
"""The colour and shape of what was measured here, of built-in models, of what a paper printed."""
KINDS: Final[Mapping[Text, tuple[str, str]]] = {
    words.RUN: RUN,
    words.BUILTIN: BUILTIN,
    words.PUBLISHED: PUBLISHED,
}
_BAR_HEIGHT, _BETWEEN, _STACK_HEIGHT = 12, 8, 22


def _rows(points: Iterable[Any], *fractions: str) -> list[dict[str, Any]]:
    """The data of a chart: the fields of each point, its fractions as people quote them."""
    return [
        {name: per_cent(part) if name in fractions else part for name, part in of.items()}
        for of in (point._asdict() for point in points)
    ]


class Dot(NamedTuple):
    """A value with its interval; ``kind`` is one of the names of the legend.

    ``floor`` and ``ceiling`` are drawn as ticks in the same row.
    """

    name: Text
    value: float
    low: float | None = None
    high: float | None = None
    kind: Text = ""
    floor: float | None = None
    ceiling: float | None = None


def intervals(
    dots: Sequence[Dot], name: Text, axis: Words, kinds: Mapping[Text, tuple[str, str]] = KINDS
) -> Spec:
    """One row for each dot, in the order given; each kind has its colour and shape."""
    order = list(dict.fromkeys(dot.name for dot in dots))
    values = _rows(dots, "value", "low", "high", "floor", "ceiling")
    y, title = names_axis(order), Words(f"{axis.zh} (%)", f"{axis.en} (%)")
    used = {dot.kind for dot in dots}
    kinds = {kind: style for kind, style in kinds.items() if kind in used}
    colour = colours("kind", list(kinds), [colour for colour, _ in kinds.values()], None)
    shapes = {"domain": list(kinds), "range": [shape for _, shape in kinds.values()]}
    shape = channel("kind", "nominal", scale=shapes, legend=colour["legend"])
    hints = tooltip(name=name, value=words.SCORE)
    if has_intervals := any(dot.low is not None for dot in dots):
        hints += tooltip(low=words.LOW, high=words.HIGH)
    layers: list[Spec] = []
    ticks = ("floor", words.FLOOR, SERIES[4]), ("ceiling", words.CEILING, SERIES[2])
    for end, what, of_end in ticks:
        if any(value[end] is not None for value in values):
            tick = {"type": "tick", "thickness": 3, "color": of_end}
            hint = tooltip(**{"name": name, end: what})
            layers.append(layer(tick, y=y, x=number_axis(end, title), tooltip=hint))
    if has_intervals:
        rule = {"type": "rule", "strokeWidth": 2, "opacity": 0.6}
        ends = {"x": number_axis("low", title), "x2": {"field": "high"}}
        layers.append(layer(rule, y=y, **ends, color=colour, tooltip=hints))
    point = {"type": "point", "filled": True, "size": 70, "opacity": 1}
    x = number_axis("value", title)
    layers.append(layer(point, y=y, x=x, color=colour, shape=shape, tooltip=hints))
    return chart(values, height=ROW_HEIGHT * len(order), layer=layers)


class Bar(NamedTuple):
    name: Text
    series: Text
    value: float
    low: float | None = None
    high: float | None = None


def bars(
    bars_: Sequence[Bar],
    name: Text,
    series: Text,
    *,
    axis: Text = words.SCORE,
    value: Text = words.SCORE,
) -> Spec:
    """A group of bars for each name, one for each series, with intervals where there are some."""
    names = list(dict.fromkeys(bar.name for bar in bars_))
    every = list(dict.fromkeys(bar.series for bar in bars_))
    place = {"y": names_axis(names), "yOffset": {"field": "series", "sort": every}}
    colour = colours("series", every, SERIES, series)
    hints = tooltip(name=name, series=series, value=value)
    x = number_axis("value", axis)
    layers = [layer({"type": "bar"}, **place, x=x, color=colour, tooltip=hints)]
    if any(bar.low is not None for bar in bars_):
        rule = {"type": "rule", "strokeWidth": 1.5, "color": "#555555"}
        layers.append(layer(rule, **place, x=number_axis("low", axis), x2={"field": "high"}))
    values = _rows(bars_, "value", "low", "high")
    return chart(values, height=len(names) * (_BAR_HEIGHT * len(every) + _BETWEEN), layer=layers)


def shares(bars_: Sequence[Bar], name: Text, series: Text) -> Spec:
    """A bar for each name that shows how often each of a few things was the case.

    What is rarer than the most frequent seven comes together as others.
    """
    totals: dict[Text, float] = {}
    for bar in bars_:
        totals[bar.series] = totals.get(bar.series, 0.0) + bar.value
    frequent = sorted(totals, key=lambda kind: -totals[kind])
    if len(frequent) > MOST_SERIES:
        frequent = [*frequent[: MOST_SERIES - 1], words.OTHERS]
    counts: dict[tuple[Text, Text], float] = {}
    for bar in bars_:
        key = (bar.name, bar.series if bar.series in frequent else words.OTHERS)
        counts[key] = counts.get(key, 0.0) + bar.value
    values = [
        {"name": whose, "series": kind, "value": count, "order": frequent.index(kind)}
        for (whose, kind), count in counts.items()
    ]
    names = list(dict.fromkeys(bar.name for bar in bars_))
    return chart(
        values,
        height=_STACK_HEIGHT * len(names),
        mark={"type": "bar"},
        encoding={
            "y": names_axis(names),
            "x": {**number_axis("value", words.COUNT), "stack": "zero"},
            "color": colours("series", frequent, SERIES, series),
            "order": {"field": "order"},
            "tooltip": tooltip(name=name, series=series, value=words.COUNT),
        },
    )


def lines(points: Sequence[Bar], name: Text, series: Text, value: Text) -> Spec:
    """A line for each series over the names, in the order given."""
    names = list(dict.fromkeys(point.name for point in points))
    every = list(dict.fromkeys(point.series for point in points))
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
            "x": channel("name", "ordinal", sort=names, title=name, axis={"labelAngle": 0}),
            "y": number_axis("value", value, (0, 100)),
            "color": colours("series", every, SERIES, series),
            "opacity": PALE_UNLESS_CHOSEN,
            "tooltip": tooltip(series=series, name=name, value=value),
        },
    )


class Point(NamedTuple):
    name: str
    x: float
    y: float


def scatter(points: Sequence[Point], across: Text) -> Spec:
    """A point with its name for each model; the horizontal axis is logarithmic where it spans more
    than a factor of twenty, because models differ that much in price."""
    smallest, largest = min(point.x for point in points), max(point.x for point in points)
    x = number_axis("x", across)
    if smallest > 0 and largest > 20 * smallest:
        x["scale"] = {"type": "log", "nice": True}
    encoding = {
        "x": x,
        "y": number_axis("y", words.SCORE),
        "tooltip": tooltip(name=words.MODEL, x=across, y=words.SCORE),
    }
    dot = {"type": "point", "filled": True, "size": 80, "color": SERIES[0], "opacity": 1}
    name = {"type": "text", "align": "left", "dx": 8, "dy": -4, "fontSize": 11}
    layers = [layer(dot, **encoding), layer(name, **encoding, text={"field": "name"})]
    return chart(_rows(points, "y"), height=320, layer=layers)


class Curve(NamedTuple):
    """A point of a line: `series` has a colour, `kind` a way of drawing."""

    series: Text
    kind: Text
    x: float
    y: float
    name: str


def curves(points: Sequence[Curve], across: Text, series: Text, kind: Text = words.NOTHING) -> Spec:
    """A line for each series and kind over numbers; the kinds differ in their dashes."""
    every = list(dict.fromkeys(point.series for point in points))
    kinds = list(dict.fromkeys(point.kind for point in points))
    legend = {"title": kind, "orient": "bottom"} if len(kinds) > 1 else None
    return chart(
        _rows(points, "y"),
        height=360,
        params=chosen_in_legend("series"),
        mark={"type": "line", "point": {"size": 60 if len(points) < 200 else 10}, "strokeWidth": 2},
        encoding={
            "x": number_axis("x", across),
            "y": number_axis("y", words.SCORE),
            "color": colours("series", every, SERIES, series),
            "strokeDash": channel("kind", "nominal", sort=kinds, legend=legend),
            "opacity": PALE_UNLESS_CHOSEN,
            "tooltip": tooltip(name=words.MODEL, series=series, kind=kind, x=across, y=words.SCORE),
        },
    )


_MOST_FITTING: Final = 10
_COLUMN_WIDTH: Final = 36
"""With more columns than fit into a page, each is as wide as its number, and the page scrolls."""


class Square(NamedTuple):
    """A cell: what is written in it, and how strongly it is coloured; both are fractions."""

    row: Text
    column: Text
    value: float
    shade: float
    about: str = ""


def heat_map(
    squares: Sequence[Square],
    rows: Sequence[Text],
    columns: Sequence[Text],
    *,
    row: Text = words.MODEL,
    column: Text = words.METRIC,
    shade: Text = words.SCORE,
    about: Text = "",
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
    axis = {"orient": "top", "labelAngle": -45, "labelLimit": 120, "domain": False}
    x = channel("column", "nominal", sort=list(columns), title=None, axis=axis)
    y = names_axis(rows, "row")
    hints = tooltip(row=row, column=column, value=words.SCORE)
    if about:
        hints += tooltip(about=about)
    legend: Spec | None = None  # the numbers in the cells say what colours mean
    if shade != words.SCORE:
        hints += tooltip(shade=shade)
        legend = {"title": shade, "orient": "bottom", "gradientLength": 180}
    scale = {"domain": [0, 100], "range": list(range_), "clamp": True}
    colour = channel("shade", "quantitative", scale=scale, legend=legend)
    light = {"test": "datum.shade > 45", "value": LIGHT_TEXT}
    readable = {"condition": light, "value": DARK_TEXT}
    rect = layer({"type": "rect"}, x=x, y=y, color=colour, tooltip=hints)
    mark = {"type": "text", "fontSize": 10}
    text = layer(mark, x=x, y=y, text={"field": "text"}, color=readable, tooltip=hints)
    spec = chart(values, height=ROW_HEIGHT * len(rows), layer=[rect, text])
    if len(columns) > _MOST_FITTING:
        spec["width"] = {"step": _COLUMN_WIDTH}
    return spec


FEWEST_AXES: Final = 3
_RINGS: Final = (0.25, 0.5, 0.75, 1.0)
_GRID: Final = "#9aa5b1"
_RADAR_WIDTH, _RADAR_HEIGHT = 420, 330
_REACH: Final = 1.25
"""How far the picture reaches up and down, where the outer ring is 1; sideways by its shape."""


class Spoke(NamedTuple):
    """A value on an axis; from 0 in the middle to 1 at the rim."""

    name: str
    axis: Text
    value: float


def radar(spokes: Sequence[Spoke], axes: Sequence[Text], axis: Text) -> Spec:
    """Several abilities of a few models at once: a closed line for each name; one that lacks an
    axis is drawn without that corner.

    Vega-Lite has no polar axes, so the corners are computed here and drawn as lines between points.
    """
    if len(axes) < FEWEST_AXES:
        raise ValueError(f"a radar has at least {FEWEST_AXES} axes")
    names = list(dict.fromkeys(spoke.name for spoke in spokes))
    angles = {end: 2 * math.pi * place / len(axes) for place, end in enumerate(axes)}
    values = [
        {
            **row,
            "order": axes.index(spoke.axis),
            **_point(angles[spoke.axis], min(1.0, max(0.0, spoke.value))),
        }
        for spoke, row in zip(spokes, _rows(spokes, "value"), strict=True)
    ]
    colour = colours("name", names, SERIES, None)
    looks = {"color": colour, "opacity": PALE_UNLESS_CHOSEN}
    closed = {"type": "line", "interpolate": "linear-closed", "strokeWidth": 2}
    outline = layer(closed, **_XY, order={"field": "order"}, **looks)
    line = {"params": chosen_in_legend("name"), **outline}
    hints = tooltip(name=words.MODEL, axis=axis, value=words.SCORE)
    dots = layer({"type": "point", "filled": True, "size": 36}, **_XY, **looks, tooltip=hints)
    return {
        "$schema": SCHEMA,
        "width": _RADAR_WIDTH,
        "height": _RADAR_HEIGHT,
        "data": {"values": values},
        "layer": [*_web(list(angles.values())), *_labels(angles), line, dots],
    }


def _point(angle: float, radius: float) -> dict[str, float]:
    """Clockwise from the top."""
    return {"x": round(radius * math.sin(angle), 4), "y": round(radius * math.cos(angle), 4)}


def _scale(field: str, reach: float) -> Spec:
    scale = {"domain": [-reach, reach], "nice": False}
    return channel(field, "quantitative", scale=scale, axis=None)


_XY: Final[Spec] = {
    "x": _scale("x", _REACH * _RADAR_WIDTH / _RADAR_HEIGHT),
    "y": _scale("y", _REACH),
}


def _web(angles: Sequence[float]) -> list[Spec]:
    """The rings, the spokes and the numbers on them."""
    rings = [
        {"ring": ring, "order": order, **_point(angle, ring)}
        for ring in _RINGS
        for order, angle in enumerate(angles)
    ]
    spokes = [{**_point(angle, 1.0), "x0": 0, "y0": 0} for angle in angles]
    marks = [{"text": f"{ring * 100:.0f}", **_point(0.0, ring)} for ring in _RINGS]
    thin = {"strokeWidth": 0.7, "color": _GRID}
    ring = {"type": "line", "interpolate": "linear-closed", **thin}
    start = {"x": {**_XY["x"], "field": "x0"}, "y": {**_XY["y"], "field": "y0"}}
    end = {"x2": {"field": "x"}, "y2": {"field": "y"}}
    closed = layer(ring, **_XY, detail={"field": "ring"}, order={"field": "order"})
    return [
        {"data": {"values": rings}, **closed},
        {"data": {"values": spokes}, **layer({"type": "rule", **thin}, **start, **end)},
        _text(marks, {"align": "left", "dx": 4, "fontSize": 9, "opacity": 0.7}),
    ]


def _labels(angles: Mapping[Text, float]) -> list[Spec]:
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
    text = layer({"type": "text", "baseline": "middle", **mark}, **_XY, text={"field": "text"})
    return {"data": {"values": list(values)}, **text}
