"""Asking a model all questions of a plan, then scoring what it said."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import msgspec

from hengfa.base.data.paths import StrPath
from hengfa.base.errors import BatchesWaiting, EndpointDown, RunStopped, UsageError, counted
from hengfa.base.hooks import part
from hengfa.base.progress import Notify, Progress, quiet
from hengfa.base.shards import parse_shard
from hengfa.base.workers import Executor, Processes
from hengfa.evals.engine.batches import BatchModel
from hengfa.evals.engine.messages import Model, Options, Status, first_key, parse_key
from hengfa.evals.engine.session import Session, Sitting, Tally, check_limits, run_to_end, sit
from hengfa.evals.grading.graded import How
from hengfa.evals.runs.ask import Ask, by_keywords, graders_named
from hengfa.evals.runs.folder import (
    JOURNAL,
    Asked,
    Manifest,
    RunFigures,
    TrainedOn,
    answer_statuses,
    entries_in,
    join_declarations,
    new_manifest,
    open_folder,
    read_manifest,
    run_folder,
    scored_rules,
    write_manifest,
)
from hengfa.evals.runs.grading import (
    BUILT_IN,
    GraderChoice,
    grade_submissions,
    keep_panel,
    members,
    mending,
)
from hengfa.evals.runs.look import Run, find_run, open_run
from hengfa.evals.runs.merge import take_part, take_questions
from hengfa.evals.runs.models import (
    SAVED,
    Connection,
    Function,
    FunctionModel,
    check_batch,
    open_model,
)
from hengfa.evals.runs.score import rule_sets, score_run, scored_options, submissions_of
from hengfa.evals.suites.base import Chosen, Rules, Solve
from hengfa.evals.suites.builtin import BuiltIn
from hengfa.evals.suites.plan import Plan, Question
from hengfa.evals.suites.scoring import ANSWERS

MANY_ANSWERS = 2000
"""From here on it pays to start other processes for scoring."""


@by_keywords(Ask)
def evaluate(ask: Ask) -> Run:
    """Ask a model the questions of `SUITE` or `SUITE/TASK,…`, keep every answer, score them.

    `model` is a name as on the command line, a function from messages to text, or a `Model`. The
    same call continues an interrupted run and asks nothing twice; but a function may have changed,
    so it is asked anew unless `fresh` is False. Parameters are the options of `hengfa eval`, with
    a sequence as `base_url` where there are several servers; `progress` is True for its line on
    standard error, or is told (done, total); `ids` are names of questions, `TASK/SAMPLE`. An
    `executor` loads `replicas` of a model, and scores in place of `jobs` processes. `trained_on`
    are folders of training data that the model is declared to have been trained on. What graders
    score needs `graders`, or `ungraded`: then it is only asked, for `grade` later.
    """
    saved = isinstance(ask.model, str) and ask.model.startswith(f"{SAVED}:")
    plan = (replace(ask, limit=None) if saved else ask).plan()
    graders = graders_named(ask.graders, ask.progress)
    _check_graders(plan, graders, ask.ungraded)
    if ask.repeats > 1 and ask.temperature == 0:
        ask.notify(
            f"asked {ask.repeats} times at temperature 0, answers differ only by what the server "
            "does; give --temperature as the model is used"
        )
    options, private = ask.wording()
    ask.check_choice(plan)
    model = _open_model(ask.model, plan, ask.connection(private))
    if saved and isinstance(model, BuiltIn):
        plan = plan.among(plan.chosen.intersection(model.answers), ask.limit)
        if not plan.chosen:
            raise UsageError(
                f"{ask.model} has no answer to what {ask.target} asks in {plan.setting}"
            )
    plan, rules, sitting = ask.part(plan), rule_sets(ask.rules), ask.sitting()
    check_limits(sitting, model)
    if ask.panel is not None:
        members(ask.panel, graders)  # refused before anything is asked
    # An agent that cannot be loaded, likewise. Built-in models know the answer to a sample, not to
    # the steps that lead there.
    solvers = {
        asked.task.id: None if isinstance(model, BuiltIn) else plan.solver(asked.task)
        for asked in plan.questions
    }
    folder, plan, held = _run_for(ask, plan, model, options)
    turns = [asked.task.id for asked in plan.questions if asked.task.solver is not None]
    if turns and isinstance(model, BatchModel):
        ask.notify(
            f"every turn of {', '.join(turns)} is a batch of its own, and waits for the last"
        )
    try:
        tally = run_to_end(
            _put_questions(plan, model, options, solvers, folder, sitting, ask.notify)
        )
    except BatchesWaiting:
        raise
    except RunStopped:
        ask.notify(f"what is there can be scored: hengfa score {plan.suite.name} {folder}")
        raise
    asked = _count_answers(plan, held, sitting.ask_again)
    if asked.from_journal:
        ask.notify(f"{folder}: {asked}")
    _check_answers(tally, model, ask.notify)
    outcomes = grade_and_score(
        folder, graders, rules, ask.panel, accept=ask.answer_statuses(), options=plan.options,
        executor=(ask.executor or Processes(ask.jobs)) if len(plan) >= MANY_ANSWERS else None,
        plan=plan, notify=ask.notify,
    )  # fmt: skip
    scored = [msgspec.structs.replace(outcome, asked=asked) for outcome in outcomes]
    return open_run(folder, scored)


def _check_graders(plan: Plan, graders: Sequence[GraderChoice], ungraded: bool) -> None:
    """Refuse to ask what nobody would score, unless that is meant."""
    tasks = [asked.task.id for asked in plan.questions if asked.task.needs_grader]
    if tasks and not ungraded and all(choice.screens for choice in graders):
        raise UsageError(
            f"{plan.suite.name} ({', '.join(tasks)}) is scored by graders: add --grader MODEL, "
            "such as deepseek:deepseek-chat; or --ungraded to ask only, and grade it later: "
            "hengfa grade run RUN --grader MODEL"
        )


def _open_model(model: str | Model | Function, plan: Plan, connection: Connection) -> Model:
    if isinstance(model, str):
        return open_model(model, plan, connection)
    if hasattr(model, "generate"):
        if connection.private:
            raise UsageError("extra holds a key or password: give it to the model itself")
        check_batch("a model of your own", connection)
        return cast("Model", model)
    if callable(model):
        check_batch("a function", connection)
        return FunctionModel(model)
    raise UsageError("a model is a name, a function from messages to text, or a hengfa.Model")


def _run_for(
    ask: Ask, plan: Plan, model: Model, options: Options
) -> tuple[Path, Plan, dict[str, tuple[Status, str]]]:
    """The folder of the run, what is asked in it, and what its journal answers already. Where the
    run has more answers than are asked for, those that are have a run of their own."""
    runs = Path(ask.runs)
    exports, declarations = [Path(place) for place in ask.trained_on], ()
    if exports:  # who makes exports can read them
        declarations = part("trained on")(exports, plan)
    folder = run_folder(plan, model.name, runs, ask.name)
    manifest = new_manifest(plan, model.name, model.address, options)
    fresh = isinstance(model, FunctionModel) if ask.fresh is None else ask.fresh
    before = open_folder(folder, manifest, plan, fresh=fresh)
    if mark := _keep_declared(folder, declarations).trained:
        ask.notify(f"{folder}: by what is declared, the model was {mark}; tables mark the run")
    held = _answers_in(folder)
    tasks = {asked.task.id for asked in plan.questions}
    beyond = (parse_key(key) for key in held if first_key(key) not in plan.chosen)
    if any(parts.task in tasks for parts in beyond if parts is not None):
        whole, plan = folder, plan.alone()
        manifest = new_manifest(plan, model.name, model.address, options)
        name = ask.name and f"{ask.name}-{plan.picked.name if plan.picked else ''}"
        folder = run_folder(plan, model.name, runs, name)
        take_questions(whole, folder, manifest, lambda key: first_key(key) in plan.chosen)
        held = _answers_in(folder)
        ask.notify(f"{whole} has more answers than this command asks for, and stays as it is; the "
                   f"figures of these {len(plan)} questions are in {folder}")  # fmt: skip
    if before is not None and before.address != manifest.address:
        ask.notify(f"{folder}: begun at {before.address}, goes on at {manifest.address}")
    return folder, plan, held


def _keep_declared(folder: Path, told: Sequence[TrainedOn]) -> Manifest:
    """Say in a run's manifest what its model was trained on, besides what it says already. The mark
    stays with the run. A later command can add to it, and nothing takes it away."""
    manifest = read_manifest(folder)
    all_told = join_declarations((*manifest.trained_on, *told))
    if all_told == manifest.trained_on:
        return manifest
    marked = msgspec.structs.replace(manifest, trained_on=all_told)
    write_manifest(folder, marked)
    return marked


def _check_answers(tally: Tally, model: Model, notify: Notify) -> None:
    """Say what failed; where all did, that is the end."""
    failed = tally.statuses[Status.FAILED]
    if not failed:
        return
    notify(f"{failed} failed, the last with: {tally.last_failure}; the same command asks again")
    if not any(tally.statuses[status] for status in Status if status is not Status.FAILED):
        check = "Check --base-url (it usually ends in /v1), the model's name and the key"
        advice = f". {check}" if model.address else ""
        raise EndpointDown(f"nothing was answered: {tally.last_failure}{advice}")


def _answers_in(folder: Path) -> dict[str, tuple[Status, str]]:
    """What the journal of a run answers: by question how, and when."""
    entries = entries_in(folder / JOURNAL).items()
    return {key: (entry.response.status, entry.at) for key, entry in entries if "#" not in key}


def _count_answers(
    plan: Plan, held: Mapping[str, tuple[Status, str]], again: frozenset[Status]
) -> Asked:
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


def grade(
    run: StrPath,
    *graders: str | GraderChoice,
    rules: str | Rules = Rules.OFFICIAL,
    panel: How | None = None,
    shard: str | None = None,
    runs: StrPath = "runs",
    progress: bool | Progress = False,
    notify: Notify = quiet,
) -> Run:
    """Have the answers of a run graded by rubric, and score it again, once for each grader.

    With a rule (`mean`, `median`, `majority`) the graders also have a score as a panel. With
    `shard` they grade one part of the answers, which becomes a run of its own for `merge`.
    """
    if not graders:
        raise UsageError("name who grades: --grader keywords, or a model such as --grader kimi:…")
    whole = find_run(os.fspath(run), Path(runs))
    folder = whole if shard is None else take_part(whole, parse_shard(shard))
    accept, options = answer_statuses(whole), scored_options(whole)
    if not submissions_of(folder, accept, options):
        raise UsageError(f"{folder} has no answers that are scored by graders")
    outcomes = grade_and_score(
        folder, graders_named(graders, progress), rule_sets(rules), panel, accept=accept,
        options=options, notify=notify,
    )  # fmt: skip
    return open_run(folder, outcomes)


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
    told = (
        f"{one.grader} left {left_open(one) * 100:.1f} % ungraded: figures of it are bands, have "
        "no rank and are not compared. The same command asks again, or "
        f"{mending(Path(one.folder))}"
        for one in outcomes
        if left_open(one)
    )
    for notice in dict.fromkeys(told):
        notify(notice)
    return outcomes


def left_open(outcome: RunFigures) -> float:
    """The share that a grader could grade and did not. Built-in ones are rules, which leave open
    what they cannot tell, however often they are asked."""
    return 0.0 if outcome.grader in BUILT_IN else outcome.ungraded or 0.0


async def _put_questions(
    plan: Plan,
    model: Model,
    options: Options,
    solvers: Mapping[str, Solve[Any] | None],
    folder: Path,
    sitting: Sitting,
    notify: Notify,
) -> Tally:
    """Put every question of the plan that the journal cannot answer to the model."""

    async def put_question(session: Session, question: Question) -> None:
        solve, request = solvers[question.task.id], question.request
        if solve is None or session.knows(request):
            await session.ask(request)
        else:
            await session.keep(request, await solve(session.ask, question.sample, request))

    questions = plan.asked(options)
    return await sit(
        model, folder / JOURNAL, questions, put_question, total=len(plan), sitting=sitting,
        notify=notify,
    )  # fmt: skip
