"""The factory: a world and a seed to tasks, and a report of what was covered and refused."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import count
from typing import Final, TypeVar

import msgspec

from hengfa.base.progress import Progress
from hengfa.world.factory.follow import LookInWorld, Outcome
from hengfa.world.factory.judging import Answers, Constants, Judge, spread_of
from hengfa.world.factory.paths import Skeleton, Starts, Tree, Walk
from hengfa.world.factory.question import answer_to, ask_question
from hengfa.world.factory.rewriting import (
    BY_RULES,
    NO_REWRITING,
    Figures,
    Rewriting,
    by_rule,
    figures,
    problems_of,
    with_question,
)
from hengfa.world.factory.task import (
    JOINT,
    VERSION,
    FreshTask,
    Origin,
    Plan,
    Reason,
    Refused,
    Start,
    Wanted,
    type_number,
)
from hengfa.world.tables.world import World

T = TypeVar("T")

TRIES: Final = 25
"""So many starts are tried before a tool, or a second start of a path, is given up."""

STRIKES: Final = 3  # a tool that so often began nothing begins no more paths of this length
WALKS: Final = 2  # of so many walks the one with most new edges is taken
ROUNDS: Final = 8  # so often tasks that can be copied are replaced by others
PASSES: Final = 4  # so often tools that began nothing are tried again before a class is left short
ALL: Final = "all hops"


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
    answers: dict[str, Answers] = {}
    rewriting: Figures = Figures(NO_REWRITING)


class Factory:
    """Makes tasks with gold paths over one world; the same seed gives the same tasks."""

    def __init__(self, world: World, wanted: Wanted, watch: Callable[[], None]) -> None:
        self.wanted = wanted
        self.attempts = 0
        self.refusals: Counter[Reason] = Counter()
        self.rewritten: list[Rewriting] = []
        self._watch = watch
        self._schema = world.schema
        self._rng = random.Random(f"tasks {wanted.seed}")
        self._starts = Starts(world)
        self.tree = Tree(LookInWorld(world), self._starts, self._rng)
        self._judge = Judge(world)
        self._of_all = Constants(wanted.per_hop * len(set(wanted.hops)))
        self._of_class = Constants(wanted.per_hop)
        self._plans: set[Plan] = set()
        self._named: set[Start] = set()
        self._of_layer: set[Start] = set()
        self._variants: dict[tuple[int, str], dict[Skeleton, int]] = {}

    def tasks(self) -> list[FreshTask]:
        """All tasks layer by layer, numbered later."""
        layers = [self._layer(hops) for hops in sorted(set(self.wanted.hops))]
        while True:
            before = sum(map(len, layers))
            common = too_common([task for layer in layers for task in layer])
            layers = [self._without(layer, self._unfit(layer, common)) for layer in layers]
            if sum(map(len, layers)) == before:
                return [task for layer in layers for task in layer]

    def _layer(self, hops: int) -> list[FreshTask]:
        """Tasks of one length, from starts that no task names; where the world has no more of them,
        from starts that no task of this length names."""
        self._of_class, self._of_layer = Constants(self.wanted.per_hop), set()
        kept: list[FreshTask] = []
        for used in (self._named, *[self._of_layer] * PASSES):
            self._starts.used = used
            paths = _Paths(self.tree.can_start(hops), self._rng)
            # whether a task can be copied shows when all are there
            for _ in range(ROUNDS):
                kept = kept + list(self._grown(hops, paths, self.wanted.per_hop - len(kept)))
                unfit = self._judge.unfit(kept)
                if not unfit:
                    break
                kept = self._without(kept, unfit)
        return kept

    def _unfit(self, layer: list[FreshTask], common: set[str]) -> dict[int, Reason]:
        """What must be left out of a set that is done: it may be smaller than was wanted."""
        common = common | too_common(layer)
        places = [place for place, task in enumerate(layer) if task.question in common]
        return dict.fromkeys(places, Reason.COMMON) | self._judge.unfit(layer)

    def _grown(self, hops: int, paths: _Paths, quota: int) -> Iterator[FreshTask]:
        """Paths of one length; the tool that begins fewest of them begins the next."""
        while quota > 0 and (first := paths.next()) is not None:
            walk = self._best_walk(first, hops)
            made = list(self._tasks_on(walk, min(quota, self.wanted.entities))) if walk else []
            paths.began(first, something=bool(made))
            quota -= len(made)
            yield from made

    def _without(self, tasks: list[FreshTask], unfit: Mapping[int, Reason]) -> list[FreshTask]:
        for place, reason in unfit.items():
            self.refusals[reason] += 1
            for constants in (self._of_all, self._of_class):
                constants.remove(tasks[place].key)
            if isinstance(plan := tasks[place].plan, Plan):
                self.tree.covered.subtract(plan.edges)
        return [task for place, task in enumerate(tasks) if place not in unfit]

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
        """A variant that is not there yet, and an answer that is worth asking for."""
        plan = walk.outcome.plan
        if walk.skeleton in self._variants.get((len(plan.hops), plan.hops[0].tool), ()):
            raise Refused(Reason.TWICE)
        self._worth_asking(walk.outcome)
        return walk

    def _worth_asking(self, outcome: Outcome) -> None:
        answer = answer_to(outcome)
        for constants in (self._of_class, self._of_all):
            constants.check(outcome.keys, answer)
        self._judge.check(outcome.plan, outcome.keys)

    def _tasks_on(self, walk: Walk, number: int) -> Iterator[FreshTask]:
        """The task of a walk, and others on the same path from other starts."""
        task = self.attempt(lambda: self._task(walk.outcome, walk.skeleton))
        keys: set[str] = set()
        twin = partial(self._twin, walk, keys)
        for _ in range(TRIES):
            if task is not None:
                yield task
                keys.update(task.key)
                number -= 1
            if number == 0 or not keys:
                return
            task = self.attempt(twin)

    def _twin(self, walk: Walk, keys: Set[str]) -> FreshTask:
        """The same path from another start to another answer."""
        outcome = self.tree.again(walk)
        if keys & set(outcome.keys):
            raise Refused(Reason.COPIED)
        self._worth_asking(outcome)
        return self._task(outcome, walk.skeleton)

    def attempt(self, make: Callable[[], T]) -> T | None:
        """What was made, or None; either way it is counted."""
        self.attempts += 1
        try:
            return make()
        except Refused as refusal:
            self.refusals[refusal.reason] += 1
            return None

    def _task(self, outcome: Outcome, skeleton: Skeleton) -> FreshTask:
        plan = outcome.plan
        if plan in self._plans:
            raise Refused(Reason.TWICE)
        question = ask_question(outcome, self._rng)
        if any(key in question.text for key in outcome.keys):
            raise Refused(Reason.TOLD)
        known = self._variants.setdefault((len(plan.hops), plan.hops[0].tool), {})
        variant = known.get(skeleton, len(known) + 1)
        task = as_task(outcome, question.text, question.keep, variant)
        for constants in (self._of_class, self._of_all):
            constants.add(task.key, task.answer)
        known[skeleton] = variant
        self._plans.add(plan)
        self._named.add(plan.start)
        self._of_layer.add(plan.start)
        self.tree.covered.update(plan.edges)
        self._watch()
        if self.wanted.rewrite != BY_RULES:
            return task
        text = by_rule(task, self.wanted.seed, self._schema)  # the plan is not followed again
        self.rewritten.append(with_question(task, text, problems_of(task, text)))
        return self.rewritten[-1].task


class _Paths:
    """Which tool begins the next path; one that often began nothing begins no more."""

    def __init__(self, tools: Iterable[str], rng: random.Random) -> None:
        self._begun = dict.fromkeys(tools, 0)
        self._failures: Counter[str] = Counter()
        self._rng = rng

    def next(self) -> str | None:
        if not self._begun:
            return None
        first = min(self._begun, key=lambda tool: (self._begun[tool], self._rng.random()))
        self._begun[first] += 1
        return first

    def began(self, tool: str, *, something: bool) -> None:
        self._failures[tool] += not something
        if self._failures[tool] == STRIKES:
            del self._begun[tool]


def too_common(tasks: Sequence[FreshTask]) -> set[str]:
    """The questions of tasks with an answer that too many of these have."""
    constants, found = Constants(len(tasks)), set()
    for task in tasks:
        try:
            constants.check(task.key, task.answer)
        except Refused:
            found.add(task.question)
        else:
            constants.add(task.key, task.answer)
    return found


def as_task(outcome: Outcome, question: str, keep: tuple[str, ...], variant: int) -> FreshTask:
    """A plan that was followed as a task, still without a number."""
    tools = outcome.plan.tools
    first = outcome.schema.lookup_of[tools[0]]
    return FreshTask(
        id=0,
        question=question,
        answer=answer_to(outcome),
        key=outcome.keys,
        key_middle=outcome.middle,
        type=f"{len(tools)}-{type_number(first)}-{variant}",
        way=JOINT.join(tools),
        hops=len(tools),
        plan=outcome.plan,
        keep=keep,
    )


def make_tasks(
    world: World, wanted: Wanted, watch: Progress | None = None
) -> tuple[list[FreshTask], Report]:
    """All tasks that were wanted, as far as the world has them, and the report."""
    # Writing tasks need statutes, hop tasks do not.
    from hengfa.world.factory.writing import writing_tasks  # noqa: PLC0415

    total = wanted.per_hop * len(set(wanted.hops)) + wanted.writing
    done = count(1)

    def step() -> None:
        if watch:
            watch(min(next(done), total), total)

    factory = Factory(world, wanted, step)
    made = Origin(VERSION, world.fingerprint, wanted)
    tasks = factory.tasks()
    for task in writing_tasks(world, wanted.writing, wanted.seed, factory.attempt):
        tasks.append(task)
        step()
    tasks = [
        msgspec.structs.replace(task, id=number, made=made) for number, task in enumerate(tasks, 1)
    ]
    return tasks, _report(factory, tasks)


def _report(factory: Factory, tasks: list[FreshTask]) -> Report:
    plans = [task.plan for task in tasks if isinstance(task.plan, Plan)]
    tools = {tool for plan in plans for tool in plan.tools}
    edges = {edge for plan in plans for edge in plan.edges}
    groups: dict[str, list[FreshTask]] = {}
    for task in tasks:
        groups.setdefault(f"{task.hops}-hop" if task.hops else "writing", []).append(task)
    hops = [task for task in tasks if task.hops]
    sets = {name: group for name, group in groups.items() if group[0].hops}
    kept = {task.question for task in tasks}
    reworded = [done for done in factory.rewritten if done.task.question in kept]
    return Report(
        tasks={name: len(group) for name, group in groups.items()},
        paths=len({(plan.tools) for plan in plans}),
        tools=len(tools),
        tools_in_all=len(factory.tree.graph.lookups),
        tools_missing=tuple(name for name in factory.tree.graph.lookups if name not in tools),
        edges=len(edges),
        edges_in_all=len(factory.tree.graph.step_edges),
        tried=factory.attempts,
        refused={str(reason): number for reason, number in factory.refusals.most_common()},
        answers={name: spread_of(group) for name, group in {**sets, ALL: hops}.items() if group},
        rewriting=figures(BY_RULES if reworded else NO_REWRITING, reworded),
    )
