"""One cell: all responses of one model to one task, scored under every rule set that is asked for.

Cells are independent, so they are scored on all cores; what travels between processes are names and
paths, never texts or functions. Every cell has its scale: what knowing nothing and what knowing
everything earns on the same samples. What was scored is kept as rows of the run's two tables.
"""

from __future__ import annotations

import gc
import json
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from hengfa.base.data.jsonfile import whole_characters
from hengfa.base.errors import DataError
from hengfa.base.progress import Notify, Progress, quiet
from hengfa.base.workers import Executor, Processes
from hengfa.evals.engine.budget import Price
from hengfa.evals.engine.messages import Message, Response, Status
from hengfa.evals.results.figures import COMPARED, FLIPPED, GRADING, TaskFigures
from hengfa.evals.results.tables import (
    Record,
    ResponseRow,
    records_file,
    responses_file,
    write_records,
    write_responses,
)
from hengfa.evals.runs.folder import Spent, spent_by
from hengfa.evals.suites.base import AnyRuleSet, AnyTask, Attempt, Rules, Sample, SavedRun
from hengfa.evals.suites.registry import get_suite
from hengfa.evals.suites.scoring import (
    ANSWERS,
    Scale,
    Scored,
    check_scores,
    score_attempts,
    table_of,
)
from hengfa.evals.suites.templates import Prompts


@dataclass(frozen=True, slots=True)
class Origin:
    """Where scored responses come from: what is the same for all of them."""

    run: str
    suite: str
    setting: str
    model: str
    data: str
    price: Price | None = None
    grader: str | None = None
    prompts: Prompts | None = None

    def with_prompts(self, task: AnyTask) -> AnyTask:
        """The task with the prompts by which it was asked."""
        return task if self.prompts is None else self.prompts.applied(task, self.setting)


def save_tables(
    folder: Path,
    origin: Origin,
    task: AnyTask,
    rules: Rules,
    rule_set: AnyRuleSet,
    scored: Sequence[Scored],
) -> None:
    """Keep what was scored, values in one table and texts in the other: a file of each for a task
    under a set of rules, so that scoring one task again leaves the others alone."""
    task = origin.with_prompts(task)
    by_graders = origin.grader and task.grading  # who did not answer was measured by nothing
    instrument = None if by_graders else rule_set.instrument()
    rows = [rows_of(origin, task, rules, one, instrument) for one in scored]
    records = [record for records, _ in rows for record in records]
    write_records(records, records_file(folder, task.id, rules))
    write_responses([response for _, response in rows], responses_file(folder, task.id, rules))


def rows_of(
    origin: Origin, task: AnyTask, rules: Rules, scored: Scored, instrument: str | None = None
) -> tuple[list[Record], ResponseRow]:
    """One record per metric of a scored response; and the response with its texts, and how it came
    to its score."""
    sample, response = scored.sample, scored.attempt.response
    kinds = task.facets(sample) if task.facets is not None else {}
    facets = {name: whole_characters(kind) for name, kind in kinds.items()}
    usage, price = response.usage, origin.price
    common, graded = _common(origin, task, rules, scored, facets), scored.attempt.graded
    instrument = graded.instrument() if graded else instrument
    records = [
        Record(
            **common,
            metric=metric,
            value=value if scored.answer is not None else None,
            counted=value is not None,
            instrument=instrument,
            data=origin.data,
            strict=value,
        )
        for metric, value in {**scored.metrics, **_asked_again(task.metric, scored)}.items()
    ]
    return records, ResponseRow(
        **common,
        facets=_json(facets),
        prompt=whole_characters(prompt_text(task.prompt(sample, origin.setting))),
        reference=whole_characters(task.baselines.reference(sample)),
        response=whole_characters(response.text),
        reasoning=whole_characters(response.reasoning),
        extracted=readable(scored.answer.value) if scored.answer is not None else "",
        trace=_json(scored.score.explain()),
        cost=price.cost(usage, batch=bool(response.batch)) if price and usage else None,
        currency=price.currency if price and usage else None,
        reason=whole_characters(response.reason) or None,
    )


def _common(
    origin: Origin, task: AnyTask, rules: Rules, scored: Scored, facets: Mapping[str, str]
) -> dict[str, Any]:
    """What stands in both tables of a response: which it is, how it was read, what it took."""
    response, usage = scored.attempt.response, scored.attempt.response.usage
    return {
        "run": origin.run,
        "suite": origin.suite,
        "task": task.id,
        "setting": origin.setting,
        "rules": str(rules),
        "model": origin.model,
        "sample": scored.sample.id,
        "cluster": facets.get(task.cluster) if task.cluster else None,
        "status": str(response.status),
        "answer_status": scored.answer_status,
        "input_tokens": usage.input if usage else None,
        "output_tokens": usage.output if usage else None,
        "seconds": response.seconds or None,
        "repeat": scored.attempt.repeat,
        "grader": origin.grader,
    }


