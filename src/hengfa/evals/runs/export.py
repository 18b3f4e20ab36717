"""A run for other people's tools."""

from __future__ import annotations

from pathlib import Path

from hengfa.base.errors import MissingExtra, UsageError
from hengfa.evals.runs.folder import (
    has_tables,
    read_figures,
    read_manifest,
    read_rows,
    read_table,
    run_of,
    said_in_manifest,
)
from hengfa.evals.runs.sent import agents_told
from hengfa.evals.suites.registry import get_suite


def export_inspect_log(folder: Path, file: Path) -> None:
    """Write a scored run as an Inspect log, from its tables, under every rule set it has; what its
    agents did, where that can be told, from the journal."""
    try:
        from hengfa.evals.bridge.inspect_log import LoggedRun, LoggedTask, write_log  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("inspect", "hengfa export eval") from error
    manifest = read_manifest(folder)
    with said_in_manifest(folder):
        suite = get_suite(manifest.suite)
    tasks = [
        LoggedTask(
            task, rules, read_rows(folder, task.id, rules), read_table(folder, task.id, rules)
        )
        for rules in read_figures(folder)
        for task in suite.tasks.values()
        if has_tables(folder, task.id, rules)
    ]
    if not tasks:
        raise UsageError(f"{folder} is not scored yet: hengfa score {suite.name} {folder}")
    write_log(
        LoggedRun(
            name=run_of(folder).name,
            suite=suite,
            setting=manifest.setting,
            model=manifest.model,
            options=manifest.options,
            created=manifest.created,
            data=manifest.data,
            tasks=tasks,
            told=agents_told(folder),
            grader=next((figures.grader for figures in read_figures(folder).values()), ""),
        ),
        file,
    )
