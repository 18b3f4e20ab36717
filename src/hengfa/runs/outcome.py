"""What scoring leaves: figures for people and programs. Tables of it are in `runs/tables.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hengfa.engine.messages import Status
from hengfa.results.figures import TaskFigure
from hengfa.runs.folder import write_figures
from hengfa.runs.scale import Scale
from hengfa.suites.base import Rules, SavedRun, Suite


@dataclass(frozen=True, slots=True)
class Outcome:
    """The figures of one model in one setting under one set of rules.

    `effects` says, where both rule sets were asked for, how far each fix alone moves a task's
    official score.
    """

    suite: Suite
    saved: SavedRun
    rules: Rules
    tasks: Mapping[str, TaskFigure]
    scales: Mapping[str, Scale | None]
    effects: Mapping[str, Mapping[str, float]]

    @property
    def model(self) -> str:
        return self.saved.model

    @property
    def setting(self) -> str:
        return self.saved.setting

    def figures(self) -> dict[str, float]:
        """The suite's figures, such as levels and overall, from the task scores."""
        scores = {task: f.score for task, f in self.tasks.items() if f.score is not None}
        return self.suite.figures(scores)

    def further(self) -> dict[str, float]:
        """Those that need more than the scores, by names such as `success/1-hop`."""
        return self.suite.further(self.tasks) if self.suite.further is not None else {}

    def skill(self, task: str) -> float | None:
        """The task's score on the scale from floor (0) to ceiling (1)."""
        scale, score = self.scales.get(task), self.tasks[task].score
        return None if scale is None or score is None else scale.skill(score)

    def as_json(self) -> dict[str, Any]:
        """The outer shape that all suites share: model, setting, tasks, figures."""
        return {
            "model": self.model,
            "setting": self.setting,
            "rules": str(self.rules),
            "tasks": {task: self._task_json(task) for task in self.tasks},
            "figures": {**self.figures(), **_nested(self.further())},
        }

    def _task_json(self, task: str) -> dict[str, Any]:
        figure, scale = self.tasks[task], self.scales.get(task)
        return {
            "score": figure.score,
            "abstention": figure.abstention,
            "n": figure.n,
            "standard_error": figure.standard_error,
            "lenient": figure.lenient,
            "floor": scale and scale.floor,
            "ceiling": scale and scale.ceiling,
            "skill": self.skill(task),
            "metric": self.suite.tasks[task].metric,
            "more": dict(figure.more),
            "statuses": dict(figure.statuses),
            "answers": dict(figure.answers),
        } | ({"effects": dict(self.effects[task])} if task in self.effects else {})


def _nested(figures: Mapping[str, float]) -> dict[str, Any]:
    """`success/1-hop` below `success`; names without a slash stay where they are."""
    nested: dict[str, Any] = {}
    for name, value in figures.items():
        outer, slash, inner = name.partition("/")
        if slash:
            nested.setdefault(outer, {})[inner] = value
        else:
            nested[name] = value
    return nested


def outcomes_json(suite: Suite, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """One JSON document for any number of runs; with both rule sets, `rules` is per run."""
    rules = {outcome.rules for outcome in outcomes}
    return {
        "suite": suite.name,
        "rules": str(rules.pop()) if len(rules) == 1 else "both",
        "runs": [outcome.as_json() for outcome in outcomes],
    }


def save_figures(folder: Path, outcome: Outcome, accept: frozenset[Status]) -> None:
    """The figures of a run into its folder, with what was read as an answer."""
    document = {
        **outcome.as_json(),
        "figures": outcome.figures(),
        "further": outcome.further(),
        "samples": sum(figure.statuses.total() for figure in outcome.tasks.values()),
        "accept": sorted(accept),
    }
    write_figures(folder, outcome.rules, document)
