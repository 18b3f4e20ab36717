"""Asking a model all questions of a plan, then scoring what it said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from hengfa.base.errors import BatchesWaiting, EndpointDown, RunStopped, counted
from hengfa.base.shards import first_key, parse_key
from hengfa.base.workers import Executor
from hengfa.evals.engine.batches import BatchModel
from hengfa.evals.engine.journal import newest_entries
from hengfa.evals.engine.messages import Model, Options, Status
from hengfa.evals.engine.session import Session
from hengfa.evals.engine.tally import Tally
from hengfa.evals.grading.panel import How
from hengfa.evals.runs.folder import (
    JOURNAL,
    Asked,
    RunFigures,
    keep_prompts,
    new_manifest,
    open_folder,
    run_folder,
    scored_rules,
)
from hengfa.evals.runs.grading import (
    BUILT_IN,
    GraderChoice,
    grade_submissions,
    keep_panel,
    members,
    mending,
)
from hengfa.evals.runs.merge import take_questions
from hengfa.evals.runs.score import score_run, scored_options, submissions_of
from hengfa.evals.runs.sitting import Notify, Sitting, check_limits, quiet, run_to_end, sit
from hengfa.evals.runs.trained_on import declared, keep_declared
from hengfa.evals.suites.base import Chosen, Rules, Solve
from hengfa.evals.suites.builtin import BuiltIn
from hengfa.evals.suites.plan import Plan, Question
from hengfa.evals.suites.scoring import ANSWERS

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
) -> tuple[Path, list[RunFigures]]:
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
    held = _held(folder)
    if any(_is_beyond(plan, key) for key in held):
        whole, plan = folder, plan.alone()
        manifest = new_manifest(plan, model.name, model.address, options)
        named = name and f"{name}-{plan.picked.name if plan.picked else ''}"
        folder = run_folder(plan, model.name, runs, named)
        take_questions(whole, folder, manifest, lambda key: first_key(key) in plan.chosen)
        held = _held(folder)
        notify(f"{whole} has more answers than this command asks for, and stays as it is; the "
               f"figures of these {len(plan)} questions are in {folder}")  # fmt: skip
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
    asked = _asked(plan, held, settings.ask_again)
    if asked.from_journal:
        notify(f"{folder}: {asked}")
    if failed := tally.statuses[Status.FAILED]:
        notify(f"{failed} failed, the last with: {tally.last_failure}; the same command asks again")
        if not any(tally.statuses[status] for status in Status if status is not Status.FAILED):
            check = "Check --base-url (it usually ends in /v1), the model's name and the key"
            advice = f". {check}" if model.address else ""
            raise EndpointDown(f"nothing was answered: {tally.last_failure}{advice}")
    scoring = settings.scoring if len(plan) >= MANY_ANSWERS else None
    outcomes = grade_and_score(
        folder, graders, rules, panel, accept=settings.accept, options=plan.options, plan=plan,
        executor=scoring, notify=notify,
    )  # fmt: skip
    return folder, [replace(outcome, asked=asked) for outcome in outcomes]


def _held(folder: Path) -> dict[str, tuple[Status, str]]:
    """What the journal of a run answers: by question how, and when."""
    journal = folder / JOURNAL
    entries = newest_entries(journal) if journal.is_file() else ()
    return {one.key: (one.response.status, one.at) for one in entries if "#" not in one.key}


def _is_beyond(plan: Plan, key: str) -> bool:
    """Whether a plan asks of a task, but not this of its questions."""
    parts = parse_key(key)
    tasks = [asked.task.id for asked in plan.questions]
    return parts is not None and first_key(key) not in plan.chosen and parts.task in tasks


def _asked(plan: Plan, held: Mapping[str, tuple[Status, str]], again: frozenset[Status]) -> Asked:
    """How much of a plan was answered before, and when."""
    times = sorted(
        at
        for key, (status, at) in held.items()
        if status not in again and first_key(key) in plan.chosen
        if (parts := parse_key(key)) is not None and parts.repeat <= plan.repeats
    )
    if not times:
        return Asked(len(plan))
    return Asked(len(plan) - len(times), len(times), times[0], times[-1])


def grade_and_score(
    folder: Path,
    graders: Sequence[GraderChoice],
    rules: Sequence[Rules],
    panel: How | None = None,
    *,
    accept: frozenset[Status] = ANSWERS,
    options: Chosen | None = None,
    plan: Plan | None = None,
    executor: Executor | None = None,
    notify: Notify = quiet,
) -> list[RunFigures]:
    """Have the answers of a run graded, by one grader after the other, and score it by each.

    A rule makes a panel of them.
    """
    before = scored_rules(folder)  # which, as options, a grader that is asked anew takes with it
    options = scored_options(folder) if options is None else options
    if panel is not None:
        keep_panel(folder, panel, members(panel, graders))
    submissions = submissions_of(folder, accept, options, plan) if graders else []
    for choice in graders:
        if submissions:
            if choice.sitting.progress:
                notify(f"grading {counted(len(submissions), 'answer')} with {choice.name}")
            grade_submissions(folder, submissions, choice, notify)
    outcomes = score_run(
        folder, rules, also=before, accept=accept, options=options, plan=plan, executor=executor,
        notify=notify,
    )  # fmt: skip
    for told in dict.fromkeys(_told_ungraded(one) for one in outcomes if left_open(one)):
        notify(told)
    return outcomes


def left_open(outcome: RunFigures) -> float:
    """The share that a grader could grade and did not. Built-in ones are rules, which leave open
    what they cannot tell, however often they are asked."""
    return 0.0 if outcome.grader in BUILT_IN else outcome.ungraded or 0.0


def _told_ungraded(outcome: RunFigures) -> str:
    """What is known of figures that a grader left open, and what asks again."""
    share = f"{left_open(outcome) * 100:.1f} %"
    return (
        f"{outcome.grader} left {share} ungraded: figures of it are bands, have no rank and are "
        f"not compared. The same command asks again, or {mending(Path(outcome.folder))}"
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
