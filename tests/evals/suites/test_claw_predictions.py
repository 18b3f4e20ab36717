"""Predictions of other tools for CLaw: JSON lines, with every doubt said."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.suites.base import PredictionContext
from hengfa.evals.suites.claw.dataset import load
from hengfa.evals.suites.claw.suite import SUITE
from hengfa.evals.suites.predictions import read_predictions

ROOT = sample_root() / "claw"
ONE, OTHER = "月湖渡船法/2008-03-12/1", "月湖渡船法/2008-03-12/2.1"


def context(**more: object) -> PredictionContext:
    fields: dict[str, object] = {"setting": "all", "data": ROOT, "partial": True}
    return PredictionContext(**fields | more)  # type: ignore[arg-type]


def write(file: Path, *rows: tuple[str, str, str]) -> Path:
    lines = ({"task": task, "id": id_, "prediction": text} for task, id_, text in rows)
    file.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), "utf-8")
    return file


def test_a_file_is_a_model_and_its_lines_find_their_samples(tmp_path: Path) -> None:
    file = write(
        tmp_path / "qwen.jsonl", ("content", OTHER, "乙"), ("content", ONE, "甲"), ("id", ONE, "x")
    )
    (saved,) = read_predictions(SUITE, file, context())
    assert (saved.model, saved.setting) == ("qwen", "all")
    assert saved.tasks() == ["id", "content"]
    pairs = saved.attempts("content")
    assert [(attempt.sample.id, attempt.response.text) for attempt in pairs] == [
        (ONE, "甲"),
        (OTHER, "乙"),
    ]
    assert pickle.loads(pickle.dumps(saved)).attempts("id")[0].response.text == "x"


def test_a_folder_holds_a_model_in_each_file(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl"):
        write(tmp_path / name, ("id", ONE, "x"))
    assert [saved.model for saved in read_predictions(SUITE, tmp_path, context())] == ["a", "b"]


def test_a_complete_file_needs_no_word(tmp_path: Path) -> None:
    rows = [("id", sample.id, "x") for sample in load("id", ROOT, "unique-text", {})]
    (saved,) = read_predictions(
        SUITE, write(tmp_path / "m.jsonl", *rows), context(setting="unique-text", partial=False)
    )
    assert len(saved.attempts("id")) == len(rows)


def test_options_decide_which_samples_there_are(tmp_path: Path) -> None:
    file = write(tmp_path / "m.jsonl", ("id", "月湖风筝法/2025-06-18/1", "x"))
    (saved,) = read_predictions(SUITE, file, context())
    with pytest.raises(
        DataError, match="has no sample '月湖风筝法/2025-06-18/1' in all with these"
    ):
        saved.attempts("id")
    (saved,) = read_predictions(SUITE, file, context(options=(("cutoff", "2026-01-01"),)))
    assert len(saved.attempts("id")) == 1


def test_what_is_missing_or_strange_is_said(tmp_path: Path) -> None:
    file = write(tmp_path / "m.jsonl", ("id", ONE, "x"))
    (saved,) = read_predictions(SUITE, file, context(partial=False))
    with pytest.raises(DataError, match=r"no prediction for 234 of 235 samples.*--partial"):
        saved.attempts("id")
    (saved,) = read_predictions(SUITE, file, context(data=None))
    with pytest.raises(UsageError, match="`hengfa data add statutes DIR`"):
        saved.attempts("id")
    (saved,) = read_predictions(SUITE, write(file, ("essay", ONE, "x")), context())
    with pytest.raises(DataError, match=r"row 1, field 'task': claw has no task 'essay'"):
        saved.tasks()
    with pytest.raises(UsageError, match="there is nothing at"):
        read_predictions(SUITE, tmp_path / "none", context())
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="expected files"):
        read_predictions(SUITE, tmp_path / "empty", context())
