"""One task on the site: its samples, the scores of all runs, the responses of each.

A task is worked on alone, and of its texts only those of one run are in memory at a time. Of a task
with very many samples the texts of the first are written; figures are of all of them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from hengfa.base.data.jsonfile import cell_decoder
from hengfa.evals.report import MOST_SAMPLES
from hengfa.evals.report.site.boards import Board, Source
from hengfa.evals.report.site.model import (
    Part,
    Put,
    RulesReading,
    RunResponses,
    RunScores,
    TaskInfo,
    TaskSamples,
    TaskScores,
)
from hengfa.evals.report.words import Words
from hengfa.evals.results.figures import Recipe, TaskTable, kinds_in_order
from hengfa.evals.results.tables import read_records, read_rows, read_table, records_file
from hengfa.evals.suites.base import AnyTask, Rules

if TYPE_CHECKING:
    import polars as pl


MOST_KINDS = 400
"""A facet with more kinds, or with hardly two samples of each, names samples, not kinds."""
_TEXTS = ("response", "reasoning", "output_tokens", "extracted")
_USAGE = ("repeat", "input_tokens", "output_tokens", "seconds", "cost", "currency")
_VALUES = ("sample", "metric", "value")


@dataclass(slots=True)
class CellExtras:
    """What only the responses to a task tell: classes of mistakes, scores by kind, usage."""

    errors: dict[Rules, dict[str, int]] = field(default_factory=dict)
    parts: dict[Rules, dict[str, dict[str, Part]]] = field(default_factory=dict)
    input_tokens: float | None = None
    output_tokens: float | None = None
    seconds: float | None = None
    cost: float | None = None
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class TaskSummary:
    """What the site says of a task besides its texts; ``extras`` are by run number."""

    info: TaskInfo
    extras: dict[int, CellExtras]


def read_task(
    board: Board, task: AnyTask, number: int, put: Put | None = None, most: int = MOST_SAMPLES
) -> TaskSummary:
    """Read the tables of a board's task; with `put`, write its files under that number, with the
    texts of the first samples, at most so many."""
    sources = [source for source in board.sources if any(_readings(source, task.id))]
    samples = _all_samples(sources, task.id, most if put is not None else 0)
    kinds = samples.kinds()
    breakdowns = {name: of for name, of in kinds.items() if _is_breakdown(len(of), samples.number)}
    extras: dict[int, CellExtras] = {}
    scores: dict[str, RunScores] = {}
    for source in sources:
        readings = list(_readings(source, task.id))
        extras[source.number] = _extras(task, readings, breakdowns)
        if put is not None:
            texts = [SampleTexts(reading, samples) for reading in readings]
            scores[str(source.number)] = _scores(texts, task.metric)
            put(f"tasks/{number}/runs/{source.number}", _responses(texts))
    if put is not None:
        put(f"tasks/{number}/samples", _samples_file(samples, kinds))
        put(f"tasks/{number}/scores", TaskScores(scores))
    info = TaskInfo(
        number=number,
        suite=board.suite.name,
        setting=board.setting,
        id=task.id,
        title=Words(task.title, task.title_en),
        metric=task.metric,
        samples=samples.number,
        facets=kinds,
    )
    return TaskSummary(info, extras)


def _readings(source: Source, task: str) -> Iterator[TaskReading]:
    """What a run answered to a task, by each of the rules it was scored by; unread as yet."""
    for rules, run in source.figures.items():
        if task in run.tasks:
            yield TaskReading(source, task, rules)


def _all_samples(sources: Sequence[Source], task: str, most: int) -> Samples:
    """From the fullest run on, so that samples stand in the order of their data."""
    samples = Samples(most)

    def size(source: Source) -> int:
        return max(
            sum(run.tasks[task].statuses.values())
            for run in source.figures.values()
            if task in run.tasks
        )

    for source in sorted(sources, key=size, reverse=True):
        for reading in _readings(source, task):
            samples.add(reading)
    return samples


def _extras(
    task: AnyTask, readings: Sequence[TaskReading], breakdowns: Mapping[str, Sequence[str]]
) -> CellExtras:
    usage = readings[0].usage()
    extras = CellExtras(
        input_tokens=_total(usage["input_tokens"]),
        output_tokens=_total(usage["output_tokens"]),
        seconds=_total(usage["seconds"]),
        cost=_total(usage["cost"]),
        currency=next(iter(usage.filter(usage["repeat"] == 1)["currency"].drop_nulls()), None),
    )
    for reading in readings:
        rules = reading.rules
        extras.errors[rules] = reading.errors()
        extras.parts[rules] = (
            _parts(reading.table, task.recipe(rules), breakdowns) if breakdowns else {}
        )
    return extras


def _is_breakdown(kinds: int, samples: int) -> bool:
    """Whether figures by these kinds say anything."""
    return 1 < kinds <= MOST_KINDS and 2 * kinds <= samples


def _parts(
    table: TaskTable, recipe: Recipe, breakdowns: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, Part]]:
    """By facet and kind, in the order in which they are shown; what does not count is left out."""
    by_facet: dict[str, dict[str, Part]] = {}
    for facet, kinds in breakdowns.items():
        tables = table.by(facet)
        scores = {kind: tables[kind].score(recipe) for kind in kinds if kind in tables}
        by_facet[facet] = {
            kind: Part(score.value, score.n) for kind, score in scores.items() if score
        }
    return {facet: by_kind for facet, by_kind in by_facet.items() if by_kind}


def _scores(by_rules: Sequence[SampleTexts], metric: str) -> RunScores:
    size = len(by_rules[0].samples.ids)
    statuses: list[str | None] = [None] * size
    values: dict[str, list[float | None]] = {}
    answers: dict[str, list[str | None]] = {}
    for texts in by_rules:
        of_metric = values[texts.rules] = [None] * size
        of_answer = answers[texts.rules] = [None] * size
        said = (texts.rows[name].to_list() for name in ("status", "answer_status"))
        rows = zip(texts.places, texts.metrics, *said, strict=True)
        for place, metrics, status, answer in rows:
            of_metric[place] = metrics.get(metric)
            statuses[place] = status
            of_answer[place] = answer
    return RunScores(values=values, statuses=statuses, answers=answers)


def _responses(by_rules: Sequence[SampleTexts]) -> RunResponses:
    size = len(by_rules[0].samples.ids)
    made = RunResponses([""] * size, [""] * size, [None] * size, {})
    for texts in by_rules:
        reading = RulesReading([""] * size, [None] * size, [{} for _ in range(size)])
        made.readings[texts.rules] = reading
        said = (texts.rows[name].to_list() for name in _TEXTS)
        rows = zip(texts.places, *said, texts.traces(), texts.metrics, strict=True)
        for place, response, reasoning, tokens, extracted, trace, metrics in rows:
            made.responses[place] = response
            made.reasoning[place] = reasoning
            made.tokens[place] = tokens
            reading.extracted[place] = extracted
            reading.traces[place] = trace
            reading.metrics[place] = {
                name: value for name, value in metrics.items() if value is not None
            }
    return made


def _samples_file(samples: Samples, kinds: Mapping[str, Sequence[str]]) -> TaskSamples:
    facets: dict[str, list[int]] = {}
    for facet, of_facet in kinds.items():
        place = {kind: n for n, kind in enumerate(of_facet)}
        facets[facet] = [place[of[facet]] if facet in of else -1 for of in samples.facets]
    return TaskSamples(samples.ids, samples.prompts, samples.references, facets)


class Samples:
    """The samples of a task that any run was asked; the first of them, at most so many, have a
    place on the site, with their texts as first met.

    The same name with another reference is another sample: its data was another. Such a one gets a
    name of its own that stays the same, so that links to it stay right.
    """

    def __init__(self, most: int) -> None:
        self.ids: list[str] = []
        self.prompts: list[str] = []
        self.references: list[str] = []
        self.facets: list[dict[str, str]] = []
        self._most = most
        self._places: dict[tuple[str, str], int] = {}
        self._taken: set[str] = set()
        self._counts: dict[str, Counter[str]] = {}

    @property
    def number(self) -> int:
        return len(self._places)

    def add(self, reading: TaskReading) -> None:
        rows = reading.rows("sample", "reference", "facets")
        decode = cell_decoder(dict[str, str], "facets")
        kinds = {text: decode(text) if text else {} for text in rows["facets"].unique()}
        first = len(self.ids)
        for sample, reference, facets in rows.iter_rows():
            key = (sample, reference)
            if key in self._places:
                continue
            self._places[key] = self.number
            for facet, kind in kinds[facets].items():
                self._counts.setdefault(facet, Counter())[kind] += 1
            if len(self.ids) < self._most:
                self.ids.append(self._name(*key))
                self.references.append(reference)
                self.facets.append(kinds[facets])
        self.prompts += [""] * (len(self.ids) - first)
        if first < len(self.ids):
            for sample, reference, prompt in self.rows_of(reading, "prompt").iter_rows():
                place = self._places[sample, reference]
                if place >= first:
                    self.prompts[place] = prompt

    def rows_of(self, reading: TaskReading, *columns: str) -> pl.DataFrame:
        """The rows of what a run was asked that have a place, with sample and reference first."""
        import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

        names = ("sample", "reference", *columns)
        if self.number <= self._most:
            return reading.rows(*names)
        placed = [sample for (sample, _), place in self._places.items() if place < len(self.ids)]
        rows = reading.rows(*names, where=pl.col("sample").is_in(placed))
        return rows.filter(pl.Series(self.places(rows), dtype=pl.Int64) < len(self.ids))

    def places(self, rows: pl.DataFrame) -> list[int]:
        return [self._places[key] for key in rows.select("sample", "reference").iter_rows()]

    def kinds(self) -> dict[str, list[str]]:
        """The facets of the samples, each with its kinds: those that begin with a number in order
        of it, others by how many samples they have."""
        return {facet: kinds_in_order(kinds) for facet, kinds in self._counts.items()}

    def _name(self, sample: str, reference: str) -> str:
        mark = hashlib.sha256(reference.encode()).hexdigest()[:6]
        name = f"{sample}~{mark}" if sample in self._taken else sample
        self._taken.add(sample)
        return name


class _Mistake(msgspec.Struct, frozen=True):
    """What is counted of a trace."""

    error: Any = None


@dataclass(frozen=True)
class TaskReading:
    """What a run answered to a task, read by one set of rules; in the order it was asked.

    Of a sample that was asked several times the first response is shown; figures and costs are of
    all.
    """

    source: Source
    task: str
    rules: Rules

    def rows(self, *columns: str, where: pl.Expr | None = None) -> pl.DataFrame:
        """The first response to each sample."""
        import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

        first = pl.col("repeat") == 1
        chosen = first if where is None else first & where
        return read_rows(self.source.folder, self.task, self.rules, columns, chosen)

    def usage(self) -> pl.DataFrame:
        return read_rows(self.source.folder, self.task, self.rules, _USAGE)

    @cached_property
    def table(self) -> TaskTable:
        """What figures are made of, with the kinds of its samples."""
        return read_table(self.source.folder, self.task, self.rules, facets=True)

    def errors(self) -> dict[str, int]:
        """How often each class of mistake was made, the most frequent first."""
        decode = cell_decoder(_Mistake, "trace")
        errors = (decode(text).error for text in self.rows("trace")["trace"] if text)
        return dict(Counter(str(error) for error in errors if error).most_common())


@dataclass(frozen=True)
class SampleTexts:
    """The rows of a reading that have a place on the site, with their texts."""

    reading: TaskReading
    samples: Samples

    @property
    def rules(self) -> Rules:
        return self.reading.rules

    @cached_property
    def rows(self) -> pl.DataFrame:
        return self.samples.rows_of(self.reading, "status", "answer_status", "trace", *_TEXTS)

    @cached_property
    def places(self) -> list[int]:
        return self.samples.places(self.rows)

    def traces(self) -> list[dict[str, Any] | None]:
        """None where a trace says nothing; where an older version wrote none, likewise."""
        decode = cell_decoder(dict[str, Any], "trace")
        decoded = (decode(text) if text else {} for text in self.rows["trace"])
        return [trace if trace.keys() - {"kind"} else None for trace in decoded]

    @cached_property
    def metrics(self) -> list[dict[str, float | None]]:
        """The metrics of each sample that count, by name."""
        import polars as pl  # noqa: PLC0415 - keeps the command line quick to start

        by_sample: dict[str, dict[str, float | None]] = {
            sample: {} for sample in self.rows["sample"]
        }
        file = records_file(self.reading.source.folder, self.reading.task, self.rules)
        counted = pl.col("counted") & (pl.col("repeat") == 1)
        for sample, metric, value in read_records([file], _VALUES, counted).iter_rows():
            if sample in by_sample:
                by_sample[sample][metric] = value
        return list(by_sample.values())


def _total(column: pl.Series) -> float | None:
    known = column.drop_nulls()
    return float(known.to_numpy().sum()) if len(known) else None
