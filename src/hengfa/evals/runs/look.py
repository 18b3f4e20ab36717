"""Looking back at runs: which there are, what they scored, and one question from end to end, with
what was really sent for it."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, overload

import msgspec

from hengfa.base.data.output import private_folder
from hengfa.base.data.paths import StrPath
from hengfa.base.errors import DataError, UsageError
from hengfa.base.page import html_table, points
from hengfa.base.progress import Notify, quiet
from hengfa.evals.engine.journal import Entry, Event, Exchange, SentMessages, read_entries, standing
from hengfa.evals.engine.messages import Message, Request, ToolUse, first_key, parse_key
from hengfa.evals.results.figures import Band, TaskFigures
from hengfa.evals.results.tables import (
    ResponseRow,
    has_tables,
    read_metrics,
    read_records,
    read_responses,
    read_row,
    read_rows,
)
from hengfa.evals.runs.cells import rows_of
from hengfa.evals.runs.evidence import OVERALL, check_tasks
from hengfa.evals.runs.folder import (
    IMPORTED,
    JOURNAL,
    MANIFEST,
    Asked,
    Manifest,
    RunFigures,
    Spent,
    answer_statuses,
    graders_of,
    manifest_errors,
    read_manifest,
    run_of,
    scores_of,
)
from hengfa.evals.runs.score import open_journal, origin_of
from hengfa.evals.suites.base import Rules, Suite
from hengfa.evals.suites.plan import data_folder
from hengfa.evals.suites.registry import get_suite, suite_names
from hengfa.evals.suites.scoring import score_attempt

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run with all its scores, none until it was scored.

    The scores of what needs no grader are those of nobody, whose name is empty.
    """

    name: str
    manifest: Manifest
    scores: Sequence[RunFigures]

    @property
    def samples(self) -> int:
        return max((figures.samples for figures in self.scores), default=0)

    @property
    def spent(self) -> Spent | None:
        return next((figures.spent for figures in self.scores if figures.spent), None)

    @property
    def figures(self) -> dict[str, dict[str, dict[str, float]]]:
        """By grader and rules."""
        by_grader: dict[str, dict[str, dict[str, float]]] = {}
        for one in self.scores:
            by_grader.setdefault(one.grader, {})[str(one.rules)] = one.figures
        return by_grader

    @property
    def headline(self) -> str:
        """The figure that boards of its suite are ordered by."""
        return self._suite.headline if self._suite else OVERALL

    def headline_of(self, figures: RunFigures) -> float | Band | None:
        """Its value; None where these scores lack it."""
        whole = {**figures.further, **figures.figures}
        whole = self._suite.completed(whole) if self._suite else whole
        return whole.get(self.headline, figures.bands.get(self.headline))

    @property
    def _suite(self) -> Suite | None:
        name = self.manifest.suite
        return get_suite(name) if name in suite_names() else None


@dataclass(frozen=True, slots=True)
class ResponseReading:
    """A response as one set of rules read it: the row with its texts, and what each metric counts
    (None where the rules leave the sample out)."""

    row: ResponseRow
    metrics: Mapping[str, float | None]


Story = Mapping[Rules, ResponseReading]
"""One question: what was asked and what came back is the same in all readings."""


def find_run(name: str, runs: Path) -> Path:
    """A run by its folder, or by its name below `runs`."""
    for folder in (Path(name), runs / name):
        if (folder / MANIFEST).is_file():
            return folder
    raise UsageError(f"there is no run {name!r}, neither as a folder nor below {runs}")


def find_scored(name: str, runs: Path) -> Path:
    """Where the scores of a run are, by `RUN` or `RUN@GRADER`; of several graders one is named."""
    return choose_scores(*_run_and_grader(name, runs))


def find_alike(names: Sequence[str], runs: Path, grader: str | None = None) -> list[Path]:
    """Where the scores of several runs are; of those that were graded by several, the scores by the
    grader that is named, or by the only one who graded all of them."""
    parts = [_run_and_grader(name, runs) for name in names]
    there = [graders_of(run) for run, named in parts if named is None]
    if grader is None and any(len(graders) > 1 for graders in there):
        common = [name for name in there[0] if all(name in graders for graders in there)]
        grader = common[0] if len(common) == 1 else None
    return [choose_scores(run, named or grader) for run, named in parts]


def _run_and_grader(name: str, runs: Path) -> tuple[Path, str | None]:
    try:
        return find_run(name, runs), None
    except UsageError:
        run, at, grader = name.partition("@")
        if not at:
            raise
        return find_run(run, runs), grader


