"""Agents that are played, on fresh tasks, by every method: what each method gives, and takes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hengfa.base.data.packs import sample_root
from hengfa.world.agents.native import IDLE_TURNS
from hengfa.world.agents.trajectory import Ended, read_reply
from hengfa.world.factory.make import make_tasks
from hengfa.world.factory.task import FreshTask, Plan, Wanted, write_tasks
from hengfa.world.generator.build import build_world
from hengfa.world.generator.law import sample_law
from hengfa.world.suites.legalagentbench.dataset import SETTINGS
from hengfa.world.tables.world import World
from hengfa.world.tools.observation import Observation
from hengfa.world.tools.toolbox import Toolbox
from tests.evals.engine.server import in_thread
from tests.world.agents.standin import COMPETENT, LOOPING, SLOPPY, Sat, StandIn, sit

TOOLS, REACT = "tools", "react"


class Table:
    """A data folder with tasks, and the server that solves them."""

    def __init__(self, data: Path, tasks: list[FreshTask], server: StandIn) -> None:
        self.data, self.tasks, self.server = data, tasks, server

    def sit(self, played: str, setting: str, runs: Path, **options: str) -> dict[int, Sat]:
        return sit(self.server, played, setting, self.data, runs, **options)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    data = tmp_path_factory.mktemp("standin")
    with sample_law(sample_root()) as law:
        build_world(data / "world.sqlite", 3, 4_000, law)
    with World.open(data / "world.sqlite") as world:
        tasks, _ = make_tasks(world, Wanted(per_hop=8, seed=2))
    write_tasks(data / "tasks.jsonl", tasks)
    with in_thread(StandIn(tasks)) as server:
        yield Table(data, tasks, server)


def mean(sat: dict[int, Sat], metric: str) -> float:
    return sum(one.metrics[metric] or 0.0 for one in sat.values()) / len(sat)


def ends(sat: dict[int, Sat]) -> set[Ended | None]:
    replies = [read_reply(one.response.text) for one in sat.values()]
    return {reply.ended for reply in replies if reply is not None}


def each(task: FreshTask) -> bool:
    """Whether a list leads on row by row, so that there are more calls than a plan has steps."""
    return isinstance(task.plan, Plan) and any(hop.each for hop in task.plan.hops)


@pytest.mark.parametrize(
    ("setting", "mode"),
    [*((setting, "auto") for setting in SETTINGS), (TOOLS, "strict"), (REACT, "helpful")],
)
def test_whoever_does_everything_right_gets_everything(
    table: Table, tmp_path: Path, setting: str, mode: str
) -> None:
    sat = table.sit(COMPETENT, setting, tmp_path, mode=mode)
    assert len(sat) == len(table.tasks) > 20
    plain = {task.id: sat[task.id] for task in table.tasks if setting == TOOLS or not each(task)}
    assert mean(plain, "success") == mean(plain, "process") == mean(plain, "path_recall") == 1.0
    assert ends(plain) == {Ended.FINISHED}
    for metric in ("repeats", "bad_column", "bad_call", "unparsable"):
        assert mean(sat, metric) == 0.0


def test_our_method_takes_fewer_questions_than_any_published_one(
    table: Table, tmp_path: Path
) -> None:
    asked = {
        setting: sum(sat.asked for sat in table.sit(COMPETENT, setting, tmp_path).values())
        for setting in SETTINGS
    }
    assert all(asked[TOOLS] < asked[setting] for setting in SETTINGS if setting != TOOLS)


def test_a_wrong_result_makes_a_wrong_answer(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stand-in answers from what tools say and not from what it knows."""
    call = Toolbox.call

    def garbled(self: Toolbox, name: object, arguments: Any) -> Observation:
        seen = call(self, name, arguments)
        return msgspec.structs.replace(
            seen, text=seen.text.replace("公司", "公行").replace("2", "3")
        )

    monkeypatch.setattr(Toolbox, "call", garbled)
    for setting in SETTINGS:
        assert mean(table.sit(COMPETENT, setting, tmp_path), "success") < 0.5


def test_a_server_that_refuses_functions_is_told_the_tools_in_words(
    table: Table, tmp_path: Path
) -> None:
    with in_thread(StandIn(table.tasks, functions=False)) as server:
        sat = sit(server, COMPETENT, TOOLS, table.data, tmp_path)
        refused = sum("tools" in seen.body for seen in server.seen)
    assert mean(sat, "success") == mean(sat, "process") == 1.0
    assert refused == 5  # once in each group


def test_long_lists_are_read_page_by_page(table: Table, tmp_path: Path) -> None:
    """Tools give twenty rows at once; whoever goes on has them all."""
    sat = table.sit(COMPETENT, TOOLS, tmp_path)
    pages = [
        step
        for one in sat.values()
        for step in (read_reply(one.response.text) or pytest.fail("no reply")).steps or ()
        if "offset" in step.arguments
    ]
    assert pages


@pytest.mark.parametrize(
    ("setting", "calls"), [(TOOLS, 1 + IDLE_TURNS), (REACT, 10), ("plan-execute", 10)]
)
def test_a_loop_is_ended(table: Table, tmp_path: Path, setting: str, calls: int) -> None:
    sat = table.sit(LOOPING, setting, tmp_path)
    assert ends(sat) == {Ended.STEP_LIMIT}
    assert {one.metrics["calls"] for one in sat.values()} == {calls}
    assert {one.metrics["repeats"] for one in sat.values()} == {calls - 1}
    assert mean(sat, "success") == 0.0


def test_results_of_helpful_tools_name_what_would_have_been_right(
    table: Table, tmp_path: Path
) -> None:
    """The sloppy one mends what a result names: always a column, mostly a name or a tool."""
    ours, theirs = (table.sit(SLOPPY, setting, tmp_path) for setting in (TOOLS, REACT))
    assert mean(ours, "success") > mean(theirs, "success") + 0.2
    made: defaultdict[str, list[int]] = defaultdict(list)
    for task in table.tasks:
        made[table.server.slip(task)[0] or "none"].append(task.id)
    for slip, ids in made.items():
        ours_of, theirs_of = ({id_: sat[id_] for id_ in ids} for sat in (ours, theirs))
        assert mean(ours_of, "success") >= mean(theirs_of, "success"), slip
    assert mean({id_: ours[id_] for id_ in made["column"]}, "success") == 1.0


def test_what_a_task_may_take_is_limited(table: Table, tmp_path: Path) -> None:
    sat = table.sit(COMPETENT, TOOLS, tmp_path, max_steps="1")
    assert ends(sat) == {Ended.STEP_LIMIT}
    assert max(one.asked for one in sat.values()) == 4  # plan, turn and the two closing texts
    assert 0.0 < mean(sat, "success") < 1.0  # tasks of one hop are answered from the transcript
    few = table.sit(COMPETENT, TOOLS, tmp_path / "few", max_tokens_per_task="1")
    assert ends(few) == {Ended.BUDGET}
