"""Looking back at runs: which there are, what they scored, and one question from end to end."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from hengfa.engine.messages import Message, Response
from hengfa.engine.tokens import cut_prompt
from hengfa.errors import DataError, UsageError
from hengfa.grading.marking import mark
from hengfa.grading.marks import Mark
from hengfa.grading.submission import Submission
from hengfa.results.trace import Trace
from hengfa.runs.folder import MANIFEST, Manifest, read_manifest
from hengfa.runs.outcome import accepted, read_figures
from hengfa.runs.score import open_journal
from hengfa.runs.sitting import Notify, quiet
from hengfa.suites.base import Graded, Rules, Sample
from hengfa.suites.plan import find_data
from hengfa.suites.registry import get_suite
from hengfa.suites.scoring import Scored, score_response


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run in one line; `figures` is by rules, empty until the run was scored."""

    name: str
    manifest: Manifest
    samples: int
    figures: dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Story:
    """One question: what was asked, what came back, what each rule set made of it.

    `traces` say how, where the response is an answer. `marks` is what each grader gave, in
    `submission`'s terms, where the task is graded.
    """

    key: str
    sample: Sample
    messages: tuple[Message, ...]
    reference: str
    response: Response
    scored: dict[Rules, Scored]
    traces: dict[Rules, Trace] = field(default_factory=dict)
    submission: Submission | None = None
    marks: dict[str, Mark] = field(default_factory=dict)


def find_run(name: str, runs: Path) -> Path:
    """A run by its folder, or by its name below `runs`."""
    for folder in (Path(name), runs / name):
        if (folder / MANIFEST).is_file():
            return folder
    raise UsageError(f"there is no run {name!r}, neither as a folder nor below {runs}")


def list_runs(runs: Path, notify: Notify = quiet) -> list[RunSummary]:
    """All runs below a folder, newest last; one that cannot be read is said and passed over."""
    folders = [file.parent for file in runs.rglob(MANIFEST)] if runs.is_dir() else []
    summaries: list[RunSummary] = []
    for folder in folders:
        if ".old" in folder.relative_to(runs).parts:
            continue
        try:
            scored = read_figures(folder)
            summaries.append(
                RunSummary(
                    name=str(folder.relative_to(runs)),
                    manifest=read_manifest(folder),
                    samples=max((one.samples for one in scored.values()), default=0),
                    figures={str(rules): one.figures for rules, one in scored.items()},
                )
            )
        except DataError as error:
            notify(f"passed over: {error}")
    return sorted(summaries, key=lambda summary: (summary.manifest.created, summary.name))


def tell(folder: Path, question: str) -> Story:
    """The story of `TASK/SAMPLE` in a run."""
    manifest = read_manifest(folder)
    task_id, slash, sample_id = question.partition("/")
    if not slash:
        raise UsageError(f"name the question as TASK/SAMPLE, such as 1-1/0, not {question!r}")
    suite = get_suite(manifest.suite)
    if task_id not in suite.tasks:
        there_is = ", ".join(suite.tasks)
        raise UsageError(f"{suite.name} has no task {task_id!r}; there is: {there_is}")
    task, run = suite.tasks[task_id], open_journal(folder)
    pairs = run.pairs(task_id) if task_id in run.tasks() else []
    asked = {sample.id: (sample, response) for sample, response in pairs}
    if sample_id not in asked:
        some = ", ".join(f"{task_id}/{one}" for one in list(asked)[:5])
        raise UsageError(
            f"{folder}: {question} has not been asked; "
            + (f"asked were, for instance: {some}" if some else f"nothing of {task_id} was")
        )
    scored, response = asked[sample_id]
    sample = scored.sample if isinstance(scored, Graded) else scored
    submission = task.grading(sample, response.text) if task.grading and response.text else None
    data = find_data(suite, manifest.data_source)[0].root
    rule_sets = {rules: task.rule_set(rules, data) for rules in Rules}
    judged = {
        rules: score_response(rule_set, scored, response, accepted(folder))
        for rules, rule_set in rule_sets.items()
    }
    return Story(
        key=suite.key(task_id, manifest.setting, sample),
        sample=sample,
        messages=task.prompt(sample)
        if manifest.max_input_tokens is None
        else cut_prompt(task.prompt(sample), manifest.max_input_tokens),
        reference=task.baselines.reference(sample),
        response=response,
        scored=judged,
        traces={
            rules: rule_set.trace(scored, response.text)
            for rules, rule_set in rule_sets.items()
            if rule_set.trace is not None and judged[rules].answer is not None
        },
        submission=submission,
        marks={sheet.grader: mark(submission, sheet) for sheet in scored.sheets}
        if submission is not None and isinstance(scored, Graded)
        else {},
    )
