"""Writing tasks rest on the law of their days: each ground again, from the table as it is written
and from the texts of the library."""

from __future__ import annotations

import calendar
import tomllib
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hengfa.base.data.packs import folder_pack
from hengfa.base.errors import UsageError
from hengfa.law.grammar.numerals import format_article
from hengfa.law.library import FoundVersion, Library, Position, find_law, in_force_on
from hengfa.world.causes import REAL, SAMPLE
from hengfa.world.factory.make import make_tasks
from hengfa.world.factory.oracle import Oracle
from hengfa.world.factory.task import FreshTask, Refused, Wanted, WritingPlan
from hengfa.world.factory.writing import WrittenLaw
from hengfa.world.generator.law import library_law
from hengfa.world.published.recovered import write_recovered
from hengfa.world.tables.world import World
from tests.world.test_factory_worlds import generated_world, hand_world, many_tasks


def written(
    tasks: list[FreshTask] | tuple[FreshTask, ...],
) -> Iterator[tuple[FreshTask, WritingPlan]]:
    for task in tasks:
        if isinstance(task.plan, WritingPlan):
            yield task, task.plan


def expected(file: Path, plan: WritingPlan) -> list[str]:
    """The citations of a plan by the table alone, with dates counted here."""
    rules = tomllib.loads(file.read_text("utf-8"))["rules"]
    return [_provision(rules[ground.rule], plan) for ground in plan.grounds]


def _provision(rule: dict[str, Any], plan: WritingPlan) -> str:
    days = plan.days
    found = []
    for one in rule["provisions"]:
        on = {"signed": days.signed, "due": days.due, "filed": days.filed}.get(rule["on"])
        if on is None:
            month = days.due.month - 1 + one["months"]
            year, month = days.due.year + month // 12, month % 12 + 1
            last = calendar.monthrange(year, month)[1]
            on = date(year, month, min(days.due.day, last))
            if days.filed <= on:
                continue
        if one.get("since", date.min) <= on <= one.get("until", date.max):
            found.append(f"{one['law']}{format_article(one['article'])}")
    assert len(found) == 1
    return found[0]


def check(file: Path, task: FreshTask, plan: WritingPlan) -> None:
    citations = expected(file, plan)
    assert [ground.citation for ground in plan.grounds] == citations
    assert {*citations} <= {*task.key}
    assert all(f"（依据：{citation}）" in task.answer for citation in citations)
    for ground in plan.grounds:
        assert ground.law not in task.question


def test_grounds_under_the_sample_law_are_those_of_its_table() -> None:
    tasks, _ = many_tasks()
    plans = list(written(tasks))
    for task, plan in plans:
        check(SAMPLE, task, plan)
    assert len({plan.cause for _, plan in plans}) == 5


def test_the_number_of_an_amended_law_depends_on_the_day() -> None:
    with generated_world() as world:
        tasks, _ = make_tasks(world, Wanted(hops=(), writing=120, seed=8))
    cited = {
        (ground.article, ground.on >= date(2021, 10, 1))
        for _, plan in written(tasks)
        for ground in plan.grounds
        if ground.rule == "left_behind"
    }
    assert cited == {(9, False), (11, True)}


def test_question_says_when_and_not_by_which_law() -> None:
    tasks, _ = many_tasks()
    for task, plan in written(tasks):
        due, filed = plan.days.due, plan.days.filed
        assert f"{due.year}年{due.month}月{due.day}日" in task.question
        assert f"具状日期：{filed.year}年{filed.month}月{filed.day}日" in task.question
        assert len(plan.arguments) == len(plan.grounds) >= 2


def test_a_plan_of_another_world_is_not_solved(tmp_path: Path) -> None:
    _, plan = next(written(many_tasks()[0]))
    changed = msgspec.structs.replace
    with hand_world(tmp_path) as world, pytest.raises(Refused):
        WrittenLaw(world).citations(plan)
    with generated_world() as world:
        law = WrittenLaw(world)
        assert law.citations(plan)
        with pytest.raises(UsageError, match="no cause 'veil'"):
            law.citations(changed(plan, cause="veil"))
        with pytest.raises(Refused):
            law.citations(changed(plan, grounds=(changed(plan.grounds[0], rule="penalty"),)))


@pytest.fixture(scope="module")
def law_world(shared: Path, shared_file: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    """The benchmark's own world with the law library."""
    file = tmp_path_factory.mktemp("law-world") / "recovered.sqlite"
    with library_law(shared_file) as law:
        pack = folder_pack("legalagentbench", shared / "data" / "LegalAgentBench")
        write_recovered(pack, file, law)
    return World.open(file)


@pytest.mark.shared
def test_every_ground_of_two_hundred_tasks_is_the_law_of_its_day(
    law_world: World, corpus: Library
) -> None:
    with law_world:
        tasks, report = make_tasks(law_world, Wanted(hops=(), writing=200, seed=1))
        oracle = Oracle(law_world)
        assert report.tasks == {"writing": 200}
        laws: Counter[str] = Counter()
        for task, plan in written(tasks):
            check(REAL, task, plan)
            assert oracle.solve(plan).res == task.answer
            for ground in plan.grounds:
                answer = in_force_on(corpus, find_law(corpus, ground.law), ground.on)
                assert isinstance(answer, FoundVersion), ground
                text = corpus.text(answer.version, Position(ground.article))
                assert text is not None
                assert all(word in text for word in ground.words), ground
                laws[ground.law] += 1
    assert len({plan.cause for _, plan in written(tasks)}) == 19
    assert {*laws} >= {"合同法", "民法通则", "民法总则", "担保法", "侵权责任法", "公司法", "民法典"}
