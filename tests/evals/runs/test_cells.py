"""Scoring without asking: on one core or several, all or nothing, with effects and a scale."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from tests.saved import ceiling, floor, rows, sample_data, samples, write_json, write_model

from hengfa.base.errors import DataError, HengfaError, UsageError
from hengfa.base.workers import Processes
from hengfa.evals.engine.messages import Response
from hengfa.evals.results.tables import read_records
from hengfa.evals.runs.cells import Cell, readable, scale_of, score_cell, score_cells, score_task
from hengfa.evals.runs.evaluate import evaluate
from hengfa.evals.runs.folder import IMPORTED, RunFigures
from hengfa.evals.runs.look import list_runs, tell
from hengfa.evals.runs.predictions import score_files
from hengfa.evals.runs.score import HowScored, outcomes_json, score_run, score_runs
from hengfa.evals.suites.base import Attempt, PredictionContext, Rules, SavedRun
from hengfa.evals.suites.lawbench.dataset import TASK_IDS, LawBenchSample
from hengfa.evals.suites.lawbench.suite import SUITE
from hengfa.evals.suites.predictions import read_predictions
from hengfa.evals.suites.scoring import ANSWERS, Scale

FEW_TASKS = ("1-2", "2-3", "2-6", "3-4")
BOTH = (Rules.OFFICIAL, Rules.CORRECTED)


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    """Three runs of two models."""
    folder = tmp_path / "predictions"
    write_model(folder, "low", floor, FEW_TASKS)
    write_model(folder, "high", ceiling, FEW_TASKS)
    write_model(folder, "high", ceiling, FEW_TASKS[:2], "one_shot")
    return folder


def score(folder: Path, **options: Any) -> list[RunFigures]:
    return score_files(SUITE, [folder], BOTH, **{"data": "sample", **options})


def cell(folder: Path, task: str, data: Path | None, rules: tuple[Rules, ...] = BOTH) -> Cell:
    (saved,) = read_predictions(SUITE, folder, PredictionContext("zero_shot", data))
    return Cell("lawbench", saved, task, rules, data, effects=len(rules) > 1)


def everything(folder: Path) -> list[str]:
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*"))


# One core or several


def test_several_processes_find_what_one_finds(predictions: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    alone = score(predictions, executor=Processes(1), out=tmp_path / "alone")
    shared = score(
        predictions,
        executor=Processes(2),
        out=tmp_path / "shared",
        watch=lambda done, total: told.append((done, total)),
    )
    assert everything(tmp_path / "alone") == everything(tmp_path / "shared")
    assert read_records([tmp_path / "alone"]).equals(read_records([tmp_path / "shared"]))
    assert outcomes_json(SUITE.name, shared) == outcomes_json(SUITE.name, alone)
    assert [(o.model, o.setting, o.rules) for o in shared] == [
        (model, setting, rules)
        for model, setting in (("high", "one_shot"), ("high", "zero_shot"), ("low", "zero_shot"))
        for rules in BOTH
    ]
    assert told == [(done, 10) for done in range(1, 11)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_is_the_same_from_any_process_and_nothing_is_written(
    predictions: Path, tmp_path: Path, jobs: int
) -> None:
    content = rows("3-4", floor)
    content["5"]["prediction"] = 5
    file = write_json(predictions / "zero_shot/low/3-4.json", content)
    before = everything(tmp_path)
    with pytest.raises(DataError) as error:
        score(predictions, executor=Processes(jobs), out=tmp_path / "out")
    assert str(error.value) == f"{file}, row 5, field 'prediction': expected text"
    assert everything(tmp_path) == before


@dataclass(frozen=True)
class Deadly(SavedRun):
    """Predictions that end whoever reads them, as a lack of memory would."""

    model: str = "deadly"
    setting: str = "zero_shot"
    parent: int = os.getpid()

    def tasks(self) -> Sequence[str]:
        return ["1-1"]

    def attempts(self, _task: str) -> list[Attempt]:
        assert os.getpid() != self.parent
        os.kill(os.getpid(), signal.SIGKILL)
        return []


def test_a_process_that_dies_is_said_and_not_waited_for() -> None:
    cells = [Cell("lawbench", Deadly(), "1-1", (Rules.OFFICIAL,), None)] * 2
    with pytest.raises(HengfaError, match="--jobs 1"):
        score_cells(cells, Processes(2))


def run(name: str, target: str, runs: Path) -> tuple[Path, list[RunFigures]]:
    done = evaluate(target, name, data="sample", rules="both", runs=runs)
    return done.folder, [*done.scores.outcomes]


def test_a_run_of_ours_is_scored_the_same_by_several_processes(tmp_path: Path) -> None:
    folder, alone = run("floor", "lawbench/1-2,2-3", tmp_path)
    shared = score_run(folder, BOTH, executor=Processes(2))
    alone = [structs.replace(outcome, asked=None) for outcome in alone]
    assert outcomes_json(SUITE.name, shared) == outcomes_json(SUITE.name, alone)


def test_many_runs_are_scored_as_wholes(tmp_path: Path) -> None:
    folders = [run(name, "lawbench/1-2,2-3", tmp_path)[0] for name in ("floor", "ceiling")]
    folders += [run("floor", "lawbench/2-6", tmp_path / "other")[0]]
    how = HowScored(BOTH, FEW_TASKS, ANSWERS, None)
    told: list[tuple[int, int]] = []
    expected = [outcome for folder in folders for outcome in score_run(folder, BOTH)]
    for workers in (1, 2):  # fewer than there are runs
        outcomes = score_runs(
            folders, how, executor=Processes(workers), watch=lambda *done: told.append(done)
        )
        assert outcomes_json(SUITE.name, outcomes) == outcomes_json(SUITE.name, expected)
    assert told == [(done, 3) for done in (1, 2, 3)] * 2
    (folders[1] / "journal.jsonl").unlink()
    with pytest.raises(UsageError, match="lawbench-zero_shot-ceiling"):
        score_runs(folders, how, executor=Processes(2))


# What each fix does


def test_an_effect_is_one_fix_alone_minus_official(tmp_path: Path) -> None:
    quoting = [  # one response for each fix of 3-4, and one for none
        "被告人犯罪时18个月。[刑期]36个月<eoa>",
        "判处有期徒刑三年六个月",
        "判处有期徒刑 24 个 月，缓刑",
        "2016年3月28日被判一年",
        "刑期99999999999个月",
        "不知道",
    ]
    content = rows("3-4", floor)
    for row, text in zip(content.values(), quoting, strict=False):
        row["prediction"] = text
    write_json(tmp_path / "zero_shot/m/3-4.json", content)
    one = cell(tmp_path, "3-4", sample_data())
    result = score_cell(one)
    task, effects = SUITE.tasks["3-4"], result.figures[Rules.CORRECTED].effects
    assert effects is not None
    assert set(effects) == set(task.fixes)
    official = result.figures[Rules.OFFICIAL].score
    assert official is not None
    for fix, effect in effects.items():
        rule_set = task.rules(frozenset({fix}), sample_data())
        alone, _ = score_task(task, rule_set, one.saved.attempts("3-4"))
        assert effect == (alone.score or 0.0) - official
    assert all(effects[fix] for fix in ("wrapper", "years", "spaces", "dates", "clip"))
    assert effects["judged"] == 0.0


def test_the_only_fix_of_a_task_is_all_that_corrected_does(tmp_path: Path) -> None:
    content = rows("3-1", floor)
    content["0"]["prediction"] = "刑法第264条第1款"
    write_json(tmp_path / "zero_shot/m/3-1.json", content)
    result = score_cell(cell(tmp_path, "3-1", None))
    scores = [result.figures[rules].score or 0.0 for rules in BOTH]
    assert result.figures[Rules.CORRECTED].effects == {"articles": scores[1] - scores[0]}


def test_effects_need_both_rules_and_a_task_with_fixes(predictions: Path, tmp_path: Path) -> None:
    low = predictions / "zero_shot" / "low"
    for rules in BOTH:
        assert score_cell(cell(low, "1-2", None, (rules,))).figures[rules].effects is None
    write_model(tmp_path / "events", "m", ceiling, ["2-9"])
    events = score_cell(cell(tmp_path / "events", "2-9", None))
    assert events.figures[Rules.CORRECTED].effects == {}
    (official, corrected) = score_files(SUITE, [low], BOTH)
    assert {task.effects is None for task in official.tasks.values()} == {True}
    assert {task.effects is None for task in corrected.tasks.values()} == {False}
    assert "effects" not in official.as_json()["tasks"]["1-2"]
    assert set(corrected.as_json()["tasks"]["1-2"]["effects"]) == {"wrapper", "letters"}


# The scale from knowing nothing to knowing everything


@pytest.mark.parametrize("setting", ["zero_shot", "one_shot"])
def test_skill_is_0_for_the_trivial_answer_and_1_for_the_reference(
    tmp_path: Path, setting: str
) -> None:
    write_model(tmp_path, "high", ceiling, TASK_IDS, setting)
    write_model(tmp_path, "low", floor, TASK_IDS, setting)
    for outcome in score(tmp_path):
        expected = 1.0 if outcome.model == "high" else 0.0
        skills = {task: outcome.tasks[task].skill for task in TASK_IDS}
        assert skills == pytest.approx(dict.fromkeys(TASK_IDS, expected), abs=1e-12)
        shown = outcome.as_json()["tasks"]["1-2"]
        assert shown["floor"] < shown["ceiling"]
        assert shown["skill"] == pytest.approx(expected)


@pytest.mark.parametrize(("name", "expected"), [("floor", 0.0), ("ceiling", 1.0)])
def test_the_built_in_models_are_the_ends_of_the_scale(
    tmp_path: Path, name: str, expected: float
) -> None:
    outcomes = run(name, "lawbench/2-4,2-6", tmp_path)[1]
    assert [outcome.tasks["2-4"].skill for outcome in outcomes] == [expected, expected]
    assert [outcome.tasks["2-6"].skill for outcome in outcomes] == [expected, expected]


def test_a_part_of_the_samples_has_its_own_scale_with_the_same_trivial_answer() -> None:
    asked = samples("1-2")
    trivial = floor("1-2", asked)(asked[0])
    for sample in asked:
        found = scale_of(
            "lawbench", "1-2", "zero_shot", (), Rules.OFFICIAL, sample_data(), (sample.id,)
        )
        right = sample.answer == f"正确答案：{trivial.removeprefix('[正确答案]')[0]}。"
        assert found == Scale(float(right), 1.0)
        assert (found.skill(1.0) is None) == right  # where both ends are one there is no scale


def test_there_is_no_scale_without_the_data(predictions: Path, tmp_path: Path) -> None:
    low = predictions / "zero_shot" / "low"
    said: list[str] = []
    (outcome,) = score_files(SUITE, [low], [Rules.OFFICIAL], notify=said.append)
    assert "no skill figures" in said[0]
    assert "hengfa data pull lawbench" in said[0]
    assert {(one.floor, one.ceiling, one.skill) for one in outcome.tasks.values()} == {(None,) * 3}
    shown = outcome.as_json()["tasks"]["1-2"]
    assert (shown["floor"], shown["ceiling"], shown["skill"]) == (None, None, None)
    elsewhere = tmp_path / "elsewhere"  # other tasks only
    write_json(elsewhere / "data/zero_shot/1-1.json", [
        {"instruction": "", "question": "", "answer": ""}
    ])  # fmt: skip
    (outcome,) = score_files(SUITE, [low], [Rules.OFFICIAL], data=str(elsewhere))
    assert {task.ceiling for task in outcome.tasks.values()} == {None}


def test_there_is_no_scale_for_samples_that_the_data_does_not_have(tmp_path: Path) -> None:
    content = rows("1-2", ceiling)
    content[str(len(content))] = dict(content["0"])
    write_json(tmp_path / "zero_shot/m/1-2.json", content)
    (outcome,) = score_files(SUITE, [tmp_path], [Rules.OFFICIAL], data="sample")
    assert (outcome.tasks["1-2"].n, outcome.tasks["1-2"].floor) == (len(content), None)


# What is written


def test_predictions_become_runs_that_are_listed(predictions: Path, tmp_path: Path) -> None:
    out = tmp_path / "some" / "where"
    outcomes = score(predictions, out=out)
    names = ["high", "low"]
    folders = ["lawbench-one_shot-high", *(f"lawbench-zero_shot-{name}" for name in names)]
    assert sorted(one.name for one in out.iterdir()) == folders
    assert everything(out / folders[2]) == sorted([
        "run.json", "figures.official.json", "figures.corrected.json", "records", "responses",
        *(f"{table}/{task}.{rules}.parquet" for table in ("records", "responses")
          for task in FEW_TASKS for rules in BOTH),
    ])  # fmt: skip
    listed = list_runs(out)
    assert [one.name for one in listed] == folders
    low = next(one for one in listed if one.name == folders[2])
    assert (low.manifest.model, low.manifest.address) == ("low", IMPORTED)
    assert low.manifest.data_source == "sample"
    by_rules = {str(o.rules): o.figures for o in outcomes if o.model == "low"}
    assert low.figures == {"": by_rules}
    assert low.samples == sum(len(samples(task)) for task in FEW_TASKS)
    frame = read_records([out / folders[2]])
    assert set(frame["run"]) == {folders[2]}
    assert set(frame["model"]) == {"low"}
    assert set(frame["task"]) == set(FEW_TASKS)


def test_an_error_leaves_what_was_there(predictions: Path, tmp_path: Path) -> None:
    write_json(predictions / "zero_shot/low/3-4.json", "{")
    (tmp_path / "out" / "other").mkdir(parents=True)
    with pytest.raises(DataError, match=r"low/3-4\.json"):
        score(predictions, out=tmp_path / "out")
    assert everything(tmp_path / "out") == ["other"]


def test_a_run_that_is_there_is_not_overwritten(predictions: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    score(predictions / "one_shot", out=out)
    before = {name: (out / name).stat().st_mtime_ns for name in everything(out)}
    with pytest.raises(UsageError, match=r"lawbench-one_shot-high is there already"):
        score(predictions, out=out)
    assert {name: (out / name).stat().st_mtime_ns for name in everything(out)} == before
    score(predictions / "zero_shot", out=out)
    assert len(list_runs(out)) == 3


def test_two_of_one_name_do_not_become_one_run(predictions: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    write_model(again, "low", ceiling, FEW_TASKS[:1])
    places = [predictions / "zero_shot" / "low", again]
    with pytest.raises(UsageError, match="2 of these predictions would become"):
        score_files(SUITE, places, BOTH, data="sample", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    outcomes = score_files(SUITE, places, [Rules.OFFICIAL], data="sample")
    assert [(o.model, len(o.tasks)) for o in outcomes] == [("low", 4), ("low", 1)]


def test_predictions_of_another_tool_are_shown_with_their_texts(
    predictions: Path, tmp_path: Path
) -> None:
    score(predictions / "one_shot", out=tmp_path / "out")
    (folder,) = (tmp_path / "out").iterdir()
    [(sample, response, *_), *_] = read_predictions(
        SUITE, predictions / "one_shot", PredictionContext("one_shot")
    )[0].attempts("1-2")
    reading = tell(folder, f"1-2/{sample.id}")[Rules.OFFICIAL]
    assert reading.row.response == response.text
    assert reading.row.prompt
    with pytest.raises(UsageError, match=r"1-2/none has not been asked; asked were, for instance"):
        tell(folder, "1-2/none")


def test_predictions_of_another_tool_cannot_be_scored_again(
    predictions: Path, tmp_path: Path
) -> None:
    score(predictions / "one_shot", out=tmp_path / "out")
    (folder,) = (tmp_path / "out").iterdir()
    with pytest.raises(UsageError, match="predictions of another tool"):
        score_run(folder, BOTH)


def test_a_saved_run_is_what_the_protocol_asks_for(predictions: Path) -> None:
    saved: SavedRun
    for saved in read_predictions(SUITE, predictions, PredictionContext("zero_shot")):
        for task in saved.tasks():
            assert all(
                isinstance(sample, LawBenchSample) and isinstance(response, Response)
                for sample, response, *_ in saved.attempts(task)
            )


def test_sets_are_shown_in_one_order_by_every_process() -> None:
    assert readable(frozenset({"诈骗", "盗窃", "抢劫"})) == '["抢劫","盗窃","诈骗"]'
    assert readable(frozenset({264, 25, 3})) == "[25,264,3]"
