"""Plans on a world written by hand lead to answers computed by hand, or are refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hengfa.world.factory.follow import LookInWorld, Outcome, follow
from hengfa.world.factory.task import Filter, Hop, Pick, Plan, Reason, Refused, Start, Wish
from hengfa.world.tables.schema import Entity
from hengfa.world.tables.world import World
from tests.world.test_factory_worlds import document, hand_world, subsidiary

SUBSIDIARIES, LAWSUITS = "get_sub_company_info_list", "get_legal_document_company_list"
INVESTED, AMOUNT = "上市公司投资金额", "涉案金额（元）"
PARENT = Start(Entity.COMPANY, ("甲股份有限公司",))
LARGEST = Hop(SUBSIDIARIES, pick=Pick("largest", INVESTED), link=("公司名称",))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with hand_world(tmp_path) as found:
        yield found


def run(world: World, *hops: Hop, ask: Wish, start: Start = PARENT) -> Outcome:
    return follow(Plan(start, hops, ask), LookInWorld(world))


def refusal(world: World, *hops: Hop, ask: Wish, start: Start = PARENT) -> Reason:
    with pytest.raises(Refused) as refused:
        run(world, *hops, ask=ask, start=start)
    return refused.value.reason


def test_counting_a_list(world: World) -> None:
    assert run(world, Hop(SUBSIDIARIES), ask=Wish("count")).keys == ("3家",)


def test_counting_what_a_filter_leaves(world: World) -> None:
    owned = Hop(SUBSIDIARIES, (Filter("equals", "上市公司参股比例", 100),))
    assert run(world, owned, ask=Wish("count")).keys == ("2家",)


def test_a_list_with_a_blank_amount_has_no_sum(world: World) -> None:
    assert refusal(world, Hop(SUBSIDIARIES), ask=Wish("sum", (INVESTED,))) is Reason.MISSING


def test_two_hops_with_all_steps_on_the_way(world: World) -> None:
    found = run(world, LARGEST, Hop(LAWSUITS), ask=Wish("sum", (AMOUNT,)))
    assert found.keys == ("3000.50元",)
    assert found.middle == ("1.50亿元", "乙有限公司")


def test_a_case_leads_to_its_court_by_the_code_in_its_number(world: World) -> None:
    largest = Hop(LAWSUITS, pick=Pick("largest", AMOUNT), link=("案号",), cut=True)
    found = run(world, LARGEST, largest, Hop("get_court_code"), ask=Wish("cells", ("法院名称",)))
    assert found.keys == ("霜城区人民法院",)
    assert found.middle[-3:] == ("（2021）霜0102民初2号", "2000元", "霜0102")


def test_a_question_may_name_a_court_by_a_case(world: World) -> None:
    start = Start(Entity.CASE, ("（1999）霜0102民初77号",))
    found = run(world, Hop("get_court_code"), ask=Wish("cells", ("法院级别",)), start=start)
    assert found.keys == ("基层法院",)
    assert found.middle == ("霜0102",)


def test_how_many_of_a_list_have_something(world: World) -> None:
    each = Hop(SUBSIDIARIES, link=("公司名称",), each=True)
    assert run(world, each, Hop(LAWSUITS), ask=Wish("each_has")).keys == ("1家",)
    assert run(world, each, Hop(LAWSUITS), ask=Wish("each_total")).keys == ("3件",)


def test_listed_or_not(world: World) -> None:
    found = run(world, LARGEST, Hop("get_company_info"), ask=Wish("listed"))
    assert found.keys == ("未上市",)


def test_shares_and_names(world: World) -> None:
    owned = Filter("equals", "上市公司参股比例", 100)
    assert run(world, Hop(SUBSIDIARIES), ask=Wish("share", of=owned)).keys == ("66.67%",)
    names = run(world, Hop(SUBSIDIARIES), ask=Wish("names", ("公司名称",))).keys
    assert names == ("乙有限公司", "丙有限公司", "丁有限公司")


def test_a_cell_with_several_names_gives_several_keys_and_leads_nowhere(world: World) -> None:
    start = Start(Entity.CASE, ("（2021）霜0102民初3号",))
    found = run(world, Hop("get_legal_document"), ask=Wish("cells", ("被告",)), start=start)
    assert found.keys == ("乙有限公司", "己有限公司")
    leads = Hop("get_legal_document", link=("被告",))
    asked = Wish("cells", ("注册资本",))
    reason = refusal(world, leads, Hop("get_company_register"), ask=asked, start=start)
    assert reason is Reason.SEVERAL_VALUES


def test_an_open_filter_is_bound_to_what_rows_have(world: World) -> None:
    plan = Plan(
        Start(Entity.COMPANY, ("乙有限公司",)),
        (Hop(LAWSUITS, (Filter("year", "日期"),)),),
        Wish("count"),
    )
    found = follow(plan, LookInWorld(world), lambda _filter, _rows: 2021)
    assert found.keys == ("2件",)
    assert found.plan.hops[0].filters == (Filter("year", "日期", 2021),)


def test_a_company_met_before_still_counts_among_the_subsidiaries(tmp_path: Path) -> None:
    """Its lawsuits were asked for on the way; leaving it out would be a wrong count."""
    theirs = document("（2022）霜0102民初4号", 9.0, "2022年03月01日", 关联公司="丙有限公司")
    mine = document("（2020）霜0102民初1号", 1000.5, "2020年03月01日")
    more = document("（2021）霜0102民初2号", 2000.0, "2021年03月01日")
    path = (
        Hop(LAWSUITS, pick=Pick("largest", AMOUNT), link=("原告",)),
        Hop("get_sub_company_info", link=("关联上市公司全称",)),
        Hop(SUBSIDIARIES, link=("公司名称",), each=True),
        Hop(LAWSUITS),
    )
    start = Start(Entity.COMPANY, ("乙有限公司",))
    with hand_world(tmp_path, LegalDoc=[theirs, mine, more]) as world:
        assert run(world, *path, ask=Wish("each_has"), start=start).keys == ("2家",)
        assert run(world, *path, ask=Wish("each_total"), start=start).keys == ("3件",)


def test_refusals(world: World, tmp_path: Path) -> None:
    nobody = Start(Entity.COMPANY, ("无此公司",))
    count = Wish("count")
    assert refusal(world, Hop(SUBSIDIARIES), ask=count, start=nobody) is Reason.EMPTY
    back = Hop("get_sub_company_info", link=("关联上市公司全称",))
    loop = refusal(world, LARGEST, back, Hop(SUBSIDIARIES), ask=count)
    assert loop is Reason.LOOP
    firms = Hop(LAWSUITS, pick=Pick("largest", AMOUNT), link=("被告律师事务所",))
    dash = refusal(world, LARGEST, firms, Hop("get_lawfirm_info"), ask=Wish("cells", ("通讯电话",)))
    assert dash is Reason.MISSING


def test_a_company_with_two_parents_has_no_parent_to_ask_for(tmp_path: Path) -> None:
    rows = [subsidiary("乙有限公司", "1.00亿"), subsidiary("乙有限公司", "2.00亿", parent="庚公司")]
    asked = Wish("cells", ("关联上市公司全称",))
    start = Start(Entity.COMPANY, ("乙有限公司",))
    with hand_world(tmp_path, SubCompanyInfo=rows) as world:
        reason = refusal(world, Hop("get_sub_company_info"), ask=asked, start=start)
    assert reason is Reason.SEVERAL_ROWS


def test_a_cell_that_was_never_observed_is_no_part_of_an_answer(tmp_path: Path) -> None:
    known = document("（2020）霜0102民初9号", 5.0, "2020年03月01日")
    row = {name: cell for name, cell in known.items() if name != AMOUNT}
    start = Start(Entity.COMPANY, ("乙有限公司",))
    with hand_world(tmp_path, LegalDoc=[known, row]) as world:
        reason = refusal(world, Hop(LAWSUITS), ask=Wish("sum", (AMOUNT,)), start=start)
        counted = run(world, Hop(LAWSUITS), ask=Wish("count"), start=start)
    assert reason is Reason.UNOBSERVED
    assert counted.keys == ("2件",)
