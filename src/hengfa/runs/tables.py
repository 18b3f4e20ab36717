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
from hengfa.results.tables import Record, ResponseRow
from hengfa.runs.folder import write_tables
from hengfa.suites.base import AnyRuleSet, AnyTask, Rules, Sample
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
    """Keep what was scored: values in one table, texts in the other."""
    facets = [whole_facets(task, one.sample) for one in scored]
    instrument = rule_set.instrument()
    write_tables(
        folder,
        task.id,
        rules,
        [
            record
            for one, kinds in zip(scored, facets, strict=True)
            for record in records_of(origin, task, rules, instrument, one, kinds)
        ],
        [
            response_of(origin, task, rules, one, kinds)
            for one, kinds in zip(scored, facets, strict=True)
        ],
    )


def records_of(
    origin: Origin,
    task: AnyTask,
    rules: Rules,
    instrument: str | None,
    one: Scored,
    facets: Mapping[str, str],
) -> list[Record]:
    """One record per metric of a scored response."""
    response, usage = one.attempt.response, one.attempt.response.usage
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
            status=str(response.status),
            answer_status=one.answer_status,
            input_tokens=usage.input if usage else None,
            output_tokens=usage.output if usage else None,
            seconds=response.seconds or None,
            instrument=_graders(one) or instrument,
            data=origin.data,
            cluster=facets.get(task.cluster) if task.cluster else None,
            strict=value,
        )
        for metric, value in one.metrics.items()
    ]


def response_of(
    origin: Origin, task: AnyTask, rules: Rules, one: Scored, facets: Mapping[str, str]
) -> ResponseRow:
    """One response with its texts, and how it came to its score."""
    sample, response, _ = one.attempt
    usage, price = response.usage, origin.price
    return ResponseRow(
        run=origin.run,
        suite=origin.suite,
        task=task.id,
        setting=origin.setting,
        rules=str(rules),
        model=origin.model,
        sample=sample.id,
        cluster=facets.get(task.cluster) if task.cluster else None,
        facets=_json(facets),
        status=str(response.status),
        answer_status=one.answer_status,
        prompt=whole_characters(prompt_text(task.prompt(sample))),
        reference=whole_characters(task.baselines.reference(sample)),
        response=whole_characters(response.text),
        reasoning=whole_characters(response.reasoning),
        extracted=shown(one.answer.value) if one.answer is not None else "",
        trace=_json(one.score.explain()),
        input_tokens=usage.input if usage else None,
        output_tokens=usage.output if usage else None,
        seconds=response.seconds or None,
        cost=price.cost(usage) if price and usage else None,
        currency=price.currency if price and usage else None,
        reason=whole_characters(response.reason) or None,
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


def whole_facets(task: AnyTask, sample: Sample) -> Mapping[str, str]:
    """The kinds that a sample is of, as tables hold them."""
    kinds = task.facets(sample) if task.facets is not None else {}
    return {name: whole_characters(kind) for name, kind in kinds.items()}


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value, enc_hook=str).decode()
    except UnicodeEncodeError:  # half of a surrogate pair
        plain = json.dumps(msgspec.to_builtins(value, enc_hook=str), ensure_ascii=False)
        return plain.encode("utf-8", "replace").decode()


def _graders(one: Scored) -> str | None:
    """Those on whose word the value of a graded response rests."""
    graded = one.attempt.graded
    if graded is None or not graded.sheets:
        return None
    return f"prompt {PROMPT_VERSION}: " + ", ".join(graded.graders)
