"""Figures of a run: means over all samples, pooled errors of agents, kinds of tasks, intervals."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evals.suites.agent_replies import reply, sample, scored, step
from tests.scoring import faceted_table, summarise

from hengfa.base.data.packs import sample_root
from hengfa.base.statistics.intervals import ONE_CLUSTER
from hengfa.evals.results.figures import TaskFigures, TaskTable
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.scoring import Scored
from hengfa.world.agents.trajectory import Ended, Step
from hengfa.world.suites.legalagentbench.dataset import GROUPS, HOPS, all_samples
from hengfa.world.suites.legalagentbench.suite import OFFICIAL_SIZES, SUITE, figures, further
from hengfa.world.tools.observation import Status

LOOKED = step("get_court_info", identifier="甲")
NOTHING = step("get_court_info", Status.NO_DATA, identifier="乙")
RECIPE = SUITE.tasks["1-hop"].recipe(Rules.OFFICIAL)


def group(success: float, n: int, **more: float) -> TaskFigures:
    return TaskFigures(success, lenient=success, n=n, more=more)


@pytest.mark.parametrize("asked", [OFFICIAL_SIZES["writing"], 30])
def test_groups_count_as_in_the_benchmark_however_many_were_asked(asked: int) -> None:
    tasks = {name: group(0.5, size, process=0.25) for name, size in OFFICIAL_SIZES.items()}
    tasks["writing"] = group(1.0, asked, process=0.75)
    found = further(tasks)
    assert found["success/1-hop"] == 0.5
    assert found["success/hops"] == pytest.approx(0.5)
    assert found["success/all"] == pytest.approx((280 * 0.5 + 20) / 300)
    assert found["process/all"] == pytest.approx((280 * 0.25 + 20 * 0.75) / 300)
    assert "exact/all" not in found


@given(
    st.fixed_dictionaries({name: st.floats(0, 1) for name in GROUPS}),
    st.fixed_dictionaries({name: st.integers(1, 500) for name in GROUPS}),
)
def test_overall_has_one_meaning(scores: dict[str, float], sizes: dict[str, int]) -> None:
    tasks = {name: group(scores[name], sizes[name]) for name in GROUPS}
    assert further(tasks)["success/all"] == figures(scores)["overall"]


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
    assert found["path_recall/all"] == pytest.approx((2 * 1.0 + 6 * 0.5) / 8)  # both groups are 80
    assert found["calls/hops"] == pytest.approx((2 * 2.0 + 6 * 4.0) / 8)
    assert "path_recall/writing" not in found


def test_only_writing_may_tell_the_way() -> None:
    tasks = {name: group(0.5, 10, traced=0.0) for name in GROUPS}
    tasks["writing"] = group(0.5, 10, traced=1.0, calls=4.0)
    found = further(tasks)
    assert found["calls/writing"] == found["calls/all"] == 4.0
    assert "calls/hops" not in found


def agents(*ways: tuple[Sequence[Step], Ended]) -> TaskFigures:
    """What some agents did, as the figure of a task."""
    replies = [reply("", "", *steps, ended=ended) for steps, ended in ways]
    return summarise("success", None, [scored(sample(), text) for text in replies])


def test_errors_are_pooled_over_calls_actions_and_tasks() -> None:
    figure = agents(
        ((LOOKED, NOTHING, NOTHING, Step()), Ended.STEP_LIMIT),
        ((LOOKED, step("get_sum", Status.BAD_ARGUMENTS)), Ended.FINISHED),
        ((step("no_such", Status.UNKNOWN_TOOL), LOOKED), Ended.CONTEXT_OVERFLOW),
    )
    found = further({"3-hop": figure})
    assert (figure.n * figure.more["traced"], found["calls/3-hop"]) == (3, 8 / 3)
    assert {
        name.removesuffix("/3-hop"): value
        for name, value in found.items()
        if name.endswith("_share/3-hop")
    } == pytest.approx({
        "no_data_share": 2 / 5,
        "bad_column_share": 0.0,
        "bad_call_share": 2 / 8,
        "tool_failed_share": 0.0,
        "unparsable_share": 1 / 8,
        "repeats_share": 1 / 8,
    })  # fmt: skip
    ends = ("unfinished", "step_limit", "context_overflow")
    assert [found[f"{name}/3-hop"] for name in ends] == [2 / 3, 1 / 3, 1 / 3]


def test_errors_of_groups_are_pooled_not_their_shares() -> None:
    """Two of three and none of one, in the mix of the benchmark: whatever else a group has."""
    tasks = {name: agents() for name in GROUPS}
    tasks["1-hop"] = agents(((LOOKED, NOTHING, NOTHING), Ended.FINISHED))
    tasks["writing"] = agents(((LOOKED,), Ended.FINISHED))
    found = further(tasks)
    shares = {name: found[f"no_data_share/{name}"] for name in ("1-hop", "writing", "hops", "all")}
    assert shares == pytest.approx({"1-hop": 2 / 3, "writing": 0.0, "hops": 2 / 3, "all": 8 / 13})
    assert "no_data_share/2-hop" not in found


def test_who_tells_nothing_has_no_shares_and_who_does_nothing_makes_no_mistake() -> None:
    untold = summarise("success", None, [scored(sample(), "甲公司")])
    assert not any("_share" in name for name in further({"3-hop": untold}))
    idle = further({"3-hop": agents(((), Ended.FAILED))})
    assert idle["no_data_share/3-hop"] == 0.0
    assert idle["unfinished/3-hop"] == 1.0


def table(some: Sequence[Scored]) -> TaskTable:
    task = SUITE.tasks["1-hop"]
    assert task.facets is not None
    return faceted_table(some, [task.facets(one.sample) for one in some], task.cluster)


def test_samples_are_grouped_by_hops_and_start() -> None:
    samples = all_samples(sample_root() / "legalagentbench")
    whole = table([scored(one, one.answer) for one in samples])
    assert set(whole.by("hops")) == set(GROUPS)
    figure = whole.figure(RECIPE)
    assert (figure.score, figure.n) == (1.0, 12)
    starts = {tool: part.figure(RECIPE).n for tool, part in whole.by("start").items()}
    assert starts["get_restriction_case"] == 2
    assert sum(starts.values()) == 10  # writing has no path
    assert "path_recall" not in figure.more
    assert not any(name.startswith("traced") for name in further({"1-hop": figure}))


def test_an_interval_comes_from_paths_and_says_little_of_one() -> None:
    one, other = all_samples(sample_root() / "legalagentbench")[:2]
    same = table([scored(one, one.answer), scored(one, "")]).drawn(RECIPE, "1-hop")
    assert (same.more()["exact"].clusters, same.more()["exact"].note) == (1, ONE_CLUSTER)
    apart = table([scored(one, one.answer), scored(other, "")]).drawn(RECIPE, "1-hop")
    found = apart.more()["exact"]
    assert (found.value, found.clusters) == (0.5, 2)
    assert found.low is not None
    assert found.high is not None
    assert 0.0 <= found.low < 0.5 < found.high <= 1.0


def test_what_agents_did_is_part_of_it() -> None:
    one = all_samples(sample_root() / "legalagentbench")[0]
    figure = table([scored(one, reply("梅九", "梅九", LOOKED, NOTHING))]).figure(RECIPE)
    found = further({"1-hop": figure})
    assert found["no_data_share/1-hop"] == 0.5
    assert figure.score == pytest.approx(1 / 3)
    assert figure.more["path_precision"] == 0.0
