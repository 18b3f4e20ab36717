"""Charts: what they show is what they were given, and the library can draw all of them."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import vl_convert

from hengfa.evals.report.charts import vega
from hengfa.evals.report.charts.plots import (
    BUILTIN,
    PUBLISHED,
    RUN,
    Bar,
    Dot,
    Point,
    Spoke,
    Square,
    bars,
    heat_map,
    intervals,
    lines,
    radar,
    scatter,
    shares,
)
from hengfa.evals.report.charts.vega import ABSTENTION, SERIES, Drawing, Spec
from hengfa.evals.report.words import Text, Words, in_language
from tests.conftest import REPOSITORY
from tests.evals.report.browser import NEEDS_CHROMIUM

KINDS: dict[Text, tuple[str, str]] = {"run": RUN, "built in": BUILTIN, "paper": PUBLISHED}


def dotted(*dots: Dot) -> Spec:
    return english(intervals(dots, "model", Words("得分", "score"), KINDS))


def english(spec: Spec) -> Spec:
    shown: Spec = in_language(spec, "en")
    return shown


def compiled(spec: Spec) -> dict[str, Any]:
    """What the library makes of it; a mistake in a specification is an error there."""
    found: dict[str, Any] = vl_convert.vegalite_to_vega({**spec, "width": 300})
    return found


def values(spec: Spec) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = spec["data"]["values"]
    return found


def test_dots_are_in_per_cent_and_in_the_order_given() -> None:
    spec = dotted(Dot("乙", 0.51234, 0.4, 0.6, "run"), Dot("甲", 0.25, kind="paper"))
    assert values(spec)[0]["value"] == 51.23
    assert (values(spec)[0]["low"], values(spec)[1]["low"]) == (40.0, None)
    assert spec["layer"][0]["encoding"]["y"]["sort"] == ["乙", "甲"]
    assert spec["width"] == "container"
    compiled(spec)


def test_a_kind_keeps_its_colour_whatever_else_is_there() -> None:
    for dots in ([Dot("a", 1, kind="paper")], [Dot("b", 1, kind="run"), Dot("a", 1, kind="paper")]):
        scale = dotted(*dots)["layer"][-1]["encoding"]["color"]["scale"]
        assert dict(zip(scale["domain"], scale["range"], strict=True))["paper"] == PUBLISHED[0]


def test_without_intervals_no_ranges_are_drawn() -> None:
    marks = [one["mark"]["type"] for one in dotted(Dot("a", 1))["layer"]]
    assert marks == ["point"]
    scaled = dotted(Dot("a", 0.5, 0.4, 0.6, floor=0.1, ceiling=0.9))
    assert [one["mark"]["type"] for one in scaled["layer"]] == ["tick", "tick", "rule", "point"]
    compiled(scaled)


def test_a_heat_map_writes_the_value_and_colours_by_the_shade() -> None:
    squares = [Square("甲", "1-1", 0.1234, 0.75)]
    shade = Words("弃答率", "abstention")
    spec = english(heat_map(squares, ["甲"], ["1-1"], shade=shade, range_=ABSTENTION))
    (cell,) = values(spec)
    assert (cell["text"], cell["value"], cell["shade"]) == ("12.3", 12.34, 75.0)
    assert spec["layer"][0]["encoding"]["color"]["field"] == "shade"
    assert {one["field"] for one in spec["layer"][0]["encoding"]["tooltip"]} >= {"value", "shade"}
    compiled(spec)


def test_corners_of_a_radar_go_clockwise_from_the_top() -> None:
    spokes = [
        Spoke("a", axis, value) for axis, value in zip("北东南西", (1, 0.5, 0, 1.7), strict=True)
    ]
    spec = english(radar(spokes, list("北东南西"), "axis"))
    corners = [(one["x"], one["y"]) for one in values(spec)]
    assert corners == [(0.0, 1.0), (0.5, 0.0), (0.0, 0.0), (-1.0, 0.0)]  # never beyond the rim
    assert values(spec)[3]["value"] == 170.0  # but told as it is
    compiled(spec)


def test_a_radar_is_not_stretched() -> None:
    spec = radar([Spoke("a", axis, 1) for axis in "xyz"], list("xyz"), "axis")
    encoding = spec["layer"][-1]["encoding"]
    (_, right), (_, top) = (encoding[axis]["scale"]["domain"] for axis in "xy")
    assert math.isclose(spec["width"] / right, spec["height"] / top, rel_tol=1e-3)


def test_a_radar_of_two_axes_is_none() -> None:
    with pytest.raises(ValueError, match="at least 3"):
        radar([], ["a", "b"], "axis")


def test_what_is_rare_comes_together() -> None:
    many = [Bar("甲", f"class {number:02}", 20 - number) for number in range(12)]
    spec = english(shares(many, "task", "model"))
    domain = spec["encoding"]["color"]["scale"]["domain"]
    assert len(domain) == len(SERIES)
    assert domain[-1] == "others"
    by_class = {one["series"]: one["value"] for one in values(spec)}
    assert by_class["others"] == sum(20 - number for number in range(7, 12))
    compiled(spec)


def test_bars_with_intervals_and_lines_can_be_drawn() -> None:
    several = [Bar("任务", "甲", 0.5, 0.4, 0.6), Bar("任务", "乙", 0.7)]
    spec = english(bars(several, "task", "model"))
    assert [one["mark"]["type"] for one in spec["layer"]] == ["bar", "rule"]
    compiled(spec)
    compiled(lines(several, "task", "model", "score"))


@pytest.mark.parametrize(("largest", "kind"), [(19.0, None), (21.0, "log")])
def test_costs_that_differ_much_are_on_a_logarithmic_axis(largest: float, kind: str | None) -> None:
    spec = english(scatter([Point("a", 1.0, 0.5), Point("b", largest, 0.6)], "¥"))
    assert spec["layer"][0]["encoding"]["x"]["scale"].get("type") == kind
    compiled(spec)


@pytest.mark.skipif(vega.find_chinese_font() is None, reason="no font with Chinese characters")
def test_chinese_is_drawn_with_the_font_that_was_found(tmp_path: Any) -> None:
    spec = dotted(Dot("衡法", 0.5, kind="run"))
    assert Drawing().save(spec, tmp_path / "a.svg") == []
    drawn = (tmp_path / "a.svg").read_text("utf-8")
    found = vega.find_chinese_font()
    assert found is not None
    assert "衡法" in drawn
    assert found.family in drawn
    Drawing().save(spec, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


HOSTILE = "</script><script>window.owned = 1</script>\x1b\ud800<!--"


@NEEDS_CHROMIUM
def test_a_name_is_never_markup_of_a_page(tmp_path: Path, browser: Any) -> None:
    spec = dotted(Dot(HOSTILE, 0.5, kind="run"))
    Drawing().save(spec, tmp_path / "a.html")
    tab = browser.new_page()
    tab.goto((tmp_path / "a.html").as_uri())
    tab.wait_for_selector("#chart svg, #chart canvas")
    assert tab.evaluate("window.owned") is None
    tab.close()


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_no_name_ends_the_process(tmp_path: Path, kind: str) -> None:
    """ESC did, as no XML can hold it."""
    file = tmp_path / f"a.{kind}"
    code = (
        "from pathlib import Path\nfrom tests.evals.report.test_charts import *\n"
        "spec = dotted(Dot('a' + HOSTILE, 0.5, kind='run'))\n"
        f"Drawing().save(spec, Path({str(file)!r}))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=REPOSITORY)
    assert file.stat().st_size
