"""Scores of PLawBench taken apart, with sums done by hand."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.evals.suites.test_plawbench_score import (
    FULL,
    SWAPPED,
    case_rubric,
    consultation,
    questions,
    sample,
    scored,
    sheet,
)
from tests.scoring import faceted_table

from hengfa.base.data.packs import sample_root
from hengfa.base.errors import UsageError
from hengfa.cli.main import cli
from hengfa.evals.commands.plawbench import breakdown_
from hengfa.evals.engine.messages import Status
from hengfa.evals.grading.rubric import OrderKind
from hengfa.evals.results.figures import TaskFigures, TaskTable
from hengfa.evals.results.tables import read_table
from hengfa.evals.runs.look import choose_scores
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.plawbench.breakdown import breakdown
from hengfa.evals.suites.plawbench.dataset import CASE, CONSULTATION
from hengfa.evals.suites.plawbench.rules import WAYS
from hengfa.evals.suites.plawbench.suite import SUITE
from hengfa.evals.suites.scoring import Scored

HALF = FULL | {"r1": (0.0, ""), "r2": (10.0, "后说归还义务")}
"""25 of 35, 10 of 20 for reasoning."""


def case(kind: OrderKind, awards: Any, label: str = "个人生活") -> Scored:
    return scored(sample(rubric=case_rubric(kind), label=label), sheet(awards))


def table(*some: Scored, task: str = CASE) -> TaskTable:
    """What was scored with the kinds of its samples, as a run keeps it."""
    facets = SUITE.tasks[task].facets
    return faceted_table(some, [facets(one.sample) if facets is not None else {} for one in some])


def figure(of: TaskTable, task: str = CASE) -> TaskFigures:
    return of.figure(SUITE.tasks[task].recipe(Rules.OFFICIAL))


def test_rates_by_scenario_are_of_sums() -> None:
    some = table(
        case(OrderKind.FREE, FULL, "个人生活"),
        case(OrderKind.FREE, HALF, "个人生活"),
        case(OrderKind.FREE, HALF, "法律科技"),
    )
    found = breakdown(CASE, some)
    assert (found.n, found.graded) == (3, 3)
    assert figure(some).score == pytest.approx((35 + 25 + 25) / 105)
    scenarios = {name: figure(part) for name, part in some.by("scenario").items()}
    assert scenarios["个人生活"].score == pytest.approx(60 / 70)
    assert scenarios["法律科技"].score == pytest.approx(25 / 35)
    assert scenarios["法律科技"].more["reasoning_rate"] == pytest.approx(10 / 20)
    assert scenarios["法律科技"].more["facts_rate"] == 1


def test_order_bound_questions_are_compared_with_free_ones() -> None:
    some = table(
        case(OrderKind.STRICT, SWAPPED),
        case(OrderKind.PARTIAL, HALF),
        case(OrderKind.STEPS, HALF),
        case(OrderKind.FREE, FULL),
        case(OrderKind.UNSTATED, FULL),
    )
    found = breakdown(CASE, some)
    assert found.order is not None
    assert (found.order.bound.n, found.order.steps.n, found.order.free.n) == (2, 1, 2)
    assert found.order.bound.rate == 0  # two steps swapped, and one behind a missing one
    assert found.order.drop == 1
    assert found.order.drop_with_steps == pytest.approx(1 - 10 / 60)
    assert found.order.cost == pytest.approx((20 + 10) / 40)
    assert set(some.by("order")) == {"strict", "partial", "steps", "free", "unstated"}


def test_the_profile_says_what_became_of_items() -> None:
    unbacked = FULL | {"c1": (5.0, "没有写过的话"), "f1": (2.0, "甲借了三把伞")}
    left_out = {id_: award for id_, award in FULL.items() if id_ != "s1"}
    two = table(case(OrderKind.STRICT, SWAPPED), case(OrderKind.STRICT, unbacked))
    found = breakdown(CASE, two)
    assert found.profile["reasoning"]["out_of_order"] == 2 / 4
    assert found.profile["reasoning"]["full"] == 2 / 4
    assert found.profile["conclusion"] == {
        "ungraded": 0,
        "out_of_order": 0,
        "after_a_gap": 0,
        "unbacked": 1 / 2,
        "full": 1 / 2,
        "partial": 0,
        "zero": 0,
    }
    assert found.profile["facts"]["partial"] == 1 / 2
    alone = breakdown(CASE, table(case(OrderKind.FREE, left_out)))
    assert alone.profile == {} and alone.order is not None and alone.order.free.rate is None
    for shares in found.profile.values():
        assert sum(shares.values()) == 1


def test_the_ways_of_marking_are_compared_on_the_same_answers() -> None:
    """Swapped steps: 15, 25, 35 of 35; a missing first step: 15, 25, 25."""
    some = table(case(OrderKind.STRICT, SWAPPED), case(OrderKind.STRICT, HALF))
    ways = breakdown(CASE, some).ways
    rates = {way: of.rate for way, of in ways.items()}
    assert rates == {"paper": 30 / 70, "longest": 50 / 70, "unordered": 60 / 70}
    assert ways["unordered"].less_default == 60 / 70 - 30 / 70
    assert ways["paper"].less_default == ways["paper"].without_less_default == 0
    assert all(of.without_penalties == of.rate for of in ways.values())


def test_what_is_ungraded_leaves_no_rate_and_silence_is_graded() -> None:
    free = sample(rubric=case_rubric(OrderKind.FREE))
    ungraded = scored(free)
    silent = scored(free, text="", status=Status.FILTERED)
    some = table(case(OrderKind.FREE, FULL), silent)
    found = breakdown(CASE, some)
    assert (found.n, found.graded, figure(some).score) == (2, 2, 0.5)
    assert found.order is not None and found.order.free.rate == 0.5
    nobody = breakdown(CASE, table(case(OrderKind.FREE, FULL), ungraded, silent))
    assert nobody.graded == 0 and nobody.profile == {}
    assert nobody.order is not None and nobody.order.free.rate is None
    assert nobody.order.drop is None and nobody.order.cost is None


def test_consultations_have_weights_and_no_order() -> None:
    given = {"q1": (3.0, "第1件事"), "q2": (0.0, ""), "q3": (1.0, "第3件事")}
    asked = scored(consultation(), sheet(given), text=questions(10))
    some = table(asked, task=CONSULTATION)
    assert breakdown(CONSULTATION, some).order is None
    rates = figure(some, CONSULTATION)
    dimensions = {
        name: rates.more[f"{name}_rate"] for name in ("decisive", "substantial", "detail")
    }
    assert dimensions == {"decisive": 1, "substantial": 0, "detail": 1}
    assert rates.score == pytest.approx(4 / 6)


def test_nothing_is_taken_apart_without_failing() -> None:
    found = breakdown(CASE, table())
    assert (found.n, found.graded) == (0, 0)
    assert found.order is not None and found.order.bound.rate is None


# --- the command ---


@pytest.fixture(scope="module")
def graded_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The floor on the sample pack, graded by keywords; the pack is gone when it is looked at."""
    folder = tmp_path_factory.mktemp("kept")
    runs, data = folder / "runs", folder / "sample"
    shutil.copytree(sample_root() / "plawbench", data)
    arguments = ["plawbench", "--model", "floor", "--grader", "keywords", "--rules", "both"]
    where = ["--data", str(data), "--runs", str(runs)]
    made = CliRunner().invoke(cli, ["eval", *arguments, *where])
    assert made.exit_code == 0, made.output
    shutil.rmtree(data)
    return runs


