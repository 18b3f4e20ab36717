"""Scored runs made up for tests: the tables and figures of a run folder, without asking anybody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from hengfa.evals.engine.messages import Options
from hengfa.evals.report.site.boards import Source, boards
from hengfa.evals.report.site.model import PairDifference
from hengfa.evals.report.site.statistics import statistics_of
from hengfa.evals.results.tables import Record, ResponseRow, write_records, write_responses
from hengfa.evals.results.trace import Trace
from hengfa.evals.runs.compare import compare_runs, conclusions
from hengfa.evals.runs.folder import Manifest
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.registry import get_suite


@dataclass(frozen=True)
class Made:
    """One response; without a value it is no answer."""

    value: float | None
    response: str = "答：是。"
    prompt: str = "问：可以吗？"
    reference: str = "是。"
    facets: Mapping[str, str] = field(default_factory=dict)
    trace: Trace = field(default_factory=lambda: Trace("answer"))
    more: Mapping[str, float] = field(default_factory=dict)
    sample: str | None = None
    tokens: int | None = None
    cost: float | None = None


def make_run(
    folder: Path,
    tasks: Mapping[str, Sequence[Made]],
    *,
    model: str = "甲",
    suite: str = "lawbench",
    setting: str = "zero_shot",
    rules: Rules = Rules.OFFICIAL,
    further: Mapping[str, float] | None = None,
    **manifest: Any,
) -> Path:
    """A scored run in this folder; scores are means, and no answer earns nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    same = {"run": folder.name, "suite": suite, "setting": setting, "model": model}
    figures: dict[str, Any] = {}
    for task, made in tasks.items():
        metric = get_suite(suite).tasks[task].metric
        rows = [_response(task, rules, same, place, one) for place, one in enumerate(made)]
        records = [
            _record(row, name, value)
            for row, one in zip(rows, made, strict=True)
            for name, value in {metric: one.value, **one.more}.items()
        ]
        name = f"{task}.{rules}.parquet"
        write_responses(rows, folder / ResponseRow.FOLDER / name)
        write_records(records, folder / Record.FOLDER / name)
        figures[task] = {
            "score": sum(one.value or 0.0 for one in made) / len(made),
            "n": len(made),
            "floor": 0.1,
            "ceiling": 1.0,
            "statuses": Counter(row.status for row in rows),
            "more": {key: value for one in made for key, value in one.more.items()},
        }
    samples = sum(map(len, tasks.values()))
    document = {
        "tasks": figures,
        "figures": {},
        "further": further or {},
        "samples": samples,
        "accept": [],
    }
    (folder / f"figures.{rules}.json").write_bytes(msgspec.json.encode(document))
    given = {
        "address": "https://example.org",
        "options": Options(),
        "data": "0123",
        "data_source": None,
        "created": "2031-05-06T07:08:09+00:00",
        "hengfa": "0",
        **manifest,
    }
    known = Manifest(suite=suite, setting=setting, model=model, **given)
    (folder / "run.json").write_bytes(msgspec.json.encode(known))
    return folder


def _response(
    task: str, rules: Rules, same: Mapping[str, Any], place: int, one: Made
) -> ResponseRow:
    is_answer = one.value is not None
    return ResponseRow(
        **same,
        task=task,
        rules=str(rules),
        sample=one.sample or str(place),
        cluster=None,
        facets=msgspec.json.encode(one.facets).decode(),
        status="answered" if is_answer else "refused",
        answer_status="extracted" if is_answer else None,
        prompt=one.prompt,
        reference=one.reference,
        response=one.response,
        reasoning="",
        extracted=one.response[:2],
        trace=msgspec.json.encode(one.trace).decode(),
        input_tokens=one.tokens,
        output_tokens=one.tokens,
        seconds=None,
        cost=one.cost,
        currency=None if one.cost is None else "CNY",
    )


def _record(row: ResponseRow, metric: str, value: float | None) -> Record:
    return Record(
        run=row.run,
        suite=row.suite,
        task=row.task,
        setting=row.setting,
        rules=row.rules,
        model=row.model,
        sample=row.sample,
        metric=metric,
        value=value,
        counted=True,
        status=row.status,
        answer_status=row.answer_status,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        seconds=None,
        instrument=None,
        data="0123",
    )


def differing_from_the_command(sources: Sequence[Source]) -> dict[int, list[str]]:
    """How many comparisons a site of these runs has, and which cells or words of `hengfa compare`
    on the same two runs are others."""
    by_number = {source.number: source for source in sources}
    compared, other = 0, []
    for board in boards(sources):
        for rules in board.rules:
            for key, pair in statistics_of(board, rules).comparisons.pairs.items():
                compared += 1
                of = [by_number[int(number)] for number in key.split(",")]
                found = compare_runs([source.folder for source in of], rules)
                (told,) = found.as_json()["pairs"]
                name = " and ".join(source.name for source in of)
                if pair.said["en"] != conclusions(found):
                    other.append(f"{name}: {pair.said['en']}")
                rows = {row: _as_told(cell) for row, cell in pair.rows.items()}
                expected = {row: _of_site(cell) for row, cell in told["rows"].items()}
                other += [
                    f"{name}, {row}: {rows.get(row)}, not {cell}"
                    for row, cell in expected.items()
                    if rows.get(row) != cell
                ]
    return {compared: other}


def _as_told(cell: PairDifference) -> dict[str, Any]:
    told = msgspec.structs.asdict(cell)
    return told | {"verdict": cell.verdict or "not shown"}


def _of_site(cell: Mapping[str, Any]) -> dict[str, Any]:
    names = {"corrected": "p_corrected", "n": "samples"}
    told = {name: cell[names.get(name, name)] for name in PairDifference.__struct_fields__}
    return {
        name: round(value, 6) if isinstance(value, float) else value for name, value in told.items()
    }
