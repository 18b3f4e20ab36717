"""Scores by group, table and start, with intervals by path; the error profile by hand."""

from __future__ import annotations

import pytest
from hengfa.suites.legalagentbench.breakdown import breakdown, error_profile
from tests.scoring import score_response

from hengfa.agents.trajectory import Ended, Reply, Step, Trajectory, write_reply
from hengfa.engine.messages import Response
from hengfa.engine.messages import Status as ResponseStatus
from hengfa.suites.base import Rules
from hengfa.suites.legalagentbench.dataset import GROUPS, AgentSample, all_samples
from hengfa.suites.legalagentbench.suite import SUITE
from hengfa.suites.plan import sample_root
from hengfa.suites.scoring import Scored
from hengfa.world.tools.observation import Status

LOOKED = Step("get_court_info", {"identifier": "甲"})
NOTHING = Step("get_court_info", {"identifier": "乙"}, Status.NO_DATA)


def scored(sample: AgentSample, text: str) -> Scored:
    rule_set = SUITE.tasks[sample.group].rule_set(Rules.OFFICIAL)
    return score_response(rule_set, sample, Response(ResponseStatus.ANSWERED, text=text))


def test_errors_are_pooled_over_calls_actions_and_tasks() -> None:
    found = error_profile([
        Trajectory((LOOKED, NOTHING, NOTHING, Step()), Ended.STEP_LIMIT),
        Trajectory((LOOKED, Step("get_sum", {}, Status.BAD_ARGUMENTS)), Ended.FINISHED),
        Trajectory((Step("no_such", {}, Status.UNKNOWN_TOOL), LOOKED), Ended.CONTEXT_OVERFLOW),
    ])  # fmt: skip
    assert found is not None
    assert (found.tasks, found.actions_per_task) == (3, 8 / 3)
    assert found.shares == {
        "no_data": 2 / 5,
        "bad_column": 0.0,
        "bad_call": 2 / 8,
        "tool_failed": 0.0,
        "unparsable": 1 / 8,
        "repeats": 1 / 8,
        "unfinished": 2 / 3,
        "step_limit": 1 / 3,
        "context_overflow": 1 / 3,
    }
    assert error_profile([]) is None
    idle = error_profile([Trajectory((), Ended.FAILED)])
    assert idle is not None
    assert idle.shares["no_data"] == 0.0


def test_samples_are_grouped_by_hops_tables_and_start() -> None:
    samples = all_samples(sample_root() / "legalagentbench")
    found = breakdown([scored(one, one.answer) for one in samples])
    assert set(found.groups["group"]) == set(GROUPS)
    assert found.whole["success"].mean == 1.0
    assert found.whole["success"].n == 12
    tables = {table: members["success"].n for table, members in found.groups["table"].items()}
    assert tables["CourtCode"] == 3
    assert tables["DishonestyCase"] == 1
    starts = {tool: members["success"].n for tool, members in found.groups["start"].items()}
    assert starts["get_restriction_case"] == 2
    assert sum(starts.values()) == 10  # writing has no path
    assert found.errors is None
    assert "path_recall" not in found.whole
    assert "traced" not in found.whole


def test_an_interval_comes_from_paths_and_needs_two() -> None:
    samples = all_samples(sample_root() / "legalagentbench")
    ones, twos = samples[0], samples[1]
    same = [scored(ones, ones.answer), scored(ones, "")]
    assert breakdown(same).whole["success"].low is None
    apart = breakdown([scored(ones, ones.answer), scored(twos, "")]).whole
    assert (apart["success"].mean, apart["success"].low, apart["success"].high) == (0.5, 0.0, 1.0)
    assert apart["tolerant"].low is None


def test_what_agents_did_is_part_of_it() -> None:
    one = all_samples(sample_root() / "legalagentbench")[0]
    text = write_reply(Reply("梅九", "梅九", (LOOKED, NOTHING), Ended.FINISHED))
    found = breakdown([scored(one, text)])
    assert found.errors is not None
    assert found.errors.shares["no_data"] == 0.5
    assert found.whole["success"].mean == pytest.approx(1 / 3)
    assert found.whole["path_precision"].mean == 0.0
