"""The built-in models on PLawBench, graded by a perfect grader and by the one with keywords."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.evals.grading.rubrics import graded_by
from tests.scoring import summarise

from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.grading.keywords import keyword_reply
from hengfa.evals.grading.submission import Submission
from hengfa.evals.grading.verdict import Reply, Sheet, verdict_code
from hengfa.evals.results.figures import TaskFigures
from hengfa.evals.suites.base import Attempt, Rules
from hengfa.evals.suites.builtin import CEILING, FLOOR, RETRIEVAL, build, floor_of, search_answers
from hengfa.evals.suites.plan import make_plan
from hengfa.evals.suites.plawbench.baselines import STOCK
from hengfa.evals.suites.plawbench.dataset import CASE, CONSULTATION, DEFENDANT, PLAINTIFF, TASKS
from hengfa.evals.suites.plawbench.rules import WAYS, rate_by
from hengfa.evals.suites.plawbench.suite import SUITE
from hengfa.evals.suites.scoring import Scored, score_attempt

Grader = Callable[[Submission], str]


def perfect(submission: Submission) -> str:
    """Full points for every item that stands in a line of the response, quoting the line."""
    awards: list[dict[str, Any]] = []
    lines = submission.response.splitlines()
    for item in submission.rubric.items():
        words = " ".join(item.text.split())
        evidence = [line for line in lines if words in line][:1]
        award: dict[str, Any] = {"id": item.id, "evidence": evidence, "reason": ""}
        if item.levels:
            award["level"] = max(item.levels, key=lambda one: one.points).name
        else:
            award["points"] = item.maximum if evidence else 0
        awards.append(award)
    said = {"awards": awards, "faults": [], "code": verdict_code(submission.response)}
    return json.dumps(said, ensure_ascii=False)


def graded_attempt(one: Any, text: str, seen: Submission, grader: Grader) -> Attempt:
    sheet = Sheet("g", (Reply("grade", "answered", grader(seen)),))
    return Attempt(one, Response(Status.ANSWERED, text=text), graded_by(seen, sheet))


def graded(model: str, grader: Grader, rules: Rules = Rules.OFFICIAL) -> dict[str, list[Scored]]:
    plan = make_plan("plawbench", data="sample")
    answers = build(model, plan.questions, ()).answers
    found: dict[str, list[Scored]] = {}
    for asked in plan.questions:
        rule_set = asked.task.rule_set(rules)
        grading = asked.task.grading
        assert grading is not None
        for one in asked.samples:
            text = answers[plan.suite.key(asked.task.id, "all", one)]
            attempt = graded_attempt(one, text, grading(one, text), grader)
            found.setdefault(asked.task.id, []).append(score_attempt(rule_set, attempt))
    return found


def figures(model: str, grader: Grader, rules: Rules = Rules.OFFICIAL) -> dict[str, TaskFigures]:
    found = {}
    for task, scored in graded(model, grader, rules).items():
        rule_set = SUITE.tasks[task].rule_set(rules)
        found[task] = summarise("rate", rule_set.pooled, scored, rule_set.more, rule_set.graded)
    return found


@pytest.mark.parametrize("rules", Rules)
def test_a_perfect_grader_gives_the_ceiling_full_marks(rules: Rules) -> None:
    for task, figure in figures(CEILING, perfect, rules).items():
        assert figure.score == 1, task
        assert (figure.more["backed_rate"], figure.band) == (1, None)
        assert {figure.more[rate_by(*way)] for way in WAYS} == {1}


def test_the_ceiling_has_the_form_that_was_asked_for() -> None:
    found = graded(CEILING, perfect)
    assert all(one.metrics["questions_ok"] == 1 for one in found[CONSULTATION])
    assert all(one.metrics["parts"] == 4 for one in found[CASE])
    assert all(one.metrics["kind_ok"] == 1 for t in (PLAINTIFF, DEFENDANT) for one in found[t])


def test_the_grader_that_looks_for_words_puts_floor_and_search_below_the_ceiling() -> None:
    floor, found, ceiling = (figures(m, keyword_reply) for m in (FLOOR, RETRIEVAL, CEILING))
    for task in TASKS:
        low, middle, high = (each[task].score for each in (floor, found, ceiling))
        assert low is not None and middle is not None and high is not None
        assert 0 <= low < high and middle < high
        assert high > 0.9


def test_the_floor_earns_facts_by_repeating_them_and_little_else() -> None:
    more = figures(FLOOR, keyword_reply)[CASE].more
    assert more["facts_rate"] > 0.5 > more["reasoning_rate"]
    assert more["statutes_rate"] == 0


@pytest.mark.parametrize("task", TASKS)
def test_search_never_answers_from_the_sample_itself(task: str) -> None:
    """Alone in its corpus, a sample finds nothing of its rubric."""
    plan = make_plan(f"plawbench/{task}", data="sample")
    samples: list[Any] = list(plan.questions[0].samples)
    for sample in samples:
        (answer,) = search_answers(SUITE.tasks[task], [sample], ())
        assert not any(item.text in answer for item in sample.rubric.items())


def test_stock_questions_are_as_many_as_may_be_asked() -> None:
    assert len(set(STOCK.questions)) == 25
    read = SUITE.tasks[CONSULTATION].rule_set(Rules.OFFICIAL).read
    floor = floor_of(SUITE.tasks[CONSULTATION])([])
    value = read(floor(None)).value
    assert value is not None and len(value.questions) == 25


@pytest.mark.shared
def test_on_the_released_data_the_ceiling_earns_all_that_can_be_earned(shared: Path) -> None:
    """Some sections have fewer points in their items than they say; the rest is out of reach."""
    root = shared / "data" / "PLawbench"
    for id_, task in SUITE.tasks.items():
        rule_set = task.rule_set(Rules.OFFICIAL)
        assert task.grading is not None
        points = reach = 0.0
        for one in task.load(root, "all", {}):
            text = task.baselines.reference(one)
            attempt = graded_attempt(one, text, task.grading(one, text), perfect)
            points += score_attempt(rule_set, attempt).metrics["points"] or 0.0
            sections = (
                min(section.maximum, sum(item.maximum for item in section.items))
                for section in one.rubric.sections
            )
            reach += min(one.rubric.maximum, sum(sections))
        assert points == pytest.approx(reach), id_
