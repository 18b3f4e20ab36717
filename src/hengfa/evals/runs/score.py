"""Scoring a run: its journal is matched with its samples, and its cells are put together again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from hengfa.base.errors import DataError, JournalError, UsageError
from hengfa.base.progress import Notify, Progress, quiet
from hengfa.base.workers import Executor
from hengfa.evals.engine.budget import find_price
from hengfa.evals.engine.messages import KeyParts, Response, Status, Usage, parse_key
from hengfa.evals.grading.submission import Submission
from hengfa.evals.runs.cells import Cell, CellResult, Origin, score_cells
from hengfa.evals.runs.folder import (
    IMPORTED,
    JOURNAL,
    Manifest,
    RunFigures,
    clear_scores,
    figures_of,
    manifest_errors,
    prompts_of,
    read_manifest,
    renew_manifest,
    scored_rules,
    scores_of,
    total_spent,
    write_figures,
)
from hengfa.evals.runs.grading import (
    Grades,
    ScoredBy,
    grades_version,
    replies_in,
    scored_by,
    submission_of,
)
from hengfa.evals.suites.base import AnyTask, Attempt, Chosen, Rules, SavedRun, Suite
from hengfa.evals.suites.plan import Plan, data_folder, make_plan
from hengfa.evals.suites.registry import get_suite
from hengfa.evals.suites.scoring import ANSWERS


def rule_sets(name: str | Rules, *, both: bool = True) -> list[Rules]:
    """`official`, `corrected` or `both`."""
    if both and name == "both":
        return list(Rules)
    try:
        return [Rules(name)]
    except ValueError:
        there_is = ", ".join([*Rules, *(["both"] if both else [])])
        raise UsageError(f"there are no rules {name!r}; there is: {there_is}") from None


def outcomes_json(suite: str, outcomes: Sequence[RunFigures]) -> dict[str, Any]:
    """One JSON document for any number of runs; with both rule sets, `rules` is per run."""
    rules = {outcome.rules for outcome in outcomes}
    return {
        "suite": suite,
        "rules": str(rules.pop()) if len(rules) == 1 else "both",
        "runs": [outcome.as_json() for outcome in outcomes],
    }


@dataclass(frozen=True)
class _Journal:
    """A journal at a time: what was read of it before is not read again."""

    folder: Path
    version: int
    """When journal and grades were last written."""
    options: tuple[tuple[str, str], ...]
    """Of the suite: those it was scored by before, or some of them chosen anew."""
    plan: Plan | None = field(default=None, compare=False, repr=False)
    """That by which it was just asked; other processes make their own."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "plan": None}


@dataclass(frozen=True)
class JournalRun(SavedRun):
    """A run of ours as something to score: its journal matched with its samples."""

    journal: _Journal
    model: str
    setting: str
    scored_by: ScoredBy
    grader: str

    @property
    def folder(self) -> Path:
        return self.journal.folder

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        return self.journal.options

    def tasks(self) -> Sequence[str]:
        return list(_attempts_in(self.journal))

    def attempts(self, task: str) -> list[Attempt]:
        return [self.scored_by.of(attempt) for attempt in _attempts_in(self.journal)[task]]


def open_journal(
    folder: Path, options: Chosen | None = None, plan: Plan | None = None
) -> list[JournalRun]:
    """The run in this folder, once for each score that it has; an error if it holds no answers.

    `options` are scored by instead of those of before, such as a BERT model. Who has the plan by
    which it was asked hands it on, so that nothing is loaded twice.
    """
    manifest = read_manifest(folder)
    journal = _find_journal(folder, manifest)
    version = max(journal.stat().st_mtime_ns, grades_version(folder))
    chosen = scored_options(folder)
    if options:
        chosen = get_suite(manifest.suite).choose({**chosen, **options})
    opened = _Journal(folder, version, tuple(chosen.items()), plan)
    return [
        JournalRun(opened, manifest.model, manifest.setting, scored, scored.name)
        for scored in scored_by(folder)
    ]


