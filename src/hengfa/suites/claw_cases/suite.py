"""The declaration of CLaw's third task: reasons for the result of a guiding case, graded.

It is a suite of its own because its data is another pack and its scores need a grader: who measures
knowledge of statutes needs neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from hengfa.suites.base import (
    Answer,
    Chosen,
    Fixes,
    FunctionRules,
    Graded,
    Metrics,
    RuleSet,
    Sample,
    Suite,
    SuiteOption,
    Task,
)
from hengfa.suites.claw_cases import score
from hengfa.suites.claw_cases.baselines import BASELINES
from hengfa.suites.claw_cases.dataset import PACK, TASK, CaseSample, load_samples
from hengfa.suites.claw_cases.extract import extract
from hengfa.suites.claw_cases.facets import facets_of
from hengfa.suites.claw_cases.predictions import read_predictions
from hengfa.suites.claw_cases.prompts import case_prompt
from hengfa.suites.claw_cases.rubric import OVERALL
from hengfa.suites.claw_cases.submissions import submission
from hengfa.suites.claw_cases.tracing import trace

QUESTIONS = "questions"


def load(root: Path, _setting: str, options: Chosen) -> list[CaseSample]:
    questions = options.get(QUESTIONS)
    return load_samples(root, Path(questions) if questions else None)


def rules(_fixes: Fixes, _data: Path | None) -> RuleSet[CaseSample, str]:
    """One reading: the paper's evaluator is not published, so there is nothing to repair."""

    def scored(given: Sample, answer: Answer[str]) -> Metrics:
        if not isinstance(given, Graded) or answer.value is None:
            return dict.fromkeys(score.METRICS)
        graded = cast("Graded[CaseSample]", given)
        return score.graded_metrics(graded.sample, answer.value, graded.sheets)

    return FunctionRules(extract, scored, score.silence, more=score.MORE, trace=trace)


def _file(value: str) -> str:
    if value and not Path(value).is_file():
        raise ValueError(f"there is no file {value}")
    return str(Path(value).absolute()) if value else ""


def figures(task_scores: Mapping[str, float]) -> dict[str, float]:
    return {OVERALL: task_scores[TASK]} if TASK in task_scores else {}


CASE: Task[Any, str] = Task(
    id=TASK,
    title="案例说理",
    title_en="Case reasoning: why does the result of this case stand",
    metric=OVERALL,
    load=load,
    prompt=case_prompt,
    rules=rules,
    fixes={},
    baselines=BASELINES,
    facets=facets_of,
    grading=submission,
)

SUITE = Suite(
    name="claw-cases",
    title="CLaw 案例说理评测",
    title_en="CLaw case reasoning",
    pack=PACK,
    settings=("default",),
    tasks={CASE.id: CASE},
    figures=figures,
    read_predictions=read_predictions,
    abilities={OVERALL: ("案例说理", "reason on a case")},
    options={
        QUESTIONS: SuiteOption(
            "",
            "a file of questions that others wrote, instead of those made by rule "
            "(`hengfa claw questions`)",
            _file,
        )
    },
)
