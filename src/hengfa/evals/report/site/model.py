"""What the pages of the site read: the shapes of its data files.

`site` is small and read at once. The rest is read when a page needs it: the samples of a task, the
scores of all runs on them, the responses of one run, the comparisons of a board, a picture. A file
is `data/NAME.js` and calls `hengfa.put(NAME, …)` with its JSON, packed with gzip and base64: a page
opened from disk may load scripts but nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from hengfa.evals.report.words import Words
from hengfa.evals.results.figures import Band

Put: TypeAlias = Callable[[str, Any], None]
"""Writes a data file: its name, and one of these shapes."""


class TaskInfo(msgspec.Struct, frozen=True):
    """A task of a suite in a setting; its files are `tasks/NUMBER/…`.

    ``facets`` are the kinds of its samples, by name; ``samples`` is how many any run was asked.
    """

    number: int
    suite: str
    setting: str
    id: str
    title: Words
    metric: str
    samples: int
    facets: dict[str, list[str]]


class SiteFigure(msgspec.Struct, frozen=True, omit_defaults=True):
    """A figure as a fraction, with its 95 % interval where there is one."""

    value: float
    low: float | None = None
    high: float | None = None


class Part(msgspec.Struct, frozen=True):
    """The score of the samples of one kind, and how many they are."""

    value: float
    n: int


class TaskCell(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a run scored on a task.

    ``lenient`` leaves out what is no answer. ``statuses`` counts responses, ``answers`` what was
    read out of them, ``errors`` the classes of mistakes. ``parts`` is by facet and kind, ``more``
    the task's other metrics.
    """

    score: SiteFigure | None
    n: int
    lenient: float | None = None
    abstention: float = 0.0
    floor: float | None = None
    ceiling: float | None = None
    statuses: dict[str, int] = {}
    answers: dict[str, int] = {}
    errors: dict[str, int] = {}
    more: dict[str, float] = {}
    parts: dict[str, dict[str, Part]] = {}


