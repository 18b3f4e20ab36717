"""How charts look: colours that people with colour-blindness can tell apart, and fonts.

A specification names only the colours of what it shows. What surrounds it, such as text, axes and
grid, gets its colours here when it is drawn into a file, and from the page's own on a page.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

Spec: TypeAlias = dict[str, Any]
"""A Vega-Lite specification, or a part of one."""

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
_INK, _LINE = "#1f2933", "#d8dee6"


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
