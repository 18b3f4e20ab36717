"""Scoring without asking: journals of our runs, and predictions that other tools saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from hengfa.engine.journal import newest_entries
from hengfa.engine.messages import Response, Status
from hengfa.errors import DataError, UsageError
from hengfa.runs.folder import JOURNAL, RECORDS, Manifest, read_manifest
from hengfa.runs.outcome import (
    Origin,
    Outcome,
    read_figures,
    records_of,
    save_figures,
    save_records,
)
from hengfa.suites.base import AnyTask, Rules, Sample, SavedPredictions, Suite
from hengfa.suites.plan import find_data, make_plan
from hengfa.suites.scoring import ANSWERS, Scored, TaskFigure, score_response, summarise

Pairs = Iterable[tuple[Sample, Response]]
Notify = Callable[[str], None]


def quiet(_line: str) -> None:
    """The watcher of those who do not want to be told."""


def score_task(
    task: AnyTask, rules: Rules, pairs: Pairs, accept: frozenset[Status] = ANSWERS
) -> tuple[TaskFigure, list[Scored]]:
    """Score all responses to a task; pure, so it can run anywhere."""
    scored = [score_response(task, rules, sample, response, accept) for sample, response in pairs]
    return summarise(task, scored), scored


def score_run(
    folder: Path, rules: Sequence[Rules], *, accept: frozenset[Status] = ANSWERS
) -> list[Outcome]:
    """Score all that a run's journal holds and write records and figures; nothing is asked.

    Rule sets under which the run was scored before are scored again too: their figures would be
    those of older answers.
    """
    manifest = read_manifest(folder)
    suite, answered = answered_by_task(folder, manifest)
    origin = Origin(folder.name, manifest.suite, manifest.setting, manifest.model, manifest.data)
    outcomes = []
    for rule in dict.fromkeys([*rules, *read_figures(folder)]):
        figures = {}
        for task_id, pairs in answered.items():
            task = suite.tasks[task_id]
            figures[task_id], scored = score_task(task, rule, pairs, accept)
            save_records(folder / RECORDS, records_of(origin, task, rule, scored), task_id, rule)
        outcome = Outcome(suite, manifest.model, manifest.setting, rule, figures)
        save_figures(folder, outcome, accept)
        if rule in rules:
            outcomes.append(outcome)
    return outcomes


def answered_by_task(
    folder: Path, manifest: Manifest
) -> tuple[Suite, dict[str, list[tuple[Sample, Response]]]]:
    """The journal of a run matched with its samples, by task."""
    journal = folder / JOURNAL
    responses = (
        {entry.key: entry.response for entry in newest_entries(journal)}
        if journal.is_file()
        else {}
    )
    tasks = dict.fromkeys(key.split("/")[1] for key in responses)
    if not tasks:
        raise UsageError(f"{folder}: the journal holds no answers yet")
    target = f"{manifest.suite}/{','.join(tasks)}"
    plan = make_plan(target, setting=manifest.setting, data=manifest.data_source)
    if plan.data.fingerprint != manifest.data:
        raise DataError(
            f"this run was made with other data ({manifest.data}) than is there now "
            f"({plan.data.fingerprint}): scores would compare answers with the wrong references",
            file=folder,
        )
    pairs: dict[str, list[tuple[Sample, Response]]] = {}
    for asked in sorted(plan.questions, key=lambda one: list(plan.suite.tasks).index(one.task.id)):
        keyed = ((plan.suite.key(asked.task.id, plan.setting, s), s) for s in asked.samples)
        pairs[asked.task.id] = [(s, responses[key]) for key, s in keyed if key in responses]
    return plan.suite, pairs


def score_files(
    suite: Suite,
    path: Path,
    rules: Sequence[Rules],
    *,
    data: str | None = None,
    setting: str | None = None,
    out: Path | None = None,
    notify: Notify = quiet,
) -> list[Outcome]:
    """Score predictions that some other tool saved; the texts enter as answers, as they are."""

    def root() -> Path:
        return find_data(suite, data)[0].root

    outcomes: list[Outcome] = []
    found = suite.read_predictions(path, root, setting or suite.settings[0])
    if out is not None:
        for folder in (out / saved_name(suite, saved) for saved in found):
            if folder.exists():
                raise UsageError(f"--out: {folder} is there already; choose another folder")
    for saved in found:
        figures: dict[Rules, dict[str, TaskFigure]] = {rule: {} for rule in rules}
        for task_id in saved.tasks():
            task = suite.tasks.get(task_id)
            if task is None:
                continue
            pairs = [
                (sample, Response(status=Status.ANSWERED, text=text))
                for sample, text in saved.pairs(task_id)
            ]
            for rule in rules:
                figures[rule][task_id], scored = score_task(task, rule, pairs)
                if out is not None:
                    _save(out, suite, saved, task, rule, scored)
        strange = [task_id for task_id in saved.tasks() if task_id not in suite.tasks]
        notify(
            f"{saved.setting}/{saved.model}: scored {', '.join(figures[rules[0]]) or 'nothing'}"
            + (f"; no such tasks here: {', '.join(strange)}" if strange else "")
        )
        outcomes.extend(
            Outcome(suite, saved.model, saved.setting, rule, figures[rule])
            for rule in rules
            if figures[rule]
        )
    if not outcomes:
        raise UsageError(f"{path}: no predictions for any task of {suite.name}")
    return outcomes


def saved_name(suite: Suite, saved: SavedPredictions) -> str:
    """The run that another tool's predictions become."""
    return f"{suite.name}-{saved.setting}-{saved.model}"


def _save(
    out: Path,
    suite: Suite,
    saved: SavedPredictions,
    task: AnyTask,
    rule: Rules,
    scored: Sequence[Scored],
) -> None:
    run = saved_name(suite, saved)
    origin = Origin(run, suite.name, saved.setting, saved.model, "")
    save_records(out / run / RECORDS, records_of(origin, task, rule, scored), task.id, rule)
