"""Scores of PLawBench taken apart, with sums done by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.suites.test_plawbench_score import (
    FULL,
    SWAPPED,
    case_rubric,
    consultation,
    questions,
    sample,
    scored,
    sheet,
)

from hengfa.cli.main import cli
from hengfa.cli.plawbench_breakdown import breakdown_
from hengfa.engine.messages import Status
from hengfa.errors import UsageError
from hengfa.grading.rubric import OrderKind
from hengfa.suites.plawbench.breakdown import breakdown, rates
from hengfa.suites.plawbench.dataset import CASE, CONSULTATION
from hengfa.suites.scoring import Scored

HALF = FULL | {"r1": (0.0, ""), "r2": (10.0, "后说归还义务")}
"""25 of 35, 10 of 20 for reasoning."""


def case(kind: OrderKind, awards: Any, label: str = "个人生活") -> Scored:
    return scored(sample(rubric=case_rubric(kind), label=label), sheet(awards))


def test_rates_by_scenario_are_of_sums() -> None:
    some = [
        case(OrderKind.FREE, FULL, "个人生活"),
        case(OrderKind.FREE, HALF, "个人生活"),
        case(OrderKind.FREE, HALF, "法律科技"),
    ]
    found = breakdown(CASE, some)
    assert (found.n, found.graded) == (3, 3)
    assert found.whole.rate == pytest.approx((35 + 25 + 25) / 105)
    scenarios = found.groups["label"]
    assert scenarios["个人生活"].rate == pytest.approx(60 / 70)
    assert scenarios["法律科技"].rate == pytest.approx(25 / 35)
    assert scenarios["法律科技"].dimensions["reasoning"] == pytest.approx(10 / 20)
    assert scenarios["法律科技"].dimensions["facts"] == 1


def test_order_bound_questions_are_compared_with_free_ones() -> None:
    some = [
        case(OrderKind.STRICT, SWAPPED),
        case(OrderKind.PARTIAL, HALF),
        case(OrderKind.STEPS, HALF),
        case(OrderKind.FREE, FULL),
        case(OrderKind.UNSTATED, FULL),
    ]
    found = breakdown(CASE, some)
    assert found.order is not None
    assert (found.order.bound.n, found.order.steps.n, found.order.free.n) == (2, 1, 2)
    assert found.order.bound.dimensions["reasoning"] == pytest.approx((20 + 10) / 40)
    assert found.order.drop == pytest.approx(1 - 30 / 40)
    assert found.order.drop_with_steps == pytest.approx(1 - 40 / 60)
    assert found.order.cost == pytest.approx(10 / 40)
    assert set(found.groups["order"]) == {"strict", "partial", "steps", "free", "unstated"}


def test_the_profile_says_what_became_of_items() -> None:
    unbacked = FULL | {"c1": (5.0, "没有写过的话"), "f1": (2.0, "甲借了三把伞")}
    left_out = {id_: award for id_, award in FULL.items() if id_ != "s1"}
    found = breakdown(CASE, [case(OrderKind.STRICT, SWAPPED), case(OrderKind.STRICT, unbacked)])
    assert found.profile["reasoning"]["out_of_order"] == 1 / 4
    assert found.profile["reasoning"]["full"] == 3 / 4
    assert found.profile["conclusion"] == {
        "ungraded": 0,
        "out_of_order": 0,
        "unbacked": 1 / 2,
        "full": 1 / 2,
        "partial": 0,
        "zero": 0,
    }
    assert found.profile["facts"]["partial"] == 1 / 2
    assert breakdown(CASE, [case(OrderKind.FREE, left_out)]).profile["statutes"]["ungraded"] == 1
    for shares in found.profile.values():
        assert sum(shares.values()) == 1


def test_what_nobody_graded_is_left_out_and_silence_is_not() -> None:
    some = [
        case(OrderKind.FREE, FULL),
        scored(sample(rubric=case_rubric(OrderKind.FREE))),
        scored(sample(rubric=case_rubric(OrderKind.FREE)), text="", status=Status.FILTERED),
    ]
    found = breakdown(CASE, some)
    assert (found.n, found.graded) == (3, 2)
    assert found.whole.rate == 0.5
    nobody = breakdown(CASE, some[1:2])
    assert nobody.whole.rate is None and nobody.whole.dimensions == {}
    assert nobody.order is not None and nobody.order.drop is None


def test_consultations_have_weights_and_no_order() -> None:
    given = {"q1": (3.0, "第1件事"), "q2": (0.0, ""), "q3": (1.0, "第3件事")}
    found = breakdown(CONSULTATION, [scored(consultation(), sheet(given), text=questions(10))])
    assert found.order is None
    assert found.whole.dimensions == {"decisive": 1, "substantial": 0, "detail": 1}
    assert found.whole.rate == pytest.approx(4 / 6)


def test_nothing_is_taken_apart_without_failing() -> None:
    found = breakdown(CASE, [])
    assert (found.n, found.graded, found.whole.rate) == (0, 0, None)
    assert rates(CASE, []).dimensions == {}


# --- the command ---


@pytest.fixture(scope="module")
def graded_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The floor on the sample pack, graded by keywords."""
    runs = tmp_path_factory.mktemp("runs")
    arguments = ["plawbench", "--model", "floor", "--data", "sample", "--grader", "keywords"]
    made = CliRunner().invoke(cli, ["eval", *arguments, "--runs", str(runs)])
    assert made.exit_code == 0, made.output
    return runs


NAME = "plawbench-all-floor-sample"


def test_the_command_prints_tables(graded_run: Path) -> None:
    told = CliRunner().invoke(breakdown_, [NAME, "--runs", str(graded_run)])
    assert told.exit_code == 0, told.output
    for word in (
        "4 of 4 graded",
        "环保安全",
        "order: strict",
        "cost of order",
        "out of order",
        "decisive",
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
    assert set(case_["groups"]["label"]) == {"个人生活", "公司治理", "环保安全", "诉讼仲裁"}
    assert sum(case_["profile"]["facts"].values()) == pytest.approx(1)


def test_a_task_that_was_not_asked_is_refused(graded_run: Path) -> None:
    arguments = [NAME, "--task", "essay", "--runs", str(graded_run)]
    refused = CliRunner().invoke(breakdown_, arguments)
    assert isinstance(refused.exception, UsageError)
    assert "--task: plawbench-all-floor-sample has no 'essay'" in str(refused.exception)
