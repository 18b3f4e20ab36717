"""The factory keeps its promises: the same seed the same bytes, hops as wanted, nothing twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from hengfa.world.factory.make import make_tasks
from hengfa.world.factory.task import VERSION, Plan, Wanted, WritingPlan, read_tasks, write_tasks
from hengfa.world.tables.world import World
from tests.world.test_factory_worlds import ON_PATHS, generated_world, hand_world, many_tasks

SMALL = Wanted(hops=(1, 2, 3), per_hop=8, writing=2, seed=3)


def written(world: World, wanted: Wanted, file: Path) -> bytes:
    write_tasks(file, make_tasks(world, wanted)[0])
    return file.read_bytes()


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    with generated_world() as first, generated_world() as second:
        one = written(first, SMALL, tmp_path / "one.jsonl")
        assert written(second, SMALL, tmp_path / "two.jsonl") == one
        other = Wanted(hops=(1, 2, 3), per_hop=8, writing=2, seed=4)
        assert written(first, other, tmp_path / "other.jsonl") != one


def test_a_file_names_what_makes_it_again_byte_for_byte(tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl"
    wanted = Wanted(hops=(1, 3), per_hop=6, writing=1, entities=1, seed=12, rewrite="rules")
    with generated_world() as world:
        first = written(world, wanted, file)
        made = {task.made for task in read_tasks(file)}
        (only,) = made
        assert only is not None
        assert (only.factory, only.world, only.wanted) == (VERSION, world.fingerprint, wanted)
        assert written(world, only.wanted, tmp_path / "again.jsonl") == first


def test_starts_differ_within_a_class_and_mostly_over_all() -> None:
    plans = [task.plan for task in many_tasks()[0] if isinstance(task.plan, Plan)]
    starts = [(len(plan.hops), plan.start) for plan in plans]
    assert len(set(starts)) == len(starts)
    assert len({start for _, start in starts}) > 0.8 * len(starts)


def test_tasks_on_one_path_share_no_key() -> None:
    keys: dict[str, set[str]] = {}
    for task in many_tasks()[0]:
        if isinstance(task.plan, Plan):
            known = keys.setdefault(task.type, set())
            assert not known & set(task.key), task.id
            known |= set(task.key)


def test_the_report_tells_how_answers_are_spread() -> None:
    _, report = many_tasks()
    assert list(report.answers) == [*(f"{n}-hop" for n in range(1, 6)), "all hops"]
    for name, spread in report.answers.items():
        assert spread.tasks == report.tasks.get(name, ON_PATHS)
        assert spread.share < 0.05
        assert 0 < spread.entropy <= spread.most
        assert spread.different > 0.6 * spread.tasks


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    with generated_world() as world:
        tasks, _ = make_tasks(world, SMALL)
    write_tasks(tmp_path / "tasks.jsonl", tasks)
    assert read_tasks(tmp_path / "tasks.jsonl") == tasks
    assert [task.id for task in tasks] == list(range(1, len(tasks) + 1))


def test_longer_paths_on_demand() -> None:
    with generated_world() as world:
        tasks, report = make_tasks(world, Wanted(hops=(7,), per_hop=6, seed=1))
    assert report.tasks == {"7-hop": 6}
    assert all(len(task.plan.tools) == 7 for task in tasks if isinstance(task.plan, Plan))


def test_one_start_or_several_on_a_path() -> None:
    with generated_world() as world:
        single, _ = make_tasks(world, Wanted(hops=(2,), per_hop=10, entities=1))
        triple, _ = make_tasks(world, Wanted(hops=(1,), per_hop=9, entities=3))
    assert len({task.type for task in single}) == 10
    assert len({task.type for task in triple}) < 9


def test_no_task_is_there_twice_and_no_path_takes_an_edge_twice() -> None:
    tasks, report = many_tasks()
    plans = [task.plan for task in tasks if isinstance(task.plan, Plan)]
    assert len(set(plans)) == len(plans)
    assert all(len(set(plan.edges)) == len(plan.edges) for plan in plans)
    assert report.edges == len({edge for plan in plans for edge in plan.edges})


def test_new_edges_come_first() -> None:
    """Ten paths of two hops could all have the same edge; they have ten."""
    with generated_world() as world:
        tasks, report = make_tasks(world, Wanted(hops=(2,), per_hop=10, entities=1))
    assert report.edges == 10 == len(tasks)


def test_a_world_with_little_in_it_gives_fewer_tasks_and_says_why(tmp_path: Path) -> None:
    with hand_world(tmp_path) as world:
        tasks, report = make_tasks(world, Wanted(hops=(1, 2), per_hop=40, writing=2, seed=1))
    assert 5 < len(tasks) < 82
    assert report.refused
    assert report.tools_missing
    assert "writing" not in report.tasks


def test_an_empty_world_gives_none(tmp_path: Path) -> None:
    with hand_world(tmp_path, SubCompanyInfo=[], LegalDoc=[], CourtCode=[]) as world:
        tasks, report = make_tasks(world, Wanted(per_hop=3, writing=1))
    assert tasks == []
    assert report.edges == 0


# --- the recovered rows ---


@pytest.mark.shared
def test_tasks_on_the_recovered_rows_rest_on_observed_cells_only(recovered: World) -> None:
    from hengfa.world.factory.follow import LookThroughTools, follow
    from hengfa.world.tools.observation import Observation
    from hengfa.world.tools.toolbox import Toolbox

    tasks, report = make_tasks(recovered, Wanted(per_hop=20, writing=3, seed=1))
    assert report.tasks == {f"{n}-hop": 20 for n in range(1, 6)} | {"writing": 3}
    assert report.refused["a cell was never observed"] > 0
    toolbox = Toolbox(recovered, "strict")

    def call(name: object, arguments: object) -> Observation:
        seen = toolbox.call(name, arguments)
        assert seen.unobserved == 0
        return seen

    for task in tasks:
        if isinstance(task.plan, Plan):
            assert follow(task.plan, LookThroughTools(call)).keys == task.key


# --- writing tasks ---


def test_a_defence_has_the_facts_of_all_parties_and_cites_what_it_must() -> None:
    tasks, _ = many_tasks()
    writing = [task for task in tasks if isinstance(task.plan, WritingPlan)]
    assert {
        len(task.plan.defendants) for task in writing if isinstance(task.plan, WritingPlan)
    } == {1, 2}
    for task in writing:
        assert isinstance(task.plan, WritingPlan)
        assert (task.type, task.way, task.hops) == ("", "", 0)
        assert all(key in task.answer for key in (*task.key, *task.key_middle))
        told = [key for key in (*task.key, *task.key_middle) if key in task.question]
        assert set(told) == {*task.plan.defendants, task.plan.firm}
        assert len(task.key) == 5 * len(task.plan.defendants) + 3 + len(task.plan.grounds)