def choose_scores(run: Path, grader: str | None = None) -> Path:
    """The scores of a run by a grader or panel, or its only ones."""
    there = graders_of(run)
    if grader is None:
        if len(there) == 1:
            return next(iter(there.values()))
        raise UsageError(
            f"{run.name} has the scores of {len(there)} graders: name one, such as "
            f"{run.name}@{next(iter(there))}; there is: {'; '.join(there)}"
        )
    if grader not in there:
        known = "; ".join(filter(None, there)) or "none"
        raise UsageError(f"{run.name} was not graded by {grader!r}; there is: {known}")
    return there[grader]


def list_runs(runs: Path, notify: Notify = quiet) -> list[RunSummary]:
    """All runs below a folder, newest last; one that cannot be read is said and passed over."""
    summaries: list[RunSummary] = []
    for folder in [file.parent for file in runs.rglob(MANIFEST)] if runs.is_dir() else ():
        name = folder.relative_to(runs)
        if ".old" in name.parts:
            continue
        try:
            scores, manifest = scores_of(folder), read_manifest(folder)
            summaries.append(RunSummary(str(name), manifest, scores))
        except DataError as error:
            notify(f"passed over: {error}")
    return sorted(summaries, key=lambda summary: (summary.manifest.created, summary.name))


def tell(folder: Path, question: str, repeat: int = 1) -> Story:
    """The story of `TASK/SAMPLE` in a run, from the tables of one of its scores.

    What was answered after the run was last scored is read and scored now.
    """
    manifest = read_manifest(folder)
    task, slash, sample = question.partition("/")
    if not slash:
        raise UsageError(f"name the question as TASK/SAMPLE, such as 1-1/0, not {question!r}")
    with manifest_errors(folder):
        suite = get_suite(manifest.suite)
    check_tasks(suite, [task])
    scored = [rules for rules in Rules if has_tables(folder, task, rules)]
    story = {
        rules: ResponseReading(row, read_metrics(folder, task, rules, sample, repeat))
        for rules in scored
        if (row := read_row(folder, task, rules, sample, repeat)) is not None
    }
    if story:
        return story
    if manifest.address == IMPORTED:
        known = read_rows(folder, task, scored[0], ["sample"])["sample"].to_list() if scored else []
        raise _not_asked(folder, question, known)
    return _read_now(folder, manifest, question, repeat)


def _read_now(folder: Path, manifest: Manifest, question: str, repeat: int) -> Story:
    task_id, _, sample_id = question.partition("/")
    several = open_journal(run_of(folder))
    run = next((run for run in several if run.scored_by.folder == folder), several[0])
    attempts = run.attempts(task_id) if task_id in run.tasks() else []
    asked = {attempt.sample.id: attempt for attempt in attempts if attempt.repeat == repeat}
    if sample_id not in asked:
        raise _not_asked(folder, question, list(asked))
    suite = get_suite(manifest.suite)
    data = data_folder(suite, manifest.data_source)
    origin = origin_of(run.folder, manifest, run.grader)
    task = origin.with_prompts(suite.tasks[task_id])
    accept = answer_statuses(run.folder)
    story: dict[Rules, ResponseReading] = {}
    for rules in Rules:
        scored = score_attempt(task.rule_set(rules, data), asked[sample_id], accept)
        _, row = rows_of(origin, task, rules, scored)
        story[rules] = ResponseReading(row, scored.metrics)
    return story


def _not_asked(folder: Path, question: str, asked: Sequence[str]) -> UsageError:
    task = question.partition("/")[0]
    some = ", ".join(f"{task}/{sample}" for sample in asked[:5])
    told = f"asked were, for instance: {some}" if some else f"nothing of {task} was"
    return UsageError(f"{folder}: {question} has not been asked; {told}")


# --- what was really sent ---


@dataclass(frozen=True, slots=True)
class Sent:
    """All questions to the model and calls of tools, in their order; or why they are not known."""

    events: Sequence[Event] = ()
    untold: str = ""


def entries_of(folder: Path, question: str, repeat: int = 1) -> list[Entry]:
    """What the journal of a run has of `TASK/SAMPLE`: the response, and those of its steps."""
    journal = run_of(folder) / JOURNAL
    task, _, sample = question.partition("/")
    entries = read_entries(journal) if journal.is_file() else ()
    of_repeat = (entry for entry in entries if parse_key(entry.key) == (task, repeat))
    steps = f"{sample}#"
    return [one for one in of_repeat if f"{one.key.split('/', 3)[-1]}#".startswith(steps)]


def servers_asked(entries: Iterable[Entry]) -> list[str]:
    """Which of several servers answered, in order."""
    return list(dict.fromkeys(entry.response.server for entry in entries if entry.response.server))


def sent_events(folder: Path, entries: Iterable[Entry], prompt: str) -> Sent:
    """What was sent for the question that these entries are of; `prompt` is the one on record."""
    answered = standing(entries)
    key = next((key for key in answered if "#" not in key), None)
    if key is None:
        imported = read_manifest(folder).address == IMPORTED
        return Sent(untold="predictions of another tool" if imported else "not in the journal")
    messages = SentMessages(run_of(folder) / JOURNAL)
    try:
        return Sent(list(_events(key, answered, messages, prompt)))
    except _Unknown as unknown:
        return Sent(untold=str(unknown))


