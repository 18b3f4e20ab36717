"""One task on the site: its samples, the scores of all runs, the responses of each.

A task is worked on alone, and of its texts only those of one run are in memory at a time.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hengfa.data.jsonfile import cell_decoder
from hengfa.report.site.files import Packer
from hengfa.report.site.gather import Board, Source
from hengfa.report.site.model import (
    Part,
    Reading,
    RunResponses,
    RunScores,
    TaskInfo,
    TaskSamples,
    TaskScores,
    Words,
)
from hengfa.results.figures import Recipe, TaskTable, kinds_in_order
from hengfa.results.tables import read_records
from hengfa.runs.folder import read_rows, read_table, records_file
from hengfa.suites.base import AnyTask, Rules

if TYPE_CHECKING:
    import polars as pl


# A number at the beginning. Matches "2015–2019" and "3 or more"; not "第三条".
MOST_KINDS = 400
"""A facet with more kinds, or with hardly two samples of each, names samples, not kinds."""
_NUMBER = re.compile(r"[0-9]{1,9}")
_TEXTS = ("response", "reasoning", "output_tokens", "extracted")


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
    board: Board, task: AnyTask, number: int, packer: Packer | None = None
) -> TaskSummary:
    """Read the tables of a board's task; with a packer, write its files under that number."""
    sources = [source for source in board.sources if any(_readings(source, task.id))]
    samples = _all_samples(sources, task.id)
    kinds = samples.kinds()
    shown = {name: of for name, of in kinds.items() if _is_breakdown(len(of), len(samples.ids))}
    extras: dict[int, CellExtras] = {}
    scores: dict[str, RunScores] = {}
    for source in sources:
        readings = list(_readings(source, task.id))
        extras[source.number] = _extras(task, readings, shown)
        if packer is not None:
            scores[str(source.number)] = _scores(readings, samples, task.metric)
            packer.put(f"tasks/{number}/runs/{source.number}", _responses(readings, samples))
    if packer is not None:
        packer.put(f"tasks/{number}/samples", _samples_file(samples, kinds))
        packer.put(f"tasks/{number}/scores", TaskScores(scores))
    info = TaskInfo(
        number=number,
        suite=board.suite.name,
        setting=board.setting,
        id=task.id,
        title=Words(task.title, task.title_en),
        metric=task.metric,
        samples=len(samples.ids),
        facets=kinds,
    )
    return TaskSummary(info, extras)


def _readings(source: Source, task: str) -> Iterator[Answered]:
    """What a run answered to a task, by each of the rules it was scored by; unread as yet."""
    for rules, run in source.figures.items():
        if task in run.tasks:
            yield Answered(source, task, rules)


def _all_samples(sources: Sequence[Source], task: str) -> Samples:
    """From the fullest run on, so that samples stand in the order of their data."""
    samples = Samples()

    def asked(source: Source) -> int:
        return max(
            sum(run.tasks[task].statuses.values())
            for run in source.figures.values()
            if task in run.tasks
        )

    for source in sorted(sources, key=asked, reverse=True):
        for answered in _readings(source, task):
            samples.add(answered)
    return samples


def _extras(
    task: AnyTask, readings: Sequence[Answered], shown: Mapping[str, Sequence[str]]
) -> CellExtras:
    first = readings[0]
    extras = CellExtras(
        input_tokens=first.total("input_tokens"),
        output_tokens=first.total("output_tokens"),
        seconds=first.total("seconds"),
        cost=first.total("cost"),
        currency=first.currency(),
    )
    for answered in readings:
        rules = answered.rules
        extras.errors[rules] = answered.errors()
        extras.parts[rules] = _parts(answered.table, task.recipe(rules), shown) if shown else {}
    return extras


def _is_breakdown(kinds: int, samples: int) -> bool:
    """Whether figures by these kinds say anything."""
    return 1 < kinds <= MOST_KINDS and 2 * kinds <= samples


def _parts(
    table: TaskTable, recipe: Recipe, shown: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, Part]]:
    """By facet and kind, in the order in which they are shown; what does not count is left out."""
    by_facet: dict[str, dict[str, Part]] = {}
    for facet, kinds in shown.items():
        tables = table.by(facet)
        scores = {kind: tables[kind].score(recipe) for kind in kinds if kind in tables}
        by_facet[facet] = {
            kind: Part(score.value, score.n) for kind, score in scores.items() if score
        }
    return {facet: by_kind for facet, by_kind in by_facet.items() if by_kind}


def _scores(readings: Sequence[Answered], samples: Samples, metric: str) -> RunScores:
    size = len(samples.ids)
    statuses: list[str | None] = [None] * size
    values: dict[str, list[float | None]] = {}
    answers: dict[str, list[str | None]] = {}
    for answered in readings:
        of_metric = values[answered.rules] = [None] * size
        of_answer = answers[answered.rules] = [None] * size
        rows = zip(
            samples.places(answered),
            answered.counted,
            answered.responses["status"].to_list(),
            answered.responses["answer_status"].to_list(),
            strict=True,
        )
        for place, counted, status, answer in rows:
            of_metric[place] = counted.get(metric)
            statuses[place] = status
            of_answer[place] = answer
    return RunScores(values=values, statuses=statuses, answers=answers)


