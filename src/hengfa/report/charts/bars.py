"""Bars: values side by side, or the parts of a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hengfa.report.charts.parts import (
    chart,
    colours,
    names_axis,
    number_axis,
    per_cent,
    tooltip,
)
from hengfa.report.charts.theme import MOST_SERIES, SERIES, Spec

_BAR_HEIGHT, _BETWEEN, _STACK_HEIGHT = 12, 8, 22


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
    names = list(dict.fromkeys(one.name for one in bars_))
    series = list(dict.fromkeys(one.series for one in bars_))
    values = [
        {
            "name": one.name,
            "series": one.series,
            "value": per_cent(one.value),
            "low": per_cent(one.low),
            "high": per_cent(one.high),
        }
        for one in bars_
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
    if any(one.low is not None for one in bars_):
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
    for one in bars_:
        totals[one.series] = totals.get(one.series, 0.0) + one.value
    frequent = sorted(totals, key=lambda name: -totals[name])
    if len(frequent) > MOST_SERIES:
        frequent = [*frequent[: MOST_SERIES - 1], rest]
    counts: dict[tuple[str, str], float] = {}
    for one in bars_:
        key = (one.name, one.series if one.series in frequent else rest)
        counts[key] = counts.get(key, 0.0) + one.value
    values = [
        {"name": name, "series": series, "value": value, "order": frequent.index(series)}
        for (name, series), value in counts.items()
    ]
    names = list(dict.fromkeys(one.name for one in bars_))
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
