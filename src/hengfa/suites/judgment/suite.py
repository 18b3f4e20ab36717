"""JuDGE's declaration: one task, which is the whole document, and what is measured of it."""

from __future__ import annotations

from hengfa.suites.base import Suite, Task
from hengfa.suites.judgment import score
from hengfa.suites.judgment.baselines import baselines
from hengfa.suites.judgment.dataset import SETTINGS, JudgmentSample, load
from hengfa.suites.judgment.extract import Written
from hengfa.suites.judgment.fixes import SENTENCES
from hengfa.suites.judgment.options import OPTIONS
from hengfa.suites.judgment.predictions import NAME, PACK, read_predictions
from hengfa.suites.judgment.prompts import sample_prompt
from hengfa.suites.judgment.rules import rules

DOCUMENT = Task[JudgmentSample, Written](
    id=score.TASK,
    title="刑事判决书生成",
    title_en="write the judgment of a criminal case from its facts",
    metric=score.OVERALL,
    load=load,
    prompt=sample_prompt,
    rules=rules,
    fixes=SENTENCES,
    baselines=baselines(),
)

SUITE = Suite(
    name=NAME,
    title="JuDGE 判决书生成评测",
    title_en="JuDGE",
    pack=PACK,
    settings=SETTINGS,
    tasks={DOCUMENT.id: DOCUMENT},
    figures=score.figures,
    further=score.further,
    read_predictions=read_predictions,
    options=OPTIONS,
)
