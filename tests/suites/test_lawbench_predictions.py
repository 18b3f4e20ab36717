"""Saved predictions: both layouts, and the errors that name file and id."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from hengfa.errors import DataError, HengfaError, UsageError
from hengfa.runs.score import score_files
from hengfa.suites.base import Rules
from hengfa.suites.lawbench.predictions import read_predictions
from hengfa.suites.lawbench.suite import SUITE

ROW = {"origin_prompt": "问", "prediction": "[正确答案]B<eoa>", "refr": "正确答案：B。"}


def no_data() -> Path:
    raise AssertionError("gold is in the predictions")


def write(root: Path, content: object, name: str = "zero_shot/m/1-2.json") -> Path:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return file


def test_setting_and_model_come_from_the_folders(tmp_path: Path) -> None:
    write(tmp_path, {"0": ROW}, "one_shot/甲/1-2.json")
    write(tmp_path, {"0": ROW, "1": ROW}, "zero_shot/乙/1-2.json")
    write(tmp_path, {"0": ROW}, "zero_shot/乙/notes.json")
    found = read_predictions(tmp_path, no_data, "zero_shot")
    assert [(one.setting, one.model, list(one.tasks())) for one in found] == [
        ("one_shot", "甲", ["1-2"]),
        ("zero_shot", "乙", ["1-2"]),
    ]
    assert len(found[1].pairs("1-2")) == 2


def test_ids_are_read_in_numeric_order_not_in_file_order(tmp_path: Path) -> None:
    rows = {str(i): {**ROW, "prediction": str(i)} for i in reversed(range(12))}
    write(tmp_path, rows)
    (saved,) = read_predictions(tmp_path, no_data, "zero_shot")
    assert [text for _, text in saved.pairs("1-2")] == [str(i) for i in range(12)]


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("{", "not readable as JSON"),
        ([], "expected an object keyed"),
        ({"0": ROW, "2": ROW}, "row 1"),
        ({"0": {**ROW, "prediction": None}}, "row 0, field 'prediction'"),
        ({"0": {"prediction": ""}}, "row 0, field 'refr'"),
        ({"zero": ROW}, "row 0"),
    ],
)
def test_a_bad_prediction_file_is_named_with_the_id(
    tmp_path: Path, content: object, named: str
) -> None:
    file = write(tmp_path, content)
    (saved,) = read_predictions(tmp_path, no_data, "zero_shot")
    with pytest.raises(DataError) as error:
        saved.pairs("1-2")
    assert str(file) in str(error.value)
    assert named in str(error.value)


@pytest.mark.parametrize("packed", [False, True])
def test_json_lines_take_their_gold_from_the_data(tmp_path: Path, packed: bool) -> None:
    lines = [{"task": "1-2", "id": i, "prediction": "C"} for i in (2, 0)]
    text = "\n".join(map(json.dumps, lines)).encode()
    file = tmp_path / ("gpt-4.1.jsonl.gz" if packed else "gpt-4.1.jsonl")
    file.write_bytes(gzip.compress(text) if packed else text)
    (outcome,) = score_files(SUITE, file, [Rules.OFFICIAL], data="sample")
    assert outcome.model == "gpt-4.1"
    assert (outcome.tasks["1-2"].score, outcome.tasks["1-2"].n) == (1.0, 2)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ('{"task": "1-2", "id": 99, "prediction": ""}', "no sample '99'"),
        ('{"task": "1-2", "id": 0}', "row 1"),
        ("nonsense", "row 1"),
        ('{"task": "1-2", "id": 0, "prediction": ""}\n' * 2, "row 2: task 1-2 has this id twice"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, line: str, named: str) -> None:
    file = write(tmp_path, line, "answers.jsonl")
    with pytest.raises(HengfaError) as error:
        score_files(SUITE, file, [Rules.OFFICIAL], data="sample")
    assert str(file) in str(error.value)
    assert named in str(error.value)


def test_a_folder_without_predictions_says_what_it_should_look_like(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="<setting>/<model>/<task>"):
        read_predictions(tmp_path, no_data, "zero_shot")
    with pytest.raises(UsageError, match="nothing at"):
        read_predictions(tmp_path / "gone", no_data, "zero_shot")


def test_tasks_that_the_suite_does_not_have_are_said_not_dropped_silently(tmp_path: Path) -> None:
    write(tmp_path, {"0": ROW})
    write(tmp_path, {"0": ROW}, "zero_shot/m/9-9.json")
    said: list[str] = []
    score_files(SUITE, tmp_path, [Rules.OFFICIAL], notify=said.append)
    assert any("9-9" in line for line in said)


@pytest.mark.parametrize(
    "content",
    [gzip.compress(b"{}" * 1000)[:-12], b"not gzip", gzip.compress(b'{"task": "\xff"}')],
    ids=["cut off", "no archive", "not UTF-8"],
)
def test_a_damaged_archive_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "m.jsonl.gz"
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"m\.jsonl\.gz"):
        score_files(SUITE, file, [Rules.OFFICIAL], data="sample")


def test_records_of_another_model_are_not_overwritten(tmp_path: Path) -> None:
    write(tmp_path, {"0": ROW})
    score_files(SUITE, tmp_path, [Rules.OFFICIAL], out=tmp_path / "out")
    with pytest.raises(UsageError, match="there already"):
        score_files(SUITE, tmp_path, [Rules.OFFICIAL], out=tmp_path / "out")
