"""CLaw's declaration: two tasks, made from the law library."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from hengfa.evals.results.figures import TaskFigures
from hengfa.evals.suites.base import Suite, Task
from hengfa.evals.suites.claw import baselines, locating, provisions, reciting, twins
from hengfa.evals.suites.claw.dataset import (
    LAW,
    OPTIONS,
    SETTINGS,
    ClawSample,
    facets_of,
    group_of,
    load,
)
from hengfa.evals.suites.claw.locating import Locating, Place
from hengfa.evals.suites.claw.reciting import Recitation, Reciting
from hengfa.law.library.opening import PACK


def law_of(sample: ClawSample) -> str:
    """A limited run takes its share of every law."""
    return sample.law


ID = Task[ClawSample, Place](
    id="id",
    title="法条定位",
    title_en="ID retrieval: where does this provision stand",
    metric=locating.ARTICLE,
    load=partial(load, "id"),
    prompt=locating.prompt,
    fields=locating.FIELDS,
    rules=lambda fixes, _data: Locating(fixes),
    fixes=locating.FIXES,
    baselines=baselines.id_baselines(),
    stratum=law_of,
    together=group_of,
    facets=lambda sample: facets_of(sample) | provisions.kinds(sample, locating.query),
    cluster=LAW,
    sample_type=ClawSample,
)

CONTENT = Task[ClawSample, Recitation](
    id="content",
    title="法条背诵",
    title_en="Content retrieval: what does this provision say",
    metric=reciting.ROUGE_L,
    load=partial(load, "content"),
    prompt=reciting.prompt,
    fields=reciting.FIELDS,
    rules=lambda fixes, _data: Reciting(fixes),
    fixes=reciting.FIXES,
    baselines=baselines.content_baselines(),
    stratum=law_of,
    together=group_of,
    facets=lambda sample: facets_of(sample) | provisions.kinds(sample, reciting.query),
    cluster=LAW,
    sample_type=ClawSample,
)


def figures(task_scores: Mapping[str, float]) -> dict[str, float]:
    """The two main metrics under their own names; the paper has no figure over all tasks."""
    return {task.metric: task_scores[task.id] for task in (ID, CONTENT) if task.id in task_scores}


def further(tasks: Mapping[str, TaskFigures]) -> dict[str, float]:
    """What became of the pairs of the setting `twins`, of all pairs."""
    more = tasks[CONTENT.id].more if CONTENT.id in tasks else {}
    return {f"twins/{name}": more[name] for name in twins.OUTCOMES if name in more}


SUITE = Suite(
    name="claw",
    title="CLaw 法条知识评测",
    title_en="CLaw",
    pack=PACK,
    settings=SETTINGS,
    tasks={task.id: task for task in (ID, CONTENT)},
    figures=figures,
    headline=CONTENT.metric,
    headline_says="the paper has no overall, and prints article_accuracy of four models only",
    further=further,
    options=OPTIONS,
    abilities={
        locating.ARTICLE: ("法条定位", "locate a provision"),
        reciting.ROUGE_L: ("法条背诵", "recite a provision"),
    },
    titles={
        f"twins/{twins.BOTH}": ("新旧皆对", "both wordings right"),
        f"twins/{twins.ONLY_OLD}": ("仅旧对", "only the old one right"),
        f"twins/{twins.ONLY_NEW}": ("仅新对", "only the new one right"),
        f"twins/{twins.MIXED_UP}": ("新旧相混", "mixed up"),
        f"twins/{twins.NEITHER}": ("新旧皆错", "neither right"),
    },
    prompts={"english": Path(__file__).with_name("prompts_english.toml")},
)
