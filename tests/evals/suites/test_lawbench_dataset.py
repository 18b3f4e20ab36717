"""LawBench files to samples: what is read, and how a bad row is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hengfa.base.errors import DataError, UsageError
from hengfa.evals.suites.lawbench.dataset import TASK_IDS, load, prompt

ROW = {"instruction": "背诵：\n", "question": "第一条是什么？", "answer": "答案:略"}


def write(root: Path, content: str, task: str = "1-1") -> Path:
    file = root / "data" / "zero_shot" / f"{task}.json"
    file.parent.mkdir(parents=True)
    file.write_text(content, encoding="utf-8")
    return file


def test_rows_become_samples_numbered_from_zero(tmp_path: Path) -> None:
    write(tmp_path, json.dumps([ROW, {**ROW, "question": "第二条是什么？"}]))
    samples = load("1-1", tmp_path, "zero_shot")
    assert [sample.id for sample in samples] == ["0", "1"]
    assert samples[1].question == "第二条是什么？"


def test_prompt_joins_with_one_newline_even_after_a_newline(tmp_path: Path) -> None:
    write(tmp_path, json.dumps([ROW]))
    (message,) = prompt(load("1-1", tmp_path, "zero_shot")[0], "zero_shot")
    assert (message.role, message.content) == ("user", "背诵：\n\n第一条是什么？")


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("[{", "not readable as JSON"),
        ("{}", "expected a JSON array"),
        ("[]", "at least one row"),
        ("[1]", "row 0"),
        (json.dumps([ROW, {**ROW, "answer": 3}]), "row 1, field 'answer'"),
        (json.dumps([{"instruction": "", "question": ""}]), "row 0, field 'answer'"),
    ],
)
def test_a_bad_file_is_named_with_row_and_field(tmp_path: Path, content: str, named: str) -> None:
    file = write(tmp_path, content)
    with pytest.raises(DataError) as error:
        load("1-1", tmp_path, "zero_shot")
    assert str(file) in str(error.value)
    assert named in str(error.value)


def test_a_missing_file_and_an_unknown_setting_are_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        load("1-1", tmp_path, "one_shot")
    with pytest.raises(UsageError, match="two_shot"):
        load("1-1", tmp_path, "two_shot")


@pytest.mark.parametrize(
    ("task", "gold"),
    [("1-2", "B"), ("2-8", "[正确答案]"), ("3-4", "刑期:略"), ("3-6", ""), ("3-7", "三元。")],
)
def test_a_gold_that_cannot_be_read_is_named(tmp_path: Path, task: str, gold: str) -> None:
    file = write(tmp_path, json.dumps([{**ROW, "answer": gold}]), task)
    with pytest.raises(DataError) as error:
        load(task, tmp_path, "zero_shot")
    place = f"{file}, row 0, field 'answer'"
    assert str(error.value) == f"{place}: {gold!r} is no gold answer of task {task}"


@pytest.mark.shared
@pytest.mark.parametrize("setting", ["zero_shot", "one_shot"])
@pytest.mark.parametrize("task", TASK_IDS)
def test_every_upstream_row_loads(shared: Path, task: str, setting: str) -> None:
    assert len(load(task, shared / "data" / "LawBench", setting)) == 500
