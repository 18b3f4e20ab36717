"""Figures from records: the one place where the values of samples become the figures of a task.

`hengfa eval` and `score` make a :class:`TaskTable` of what they have just scored; `results`,
`compare`, break-downs and the report read the same table from a run's files. Whatever is shown of a
task (its score, its band, other metrics, a figure of some kind of samples, an interval) is made of
such a table and of a :class:`Recipe` by the functions below.

Every figure is a function of sums over the samples, so it can be drawn again for an interval
without looking at the samples again (`statistics.intervals`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import msgspec
import numpy as np

from hengfa.base.statistics.evidence import (
    SHARE,
    Array,
    Evidence,
    Mean,
    Whole,
    evidence_of,
    left_to_right,
    mean,
    numbered,
    of_sums,
    sums_by_cluster,
)
from hengfa.base.statistics.intervals import DRAWS, SEED, Estimate, Sampled, drawn_sums, estimate

ABSTAINED: Final = "abstained"
"""A metric that says whether a sample counts as abstained, for rules that do not go by the answer's
status alone; None leaves the sample out of the abstention rate too."""

GRADING: Final = "grading."
"""What the metrics begin with that hold a task's score in each of several identical gradings:
`grading.1`, `grading.2`. Like the two below they are for the analysis of graders, no figures."""
FLIPPED, COMPARED = "flipped_items", "compared_items"
"""How many items of a rubric have other points in another of these gradings, of how many."""

_SLACK: Final = 1e-9
"""Points that are less than this apart are the same."""

# A number at the beginning. Matches "2015–2019" and "3 or more"; not "第三条".
_NUMBER: Final = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Pooled:
    """A figure made of sums over all samples, such as a corpus-level F, not of a mean.

    `figure` takes the sums of the metrics named in `parts`, in that order; the task's score, not
    its standard error, is rounded to `digits`, if any.
    """

    parts: tuple[str, ...]
    figure: Callable[..., float]
    digits: int | None = None

    def of(self, sums: Iterable[float]) -> float:
        """The figure of these sums."""
        value = self.figure(*sums)
        return value if self.digits is None else round(value, self.digits)


@dataclass(frozen=True)
class Aspect:
    """A part that answers have, such as a section of a document: the metrics that sum to its
    points, and to what could be earned. An answer of which nothing could be earned has no such
    part."""

    points: tuple[str, ...]
    maximum: tuple[str, ...]

    @property
    def rate(self) -> Pooled:
        """Points out of points."""
        return Pooled((*self.points, *self.maximum), self._share)

    def _share(self, *sums: float) -> float:
        whole = left_to_right(sums[len(self.points) :])
        return left_to_right(sums[: len(self.points)]) / whole if whole else 0.0


class Band(msgspec.Struct, frozen=True):
    """What a figure lies between of which a share is `ungraded`: with that as nothing, as full.

    It stands where the number would, so that nobody takes what a grader left open for a score.
    """

    low: float
    high: float
    ungraded: float

    def __str__(self) -> str:
        """As everything prints it, in per cent: `0.00–100.00, 100.0 % ungraded`."""
        return f"{self.ends}, {self.share}"

    @property
    def ends(self) -> str:
        """`0.00–100.00`."""
        return "–".join(f"{round(end * 100, 2) + 0.0:.2f}" for end in (self.low, self.high))

    @property
    def share(self) -> str:
        """`12.5 % ungraded`; what is little is not nothing."""
        return f"{max(0.1, self.ungraded * 100):.1f} % ungraded"


@dataclass(frozen=True)
class Graded:
    """What graders may leave open of a task: how many parts of how many, and what the score is
    with these as nothing and as full, where it is made of them.

    `labels` are the metrics that have no value in answers where their own label is missing.
    """

    ungraded: Pooled
    least: Pooled | None = None
    most: Pooled | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recipe:
    """How the figures of a task are made of its metrics.

    `metric` is the one that people quote: its mean, or the `pooled` figure of sums. `more` are
    further figures of sums, by name. Of a task with `graded` parts, nothing is a figure while it
    rests on one that a grader left open.
    """

    metric: str
    pooled: Pooled | None = None
    more: Mapping[str, Pooled] = field(default_factory=dict)
    graded: Graded | None = None

    @cached_property
    def summands(self) -> tuple[str, ...]:
        """The metrics that are parts of sums: what is shown of them is a sum, not a mean."""
        of = self.graded
        open_ = (of.ungraded, of.least, of.most) if of is not None else ()
        pools = (self.pooled, *self.more.values(), *open_)
        return tuple(sorted({part for pool in pools if pool is not None for part in pool.parts}))


class TaskFigures(msgspec.Struct, frozen=True):
    """A task's score with what stands behind it (docs/decisions/0003-statuses-and-figures.md): what
    is printed, kept in a run's folder and given to Python.

    `score` is strict: what is no answer earns nothing. `lenient` leaves it out. The two differ only
    if there were refused, filtered, truncated, empty or failed responses, counted in `statuses`.
    Where the rule counted no sample at all there is no score. Where a grader left something open
    that the score is made of, there is a `band` in its place, and no other metric; `ungraded` is
    the share of all that there was to grade. `n` are the samples that the score counts. `floor` and
    `ceiling` are the scores of the built-in models on them, and `skill` is where the score is
    between these. `more` holds the task's other metrics: means, or sums where the figure is made of
    them. `effects` says, where both rule sets were asked for, how far each fix alone moves the
    official score.
    """

    score: float | None
    band: Band | None = None
    ungraded: float = 0.0
    abstention: float = 0.0
    n: int = 0
    standard_error: float | None = None
    lenient: float | None = None
    floor: float | None = None
    ceiling: float | None = None
    skill: float | None = None
    metric: str = ""
    more: dict[str, float] = {}
    statuses: dict[str, int] = {}
    answers: dict[str, int] = {}
    effects: dict[str, float] | None = None

    def as_json(self) -> dict[str, Any]:
        """As `--json` and the files of a run have it; what most tasks lack is left out there."""
        fields = msgspec.structs.asdict(self)
        for name, nothing in (("band", None), ("ungraded", 0.0), ("effects", None)):
            if fields[name] == nothing:
                del fields[name]
        return fields


@dataclass(frozen=True)
class TaskTable:
    """What one run scored in one task: a row for each response, a column for each metric.

    Columns hold what counts for the strict figure, NaN where the rules leave a sample out.
    `answers` is None where the response is no answer; `facets` are the kinds of each sample;
    `repeats` counts from 1 the responses to a sample that was asked more than once. Every figure is
    one of samples: what several responses to one of them come to is their mean.
    """

    samples: tuple[str, ...]
    clusters: tuple[str | None, ...]
    statuses: tuple[str, ...]
    answers: tuple[str | None, ...]
    columns: Mapping[str, Array]
    facets: tuple[Mapping[str, str], ...] = ()
    repeats: tuple[int, ...] = ()

    @property
    def by_sample(self) -> TaskTable:
        """One row for each sample, with the mean of its responses; itself if each has one.

        Statuses, answers and facets are those of its first response.
        """
        return self._means_by_sample or self

    @cached_property
    def _means_by_sample(self) -> TaskTable | None:
        """None if each sample has one response: a table that held itself would not go when it is
        no longer needed."""
        first: dict[str, int] = {}
        for row, sample in enumerate(self.samples):
            first.setdefault(sample, row)
        if len(first) == len(self.samples):
            return None
        number = {sample: place for place, sample in enumerate(first)}
        places = np.array([number[sample] for sample in self.samples])
        return replace(
            self.only(list(first.values())),
            columns={name: _means(column, places) for name, column in self.columns.items()},
            repeats=(),
        )

    def tries(self, metric: str) -> dict[str, list[float]]:
        """What each response to a sample counts, in their order; without those left out."""
        values: dict[str, list[float]] = {}
        for sample, value in zip(self.samples, self.columns[metric].tolist(), strict=True):
            if not np.isnan(value):
                values.setdefault(sample, []).append(value)
        return values

    def only(self, rows: Sequence[int]) -> TaskTable:
        """Some of the rows, in this order."""
        chosen = np.array(rows, dtype=np.int64)
        return TaskTable(
            tuple(self.samples[row] for row in rows),
            tuple(self.clusters[row] for row in rows),
            tuple(self.statuses[row] for row in rows),
            tuple(self.answers[row] for row in rows),
            {name: column[chosen] for name, column in self.columns.items()},
            tuple(self.facets[row] for row in rows) if self.facets else (),
            tuple(self.repeats[row] for row in rows) if self.repeats else (),
        )

    def by(self, facet: str) -> dict[str, TaskTable]:
        """The table taken apart by the kinds of a facet.

        A kind that is one cluster, such as a law, has its samples for clusters: what is asked is
        then what other samples of this law would give, not what other laws would.
        """
        rows: dict[str, list[int]] = {}
        for row, kinds in enumerate(self.facets):
            if facet in kinds:
                rows.setdefault(kinds[facet], []).append(row)
        order = kinds_in_order({kind: len(members) for kind, members in rows.items()})
        tables = {kind: self.only(rows[kind]) for kind in order}
        return {
            kind: replace(table, clusters=(None,) * len(table.samples))
            if len(set(table.clusters)) == 1
            else table
            for kind, table in tables.items()
        }

    def having(self, aspect: Aspect) -> TaskTable:
        """Without the answers of which nothing could be earned for this part."""
        maximum = np.sum([self._part(name) for name in aspect.maximum], axis=0)
        return self.only(np.flatnonzero(maximum > 0).tolist())

    def answers_only(self) -> TaskTable:
        """Without the responses that are no answers."""
        return self.only([row for row, answer in enumerate(self.answers) if answer is not None])

    def answering(self) -> TaskTable:
        """Without those that are none, and without those that count as abstained."""
        abstained = np.nan_to_num(self._abstention(), nan=0.0)
        rows = [
            row
            for row, answer in enumerate(self.answers)
            if answer is not None and not abstained[row]
        ]
        return self.only(rows)

    def figure(self, recipe: Recipe) -> TaskFigures:
        """The figures of the task."""
        strict = self.score(recipe)
        lenient = strict if None not in self.answers else self.answers_only().score(recipe)
        abstention = self._abstention()
        abstained = mean(abstention[~np.isnan(abstention)].tolist())
        band = self.band(recipe)
        return TaskFigures(
            score=strict.value if strict else None,
            band=band,
            ungraded=self._of_sums(recipe.graded.ungraded) if recipe.graded else 0.0,
            abstention=abstained.value if abstained else 0.0,
            n=strict.n if strict else 0,
            standard_error=strict.standard_error if strict else None,
            lenient=lenient.value if lenient else None,
            metric=recipe.metric,
            more={} if band else self._more(recipe, strict.n if strict else 0),
            statuses=dict(Counter(self.statuses)),
            answers=dict(Counter(answer for answer in self.answers if answer is not None)),
        )

    def band(self, recipe: Recipe) -> Band | None:
        """What the score lies between where graders left something of it open; else None."""
        graded = recipe.graded
        if graded is None or graded.least is None or graded.most is None:
            return None
        low, high = (self._part(pool.parts[0]) for pool in (graded.least, graded.most))
        if not np.any(high - low > _SLACK):
            return None
        pools = (graded.least, graded.most, graded.ungraded)
        return Band(*map(self.by_sample._of_sums, pools))

    def _of_sums(self, pool: Pooled) -> float:
        return pool.of(left_to_right(self._part(part).tolist()) for part in pool.parts)

    def _lacking(self, recipe: Recipe) -> list[str]:
        """The metrics of labels that some answers have and others lack."""
        names = recipe.graded.labels if recipe.graded else ()
        answered = [row for row, answer in enumerate(self.answers) if answer is not None]
        columns = {name: self.columns[name][answered] for name in names if name in self.columns}
        return [name for name, column in columns.items() if len({*np.isnan(column).tolist()}) > 1]

    def score(self, recipe: Recipe) -> Mean | None:
        """The strict score alone; None where no sample counts, or a grader left some of it open."""
        if self.by_sample is not self:
            return self.by_sample.score(recipe)
        column = self.columns.get(recipe.metric)
        if column is None or self.band(recipe) is not None:
            return None
        counted = np.flatnonzero(~np.isnan(column))
        if recipe.pooled is None:
            return mean(column[counted].tolist())
        parts = [self._part(name)[counted].tolist() for name in recipe.pooled.parts]
        pooled = of_sums(list(zip(*parts, strict=True)), recipe.pooled.figure)
        if pooled is None or recipe.pooled.digits is None:
            return pooled
        return pooled._replace(value=round(pooled.value, recipe.pooled.digits))

    def evidence(self, recipe: Recipe, figure: str | None = None) -> Evidence | None:
        """What stands behind the score, or another figure by its name, sample by sample.

        None where no sample counts, or a grader left some of it open.
        """
        if self.band(recipe) is not None or figure in self._lacking(recipe):
            return None
        if self.by_sample is not self:
            return self.by_sample.evidence(recipe, figure)
        metric, pooled = recipe.metric, recipe.pooled
        if figure is not None and figure != metric:
            pooled = recipe.more.get(figure)
            metric = figure if pooled is None else metric
        column = self.columns.get(metric)
        rows = [] if column is None else np.flatnonzero(~np.isnan(column)).tolist()
        if column is None or not rows:
            return None
        values = column[rows]
        evidence = evidence_of(
            [self.samples[row] for row in rows],
            values,
            [self.clusters[row] for row in rows],
            bounds=SHARE if values.min() >= 0 and values.max() <= 1 else None,
        )
        if pooled is None:
            return evidence
        parts = np.stack([self._part(name)[rows] for name in pooled.parts], axis=1)
        return replace(evidence, parts=parts, figure=pooled.figure, digits=pooled.digits)

    def drawn(
        self, recipe: Recipe, task: str, *, seed: int = SEED, draws: int = DRAWS
    ) -> DrawnTask:
        """All figures of the task as they are, and in each draw of its clusters."""
        table = self.by_sample
        sums = _Sums(table, recipe, self._lacking(recipe))
        counted = int((~np.isnan(table.columns[recipe.metric])).sum())
        by_cluster = sums_by_cluster(numbered(table.samples, table.clusters), sums.columns)
        rows = drawn_sums(by_cluster, task, seed=seed, draws=draws)
        return DrawnTask(
            sums.figure(sums.whole(), counted), sums, rows, counted, by_cluster.shape[0]
        )

    def _more(self, recipe: Recipe, n: int) -> dict[str, float]:
        """What the task has besides its score; most tasks have nothing."""
        if not recipe.more and self.columns.keys() <= {recipe.metric, ABSTAINED}:
            return {}
        sums = _Sums(self.by_sample, recipe, self._lacking(recipe))
        return sums.figure(sums.whole(), n).more

    def _abstention(self) -> Array:
        if ABSTAINED in self.columns:
            return self.columns[ABSTAINED]
        return np.array([float(answer == ABSTAINED) for answer in self.answers])

    def _part(self, name: str) -> Array:
        """What a sample adds to a sum: nothing where it has no value."""
        nothing = np.zeros(len(self.samples))
        return np.nan_to_num(self.columns.get(name, nothing), nan=0.0)


def kinds_in_order(sizes: Mapping[str, int]) -> list[str]:
    """Kinds that all begin with a number in order of it, others by how many samples they have."""
    numbers = {kind: int(number[0]) for kind in sizes if (number := _NUMBER.match(kind))}
    if len(numbers) == len(sizes):
        return sorted(sizes, key=lambda kind: (numbers[kind], kind))
    return sorted(sizes, key=lambda kind: (-sizes[kind], kind))


def _means(column: Array, places: Whole) -> Array:
    """The mean of the values at each place, from 0 without gaps; NaN where there is none."""
    known = ~np.isnan(column)
    sums = np.bincount(places, np.where(known, column, 0.0))
    numbers = np.bincount(places, known)
    nothing: Array = np.full(len(sums), np.nan)
    np.divide(sums, numbers, out=nothing, where=numbers > 0)
    return nothing


class _Sums:
    """Which sums the figures of a task are made of, and how."""

    def __init__(self, table: TaskTable, recipe: Recipe, lacking: Sequence[str]) -> None:
        self._recipe = recipe
        nothing = np.full(len(table.samples), np.nan)
        counted = ~np.isnan(table.columns.get(recipe.metric, nothing))
        self.columns: list[Array] = []
        self._place: dict[tuple[str, str], int] = {}
        for name, column in table.columns.items():
            self._add("sum", name, np.nan_to_num(column, nan=0.0))
            self._add("number", name, (~np.isnan(column)).astype(np.float64))
        for part in recipe.summands:
            column = table.columns.get(part, nothing)
            self._add("part", part, np.where(counted, np.nan_to_num(column, nan=0.0), 0.0))
        self._names = [
            name
            for name in table.columns
            if name not in (recipe.metric, ABSTAINED, FLIPPED, COMPARED, *lacking)
            and not name.startswith(GRADING)
        ]

    def _add(self, kind: str, name: str, column: Array) -> None:
        self._place[kind, name] = len(self.columns)
        self.columns.append(column)

    def whole(self) -> list[float]:
        """The sums over all samples, added in their order as the published evaluators do."""
        return [left_to_right(column.tolist()) for column in self.columns]

    def figure(self, sums: Sequence[float], n: int) -> TaskFigures:
        """The task's score and other figures from sums, of all samples or of a draw."""
        pools = self._recipe.more.items() if n else ()
        more = {name: self._of_pool(pool, sums) for name, pool in pools}
        for name in self._names:
            total, number = (sums[self._place[kind, name]] for kind in ("sum", "number"))
            if name in self._recipe.summands:
                more[name] = total
            elif number:
                more[name] = total / number
        return TaskFigures(self._score(sums) if n else None, n=n, more=more)

    def in_draws(self, name: str, draws: Array) -> Array:
        """One of the other figures in each draw (row) in which it is defined."""
        if (pool := self._recipe.more.get(name)) is not None:
            return np.array([self._of_pool(pool, row) for row in draws.tolist()])
        total, number = (draws[:, self._place[kind, name]] for kind in ("sum", "number"))
        if name in self._recipe.summands:
            return total
        known = number > 0
        means: Array = total[known] / number[known]
        return means

    def _score(self, sums: Sequence[float]) -> float | None:
        if self._recipe.pooled is not None:
            return self._of_pool(self._recipe.pooled, sums)
        total, number = (sums[self._place[kind, self._recipe.metric]] for kind in ("sum", "number"))
        return total / number if number else None

    def _of_pool(self, pool: Pooled, sums: Sequence[float]) -> float:
        return pool.of(sums[self._place["part", part]] for part in pool.parts)


