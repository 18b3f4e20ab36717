"""What fresh tasks are worth: is every key right, and what does a lazy solver get?

    python benchmarks/task_factory.py [--scales 10000 100000] [--seeds 1 2 3] [--per-hop 200]

For each world and seed, over the tasks of each number of hops: the success of the oracle, who
follows the plan through the published tools; the share of keys that plain SQL finds again; the mean
success of the best constant answer, of the nearest other question's answer (copy) and of the
built-in model `retrieval`; how many answers differ, the commonest, and their entropy. Then the CPU
seconds that making them took, also as microseconds per row of the world, and what was refused.

Needs no data. Worlds are generated with seed 7 and removed afterwards.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from hengfa.base.data.packs import sample_root
from hengfa.evals.suites.base import Answer, AnswerStatus
from hengfa.evals.suites.builtin import search_answers
from hengfa.world.factory.judging import find_copied, share_in, spread_of
from hengfa.world.factory.make import make_tasks
from hengfa.world.factory.oracle import Oracle
from hengfa.world.factory.recomputed import Recomputation
from hengfa.world.factory.task import FreshTask, Plan, Wanted, write_tasks
from hengfa.world.generator.build import build_world
from hengfa.world.generator.law import sample_law
from hengfa.world.suites.legalagentbench.dataset import AgentSample, all_samples
from hengfa.world.suites.legalagentbench.rules import SUCCESS, KeywordRules, Submitted
from hengfa.world.suites.legalagentbench.suite import TASKS
from hengfa.world.tables.world import World
from shared_data import read_arguments

RULES = KeywordRules(frozenset())
TASK_OF = {task.id: task for task in TASKS}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scales", type=int, nargs="+", default=(10_000, 100_000))
    parser.add_argument("--seeds", type=int, nargs="+", default=(1, 2, 3))
    parser.add_argument("--per-hop", type=int, default=200)
    given = read_arguments(parser, quick="--scales 1000 --seeds 1 --per-hop 3")
    refused: Counter[str] = Counter()
    print(
        f"{'rows':>9} {'seed':>4} {'class':<6}{'tasks':>6}{'oracle':>8}{'again':>7}{'const':>7}"
        f"{'copy':>7}{'retr':>7}{'differ':>8}{'entropy':>14}  commonest"
    )
    with tempfile.TemporaryDirectory() as scratch, sample_law(sample_root()) as law:
        for scale in given.scales:
            file = Path(scratch) / f"{scale}.sqlite"
            build_world(file, 7, scale, law)
            for seed in given.seeds:
                with World.open(file) as world:
                    refused += measure(world, scale, seed, given.per_hop, Path(scratch))
    print("refused in all:")
    for reason, number in refused.most_common():
        print(f"{number:>9,}  {reason}")


def measure(world: World, scale: int, seed: int, per_hop: int, scratch: Path) -> Counter[str]:
    began = time.process_time()
    tasks, report = make_tasks(world, Wanted(per_hop=per_hop, seed=seed, rewrite="rules"))
    seconds = time.process_time() - began
    folder = Path(tempfile.mkdtemp(dir=scratch))
    write_tasks(folder / "tasks.jsonl", tasks)
    samples = {sample.id: sample for sample in all_samples(folder)}
    for hops in range(1, 6):
        group = [task for task in tasks if task.hops == hops]
        print(f"{scale:>9,} {seed:>4} {row(world, group, [samples[str(t.id)] for t in group])}")
    print(
        f"{scale:>9,} {seed:>4} made in {seconds:.1f} s of processor time,"
        f" {seconds / scale * 1e6:.0f} us per row; {report.tried:,} candidates",
        flush=True,
    )
    return Counter(report.refused)


def row(world: World, tasks: Sequence[FreshTask], samples: Sequence[AgentSample]) -> str:
    oracle, again = Oracle(world), Recomputation(world.connection)
    solved = fmean(
        success(sample, oracle.solve(task.plan).res)
        for task, sample in zip(tasks, samples, strict=True)
    )
    same = fmean(
        isinstance(task.plan, Plan) and again.keys(task.plan) == task.key for task in tasks
    )
    constant = max(
        fmean(share_in(task.key, answer) for task in tasks)
        for answer in {task.answer for task in tasks}
    )
    group = TASK_OF[samples[0].group]
    found = search_answers(group, samples, [])
    retrieval = fmean(map(success, samples, found))
    spread = spread_of(tasks)
    return (
        f"{group.id:<6}{len(tasks):>6}{solved:>8.3f}{same:>7.3f}{constant:>7.3f}"
        f"{len(find_copied(tasks)) / len(tasks):>7.3f}{retrieval:>7.3f}{spread.different:>8}"
        f"{spread.entropy:>7.2f} of{spread.most:>5.2f}  {spread.commonest} ({spread.share:.1%})"
    )


def success(sample: AgentSample, text: str) -> float:
    answer = Answer(Submitted(text, text), AnswerStatus.EXTRACTED)
    return RULES.score(sample, answer).metrics[SUCCESS] or 0.0


if __name__ == "__main__":
    main()
