"""The type graph follows from the schema and has every edge of the official gold paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hengfa.base.data.jsonfile import read_lines
from hengfa.world.factory.graph import (
    Link,
    TypeGraph,
    entity_in,
    inputs_of,
    leads_on,
    links_of,
    region_columns,
)
from hengfa.world.factory.task import type_number
from hengfa.world.tables.schema import LOOKUP_OF, LOOKUPS, TABLE_OF, Entity

GRAPH = TypeGraph()


def paths(shared: Path) -> list[dict[str, Any]]:
    file = shared / "data" / "LegalAgentBench" / "task_paths.jsonl"
    return [line for _, line in read_lines(file, dict[str, Any])]


def test_every_tool_takes_something() -> None:
    assert all(inputs_of(lookup) for lookup in LOOKUPS)


def test_what_tools_take_is_what_their_match_columns_hold() -> None:
    assert inputs_of(LOOKUP_OF["get_company_info"]) == (Entity.COMPANY, Entity.SHORT)
    assert inputs_of(LOOKUP_OF["get_court_code"]) == (Entity.COURT, Entity.COURT_CODE)
    assert inputs_of(LOOKUP_OF["get_lawfirm_info_list"]) == (Entity.REGION,)
    assert inputs_of(LOOKUP_OF["get_administrative_case"]) == (Entity.DECISION,)


def test_a_case_number_leads_to_the_case_and_through_its_code_to_the_court() -> None:
    links = links_of(LOOKUP_OF["get_legal_document"])
    assert Link(("案号",), Entity.CASE) in links
    assert Link(("案号",), Entity.COURT_CODE, cut=True) in links


def test_a_penalty_decision_leads_to_no_court() -> None:
    assert not any(link.cut for link in links_of(LOOKUP_OF["get_administrative_case"]))


def test_three_columns_make_a_region() -> None:
    assert region_columns(TABLE_OF["CourtInfo"]) == ("法院省份", "法院城市", "法院区县")
    assert region_columns(TABLE_OF["LegalDoc"]) == ()


def test_a_name_tool_yields_nothing_but_the_name() -> None:
    assert links_of(LOOKUP_OF["get_company_register_name"]) == (
        Link(("公司名称",), Entity.COMPANY),
    )


def test_prose_and_people_lead_nowhere() -> None:
    assert entity_in(TABLE_OF["CompanyRegister"], "法定代表人") is None
    assert entity_in(TABLE_OF["LegalDoc"], "判决结果") is None


def test_a_stock_code_leads_on_to_the_name_and_the_name_does_not() -> None:
    link = Link(("公司名称",), Entity.COMPANY)
    assert leads_on(LOOKUP_OF["get_company_info"], Entity.SHORT, link)
    assert not leads_on(LOOKUP_OF["get_company_info"], Entity.COMPANY, link)


@pytest.mark.shared
def test_all_hundred_official_edges_are_there(shared: Path) -> None:
    official = {pair for one in paths(shared) for pair in zip(one["path"], one["path"][1:])}  # noqa: B905
    assert len(official) == 100
    assert not official - {edge.tools for edge in GRAPH.edges}


@pytest.mark.shared
def test_three_official_edges_lead_to_nothing_new_and_are_not_sampled(shared: Path) -> None:
    official = {pair for one in paths(shared) for pair in zip(one["path"], one["path"][1:])}  # noqa: B905
    assert official - GRAPH.step_edges == {
        ("get_lawfirm_info_list", "get_lawfirm_info"),
        ("get_court_info_list", "get_court_info"),
        ("get_dishonesty_case_court_list", "get_restriction_case_court_list"),
    }


@pytest.mark.shared
def test_the_number_in_a_type_is_that_of_the_first_tool(shared: Path) -> None:
    wrong = [
        one["id"]
        for one in paths(shared)
        if len(one["path"]) > 1
        and int(one["type"].split("-")[1]) != type_number(LOOKUP_OF[one["path"][0]])
    ]
    assert wrong == []
