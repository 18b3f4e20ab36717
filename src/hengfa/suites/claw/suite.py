"""CLaw's declaration: its tasks, and which function does what for each."""

from __future__ import annotations

from functools import partial

from hengfa.suites.base import Suite, Task
from hengfa.suites.claw import baselines, prompts, rules, score
from hengfa.suites.claw import fixes as fix
from hengfa.suites.claw.corpus import PACK
from hengfa.suites.claw.dataset import SETTINGS, ClawSample, load
from hengfa.suites.claw.extract import Place, Recitation
from hengfa.suites.claw.facets import LAW, facets_of
from hengfa.suites.claw.options import OPTIONS
from hengfa.suites.claw.predictions import read_predictions


def law_of(sample: ClawSample) -> str:
    """A limited run takes its share of every law."""
    return sample.law


ID = Task[ClawSample, Place](
    id="id",
    title="法条定位",
    title_en="ID retrieval: where does this provision stand",
    metric=score.ARTICLE,
    load=partial(load, "id"),
    prompt=prompts.id_prompt,
    rules=rules.id_retrieval,
    fixes=fix.sentences(fix.TOLERANT, fix.IDENTICAL),
    baselines=baselines.id_baselines(),
    stratum=law_of,
    facets=facets_of,
    cluster=LAW,
)

CONTENT = Task[ClawSample, Recitation](
    id="content",
    title="法条背诵",
    title_en="Content retrieval: what does this provision say",
    metric=score.ROUGE_L,
    load=partial(load, "content"),
    prompt=prompts.content_prompt,
    rules=rules.content_retrieval,
    fixes=fix.sentences(fix.REFUSALS),
    baselines=baselines.content_baselines(),
    stratum=law_of,
    facets=facets_of,
    cluster=LAW,
)

SUITE = Suite(
    name="claw",
    title="CLaw 法条知识评测",
    title_en="CLaw",
    pack=PACK,
    settings=SETTINGS,
    tasks={task.id: task for task in (ID, CONTENT)},
    figures=score.figures,
    read_predictions=read_predictions,
    options=OPTIONS,
    abilities={
        score.ARTICLE: ("法条定位", "locate a provision"),
        score.ROUGE_L: ("法条背诵", "recite a provision"),
    },
)
