"""Scripted graders, hand-computed points: rates, bands, order, evidence, panels, penalties."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.evals.grading.rubrics import graded_by
from tests.scoring import score_response, summarise

from hengfa.base.data.packs import sample_root
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.grading import graded
from hengfa.evals.grading.graded import How
from hengfa.evals.grading.marking import Way
from hengfa.evals.grading.rubric import Deduction, Item, Order, OrderKind, Penalty, Rubric, Section
from hengfa.evals.grading.verdict import UNCODED, Reply, Sheet
from hengfa.evals.results.figures import Band, TaskFigures
from hengfa.evals.runs.evaluate import evaluate
from hengfa.evals.suites.base import Attempt, Rules
from hengfa.evals.suites.plan import make_plan
from hengfa.evals.suites.plawbench.dataset import (
    CASE,
    CONSULTATION,
    DEFENDANT,
    LEVELS,
    PLAINTIFF,
    PLawBenchSample,
)
from hengfa.evals.suites.plawbench.rules import RATE, figures, submission
from hengfa.evals.suites.plawbench.suite import SUITE
from hengfa.evals.suites.scoring import Scored, score_attempt
from hengfa.law.library.building.build import build_library
from hengfa.law.library.store import default_file

ANSWER = """【结论】应当还伞。
【案件事实】甲借了三把伞。
【推理过程】先说借用关系。后说归还义务。
【法条依据】借伞法"""
"""Four parts; the first step stands before the second."""


def item(id_: str, maximum: float, **more: Any) -> Item:
    return Item(id_, id_, maximum, **more)


def case_rubric(kind: OrderKind = OrderKind.STRICT) -> Rubric:
    """5 + 5 + 20 + 5 points; two steps of reasoning, the first of which can lose 3."""
    bound = kind in (OrderKind.STRICT, OrderKind.PARTIAL)
    order = Order(kind, (("r1", "r2"),) if bound else ())
    cut = Deduction("d", "没有说明理由", 3)
    return Rubric(
        "case",
        35,
        (
            Section("c", "结论", 5, (item("c1", 5),)),
            Section("f", "事实", 5, (item("f1", 5),)),
            Section(
                "r", "推理", 20, (item("r1", 10, deductions=(cut,)), item("r2", 10)), order=order
            ),
            Section("s", "法条", 5, (item("s1", 5),)),
        ),
    )


def sample(task: str = CASE, rubric: Rubric | None = None, **more: Any) -> PLawBenchSample:
    fields: dict[str, Any] = {
        "id": "0",
        "task": task,
        "label": "个人生活",
        "facts": "甲借了三把伞。",
        "question": "要不要还？",
        "rubric": rubric or case_rubric(),
        "asked": LEVELS["mid"],
        "law": False,
    }
    return PLawBenchSample(**fields | more)


def sheet(
    awards: dict[str, tuple[float, str]], faults: tuple[str, ...] = (), grader: str = "g"
) -> Sheet:
    """Points and quoted words by item, as said to the first prompt: of any response, so no code."""
    verdict = {
        "awards": [
            {"id": id_, "points": points, "evidence": [words] if words else [], "reason": ""}
            for id_, (points, words) in awards.items()
        ],
        "faults": [{"id": id_, "times": 1, "evidence": [], "reason": ""} for id_ in faults],
    }
    reply = Reply("grade", "answered", json.dumps(verdict, ensure_ascii=False))
    return Sheet(grader, (reply,), UNCODED)


FULL = {
    "c1": (5.0, "应当还伞"),
    "f1": (5.0, "甲借了三把伞"),
    "r1": (10.0, "先说借用关系"),
    "r2": (10.0, "后说归还义务"),
    "s1": (5.0, "借伞法"),
}


def scored(
    one: PLawBenchSample,
    *sheets: Sheet,
    text: str = ANSWER,
    status: Status = Status.ANSWERED,
    rules: Rules = Rules.OFFICIAL,
) -> Scored:
    """What some graders said of a response; without sheets it still waits for them."""
    rule_set = SUITE.tasks[one.task].rule_set(rules)
    return score_attempt(rule_set, attempt(one, *sheets, text=text, status=status))


def attempt(
    one: PLawBenchSample,
    *sheets: Sheet,
    text: str = ANSWER,
    status: Status = Status.ANSWERED,
) -> Attempt:
    said = graded_by(submission(one, text), *sheets)
    return Attempt(one, Response(status, text=text), said)


def figure(*several: Scored, task: str = CASE) -> TaskFigures:
    rule_set = SUITE.tasks[task].rule_set(Rules.OFFICIAL)
    return summarise(RATE, rule_set.pooled, several, rule_set.more, rule_set.graded)


def test_full_marks_are_one() -> None:
    metrics = scored(sample(), sheet(FULL)).metrics
    assert (metrics["points"], metrics["maximum"], metrics["rate"]) == (35, 35, 1)
    assert metrics["lenient_points"] == metrics["backed_points"] == 35
    assert (metrics["items"], metrics["ungraded"], metrics["parts"]) == (5, 0, 4)


def test_dimensions_and_deductions_are_exact() -> None:
    given = FULL | {"f1": (2.0, "甲借了三把伞"), "s1": (0.0, "")}
    metrics = scored(sample(), sheet(given, ("d",))).metrics
    assert metrics["points"] == 5 + 2 + (10 - 3) + 10 + 0
    found = {
        name: metrics[f"{name}_points"] for name in ("conclusion", "facts", "reasoning", "statutes")
    }
    assert found == {"conclusion": 5, "facts": 2, "reasoning": 17, "statutes": 0}
    assert metrics["reasoning_maximum"] == 20
    assert metrics["facts_partial"] == metrics["statutes_zero"] == metrics["conclusion_full"] == 1
    assert (metrics["reasoning_partial"], metrics["reasoning_full"]) == (1, 1)


SWAPPED = FULL | {"r1": (10.0, "后说归还义务"), "r2": (10.0, "先说借用关系")}


@pytest.mark.parametrize("rules", Rules)
@pytest.mark.parametrize("kind", OrderKind)
@pytest.mark.parametrize(
    ("way", "points", "out"), [(Way.PAPER, 15, 2), (Way.LONGEST, 25, 1), (Way.UNORDERED, 35, 0)]
)
def test_order_counts_by_the_chosen_way_where_the_rubric_asks_for_it(
    kind: OrderKind, rules: Rules, way: Way, points: float, out: int
) -> None:
    """Two steps of 10 stand in the wrong order: both are lost, or one, or none."""
    one = sample(rubric=case_rubric(kind), marking=way)
    metrics = scored(one, sheet(SWAPPED), rules=rules).metrics
    bound = kind in (OrderKind.STRICT, OrderKind.PARTIAL)
    assert metrics["points"] == (points if bound else 35)
    assert metrics["reasoning_out_of_order"] == (out if bound else 0)


def test_every_way_is_given_beside_the_chosen_one_with_penalties_and_without() -> None:
    """5 + 5 + 5 beside two swapped steps; a penalty of 4 takes from each total."""
    rubric = replace(case_rubric(), penalties=(Penalty("p", "法条错误", 4),))
    for way, chosen in ((Way.PAPER, 11), (Way.LONGEST, 21), (Way.UNORDERED, 31)):
        one = scored(sample(rubric=rubric, marking=way), sheet(SWAPPED, ("p",)))
        assert one.metrics["points"] == chosen
        assert {name: one.metrics[name] for name in one.metrics if name[:7] == "points_"} == {
            "points_paper": 11,
            "points_longest": 21,
            "points_unordered": 31,
            "points_paper_without_penalties": 15,
            "points_longest_without_penalties": 25,
            "points_unordered_without_penalties": 35,
        }
        more = figure(one).more
        assert more["rate_paper"] == 11 / 35
        assert more["rate_longest_without_penalties"] == 25 / 35


def test_the_step_behind_a_missing_one_is_reported() -> None:
    given = FULL | {"r1": (0.0, "")}
    metrics = scored(sample(), sheet(given)).metrics
    assert (metrics["points"], metrics["points_longest"]) == (15, 25)
    assert (metrics["reasoning_after_a_gap"], metrics["reasoning_zero"]) == (1, 1)


@pytest.mark.parametrize(("rules", "points"), [(Rules.OFFICIAL, 35), (Rules.CORRECTED, 30)])
def test_an_award_without_evidence_counts_officially_and_is_reported(
    rules: Rules, points: float
) -> None:
    given = FULL | {"c1": (5.0, "甲应当赔偿三万元")}
    metrics = scored(sample(), sheet(given), rules=rules).metrics
    assert metrics["points"] == points
    assert metrics["backed_points"] == 30
    assert (metrics["conclusion_unbacked"], metrics["conclusion_full"]) == (1, 0)


def test_what_a_grader_left_out_makes_a_band() -> None:
    given = {id_: award for id_, award in FULL.items() if id_ != "r2"}
    one = scored(sample(), sheet(given))
    assert (one.metrics["points"], one.metrics["lenient_points"]) == (25, 35)
    assert (one.metrics["ungraded"], one.metrics["rate"]) == (1, None)
    made = figure(one)
    assert (made.score, made.band, made.more) == (None, Band(25 / 35, 1, 1 / 5), {})


def test_an_unreadable_grader_leaves_everything_open() -> None:
    sheet_ = Sheet("g", (Reply("grade", "answered", "我认为很好"),))
    made = figure(scored(sample(), sheet_))
    assert (made.score, made.band) == (None, Band(0, 1, 1))


@pytest.mark.parametrize(
    ("how", "values", "points"),
    [("mean", (5, 3, 1), 33), ("median", (5, 4, 0), 34), ("majority", (5, 0, 0), 30)],
)
def test_a_panel_is_combined_item_by_item(
    how: How, values: tuple[float, ...], points: float
) -> None:
    """Graders differ on the conclusion; everything else is full."""
    sheets = [
        sheet(FULL | {"c1": (value, "应当还伞" if value else "")}, grader=f"g{value}")
        for value in values
    ]
    said = graded_by(submission(sample(), ANSWER), *sheets, rule=how)
    result = score_attempt(
        SUITE.tasks[CASE].rule_set(Rules.OFFICIAL),
        Attempt(sample(), Response(Status.ANSWERED, text=ANSWER), said),
    )
    assert result.metrics["points"] == pytest.approx(points)


def test_rates_are_of_sums_not_means_of_rates() -> None:
    """35 of 35 and 0 of 10 are 35 of 45."""
    small = Rubric(
        "small",
        10,
        tuple(Section(name, name, 2.5, (item(f"{name}1", 2.5),)) for name in "cfrs"),
    )
    nothing = sheet({f"{name}1": (0.0, "") for name in "cfrs"})
    made = figure(scored(sample(), sheet(FULL)), scored(sample(rubric=small, id="1"), nothing))
    assert made.score == pytest.approx(35 / 45)
    assert made.more["reasoning_rate"] == pytest.approx(20 / 22.5)
    assert made.more["facts_rate"] == pytest.approx(5 / 7.5)
    assert made.n == 2


def test_silence_earns_nothing_and_an_answer_that_nobody_graded_is_no_zero() -> None:
    silent = scored(sample(id="1"), status=Status.REFUSED, text="")
    assert (silent.metrics["rate"], silent.metrics["maximum"]) == (0, 35)
    assert silent.metrics["reasoning_zero"] == 2
    ungraded = scored(sample(id="2"))
    assert ungraded.metrics["rate"] is None and ungraded.metrics["parts"] == 4
    assert figure(ungraded).score is None
    made = figure(scored(sample(), sheet(FULL)), silent, ungraded)
    assert (made.score, made.band) == (None, Band(1 / 3, 2 / 3, 1 / 3))
    assert figure(scored(sample(), sheet(FULL)), silent).score == 0.5


def test_without_any_grader_silence_is_not_scored_either() -> None:
    rule_set = SUITE.tasks[CASE].rule_set(Rules.OFFICIAL)
    for response in (Response(Status.EMPTY), Response(Status.ANSWERED, text=ANSWER)):
        assert score_response(rule_set, sample(), response).metrics["rate"] is None


@pytest.mark.parametrize(
    ("cited", "wrong"),
    [("《月湖渡船法》第七条第三款", 0), ("《月湖渡船法》第九十九条", 1)],
)
def test_cited_law_is_looked_up_by_choice(cited: str, wrong: int) -> None:
    build_library([sample_root() / "claw"], default_file())
    statutes = Section("s", "法条", 5, (item("s1", 5, statute=True),))
    rubric = case_rubric()
    rubric = replace(rubric, sections=(*rubric.sections[:3], statutes))
    text = ANSWER.replace("借伞法", cited)
    given = sheet(FULL | {"s1": (5.0, cited)})
    metrics = scored(sample(rubric=rubric, law=True), given, text=text).metrics
    assert (metrics["wrong_law"], metrics["points"]) == (wrong, 35)
    assert scored(sample(rubric=rubric), given, text=text).metrics["wrong_law"] is None


# --- marked once ---


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often verdicts are read and marked from here on."""
    times: Counter[str] = Counter()

    def counted(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object) -> object:
            times[name] += 1
            return function(*given)

        return call

    for name in ("Examined", "verdict_of"):
        monkeypatch.setattr(graded, name, counted(name, getattr(graded, name)))
    return times


