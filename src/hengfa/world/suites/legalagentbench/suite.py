"""LegalAgentBench's declaration: a task for each group, all read and scored alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from hengfa.evals.results.figures import TaskFigures
from hengfa.evals.suites.base import Baselines, Offer, Search, Suite, SuiteOption, Task, bert_model
from hengfa.evals.suites.kit.tasks import always
from hengfa.world.agents.solver import AGENT_OPTIONS, Agents, open_toolbox
from hengfa.world.agents.trajectory import listed_calls
from hengfa.world.suites.legalagentbench import dataset, rules
from hengfa.world.suites.legalagentbench.dataset import GROUPS, HOPS, AgentSample
from hengfa.world.suites.legalagentbench.predictions import NAME, Runs
from hengfa.world.suites.legalagentbench.rules import Submitted

TITLES = {
    "1-hop": ("一跳问答", "one look-up"),
    "2-hop": ("两跳问答", "two look-ups, one after the other"),
    "3-hop": ("三跳问答", "three look-ups"),
    "4-hop": ("四跳问答", "four look-ups"),
    "5-hop": ("五跳问答", "five look-ups or more"),
    "writing": ("答辩状写作", "write a statement of defence"),
}

BASELINES = Baselines[AgentSample](
    lambda sample: sample.answer,
    always(lambda sample: sample.question),
    Search(
        query=lambda sample: sample.question,
        offer=lambda sample: Offer(sample.question, sample.answer),
        answer=lambda sample, texts: next(iter(texts), sample.question),
    ),
)
"""The floor is not zero: the question of a writing task contains a third of its own keys
(legalagentbench.md 5). Search finds the answer to the most similar other task; every path was used
for two questions, so it is mostly the twin's, which has other names and numbers."""


AGENTS: Final = Agents[AgentSample](
    open_toolbox,
    lambda toolbox, _: toolbox,
    # published plan-and-execute runs had them only for writing (legalagentbench.md 4.1)
    retrievers=lambda setting, sample: setting != "plan-execute" or sample.group == dataset.WRITING,
)

TASKS = tuple(
    Task[AgentSample, Submitted](
        group,
        *TITLES[group],
        metric=rules.SUCCESS,
        load=partial(dataset.load, group),
        prompt=dataset.prompt,
        rules=rules.KeywordRules,
        fixes=rules.FIXES,
        baselines=BASELINES,
        stratum=dataset.start_of,
        facets=dataset.facets_of,
        cluster=dataset.BY_PATH,
        solver=AGENTS.solver,
        right_at=1.0,
        fields={"question": lambda sample: sample.question},
        errors=rules.CLASSES,
        rehearsal=AGENTS.rehearsal,
        calls=listed_calls,
        sample_type=AgentSample,
    )
    for group in GROUPS
)

OFFICIAL_SIZES: Final[Mapping[str, int]] = {
    "1-hop": 80, "2-hop": 80, "3-hop": 60, "4-hop": 40, "5-hop": 20, "writing": 20,
}  # fmt: skip
"""Groups count in every figure over several of them as they do among the 300 tasks, however many of
each were asked: a limited run takes as many of each, and generated tasks come in any numbers."""

TOGETHER: Final[Mapping[str, Sequence[str]]] = {"hops": HOPS, "all": GROUPS}


def figures(task_scores: Mapping[str, float]) -> dict[str, float]:
    """Overall: the groups weighted as they are in the benchmark; the same as `success/all`."""
    if not all(group in task_scores for group in OFFICIAL_SIZES):
        return {}
    total = sum(size * task_scores[group] for group, size in OFFICIAL_SIZES.items())
    return {"overall": total / sum(OFFICIAL_SIZES.values())}


def combined(figures: Mapping[str, float]) -> dict[str, float]:
    """`success/hops` of a row that has the groups alone, weighted as they are in the benchmark."""
    sizes = {f"{rules.SUCCESS}/{group}": OFFICIAL_SIZES[group] for group in HOPS}
    if not all(name in figures for name in sizes):
        return {}
    total = sum(size * figures[name] for name, size in sizes.items())
    return {f"{rules.SUCCESS}/hops": total / sum(sizes.values())}


def further(tasks: Mapping[str, TaskFigures]) -> dict[str, float]:
    """Each metric for each group, for the five hop groups, and for all six: `success/1-hop`, …,
    `success/hops`, `success/all`; then the shares of calls that went wrong, likewise.

    In the last two the groups have the weights of the benchmark (`OFFICIAL_SIZES`), so that on its
    300 tasks they are means over all samples, as in the paper; each is there only if all its groups
    are. A metric that a group does not have is left out.
    """
    means: dict[str, float] = {}
    for metric in (*rules.OF_TEXTS, *rules.OF_TRAJECTORY):
        means |= {f"{metric}/{name}": value for name, value in _means(tasks, metric).items()}
    # Errors by calls. Both are means over the tasks that tell what the agent did, so this is the
    # share among all calls of these tasks; who calls nothing makes no mistake.
    shares: dict[str, float] = {}
    for share, (error, base) in rules.SHARES.items():
        for name in (*GROUPS, *TOGETHER):
            errors, calls = means.get(f"{error}/{name}"), means.get(f"{base}/{name}")
            if errors is not None and calls is not None:
                shares[f"{share}/{name}"] = errors / calls if calls else 0.0
    return means | shares


def _means(tasks: Mapping[str, TaskFigures], metric: str) -> dict[str, float]:
    means: dict[str, float] = {}
    counted: dict[str, float] = {}  # the share of a group's samples that the metric counts
    for group in GROUPS:
        if group in tasks:
            score, more = tasks[group].score, tasks[group].more
            value = score if metric == rules.SUCCESS else more.get(metric)
            if value is not None:
                means[group] = value
                traced = metric in rules.OF_TRAJECTORY
                counted[group] = more.get(rules.TRACED, 0.0) if traced else 1.0
    together: dict[str, float] = {}
    for name, groups in TOGETHER.items():
        there = [group for group in groups if group in means]
        if there and all(group in tasks for group in groups):
            weights = [OFFICIAL_SIZES[group] * counted[group] for group in there]
            total = sum(w * means[group] for w, group in zip(weights, there, strict=True))
            together[name] = total / sum(weights)
    return means | together


SUITE = Suite(
    name=NAME,
    title="LegalAgentBench 法律智能体评测",
    title_en="LegalAgentBench",
    pack=NAME,
    settings=dataset.SETTINGS,
    tasks={task.id: task for task in TASKS},
    figures=figures,
    further=further,
    combined=combined,
    layouts=(Runs(),),
    options={
        dataset.BERTSCORE: SuiteOption(
            "",
            "the folder of a BERT model: adds the metric `bertscore`, of the answer against the "
            "reference (extra `bertscore`)",
            bert_model,
            scoring=True,
        ),
        **AGENT_OPTIONS,
    },
    own_files=("tasks.jsonl", "world.sqlite"),
    abilities={
        "success/hops": ("多跳查询", "look things up"),
        "success/writing": ("答辩状写作", "write a defence"),
    },
    titles={"overall": ("总分", "overall"), "process/all": ("过程得分", "process")},
)
