"""PLawBench's declaration: its tasks, and what does what for each.

Facets are the kinds of which samples are: the scenario of a case and the order of its reasoning,
the matter of a document; consultations have none. Aspects are the parts of an answer and the
abilities that they measure. Some cases are asked about more than once, and
both sides of a matter are drafted: such samples are drawn together.

Saved predictions are JSON lines whose ids are those of the samples: the upstream id of a
consultation or a document, and for a case its row, counted from 0.
"""

from __future__ import annotations

from functools import partial
from hashlib import blake2b

from hengfa.evals.suites.base import Suite, Task
from hengfa.evals.suites.plawbench import abilities, baselines, rules
from hengfa.evals.suites.plawbench.dataset import (
    OPTIONS,
    SETTINGS,
    PLawBenchSample,
    case_prompt,
    consultation_prompt,
    document_prompt,
    load,
)
from hengfa.evals.suites.plawbench.error_types import ERROR_TYPES
from hengfa.evals.suites.plawbench.extract import Document, Parts, Questions
from hengfa.evals.suites.plawbench.released import CASE, CONSULTATION, DEFENDANT, PACK, PLAINTIFF
from hengfa.evals.suites.plawbench.rules import submission

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
    metric=rules.RATE,
    load=partial(load, CONSULTATION),
    prompt=consultation_prompt,
    fields={
        "facts": lambda sample: sample.facts,
        "least": lambda sample: str(sample.asked[0]),
        "most": lambda sample: str(sample.asked[1]),
    },
    rules=rules.ConsultationRules,
    readings=rules.READINGS,
    fixes=rules.sentences(rules.EVIDENCE),
    baselines=baselines.consultation_baselines(),
    aspects=abilities.aspects(CONSULTATION),
    errors=ERROR_TYPES[CONSULTATION],
    grading=submission,
)

CASE_TASK = Task[PLawBenchSample, Parts](
    id=CASE,
    title="实务案例分析",
    title_en="Practical case analysis: conclusion, facts, reasoning, statutes",
    metric=rules.RATE,
    load=partial(load, CASE),
    prompt=case_prompt,
    fields={"facts": lambda sample: sample.facts, "question": lambda sample: sample.question},
    rules=rules.CaseRules,
    readings=rules.READINGS,
    fixes=rules.sentences(rules.EVIDENCE),
    baselines=baselines.case_baselines(),
    stratum=scenario_of,
    facets=case_facets,
    cluster=FACTS,
    aspects=abilities.aspects(CASE),
    errors=ERROR_TYPES[CASE],
    grading=submission,
)

PLAINTIFF_TASK = Task[PLawBenchSample, Document](
    id=PLAINTIFF,
    title="起诉状撰写",
    title_en="Document generation: statement of claim",
    metric=rules.RATE,
    load=partial(load, PLAINTIFF),
    prompt=document_prompt,
    fields={"facts": lambda sample: sample.facts},
    rules=rules.PlaintiffRules,
    readings=rules.READINGS,
    fixes=rules.sentences(rules.EVIDENCE),
    baselines=baselines.document_baselines(baselines.CLAIM_FORM),
    facets=document_facets,
    cluster=MATTER,
    aspects=abilities.aspects(PLAINTIFF),
    errors=ERROR_TYPES[PLAINTIFF],
    grading=submission,
)

DEFENDANT_TASK = Task[PLawBenchSample, Document](
    id=DEFENDANT,
    title="答辩状撰写",
    title_en="Document generation: defence",
    metric=rules.RATE,
    load=partial(load, DEFENDANT),
    prompt=document_prompt,
    fields={"facts": lambda sample: sample.facts},
    rules=rules.DefendantRules,
    readings=rules.READINGS,
    fixes=rules.sentences(rules.EVIDENCE),
    baselines=baselines.document_baselines(baselines.DEFENCE_FORM),
    facets=document_facets,
    cluster=MATTER,
    aspects=abilities.aspects(DEFENDANT),
    errors=ERROR_TYPES[DEFENDANT],
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
    figures=rules.figures,
    options=OPTIONS,
    abilities={
        "plc": ("法律咨询", "consult"),
        "pca": ("案例分析", "analyse a case"),
        "ldg": ("文书撰写", "draft"),
    },
    titles={"overall": ("总分", "overall")},
)
