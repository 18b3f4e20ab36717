"""PLawBench's declaration: its tasks, and which function does what for each.

Facets are the kinds of which samples are: the scenario of a case and the order of its reasoning,
the matter of a document; consultations have none. Some cases are asked about more than once, and
both sides of a matter are drafted: such samples are drawn together.

Saved predictions are JSON lines whose ids are those of the samples: the upstream id of a
consultation or a document, and for a case its row, counted from 0.
"""

from __future__ import annotations

from functools import partial
from hashlib import blake2b

from hengfa.suites.base import Suite, Task
from hengfa.suites.line_predictions import read_line_predictions
from hengfa.suites.plawbench import baselines, prompts, score, stock
from hengfa.suites.plawbench.dataset import (
    CASE,
    CONSULTATION,
    DEFENDANT,
    OPTIONS,
    PACK,
    PLAINTIFF,
    SETTINGS,
    PLawBenchSample,
    load,
)
from hengfa.suites.plawbench.extract import Document, Parts, Questions
from hengfa.suites.plawbench.score import submission

FACTS, MATTER = "facts", "matter"


def case_facets(sample: PLawBenchSample) -> dict[str, str]:
    """The facts go by a short name of their own: cases that share them share it."""
    facts = blake2b(sample.facts.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return {"scenario": sample.label, "order": str(sample.order), FACTS: facts}


def document_facets(sample: PLawBenchSample) -> dict[str, str]:
    return {MATTER: sample.label}


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
    rules=score.consultation_rules,
    fixes=score.sentences(score.EVIDENCE),
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
    rules=score.case_rules,
    fixes=score.sentences(score.ORDER, score.EVIDENCE),
    baselines=baselines.case_baselines(),
    stratum=scenario_of,
    facets=case_facets,
    cluster=FACTS,
    grading=submission,
)

PLAINTIFF_TASK = Task[PLawBenchSample, Document](
    id=PLAINTIFF,
    title="起诉状撰写",
    title_en="Document generation: statement of claim",
    metric=score.RATE,
    load=partial(load, PLAINTIFF),
    prompt=prompts.document_prompt,
    rules=score.plaintiff_rules,
    fixes=score.sentences(score.EVIDENCE),
    baselines=baselines.document_baselines(stock.CLAIM),
    facets=document_facets,
    cluster=MATTER,
    grading=submission,
)

DEFENDANT_TASK = Task[PLawBenchSample, Document](
    id=DEFENDANT,
    title="答辩状撰写",
    title_en="Document generation: defence",
    metric=score.RATE,
    load=partial(load, DEFENDANT),
    prompt=prompts.document_prompt,
    rules=score.defendant_rules,
    fixes=score.sentences(score.EVIDENCE),
    baselines=baselines.document_baselines(stock.DEFENCE),
    facets=document_facets,
    cluster=MATTER,
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
    read_predictions=partial(read_line_predictions, PACK),
    options=OPTIONS,
    abilities={
        "plc": ("法律咨询", "consult"),
        "pca": ("案例分析", "analyse a case"),
        "ldg": ("文书撰写", "draft"),
    },
    titles={"overall": ("总分", "overall")},
)
