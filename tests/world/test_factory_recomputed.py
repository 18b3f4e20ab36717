"""Every answer again, by plain SQL and arithmetic that share nothing with `follow` but the plan."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from hengfa.world.factory import recomputed as module
from hengfa.world.factory.follow import LookInWorld, follow
from hengfa.world.factory.judging import Judge
from hengfa.world.factory.recomputed import Recomputation
from hengfa.world.factory.task import (
    Filter,
    FreshTask,
    Hop,
    Pick,
    Plan,
    Reason,
    Refused,
    Start,
    Wish,
)
from hengfa.world.tables.schema import Entity
from tests.world.test_factory_worlds import (
    PER_HOP,
    document,
    generated_file,
    hand_world,
    many_tasks,
)

FIRM, OTHER = "东律师事务所", "西律师事务所"
CASES_OF_FIRM = "get_legal_document_law_list"
AMOUNT = "涉案金额（元）"


@pytest.fixture(scope="module")
def recomputed() -> Iterator[Recomputation]:
    connection = sqlite3.connect(generated_file())
    yield Recomputation(connection)
    connection.close()


def on_paths(per_hop: int = PER_HOP) -> list[tuple[FreshTask, Plan]]:
    return [(task, task.plan) for task in many_tasks(per_hop)[0] if isinstance(task.plan, Plan)]


def test_every_answer_is_what_plain_sql_and_python_find(recomputed: Recomputation) -> None:
    wrong = {
        task.id: (task.key, again)
        for task, plan in on_paths()
        if (again := recomputed.keys(plan)) != task.key
    }
    assert wrong == {}


@pytest.mark.deep
def test_every_kind_of_question_and_selector_is_among_them() -> None:
    plans = [plan for _, plan in on_paths(195)]
    assert {plan.ask.kind for plan in plans} == {
        "cells",
        "count",
        "sum",
        "share",
        "names",
        "days",
        "listed",
        "mentions",
        "each_has",
        "each_total",
    }
    picks = {hop.pick.order for plan in plans for hop in plan.hops if hop.pick}
    assert picks == {"largest", "second", "smallest", "latest", "earliest", "frequent"}
    kinds = {one.kind for plan in plans for hop in plan.hops for one in hop.filters}
    assert kinds == {"year", "over", "equals", "role"}


def test_no_question_tells_its_answer_and_none_is_trivial() -> None:
    for task, _ in on_paths():
        assert not any(key in task.question for key in task.key), task.id
        assert not any(key.strip() in ("-", "无", "") or len(key) < 2 for key in task.key), task.id
        assert len(set(task.key)) == len(task.key), task.id


def test_the_question_has_every_piece_that_must_stay() -> None:
    for task, plan in on_paths():
        assert all(piece in task.question for piece in task.keep), task.id
        assert all(value in task.question for value in plan.start.values), task.id


def test_a_path_has_few_starts_and_the_type_tells_the_path() -> None:
    types = Counter(task.type for task, _ in on_paths())
    assert max(types.values()) == 2
    assert sum(times == 2 for times in types.values()) > 0.4 * len(types)
    ways: dict[str, str] = {}
    for task, _ in on_paths():
        assert ways.setdefault(task.type, task.way) == task.way
        assert task.way.count("----") == task.hops - 1
        assert task.type.startswith(f"{task.hops}-")


# --- cells that list several names ---


def of_firm(*hops: Hop, ask: Wish) -> Plan:
    return Plan(Start(Entity.FIRM, (FIRM,)), hops, ask)


def test_a_firm_in_a_list_of_two_is_counted_by_cells_and_not_shown_by_the_tools(
    tmp_path: Path,
) -> None:
    alone = document("（2020）霜0102民初1号", 10.0, "2020年03月01日")
    firms = f"{OTHER},{FIRM}"
    both = document("（2020）霜0102民初2号", 20.0, "2020年04月01日", 原告律师事务所=firms)
    count = of_firm(Hop(CASES_OF_FIRM), ask=Wish("count"))
    smallest = of_firm(
        Hop(CASES_OF_FIRM, pick=Pick("smallest", AMOUNT)), ask=Wish("cells", ("案号",))
    )
    with hand_world(tmp_path, LegalDoc=[alone, both]) as world:
        assert follow(count, LookInWorld(world)).keys == ("1件",)
        again = Recomputation(world.connection)
        assert again.keys(count) == ("2件",)
        assert again.keys(smallest) == ("（2020）霜0102民初1号",)
        with pytest.raises(Refused) as refused:
            Judge(world).check(count, ("1件",))
    assert refused.value.reason is Reason.RECOMPUTED


def test_the_most_frequent_is_counted_inside_lists_too(tmp_path: Path) -> None:
    firms = [FIRM, FIRM, f"{OTHER},{FIRM}", OTHER, f"{OTHER},南律师事务所", OTHER, OTHER]
    rows = [
        document(f"（2020）霜0102民初{n}号", 10.0, "2020年03月01日", 原告律师事务所=name)
        for n, name in enumerate(firms, 1)
    ]
    column = "原告律师事务所"
    plan = Plan(
        Start(Entity.COMPANY, ("乙有限公司",)),
        (Hop("get_legal_document_company_list", pick=Pick("frequent", column)),),
        Wish("cells", (column,)),
    )
    with hand_world(tmp_path, LegalDoc=rows) as world:
        assert Recomputation(world.connection).keys(plan) == (OTHER,)


def test_conditions_that_are_passed_over(tmp_path: Path) -> None:
    rows = [
        document("（2020）霜0102民初1号", 10.0, "2020年03月01日"),
        document("（2021）霜0102民初2号", 20.0, "2021年04月01日"),
    ]
    start = Start(Entity.COMPANY, ("乙有限公司",))
    tool = "get_legal_document_company_list"
    latest = Plan(start, (Hop(tool, pick=Pick("latest", "日期")),), Wish("cells", ("案号",)))
    in_2021 = Plan(start, (Hop(tool, (Filter("year", "日期", 2021),)),), Wish("count"))
    with hand_world(tmp_path, LegalDoc=rows) as world:
        again = Recomputation(world.connection)
        assert again.keys(latest) == ("（2021）霜0102民初2号",)
        assert again.keys(latest, heedless=True) == ("（2020）霜0102民初1号",)
        assert (again.keys(in_2021), again.keys(in_2021, heedless=True)) == (("1件",), ("2件",))


def test_what_has_no_one_answer_has_none(tmp_path: Path) -> None:
    rows = [document(f"（2020）霜0102民初{n}号", 10.0, "2020年03月01日") for n in (1, 2)]
    tied = of_firm(Hop(CASES_OF_FIRM, pick=Pick("largest", AMOUNT)), ask=Wish("cells", ("案号",)))
    with hand_world(tmp_path, LegalDoc=rows) as world:
        assert Recomputation(world.connection).keys(tied) is None


def test_it_shares_no_code_with_what_it_checks() -> None:
    source = Path(module.__file__).read_text(encoding="utf-8")
    for name in ("follow", "canonical", "words", "cells", "tools"):
        assert f".{name} import" not in source
