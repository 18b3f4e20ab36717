"""The data files of one task: its samples, the scores of all runs, the responses of each.

A task is worked on alone, and of its texts only those of one run are in memory at a time.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hengfa.report.site.breakdowns import is_breakdown, parts
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
from hengfa.report.site.packing import Packer
from hengfa.report.site.tables import Answered
from hengfa.suites.base import AnyTask, Rules

# A number at the beginning. Matches "2015–2019" and "3 or more"; not "第三条".
_NUMBER = re.compile(r"[0-9]{1,9}")


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
        found: dict[str, Counter[str]] = {}
        for sample in self.facets:
            for facet, kind in sample.items():
                found.setdefault(facet, Counter())[kind] += 1
        return {facet: _in_order(kinds) for facet, kinds in found.items()}

    def _name(self, sample: str, reference: str) -> str:
        mark = hashlib.sha256(reference.encode()).hexdigest()[:6]
        name = f"{sample}~{mark}" if sample in self._taken else sample
        self._taken.add(sample)
        return name


@dataclass(slots=True)
class TaskFiles:
    """One task of a board: what the site says of it."""

    board: Board
    task: AnyTask
    number: int
    info: TaskInfo = field(init=False)
    extras: dict[int, CellExtras] = field(default_factory=dict)

    def make(self, packer: Packer | None) -> None:
        """Read the task's tables; with a packer, write its files."""
        samples = self._samples()
        kinds = samples.kinds()
        self.info = TaskInfo(
            number=self.number,
            suite=self.board.suite.name,
            setting=self.board.setting,
            id=self.task.id,
            title=Words(self.task.title, self.task.title_en),
            metric=self.task.metric,
            samples=len(samples.ids),
            facets=kinds,
        )
        shown = {name: of for name, of in kinds.items() if is_breakdown(len(of), len(samples.ids))}
        scores: dict[str, RunScores] = {}
        for source in self._sources():
            readings = list(self._readings(source))
            self.extras[source.number] = self._extras(readings, shown)
            if packer is not None:
                scores[str(source.number)] = _scores(readings, samples, self.task.metric)
                packer.put(
                    f"tasks/{self.number}/runs/{source.number}", _responses(readings, samples)
                )
        if packer is not None:
            packer.put(f"tasks/{self.number}/samples", _samples_file(samples, kinds))
            packer.put(f"tasks/{self.number}/scores", TaskScores(scores))

    def _sources(self) -> list[Source]:
        return [
            one
            for one in self.board.sources
            if any(self.task.id in run.tasks for run in one.figures.values())
        ]

    def _readings(self, source: Source) -> Iterator[Answered]:
        for rules, run in source.figures.items():
            if self.task.id in run.tasks:
                yield Answered(source, self.task.id, rules)

    def _samples(self) -> Samples:
        """From the fullest run on, so that samples stand in the order of their data."""
        samples = Samples()

        def asked(source: Source) -> int:
            return max(
                sum(run.tasks[self.task.id].statuses.values())
                for run in source.figures.values()
                if self.task.id in run.tasks
            )

        for source in sorted(self._sources(), key=asked, reverse=True):
            for answered in self._readings(source):
                samples.add(answered)
        return samples

    def _extras(
        self, readings: Sequence[Answered], shown: Mapping[str, Sequence[str]]
    ) -> CellExtras:
        first = readings[0]
        extras = CellExtras(
            input_tokens=first.total("input_tokens"),
            output_tokens=first.total("output_tokens"),
            seconds=first.total("seconds"),
            cost=first.total("cost"),
            currency=first.currency(),
        )
        for one in readings:
            extras.errors[one.rules] = one.errors()
            if shown:
                recipe = self.task.recipe(one.rules)
                extras.parts[one.rules] = parts(one.table, recipe, shown)
        return extras


def _in_order(kinds: Counter[str]) -> list[str]:
    numbers = {kind: int(found[0]) for kind in kinds if (found := _NUMBER.match(kind))}
    if len(numbers) == len(kinds):
        return sorted(kinds, key=lambda kind: (numbers[kind], kind))
    return sorted(kinds, key=lambda kind: (-kinds[kind], kind))


def _samples_file(samples: Samples, kinds: Mapping[str, Sequence[str]]) -> TaskSamples:
    places = {facet: {kind: n for n, kind in enumerate(them)} for facet, them in kinds.items()}
    return TaskSamples(
        ids=samples.ids,
        prompts=samples.prompts,
        references=samples.references,
        facets={
            facet: [of[one[facet]] if facet in one else -1 for one in samples.facets]
            for facet, of in places.items()
        },
    )


def _scores(readings: Sequence[Answered], samples: Samples, metric: str) -> RunScores:
    size = len(samples.ids)
    statuses: list[str | None] = [None] * size
    values: dict[str, list[float | None]] = {}
    answers: dict[str, list[str | None]] = {}
    for one in readings:
        of_metric = values[one.rules] = [None] * size
        of_answer = answers[one.rules] = [None] * size
        rows = zip(
            samples.places(one),
            one.counted,
            one.responses["status"].to_list(),
            one.responses["answer_status"].to_list(),
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
    for one in readings:
        reading = Reading([""] * size, [None] * size, [{} for _ in range(size)])
        made.readings[one.rules] = reading
        rows = zip(
            samples.places(one),
            *(one.responses[name].to_list() for name in _TEXTS),
            one.traces,
            one.metrics(),
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


_TEXTS = ("response", "reasoning", "output_tokens", "extracted")
