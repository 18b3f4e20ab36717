"""Predictions of other tools for PLawBench: JSON lines, with every doubt said."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.suites.base import PredictionContext
from hengfa.evals.suites.plawbench.dataset import PLawBenchSample
from hengfa.evals.suites.plawbench.suite import SUITE
from hengfa.evals.suites.predictions import read_predictions

ROOT = sample_root() / "plawbench"


def context(**more: object) -> PredictionContext:
    fields: dict[str, object] = {"setting": "all", "data": ROOT, "partial": True}
    return PredictionContext(**fields | more)  # type: ignore[arg-type]


def write(file: Path, *rows: tuple[str, str | int, str]) -> Path:
    lines = ({"task": task, "id": id_, "prediction": text} for task, id_, text in rows)
    file.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), "utf-8")
    return file


def test_a_file_is_a_model_and_its_lines_find_their_samples(tmp_path: Path) -> None:
    file = write(
        tmp_path / "qwen.jsonl",
        ("defendant", 1, "丙"),
        ("case", 3, "乙"),
        ("case", "0", "甲"),
        ("consultation", 2, "丁"),
    )
    (saved,) = read_predictions(SUITE, file, context())
    assert (saved.model, saved.setting) == ("qwen", "all")
    assert saved.tasks() == ["consultation", "case", "defendant"]
    pairs = saved.attempts("case")
    assert [(sample.id, response.text) for sample, response, *_ in pairs] == [
        ("0", "甲"),
        ("3", "乙"),
    ]
    assert pickle.loads(pickle.dumps(saved)).attempts("consultation")[0][1].text == "丁"


def test_cases_are_counted_from_0(tmp_path: Path) -> None:
    (saved,) = read_predictions(SUITE, write(tmp_path / "m.jsonl", ("case", 4, "x")), context())
    with pytest.raises(DataError, match=r"row 1, field 'id': task case has no sample '4'"):
        saved.attempts("case")


def test_options_go_into_the_samples(tmp_path: Path) -> None:
    file = write(tmp_path / "m.jsonl", ("consultation", 1, "x"))
    (saved,) = read_predictions(SUITE, file, context(options=(("level", "hard"),)))
    ((sample, *_),) = saved.attempts("consultation")
    assert isinstance(sample, PLawBenchSample) and sample.asked == (25, 50)


def test_what_is_missing_or_strange_is_said(tmp_path: Path) -> None:
    file = write(tmp_path / "m.jsonl", ("case", 0, "x"))
    (saved,) = read_predictions(SUITE, file, context(partial=False))
    with pytest.raises(DataError, match=r"no prediction for 3 of 4 samples.*1; --partial"):
        saved.attempts("case")
    (saved,) = read_predictions(SUITE, file, context(data=None))
    with pytest.raises(UsageError, match="`hengfa data pull plawbench`"):
        saved.attempts("case")
    (saved,) = read_predictions(SUITE, write(file, ("essay", 0, "x")), context())
    with pytest.raises(DataError, match=r"row 1, field 'task': plawbench has no task 'essay'"):
        saved.tasks()
    with pytest.raises(UsageError, match="there is nothing at"):
        read_predictions(SUITE, tmp_path / "none", context())
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="expected files"):
        read_predictions(SUITE, tmp_path / "empty", context())
