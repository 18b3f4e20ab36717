"""Asking a model all questions of a plan, then scoring what it said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hengfa.engine.batches import BatchModel
from hengfa.engine.messages import Model, Options, Status
from hengfa.engine.session import Session
from hengfa.engine.tally import Tally
from hengfa.errors import BatchesWaiting, EndpointDown, RunStopped
from hengfa.grading.panel import How
from hengfa.runs.folder import (
    JOURNAL,
    keep_prompts,
    new_manifest,
    open_folder,
    run_folder,
    scored_rules,
)
from hengfa.runs.grading import GraderChoice, grade_submissions, keep_panel, members
from hengfa.runs.score import Outcome, score_run, scored_options, submissions_of
from hengfa.runs.sitting import Notify, Sitting, check_limits, quiet, run_to_end, sit
from hengfa.runs.trained_on import declared, keep_declared
from hengfa.suites.base import Chosen, Rules, Solve
from hengfa.suites.builtin import BuiltIn
from hengfa.suites.plan import Plan, Question
from hengfa.suites.scoring import ANSWERS
from hengfa.workers import Executor

MANY_ANSWERS = 2000
"""From here on it pays to start other processes for scoring."""


@dataclass(frozen=True, slots=True)
class Settings(Sitting):
    """How a run is carried out: nothing here changes what is asked, `accept` what counts."""

    accept: frozenset[Status] = ANSWERS
    fresh: bool = False
    scoring: Executor | None = None


def evaluate(
    plan: Plan,
    model: Model,
    options: Options,
    rules: Sequence[Rules],
    *,
    runs: Path,
    name: str | None = None,
    settings: Settings | None = None,
    graders: Sequence[GraderChoice] = (),
    panel: How | None = None,
    trained_on: Sequence[Path] = (),
    notify: Notify = quiet,
) -> tuple[Path, list[Outcome]]:
    """Ask, keep, have it graded, score. Called again, it asks only what is still open.

    `trained_on` are exports that the model is declared to have been trained on.
    """
    settings = settings or Settings()
    check_limits(settings, model)
    if panel is not None:
        members(panel, graders)  # refused before anything is asked
    solvers = _solvers(plan, model)  # an agent that cannot be loaded, likewise
    told = declared(trained_on, plan) if trained_on else ()
    folder = run_folder(plan, model.name, runs, name)
    manifest = new_manifest(plan, model.name, model.address, options)
    before = open_folder(folder, manifest, plan.suite, fresh=settings.fresh)
    if plan.prompts is not None:
        keep_prompts(folder, plan.prompts)
    if mark := keep_declared(folder, told).trained:
        notify(f"{folder}: by what is declared, the model was {mark}; tables mark the run")
    if before is not None and before.address != manifest.address:
        notify(f"{folder}: begun at {before.address}, goes on at {manifest.address}")
    turns = [asked.task.id for asked in plan.questions if asked.task.solver is not None]
    if turns and isinstance(model, BatchModel):
        notify(f"every turn of {', '.join(turns)} is a batch of its own, and waits for the last")
    try:
        tally = run_to_end(ask(plan, model, options, solvers, folder, settings, notify))
    except BatchesWaiting:
        raise
    except RunStopped:
        notify(f"what is there can be scored: hengfa score {plan.suite.name} {folder}")
        raise
    if failed := tally.statuses[Status.FAILED]:
        notify(f"{failed} failed, the last with: {tally.last_failure}; the same command asks again")
        if not any(tally.statuses[status] for status in Status if status is not Status.FAILED):
            check = "Check --base-url (it usually ends in /v1), the model's name and the key"
            advice = f". {check}" if model.address else ""
            raise EndpointDown(f"nothing was answered: {tally.last_failure}{advice}")
    scoring = settings.scoring if len(plan) >= MANY_ANSWERS else None
    return folder, grade_and_score(
        folder, graders, rules, panel, accept=settings.accept, options=plan.options,
        executor=scoring, notify=notify,
    )  # fmt: skip


def grade_and_score(
    folder: Path,
    graders: Sequence[GraderChoice],
    rules: Sequence[Rules],
    panel: How | None = None,
    *,
    accept: frozenset[Status] = ANSWERS,
    options: Chosen | None = None,
    executor: Executor | None = None,
    notify: Notify = quiet,
) -> list[Outcome]:
    """Have the answers of a run graded, by one grader after the other, and score it by each.

    A rule makes a panel of them.
    """
    before = scored_rules(folder)  # which, as options, a grader that is asked anew takes with it
    options = scored_options(folder) if options is None else options
    if panel is not None:
        keep_panel(folder, panel, members(panel, graders))
    submissions = submissions_of(folder, accept, options) if graders else []
    for choice in graders:
        if submissions:
            if choice.sitting.progress:
                notify(f"grading {len(submissions)} answers with {choice.name}")
            grade_submissions(folder, submissions, choice, notify)
    return score_run(
        folder, rules, also=before, accept=accept, options=options, executor=executor, notify=notify
    )


def _solvers(plan: Plan, model: Model) -> dict[str, Solve[Any] | None]:
    """How each task is worked on that takes several questions.

    Built-in models know the answer to a sample, not to the steps that lead there.
    """
    return {
        asked.task.id: None if isinstance(model, BuiltIn) else plan.solver(asked.task)
        for asked in plan.questions
    }


async def ask(
    plan: Plan,
    model: Model,
    options: Options,
    solvers: Mapping[str, Solve[Any] | None],
    folder: Path,
    settings: Settings,
    notify: Notify = quiet,
) -> Tally:
    """Put every question of the plan that the journal cannot answer to the model."""

    async def put_question(session: Session, question: Question) -> None:
        solve, request = solvers[question.task.id], question.request
        if solve is None or session.knows(request):
            await session.ask(request)
        else:
            await session.keep(request, await solve(session.ask, question.sample, request))

    return await sit(
        model,
        folder / JOURNAL,
        plan.asked(options),
        put_question,
        total=len(plan),
        sitting=settings,
        notify=notify,
    )
