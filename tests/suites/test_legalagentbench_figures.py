"""Figures of a run: means over all samples, pooled errors of agents, kinds of tasks, intervals."""

from __future__ import annotations

import pytest
from tests.suites.agent_replies import step

from hengfa.results.figures import TaskFigure
from hengfa.suites.base import Rules
from hengfa.suites.legalagentbench.dataset import GROUPS, HOPS
from hengfa.suites.legalagentbench.suite import SUITE, figures, further
from hengfa.world.tools.observation import Status

LOOKED = step("get_court_info", identifier="甲")
NOTHING = step("get_court_info", Status.NO_DATA, identifier="乙")
RECIPE = SUITE.tasks["1-hop"].recipe(Rules.OFFICIAL)


def group(success: float, n: int, **more: float) -> TaskFigure:
    return TaskFigure(success, success, None, n, 0.0, more=more)


def test_figures_are_means_over_all_samples() -> None:
    tasks = {name: group(0.5, 10, process=0.25) for name in GROUPS}
    tasks["writing"] = group(1.0, 30, process=0.75)
    found = further(tasks)
    assert found["success/1-hop"] == 0.5
    assert found["success/hops"] == pytest.approx(0.5)
    assert found["success/all"] == pytest.approx((50 * 0.5 + 30) / 80)
    assert found["process/all"] == pytest.approx((50 * 0.25 + 30 * 0.75) / 80)
    assert "exact/all" not in found


def test_a_figure_over_groups_needs_all_of_them() -> None:
    hops = {name: group(0.5, 10) for name in HOPS}
    assert set(further(hops)) == {*(f"success/{name}" for name in HOPS), "success/hops"}
    del hops["2-hop"]
    assert set(further(hops)) == {f"success/{name}" for name in hops}
    assert further({}) == {}
    assert figures({}) == {}
    assert figures(dict.fromkeys(GROUPS, 0.25)) == {"overall": 0.25}


def test_metrics_of_the_way_count_the_tasks_that_tell_it() -> None:
    tasks = {name: group(0.5, 10, traced=0.0) for name in GROUPS}
    tasks["1-hop"] = group(0.5, 10, traced=0.2, path_recall=1.0, calls=2.0)
    tasks["2-hop"] = group(0.5, 10, traced=0.6, path_recall=0.5, calls=4.0)
    found = further(tasks)
    assert found["path_recall/all"] == pytest.approx((2 * 1.0 + 6 * 0.5) / 8)
    assert found["calls/hops"] == pytest.approx((2 * 2.0 + 6 * 4.0) / 8)
    assert "path_recall/writing" not in found


def test_only_writing_may_tell_the_way() -> None:
    tasks = {name: group(0.5, 10, traced=0.0) for name in GROUPS}
    tasks["writing"] = group(0.5, 10, traced=1.0, calls=4.0)
    found = further(tasks)
    assert found["calls/writing"] == found["calls/all"] == 4.0
    assert "calls/hops" not in found