@dataclass(frozen=True)
class DrawnTask:
    """All figures of a task as they are, and the sums that make them in each draw."""

    figure: TaskFigures
    sums: _Sums
    drawn: Array
    counted: int
    clusters: int

    @property
    def draws(self) -> Iterator[TaskFigures]:
        """All figures in each draw, made as they are asked for."""
        return (self.sums.figure(row, self.counted) for row in self.drawn.tolist())

    def more(self) -> dict[str, Estimate]:
        """What the task has besides its score, with intervals."""
        return {
            name: drawn_estimate(value, self.sums.in_draws(name, self.drawn), [self])
            for name, value in self.figure.more.items()
        }


def drawn_estimate(value: float, draws: Array, behind: Sequence[DrawnTask]) -> Estimate:
    """A figure that may need more than one task, with its interval.

    From the draws in which the figure is defined; it is a score if none of them is beyond 1.
    """
    known = draws if len(draws) else np.array([value])
    is_share = min(value, known.min()) >= 0 and max(value, known.max()) <= 1
    return estimate(
        Sampled(
            value,
            known,
            known,
            freedom=max(1.0, sum(task.clusters - 1.0 for task in behind)),
            samples=sum(task.figure.n for task in behind),
            clusters=sum(task.clusters for task in behind),
            bounds=SHARE if is_share else None,
        )
    )
