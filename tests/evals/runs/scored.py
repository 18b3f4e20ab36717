"""Scored runs on disk, made of the sample pack and of responses that a test chooses."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from hengfa.evals.engine.messages import Options, Response, Status
from hengfa.evals.runs.cells import Cell, Origin, score_cell
from hengfa.evals.runs.folder import (
    FORMAT,
    MANIFEST,
    Manifest,
    RunFigures,
    figures_of,
    write_figures,
)
from hengfa.evals.suites.base import Attempt, Rules, Sample, SavedRun
from hengfa.evals.suites.plan import sample_pack
from hengfa.evals.suites.registry import get_suite
from hengfa.evals.suites.scoring import ANSWERS

Answering = Callable[[str, Sample, int], Response | None]
"""Task, sample and its place to a response; None leaves the sample unasked."""


def knowing(share: float, salt: str = "") -> Answering:
    """Right on this share of the samples, silent in words on the others."""

    def answer(task: str, sample: Sample, place: int) -> Response:
        drawn = hashlib.sha256(f"{salt}{task}/{sample.id}".encode()).digest()[0] / 256
        text = (
            get_suite("lawbench").tasks[task].baselines.reference(sample)
            if drawn < share
            else "不知道"
        )
        return Response(Status.ANSWERED, text)

    return answer


def without(places: range, answer: Answering) -> Answering:
    def partly(task: str, sample: Sample, place: int) -> Response | None:
        return None if place in places else answer(task, sample, place)

    return partly


@dataclass(frozen=True)
class Said(SavedRun):
    """Responses in memory, as something to score."""

    model: str
    setting: str
    by_task: dict[str, list[Attempt]] = field(default_factory=dict)

    def tasks(self) -> Sequence[str]:
        return list(self.by_task)

    def attempts(self, task: str) -> list[Attempt]:
        return self.by_task[task]


def score_sample_pack(
    folder: Path,
    model: str,
    answer: Answering,
    *,
    suite: str = "lawbench",
    tasks: Sequence[str] = (),
    rules: tuple[Rules, ...] = (Rules.OFFICIAL,),
    setting: str = "",
    options: Mapping[str, str] | None = None,
) -> dict[Rules, RunFigures]:
    """A run of the sample pack in this folder, scored; its outcomes by rules."""
    chosen, pack = get_suite(suite), sample_pack(suite)
    setting = setting or chosen.settings[0]
    picked = chosen.choose(options or {})
    said = Said(model, setting)
    for task in tasks or chosen.tasks:
        loaded = chosen.tasks[task].load(pack.root, setting, picked)
        answers = [(sample, answer(task, sample, n)) for n, sample in enumerate(loaded)]
        said.by_task[task] = [
            Attempt(sample, response) for sample, response in answers if response is not None
        ]
    origin = Origin(folder.name, suite, setting, model, pack.fingerprint)
    results = {
        task: score_cell(Cell(suite, said, task, rules, pack.root, keep=(folder, origin)))
        for task in said.by_task
    }
    manifest = Manifest(
        suite=suite,
        setting=setting,
        model=model,
        address="test",
        options=Options(),
        data=pack.fingerprint,
        data_source="sample",
        created="2025-01-01T00:00:00+00:00",
        hengfa="0",
        suite_options=picked,
        format=FORMAT,
    )
    (folder / MANIFEST).write_bytes(msgspec.json.encode(manifest))
    outcomes = {
        one: figures_of(
            chosen,
            {task: result.figures[one] for task, result in results.items()},
            {task: result.samples for task, result in results.items()},
            model=model,
            setting=setting,
            rules=one,
            accept=sorted(ANSWERS),
        )
        for one in rules
    }
    for outcome in outcomes.values():
        write_figures(folder, outcome)
    return outcomes