def _responses(readings: Sequence[Answered], samples: Samples) -> RunResponses:
    size = len(samples.ids)
    made = RunResponses([""] * size, [""] * size, [None] * size, {})
    for answered in readings:
        reading = Reading([""] * size, [None] * size, [{} for _ in range(size)])
        made.readings[answered.rules] = reading
        rows = zip(
            samples.places(answered),
            *(answered.responses[name].to_list() for name in _TEXTS),
            answered.traces,
            answered.metrics(),
            strict=True,
        )
        for place, response, reasoning, tokens, extracted, trace, metrics in rows:
            made.responses[place] = response
            made.reasoning[place] = reasoning
            made.tokens[place] = tokens
            reading.extracted[place] = extracted
            reading.traces[place] = trace
            reading.metrics[place] = metrics
    return made


def _samples_file(samples: Samples, kinds: Mapping[str, Sequence[str]]) -> TaskSamples:
    places = {
        facet: {kind: n for n, kind in enumerate(of_facet)} for facet, of_facet in kinds.items()
    }
    return TaskSamples(
        ids=samples.ids,
        prompts=samples.prompts,
        references=samples.references,
        facets={
            facet: [of[sample[facet]] if facet in sample else -1 for sample in samples.facets]
            for facet, of in places.items()
        },
    )


class Samples:
    """The samples of a task that any run was asked, with their texts as first met.

    The same name with another reference is another sample: its data was another. Such a one gets a
    name of its own that stays the same, so that links to it stay right.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.prompts: list[str] = []
        self.references: list[str] = []
        self.facets: list[dict[str, str]] = []
        self._places: dict[tuple[str, str], int] = {}
        self._taken: set[str] = set()

    def add(self, answered: Answered) -> None:
        responses = answered.responses
        references = responses["reference"].to_list()
        keys = list(zip(answered.samples, references, strict=True))
        for row, key in enumerate(keys):
            if key in self._places:
                continue
            self._places[key] = len(self.ids)
            self.ids.append(self._name(*key))
            self.prompts.append(responses["prompt"][row])
            self.references.append(key[1])
            self.facets.append(answered.facets[row])

    def places(self, answered: Answered) -> list[int]:
        """Where the samples of a run stand."""
        references = answered.responses["reference"].to_list()
        return [self._places[key] for key in zip(answered.samples, references, strict=True)]

    def kinds(self) -> dict[str, list[str]]:
        """The facets of the samples, each with its kinds: those that begin with a number in order
        of it, others by how many samples they have."""
        counts: dict[str, Counter[str]] = {}
        for sample in self.facets:
            for facet, kind in sample.items():
                counts.setdefault(facet, Counter())[kind] += 1
        return {facet: kinds_in_order(kinds) for facet, kinds in counts.items()}

    def _name(self, sample: str, reference: str) -> str:
        mark = hashlib.sha256(reference.encode()).hexdigest()[:6]
        name = f"{sample}~{mark}" if sample in self._taken else sample
        self._taken.add(sample)
        return name


@dataclass(frozen=True)
class Answered:
    """What a run answered to a task, read by one set of rules; in the order it was asked.

    Of a sample that was asked several times the first response is shown; figures and costs are of
    all.
    """

    source: Source
    task: str
    rules: Rules

    @cached_property
    def every(self) -> pl.DataFrame:
        return read_rows(self.source.folder, self.task, self.rules)

    @cached_property
    def responses(self) -> pl.DataFrame:
        return self.every.filter(self.every["repeat"] == 1)

    @cached_property
    def table(self) -> TaskTable:
        """What figures are made of, with the kinds of its samples."""
        return read_table(self.source.folder, self.task, self.rules, facets=True)

    @cached_property
    def samples(self) -> list[str]:
        return self.responses["sample"].to_list()

    @cached_property
    def facets(self) -> list[dict[str, str]]:
        return self._objects("facets")

    @cached_property
    def traces(self) -> list[dict[str, Any] | None]:
        """None where a trace says nothing."""
        decoded = self._objects("trace")
        return [trace if trace.keys() - {"kind"} else None for trace in decoded]

    def _objects(self, column: str) -> list[dict[str, Any]]:
        """The JSON objects of a column; empty ones where an older version wrote none."""
        decode = cell_decoder(dict[str, Any], column)
        return [decode(text) if text else {} for text in self.responses[column].to_list()]

    def errors(self) -> dict[str, int]:
        """How often each class of mistake was made, the most frequent first."""
        counted = Counter(
            str(trace["error"]) for trace in self.traces if trace and trace.get("error")
        )
        return dict(counted.most_common())

    @cached_property
    def counted(self) -> list[dict[str, float | None]]:
        """The metrics of each sample that count, by name."""
        records = read_records([records_file(self.source.folder, self.task, self.rules)])
        records = records.filter(records["repeat"] == 1)
        by_sample: dict[str, dict[str, float | None]] = {sample: {} for sample in self.samples}
        columns = (records[name].to_list() for name in ("sample", "metric", "value", "counted"))
        for sample, metric, value, is_counted in zip(*columns, strict=True):
            if is_counted and sample in by_sample:
                by_sample[sample][metric] = value
        return list(by_sample.values())

    def metrics(self) -> list[dict[str, float]]:
        """The metrics of each sample that is an answer, by name."""
        return [_known(counted) for counted in self.counted]

    def total(self, column: str) -> float | None:
        """The sum of a column; None where nothing is known."""
        known = self.every[column].drop_nulls()
        return float(known.to_numpy().sum()) if len(known) else None

    def currency(self) -> str | None:
        known = self.responses["currency"].drop_nulls()
        return str(known[0]) if len(known) else None


def _known(values: Mapping[str, float | None]) -> dict[str, float]:
    return {name: value for name, value in values.items() if value is not None}
