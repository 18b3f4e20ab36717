"""Pieces that several kinds of charts are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hengfa.report.charts.theme import Spec

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v6.json"
ROW_HEIGHT: Final = 20
_LABEL_LIMIT: Final = 260


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


def names_axis(order: Sequence[str], field: str = "name") -> Spec:
    """Names down the side, in this order; nothing is cut that a reader needs."""
    return {
        "field": field,
        "type": "nominal",
        "sort": list(order),
        "title": None,
        "axis": {"labelLimit": _LABEL_LIMIT, "ticks": False, "domain": False},
    }


def number_axis(field: str, title: str, domain: tuple[float, float] | None = None) -> Spec:
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "axis": {"tickCount": 6},
        "scale": {"zero": True} if domain is None else {"domain": list(domain)},
    }


def colours(field: str, domain: Sequence[str], range_: Sequence[str], title: str | None) -> Spec:
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


def tooltip(**titles: str) -> list[Spec]:
    """Fields with the words that stand before them."""
    return [{"field": field, "title": title} for field, title in titles.items()]


def chosen_in_legend(field: str) -> list[Spec]:
    """A click on a name in the legend makes the others pale."""
    return [
        {"name": "chosen", "select": {"type": "point", "fields": [field]}, "bind": "legend"},
    ]


def pale_unless_chosen(opacity: float = 1.0) -> Spec:
    return {"condition": {"param": "chosen", "value": opacity, "empty": True}, "value": 0.08}
