"""Scores far above what a model's other tasks predict.

For each model and task the score is predicted from the other tasks of that model, by the relation
that holds among all *other* models, and compared with the upper end of the prediction interval. The
model that is judged has no part in its own prediction.

Nobody is accused by this: a model may be good at one thing because it was built for it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hengfa.results.statistics.correlation import Numbers
from hengfa.results.statistics.quantiles import t_quantile

LEAST_MODELS, LEAST_TASKS = 8, 3
"""Below so many other models, or other tasks, nothing is predicted."""
FALSE_ALARMS = 0.05
"""How many flags a table may be expected to have if there is nothing in it."""

Scores = Mapping[str, Mapping[str, float]]
"""Model to task to score, as a fraction."""


@dataclass(frozen=True, slots=True)
class Unexpected:
    """One score beside its prediction; `limit` is the upper end of the interval, `t` the deviation
    in standard errors of prediction. What is above the limit is flagged."""

    model: str
    task: str
    score: float
    predicted: float
    limit: float
    t: float
    models: int
    """How many other models the prediction rests on."""

    @property
    def flagged(self) -> bool:
        return self.score > self.limit

    def as_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in (*self.__slots__, "flagged")}


def unexpected_scores(scores: Scores, of: Collection[str] | None = None) -> list[Unexpected]:
    """Every score that can be predicted, most surprising first; `of` limits whose are judged.

    The scale is the arcsine of the root, on which proportions of equal size of sample spread alike
    near 0 and near 1; without it strong models look surprising wherever most are at zero.
    """
    predictable = [
        (model, task, sample)
        for model in scores
        if of is None or model in of
        for task in scores[model]
        if (sample := _others(scores, model, task)) is not None
    ]
    found = [_judge(scores, *cell, len(predictable)) for cell in predictable]
    return sorted(found, key=lambda one: -one.t)


@dataclass(frozen=True, slots=True)
class _Sample:
    """The other models that have the task, and the tasks that all of them and the model have."""

    models: Sequence[str]
    tasks: Sequence[str]


def _others(scores: Scores, model: str, task: str) -> _Sample | None:
    tasks = [name for name in scores[model] if name != task]
    needed = {*tasks, task}
    models = [name for name in scores if name != model and needed <= scores[name].keys()]
    if len(tasks) < LEAST_TASKS or len(models) < LEAST_MODELS:
        return None
    return _Sample(models, tasks)


def _judge(scores: Scores, model: str, task: str, sample: _Sample, cells: int) -> Unexpected:
    """Regress the task on the mean of the standardised other tasks, over the other models."""
    own = _scaled([scores[model][name] for name in sample.tasks])
    table = np.array(
        [_scaled([scores[name][one] for one in sample.tasks]) for name in sample.models]
    )
    target = _scaled([scores[name][task] for name in sample.models])
    centre, spread = table.mean(axis=0), table.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    ability = ((table - centre) / spread).mean(axis=1)
    own_ability = float(((own - centre) / spread).mean())
    middle = float(ability.mean())
    squares = float(((ability - middle) ** 2).sum())
    slope = float((ability - middle) @ target) / squares if squares > 0 else 0.0
    n = len(target)
    predicted = float(target.mean()) + slope * (own_ability - middle)
    residuals = target - target.mean() - slope * (ability - middle)
    freedom = n - 2
    leverage = 1 / n + ((own_ability - middle) ** 2 / squares if squares > 0 else 0.0)
    error = max(float(np.sqrt(residuals @ residuals / freedom * (1 + leverage))), 1e-9)
    score = scores[model][task]
    t = (float(_scaled([score])[0]) - predicted) / error
    limit = predicted + t_quantile(1 - FALSE_ALARMS / cells, freedom) * error
    return Unexpected(
        model=model,
        task=task,
        score=score,
        predicted=_score(predicted),
        limit=_score(limit),
        t=t,
        models=n,
    )


def _scaled(values: Sequence[float]) -> Numbers:
    scaled: Numbers = np.arcsin(np.sqrt(np.clip(np.asarray(values, dtype=np.float64), 0.0, 1.0)))
    return scaled


def _score(scaled: float) -> float:
    """Back from the scale; what is beyond its ends is 0 or 1."""
    return float(np.sin(np.clip(scaled, 0.0, np.pi / 2)) ** 2)
