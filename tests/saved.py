"""Predictions as other tools leave them on disk, made of the sample pack."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from hengfa.base.data.packs import sample_root
from hengfa.evals.suites.builtin import floor_of
from hengfa.evals.suites.lawbench.dataset import LawBenchSample, load
from hengfa.evals.suites.registry import get_suite

Answering = Callable[[str, list[LawBenchSample]], Callable[[LawBenchSample], str]]
"""Task id and all of its samples to what is answered to one of them."""


def sample_data() -> Path:
    return sample_root() / "lawbench"


def samples(task: str, setting: str = "zero_shot") -> list[LawBenchSample]:
    return load(task, sample_data(), setting)


def floor(task: str, all_samples: list[LawBenchSample]) -> Callable[[LawBenchSample], str]:
    """As one who knows nothing."""
    return floor_of(get_suite("lawbench").tasks[task])(all_samples)


def ceiling(task: str, _samples: list[LawBenchSample]) -> Callable[[LawBenchSample], str]:
    """As one who knows everything."""
    return get_suite("lawbench").tasks[task].baselines.reference


def rows(task: str, answering: Answering, setting: str = "zero_shot") -> dict[str, dict[str, Any]]:
    """A task's file in LawBench's own layout."""
    asked = samples(task, setting)
    answer = answering(task, asked)
    return {
        one.id: {"origin_prompt": one.prompt, "prediction": answer(one), "refr": one.answer}
        for one in asked
    }


def write_json(file: Path, content: object) -> Path:
    """As text where it is text, else as JSON."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return file


def write_model(
    root: Path,
    model: str,
    answering: Answering,
    tasks: Iterable[str],
    setting: str = "zero_shot",
) -> Path:
    """One model's folder in LawBench's own layout."""
    folder = root / setting / model
    for task in tasks:
        write_json(folder / f"{task}.json", rows(task, answering, setting))
    return folder
