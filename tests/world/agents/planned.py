"""Tasks with plans over a small world, and whoever solves them by their plans through tools."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

from hengfa.base.data.packs import sample_root
from hengfa.world.factory.follow import LookThroughTools, follow
from hengfa.world.factory.make import make_tasks
from hengfa.world.factory.question import answer_sentence
from hengfa.world.factory.task import FreshTask, Plan, Wanted, write_tasks
from hengfa.world.generator.build import build_world
from hengfa.world.generator.law import sample_law
from hengfa.world.tables.schema import LOOKUP_OF
from hengfa.world.tables.world import World
from hengfa.world.tools.observation import Observation

Text = Callable[[str, dict[str, object]], str]
"""What a tool answers to these arguments, as text."""


def make_ten(folder: Path) -> list[FreshTask]:
    """Two tasks of each number of hops, with their world, as `--data` takes them."""
    folder.mkdir(parents=True, exist_ok=True)
    with sample_law(sample_root()) as law:
        build_world(folder / "world.sqlite", 7, 1_000, law)
    with World.open(folder / "world.sqlite") as world:
        tasks, _ = make_tasks(world, Wanted(per_hop=2))
    write_tasks(folder / "tasks.jsonl", tasks)
    assert len(tasks) == 10
    return tasks


def solved(task: FreshTask, call: Text) -> tuple[str, str]:
    """Answer and summary by the task's plan, from the texts of strict tools alone."""
    assert isinstance(task.plan, Plan)

    def look(name: object, arguments: object) -> Observation:
        text = call(str(name), dict(arguments))  # type: ignore[call-overload]
        if LOOKUP_OF[str(name)].returns == "name":
            return Observation(text, rows=({"公司名称": text},))
        said = ast.literal_eval(text.replace(": nan", ": None"))
        return Observation(text, rows=tuple(said if isinstance(said, list) else [said]))

    outcome = follow(task.plan, LookThroughTools(look))
    table = LOOKUP_OF[task.plan.tools[-1]].table
    answer = answer_sentence(task.plan.ask, table, outcome.keys)
    return answer, "；".join((*outcome.middle, answer))
