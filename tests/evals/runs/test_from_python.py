"""Asking, scoring, grading and comparing from Python, as in a script or a notebook."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.cli.test_cli import hengfa as command
from tests.conftest import REPOSITORY
from tests.saved import ceiling, samples

import hengfa
from hengfa.evals.engine.journal import read_entries

TASK = "lawbench/1-2"
Messages = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def always_b(messages: Messages) -> str:
    assert messages[-1]["role"] == "user"
    return "[正确答案]B<eoa>"


def rows(prediction: str = "[正确答案]B<eoa>", **more: object) -> list[dict[str, object]]:
    return [{**more, "id": sample.id, "prediction": prediction} for sample in samples("1-2")]


# Predictions in memory


def test_rows_in_memory_score_as_a_file_does(folder: Path) -> None:
    told = rows(task="1-2")
    file = folder / "b.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in told))
    of_file = hengfa.score("lawbench", file, data="sample", rules="both")
    of_rows = hengfa.score("lawbench", told, data="sample", rules="both", model="b")
    of_frame = hengfa.score("lawbench", pl.DataFrame(told), data="sample", rules="both", model="b")
    assert of_file.frame().equals(of_rows.frame())
    assert of_file.frame().equals(of_frame.frame())
    assert of_file.records().equals(of_rows.records())
    assert of_file.responses().equals(of_rows.responses())
    printed = command("score", "lawbench", "b.jsonl", "--data", "sample", "--json", cwd=folder)
    (run,) = json.loads(printed.stdout)["runs"]
    assert of_rows.under("official").tasks["1-2"].score == run["tasks"]["1-2"]["score"] > 0


def test_a_pandas_frame_will_do() -> None:
    """Whatever has `to_dict("records")`; docs/python.md is executed with pandas where it is."""

    class Frame:
        def to_dict(self, orient: str) -> list[dict[str, object]]:
            assert orient == "records"
            return rows()

    assert hengfa.score(TASK, Frame(), data="sample").tasks["1-2"].n == 12


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ([*rows(), rows()[0]], "predictions, row 13: task 1-2 has id 0 twice"),
        ([*rows(), {"id": 99, "prediction": ""}], "row 13, field 'id': task 1-2 has no sample"),
        ([{"id": 0}], "predictions, row 1, field 'prediction': Object missing"),
        ([*rows()[:2], {"id": 2, "prediction": None}], "row 3, field 'prediction': Expected `str`"),
        ([{"id": 0.5, "prediction": "A"}], "row 1, field 'id'"),
        (rows()[:3], "no prediction for 9 of 12 samples"),
        ([{**rows()[0], "task": "9-9"}], "row 1, field 'task': lawbench has no task '9-9'"),
        ([], "predictions: there are none"),
        (["runs/nowhere", {"id": 1}], "predictions, row 1"),
    ],
)
def test_a_row_that_cannot_be_scored_is_named(told: list[Any], said: str) -> None:
    target = "lawbench" if "9-9" in str(told) else TASK
    with pytest.raises(hengfa.DataError) as error:
        hengfa.score(target, told, data="sample")
    assert said in str(error.value)


def test_rows_name_their_task_unless_there_is_one() -> None:
    with pytest.raises(hengfa.DataError, match="row 1, field 'task'"):
        hengfa.score("lawbench/1-1,1-2", rows(), data="sample")


def test_only_the_tasks_of_the_target_are_scored(folder: Path) -> None:
    told = [*rows(task="1-2"), {"task": "2-3", "id": 0, "prediction": "略"}]
    scores = hengfa.score(TASK, told, data="sample")
    assert list(scores.tasks) == ["1-2"]
    assert set(scores.records()["task"]) == {"1-2"}
    run = hengfa.evaluate("lawbench/1-2,2-3", "floor", data="sample")
    assert list(hengfa.score(TASK, run).tasks) == ["1-2"]
    assert list(hengfa.load_run(run).tasks) == ["1-2", "2-3"]  # what is kept stays whole
    with pytest.raises(hengfa.UsageError, match="no predictions for 3-4 are among these"):
        hengfa.score("lawbench/3-4", told, data="sample")
    with pytest.raises(hengfa.UsageError, match="nothing of 3-4"):
        hengfa.score("lawbench/3-4", run)


def test_predictions_become_runs_where_that_is_wished(folder: Path) -> None:
    scores = hengfa.score(TASK, rows(), data="sample", out="runs", model="b")
    run = hengfa.load_run("lawbench-zero_shot-b")
    assert run.frame().equals(scores.frame())
    assert run.records().equals(scores.records())
    assert not list(folder.glob("*.jsonl"))


def test_nothing_is_left_of_rows_in_memory(folder: Path) -> None:
    hengfa.score(TASK, rows(), data="sample").responses()
    assert list(folder.iterdir()) == []


def test_figures_of_several_are_not_taken_for_those_of_one() -> None:
    scores = hengfa.score(TASK, rows(), data="sample", rules="both")
    with pytest.raises(hengfa.UsageError, match=r"2 models, settings, rules or graders"):
        scores.tasks  # noqa: B018
    assert [item.rules for item in scores] == ["official", "corrected"]
    assert scores.under("corrected").tasks == scores[1].tasks
    with pytest.raises(hengfa.UsageError, match="there is: official, corrected, both"):
        hengfa.score(TASK, rows(), data="sample", rules="strict")


# Tables


def test_no_name_becomes_markup_in_a_notebook() -> None:
    hostile = "<img src=x onerror=alert(1)>&\n"
    for model in (hostile, "b"):
        hengfa.score(TASK, rows(), data="sample", out="runs", model=model)
    runs = [hengfa.load_run(path) for path in sorted(Path("runs").iterdir())]
    for html in (runs[0]._repr_html_(), hengfa.compare(*runs)._repr_html_()):
        assert html.startswith("<table>")
        assert "33.33" in html
        assert "<img" not in html
        assert "&lt;img src=x onerror=alert(1)&gt;&amp;" in html


def test_a_comparison_reads_and_is_a_frame() -> None:
    floor, best = (hengfa.evaluate(TASK, model, data="sample") for model in ("floor", "ceiling"))
    comparison = hengfa.compare(best, floor.folder)
    assert "The data support that ceiling is better than floor on 1-2" in repr(comparison)
    (row,) = comparison.frame().iter_rows(named=True)
    assert (row["one"], row["other"], row["verdict"]) == ("ceiling", "floor", "better")
    assert row["difference"] == pytest.approx(row["score_one"] - row["score_other"])
    assert row["low"] < row["difference"] <= row["high"]
    with pytest.raises(hengfa.UsageError, match=r"there is: official, corrected$"):
        hengfa.compare(best, floor, rules="both")


# Models


def test_a_function_is_a_model(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    seen: list[tuple[int, int]] = []
    run = hengfa.evaluate(
        TASK, always_b, data="sample", progress=lambda done, total: seen.append((done, total))
    )
    assert run.model == "always_b"
    assert run.tasks["1-2"].score == pytest.approx(4 / 12)
    assert run.tasks == hengfa.score(TASK, rows(), data="sample").tasks
    assert seen == [(number, 12) for number in range(1, 13)]
    assert capfd.readouterr() == ("", "")


def test_an_async_function_is_asked_many_questions_at_a_time() -> None:
    there, most = 0, 0

    async def together(_messages: Messages) -> str:
        nonlocal there, most
        there, most = there + 1, max(most, there + 1)
        await asyncio.sleep(0.01)
        there -= 1
        return "[正确答案]B<eoa>"

    assert hengfa.evaluate(TASK, together, data="sample").tasks["1-2"].n == 12
    assert most > 1


def test_a_function_that_changed_is_asked_anew(folder: Path) -> None:
    def said(text: str) -> Callable[[Messages], str]:
        def model(_messages: Messages) -> str:
            return text

        return model

    first = hengfa.evaluate(TASK, said("[正确答案]B<eoa>"), data="sample")
    again = hengfa.evaluate(TASK, said("[正确答案]C<eoa>"), data="sample", fresh=False)
    assert set(again.responses()["response"]) == {"[正确答案]B<eoa>"}
    fresh = hengfa.evaluate(TASK, said("[正确答案]C<eoa>"), data="sample")
    assert set(fresh.responses()["response"]) == {"[正确答案]C<eoa>"}
    assert first.folder == fresh.folder
    assert list((folder / "runs" / ".old").iterdir())  # nothing that was answered is lost


def test_what_a_function_raises_or_returns_is_said_not_scored() -> None:
    answers = iter(["", "[正确答案]B<eoa>", *["x"] * 10])

    def flaky(_messages: Messages) -> Any:
        text = next(answers)
        if text == "x":
            raise KeyError("no such weight")
        return text or 7

    with pytest.raises(hengfa.HengfaError, match="KeyError: 'no such weight'"):
        hengfa.evaluate(TASK, flaky, data="sample", lanes=1)
    scores = hengfa.score(TASK, "runs/lawbench-zero_shot-flaky-sample")
    assert scores.tasks["1-2"].statuses == {"answered": 1, "failed": 11}
    reasons = scores.responses()["reason"].to_list()
    assert "flaky returned int, not text" in reasons


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(hengfa.UsageError, match="a model is a name, a function"):
        hengfa.evaluate(TASK, 7, data="sample")  # type: ignore[arg-type]
    with pytest.raises(hengfa.UsageError, match="is not a model name"):
        hengfa.evaluate(TASK, "nobody", data="sample")


def test_a_model_object_is_asked_as_it_is() -> None:
    class Echo:
        name, address = "echo", ""
        closed = False

        async def generate(self, request: hengfa.Request) -> hengfa.Response:
            return hengfa.Response(hengfa.Status.REFUSED, reason=request.key)

        async def close(self) -> None:
            self.closed = True

    model = Echo()
    run = hengfa.evaluate(TASK, model, data="sample", limit=3)
    assert run.tasks["1-2"].statuses == {"refused": 3}
    assert model.closed


def test_it_works_where_a_loop_is_running_as_in_a_notebook() -> None:
    async def cell() -> tuple[hengfa.Run, hengfa.Run]:
        with pytest.raises(hengfa.UsageError, match=r"--grader MODEL.* or --ungraded"):
            hengfa.evaluate("plawbench/case", "retrieval", data="sample", limit=2)
        answered = hengfa.evaluate(
            "plawbench/case", "retrieval", data="sample", limit=2, ungraded=True
        )
        return answered, hengfa.grade(answered, "keywords")

    answered, graded = asyncio.run(cell())
    assert answered.tasks["case"].score is None
    assert graded.tasks["case"].score is not None


def test_an_interrupt_in_a_notebook_ends_the_run_and_keeps_the_answers() -> None:
    asked = 0

    async def slow(_messages: Messages) -> str:
        nonlocal asked
        asked += 1
        if asked == 4:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(60)
        return "[正确答案]B<eoa>"

    async def cell() -> None:
        hengfa.evaluate(TASK, slow, data="sample", lanes=1)

    loop = asyncio.new_event_loop()  # unlike asyncio.run, it leaves Ctrl-C alone, as notebooks do
    try:
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(cell())
    finally:
        loop.close()
    kept = list(read_entries(Path("runs/lawbench-zero_shot-slow-sample/journal.jsonl")))
    assert len(kept) == 3


# Runs


def test_a_run_is_opened_without_its_suite_and_data(folder: Path) -> None:
    run = hengfa.evaluate("lawbench/1-2,2-3", "floor", data="sample", rules="both")
    manifest = json.loads((run.folder / "run.json").read_text())
    (run.folder / "run.json").write_text(json.dumps({**manifest, "suite": "of somebody else"}))
    opened = hengfa.load_run(run.folder)
    assert opened.suite == "of somebody else"
    assert opened.frame().drop("suite").equals(run.frame().drop("suite"))
    assert opened.records().equals(run.records())
    assert {"official", "corrected"} == set(opened.responses()["rules"])
    for column in ("score", "standard_error", "n", "floor", "ceiling", "skill"):
        assert opened.frame()[column].null_count() == 0
    with pytest.raises(hengfa.UsageError, match="there is no run 'nowhere'"):
        hengfa.load_run("nowhere")


def test_a_run_that_is_not_scored_says_so() -> None:
    run = hengfa.evaluate(TASK, "floor", data="sample")
    (run.folder / "figures.official.json").unlink()
    opened = hengfa.load_run(run)
    assert "not scored" in repr(opened)
    with pytest.raises(hengfa.UsageError, match="nothing is scored yet"):
        opened.figures  # noqa: B018


def test_graders_are_names_or_choices() -> None:
    run = hengfa.evaluate("plawbench/case", "ceiling", data="sample", limit=2, graders=["keywords"])
    again = hengfa.grade(run, hengfa.grader("keywords", regrade=True), rules="corrected")
    assert [item.rules for item in again.scores] == ["official", "corrected"]
    with pytest.raises(hengfa.UsageError, match="name who grades"):
        hengfa.grade(run)
    with pytest.raises(hengfa.UsageError, match="no answers that are scored by graders"):
        hengfa.grade(hengfa.evaluate(TASK, "floor", data="sample"), "keywords")


def test_the_reference_earns_everything() -> None:
    answer = ceiling("1-2", samples("1-2"))
    told = [{"id": sample.id, "prediction": answer(sample)} for sample in samples("1-2")]
    assert hengfa.score(TASK, told, data="sample").tasks["1-2"].skill == 1


def test_a_private_suite_comes_in_from_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HENGFA_SUITES", "")  # which it changes
    examples = REPOSITORY / "examples"
    suite = hengfa.use_suite(examples / "one_file_suite.py")
    run = hengfa.evaluate(suite, "ceiling", data=examples / "mooncourt")
    assert {figures.score for figures in run.tasks.values()} == {1.0}
    with pytest.raises(hengfa.UsageError, match="there is no file"):
        hengfa.use_suite("nowhere.py")


def test_an_estimate_asks_nothing(folder: Path) -> None:
    expected = hengfa.estimate(TASK, "endpoint:m", data="sample", limit=3)
    assert expected.samples == {"1-2": 3}
    assert list(folder.iterdir()) == []
    with pytest.raises(hengfa.UsageError, match="--extra must not set model"):
        hengfa.estimate(TASK, "endpoint:m", data="sample", extra={"model": "x"})


def test_a_whole_number_is_the_same_temperature() -> None:
    """A run that was begun with 0 goes on with 0.0, and asks nothing twice."""
    first = hengfa.evaluate(TASK, "floor", data="sample", temperature=0, top_p=1)
    again = hengfa.evaluate(TASK, "floor", data="sample", temperature=0.0, top_p=1.0)
    assert again.folder == first.folder
    journal = (first.folder / "journal.jsonl").read_bytes()
    assert journal.count(b"\n") == again.tasks["1-2"].n
