"""A rewritten question stands only if it asks for the same: by rule, and by a model."""

from __future__ import annotations

import asyncio
import re
from functools import cache

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.evals.engine.messages import Request, Response, Status
from hengfa.world.factory import rewriting as re_
from hengfa.world.factory.question import kept_groups
from hengfa.world.factory.rewriting import (
    Checker,
    Rewriting,
    by_model,
    by_rule,
    figures,
    in_order,
    not_copied,
)
from hengfa.world.factory.task import FreshTask, Plan, Reason, WritingPlan
from tests.world.test_factory_worlds import ON_PATHS, generated_world, many_tasks


@cache
def checker() -> Checker:
    return Checker(generated_world())


def on_path(ask: str, hops: int) -> FreshTask:
    return next(
        task
        for task in many_tasks()[0]
        if isinstance(task.plan, Plan) and task.plan.ask.kind == ask and task.hops == hops
    )


def test_every_rewriting_by_rule_passes_and_keeps_the_question_whole() -> None:
    tasks = [task for task in many_tasks()[0] if re_.can_be_rewritten(task)]
    outcomes = [checker().applied(task, by_rule(task, 1)) for task in tasks]
    counted = figures("rules", outcomes)
    assert (counted.asked, counted.passed, counted.refused) == (ON_PATHS, ON_PATHS, {})
    assert sum(one.task.question != one.task.template for one in outcomes) > 800 / 975 * ON_PATHS
    for task, outcome in zip(tasks, outcomes, strict=True):
        assert outcome.task.template == task.question
        assert outcome.task.key == task.key


def test_rules_are_seeded() -> None:
    task = on_path("count", 2)
    assert by_rule(task, 1) == by_rule(task, 1)
    assert len({by_rule(task, seed) for seed in range(20)}) > 10


def test_complaints_are_left_as_they_are() -> None:
    writing = [task for task in many_tasks()[0] if isinstance(task.plan, WritingPlan)]
    assert not any(map(re_.can_be_rewritten, writing))


# --- what is wrong with a rewriting ---


def problems(task: FreshTask, text: str) -> list[str]:
    return checker().problems(task, text)


def test_a_lost_name_condition_or_hint_is_found() -> None:
    task = on_path("sum", 2)
    for piece in task.keep:
        assert re_.LOST in problems(task, task.question.replace(piece, "")), piece


def test_another_number_is_found() -> None:
    task = on_path("count", 1)
    assert problems(task, f"{task.question}（共3处）") == [re_.NUMBERS]


def test_another_name_is_found() -> None:
    task = on_path("count", 1)
    assert problems(task, f"我在甲乙有限公司工作。{task.question}") == [re_.ADDED]


def test_an_answer_or_a_step_that_is_told_is_found() -> None:
    task = next(
        one for one in many_tasks()[0] if one.hops == 2 and not re.search("[0-9]", one.key[0])
    )
    assert re_.TOLD in problems(task, f"{task.question}应该是{task.key[0]}吧？")
    step = next(one for one in task.key_middle if one not in task.question)
    assert re_.TOLD in problems(task, f"{task.question}我知道{step}。")


def test_a_sermon_is_too_long() -> None:
    task = on_path("count", 1)
    assert problems(task, task.question + "啊" * 500) == [re_.LONG]


def test_a_key_that_the_path_does_not_lead_to_is_found() -> None:
    task = msgspec.structs.replace(on_path("count", 1), key=("987654321家",))
    assert problems(task, task.question) == [re_.CHANGED]


@settings(deadline=None, max_examples=40)
@given(st.text(alphabet="因为所以天气很好，我想了解情况。", max_size=60), st.booleans())
def test_harmless_words_before_or_after_change_nothing(words: str, after: bool) -> None:
    task = on_path("count", 2)
    text = f"{task.question}{words}" if after else f"{words}{task.question}"
    assert problems(task, text) == []


# --- what belongs together ---


def two_picks() -> FreshTask:
    """A task with two selectors of different columns on its way."""
    for task in many_tasks()[0]:
        if isinstance(task.plan, Plan):
            picks = [hop.pick for hop in task.plan.hops if hop.pick and hop.pick.order == "largest"]
            if len({pick.column for pick in picks}) == 2 and len(picks) == 2:
                return task
    raise AssertionError


def test_two_selectors_that_changed_places_are_found() -> None:
    task = two_picks()
    assert isinstance(task.plan, Plan)
    first, second = (piece for piece in task.keep if piece.endswith("最高"))
    swapped = task.question.replace(first, "§").replace(second, first).replace("§", second)
    assert in_order(task.plan, task.question)
    assert problems(task, swapped) == [re_.ORDER]


def test_a_question_before_or_after_what_it_is_about_is_in_order() -> None:
    task = on_path("count", 2)
    assert isinstance(task.plan, Plan)
    *groups, asked = ["".join(group) for group in kept_groups(task.plan)]
    for order in ([*groups, asked], [asked, *groups], [asked, *reversed(groups)]):
        assert in_order(task.plan, "，".join(order))


def test_a_question_that_came_near_to_one_with_the_answer_goes_back_to_its_template() -> None:
    task = on_path("count", 2)
    near = msgspec.structs.replace(task, question="甲乙丙丁戊己庚辛壬癸", template=task.question)
    twin = msgspec.structs.replace(near, id=task.id + 1, template=None)
    outcomes = not_copied([Rewriting(near), Rewriting(twin)])
    assert outcomes[0].task == task
    assert outcomes[0].problems == (str(Reason.COPIED),)
    assert outcomes[1] == Rewriting(twin)


# --- a model ---


class Script:
    """Answers in order; keeps what it was asked."""

    def __init__(self, *replies: str | Status) -> None:
        self.replies = list(replies)
        self.asked: list[Request] = []

    async def __call__(self, request: Request) -> Response:
        self.asked.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, Status):
            return Response(reply)
        return Response(Status.ANSWERED, reply)


def rewritten(task: FreshTask, script: Script) -> Rewriting:
    return asyncio.run(by_model(script, task, checker()))


def test_a_good_rewriting_is_taken_at_once() -> None:
    task = on_path("count", 2)
    script = Script(f"  我是一名律师。{task.question}\n")
    found = rewritten(task, script)
    assert not found.problems
    assert found.task.question == f"我是一名律师。{task.question}"
    assert len(script.asked) == 1
    prompt = script.asked[0].messages[0].content
    assert all(piece in prompt for piece in task.keep)
    assert not any(key in prompt for key in task.key)


def test_a_bad_one_is_asked_for_again_with_what_was_lost() -> None:
    task = on_path("count", 2)
    script = Script("换一个问题。", f"我是一名律师。{task.question}")
    assert not rewritten(task, script).problems
    again = script.asked[1].messages
    assert [message.role for message in again] == ["user", "assistant", "user"]
    assert task.keep[0] in again[-1].content
    assert script.asked[0].key != script.asked[1].key


def test_two_bad_ones_leave_the_template_and_say_why() -> None:
    task = on_path("count", 2)
    found = rewritten(task, Script("换一个问题。", "还是换一个问题。"))
    assert found.task == task
    assert re_.LOST in found.problems


@pytest.mark.parametrize("status", [Status.FILTERED, Status.FAILED, Status.TRUNCATED, Status.EMPTY])
def test_no_answer_is_no_rewriting(status: Status) -> None:
    task = on_path("count", 2)
    script = Script(status)
    found = rewritten(task, script)
    assert found.problems == (re_.NO_ANSWER,)
    assert found.task == task
    assert len(script.asked) == 1
