"""A run for other people's tools."""

from __future__ import annotations

from pathlib import Path

from hengfa.errors import MissingExtra
from hengfa.runs.cells import score_task
from hengfa.runs.folder import read_manifest
from hengfa.runs.outcome import accepted
from hengfa.runs.score import answered_by_task
from hengfa.suites.base import Rules
from hengfa.suites.plan import find_data
from hengfa.suites.scoring import Scored, TaskFigure


def export_inspect_log(folder: Path, file: Path) -> None:
    """Write the run as an Inspect log, scored under both rule sets."""
    try:
        from hengfa.bridge.inspect_log import LoggedRun, write_log  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingExtra("inspect", "hengfa export eval") from error
    manifest = read_manifest(folder)
    suite, answered = answered_by_task(folder, manifest)
    data = find_data(suite, manifest.data_source)[0].root
    scored: dict[Rules, dict[str, list[Scored]]] = {rules: {} for rules in Rules}
    figures: dict[Rules, dict[str, TaskFigure]] = {rules: {} for rules in Rules}
    for task_id, pairs in answered.items():
        for rules in Rules:
            task = suite.tasks[task_id]
            figures[rules][task_id], scored[rules][task_id] = score_task(
                task, task.rule_set(rules, data), pairs, accepted(folder)
            )
    run = LoggedRun(
        name=folder.name,
        suite=suite,
        setting=manifest.setting,
        model=manifest.model,
        options=manifest.options,
        created=manifest.created,
        data=manifest.data,
        scored=scored,
        figures=figures,
    )
    write_log(run, file)
