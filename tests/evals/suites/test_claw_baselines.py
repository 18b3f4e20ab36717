"""The built-in models on CLaw: floor, ceiling, retrieval, and that search is honest."""

from __future__ import annotations

from typing import Any

import pytest
from tests.scoring import score_response, summarise

from hengfa.base.data.packs import sample_root
from hengfa.evals.engine.messages import Response, Status
from hengfa.evals.results.figures import TaskFigures
from hengfa.evals.suites.base import Rules
from hengfa.evals.suites.builtin import CEILING, FLOOR, RETRIEVAL, build, search_answers, search_of
from hengfa.evals.suites.claw import locating, reciting
from hengfa.evals.suites.claw.dataset import SETTINGS, ClawSample, load
from hengfa.evals.suites.claw.locating import Locating
from hengfa.evals.suites.claw.suite import FILLER, SUITE, commonest_place, id_form
from hengfa.evals.suites.plan import make_plan
from hengfa.law.grammar.citation_model import Position

read_place = Locating(frozenset()).read


def figures(
    name: str, setting: str = "all", rules: Rules = Rules.OFFICIAL
) -> dict[str, TaskFigures]:
    plan = make_plan("claw", setting=setting, data="sample")
    answers = build(name, plan.questions, ()).answers
    found = {}
    for asked in plan.questions:
        rule_set = asked.task.rule_set(rules)
        texts = (answers[plan.suite.key(asked.task.id, setting, one)] for one in asked.samples)
        scored = [
            score_response(rule_set, one, Response(Status.ANSWERED, text=text))
            for one, text in zip(asked.samples, texts, strict=True)
        ]
        found[asked.task.id] = summarise(asked.task.metric, None, scored)
    return found


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("rules", Rules)
def test_the_ceiling_is_perfect(setting: str, rules: Rules) -> None:
    found = figures(CEILING, setting, rules)
    assert found["id"].score == found["content"].score == 1
    assert {found["id"].more[name] for name in locating.ACCURACIES[1:]} == {1}
    assert found["content"].more[reciting.EXACT] == 1
    assert found["content"].more[reciting.EDITS_RAW] == 0
    assert found["content"].abstention == found["id"].abstention == 0


def test_floor_and_retrieval_lie_between() -> None:
    floor, retrieval = figures(FLOOR), figures(RETRIEVAL)
    for task in SUITE.tasks:
        low, middle = floor[task].score, retrieval[task].score
        assert low is not None and middle is not None
        assert 0 < low < middle < 1


def test_the_floor_knows_where_statutes_say_what_they_are_for() -> None:
    samples = load("id", sample_root() / "claw", "all", {})
    answer = commonest_place(samples)
    by_id = {one.id: one for one in samples}
    first = read_place(answer(by_id["月湖渡船法/2008-03-12/1"])).value
    assert first is not None and first.article == 1
    other = {answer(one) for one in samples if "本法" not in one.text}
    assert len(other) == 1


def test_the_filler_is_an_answer_and_survives_cleaning() -> None:
    rule_set = SUITE.tasks["content"].rule_set(Rules.CORRECTED)
    sample = load("content", sample_root() / "claw", "all", {})[0]
    scored = score_response(rule_set, sample, Response(Status.ANSWERED, text=FILLER))
    assert scored.metrics["abstained"] == 0
    assert scored.metrics[reciting.ROUGE_L]


@pytest.mark.parametrize("task", SUITE.tasks)
def test_search_never_answers_from_the_sample_itself(task: str) -> None:
    """Alone in its corpus, a sample finds nothing."""
    samples: list[Any] = load(task, sample_root() / "claw", "all", {})
    for sample in samples[::40]:
        (answer,) = search_answers(SUITE.tasks[task], [sample], ())
        assert answer in {FILLER, id_form(Position(1))}


def test_search_finds_the_other_version() -> None:
    wanted = {"月湖渡船法/2008-03-12/5.2", "月湖渡船法/2015-09-20/5.2"}
    samples = [one for one in load("id", sample_root() / "claw", "all", {}) if one.id in wanted]
    for task in SUITE.tasks.values():
        found = search_answers(task, samples, ())
        assert found == [task.baselines.reference(one) for one in samples]


def test_law_text_of_other_kinds_is_not_searched() -> None:
    assert not any(search_of(task).law for task in SUITE.tasks.values())


def test_samples_are_what_baselines_expect() -> None:
    assert all(isinstance(one, ClawSample) for one in load("id", sample_root() / "claw", "all", {}))
