"""PLawBench's declaration: its tasks, and what does what for each.

Facets are the kinds of which samples are: the scenario of a case and the order of its reasoning,
the matter of a document; consultations have none. Aspects are the parts of an answer and the
abilities that they measure. Some cases are asked about more than once, and
both sides of a matter are drafted: such samples are drawn together.

Saved predictions are JSON lines whose ids are those of the samples: the upstream id of a
consultation or a document, and for a case its row, counted from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from hengfa.evals.suites.base import Baselines, Fixes, RuleSet, Suite, Task
from hengfa.evals.suites.plawbench import abilities, baselines, rules
from hengfa.evals.suites.plawbench.dataset import (
    CASE,
    CONSULTATION,
    DEFENDANT,
    OPTIONS,
    PACK,
    PLAINTIFF,
    SETTINGS,
    PLawBenchSample,
    load,
    prompt,
)
from hengfa.evals.suites.plawbench.error_types import ERROR_TYPES
from hengfa.evals.suites.plawbench.rules import submission

FACTS, MATTER = "facts", "matter"


def case_facets(sample: PLawBenchSample) -> dict[str, str]:
    """The facts go by a short name of their own: cases that share them share it."""
    facts = blake2b(sample.facts.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return {"scenario": sample.label, "order": str(sample.order), FACTS: facts}


def document_facets(sample: PLawBenchSample) -> dict[str, str]:
    return {MATTER: sample.label}


def make_task(
    task_id: str,
    title: str,
    title_en: str,
    build: Callable[[Fixes, Path | None], RuleSet[PLawBenchSample, Any]],
    trivial: Baselines[PLawBenchSample],
    more_fields: Mapping[str, Callable[[PLawBenchSample], str]] | None = None,
    facets: Callable[[PLawBenchSample], Mapping[str, str]] | None = None,
    cluster: str | None = None,
) -> Task[PLawBenchSample, Any]:
    return Task(
        id=task_id,
        title=title,
        title_en=title_en,
        metric=rules.RATE,
        load=partial(load, task_id),
        prompt=prompt,
        fields={"facts": lambda sample: sample.facts, **(more_fields or {})},
        rules=build,
        readings=rules.READINGS,
        fixes=rules.FIXES,
        baselines=trivial,
        # a limited run takes its share of every scenario
        stratum=(lambda sample: sample.label) if task_id == CASE else None,
        facets=facets,
        cluster=cluster,
        aspects=abilities.aspects(task_id),
        errors=ERROR_TYPES[task_id],
        grading=submission,
    )


TASKS: Final = (
    make_task(
        CONSULTATION, "公众法律咨询", "Public legal consultation: what to ask a client",
        rules.ConsultationRules, baselines.consultation_baselines(),
        {"least": lambda sample: str(sample.asked[0]), "most": lambda sample: str(sample.asked[1])},
    ),
    make_task(
        CASE, "实务案例分析", "Practical case analysis: conclusion, facts, reasoning, statutes",
        rules.CaseRules, baselines.case_baselines(),
        {"question": lambda sample: sample.question}, case_facets, FACTS,
    ),
    make_task(
        PLAINTIFF, "起诉状撰写", "Document generation: statement of claim",
        rules.PlaintiffRules, baselines.document_baselines(baselines.STOCK.claim),
        facets=document_facets, cluster=MATTER,
    ),
    make_task(
        DEFENDANT, "答辩状撰写", "Document generation: defence",
        rules.DefendantRules, baselines.document_baselines(baselines.STOCK.defence),
        facets=document_facets, cluster=MATTER,
    ),
)  # fmt: skip

SUITE = Suite(
    name="plawbench",
    title="PLawBench 法律实务评测",
    title_en="PLawBench",
    pack=PACK,
    settings=SETTINGS,
    tasks={task.id: task for task in TASKS},
    figures=rules.figures,
    options=OPTIONS,
    abilities={
        "plc": ("法律咨询", "consult"),
        "pca": ("案例分析", "analyse a case"),
        "ldg": ("文书撰写", "draft"),
    },
    titles={"overall": ("总分", "overall")},
)
