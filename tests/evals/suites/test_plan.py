"""What a few words on the command line mean: targets, data, limits."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.engine.messages import Options
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.evals.suites.plan import choose, make_plan, parse_target
from hengfa.evals.suites.registry import OWN, get_suite

SAMPLES = [LawBenchSample(str(i), "", "", "") for i in range(300)]


def test_a_target_names_a_suite_or_some_of_its_tasks() -> None:
    assert [task.id for task in parse_target("lawbench")[1]] == list(get_suite("lawbench").tasks)
    assert [task.id for task in parse_target("lawbench/1-2, 1-1,1-2")[1]] == ["1-2", "1-1"]


@pytest.mark.parametrize(("target", "named"), [("lawbunch", "lawbunch"), ("lawbench/7-7", "7-7")])
def test_an_unknown_target_is_named_with_what_there_is(target: str, named: str) -> None:
    with pytest.raises(UsageError, match=rf"{named}.*there is"):
        parse_target(target)


def test_data_that_is_not_installed_says_how_to_get_it() -> None:
    with pytest.raises(DataError, match="hengfa data pull lawbench"):
        make_plan("lawbench")
    with pytest.raises(UsageError, match="no folder"):
        make_plan("lawbench", data="/nowhere/at/all")


def test_any_folder_in_upstream_layout_will_do(tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(sample_root() / "lawbench" / "data")
    plan = make_plan("lawbench/1-1", data=str(tmp_path), setting="one_shot")
    assert plan.source == str(tmp_path)
    assert (plan.setting, len(plan)) == ("one_shot", 12)
    assert "示例" in next(plan.requests(Options())).messages[0].content


@given(st.integers(0, 300), st.integers(0, 300))
def test_a_larger_limit_contains_a_smaller_one(one: int, other: int) -> None:
    small, large = sorted((one, other))
    chosen = choose(SAMPLES, small)
    assert len(chosen) == small
    assert {s.id for s in chosen} <= {s.id for s in choose(SAMPLES, large)}
    assert [s for s in SAMPLES if s in chosen] == chosen


def test_a_limit_takes_samples_from_all_over_the_file() -> None:
    ids = [int(sample.id) for sample in choose(SAMPLES, 30)]
    assert min(ids) < 60
    assert max(ids) > 240


@pytest.mark.parametrize("name", OWN)
def test_every_suite_runs_on_the_sample_pack(name: str) -> None:
    plan = make_plan(name, data="sample")
    keys = [request.key for request in plan.requests(Options())]
    assert len(keys) == len(set(keys)) == len(plan) > 0
