"""Our suites as Inspect tasks: `inspect eval hengfa/lawbench --model …`, and so for every suite.

Inspect finds the tasks and their scorer through the entry point `inspect_ai` (pyproject.toml).
Tasks that take several questions, such as an agent's, ask through Inspect's model; answers that
need grading are graded by another model of Inspect's, or by keywords.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import Model, get_model
from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from hengfa.base.errors import UsageError
from hengfa.evals.bridge.inspect_model import (
    ask_model,
    from_output,
    number,
    to_config,
    to_inspect,
    to_output,
)
from hengfa.evals.engine.messages import Options, Request, Response, Status
from hengfa.evals.grading.graded import GradedResponse, Grading
from hengfa.evals.grading.grader import grade
from hengfa.evals.grading.keywords import keyword_reply
from hengfa.evals.grading.submission import Submission
from hengfa.evals.suites.base import AnyTask, Ask, Attempt, Rules, Sample
from hengfa.evals.suites.plan import Plan, make_plan
from hengfa.evals.suites.registry import suite_names
from hengfa.evals.suites.scoring import score_attempt

KEYWORDS = "keywords"
Given = str | list[str]
"""What `-T` gives: Inspect splits at commas."""


def offer(suite: str) -> Callable[..., Task]:
    @task(name=suite)
    def suite_task(
        tasks: Given = "",
        setting: str | None = None,
        rules: str = "official",
        data: str | None = None,
        options: Given = "",
        grader: str = "",
    ) -> Task:
        """`-T tasks=1-1,1-2 -T setting=one_shot -T rules=corrected -T data=sample`, options of the
        suite as `-T options=cutoff=2024-01-01`, and `-T grader=PROVIDER/MODEL` or `keywords`."""
        named = _join(tasks)
        target = f"{suite}/{named}" if named else suite
        chosen = setting, data, _join(options)
        plan = _plan(target, *chosen)
        graded = [asked.task.id for asked in plan.questions if asked.task.grading is not None]
        if graded and not grader:
            raise UsageError(f"{', '.join(graded)}: -T grader=PROVIDER/MODEL, or grader=keywords")
        several = any(asked.task.solver is not None for asked in plan.questions)
        samples = [
            InspectSample(
                id=plan.suite.key(asked.task.id, plan.setting, sample),
                input=[to_inspect(said) for said in asked.task.prompt(sample, plan.setting)],
                target=asked.task.baselines.reference(sample),
                metadata={"task": asked.task.id},
            )
            for asked in plan.questions
            for sample in plan.samples(asked.task.id)
        ]
        place = str(plan.data.root)
        return Task(
            dataset=MemoryDataset(samples, name=f"hengfa/{target}", location=place),
            solver=hengfa_solver(target, *chosen) if several else generate(),
            scorer=hengfa_score(target, *chosen, rules, grader),
            version=plan.data.fingerprint,
        )

    return cast("Callable[..., Task]", suite_task)


def _join(given: Given) -> str:
    return given if isinstance(given, str) else ",".join(given)


def _plan(target: str, setting: str | None, data: str | None, options: str) -> Plan:
    pairs = (pair.partition("=") for pair in options.split(",") if pair)
    chosen = {name: value for name, _, value in pairs}
    return make_plan(target, setting=setting, data=data, options=chosen)


def _by_key(plan: Plan) -> dict[str, tuple[AnyTask, Sample]]:
    return {
        plan.suite.key(asked.task.id, plan.setting, sample): (asked.task, sample)
        for asked in plan.questions
        for sample in asked.samples
    }


@solver
def hengfa_solver(target: str, setting: str | None, data: str | None, options: str) -> Solver:
    """Works on a sample with as many questions as its task takes."""
    plan = _plan(target, setting, data, options)
    by_key = _by_key(plan)
    solvers = {asked.task.id: plan.solver(asked.task) for asked in plan.questions}

    async def solve(state: TaskState, once: Generate) -> TaskState:
        suite_task, sample = by_key[str(state.sample_id)]
        work = solvers[suite_task.id]
        if work is None:
            return await once(state)
        request = plan.suite.request(suite_task, plan.setting, sample, Options())
        response = await work(_asking(get_model()), sample, request)
        state.output = to_output(str(state.model), response)
        return state

    return solve


def _asking(model: Model) -> Ask:
    """In here Inspect tries again by itself."""

    async def ask(request: Request) -> Response:
        config = to_config(request.options).model_copy(update={"max_retries": None})
        return from_output(await ask_model(model, request, config))

    return ask


@scorer(metrics=[grouped(mean(), "task", all="groups"), stderr()])
def hengfa_score(
    target: str, setting: str | None, data: str | None, options: str, rules: str, grader: str
) -> Scorer:
    """Scores with the suite's own extraction and rules, statuses included."""
    plan = _plan(target, setting, data, options)
    by_key = _by_key(plan)

    async def score(state: TaskState, _target: Target) -> Score:
        suite_task, sample = by_key[str(state.sample_id)]
        response = from_output(state.output)
        attempt = Attempt(sample, response)
        if suite_task.grading is not None and response.status is Status.ANSWERED:
            submission = suite_task.grading(sample, response.text)
            attempt = attempt._replace(graded=await _grade_by(submission, grader))
        rule_set = suite_task.rule_set(Rules(rules), plan.data.root)
        scored = score_attempt(rule_set, attempt)
        said = {"status": str(response.status), "answer_status": scored.answer_status}
        return Score(
            value=number(scored.metrics[suite_task.metric]),
            answer=response.text,
            explanation=f"{suite_task.metric} under {rules} rules",
            metadata={**said, **scored.metrics},
        )

    return score


async def _grade_by(submission: Submission, grader: str) -> GradedResponse:
    async def by_keywords(_request: Request) -> Response:
        return Response(Status.ANSWERED, keyword_reply(submission))

    ask = by_keywords if grader == KEYWORDS else _asking(get_model(grader))
    sheet = await grade(ask, submission, grader=grader, options=Options(temperature=0.0))
    return GradedResponse(submission, {grader: [Grading(submission, sheet)]})


TASKS = {name: offer(name) for name in suite_names()}
"""Those of this house and those from outside."""