def scored_options(folder: Path) -> dict[str, str]:
    """The options of the suite by which a run was scored last, else those that it was made with.

    So a grader who is asked later leaves all scores as they are, however they were marked.
    """
    manifest = read_manifest(folder)
    last = next((one.options for one in scores_of(folder) if one.options is not None), {})
    with manifest_errors(folder):
        suite = get_suite(manifest.suite)
        return suite.choose(suite.known({**manifest.suite_options, **last}))


def _find_journal(folder: Path, manifest: Manifest) -> Path:
    """The journal of a run; an error if there is nothing in it."""
    journal = folder / JOURNAL
    if manifest.address == IMPORTED and not journal.is_file():
        raise UsageError(
            f"{folder}: predictions of another tool; score the files that they came in: "
            f"hengfa score {manifest.suite} PREDICTIONS --out DIR"
        )
    if not journal.is_file() or not journal.stat().st_size:
        raise UsageError(f"{folder}: the journal holds no answers yet")
    return journal


@lru_cache(maxsize=2)
def _attempts_in(journal: _Journal) -> dict[str, list[Attempt]]:
    """The journal of a run matched with its samples, and those of graded tasks with grades. Where
    nobody was asked to grade, there are no grades: then not even silence has a score."""
    manifest = read_manifest(journal.folder)
    suite, answered = attempts_by_task(
        journal.folder, manifest, dict(journal.options), journal.plan
    )
    grades = Grades(journal.folder)
    for task_id, attempts in answered.items():
        if grades and (grading := suite.tasks[task_id].grading) is not None:
            keys = (_key(suite, manifest, task_id, attempt) for attempt in attempts)
            answered[task_id] = [
                attempt._replace(graded=grades.of(grading, key, attempt))
                for key, attempt in zip(keys, attempts, strict=True)
            ]
    return answered


def _key(suite: Suite, manifest: Manifest, task: str, attempt: Attempt) -> str:
    return suite.key(task, manifest.setting, attempt.sample, attempt.repeat)


def submissions_of(
    folder: Path,
    accept: frozenset[Status] = ANSWERS,
    options: Chosen | None = None,
    plan: Plan | None = None,
) -> list[Submission]:
    """What is there to grade in a run: the answers to its graded tasks.

    `options` of the suite are graded by instead of those of before.
    """
    told = submissions_with_tasks(folder, accept, options, plan)
    return [submission for _, _, submission in told]


def submissions_with_tasks(
    folder: Path,
    accept: frozenset[Status] = ANSWERS,
    options: Chosen | None = None,
    plan: Plan | None = None,
) -> Iterator[tuple[AnyTask, Attempt, Submission]]:
    """The same, each with its task and what it was made of."""
    manifest = read_manifest(folder)
    chosen = {**scored_options(folder), **(options or {})}
    suite, answered = attempts_by_task(folder, manifest, chosen, plan)
    for task_id, attempts in answered.items():
        task = suite.tasks[task_id]
        if task.grading is None:
            continue
        for attempt in attempts:
            if attempt.response.status in accept:
                key = _key(suite, manifest, task_id, attempt)
                yield task, attempt, submission_of(task.grading, key, attempt)


