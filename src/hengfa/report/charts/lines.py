"""Lines: how a score changes along an order, such as the number of look-ups."""

from __future__ import annotations

from collections.abc import Sequence

from hengfa.report.charts.bars import Bar, BarWords
from hengfa.report.charts.parts import (
    chart,
    chosen_in_legend,
    colours,
    number_axis,
    pale_unless_chosen,
    per_cent,
    tooltip,
)
from hengfa.report.charts.theme import SERIES, Spec


def lines(points: Sequence[Bar], words: BarWords) -> Spec:
    """A line for each series over the names, in the order given."""
    names = list(dict.fromkeys(one.name for one in points))
    series = list(dict.fromkeys(one.series for one in points))
    values = [
        {"name": one.name, "series": one.series, "value": per_cent(one.value)} for one in points
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
