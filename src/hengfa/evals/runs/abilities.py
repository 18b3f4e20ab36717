"""Two figures of many models: from papers, from runs on this machine, or from both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from hengfa.base.errors import UsageError
from hengfa.base.statistics.correlation import Association, associate
from hengfa.evals.results.published.papers import published
from hengfa.evals.results.tables import Record, read_records
from hengfa.evals.runs.leaderboard import TOKENS, Entry, run_entries
from hengfa.evals.runs.sitting import Notify, quiet
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.builtin import NAMES
from hengfa.evals.suites.registry import get_suite


@dataclass(frozen=True, slots=True)
class Point:
    """One model in one setting with both figures; `model` is the same in all its settings."""

    model: str
    title: str
    setting: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Together:
    """The points and what they say of the two figures."""

    suite: str
    x: str
    y: str
    points: list[Point]
    association: Association

    def as_json(self) -> dict[str, Any]:
        return {
            "suite": self.suite,
            "x": self.x,
            "y": self.y,
            **self.association.as_json(),
            "points": msgspec.to_builtins(self.points),
        }


def correlate(
    suite: str,
    x: str,
    y: str,
    *,
    setting: str | None = None,
    with_published: bool = True,
    runs: Path | None = None,
    notify: Notify = quiet,
) -> Together:
    """How two figures or tasks of a suite go together across models.

    Runs count under the official rules, by which papers score; built-in models are no models.
    """
    values: list[tuple[str, str, str, dict[str, float]]] = []
    if with_published:
        values += [
            (row.model, _by(row.title, row.grader), row.setting, {**row.tasks, **row.figures})
            for row in published(suite, setting)
        ]
    if runs is not None:
        values += _of_runs(suite, runs, setting, notify)
    known = sorted({name for *_, figures in values for name in figures})
    for name in (x, y):
        if name not in known:
            there_is = ", ".join(known) or "nothing"
            raise UsageError(f"{suite} has no figure {name!r} here; there is: {there_is}")
    points = [
        Point(model, title, where, figures[x], figures[y])
        for model, title, where, figures in values
        if x in figures and y in figures
    ]
    association = associate(
        [point.model for point in points],
        [point.x for point in points],
        [point.y for point in points],
    )
    return Together(suite, x, y, points, association)


def _of_runs(
    name: str, runs: Path, setting: str | None, notify: Notify
) -> Iterator[tuple[str, str, str, dict[str, float]]]:
    suite = get_suite(name)
    for where in (setting,) if setting is not None else suite.settings:
        for entry in run_entries(suite, runs, where, Rules.OFFICIAL, notify):
            if entry.model not in NAMES:
                yield entry.model, _by(entry.title, entry.grader), where, _figures(entry)


def _by(title: str, grader: str) -> str:
    return f"{title} ({grader})" if grader else title


def _figures(entry: Entry) -> dict[str, float]:
    """Tasks, figures, and the tokens of all responses if they were counted."""
    figures = {**entry.tasks, **entry.figures}
    tokens = None if entry.folder is None else tokens_used(entry.folder)
    return figures if tokens is None else {**figures, TOKENS: tokens}


def tokens_used(folder: Path) -> float | None:
    """What was sent and written, each response once; None where something was not counted."""
    files = sorted((folder / Record.FOLDER).glob("*.parquet"))
    if not files:
        return None
    response, tokens = ["task", "sample", "repeat"], ["input_tokens", "output_tokens"]
    counted = read_records(files, [*response, *tokens]).unique(response).select(tokens)
    if counted.null_count().row(0) != (0, 0):
        return None
    return float(sum(counted.sum().row(0)))
