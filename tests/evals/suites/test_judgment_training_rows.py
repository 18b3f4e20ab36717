"""Rows to train on: out of a file in the layout of the test set, without what gives it away."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_cli import hengfa
from tests.train.recipes.tiny_models import CHAT, needs_torch, write_tiny_model

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import DataError
from hengfa.evals.suites.judgment.dataset import all_samples, asked_with
from hengfa.evals.suites.judgment.prompts import TRAINING_FILE, sample_prompt, training_rows
from hengfa.evals.suites.judgment.suite import SUITE
from hengfa.train.recipes.files import read_labelled, read_targets

OWN: dict[str, Any] = {
    "text_id": "moon-lake-train-1",
    "text": "经审理查明，2033年7月9日，被告人蒲扇在月湖集市以假秤卖莲蓬，得款人民币八百元。",
    "la": [264, 9999],
    "fd": "月湖县人民法院 刑事判决书 被告人蒲扇犯盗窃罪，判处拘役三个月，并处罚金人民币一千元。",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The sample pack with a training split: a case of our own, and one of the test set."""
    root = Path(shutil.copytree(sample_root() / "judgment", tmp_path / "judge"))
    test = json.loads((root / "data" / "test.json").read_text("utf-8").splitlines()[0])
    rows = [OWN, {**test, "text_id": "stolen"}]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (root / TRAINING_FILE).write_text(lines, "utf-8")
    return root


COLOURS = "红橙黄绿青蓝紫黑白灰"


def coloured() -> list[dict[str, Any]]:
    """Cases that are like one another, but not too much."""
    return [
        {**OWN, "text_id": f"t{n}", "text": OWN["text"] + c * 60, "fd": c * 500}
        for n, c in enumerate(COLOURS)
    ]


def written(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return file


def test_a_model_learns_to_answer_the_question_of_the_test(root: Path, tmp_path: Path) -> None:
    made = training_rows(root, "sft")
    assert [row["id"] for row in made.rows] == ["moon-lake-train-1"]
    [target] = read_targets([written(tmp_path / "rows.jsonl", made.rows)])
    assert target.target == OWN["fd"]
    asked = sample_prompt(all_samples(root)[0])
    (_, system), (_, question) = target.messages
    assert system == asked[0].content
    assert OWN["text"] in question
    assert question.endswith(asked[1].content[-40:])


def test_a_retriever_learns_which_provisions_facts_lead_to(root: Path, tmp_path: Path) -> None:
    made = training_rows(root, "retriever")
    queries, passages = read_labelled([written(tmp_path / "rows.jsonl", made.rows)], "name+text")
    assert [(query.text, query.relevant) for query in queries] == [
        (OWN["text"], frozenset({"264"}))
    ]
    assert "264" in passages


def test_a_method_is_learnt_with_what_other_judgments_show(root: Path, tmp_path: Path) -> None:
    """The prompts are those of the test, and no row shows its own judgment."""
    file = written(tmp_path / "cases.jsonl", coloured())
    for method, options in (("rag", {"provisions": "2"}), ("few-shot", {"examples": "2"})):
        asked = asked_with(root, SUITE.choose(options))
        made = training_rows(root, "sft", file, method, asked)
        assert [row["target"] for row in made.rows] == [c * 500 for c in COLOURS]
        for row in made.rows:
            question = row["messages"][1]["content"]
            assert row["target"] not in question
            assert any(c * 500 in question for c in COLOURS)
            assert ("【可能适用的法条】" in question) == (method == "rag")


def test_facts_are_written_for_an_index_of_cases(root: Path) -> None:
    made = training_rows(root, "case-index")
    assert made.rows == [{"id": OWN["text_id"], "text": OWN["text"]}]


def test_a_case_of_the_test_set_is_left_out(root: Path) -> None:
    assert str(training_rows(root, "sft").leaks).startswith("1 of 2 judgments are refused")


def test_without_a_training_split_it_says_what_brings_it(root: Path) -> None:
    (root / TRAINING_FILE).unlink()
    with pytest.raises(DataError, match="data pull judge --with train"):
        training_rows(root, "sft")


@pytest.mark.parametrize(
    "words", [("--for", "retriever", "--method", "rag"), ("--set", "cases=folds")]
)
def test_options_that_say_nothing_here_are_refused(root: Path, words: tuple[str, ...]) -> None:
    done = hengfa("suite", "judgment", "training", "--data", str(root), "-o", "x", *words, cwd=root)
    assert done.returncode == 2


@needs_torch
@pytest.mark.parametrize(
    "command", ["training --for test --method direct", "training --method few-shot"]
)
def test_what_is_written_trains_a_model_that_answers(
    command: str, root: Path, tmp_path: Path
) -> None:
    """From the questions to a tuned model and its scored answers, with no step by hand."""
    if "--for test" not in command:
        written(root / TRAINING_FILE, coloured())
    write_tiny_model(tmp_path / "base", context=8192, template=CHAT)
    words = [
        f"judgment {command} --data {root} -o rows.jsonl",
        "train sft rows.jsonl --base base -o tuned --max-tokens 8000 --epochs 1",
        f"eval judgment --data {root} --limit 1 --model hf:tuned --max-new-tokens 4 --json",
    ]
    for line in words:
        done = hengfa(*line.split(), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def test_the_split_serves_prompts_and_the_command_writes_rows(root: Path, tmp_path: Path) -> None:
    done = hengfa(
        "suite", "judgment", "training", "--data", str(root), "-o", "rows.jsonl", cwd=tmp_path
    )
    assert (done.returncode, "wrote 1 row " in done.stderr) == (0, True)
    assert "1 of 2 judgments are refused" in done.stderr
    words = (
        "suite",
        "judgment",
        "prompts",
        "--method",
        "few-shot",
        "--data",
        str(root),
        "-o",
        "p.jsonl",
    )
    done = hengfa(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert OWN["fd"] in (tmp_path / "p.jsonl").read_text("utf-8")
