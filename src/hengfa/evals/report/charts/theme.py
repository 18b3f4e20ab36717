"""How charts look, and the pieces that they are made of.

Colours are such that people with colour-blindness can tell them apart. A specification names only
the colours of what it shows. What surrounds it, such as text, axes and grid, gets its colours from
:func:`config` when it is drawn into a file, and from the page itself on a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from hengfa.evals.report.words import Text

Spec: TypeAlias = dict[str, Any]
"""A Vega-Lite specification, or a part of one; its texts may be in both languages."""
SERIES: Final = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#d55e00",
    "#56b4e9",
    "#8a6fd1",
    "#7f7f7f",
)
"""For models and classes: after Okabe and Ito, without black and yellow, which vanish on a dark or
on a light page."""
MOST_SERIES: Final = len(SERIES)
SCORES: Final = ("#f1f5f9", "#9ecae1", "#3d8fc4", "#0b4f86", "#082f55")
"""From 0 to 1; dark is much."""
ABSTENTION: Final = ("#f7f7f7", "#fdd9b4", "#f6a15b", "#d55e00", "#7a3300")
DARK_TEXT, LIGHT_TEXT = "#111827", "#ffffff"
SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
ROW_HEIGHT: Final = 20
_INK, _LINE = "#1f2933", "#d8dee6"
_LABEL_LIMIT: Final = 260


def config(font: str = "sans-serif") -> Spec:
    """What Vega-Lite takes as `config` for a picture on white paper."""
    text = {"labelColor": _INK, "titleColor": _INK, "labelFont": font, "titleFont": font}
    return {
        "background": "#ffffff",
        "font": font,
        "axis": {**text, "gridColor": _LINE, "domainColor": _LINE, "tickColor": _LINE},
        "legend": text,
        "title": {"color": _INK, "font": font},
        "text": {"color": _INK, "font": font},
        "view": {"stroke": None},
    }


def chart(values: Sequence[Mapping[str, Any]], **more: Any) -> Spec:
    """A specification with its data inside, as wide as the place it is shown in.

    Heights are numbers: the library complains about a `step` in a chart whose width fits.
    """
    return {
        "$schema": SCHEMA,
        "data": {"values": list(values)},
        "width": "container",
        **more,
    }


def per_cent(value: float | None) -> float | None:
    """A fraction as people quote it."""
    return None if value is None else round(value * 100, 2)


def names_axis(order: Sequence[Text], field: str = "name") -> Spec:
    """Names down the side, in this order; nothing is cut that a reader needs."""
    return {
        "field": field,
        "type": "nominal",
        "sort": list(order),
        "title": None,
        "axis": {"labelLimit": _LABEL_LIMIT, "ticks": False, "domain": False},
    }


def number_axis(field: str, title: Text, domain: tuple[float, float] | None = None) -> Spec:
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "axis": {"tickCount": 6},
        "scale": {"zero": True} if domain is None else {"domain": list(domain)},
    }


def colours(field: str, domain: Sequence[Text], range_: Sequence[str], title: Text | None) -> Spec:
    """A colour for each of a few names, in this order; no legend without a choice."""
    legend = {
        "title": title,
        "orient": "bottom",
        "columns": 3,
        "symbolLimit": 60,
        "labelLimit": 260,
    }
    return {
        "field": field,
        "type": "nominal",
        "scale": {"domain": list(domain), "range": list(range_)[: len(domain)]},
        "legend": legend if len(domain) > 1 else None,
    }


def tooltip(**titles: Text) -> list[Spec]:
    """Fields with the words that stand before them."""
    return [{"field": field, "title": title} for field, title in titles.items()]


def chosen_in_legend(field: str) -> list[Spec]:
    """A click on a name in the legend makes the others pale."""
    return [
        {"name": "chosen", "select": {"type": "point", "fields": [field]}, "bind": "legend"},
    ]


def pale_unless_chosen(opacity: float = 1.0) -> Spec:
    return {"condition": {"param": "chosen", "value": opacity, "empty": True}, "value": 0.08}
