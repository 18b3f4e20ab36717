"""What the best of twenty cheap strategies earns of each reward, beside floor and reference.

    python benchmarks/reward_hacking.py [--sample] [--limit N] [--rows FILE.parquet ...]

Strategies are those of `hengfa.train.rewards.cheap`; none knows the reference to its own question.
For each reward: what the suite's own trivial answer earns, the best strategy and what it earns,
what the reference earns; how far the strategy is on the way from the one to the other; and the best
that any strategy has of `skill`, where the scale was measured on other samples than it is tried on.
Prints a table for the docs. Corrected rules.

Needs the shared data (HENGFA_SHARED, or next to the checkout); `--sample` takes the sample pack
instead. Cited law is that of the sample pack.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import polars as pl

from hengfa.base.data.packs import sample_root
from hengfa.evals.suites.base import Rules, Sample
from hengfa.evals.suites.claw.dataset import all_samples
from hengfa.evals.suites.plan import choose
from hengfa.evals.suites.registry import get_suite
from hengfa.law.grammar.citation_positions import format_citation
from hengfa.law.library.opening import open_library
from hengfa.train.rewards import Rewarder, answer_key, rewarder, scale_of
from hengfa.train.rewards.agent import agent_key
from hengfa.train.rewards.cheap import cheap_answers
from hengfa.train.rewards.citations import citation_key
from hengfa.train.rewards.form import form_key
from hengfa.train.rewards.named import named_task
from hengfa.train.rewards.tasks import TRIVIAL, find_task, key_reader, prompt_text, task_names
from hengfa.world.suites.legalagentbench.dataset import AgentSample
from shared_data import read_arguments, shared_folder, suite_data

AGENT, OF_AGENT = "agent", "legalagentbench/3-hop"
FORM, OF_FORM = "format", "lawbench/1-2"
DAY = date(2020, 1, 1)


class Tried(NamedTuple):
    """A reward with questions: prompts, references, keys, and the suite's trivial answers."""

    name: str
    of_name: Rewarder
    prompts: Sequence[str]
    references: Sequence[str]
    keys: Sequence[str]
    trivial: Sequence[str]
    skill: float | None = None

    def mean(self, said: Sequence[str]) -> float:
        """Silence counts: a policy may well choose it."""
        values = [reward.value for reward in self.of_name.batch(self.keys, said)]
        counted = [value for value in values if value is not None]
        return fmean(counted) if counted else 0.0

    def row(self) -> str:
        answers = cheap_answers(self.prompts, self.references)
        earned = {name: self.mean(said) for name, said in answers.items()}
        floor, reference = self.mean(self.trivial), self.mean(self.references)
        best = max(earned, key=lambda name: earned[name])
        way = (earned[best] - floor) / (reference - floor) if reference > floor else 1.0
        figures = (floor, earned[best], reference, way, self.skill)
        trivial, most, most_of_all, share, skill = map(shown, figures)
        best = best if earned[best] else "none of them"
        return f"| {self.name} | {trivial} | {best} | {most} | {most_of_all} | {share} | {skill} |"


def shown(value: float | None) -> str:
    return "–" if value is None else f"{round(value, 2) + 0.0:.2f}"


def of_task(name: str, data: Path, limit: int) -> Tried:
    suite = get_suite(name.partition("/")[0])
    samples = find_task(name).samples(data, suite.settings[0], suite.choose({}))
    return of_samples(name, samples, limit, suite.settings[0], data)


def of_rows(file: Path, limit: int) -> Iterator[Tried]:
    """The rewards in a file of rows to train on, which have the samples in their answer keys."""
    for (name,), rows in (
        pl.read_parquet(file).sort("reward", "id").group_by("reward", maintain_order=True)
    ):
        read = key_reader(named_task(str(name)))
        yield of_samples(str(name), [read(key).sample for key in rows["answer_key"]], limit)


def of_samples(
    name: str, every: Sequence[Sample], limit: int, setting: str = "", data: Path | None = None
) -> Tried:
    task, samples = named_task(name), choose(every, limit)
    assert task.baselines.floor is not None
    return Tried(
        f"`{name}`",
        rewarder(name, silence="score", data=data),
        [prompt_text(task, sample, setting) for sample in samples],
        [task.baselines.reference(sample) for sample in samples],
        [answer_key(task, sample) for sample in samples],
        list(map(task.baselines.floor(every), samples)),
        best_skill(name, samples, setting, data),
    )


