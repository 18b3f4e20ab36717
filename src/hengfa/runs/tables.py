"""Scored responses as the two tables of a run: records of values, and rows of texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from hengfa.engine.messages import Message
from hengfa.engine.prices import Price
from hengfa.grading.prompt import PROMPT_VERSION
from hengfa.results.record import Record
from hengfa.results.response import ResponseRow
from hengfa.results.store import write_records, write_responses
from hengfa.results.trace import Trace
from hengfa.suites.base import AnyRuleSet, AnyTask, Graded, Rules, Sample
from hengfa.suites.scoring import Scored


@dataclass(frozen=True, slots=True)
class Origin:
    """Where scored responses come from: what is the same for all of them."""

    run: str
    suite: str
    setting: str
    model: str
    data: str
    price: Price | None = None


def save_tables(
    folder: Path,
    origin: Origin,
    task: AnyTask,
    rules: Rules,
    rule_set: AnyRuleSet,
    scored: Sequence[Scored],
) -> None:
    """One file per task and rules, so that scoring one task again leaves the others alone."""
    name = f"{task.id}.{rules}.parquet"
    records = records_of(origin, task, rules, rule_set, scored)
    responses = [response_of(origin, task, rules, rule_set, one) for one in scored]
    write_records(records, folder / Record.FOLDER / name)
    write_responses(responses, folder / ResponseRow.FOLDER / name)


def records_of(
    origin: Origin, task: AnyTask, rules: Rules, rule_set: AnyRuleSet, scored: Sequence[Scored]
) -> list[Record]:
    """One record per sample and metric."""
    instrument = rule_set.instrument() if rule_set.instrument is not None else None
    return [
        Record(
            run=origin.run,
            suite=origin.suite,
            task=task.id,
            setting=origin.setting,
            rules=str(rules),
            model=origin.model,
            sample=one.sample.id,
            metric=metric,
            value=value if one.answer is not None else None,
            counted=value is not None,
            status=str(one.response.status),
            answer_status=str(one.answer) if one.answer is not None else None,
            input_tokens=one.response.usage.input if one.response.usage else None,
            output_tokens=one.response.usage.output if one.response.usage else None,
            seconds=one.response.seconds or None,
            instrument=_graders(one.sample) or instrument,
            data=origin.data,
            cluster=_cluster(task, _facets(task, one.sample)),
        )
        for one in scored
        for metric, value in one.metrics.items()
    ]


def response_of(
    origin: Origin, task: AnyTask, rules: Rules, rule_set: AnyRuleSet, one: Scored
) -> ResponseRow:
    """One response with its texts, and how it came to its score."""
    response, usage = one.response, one.response.usage
    asked = one.sample.sample if isinstance(one.sample, Graded) else one.sample
    facets = _facets(task, one.sample)
    text = whole_characters(response.text)
    explain = rule_set.trace if one.answer is not None else None
    return ResponseRow(
        run=origin.run,
        suite=origin.suite,
        task=task.id,
        setting=origin.setting,
        rules=str(rules),
        model=origin.model,
        sample=one.sample.id,
        cluster=_cluster(task, facets),
        facets=_json(facets),
        status=str(response.status),
        answer_status=str(one.answer) if one.answer is not None else None,
        prompt=whole_characters(prompt_text(task.prompt(asked))),
        reference=whole_characters(task.baselines.reference(asked)),
        response=text,
        reasoning=whole_characters(response.reasoning),
        extracted=shown(one.value),
        trace=_json(explain(one.sample, text) if explain is not None else Trace("answer")),
        input_tokens=usage.input if usage else None,
        output_tokens=usage.output if usage else None,
        seconds=response.seconds or None,
        cost=origin.price.cost(usage) if origin.price and usage else None,
        currency=origin.price.currency if origin.price and usage else None,
    )


def prompt_text(messages: Sequence[Message]) -> str:
    """A prompt as one text; where it has several messages, each begins with its role."""
    if len(messages) == 1:
        return messages[0].content
    return "\n\n".join(f"[{message.role}]\n{message.content}" for message in messages)


def shown(value: Any) -> str:
    """What extraction read, as a person can read it."""
    if value is None:
        return ""
    return whole_characters(value) if isinstance(value, str) else _json(value)


def whole_characters(text: str) -> str:
    """Half of a surrogate pair, which no table can hold, as `\\ud83d`; nothing else changes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _facets(task: AnyTask, sample: Sample) -> Mapping[str, str]:
    asked = sample.sample if isinstance(sample, Graded) else sample
    found = task.facets(asked) if task.facets is not None else {}
    return {name: whole_characters(kind) for name, kind in found.items()}


def _cluster(task: AnyTask, facets: Mapping[str, str]) -> str | None:
    return facets.get(task.cluster) if task.cluster is not None else None


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value, enc_hook=str).decode()
    except UnicodeEncodeError:  # half of a surrogate pair
        plain = json.dumps(msgspec.to_builtins(value, enc_hook=str), ensure_ascii=False)
        return plain.encode("utf-8", "replace").decode()


def _graders(sample: Sample) -> str | None:
    """Those on whose word the value of a graded sample rests."""
    if not isinstance(sample, Graded) or not sample.sheets:
        return None
    return f"prompt {PROMPT_VERSION}: " + ", ".join(sheet.grader for sheet in sample.sheets)
