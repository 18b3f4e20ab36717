"""Official scores equal the published evaluator's on real predictions (LawBench spec 8)."""

from __future__ import annotations

import csv
import gzip
import tarfile
from pathlib import Path

import pytest

from hengfa.runs.score import score_files
from hengfa.suites.base import Rules
from hengfa.suites.lawbench.suite import SUITE

pytestmark = pytest.mark.shared
TASKS = tuple(SUITE.tasks)


@pytest.fixture(scope="module")
def predictions(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The released predictions of the tasks that we score, in LawBench's own layout."""
    folder = tmp_path_factory.mktemp("predictions")
    with tarfile.open(shared / "data" / "LawBench" / "predictions" / "dev.tar.xz") as archive:
        for member in archive.getmembers():
            if Path(member.name).stem in TASKS and member.isfile():
                archive.extract(member, folder, filter="data")
    return folder


def test_scores_and_abstention_of_all_released_runs(shared: Path, predictions: Path) -> None:
    with (shared / "reference" / "lawbench_scores.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["task"] in TASKS]
    outcomes = {
        (outcome.setting, outcome.model): outcome.tasks
        for outcome in score_files(SUITE, predictions, [Rules.OFFICIAL])
    }
    assert len(rows) == 13 * len(TASKS)
    for row in rows:
        figure = outcomes[row["setting"], row["model"]][row["task"]]
        assert figure.score == pytest.approx(float(row["score"]), abs=1e-12), row
        assert figure.abstention == pytest.approx(float(row["abstention"]), abs=1e-12), row


def test_scores_of_synthetic_predictions(shared: Path) -> None:
    root = shared / "data" / "LawBench"
    with (shared / "reference" / "lawbench_scores_synthetic.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["task"] in TASKS]
    assert len(rows) == 5 * len(TASKS)
    for model in {row["model"] for row in rows}:
        file_name = root / "predictions" / "synthetic" / f"{model}.jsonl.gz"
        (outcome,) = score_files(SUITE, file_name, [Rules.OFFICIAL], data=str(root))
        for row in (row for row in rows if row["model"] == model):
            figure = outcome.tasks[row["task"]]
            assert figure.score == pytest.approx(float(row["score"]), abs=1e-12), row
            assert figure.abstention == pytest.approx(float(row["abstention"]), abs=1e-12), row


@pytest.mark.parametrize(
    "run", ["zero_shot__GPT4", "zero_shot__qwen-7b-chat-hf", "one_shot__fuzi-mingcha-7b-hf"]
)
def test_scores_of_single_items(shared: Path, predictions: Path, run: str) -> None:
    from hengfa.engine.messages import Response, Status
    from hengfa.suites.scoring import score_response

    setting, model = run.split("__")
    with gzip.open(shared / "reference" / "lawbench_item_scores" / f"{run}.csv.gz", "rt") as file:
        expected = {
            (row["task"], row["id"]): float(row["score"])
            for row in csv.DictReader(file)
            if row["task"] in TASKS
        }
    (saved,) = SUITE.read_predictions(predictions / setting / model, Path, setting)
    found = {}
    for task_id in saved.tasks():
        task = SUITE.tasks[task_id]
        for sample, text in saved.pairs(task_id):
            response = Response(status=Status.ANSWERED, text=text)
            scored = score_response(task, Rules.OFFICIAL, sample, response)
            found[task_id, sample.id] = scored.metrics[task.metric]
    assert len(expected) == 500 * len(TASKS)
    assert found == pytest.approx(expected, abs=1e-12)
