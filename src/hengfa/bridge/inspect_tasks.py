"""Our suites as Inspect tasks: `inspect eval hengfa/lawbench --model …`.

Inspect finds the tasks and their scorer through the entry point `inspect_ai` (pyproject.toml).
"""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from hengfa.bridge.inspect_model import from_output, number, to_inspect
from hengfa.suites.base import Attempt, Rules, Sample
from hengfa.suites.plan import Plan, make_plan
from hengfa.suites.scoring import score_attempt


@task
def lawbench(
    tasks: str | list[str] = "",
    setting: str = "zero_shot",
    rules: str = "official",
    data: str | None = None,
) -> Task:
    """LawBench. `-T tasks=1-1,1-2 -T setting=one_shot -T rules=corrected -T data=sample`."""
    named = tasks if isinstance(tasks, str) else ",".join(tasks)  # Inspect splits at commas
    target = f"lawbench/{named}" if named else "lawbench"
    plan = make_plan(target, setting=setting, data=data)
    return Task(
        dataset=MemoryDataset(
            _samples(plan), name=f"hengfa/{target}", location=str(plan.data.root)
        ),
        solver=generate(),
        scorer=hengfa_score(target, setting, rules, data),
        version=plan.data.fingerprint,
    )


@scorer(metrics=[grouped(mean(), "task", all="groups"), stderr()])
def hengfa_score(target: str, setting: str, rules: str, data: str | None) -> Scorer:
    """Scores with the suite's own extraction and rules, statuses included."""
    plan = make_plan(target, setting=setting, data=data)
    by_key = {
        plan.suite.key(asked.task.id, plan.setting, sample): (asked.task, sample)
        for asked in plan.questions
        for sample in asked.samples
    }

    async def score(state: TaskState, _target: Target) -> Score:
        suite_task, sample = by_key[str(state.sample_id)]
        response = from_output(state.output)
        rule_set = suite_task.rule_set(Rules(rules), plan.data.root)
        scored = score_attempt(rule_set, Attempt(sample, response))
        return Score(
            value=number(scored.metrics[suite_task.metric]),
            answer=response.text,
            explanation=f"{suite_task.metric} under {rules} rules",
            metadata={
                "status": str(response.status),
                "answer_status": scored.answer_status,
                **scored.metrics,
            },
        )

    return score


def _samples(plan: Plan) -> list[InspectSample]:
    return [
        _sample(plan, asked.task.id, sample)
        for asked in plan.questions
        for sample in plan.samples(asked.task.id)
    ]


def _sample(plan: Plan, task_id: str, sample: Sample) -> InspectSample:
    suite_task = plan.suite.tasks[task_id]
    return InspectSample(
        id=plan.suite.key(task_id, plan.setting, sample),
        input=[to_inspect(message) for message in suite_task.prompt(sample)],
        target=suite_task.baselines.reference(sample),
        metadata={"task": task_id},
    )
