"""JuDGE's declaration: one task, which is the whole document, and what is measured of it."""

from __future__ import annotations

from hengfa.evals.suites.base import Suite, Task
from hengfa.evals.suites.judgment.baselines import BASELINES
from hengfa.evals.suites.judgment.dataset import (
    NAME,
    OPTIONS,
    PACK,
    SETTINGS,
    TASK,
    JudgmentSample,
    facets_of,
    load,
)
from hengfa.evals.suites.judgment.predictions import Outputs
from hengfa.evals.suites.judgment.prompts import FIELDS, sample_prompt
from hengfa.evals.suites.judgment.reading import SENTENCES, Written
from hengfa.evals.suites.judgment.rules import (
    MEAN,
    OVERALL,
    JudgmentRules,
    combined,
    figures,
    further,
)

DOCUMENT = Task[JudgmentSample, Written](
    id=TASK,
    title="刑事判决书生成",
    title_en="write the judgment of a criminal case from its facts",
    metric=OVERALL,
    load=load,
    prompt=sample_prompt,
    fields=FIELDS,
    rules=JudgmentRules,
    fixes=SENTENCES,
    baselines=BASELINES,
    facets=facets_of,
    sample_type=JudgmentSample,
)

SUITE = Suite(
    name=NAME,
    title="JuDGE 判决书生成评测",
    title_en="JuDGE",
    pack=PACK,
    settings=SETTINGS,
    tasks={DOCUMENT.id: DOCUMENT},
    figures=figures,
    further=further,
    combined=combined,
    headline=MEAN,
    headline_says="ours, since the paper has no overall: the mean of prison, fine, charge_f1, "
    "statute_f1, meteor_reason and meteor_judgment",
    layouts=(Outputs(),),
    options=OPTIONS,
    abilities={
        "charge_f1": ("定罪", "convict"),
        "statute_f1": ("援引法条", "cite statutes"),
        "prison": ("量刑", "sentence"),
        "meteor_reason": ("裁判说理", "give reasons"),
    },
    titles={
        MEAN: ("六项平均", "mean of six"),
        OVERALL: ("总分", "overall"),
        "fine": ("罚金", "fine"),
        "charge_recall": ("定罪召回", "charges, recall"),
        "charge_precision": ("定罪精确", "charges, precision"),
        "statute_recall": ("法条召回", "statutes, recall"),
        "statute_precision": ("法条精确", "statutes, precision"),
        "meteor_judgment": ("判决结果用语", "wording of the judgment"),
        "bertscore_reason": ("说理语义相似", "reasons, BERTScore"),
        "bertscore_judgment": ("判决语义相似", "judgment, BERTScore"),
    },
)
