"""Looking back at runs: which there are, what they scored, and one question from end to end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hengfa.errors import DataError, UsageError
from hengfa.results.tables import ResponseRow
from hengfa.runs.cells import response_of, whole_facets
from hengfa.runs.folder import (
    IMPORTED,
    MANIFEST,
    Manifest,
    accepted,
    has_tables,
    read_figures,
    read_manifest,
    read_metrics,
    read_rows,
    said_in_manifest,
)
from hengfa.runs.score import open_journal, origin_of
from hengfa.runs.sitting import Notify, quiet
from hengfa.suites.base import Rules
from hengfa.suites.plan import find_data
from hengfa.suites.registry import get_suite
from hengfa.suites.scoring import score_attempt


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run in one line; `figures` is by rules, empty until the run was scored."""

    name: str
    manifest: Manifest
    samples: int
    figures: dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Reading:
    """A response as one set of rules read it: the row with its texts, and what each metric counts
    (None where the rules leave the sample out)."""

    row: ResponseRow
    metrics: Mapping[str, float | None]


Story = Mapping[Rules, Reading]
"""One question: what was asked and what came back is the same in all readings."""


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
                    samples=max((saved.samples for saved in scored.values()), default=0),
                    figures={str(rules): saved.figures for rules, saved in scored.items()},
                )
            )
        except DataError as error:
            notify(f"passed over: {error}")
    return sorted(summaries, key=lambda summary: (summary.manifest.created, summary.name))


def tell(folder: Path, question: str) -> Story:
    """The story of `TASK/SAMPLE` in a run, from its tables.

    What was answered after the run was last scored is read and scored now.
    """
    manifest = read_manifest(folder)
    task, slash, sample = question.partition("/")
    if not slash:
        raise UsageError(f"name the question as TASK/SAMPLE, such as 1-1/0, not {question!r}")
    with said_in_manifest(folder):
        suite = get_suite(manifest.suite)
    if task not in suite.tasks:
        there_is = ", ".join(suite.tasks)
        raise UsageError(f"{suite.name} has no task {task!r}; there is: {there_is}")
    scored = [rules for rules in Rules if has_tables(folder, task, rules)]
    kept = ((rules, _kept(folder, task, rules, sample)) for rules in scored)
    story = {rules: reading for rules, reading in kept if reading is not None}
    if story:
        return story
    if manifest.address == IMPORTED:
        known = read_rows(folder, task, scored[0])["sample"].to_list() if scored else []
        raise _not_asked(folder, question, known)
    return _read_now(folder, manifest, question)


def _kept(folder: Path, task: str, rules: Rules, sample: str) -> Reading | None:
    rows = read_rows(folder, task, rules)
    rows = rows.filter(rows["sample"] == sample)
    if not len(rows):
        return None
    return Reading(
        ResponseRow(**rows.row(0, named=True)), read_metrics(folder, task, rules, sample)
    )


def _read_now(folder: Path, manifest: Manifest, question: str) -> Story:
    task_id, _, sample_id = question.partition("/")
    run = open_journal(folder)
    attempts = run.attempts(task_id) if task_id in run.tasks() else []
    asked = {attempt.sample.id: attempt for attempt in attempts}
    if sample_id not in asked:
        raise _not_asked(folder, question, list(asked))
    suite = get_suite(manifest.suite)
    task, data = suite.tasks[task_id], find_data(suite, manifest.data_source)[0].root
    origin = origin_of(folder, manifest)
    story: dict[Rules, Reading] = {}
    for rules in Rules:
        scored = score_attempt(task.rule_set(rules, data), asked[sample_id], accepted(folder))
        row = response_of(origin, task, rules, scored, whole_facets(task, scored.sample))
        story[rules] = Reading(row, scored.metrics)
    return story


def _not_asked(folder: Path, question: str, asked: Sequence[str]) -> UsageError:
    task = question.partition("/")[0]
    some = ", ".join(f"{task}/{sample}" for sample in asked[:5])
    return UsageError(
        f"{folder}: {question} has not been asked; "
        + (f"asked were, for instance: {some}" if some else f"nothing of {task} was")
    )
