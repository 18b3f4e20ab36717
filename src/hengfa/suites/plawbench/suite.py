"""PLawBench's declaration: its tasks, and which function does what for each."""

from __future__ import annotations

from functools import partial

from hengfa.suites.base import Suite, Task
from hengfa.suites.plawbench import baselines, facets, prompts, rules, score, stock
from hengfa.suites.plawbench import fixes as fix
from hengfa.suites.plawbench.dataset import (
    CASE,
    CONSULTATION,
    DEFENDANT,
    PACK,
    PLAINTIFF,
    SETTINGS,
    PLawBenchSample,
    load,
)
from hengfa.suites.plawbench.extract import Questions
from hengfa.suites.plawbench.extract_document import Document
from hengfa.suites.plawbench.extract_parts import Parts
from hengfa.suites.plawbench.options import OPTIONS
from hengfa.suites.plawbench.predictions import read_predictions
from hengfa.suites.plawbench.submissions import submission


def scenario_of(sample: PLawBenchSample) -> str:
    """A limited run takes its share of every scenario."""
    return sample.label


CONSULTATION_TASK = Task[PLawBenchSample, Questions](
    id=CONSULTATION,
    title="公众法律咨询",
    title_en="Public legal consultation: what to ask a client",
    metric=score.RATE,
    load=partial(load, CONSULTATION),
    prompt=prompts.consultation_prompt,
    rules=rules.consultation,
    fixes=fix.sentences(fix.EVIDENCE),
    baselines=baselines.consultation_baselines(),
    grading=submission,
)

CASE_TASK = Task[PLawBenchSample, Parts](
    id=CASE,
    title="实务案例分析",
    title_en="Practical case analysis: conclusion, facts, reasoning, statutes",
    metric=score.RATE,
    load=partial(load, CASE),
    prompt=prompts.case_prompt,
    rules=rules.case,
    fixes=fix.sentences(fix.ORDER, fix.EVIDENCE),
    baselines=baselines.case_baselines(),
    stratum=scenario_of,
    facets=facets.of_case,
    cluster=facets.FACTS,
    grading=submission,
)

PLAINTIFF_TASK = Task[PLawBenchSample, Document](
    id=PLAINTIFF,
    title="起诉状撰写",
    title_en="Document generation: statement of claim",
    metric=score.RATE,
    load=partial(load, PLAINTIFF),
    prompt=prompts.document_prompt,
    rules=rules.plaintiff,
    fixes=fix.sentences(fix.EVIDENCE),
    baselines=baselines.document_baselines(stock.CLAIM),
    facets=facets.of_document,
    cluster=facets.MATTER,
    grading=submission,
)

DEFENDANT_TASK = Task[PLawBenchSample, Document](
    id=DEFENDANT,
    title="答辩状撰写",
    title_en="Document generation: defence",
    metric=score.RATE,
    load=partial(load, DEFENDANT),
    prompt=prompts.document_prompt,
    rules=rules.defendant,
    fixes=fix.sentences(fix.EVIDENCE),
    baselines=baselines.document_baselines(stock.DEFENCE),
    facets=facets.of_document,
    cluster=facets.MATTER,
    grading=submission,
)

SUITE = Suite(
    name="plawbench",
    title="PLawBench 法律实务评测",
    title_en="PLawBench",
    pack=PACK,
    settings=SETTINGS,
    tasks={
        task.id: task for task in (CONSULTATION_TASK, CASE_TASK, PLAINTIFF_TASK, DEFENDANT_TASK)
    },
    figures=score.figures,
    read_predictions=read_predictions,
    options=OPTIONS,
    abilities={
        "plc": ("法律咨询", "consult"),
        "pca": ("案例分析", "analyse a case"),
        "ldg": ("文书撰写", "draft"),
    },
    titles={"overall": ("总分", "overall")},
)
