"""Official scores equal the published evaluator's on real predictions (lawbench.md 8).

Whatever runs the shared folder holds are compared, to 1e-12, with the scores, abstention rates and
single items that the published evaluator gave; without `--deep` those of which single items are
known. Task 2-1 goes by the virtual clock.
"""

from __future__ import annotations

import csv
import gzip
import tarfile
from pathlib import Path

import pytest

from hengfa.base.workers import Processes
from hengfa.evals.runs.cells import score_task
from hengfa.evals.runs.folder import RunFigures
from hengfa.evals.runs.predictions import score_files
from hengfa.evals.suites.base import PredictionContext, Rules
from hengfa.evals.suites.lawbench.suite import SUITE
from hengfa.evals.suites.predictions import read_predictions

pytestmark = pytest.mark.shared
EXACT = 1e-12
OUTSIDE_ONE_CORE = 2


@pytest.fixture(scope="module")
def predictions(shared: Path, tmp_path_factory: pytest.TempPathFactory, deep: bool) -> Path:
    """The released predictions, in LawBench's own layout."""
    folder = tmp_path_factory.mktemp("predictions")
    items = shared / "reference" / "lawbench_item_scores"
    with_items = {tuple(file.name.split(".csv")[0].split("__")) for file in items.glob("*.csv.gz")}
    for archive in sorted((shared / "data" / "LawBench" / "predictions").glob("*.tar.xz")):
        with tarfile.open(archive) as packed:
            members = [one for one in packed if deep or Path(one.name).parts[-3:-1] in with_items]
            packed.extractall(folder, members, filter="data")
    return folder


@pytest.fixture(scope="module")
def outcomes(shared: Path, predictions: Path) -> dict[tuple[str, str], RunFigures]:
    data = str(shared / "data" / "LawBench")
    found = score_files(
        SUITE, [predictions], [Rules.OFFICIAL], data=data, executor=Processes(OUTSIDE_ONE_CORE)
    )
    return {(outcome.setting, outcome.model): outcome for outcome in found}


def rows(
    shared: Path, name: str, outcomes: dict[tuple[str, str], RunFigures] | None = None
) -> list[dict[str, str]]:
    """A table of references, of these runs alone where some are given."""
    with (shared / "reference" / name).open(encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    return [row for row in found if outcomes is None or (row["setting"], row["model"]) in outcomes]


def test_scores_and_abstention_of_all_released_runs(
    shared: Path, outcomes: dict[tuple[str, str], RunFigures]
) -> None:
    expected = rows(shared, "lawbench_scores.csv", outcomes)
    for row in expected:
        figure = outcomes[row["setting"], row["model"]].tasks[row["task"]]
        assert figure.score == pytest.approx(float(row["score"]), abs=EXACT), row
        assert figure.abstention == pytest.approx(float(row["abstention"]), abs=EXACT), row
    assert len(outcomes) in (4, 13)
    assert len(expected) == sum(len(outcome.tasks) for outcome in outcomes.values())


def test_edits_and_time_outs_of_proofreading(
    shared: Path, outcomes: dict[tuple[str, str], RunFigures]
) -> None:
    for row in rows(shared, "lawbench_2-1_virtual_clock.csv", outcomes):
        figure = outcomes[row["setting"], row["model"]].tasks["2-1"]
        counts = {part: figure.more[part] for part in ("tp", "fp", "fn")}
        assert counts == {part: float(row[part]) for part in counts}, row
        assert figure.score == float(row["virtual_clock_score"])
        assert round(figure.more["timed_out"] * 500) == int(row["n_timeouts"])


def test_the_abstention_that_the_published_evaluator_loses(shared: Path, predictions: Path) -> None:
    """2-6 counts abstention and reports it under a name that nobody reads: officially it is 0."""
    task = SUITE.tasks["2-6"]
    rule_set = task.rules(frozenset({"reported"}), None)
    expected = {
        (row["setting"], row["model"]): float(row["true_abstention"])
        for row in rows(shared, "lawbench_2-6_true_abstention.csv")
    }
    compared = 0
    for saved in read_predictions(SUITE, predictions, PredictionContext("zero_shot")):
        figure, _ = score_task(task, rule_set, saved.attempts("2-6"))
        assert figure.abstention == pytest.approx(expected[saved.setting, saved.model], abs=EXACT)
        compared += 1
    assert compared


@pytest.mark.parametrize("model", ["echo", "empty", "mixed", "oracle", "shift"])
def test_scores_of_synthetic_predictions(shared: Path, model: str) -> None:
    root = shared / "data" / "LawBench"
    file = root / "predictions" / "synthetic" / f"synthetic-{model}.jsonl.gz"
    (outcome,) = score_files(SUITE, [file], [Rules.OFFICIAL], data=str(root))
    expected = [
        row
        for row in rows(shared, "lawbench_scores_synthetic.csv")
        if row["model"] == f"synthetic-{model}"
    ]
    assert expected
    for row in expected:
        figure = outcome.tasks[row["task"]]
        assert figure.score == pytest.approx(float(row["score"]), abs=EXACT), row
        assert figure.abstention == pytest.approx(float(row["abstention"]), abs=EXACT), row


def test_scores_of_single_items(shared: Path, predictions: Path) -> None:
    """Task by task; a sample that is left out has no score there either."""
    data = shared / "data" / "LawBench"
    files = sorted((shared / "reference" / "lawbench_item_scores").glob("*.csv.gz"))
    assert files
    for file in files:
        setting, model = file.name.removesuffix(".csv.gz").split("__")
        if setting == "synthetic":
            place = data / "predictions" / "synthetic" / f"{model}.jsonl.gz"
        else:
            place = predictions / setting / model
        (saved,) = read_predictions(SUITE, place, PredictionContext("zero_shot", data))
        expected: dict[str, dict[str, str]] = {}
        with gzip.open(file, "rt", encoding="utf-8") as stream:
            for row in csv.DictReader(stream):
                expected.setdefault(row["task"], {})[row["id"]] = row["score"]
        for task_id, scores in expected.items():
            if task_id == "2-1":  # tests/law/text/test_proofreading_parity.py
                continue
            task = SUITE.tasks[task_id]
            _, scored = score_task(
                task, task.rule_set(Rules.OFFICIAL, data), saved.attempts(task_id)
            )
            found = {one.sample.id: dict(one.metrics) for one in scored}
            assert found.keys() == scores.keys()
            for id_, text in scores.items():
                got = found[id_]
                score = float(text) if text else None
                assert got[task.metric] == (
                    score if score is None else pytest.approx(score, abs=EXACT)
                ), (file.name, task_id, id_)