def attempts_by_task(
    folder: Path, manifest: Manifest, options: Chosen, plan: Plan | None = None
) -> tuple[Suite, dict[str, list[Attempt]]]:
    """The journal of a run matched with its samples, by task.

    A plan at hand serves if it has the samples of all that was answered.
    """
    journal = _find_journal(folder, manifest)
    responses = _whole_responses(replies_in(journal))
    parts: list[KeyParts] = []
    for key in responses:
        if (part := parse_key(key)) is None:
            problem = f"{key!r} is no question of a suite, such as lawbench/1-1/…"
            raise JournalError(f"{journal}: {problem}")
        parts.append(part)
    tasks = dict.fromkeys(part.task for part in parts)
    if not tasks:
        raise UsageError(f"{folder}: the journal holds no answers yet")
    if plan is None or plan.options != options or not {*tasks} <= plan.tasks():
        target = f"{manifest.suite}/{','.join(tasks)}"
        with manifest_errors(folder):
            plan = make_plan(
                target, setting=manifest.setting, data=manifest.data_source, options=options
            )
    if plan.data.fingerprint != manifest.data:
        raise DataError(
            f"this run was made with other data ({manifest.data}) than is there now "
            f"({plan.data.fingerprint}): scores would compare answers with the wrong references",
            file=folder,
        )
    attempts: dict[str, list[Attempt]] = {}
    of_task = {asked.task.id: asked for asked in plan.questions}
    for asked in [of_task[task] for task in plan.suite.tasks if task in tasks]:
        repeats = sorted({part.repeat for part in parts if part.task == asked.task.id})
        keys = zip(*(asked.keys(repeat) for repeat in repeats), strict=True)
        attempts[asked.task.id] = [
            Attempt(sample, responses[key], repeat=repeat)
            for sample, of_sample in zip(asked.samples, keys, strict=True)
            for repeat, key in zip(repeats, of_sample, strict=True)
            if key in responses
        ]
    return plan.suite, attempts


def _whole_responses(responses: Mapping[str, Response]) -> dict[str, Response]:
    """The response to each sample; where it took several steps, with what all of them used."""
    whole: dict[str, Response] = {}
    steps: dict[str, list[Response]] = {}
    for key, response in responses.items():
        sample, step, _ = key.partition("#")
        if step:
            steps.setdefault(sample, []).append(response)
        else:
            whole[key] = response
    for key in whole.keys() & steps.keys():
        used = [step.usage for step in steps[key] if step.usage is not None]
        usage = Usage(
            input=sum(part.input for part in used),
            output=sum(part.output for part in used),
            reasoning=sum(part.reasoning for part in used),
            cached=sum(part.cached for part in used),
            estimated=any(part.estimated for part in used),
        )
        seconds = sum(step.seconds for step in steps[key])
        batch = steps[key][-1].batch if all(step.batch for step in steps[key]) else ""
        whole[key] = replace(whole[key], usage=usage, seconds=round(seconds, 4), batch=batch)
    return whole


def score_run(
    folder: Path,
    rules: Sequence[Rules],
    *,
    also: Sequence[Rules] = (),
    tasks: Sequence[str] | None = None,
    accept: frozenset[Status] = ANSWERS,
    options: Chosen | None = None,
    plan: Plan | None = None,
    executor: Executor | None = None,
    watch: Progress | None = None,
    notify: Notify = quiet,
) -> list[RunFigures]:
    """Score all that a run's journal holds and write records and figures; nothing is asked.

    `options` of the suite are chosen anew for scoring, such as a model that compares meanings. Rule
    sets under which the run was scored before are scored again too (and `also` those before its
    graders were asked anew): their figures would be those of older answers. All tasks are scored,
    so that the run's figures stay of one piece; `tasks` are those whose figures are wanted.
    """
    manifest = read_manifest(folder)
    every = tuple(dict.fromkeys([*rules, *also, *scored_rules(folder)]))
    before, several = scored_options(folder), open_journal(folder, options, plan)
    changed = [
        f"{name}={now} (before: {before[name]})"
        for name, now in several[0].options
        if now != before[name]
    ]
    if changed and scored_rules(folder):
        notify(f"{folder.name}: all its scores are now by {', '.join(changed)}")
    with manifest_errors(folder):
        suite = get_suite(manifest.suite)
        root = data_folder(suite, manifest.data_source)
    cells = [
        Cell(
            manifest.suite, saved, task, every, root, accept,
            (saved.scored_by.folder, origin_of(folder, manifest, saved.grader)),
            effects=len(rules) > 1, options=saved.options,
        )
        for saved in several
        for task in saved.tasks()
    ]  # fmt: skip
    results = score_cells(cells, executor, watch, notify)
    known = {"accept": sorted(accept), "options": dict(several[0].options)}
    for figures in figures_by_run(suite, cells, results, **known):
        write_figures(Path(figures.folder), figures)
    if all(saved.scored_by.folder != folder for saved in several):
        clear_scores(folder)  # of before it was graded, or of all graders together
    renew_manifest(folder, manifest)
    wanted = figures_by_run(suite, cells, results, tasks, **known)
    return [figures for figures in wanted if figures.rules in rules]


