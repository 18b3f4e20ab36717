"""A run of ours as an Inspect log, for `inspect view`.

What an agent did is in the messages of its sample, as calls of tools and their results, and in its
events, with every prompt. Where it was not kept, only the calls are there, as the response lists
them, and how each ended.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from inspect_ai.event import ModelEvent, ToolEvent
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
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ModelUsage,
)
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall, ToolCallError

import hengfa
from hengfa.base.data.jsonfile import write_atomically
from hengfa.base.data.output import private_folder
from hengfa.base.data.paths import disk_errors
from hengfa.base.errors import UsageError
from hengfa.evals.bridge.inspect_model import number, to_config, to_inspect, to_output, to_tool_info
from hengfa.evals.engine.journal import Event, Exchange
from hengfa.evals.engine.messages import Response, Status, ToolUse, Usage
from hengfa.evals.results.figures import TaskTable
from hengfa.evals.results.tables import has_tables, read_rows, read_table
from hengfa.evals.runs.folder import Manifest, manifest_errors, read_figures, read_manifest, run_of
from hengfa.evals.runs.look import agent_events
from hengfa.evals.suites.base import AnyTask, Rules
from hengfa.evals.suites.registry import get_suite


@dataclass(frozen=True, slots=True)
class _Task:
    """A task of a run under one set of rules: its responses with their texts, and its values."""

    task: AnyTask
    rules: Rules
    responses: pl.DataFrame
    table: TaskTable


@dataclass(frozen=True, slots=True)
class _Run:
    """What a log is made of: a run, scored under one or more rule sets."""

    manifest: Manifest
    tasks: Sequence[_Task]
    agents: Mapping[tuple[str, int], Sequence[Event]]
    """What agents did, by the key of a task and how often it was asked."""


def export_inspect_log(folder: Path, file: Path) -> None:
    """Write a scored run as an Inspect log, from its tables: every sample with its prompt, response
    and scores under every rule set; what its agents did, where that can be told, from the journal.
    """
    manifest, figures = read_manifest(folder), read_figures(folder)
    with manifest_errors(folder):
        suite = get_suite(manifest.suite)
    tasks = [
        _Task(task, rules, read_rows(folder, task.id, rules), read_table(folder, task.id, rules))
        for rules in figures
        for task in suite.tasks.values()
        if has_tables(folder, task.id, rules)
    ]
    if not tasks:
        raise UsageError(f"{folder} is not scored yet: hengfa score {suite.name} {folder}")
    run, name = _Run(manifest, tasks, agent_events(folder)), run_of(folder).name
    samples = _samples(run)
    used = (usage for sample in samples for usage in sample.model_usage.values())
    with disk_errors(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    log = EvalLog(
        status="success",
        eval=EvalSpec(
            eval_id=name,
            run_id=name,
            task_id=name,
            created=manifest.created,
            task=f"hengfa/{suite.name}",
            task_version=manifest.data,
            dataset=EvalDataset(
                name=suite.name,
                samples=len(samples),
                sample_ids=list(dict.fromkeys(str(sample.id) for sample in samples)),
            ),
            model=manifest.model,
            model_generate_config=to_config(manifest.options),
            config=EvalConfig(epochs=max((sample.epoch for sample in samples), default=1)),
            packages={"hengfa": hengfa.__version__, "inspect_ai": version("inspect_ai")},
            metadata={
                "setting": manifest.setting,
                "grader": next((one.grader for one in figures.values()), ""),
            },
        ),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=len(samples),
            scores=[
                _figures(run, rules) for rules in dict.fromkeys(logged.rules for logged in tasks)
            ],
        ),
        stats=EvalStats(
            started_at=manifest.created,
            completed_at=manifest.created,
            model_usage={manifest.model: sum(used, ModelUsage())},
        ),
        samples=samples,
    )
    with private_folder() as temporary:
        made = Path(temporary, "run.eval")
        write_eval_log(log, made, format="eval")
        write_atomically(file, made.read_bytes())


def _figures(run: _Run, rules: Rules) -> EvalScore:
    return EvalScore(
        name=str(rules),
        scorer=f"hengfa ({rules} rules)",
        metrics={
            logged.task.id: EvalMetric(name=logged.task.id, value=number(score and score.value))
            for logged in run.tasks
            if logged.rules is rules
            for score in (logged.table.score(logged.task.recipe(rules)),)
        },
    )


def _samples(run: _Run) -> list[EvalSample]:
    samples: dict[tuple[str, int], EvalSample] = {}
    for logged in run.tasks:
        table = logged.table
        responses = zip(table.samples, table.repeats, strict=True)
        places = {response: place for place, response in enumerate(responses)}
        for row in logged.responses.iter_rows(named=True):
            key = f"{run.manifest.suite}/{logged.task.id}/{run.manifest.setting}/{row['sample']}"
            sample = samples.setdefault((key, row["repeat"]), _sample(run, logged.task, key, row))
            if sample.scores is None:
                continue
            place, metric = places[row["sample"], row["repeat"]], logged.task.metric
            counts = {name: float(column[place]) for name, column in table.columns.items()}
            counts = {name: value for name, value in counts.items() if not math.isnan(value)}
            read_as = row["answer_status"] or f"not an answer: {row['status']}"
            value, how = number(counts.get(metric)), f"{metric}; {read_as}"
            score = Score(value=value, answer=row["response"], explanation=how, metadata=counts)
            sample.scores[str(logged.rules)] = score
    return list(samples.values())


def _sample(run: _Run, task: AnyTask, key: str, row: Mapping[str, Any]) -> EvalSample:
    prompt = ChatMessageUser(content=row["prompt"])
    counted = row["input_tokens"] is not None
    usage = Usage(input=row["input_tokens"], output=row["output_tokens"]) if counted else None
    response = Response(
        Status(row["status"]), row["response"], row["reasoning"], usage=usage,
        seconds=row["seconds"] or 0.0, reason=row["reason"] or "",
    )  # fmt: skip
    output = to_output(run.manifest.model, response)
    listed = task.calls(row["response"]) if task.calls else ()
    turns = _turns(run.agents.get((key, row["repeat"])) or listed)
    return EvalSample(
        id=key,
        epoch=row["repeat"],
        input=[prompt],
        target=row["reference"],
        messages=[prompt, *_messages(turns), output.message],
        events=list(_events(run, turns)),
        output=output,
        scores={},
        metadata={"task": row["task"], "status": row["status"]},
        model_usage={run.manifest.model: output.usage} if output.usage else {},
        total_time=row["seconds"],
    )


# --- what an agent did ---


class _Turn(NamedTuple):
    """A reply of the model, and the calls that came of it by their ids."""

    exchange: Exchange | None
    calls: dict[str, ToolUse]


def _turns(events: Sequence[Event]) -> list[_Turn]:
    turns: list[_Turn] = []
    for place, event in enumerate(events):
        if isinstance(event, Exchange) or not turns:
            turns.append(_Turn(event if isinstance(event, Exchange) else None, {}))
        if not isinstance(event, Exchange):
            turns[-1].calls[f"call-{place}"] = event
    return turns


def _messages(turns: Sequence[_Turn]) -> Iterator[ChatMessage]:
    for exchange, calls in turns:
        text = exchange.response.text if exchange else ""
        if not text and not calls:  # a turn that only hands in; the output says what
            continue
        made = [ToolCall(id_, call.tool, call.arguments) for id_, call in calls.items()]
        yield ChatMessageAssistant(content=text, tool_calls=made or None)
        for id_, call in calls.items():
            said, error = call.answer or call.status, _error(call)
            yield ChatMessageTool(content=said, tool_call_id=id_, function=call.tool, error=error)


def _events(run: _Run, turns: Sequence[_Turn]) -> Iterator[ModelEvent | ToolEvent]:
    """With the times of the journal, to a second; those of tools were not kept."""
    at = datetime.fromisoformat(run.manifest.created)
    for exchange, calls in turns:
        if exchange is not None:
            at, request = datetime.fromisoformat(exchange.at), exchange.request
            yield ModelEvent(
                timestamp=at,
                model=run.manifest.model,
                metadata={"step": exchange.step},
                input=[to_inspect(message) for message in request.messages],
                tools=[to_tool_info(tool) for tool in request.options.tools],
                tool_choice="auto" if request.options.tools else "none",
                config=to_config(request.options),
                output=to_output(run.manifest.model, exchange.response),
            )
        for id_, call in calls.items():
            yield ToolEvent(
                timestamp=at,
                id=id_,
                function=call.tool,
                arguments=call.arguments,
                result=call.answer or call.status,
                error=_error(call),
            )


def _error(call: ToolUse) -> ToolCallError | None:
    return ToolCallError("unknown", call.status) if call.failed else None