def agent_events(folder: Path) -> dict[tuple[str, int], Sequence[Event]]:
    """What the agents of a run did on each task, by its key and repeat; without what is not
    known."""
    journal = run_of(folder) / JOURNAL
    by_sample: defaultdict[str, dict[str, Entry]] = defaultdict(dict)
    for key, entry in standing(read_entries(journal) if journal.is_file() else ()).items():
        by_sample[key.partition("#")[0]][key] = entry
    several = {key: entries for key, entries in by_sample.items() if len(entries) > 1}
    messages = SentMessages(journal)
    told: dict[tuple[str, int], Sequence[Event]] = {}
    for key, entries in several.items():
        if (parts := parse_key(key)) is not None:
            with suppress(_Unknown):
                told[first_key(key), parts.repeat] = list(_events(key, entries, messages))
    return told


class _Unknown(Exception):
    """Why it is not known what was sent."""


def _events(
    key: str, answered: Mapping[str, Entry], messages: SentMessages, prompt: str = ""
) -> Iterator[Event]:
    """All that happened to a sample, of which the entries are given by their keys."""
    steps = [step for one in answered if (step := one.partition("#")[2])] or [""]
    kept = messages.events(key)
    order: Sequence[str | ToolUse] = kept if steps != [""] else (*steps, *kept)
    for event in order or steps:
        if isinstance(event, ToolUse):
            yield event
            continue
        entry = answered.get(f"{key}#{event}" if event else key)
        if entry is None:
            raise _Unknown(f"the journal has no {key}#{event}")
        request = messages.request(entry.key, entry.prompt_hash, entry.options)
        if request is None:  # to the letter: it has the hash in the journal
            request = Request(entry.key, (Message("user", prompt),), entry.options)
            if request.prompt_hash() != entry.prompt_hash:
                early = "the run was made before the messages that were sent were kept"
                none = f"the messages of {entry.key} were not kept"
                raise _Unknown(none if messages.there else early)
        yield Exchange(event, request, entry.response, entry.at)


# --- a run and its scores, for Python ---

Tables = Callable[[Path], Sequence[Path]]
"""Where records and responses lie. Those that lie nowhere yet are written into the given folder."""

_NAMES = ("suite", "setting", "model", "rules", "grader", "task")
_FIGURES = (
    "metric", "score", "standard_error", "n", "lenient", "abstention", "floor", "ceiling", "skill",
    "ungraded",
)  # fmt: skip