def test_an_answer_is_examined_once_for_each_grader(calls: Counter[str]) -> None:
    """Under both rules, with the fix alone, findings included: six marks of one verdict."""
    task, graders = SUITE.tasks[CASE], [sheet(SWAPPED, grader=name) for name in "ab"]
    shared = attempt(sample(), *graders)
    rule_sets = [task.rule_set(rules) for rules in Rules]
    rule_sets += [task.rules(frozenset({fix}), None) for fix in task.fixes]
    results = [score_attempt(rule_set, shared) for rule_set in rule_sets]
    assert [one.metrics["points"] for one in results] == [15, 15, 15]
    for one in results:
        labels = [finding.label for finding in one.score.explain().findings]
        assert len(labels) == 11 and labels[-1] == "error: wrong order of steps"
    assert calls == {"Examined": len(graders), "verdict_of": len(graders)}


def test_scoring_a_run_examines_each_of_its_answers_once(
    tmp_path: Path, calls: Counter[str]
) -> None:
    """Through the journal and its cells: both rules, the effect of each fix, and tables."""
    evaluate(
        "plawbench/case", "floor", data="sample", rules="both", runs=tmp_path, graders=["keywords"]
    )
    answers = len(make_plan("plawbench/case", data="sample").questions[0].samples)
    assert calls == {"Examined": answers, "verdict_of": answers}