NAME = "plawbench-all-floor-sample"


def test_the_command_prints_tables(graded_run: Path) -> None:
    told = CliRunner().invoke(breakdown_, [NAME, "--runs", str(graded_run)])
    assert told.exit_code == 0, told.output
    for word in (
        "4 of 4 graded",
        "bound",
        "free less bound",
        "cost of order",
        "out of order",
        "after a gap",
        "decisive",
        "Rates by way of marking, with penalties",
        "Rates by way of marking, without penalties",
        " +0.00",
    ):
        assert word in told.output


def test_the_command_prints_json(graded_run: Path) -> None:
    arguments = [NAME, "--task", "case", "--rules", "corrected", "--json"]
    told = CliRunner().invoke(breakdown_, [*arguments, "--runs", str(graded_run)])
    document = json.loads(told.output)
    assert document["rules"] == "corrected" and list(document["tasks"]) == ["case"]
    case_ = document["tasks"]["case"]
    assert case_["n"] == case_["graded"] == 4
    assert case_["order"]["bound"]["n"] == 2
    scores = choose_scores(graded_run / NAME)
    facets = read_table(scores, "case", Rules.CORRECTED, facets=True).by("scenario")
    assert set(facets) == {"个人生活", "公司治理", "环保安全", "诉讼仲裁"}
    assert sum(case_["profile"]["facts"].values()) == pytest.approx(1)


def test_a_run_scored_before_ways_had_names_is_to_be_scored_anew(
    graded_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hengfa.evals.suites.plawbench.breakdown.WAYS", (*WAYS, ("newest", True)))
    refused = CliRunner().invoke(breakdown_, [NAME, "--runs", str(graded_run)])
    assert isinstance(refused.exception, UsageError)
    assert "scores it anew" in str(refused.exception)


def test_a_task_that_was_not_asked_is_refused(graded_run: Path) -> None:
    arguments = [NAME, "--task", "essay", "--runs", str(graded_run)]
    refused = CliRunner().invoke(breakdown_, arguments)
    assert isinstance(refused.exception, UsageError)
    assert "--task: plawbench-all-floor-sample has no 'essay'" in str(refused.exception)


def test_rules_by_which_a_run_is_not_scored_are_refused(graded_run: Path, tmp_path: Path) -> None:
    shutil.copytree(graded_run / NAME, tmp_path / NAME)
    (choose_scores(tmp_path / NAME) / "figures.corrected.json").unlink()
    refused = CliRunner().invoke(
        breakdown_, [NAME, "--rules", "corrected", "--runs", str(tmp_path)]
    )
    assert isinstance(refused.exception, UsageError)
    assert "is not scored by corrected rules" in str(refused.exception)


def test_both_rules_show_what_another_way_of_marking_does(graded_run: Path) -> None:
    """Beside the fixes, and as the table of ways has it."""
    scores = choose_scores(graded_run / NAME)
    figures = json.loads((scores / "figures.corrected.json").read_text("utf-8"))
    effects = figures["tasks"]["case"]["effects"]
    assert effects.keys() == {"evidence", "marking=longest", "marking=unordered", "penalties=off"}
    ways = breakdown(CASE, read_table(scores, CASE, Rules.OFFICIAL, facets=True)).ways
    assert effects["marking=unordered"] == pytest.approx(ways["unordered"].less_default)
    assert effects["marking=longest"] == pytest.approx(ways["longest"].less_default)
