"""How many rewards a second one core gives, by kind, and what the command line takes for the same.

    python benchmarks/rewards.py [--sample] [--only NAME ...]

- by kind: CPU seconds of this process for 512 responses, 8 to each of 64 samples as in a step of a
  training, after as many others to warm up;
- the command: `hengfa eval TASK --model ceiling --limit 64`, as CPU seconds of that process for
  each response, and how many times faster the reward is; where a task has fewer samples than 64,
  the command has fewer to share its start among;
- a mixed batch: 4,096 responses to all tasks without a grader but 2-1 (proofreading), wall seconds,
  by two processes that are at work already, as in a training; and CPU seconds of one process.

A response is what another sample's reference says, with a number after it: no two are equal.

Needs the shared data (HENGFA_SHARED, or next to the checkout); `--sample` takes the sample pack
instead, whose texts are shorter.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from hengfa.base.data.packs import sample_root
from hengfa.evals.suites.base import Sample
from hengfa.evals.suites.plan import choose
from hengfa.evals.suites.registry import get_suite
from hengfa.law.library.opening import open_library
from hengfa.train.rewards import answer_key, rewarder
from hengfa.train.rewards.agent import agent_key
from hengfa.train.rewards.citations import citation_key
from hengfa.train.rewards.form import form_key
from hengfa.train.rewards.tasks import find_task, task_names
from hengfa.world.suites.legalagentbench.dataset import AgentSample
from shared_data import read_arguments, shared_folder, suite_data

GROUP, STEP, MIXED, CHUNK = 8, 64, 4096, 128
MEASURED = GROUP * STEP
PROOFREADING = "lawbench/2-1"


class Row(NamedTuple):
    """A response to be rewarded."""

    name: str
    key: str
    said: str


class Bench:
    """Rows of every kind, made of one folder of data or of several."""

    def __init__(self, shared: Path | None) -> None:
        self._shared = shared
        with open_library(sample_root() / "claw") as library:
            self.library = library.path

    def data(self, name: str) -> Path:
        return suite_data(name.partition("/")[0], self._shared)

    def samples(self, name: str, most: int) -> list[Sample]:
        suite = get_suite(name.partition("/")[0])
        options = suite.choose({})
        samples = find_task(name).samples(self.data(name), suite.settings[0], options)
        return choose(samples, most)

    def rows(self, name: str, groups: int) -> list[Row]:
        """Rows of a reward: so many groups of responses, each group to one sample."""
        if name in MADE:
            return [Row(name, *MADE[name](n)) for n in range(groups * GROUP)]
        asked = OF_AGENT if name == AGENT else name
        task, samples = find_task(asked), self.samples(asked, groups)
        said = [task.baselines.reference(sample) for sample in samples]
        keys = [
            agent_key(sample) if isinstance(sample, AgentSample) and name == AGENT
            else answer_key(task, sample)
            for sample in samples
        ]  # fmt: skip
        return [
            Row(name, keys[n // GROUP % len(keys)], f"{said[(n // GROUP + n) % len(said)]}（{n}）")
            for n in range(groups * GROUP)
        ]


def citations(n: int) -> tuple[str, str]:
    cited = f"《月湖养蜂法》第{n % 9 + 1}条、《月湖渡船法》第{n % 7 + 1}条"
    return citation_key(date(2020, 1, 1)), f"依照{cited}，第{n}号请求成立。"


def forms(n: int) -> tuple[str, str]:
    return form_key("lawbench/1-2", ("[正确答案]", "<eoa>")), f"第{n}题：[正确答案]B<eoa>"


MADE = {"citations_right": citations, "format": forms}
"""Key and response of each number, for rewards that are no task's."""
AGENT, OF_AGENT = "agent", "legalagentbench/2-hop"
"""The reward of agents, and whose samples it has."""


def by_kind(bench: Bench, name: str) -> float:
    """CPU seconds of a reward."""
    rows = bench.rows(name, 2 * STEP)
    run(rows[:MEASURED], bench.library)
    started = time.process_time()
    run(rows[MEASURED:], bench.library)
    return (time.process_time() - started) / MEASURED


def run(rows: Sequence[Row], library: Path) -> int:
    """Rewards of rows, those of a name together."""
    for name, of_name in groupby(sorted(rows, key=lambda row: row.name), lambda row: row.name):
        keys, said = zip(*((row.key, row.said) for row in of_name), strict=True)
        rewarder(name, library=library).batch(keys, said)
    return len(rows)


def by_command(bench: Bench, name: str, folder: Path) -> float | None:
    """CPU seconds of a response by the command; None for what is no suite's task."""
    if name not in task_names():
        return None
    samples = len(bench.samples(name, STEP))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = "import sys; sys.argv[:1] = ['hengfa']; from hengfa.cli.main import main; main()"
    subprocess.run(
        [sys.executable, "-c", command, "eval", name, "--model", "ceiling", "--limit", str(STEP),
         "--rules", "corrected", "--data", str(bench.data(name)),
         "--runs", str(folder / name)],
        check=True, capture_output=True, env={**os.environ, "PYTHONUTF8": "1"},
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / samples


def mixed(bench: Bench) -> tuple[float, float]:
    """Wall seconds by two processes, and CPU seconds by one, of the batch."""
    names = [name for name in task_names() if name != PROOFREADING]
    groups = -(-MIXED // len(names) // GROUP)
    rows = [bench.rows(name, 2 * groups) for name in names]
    half = groups * GROUP
    warm = [row for of_name in rows for row in of_name[:half]]
    batch = [row for of_name in rows for row in of_name[half:]][:MIXED]
    chunks = [batch[start :: MIXED // CHUNK] for start in range(MIXED // CHUNK)]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        list(pool.map(run, [warm] * 4, [bench.library] * 4))  # both are at work then
        started = time.perf_counter()
        done = sum(pool.map(run, chunks, [bench.library] * len(chunks)))
        wall = time.perf_counter() - started
    assert done == MIXED
    run(warm, bench.library)
    started = time.process_time()
    run(batch, bench.library)
    return wall, time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", action="store_true", help="the sample pack alone")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these rewards, and no batch")
    given = read_arguments(parser, quick="--sample --only lawbench/2-1")
    bench = Bench(None if given.sample else shared_folder())
    print(f"{'reward':24}{'per second':>12}{'command':>12}{'times':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name in given.only or [*task_names(), AGENT, *MADE]:
            seconds, command = by_kind(bench, name), by_command(bench, name, Path(folder))
            told = "" if command is None else f"{1 / command:12,.0f}{command / seconds:8,.0f}"
            print(f"{name:24}{1 / seconds:12,.0f}{told}", flush=True)
    if not given.only:
        wall, cpu = mixed(bench)
        print(f"\nmixed batch of {MIXED:,}: {wall:.2f} s by two processes, {cpu:.2f} s of one CPU")


if __name__ == "__main__":
    main()