# --- consultation ---


def consultation(**more: Any) -> PLawBenchSample:
    rubric = Rubric(
        "c", 6, (Section("q", "提问", 6, (item("q1", 3), item("q2", 2), item("q3", 1))),),
        **more,
    )  # fmt: skip
    return sample(CONSULTATION, rubric)


def questions(number: int) -> str:
    return "\n".join(f"{n}. 第{n}件事{'甲乙丙丁'[n % 4]}怎么回事？" for n in range(1, number + 1))


def test_only_the_first_25_questions_can_earn() -> None:
    given = {"q1": (3.0, "第25件事"), "q2": (2.0, "第26件事"), "q3": (0.0, "")}
    metrics = scored(consultation(), sheet(given), text=questions(30)).metrics
    assert (metrics["questions"], metrics["questions_ok"]) == (30, 0)
    assert (metrics["points"], metrics["backed_points"]) == (5, 3)
    assert (metrics["decisive_points"], metrics["substantial_points"]) == (3, 2)
    assert (metrics["decisive_full"], metrics["substantial_unbacked"]) == (1, 1)
    assert metrics["detail_zero"] == 1
    assert scored(consultation(), sheet(given), text=questions(10)).metrics["questions_ok"] == 1


@pytest.mark.parametrize(
    ("penalty", "left"),
    [(Penalty("p", "轻", 1, 2), 5), (Penalty("p", "重", 0, all=True), 0)],
)
def test_penalties_take_from_the_whole(penalty: Penalty, left: float) -> None:
    one = consultation(penalties=(penalty,))
    given = {"q1": (3.0, "第1件事"), "q2": (2.0, "第2件事"), "q3": (1.0, "第3件事")}
    metrics = scored(one, sheet(given, ("p",)), text=questions(10)).metrics
    assert (metrics["points"], metrics["penalised"]) == (left, 1)
    assert metrics["decisive_points"] == 3


