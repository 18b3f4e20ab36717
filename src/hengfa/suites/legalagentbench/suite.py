"""LegalAgentBench's declaration: a task for each group, all read and scored alike."""

from __future__ import annotations

from functools import partial

from hengfa.suites.base import Suite, Task
from hengfa.suites.legalagentbench import prompts, score
from hengfa.suites.legalagentbench.baselines import baselines
from hengfa.suites.legalagentbench.dataset import GROUPS, SETTINGS, AgentSample, load
from hengfa.suites.legalagentbench.extract import Submitted
from hengfa.suites.legalagentbench.facets import PATH, facets_of
from hengfa.suites.legalagentbench.fixes import SENTENCES
from hengfa.suites.legalagentbench.options import OPTIONS
from hengfa.suites.legalagentbench.predictions import NAME, read_predictions
from hengfa.suites.legalagentbench.rules import rules
from hengfa.suites.legalagentbench.solver import solver

TITLES = {
    "1-hop": ("一跳问答", "one look-up"),
    "2-hop": ("两跳问答", "two look-ups, one after the other"),
    "3-hop": ("三跳问答", "three look-ups"),
    "4-hop": ("四跳问答", "four look-ups"),
    "5-hop": ("五跳问答", "five look-ups or more"),
    "writing": ("答辩状写作", "write a statement of defence"),
}


def start_of(sample: AgentSample) -> str:
    """A limited run takes its share of every tool that a path can begin with."""
    return next(iter(sample.path), "")


TASKS = tuple(
    Task[AgentSample, Submitted](
        id=group,
        title=TITLES[group][0],
        title_en=TITLES[group][1],
        metric=score.SUCCESS,
        load=partial(load, group),
        prompt=prompts.question,
        rules=rules,
        fixes=SENTENCES,
        baselines=baselines(),
        stratum=start_of,
        facets=facets_of,
        cluster=PATH,
        solver=solver,
    )
    for group in GROUPS
)

SUITE = Suite(
    name=NAME,
    title="LegalAgentBench 法律智能体评测",
    title_en="LegalAgentBench",
    pack=NAME,
    settings=SETTINGS,
    tasks={task.id: task for task in TASKS},
    figures=score.figures,
    further=score.further,
    read_predictions=read_predictions,
    options=OPTIONS,
    own_files=("tasks.jsonl", "world.sqlite"),
    abilities={
        "success/hops": ("多跳查询", "look things up"),
        "success/writing": ("答辩状写作", "write a defence"),
    },
    titles={"overall": ("总分", "overall"), "process/all": ("过程得分", "process")},
)
