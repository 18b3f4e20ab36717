"""A run of ours as an Inspect log, for `inspect view`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import ChatMessageUser, ModelUsage
from inspect_ai.scorer import Score

import hengfa
from hengfa.bridge.inspect_model import number, to_config, to_output
from hengfa.data.jsonfile import write_atomically
from hengfa.data.output import private_folder
from hengfa.data.paths import disk_errors
from hengfa.engine.messages import Options, Response, Status, Usage
from hengfa.results.figures import TaskTable
from hengfa.suites.base import AnyTask, Rules, Suite


@dataclass(frozen=True, slots=True)
class LoggedTask:
    """A task of a run under one set of rules: its responses with their texts, and its values."""

    task: AnyTask
    rules: Rules
    responses: pl.DataFrame
    table: TaskTable


@dataclass(frozen=True, slots=True)
class LoggedRun:
    """What a log is made of: a run, scored under one or more rule sets."""

    name: str
    suite: Suite
    setting: str
    model: str
    options: Options
    created: str
    data: str
    tasks: Sequence[LoggedTask]
    grader: str = ""


def write_log(run: LoggedRun, file: Path) -> None:
    """Write the log; every sample with its prompt, response and scores under each rule set."""
    samples = _samples(run)
    with disk_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    log = EvalLog(
        status="success",
        eval=EvalSpec(
            eval_id=run.name,
            run_id=run.name,
            task_id=run.name,
            created=run.created,
            task=f"hengfa/{run.suite.name}",
            task_version=run.data,
            dataset=EvalDataset(
                name=run.suite.name,
                samples=len(samples),
                sample_ids=list(dict.fromkeys(str(sample.id) for sample in samples)),
            ),
            model=run.model,
            model_generate_config=to_config(run.options),
            config=EvalConfig(epochs=max((sample.epoch for sample in samples), default=1)),
            packages={"hengfa": hengfa.__version__, "inspect_ai": version("inspect_ai")},
            metadata={"setting": run.setting, "grader": run.grader},
        ),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=len(samples),
            scores=[
                _figures(run, rules)
                for rules in dict.fromkeys(logged.rules for logged in run.tasks)
            ],
        ),
        stats=EvalStats(
            started_at=run.created,
            completed_at=run.created,
            model_usage={run.model: _total_usage(samples)},
        ),
        samples=samples,
    )
    with private_folder() as temporary:
        made = Path(temporary, "run.eval")
        write_eval_log(log, made, format="eval")
        write_atomically(file, made.read_bytes())


def _figures(run: LoggedRun, rules: Rules) -> EvalScore:
    return EvalScore(
        name=str(rules),
        scorer=f"hengfa ({rules} rules)",
        metrics={
            logged.task.id: EvalMetric(name=logged.task.id, value=_figure(logged))
            for logged in run.tasks
            if logged.rules is rules
        },
    )


def _figure(logged: LoggedTask) -> float:
    score = logged.table.score(logged.task.recipe(logged.rules))
    return number(score and score.value)


def _samples(run: LoggedRun) -> list[EvalSample]:
    samples: dict[tuple[str, int], EvalSample] = {}
    for logged in run.tasks:
        table = logged.table
        responses = zip(table.samples, table.repeats, strict=True)
        metrics = dict(zip(responses, _metrics(table), strict=True))
        for row in logged.responses.iter_rows(named=True):
            key = f"{run.suite.name}/{logged.task.id}/{run.setting}/{row['sample']}"
            sample = samples.setdefault((key, row["repeat"]), _sample(run, key, row))
            if sample.scores is not None:
                score = _score(logged.task.metric, row, metrics[row["sample"], row["repeat"]])
                sample.scores[str(logged.rules)] = score
    return list(samples.values())


def _metrics(table: TaskTable) -> Iterator[dict[str, float]]:
    """What each sample counts by metric, those left out without a value."""
    for row in range(len(table.samples)):
        values = {name: float(column[row]) for name, column in table.columns.items()}
        yield {name: value for name, value in values.items() if not math.isnan(value)}


def _sample(run: LoggedRun, key: str, row: Mapping[str, Any]) -> EvalSample:
    prompt = ChatMessageUser(content=row["prompt"])
    output = to_output(run.model, _response(row))
    return EvalSample(
        id=key,
        epoch=row["repeat"],
        input=[prompt],
        target=row["reference"],
        messages=[prompt, output.message],
        output=output,
        scores={},
        metadata={"task": row["task"], "status": row["status"]},
        model_usage={run.model: output.usage} if output.usage else {},
        total_time=row["seconds"],
    )


def _response(row: Mapping[str, Any]) -> Response:
    """The response as a run's table has it."""
    counted = row["input_tokens"] is not None
    return Response(
        status=Status(row["status"]),
        text=row["response"],
        reasoning=row["reasoning"],
        reason=row["reason"] or "",
        usage=Usage(input=row["input_tokens"], output=row["output_tokens"]) if counted else None,
        seconds=row["seconds"] or 0.0,
    )


def _score(metric: str, row: Mapping[str, Any], metrics: Mapping[str, float]) -> Score:
    read_as = row["answer_status"] or f"not an answer: {row['status']}"
    return Score(
        value=number(metrics.get(metric)),
        answer=row["response"],
        explanation=f"{metric}; {read_as}",
        metadata=dict(metrics),
    )


def _total_usage(samples: Sequence[EvalSample]) -> ModelUsage:
    total = ModelUsage()
    for sample in samples:
        for usage in sample.model_usage.values():
            total += usage
    return total