def _asked_again(metric: str, scored: Scored) -> dict[str, float | None]:
    """What each of several gradings comes to, and how many items have other points in another."""
    graded = scored.attempt.graded
    if not scored.gradings or graded is None:
        return {}
    gradings = enumerate(scored.gradings, 1)
    values = {f"{GRADING}{number}": grading.get(metric) for number, grading in gradings}
    flips = graded.flips()
    return {**values, FLIPPED: float(flips.flipped), COMPARED: float(flips.items)}


def prompt_text(messages: Sequence[Message]) -> str:
    """A prompt as one text; where it has several messages, each begins with its role."""
    if len(messages) == 1:
        return messages[0].content
    return "\n\n".join(f"[{message.role}]\n{message.content}" for message in messages)


def readable(value: Any) -> str:
    """What extraction read, as a person can read it; sets have one order in every process."""
    if value is None:
        return ""
    if isinstance(value, frozenset):
        value = sorted(value, key=str)
    return whole_characters(value) if isinstance(value, str) else _json(value)


# Half of a surrogate pair: "\ud83d"; not "😀".
_HALF = re.compile("[\ud800-\udfff]")


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value, enc_hook=str).decode()
    except UnicodeEncodeError:  # half of a surrogate pair
        plain = json.dumps(msgspec.to_builtins(value, enc_hook=str), ensure_ascii=False)
        return _HALF.sub(lambda half: f"\\\\u{ord(half[0]):04x}", plain)


@lru_cache(maxsize=256)
def scale_of(
    suite: str,
    task_id: str,
    setting: str,
    options: tuple[tuple[str, str], ...],
    rules: Rules,
    data: Path,
    ids: tuple[str, ...],
) -> Scale | None:
    """The scale of a task on some of its samples; None if the data does not have them.

    A task without a floor has none. Nor has a graded task: its floor and ceiling are runs that have
    to be graded themselves.
    """
    task = get_suite(suite).tasks[task_id]
    if task.grading is not None or task.baselines.floor is None:
        return None
    samples = _samples(suite, task_id, setting, options, data)
    chosen = [samples[id_] for id_ in ids if id_ in samples]
    if len(chosen) < len(ids):
        return None
    trivial, reference = task.baselines.floor(list(samples.values())), task.baselines.reference
    floor = _score(task, rules, data, [(sample, trivial(sample)) for sample in chosen])
    ceiling = _score(task, rules, data, [(sample, reference(sample)) for sample in chosen])
    return None if floor is None or ceiling is None else Scale(floor, ceiling)


@lru_cache(maxsize=64)
def _samples(
    suite: str, task_id: str, setting: str, options: tuple[tuple[str, str], ...], data: Path
) -> dict[str, Sample]:
    task = get_suite(suite).tasks[task_id]
    try:
        return {sample.id: sample for sample in task.samples(data, setting, dict(options))}
    except DataError:  # a folder without this task: there is a score, but no scale
        return {}


def _score(
    task: AnyTask, rules: Rules, data: Path, texts: list[tuple[Sample, str]]
) -> float | None:
    attempts = (
        Attempt(sample, Response(Status.ANSWERED if text else Status.EMPTY, text=text))
        for sample, text in texts
    )
    scored = score_attempts(task.rule_set(rules, data), attempts)
    score = table_of(scored).score(task.recipe(rules))
    return score and score.value


@dataclass(frozen=True, slots=True)
class Cell:
    """What is scored, and where its tables go, if anywhere."""

    suite: str
    saved: SavedRun
    task: str
    rules: tuple[Rules, ...]
    data: Path | None
    accept: frozenset[Status] = ANSWERS
    keep: tuple[Path, Origin] | None = None
    effects: bool = False
    """Whether to find out what each fix does by itself; both rule sets must be asked for."""
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class CellResult:
    """A task's figures by rules, of how many samples, what to know about it, and what its answers
    took, where that is known."""

    figures: Mapping[Rules, TaskFigures]
    samples: int
    notices: tuple[str, ...] = ()
    spent: Spent | None = None


