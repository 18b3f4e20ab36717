"""The picture of a calibration: each submission by people and by the grader, and how they differ.

Left, the grader against people with the diagonal of perfect agreement. Right, after Bland and
Altman, the difference against the mean of both: whether a grader is too generous, and whether that
depends on how good the response is. The lines are the mean difference and 1.96 standard deviations
around it. One row for all, and one for each task and each dimension of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from hengfa.data.jsonfile import write_atomically
from hengfa.data.paths import disk_errors
from hengfa.errors import DataError, MissingExtra, UsageError
from hengfa.grading.people.calibration import Pair
from hengfa.report.calibration_fonts import CHINESE, WHAT_TO_INSTALL, Font, find_chinese_font

KINDS: Final = (".svg", ".png", ".html")
_FEWEST: Final = 5
_MOST_ROWS: Final = 12
_SIZE: Final = 260
_ALL: Final = "all"


def plot_calibration(pairs: Sequence[Pair], file: Path) -> list[str]:
    """Draw into a file of one of three kinds; returns notices for the person."""
    if file.suffix.lower() not in KINDS:
        raise UsageError(f"--plot {file}: the name must end in {', '.join(KINDS)}")
    try:
        import altair as alt  # noqa: F401, PLC0415 - an extra
        import vl_convert  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("charts", "--plot") from error
    panels, notices = _panels(pairs)
    font = find_chinese_font()
    is_chinese = any(CHINESE.search(one["panel"] + one["rater"]) for one in panels)
    if is_chinese and font is None:
        problem = f"no font with Chinese characters was found: {WHAT_TO_INSTALL}"
        if file.suffix.lower() == ".png":
            raise DataError(problem, file=file)
        notices.append(f"{file}: {problem}; whoever opens it needs one")
    if font is not None:
        vl_convert.register_font_directory(str(font.folder))
    specification = _chart(panels, font)
    content: bytes
    match file.suffix.lower():
        case ".png":
            content = vl_convert.vegalite_to_png(specification, scale=2)
        case ".svg":
            content = vl_convert.vegalite_to_svg(specification).encode()
        case _:
            content = vl_convert.vegalite_to_html(specification, bundle=True).encode()
    with disk_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, content)
    return notices


def _panels(pairs: Sequence[Pair]) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows of the picture, with the lines of each grader in each; and what is left out."""
    groups: dict[tuple[str, str], list[Pair]] = {}
    for one in pairs:
        groups.setdefault((one.of or _ALL, one.rater), []).append(one)
    large = {key: found for key, found in groups.items() if len(found) >= _FEWEST or key[0] == _ALL}
    names = list(dict.fromkeys(panel for panel, _ in large))
    notices = []
    left_out = len({panel for panel, _ in groups}) - min(len(names), _MOST_ROWS)
    if left_out:
        few = f"of fewer than {_FEWEST} submissions, or beyond the first {_MOST_ROWS}"
        notices.append(f"{left_out} tasks or dimensions are not in the picture: {few}")
    rows: list[dict[str, Any]] = []
    for (panel, _), found in large.items():
        if panel not in names[:_MOST_ROWS]:
            continue
        apart = np.array([one.rated - one.target for one in found])
        middle, spread = float(apart.mean()), 1.96 * float(apart.std(ddof=min(1, len(apart) - 1)))
        lines = {"middle": middle, "lower": middle - spread, "upper": middle + spread}
        rows += [{"panel": panel, **_dot(one), **_rounded(lines)} for one in found]
    return rows, notices


def _dot(one: Pair) -> dict[str, Any]:
    numbers = {
        "people": one.target,
        "graded": one.rated,
        "mean": (one.target + one.rated) / 2,
        "difference": one.rated - one.target,
    }
    names = {"rater": one.rater, "submission": one.submission, "task": one.task}
    return {**names, **_rounded(numbers)}


def _rounded(numbers: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in numbers.items()}


def _chart(rows: list[dict[str, Any]], font: Font | None) -> dict[str, Any]:
    import altair as alt  # noqa: PLC0415 - an extra

    alt.data_transformers.disable_max_rows()
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    color = alt.Color("rater:N", title="grader")
    tooltip = ["submission:N", "task:N", "rater:N", "people:Q", "graded:Q"]
    percent = alt.Scale(domain=[0, 100])
    dots = (
        alt.Chart()
        .mark_circle(size=34, opacity=0.55)
        .encode(
            x=alt.X("people:Q", title="people, % of the maximum", scale=percent),
            y=alt.Y("graded:Q", title="grader, % of the maximum", scale=percent),
            color=color,
            tooltip=tooltip,
        )
    )
    diagonal = (
        alt.Chart()
        .mark_rule(color="#777", strokeDash=[4, 4])
        .encode(x=alt.datum(0), y=alt.datum(0), x2=alt.datum(100), y2=alt.datum(100))
    )
    apart = (
        alt.Chart()
        .mark_circle(size=34, opacity=0.55)
        .encode(
            x=alt.X("mean:Q", title="mean of both, %", scale=percent),
            y=alt.Y("difference:Q", title="grader less people, points of 100"),
            color=color,
            tooltip=tooltip,
        )
    )
    middle = alt.Chart().mark_rule().encode(y="mean(middle):Q", color=color)
    limits = [
        alt.Chart().mark_rule(strokeDash=[4, 4]).encode(y=f"mean({name}):Q", color=color)
        for name in ("lower", "upper")
    ]
    size = {"width": _SIZE, "height": _SIZE}
    in_rows = []
    for panel in panels:
        data = alt.InlineData(values=[row for row in rows if row["panel"] == panel])
        left = alt.layer(diagonal, dots, data=data).properties(title=panel, **size)
        right = alt.layer(*limits, middle, apart, data=data).properties(
            title="difference (Bland–Altman)", **size
        )
        in_rows.append(alt.hconcat(left, right))
    chart = alt.vconcat(*in_rows)
    family = f"{font.family}, sans-serif" if font else "sans-serif"
    specification: dict[str, Any] = chart.configure(font=family).to_dict()
    return specification