def score_runs(
    folders: Sequence[Path],
    how: HowScored,
    *,
    executor: Executor,
    watch: Progress | None = None,
    notify: Notify = quiet,
) -> list[RunFigures]:
    """Score runs of a suite, in their order: many one by one as wholes, few in their parts."""
    scored: dict[int, list[RunFigures]] = {}
    if len(folders) <= executor.workers:
        for number, folder in enumerate(folders):
            scored[number] = how.score(folder, executor=executor, watch=watch, notify=notify)
    else:
        for number, (figures, notices) in executor.run(how, folders):
            scored[number] = figures
            for notice in notices:
                notify(notice)
            if watch is not None:
                watch(len(scored), len(folders))
    return [outcome for number in range(len(folders)) for outcome in scored[number]]


@dataclass(frozen=True, slots=True)
class HowScored:
    """What `score_run` is asked for, of several runs alike; a folder of one is an item of work."""

    rules: Sequence[Rules]
    tasks: Sequence[str]
    accept: frozenset[Status]
    options: Chosen | None
    files: Mapping[str, Path] = field(default_factory=dict)

    def score(self, folder: Path, **given: Any) -> list[RunFigures]:
        return score_run(
            folder, self.rules, tasks=self.tasks, accept=self.accept, options=self.options, **given
        )

    def open(
        self, _files: Mapping[str, Path]
    ) -> Callable[[Path], tuple[list[RunFigures], list[str]]]:
        def score(folder: Path) -> tuple[list[RunFigures], list[str]]:
            notices: list[str] = []
            return self.score(folder, notify=notices.append), notices

        return score


def origin_of(folder: Path, manifest: Manifest, grader: str = "") -> Origin:
    """What all responses of a run have in common, as one of its graders scores it."""
    of_run = (folder.name, manifest.suite, manifest.setting, manifest.model, manifest.data)
    price, prompts = find_price(manifest.model), prompts_of(folder, manifest)
    return Origin(*of_run, price, grader or None, prompts)


def figures_by_run(
    suite: Suite,
    cells: Sequence[Cell],
    results: Sequence[CellResult],
    tasks: Collection[str] | None = None,
    **known: Any,
) -> list[RunFigures]:
    """Cells put together again: for each run and rule set what its tasks come to, or some of them;
    in the order of the runs."""
    by_run: dict[int, list[tuple[Cell, CellResult]]] = {}
    for cell, result in zip(cells, results, strict=True):
        by_run.setdefault(id(cell.saved), []).append((cell, result))
    figures = []
    for (first, _), *_ in by_run.values():
        scored = [(cell.task, result) for cell, result in by_run[id(first.saved)]
                  if tasks is None or cell.task in tasks]  # fmt: skip
        figures += [
            figures_of(
                suite,
                {task: result.figures[rules] for task, result in scored},
                {task: result.samples for task, result in scored},
                model=first.saved.model,
                setting=first.saved.setting,
                rules=rules,
                grader=first.saved.grader,
                spent=total_spent(result.spent for _, result in scored if result.spent is not None),
                folder=str(first.keep[0]) if first.keep is not None else "",
                **known,
            )
            for rules in first.rules
        ]
    return figures