def score_cell(cell: Cell) -> CellResult:
    """Score one model's responses to one task."""
    task = get_suite(cell.suite).tasks[cell.task]
    attempts = cell.saved.attempts(cell.task)
    figures: dict[Rules, TaskFigures] = {}
    notices = [*cell.saved.notices(cell.task)]
    for rules in cell.rules:
        rule_set = task.rule_set(rules, cell.data)
        figure, scored = score_task(task, rule_set, attempts, cell.accept)
        figures[rules] = _on_scale(cell, rules, attempts, figure)
        notices += filter(None, (rule_set.notice,))
        if cell.keep is not None:
            folder, origin = cell.keep
            save_tables(folder, origin, task, rules, rule_set, scored)
    if cell.effects:
        effects = _effects(cell, task, attempts, figures)
        figures[Rules.CORRECTED] = replace(figures[Rules.CORRECTED], effects=effects)
    price = cell.keep[1].price if cell.keep is not None else None
    spent = spent_by((attempt.response for attempt in attempts), price)
    samples = len({attempt.sample.id for attempt in attempts})
    return CellResult(figures, samples, tuple(dict.fromkeys(notices)), spent)


def score_task(
    task: AnyTask,
    rule_set: AnyRuleSet,
    attempts: Iterable[Attempt],
    accept: frozenset[Status] = ANSWERS,
) -> tuple[TaskFigures, list[Scored]]:
    """Score responses under one rule set; pure."""
    with _garbage_later():
        scored = score_attempts(rule_set, attempts, accept)
    table = table_of(scored)
    check_scores(task, table)
    return table.figure(task.recipe_by(rule_set)), scored


@contextmanager
def _garbage_later() -> Iterator[None]:
    """Look for garbage later: scoring makes a few objects for each response, all of which stay, and
    Python would walk through all that there are again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _effects(
    cell: Cell, task: AnyTask, attempts: Sequence[Attempt], figures: Mapping[Rules, TaskFigures]
) -> dict[str, float]:
    """How far the official score moves with one fix on and no other, or by another reading."""
    official = figures[Rules.OFFICIAL].score
    effects: dict[str, float] = {}
    for fix in task.fixes:
        alone = figures[Rules.CORRECTED]
        if len(task.fixes) > 1:
            rule_set = task.rules(frozenset({fix}), cell.data)
            alone, _ = score_task(task, rule_set, attempts, cell.accept)
        if official is not None and alone.score is not None:
            effects[fix] = alone.score - official
    for name, reading in task.readings.items():
        otherwise = figures[Rules.OFFICIAL].more.get(reading.figure)
        if official is not None and otherwise is not None:
            effects[name] = otherwise - official
    return effects


def _on_scale(
    cell: Cell, rules: Rules, attempts: Sequence[Attempt], figures: TaskFigures
) -> TaskFigures:
    """With what knowing nothing and what knowing everything earns, where that is known."""
    if cell.data is None:
        return figures
    ids = tuple(attempt.sample.id for attempt in attempts)
    of = cell.suite, cell.task, cell.saved.setting, cell.options
    if (scale := scale_of(*of, rules, cell.data, ids)) is None:
        return figures
    skill = None if figures.score is None else scale.skill(figures.score)
    return replace(figures, floor=scale.floor, ceiling=scale.ceiling, skill=skill)


def score_cells(
    cells: Sequence[Cell],
    executor: Executor | None = None,
    watch: Progress | None = None,
    notify: Notify = quiet,
) -> list[CellResult]:
    """The results in the order of the cells; without an executor all are scored in this process.

    Cells of one task go to the workers together: what they share is then computed once.
    """
    results: dict[int, CellResult] = {}
    order = sorted(range(len(cells)), key=lambda number: (cells[number].task, number))
    workers = executor if executor and len(cells) > 1 else Processes(1)
    for place, result in workers.run(_Scoring(), (cells[number] for number in order)):
        results[order[place]] = result
        if watch is not None:
            watch(len(results), len(cells))
    in_order = [results[number] for number in range(len(cells))]
    for notice in dict.fromkeys(notice for result in in_order for notice in result.notices):
        notify(notice)
    return in_order


class _Scoring:
    """Scoring as work: a cell says itself where its data lies, and its tables go.

    So workers on other machines need a file system that they share with this one.
    """

    files: Mapping[str, Path] = {}

    def open(self, _files: Mapping[str, Path]) -> Callable[[Cell], CellResult]:
        return _score_in_place


def _score_in_place(cell: Cell) -> CellResult:
    if cell.keep is not None and not cell.keep[0].parent.is_dir():
        raise DataError(
            f"is not seen from {platform.node()}: to score, the machines of a cluster need a file "
            "system that they share",
            file=cell.keep[0].parent,
        )
    return score_cell(cell)