def best_skill(name: str, samples: Sequence[Sample], setting: str, data: Path | None) -> float:
    """The best mean of any strategy on one half, by the scale of the other, both ways."""
    task = named_task(name)
    measured: list[dict[str, float]] = []
    for here, there in ((samples[::2], samples[1::2]), (samples[1::2], samples[::2])):
        scales = {Rules.CORRECTED: scale_of(task, there, setting=setting, data=data)}
        keys = [answer_key(task, sample, scales) for sample in here]
        references = [task.baselines.reference(sample) for sample in here]
        answers = cheap_answers([prompt_text(task, sample, setting) for sample in here], references)
        assert task.baselines.floor is not None
        answers[TRIVIAL] = list(map(task.baselines.floor(there), here))
        of_name = rewarder(name, "skill", silence="score", data=data)
        found = {said: of_name.batch(keys, texts) for said, texts in answers.items()}
        measured.append(
            {said: fmean(one.value or 0.0 for one in rewards) for said, rewards in found.items()}
        )
    return max(fmean(half[said] for half in measured) for said in measured[0])


def of_citations(expected: bool, limit: int) -> Tried:
    root = sample_root() / "claw"
    every = [sample for sample in all_samples(root, {}) if sample.in_force == "same"]
    samples = every[:: len(every) // limit + 1]
    cited = [format_citation(sample.law, sample.position) for sample in samples]
    with open_library(root) as library:
        of_name = rewarder("citations_right", silence="score", library=library.path)
    return Tried(
        f"`citations_right` {'with' if expected else 'without'} `expected`",
        of_name,
        [f"{sample.text}这是哪部法律哪一条的规定？" for sample in samples],
        [f"这是{text}的规定。" for text in cited],
        [citation_key(sample.asked, text if expected else "")
         for sample, text in zip(samples, cited, strict=True)],
        [""] * len(samples),
    )  # fmt: skip


def of_form(data: Path, limit: int) -> Tried:
    of_choice = of_task(OF_FORM, data, limit)
    key = form_key(OF_FORM, ("[正确答案]", "<eoa>"))
    return of_choice._replace(
        name=f"`{FORM}`", of_name=rewarder(FORM, silence="score"), keys=[key] * len(of_choice.keys),
        skill=None,
    )  # fmt: skip


def of_agent(data: Path, limit: int) -> Tried:
    """The tasks of the same name, as rewarded by `agent`."""
    of_hops = of_task(OF_AGENT, data, limit)
    suite = get_suite(OF_AGENT.partition("/")[0])
    every = find_task(OF_AGENT).samples(data, suite.settings[0], suite.choose({}))
    samples = [sample for sample in choose(every, limit) if isinstance(sample, AgentSample)]
    keys = [agent_key(sample) for sample in samples]
    of_name = rewarder(AGENT, silence="score")
    return of_hops._replace(name=f"`{AGENT}`", of_name=of_name, keys=keys, skill=None)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", action="store_true", help="the sample pack alone")
    rows = "rows to train on instead, of tasks that are no suite's too"
    parser.add_argument("--rows", type=Path, nargs="+", default=[], metavar="PARQUET", help=rows)
    parser.add_argument("--limit", type=int, default=120, help="samples of a task (120)")
    given = read_arguments(parser, quick="--sample --limit 4")
    shared = None if given.sample else shared_folder()

    def data(name: str) -> Path:
        return suite_data(name.partition("/")[0], shared)

    def tried() -> Iterator[Tried]:
        for file in given.rows:
            yield from of_rows(file, given.limit)
        if given.rows:
            return
        yield from (of_task(name, data(name), given.limit) for name in task_names())
        yield of_agent(data(OF_AGENT), given.limit)
        yield from (of_citations(expected, given.limit) for expected in (True, False))
        yield of_form(data(OF_FORM), given.limit)

    print("| reward | trivial | best cheap strategy | earns | reference | of the way | skill |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for one in tried():
        print(one.row(), flush=True)


if __name__ == "__main__":
    main()