# --- documents ---


@pytest.mark.parametrize(
    ("task", "title", "right"),
    [
        (PLAINTIFF, "民事起诉状", 1),
        (PLAINTIFF, "民事答辩状", 0),
        (DEFENDANT, "民事答辩状", 1),
        (DEFENDANT, "民事判决书", 0),
    ],
)
def test_the_kind_and_length_of_a_document_are_reported(task: str, title: str, right: int) -> None:
    rubric = Rubric("d", 4, (Section("1.1", "案由", 4, (item("a", 4),)),))
    text = f"{title}\n" + "伞" * (2500 - len(title))
    metrics = scored(sample(task, rubric), sheet({"a": (4.0, "伞伞")}), text=text).metrics
    assert (metrics["kind_ok"], metrics["length"], metrics["length_ok"]) == (right, 2500, 1)
    assert (metrics["points"], metrics["claims_full"]) == (4, 1)
    short = scored(sample(task, rubric), sheet({"a": (4.0, "伞")}), text=f"{title}\n伞").metrics
    assert short["length_ok"] == 0


# --- figures ---


def test_overall_is_two_to_five_to_three_where_all_parts_are_there() -> None:
    rates = {CONSULTATION: 0.5, CASE: 0.6, PLAINTIFF: 0.2, DEFENDANT: 0.4}
    found = figures(rates)
    assert found["ldg"] == pytest.approx(0.3)
    assert found["overall"] == pytest.approx(0.1 + 0.3 + 0.09)
    without = {task: rate for task, rate in rates.items() if task != PLAINTIFF}
    assert figures(without) == {"plc": 0.5, "pca": 0.6}
    assert figures({}) == {}
