"""The declaration of CLaw's third task: reasons for the result of a guiding case, graded.

It is a suite of its own because its data is another pack and its scores need a grader: who measures
knowledge of statutes needs neither.

Saved predictions are JSON lines of `{task, id, prediction}`; an id is the number of the case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hengfa.evals.suites import base
from hengfa.evals.suites.base import Baselines, Chosen, Offer, Search, Suite, Task
from hengfa.evals.suites.claw_cases import dataset
from hengfa.evals.suites.claw_cases.dataset import CaseSample
from hengfa.evals.suites.claw_cases.rules import ERROR_TYPES, OVERALL, CaseRules, submission
from hengfa.evals.suites.kit.tasks import always

NAME: Final = "claw-cases"
QUESTIONS, LAW = "questions", "law"
OFF, ON = "off", "on"
# The branch at the head of the keywords: 民事 in "民事居间合同 违约", also without a blank after
# it; not 合同 in "合同 违约".
_BRANCH: Final = re.compile(r"\s*(民事|刑事|行政|执行|国家赔偿|海事|知识产权)")
OTHER: Final = "other"


def load(root: Path, _setting: str, options: Chosen) -> list[CaseSample]:
    questions = options.get(QUESTIONS)
    looked_up = options.get(LAW) == ON
    return dataset.load_samples(root, Path(questions) if questions else None, law=looked_up)


def facets_of(sample: CaseSample) -> dict[str, str]:
    """The branch of law, and how the question was made. Every case is asked about once, so that no
    sample depends on another."""
    branch = _BRANCH.match(sample.case.keywords)
    return {"branch": branch[1] if branch else OTHER, "question": sample.question.rule}


def figures(task_scores: Mapping[str, float]) -> dict[str, float]:
    return {OVERALL: task_scores[dataset.TASK]} if dataset.TASK in task_scores else {}


CASE = Task[CaseSample, str](
    id=dataset.TASK,
    title="案例说理",
    title_en="Case reasoning: why does the result of this case stand",
    metric=OVERALL,
    load=load,
    prompt=dataset.case_prompt,
    fields={
        "facts": lambda sample: sample.case.facts,
        "result": lambda sample: sample.case.result,
        "question": lambda sample: sample.question.question,
    },
    rules=lambda _fixes, _data: CaseRules(),
    fixes={},
    baselines=Baselines(
        lambda sample: sample.reference,
        always(lambda _sample: dataset.WORDS.stock),
        Search(
            query=lambda sample: sample.case.facts + sample.question.question,
            offer=lambda sample: Offer(sample.case.facts, sample.reference),
            answer=lambda _sample, texts: texts[0] if texts else dataset.WORDS.stock,
        ),
    ),
    facets=facets_of,
    errors=ERROR_TYPES,
    grading=submission,
)

SUITE = Suite(
    name=NAME,
    title="CLaw 案例说理评测",
    title_en="CLaw case reasoning",
    pack=dataset.PACK,
    settings=("default",),
    tasks={CASE.id: CASE},
    figures=figures,
    abilities={OVERALL: ("案例说理", "reason on a case")},
    options=base.read_options(
        Path(__file__).with_name("options.toml"),
        {QUESTIONS: base.file_path, LAW: base.one_of(OFF, ON)},
    ),
    prompts={"english": Path(__file__).with_name("prompts_english.toml")},
)
