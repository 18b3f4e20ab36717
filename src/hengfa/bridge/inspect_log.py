"""A run of ours as an Inspect log, for `inspect view`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

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
from inspect_ai.model import ModelUsage
from inspect_ai.scorer import Score

import hengfa
from hengfa.bridge.inspect_messages import number, to_config, to_inspect, to_output
from hengfa.engine.messages import Options
from hengfa.suites.base import Rules, Suite
from hengfa.suites.scoring import Scored, TaskFigure


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
    scored: Mapping[Rules, Mapping[str, Sequence[Scored]]]
    figures: Mapping[Rules, Mapping[str, TaskFigure]]


def write_log(run: LoggedRun, file: Path) -> None:
    """Write the log; every sample with its prompt, response and scores under each rule set."""
    samples = _samples(run)
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
                sample_ids=[str(sample.id) for sample in samples],
            ),
            model=run.model,
            model_generate_config=to_config(run.options),
            config=EvalConfig(),
            packages={"hengfa": hengfa.__version__, "inspect_ai": version("inspect_ai")},
            metadata={"setting": run.setting},
        ),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=len(samples),
            scores=[_figures(rules, figures) for rules, figures in run.figures.items()],
        ),
        stats=EvalStats(
            started_at=run.created,
            completed_at=run.created,
            model_usage={run.model: _total_usage(samples)},
        ),
        samples=samples,
    )
    write_eval_log(log, file, format="eval")


def _figures(rules: Rules, figures: Mapping[str, TaskFigure]) -> EvalScore:
    return EvalScore(
        name=str(rules),
        scorer=f"hengfa ({rules} rules)",
        metrics={
            task: EvalMetric(name=task, value=number(figure.score))
            for task, figure in figures.items()
        },
    )


def _samples(run: LoggedRun) -> list[EvalSample]:
    found: dict[str, EvalSample] = {}
    for rules, tasks in run.scored.items():
        for task_id, scored in tasks.items():
            for one in scored:
                key = run.suite.key(task_id, run.setting, one.sample)
                if key not in found:
                    found[key] = _sample(run, task_id, key, one)
                scores = found[key].scores
                if scores is not None:
                    scores[str(rules)] = _score(run.suite, task_id, one)
    return list(found.values())


def _sample(run: LoggedRun, task_id: str, key: str, one: Scored) -> EvalSample:
    task = run.suite.tasks[task_id]
    prompt = [to_inspect(message) for message in task.prompt(one.sample)]
    output = to_output(run.model, one.response)
    return EvalSample(
        id=key,
        epoch=1,
        input=prompt,
        target=task.baselines.reference(one.sample),
        messages=[*prompt, output.message],
        output=output,
        scores={},
        metadata={"task": task_id, "status": str(one.response.status)},
        model_usage={run.model: output.usage} if output.usage else {},
        total_time=one.response.seconds,
    )


def _score(suite: Suite, task_id: str, one: Scored) -> Score:
    metric = suite.tasks[task_id].metric
    read_as = str(one.answer) if one.answer is not None else f"not an answer: {one.response.status}"
    return Score(
        value=number(one.metrics[metric]),
        answer=one.response.text,
        explanation=f"{metric}; {read_as}",
        metadata=dict(one.metrics),
    )


def _total_usage(samples: Sequence[EvalSample]) -> ModelUsage:
    total = ModelUsage()
    for sample in samples:
        for usage in sample.model_usage.values():
            total += usage
    return total
