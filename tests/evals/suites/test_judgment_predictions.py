"""Rows of the data and lines of saved outputs: read, or refused with their place."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError, UsageError
from hengfa.evals.suites import registry
from hengfa.evals.suites.base import PredictionContext
from hengfa.evals.suites.judgment.dataset import all_samples, load
from hengfa.evals.suites.judgment.suite import SUITE
from hengfa.evals.suites.predictions import read_predictions

DATA = sample_root() / "judgment"
CONTEXT = PredictionContext("direct", DATA)
IDS = [sample.id for sample in all_samples(DATA)]


def write(file: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    file.write_bytes(gzip.compress(text.encode()) if file.suffix == ".gz" else text.encode())
    return file


def rows() -> list[dict[str, object]]:
    return [{"id": id_, "document": f"文书{id_}"} for id_ in IDS]


@pytest.mark.parametrize("name", ["我的模型.jsonl", "我的模型.jsonl.gz"])
def test_upstreams_layout(tmp_path: Path, name: str) -> None:
    (saved,) = read_predictions(SUITE, write(tmp_path / name, rows()), CONTEXT)
    assert (saved.model, saved.setting, saved.tasks()) == ("我的模型", "direct", ["document"])
    attempts = saved.attempts("document")
    assert [attempt.sample.id for attempt in attempts] == IDS
    assert attempts[3].response.text == f"文书{IDS[3]}"


def test_a_folder_has_one_run_for_each_file(tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", rows())
    write(tmp_path / "a.jsonl.gz", rows())
    assert [saved.model for saved in read_predictions(SUITE, tmp_path, CONTEXT)] == ["a", "b"]


def test_of_two_lines_with_one_id_the_later_counts(tmp_path: Path) -> None:
    twice: list[dict[str, object]] = [*rows(), {"id": IDS[0], "document": "后来的"}]
    (saved,) = read_predictions(SUITE, write(tmp_path / "m.jsonl", twice), CONTEXT)
    assert saved.attempts("document")[0].response.text == "后来的"


def test_our_own_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.OWN, "judgment", "hengfa.evals.suites.judgment.suite")
    lines = [{"task": "document", "id": id_, "prediction": "甲"} for id_ in IDS]
    (saved,) = read_predictions(SUITE, write(tmp_path / "m.jsonl", lines), CONTEXT)
    assert saved.tasks() == ["document"]
    assert len(saved.attempts("document")) == 8


def test_missing_cases_need_partial(tmp_path: Path) -> None:
    file = write(tmp_path / "m.jsonl", rows()[:3])
    (saved,) = read_predictions(SUITE, file, CONTEXT)
    with pytest.raises(DataError, match=r"5 of 8 cases.*--partial"):
        saved.attempts("document")
    (saved,) = read_predictions(SUITE, file, PredictionContext("direct", DATA, partial=True))
    assert len(saved.attempts("document")) == 3


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"id": "nobody", "document": "甲"}', "row 1, field 'id': there is no case nobody"),
        ('{"id": "1"}', "row 1, field 'document'"),
        ('{"id": "1", "document": 3}', "row 1, field 'document'"),
        ("{", "row 1: not readable as JSON"),
        ("", "there is nothing in this file"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, content: str, problem: str) -> None:
    file = tmp_path / "m.jsonl"
    file.write_text(content, "utf-8")
    (saved,) = read_predictions(SUITE, file, CONTEXT)
    with pytest.raises(DataError, match=problem):
        saved.attempts("document")


def test_half_a_surrogate_pair_is_text(tmp_path: Path) -> None:
    file = tmp_path / "m.jsonl"
    lines = [json.dumps({**row, "document": "\ud800甲"}) for row in rows()]
    file.write_text("\n".join(lines), "utf-8")
    (saved,) = read_predictions(SUITE, file, CONTEXT)
    assert saved.attempts("document")[0].response.text == "\ud800甲"


def test_a_broken_archive_is_named(tmp_path: Path) -> None:
    file = tmp_path / "m.jsonl.gz"
    file.write_bytes(gzip.compress(b'{"id": 1}' * 50)[:-12])
    with pytest.raises(DataError, match="is damaged"):
        read_predictions(SUITE, file, CONTEXT)


def test_wrong_calls(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing at"):
        read_predictions(SUITE, tmp_path / "gone", CONTEXT)
    with pytest.raises(UsageError, match="holds no judgment predictions"):
        read_predictions(SUITE, tmp_path, CONTEXT)
    (saved,) = read_predictions(
        SUITE, write(tmp_path / "m.jsonl", rows()), PredictionContext("direct")
    )
    with pytest.raises(UsageError, match="hengfa data add judge"):
        saved.attempts("document")
    with pytest.raises(UsageError, match="no setting"):
        load(DATA, "nine-shot", {})
    with pytest.raises(UsageError, match="none of head, legacy"):
        SUITE.choose({"version": "old"})


ROW = {"text_id": "1", "text": " 事实", "la": [264], "fd": "判决书"}


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ([{**ROW, "fd": " "}], "row 1, field 'fd': is blank"),
        ([{**ROW, "la": ["264"]}], "row 1, field 'la"),
        ([{**ROW, "la": [264, -1]}], "row 1, field 'la"),
        ([{**ROW, "la": [10_000]}], "row 1, field 'la"),
        ([ROW, ROW], "row 2, field 'text_id': the id 1 is there twice"),
        ([], "no case"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, bad: list[dict[str, object]], problem: str) -> None:
    (tmp_path / "data").mkdir()
    write(tmp_path / "data" / "test.json", bad)
    with pytest.raises(DataError, match=problem):
        load(tmp_path, "direct", {})


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"test\.json"):
        load(tmp_path, "direct", {})


def test_options_reach_the_samples() -> None:
    chosen = SUITE.choose({"version": "legacy"})
    assert {sample.version for sample in load(DATA, "few-shot", chosen)} == {"legacy"}
    assert {sample.method for sample in load(DATA, "few-shot", chosen)} == {"few-shot"}
