"""Who does not look things up gets no task: constants, copies, searches and single look-ups."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import msgspec
import pytest

from hengfa.world.factory.judging import (
    Cases,
    Constants,
    Judge,
    alike_in,
    find_copied,
    find_searched,
    share_in,
    spread_of,
)
from hengfa.world.factory.task import FreshTask, Hop, Pick, Plan, Reason, Refused, Start, Wish
from hengfa.world.tables.schema import Entity
from tests.world.test_factory_worlds import document, hand_world, many_tasks

SUBSIDIARIES, LAWSUITS = "get_sub_company_info_list", "get_legal_document_company_list"


def task(number: int, question: str, *keys: str) -> FreshTask:
    plan = Plan(Start(Entity.COMPANY, ("甲公司",)), (Hop(SUBSIDIARIES),), Wish("count"))
    return FreshTask(
        number, question, f"答案：{'、'.join(keys)}。", keys, (), "1-5-1", "x", 1, plan
    )


def refusal(judge: Judge, plan: Plan, *keys: str) -> Reason | None:
    try:
        judge.check(plan, keys)
    except Refused as refused:
        return refused.reason
    return None


# --- the same answer to everything ---


@pytest.mark.parametrize(
    ("size", "alike"), [(1, 1), (20, 1), (40, 1), (41, 2), (200, 9), (1000, 49)]
)
def test_less_than_one_in_twenty_may_be_alike_and_always_one(size: int, alike: int) -> None:
    assert alike_in(size) == alike


def tried(constants: Constants, *keys: str) -> bool:
    """Whether a task with these keys may be added; if so, it is."""
    answer = f"答案：{'、'.join(keys)}。"
    try:
        constants.check(keys, answer)
    except Refused as refused:
        assert refused.reason is Reason.COMMON
        return False
    constants.add(keys, answer)
    return True


def test_an_answer_that_too_many_have_is_refused_and_may_come_again_when_one_is_gone() -> None:
    constants = Constants(60)
    assert [tried(constants, "3家") for _ in range(3)] == [True, True, False]
    constants.remove(("3家",))
    assert [tried(constants, "3家") for _ in range(2)] == [True, False]


def test_an_answer_inside_another_counts_and_half_an_answer_counts_half() -> None:
    constants = Constants(40)
    assert tried(constants, "11家")
    assert not tried(constants, "1家")  # who always says 11家 would have both
    assert tried(constants, "2家")
    shared = Constants(60)
    assert tried(shared, "基层法院")
    assert tried(shared, "基层法院", "甲")
    assert not tried(shared, "基层法院", "乙")  # 基层法院甲 would have 1 + 1 + 1/2
    assert tried(shared, "中级法院", "乙")


def test_the_spread_of_answers_is_told() -> None:
    found = spread_of([task(n, "问", key) for n, key in enumerate(("甲", "甲", "乙", "丙"))])
    assert (found.tasks, found.different, found.commonest, found.share) == (4, 3, "甲", 0.5)
    assert (found.entropy, found.most) == (1.5, 2.0)


# --- the answer of another task, and of a search ---


def test_a_task_whose_nearest_question_has_the_answer_can_be_copied() -> None:
    tasks = [
        task(1, "甲公司旗下全资子公司有多少家？", "3家"),
        task(2, "乙公司旗下全资子公司有多少家？", "3家"),
        task(3, "（2020）云01民初1号案的案由是什么？", "3家"),
    ]
    assert find_copied(tasks) == [0, 1]
    assert find_copied([msgspec.structs.replace(tasks[0], key=("4家",)), *tasks[1:]]) == [1]


def test_a_task_whose_question_finds_the_answer_in_a_text_can_be_searched_for() -> None:
    cases = Cases(["某某诉青岚公司买卖合同纠纷案，合同价款五十万元", "天气很好"])
    told = task(1, "青岚公司的案件案由是什么？", "买卖合同纠纷")
    assert find_searched([told, task(2, "青岚公司的案件", "租赁合同纠纷")], cases) == [0]
    assert find_searched([told], Cases([])) == []


# --- one look-up, and no conditions ---


def test_what_one_look_up_of_the_start_shows_is_no_path(tmp_path: Path) -> None:
    """The parent of the plaintiff is asked for, and it was a defendant of the same company."""
    start = Start(Entity.COMPANY, ("乙有限公司",))
    lead = Hop(LAWSUITS, pick=Pick("latest", "日期"), link=("原告",))
    parent = Hop("get_sub_company_info")
    rows = [
        document(
            "（2020）霜0102民初1号", 1.0, "2020年03月01日", 原告="戊有限公司", 被告="甲股份有限公司"
        ),
        document("（2021）霜0102民初2号", 2.0, "2021年03月01日"),
    ]
    plan = Plan(start, (lead, parent), Wish("cells", ("关联上市公司全称",)))
    with hand_world(tmp_path, LegalDoc=rows) as world:
        assert refusal(Judge(world), plan, "甲股份有限公司") is Reason.ONE_CALL
        other = Plan(start, (lead, parent), Wish("cells", ("上市公司投资金额",)))
        assert refusal(Judge(world), other, "9000.00万元") is None


def test_a_condition_without_which_the_answer_is_the_same_is_none(tmp_path: Path) -> None:
    start = Start(Entity.COMPANY, ("甲股份有限公司",))
    largest = Hop(SUBSIDIARIES, pick=Pick("largest", "上市公司投资金额"))
    first = Plan(start, (largest,), Wish("cells", ("公司名称",)))
    second = Hop(SUBSIDIARIES, pick=Pick("second", "上市公司投资金额"))
    with hand_world(tmp_path) as world:
        judge = Judge(world)
        assert refusal(judge, first, "乙有限公司") is Reason.HEEDLESS
        other = Plan(start, (second,), Wish("cells", ("公司名称",)))
        assert refusal(judge, other, "丙有限公司") is None
        assert refusal(judge, other, "丁有限公司") is Reason.RECOMPUTED


# --- a thousand tasks ---


@pytest.mark.deep
def test_no_lazy_solver_gets_one_in_twenty_of_any_class() -> None:
    classes: dict[int, list[FreshTask]] = defaultdict(list)
    for made in many_tasks()[0]:
        if made.hops:
            classes[made.hops].append(made)
    assert sorted(classes) == [1, 2, 3, 4, 5]
    for tasks in classes.values():
        assert find_copied(tasks) == []
        for answer in {one.answer for one in tasks}:
            assert sum(share_in(one.key, answer) for one in tasks) / len(tasks) < 0.05