class Scores(Sequence[RunFigures]):
    """The figures of some models: an item for each model, setting, set of rules and grader.

    `outcomes` are those that were scored just now.
    """

    def __init__(
        self,
        suite: str,
        items: Sequence[RunFigures],
        tables: Tables,
        outcomes: Sequence[RunFigures] = (),
    ) -> None:
        self.suite = suite
        self.outcomes = outcomes
        self._items = tuple(items)
        self._tables = tables

    @overload
    def __getitem__(self, index: int) -> RunFigures: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RunFigures, ...]: ...
    def __getitem__(self, index: int | slice) -> RunFigures | tuple[RunFigures, ...]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    @property
    def figures(self) -> dict[str, float]:
        """The figures of the suite, such as `overall`; of several models or rules take an item."""
        only = self._only()
        return {**only.figures, **only.further}

    @property
    def tasks(self) -> dict[str, TaskFigures]:
        """Task to its figures; of several models or rules take an item."""
        return self._only().tasks

    def under(self, rules: str | Rules) -> Scores:
        """Only those by one set of rules."""
        return self._those(lambda one: one.rules == rules)

    def by(self, grader: str) -> Scores:
        """Only those of one grader or panel."""
        return self._those(lambda one: one.grader == grader)

    def _those(self, fits: Callable[[RunFigures], bool]) -> Scores:
        outcomes = [*filter(fits, self.outcomes)]
        return Scores(self.suite, [*filter(fits, self)], self._tables, outcomes)

    def frame(self) -> pl.DataFrame:
        """One row for each model, set of rules and task."""
        import polars as pl  # noqa: PLC0415 - for those who ask for it

        rows = [
            (
                *(self.suite, item.setting, item.model, str(item.rules), item.grader, task),
                *(getattr(figures, name) for name in _FIGURES),
            )
            for item in self
            for task, figures in item.tasks.items()
        ]
        schema: dict[str, pl.DataType] = dict.fromkeys((*_NAMES, *_FIGURES), pl.Float64())
        schema.update({**dict.fromkeys((*_NAMES, "metric"), pl.String()), "n": pl.Int64()})
        return pl.DataFrame(rows, schema, orient="row")

    def records(self) -> pl.DataFrame:
        """One row for each sample and metric, as docs/run-format.md says."""
        return self._read_frame(read_records)

    def responses(self) -> pl.DataFrame:
        """One row for each response, with its texts and how it was read."""
        return self._read_frame(read_responses)

    def __repr__(self) -> str:
        told = []
        for item in self:
            figures: dict[str, float | Band | None] = {**_all_figures(item)}
            figures = figures or {task: of.band or of.score for task, of in item.tasks.items()}
            each = (
                f"{name} {value if isinstance(value, Band) else points(value) or '–'}"
                for name, value in figures.items()
            )
            told.append(f"{item.model}, {_under(item)}: {', '.join(each)}")
        return f"<{self.suite}: {'; '.join(told) or 'not scored'}>"

    def _repr_html_(self) -> str:
        models = [f"{item.model}\n{_under(item)}" for item in self]
        rows: list[tuple[object, ...]] = []
        for task in dict.fromkeys(task for item in self for task in item.tasks):
            figures = [item.tasks.get(task) for item in self]
            metric = next(told.metric for told in figures if told is not None)
            cells = (
                told and (told.band or points(told.score, told.standard_error)) for told in figures
            )
            rows.append((task, metric, *cells))
        rows += [
            (name, "", *(item.bands.get(name) or points(item.figures.get(name)) for item in self))
            for name in dict.fromkeys(name for item in self for name in _all_figures(item))
        ]
        return html_table(("", "metric", *models), rows, title=self.suite)

    def _only(self) -> RunFigures:
        if len(self) == 1:
            return self[0]
        if not self:
            raise UsageError("nothing is scored yet: hengfa.score(SUITE, RUN)")
        raise UsageError(
            f"there are figures of {len(self)} models, settings, rules or graders: take one of "
            "them, such as scores[0].figures, scores.under('official').figures or "
            "scores.by('keywords').figures, or all with frame()"
        )

    def _read_frame(self, read: Callable[[Iterable[Path]], pl.DataFrame]) -> pl.DataFrame:
        import polars as pl  # noqa: PLC0415 - for those who ask for it

        with private_folder() as scratch:
            frame = read(self._tables(scratch))
        return frame.filter(
            pl.col("rules").is_in({str(item.rules) for item in self}),
            pl.col("task").is_in({task for item in self for task in item.tasks}),
            pl.col("grader").fill_null("").is_in({item.grader for item in self}),
        )


def _under(item: RunFigures) -> str:
    return ", ".join(filter(None, (item.setting, str(item.rules), item.grader)))


def _all_figures(item: RunFigures) -> dict[str, float | Band]:
    return {**item.figures, **item.bands}


@dataclass(frozen=True, repr=False)
class Run(os.PathLike[str]):
    """A run in its folder; wherever a run is named, this can be given."""

    folder: Path
    manifest: Manifest
    scores: Scores
    asked: Asked | None = None
    """What was asked just now, and what came from the journal; None where nothing was asked."""

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def suite(self) -> str:
        return self.manifest.suite

    @property
    def setting(self) -> str:
        return self.manifest.setting

    @property
    def model(self) -> str:
        return self.manifest.model

    @property
    def figures(self) -> dict[str, float]:
        """As those of its scores."""
        return self.scores.figures

    @property
    def tasks(self) -> dict[str, TaskFigures]:
        """As those of its scores."""
        return self.scores.tasks

    def frame(self) -> pl.DataFrame:
        """One row for each set of rules and task."""
        return self.scores.frame()

    def records(self) -> pl.DataFrame:
        """One row for each sample and metric, as docs/run-format.md says."""
        return self.scores.records()

    def responses(self) -> pl.DataFrame:
        """One row for each response, with its texts and how it was read."""
        return self.scores.responses()

    def __fspath__(self) -> str:
        return str(self.folder)

    def __repr__(self) -> str:
        return f"<run {self.folder} {self.scores!r}>"

    def _repr_html_(self) -> str:
        return self.scores._repr_html_()


def open_run(folder: Path, outcomes: Sequence[RunFigures] = ()) -> Run:
    """The run of a folder, from its own files alone."""
    manifest = read_manifest(folder)
    run = {"suite": manifest.suite, "model": manifest.model, "setting": manifest.setting}
    items = [msgspec.structs.replace(figures, **run) for figures in scores_of(folder)]
    scores = Scores(manifest.suite, items, lambda _: [folder], outcomes)
    return Run(folder, manifest, scores, outcomes[0].asked if outcomes else None)


def load_run(run: StrPath, *, runs: StrPath = "runs") -> Run:
    """A run by its folder or by its name below `runs`; neither data nor suite are needed."""
    return open_run(find_run(os.fspath(run), Path(runs)))
