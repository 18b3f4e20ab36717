"""The factory: a world and a seed to tasks, and a report of what was covered and refused."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

import msgspec

from hengfa.progress import Progress
from hengfa.world.factory.follow import LookInWorld, Outcome
from hengfa.world.factory.paths import Skeleton, Starts, Tree, Walk
from hengfa.world.factory.question import answer_sentence, ask_question
from hengfa.world.factory.task import JOINT, Plan, Reason, Refused, Task, type_number
from hengfa.world.schema import LOOKUP_OF
from hengfa.world.world import World

T = TypeVar("T")

TRIES: Final = 60
"""So many starts are tried before a tool, or a second start of a path, is given up."""

STRIKES: Final = 3
"""A tool that so often began nothing begins no more paths of this length."""

WALKS: Final = 3
"""Of so many walks the one with most new edges is taken."""


class Wanted(msgspec.Struct, frozen=True):
    """What to make: `per_hop` tasks of each number of hops, and how many of them on one path."""

    hops: tuple[int, ...] = (1, 2, 3, 4, 5)
    per_hop: int = 20
    writing: int = 0
    entities: int = 2
    seed: int = 0


class Report(msgspec.Struct):
    """What came out: tasks by hops, tools and edges that they use, and candidates by refusal."""

    tasks: dict[str, int] = {}
    paths: int = 0
    tools: int = 0
    tools_in_all: int = 0
    tools_missing: tuple[str, ...] = ()
    edges: int = 0
    edges_in_all: int = 0
    tried: int = 0
    refused: dict[str, int] = {}


class Factory:
    """Makes tasks with gold paths over one world; the same seed gives the same tasks."""

    def __init__(self, world: World, wanted: Wanted) -> None:
        self.wanted = wanted
        self.tried = 0
        self.refused: Counter[Reason] = Counter()
        self._rng = random.Random(f"tasks {wanted.seed}")
        self.tree = Tree(LookInWorld(world), Starts(world), self._rng)
        self._plans: set[Plan] = set()
        self._variants: dict[tuple[int, str], dict[Skeleton, int]] = {}

    def tasks(self) -> Iterator[Task]:
        """All tasks layer by layer, numbered later."""
        for hops in sorted(set(self.wanted.hops)):
            yield from self._layer(hops, self.wanted.per_hop)

    def _layer(self, hops: int, quota: int) -> Iterator[Task]:
        """Paths of one length; the tool that begins fewest of them begins the next."""
        begun = dict.fromkeys(self.tree.can_start(hops), 0)
        failures: Counter[str] = Counter()
        while quota > 0 and begun:
            first = min(begun, key=lambda tool: (begun[tool], self._rng.random()))
            begun[first] += 1
            walk = self._best_walk(first, hops)
            if walk is None:
                failures[first] += 1
                if failures[first] == STRIKES:
                    del begun[first]
                continue
            made = list(self._tasks_on(walk, min(quota, self.wanted.entities)))
            quota -= len(made)
            yield from made

    def _best_walk(self, first: str, hops: int) -> Walk | None:
        """Of some walks that could be executed, the one with most new edges."""
        walks: list[Walk] = []
        for _ in range(TRIES):
            walk = self.attempt(lambda: self._new(self.tree.walk(first, hops)))
            if walk is not None:
                walks.append(walk)
                if hops == 1 or len(walks) == WALKS:
                    break
        return max(walks, key=lambda walk: self.tree.new_edges(walk.outcome.plan), default=None)

    def _new(self, walk: Walk) -> Walk:
        """A variant that is not there yet."""
        plan = walk.outcome.plan
        if walk.skeleton in self._variants.get((len(plan.hops), plan.hops[0].tool), ()):
            raise Refused(Reason.TWICE)
        return walk

    def _tasks_on(self, walk: Walk, number: int) -> Iterator[Task]:
        """The task of a walk, and others on the same path from other starts."""
        first = self.attempt(lambda: self._task(walk.outcome, walk.skeleton))
        if first is None:
            return
        yield first
        for _ in range(TRIES):
            if number == 1:
                return
            more = self.attempt(lambda: self._task(self.tree.again(walk), walk.skeleton))
            if more is not None:
                yield more
                number -= 1

    def attempt(self, make: Callable[[], T]) -> T | None:
        """What was made, or None; either way it is counted."""
        self.tried += 1
        try:
            return make()
        except Refused as refusal:
            self.refused[refusal.reason] += 1
            return None

    def _task(self, outcome: Outcome, skeleton: Skeleton) -> Task:
        plan = outcome.plan
        if plan in self._plans:
            raise Refused(Reason.TWICE)
        question = ask_question(outcome, self._rng)
        if any(key in question.text for key in outcome.keys):
            raise Refused(Reason.TOLD)
        self._plans.add(plan)
        self.tree.covered.update(plan.edges)
        known = self._variants.setdefault((len(plan.hops), plan.hops[0].tool), {})
        variant = known.setdefault(skeleton, len(known) + 1)
        return as_task(outcome, question.text, question.keep, variant)


def as_task(outcome: Outcome, question: str, keep: tuple[str, ...], variant: int) -> Task:
    """A plan that was followed as a task, still without a number."""
    tools = outcome.plan.tools
    lookup = LOOKUP_OF[tools[0]]
    return Task(
        id=0,
        question=question,
        answer=answer_sentence(outcome.plan.ask, LOOKUP_OF[tools[-1]].table_name, outcome.keys),
        key=outcome.keys,
        key_middle=outcome.middle,
        type=f"{len(tools)}-{type_number(lookup)}-{variant}",
        way=JOINT.join(tools),
        hops=len(tools),
        plan=outcome.plan,
        keep=keep,
    )


def make_tasks(
    world: World, wanted: Wanted, watch: Progress | None = None
) -> tuple[list[Task], Report]:
    """All tasks that were wanted, as far as the world has them, and the report."""
    # Writing tasks need statutes, hop tasks do not.
    from hengfa.world.factory.writing import writing_tasks  # noqa: PLC0415

    factory = Factory(world, wanted)
    total = wanted.per_hop * len(wanted.hops) + wanted.writing
    tasks: list[Task] = []
    for task in factory.tasks():
        tasks.append(_numbered(task, tasks, watch, total))
    for task in writing_tasks(world, wanted.writing, wanted.seed, factory.attempt):
        tasks.append(_numbered(task, tasks, watch, total))
    return tasks, _report(factory, tasks)


def _numbered(task: Task, before: list[Task], watch: Progress | None, total: int) -> Task:
    number = len(before) + 1
    if watch:
        watch(number, total)
    return msgspec.structs.replace(task, id=number)


def _report(factory: Factory, tasks: list[Task]) -> Report:
    plans = [task.plan for task in tasks if isinstance(task.plan, Plan)]
    tools = {tool for plan in plans for tool in plan.tools}
    edges = {edge for plan in plans for edge in plan.edges}
    groups = Counter(f"{task.hops}-hop" if task.hops else "writing" for task in tasks)
    return Report(
        tasks=dict(groups),
        paths=len({(plan.tools) for plan in plans}),
        tools=len(tools),
        tools_in_all=len(factory.tree.graph.lookups),
        tools_missing=tuple(name for name in factory.tree.graph.lookups if name not in tools),
        edges=len(edges),
        edges_in_all=len(factory.tree.graph.step_edges),
        tried=factory.tried,
        refused={str(reason): count for reason, count in factory.refused.most_common()},
    )