class Scores(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run under one set of rules: by task id, the suite's figures, and its rank with its range
    among the runs of the same board; no rank where it lacks a task. ``bands`` are the tasks and
    figures that a grader left something open of."""

    cells: dict[str, TaskCell]
    figures: dict[str, SiteFigure]
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    bands: dict[str, Band] = {}


class RunInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run. ``builtin`` marks floor, ceiling and retrieval, ``sample`` the sample pack, and
    ``trained`` says on how many of how many questions its model was trained, where it was."""

    number: int
    name: str
    model: str
    suite: str
    setting: str
    created: str
    samples: int
    scores: dict[str, Scores]
    builtin: bool = False
    sample: bool = False
    trained: tuple[int, int] | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float | None = None
    cost: float | None = None
    currency: str | None = None


class PublishedInfo(msgspec.Struct, frozen=True):
    """A row of a paper; values are fractions unless the suite's figures are not. ``computed`` are
    the figures that the paper does not print, made of those it does."""

    suite: str
    setting: str
    model: str
    title: str
    source: str
    tasks: dict[str, float]
    figures: dict[str, float]
    computed: list[str] = []


class FigureInfo(msgspec.Struct, frozen=True):
    """A figure of a suite; an ``ability`` is an axis of the radar of the overview."""

    name: str
    title: Words
    ability: bool = False


class SuiteInfo(msgspec.Struct, frozen=True):
    """A suite; ``pictures`` are those of its page, by setting and rules (`zero_shot/official`),
    ``headline`` is the figure that boards are ordered by."""

    name: str
    title: Words
    settings: list[str]
    figures: list[FigureInfo]
    pictures: dict[str, list[str]]
    headline: str = "overall"


class PictureInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """A picture; its file `pictures/ID` is the Vega-Lite specification by language (zh, en).

    ``published`` is None where it is always shown, else whether it belongs to the state of the
    switch that adds published models.
    """

    id: str
    title: Words
    note: Words
    published: bool | None = None


class Suspect(msgspec.Struct, frozen=True, omit_defaults=True):
    """A hint for contamination review: of which kind, about whom and what, in words."""

    kind: str
    suite: str
    models: list[str]
    task: str
    text: Words
    sample: str = ""
    setting: str = ""


class PaperInfo(msgspec.Struct, frozen=True):
    """A paper whose tables and figures are in the file `papers/SUITE`."""

    suite: str
    source: str


class TextTable(msgspec.Struct, frozen=True):
    """A table of texts; the first column names the row."""

    head: tuple[str, ...]
    rows: list[tuple[str, ...]]


class ExhibitInfo(msgspec.Struct, frozen=True):
    """A table or figure of a paper, in the file `papers/SUITE`: its texts by language, and the name
    of its picture, empty where it has none."""

    id: str
    title: Words
    tables: dict[str, TextTable]
    remarks: dict[str, list[str]]
    picture: str


class Site(msgspec.Struct, frozen=True):
    """The file `site`. ``overview`` and ``models`` name pictures, the latter by run number.

    ``names`` are titles of names in the data, by group: `facets`, `kinds` and `errors`.
    """

    title: Words
    built: str
    hengfa: str
    rules: list[str]
    suites: list[SuiteInfo]
    tasks: list[TaskInfo]
    runs: list[RunInfo]
    published: list[PublishedInfo]
    pictures: dict[str, PictureInfo]
    overview: list[str]
    models: dict[str, list[str]]
    suspects: list[Suspect]
    papers: list[PaperInfo]
    names: dict[str, dict[str, Words]] = {}


class TaskSamples(msgspec.Struct, frozen=True):
    """The file `tasks/NUMBER/samples`: columns of equal length, a place for each sample, or for the
    first of very many.

    ``facets`` hold the place of the kind in :attr:`TaskInfo.facets`, -1 for none.
    """

    ids: list[str]
    prompts: list[str]
    references: list[str]
    facets: dict[str, list[int]]


class RunScores(msgspec.Struct, frozen=True):
    """One run's values of the task's metric under the rules of the key, and its statuses."""

    values: dict[str, list[float | None]]
    statuses: list[str | None]
    answers: dict[str, list[str | None]]


class TaskScores(msgspec.Struct, frozen=True):
    """The file `tasks/NUMBER/scores`: by run number; None where a run was not asked a sample."""

    runs: dict[str, RunScores]


class RulesReading(msgspec.Struct, frozen=True):
    """How each response was read under one set of rules: extracted answer, trace, all metrics."""

    extracted: list[str]
    traces: list[dict[str, Any] | None]
    metrics: list[dict[str, float]]


class RunResponses(msgspec.Struct, frozen=True):
    """The file `tasks/NUMBER/runs/RUN`: the responses of a run, in the order of the samples.

    All columns have a place for each sample, empty where the run was not asked it; ``tokens`` are
    those of the response.
    """

    responses: list[str]
    reasoning: list[str]
    tokens: list[int | None]
    readings: dict[str, RulesReading]


class PairDifference(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first run less the second on the samples both were asked, as `hengfa compare` has it.

    ``p`` is that of this comparison alone, ``corrected`` among all of the two runs; ``verdict`` is
    empty where no difference is shown, and then ``smallest`` says which could be missed.
    """

    value: float
    low: float | None
    high: float | None
    p: float
    corrected: float
    smallest: float
    n: int
    wins: int
    losses: int
    verdict: str = ""


class ComparedPair(msgspec.Struct, frozen=True):
    """Two runs: how they differ by task id or figure, and in each language what that means."""

    rows: dict[str, PairDifference]
    said: dict[str, list[str]]


class Comparisons(msgspec.Struct, frozen=True):
    """The file `compare/SUITE/SETTING/RULES`: by `A,B` (run numbers, A below B)."""

    pairs: dict[str, ComparedPair]
