"""The tools as they should be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from hengfa.evals.engine.messages import ToolCall
from hengfa.world.tables.cells import amount, day
from hengfa.world.tables.schema import TABLE_OF
from hengfa.world.tables.world import World, write_world
from hengfa.world.tools.catalogue import EXTRA_TOOLS, MOST_ROWS, SOME_ROWS, tools_in
from hengfa.world.tools.observation import Observation, Status
from hengfa.world.tools.parsing import read_case_number, regions_in
from hengfa.world.tools.toolbox import Toolbox
from tests.world.tiny_world import (
    CASE,
    COMPANY,
    COURT,
    CREDIT,
    FIRM,
    REGION,
    SUBSIDIARY,
    TABLES,
    row,
)


@pytest.fixture(scope="module")
def tools(tiny: World) -> Toolbox:
    return Toolbox(tiny, "helpful")


def shown(found: Observation) -> Any:
    return msgspec.json.decode(found.text)


def test_the_catalogue_says_how_many_rows_there_are_on_a_page() -> None:
    limits = [
        limit
        for tool in tools_in("helpful")
        if (limit := tool.spec("helpful").parameters["properties"].get("limit"))
    ]
    assert len(limits) > 10
    for limit in limits:
        assert limit["maximum"] == MOST_ROWS
        assert f"默认{SOME_ROWS}" in limit["description"]


def test_columns_are_listed_in_the_schema(tools: Toolbox) -> None:
    assert len(tools.names) == 37 + len(EXTRA_TOOLS)
    (spec,) = tools.specs(["get_sub_company_info_list"])
    columns = spec.parameters["properties"]["columns"]["items"]["enum"]
    assert columns == list(TABLE_OF["SubCompanyInfo"].names)
    assert {"limit", "offset"} <= set(spec.parameters["properties"])


def test_values_are_typed_and_amounts_are_also_given_in_yuan(tools: Toolbox) -> None:
    found = tools.call("get_sub_company_info", {"identifier": SUBSIDIARY})
    assert shown(found)["row"] == {
        "关联上市公司全称": COMPANY,
        "上市公司关系": None,
        "上市公司参股比例": 90,
        "上市公司投资金额": "1.06亿",
        "上市公司投资金额（换算为元）": 106_000_000,
        "公司名称": SUBSIDIARY,
    }
    assert found.rows[0]["上市公司投资金额"] == "1.06亿"


def test_lists_come_in_pages_with_their_count(tools: Toolbox) -> None:
    asked = {"identifier": COMPANY, "columns": ["标题"], "limit": 2}
    first = shown(tools.call("get_legal_document_company_list", asked))
    assert first == {
        "count": 3,
        "offset": 0,
        "rows": [{"标题": "第12份判决书"}, {"标题": "第3份判决书"}],
        "next_offset": 2,
    }
    last = shown(tools.call("get_legal_document_company_list", {**asked, "offset": 2}))
    assert last["rows"] == [{"标题": "第4份判决书"}]
    assert "next_offset" not in last


@pytest.mark.parametrize(
    "spelling",
    [
        "(2020)云0101民初12号",
        " （2020） 云0101民初１２号",
        "〔2020〕云0101民初12号",
        "（2020）云0101民初12",
    ],
)
def test_width_blanks_and_brackets_are_no_matter(tools: Toolbox, spelling: str) -> None:
    found = shown(tools.call("get_legal_document", {"identifier": spelling, "columns": ["标题"]}))
    assert found == {"identifier": CASE, "row": {"标题": "第12份判决书"}}


@pytest.mark.parametrize(
    ("name", "identifier", "proposal"),
    [
        ("get_company_register", "青岚科技", COMPANY),
        ("get_legal_document_company_list", "000001", COMPANY),
        ("get_restriction_case_court_list", "云0101", COURT),
        ("get_lawfirm_log", "LF01", FIRM),
        ("get_company_register", CREDIT, COMPANY),
        ("get_court_info", "云川市青岚区法院", COURT),
    ],
)
def test_near_identifiers_are_proposed(
    tools: Toolbox, name: str, identifier: str, proposal: str
) -> None:
    found = tools.call(name, {"identifier": identifier})
    assert found.status is Status.NO_DATA
    assert shown(found)["suggestions"] == [proposal]


def test_unknown_columns_are_answered_with_the_columns(tools: Toolbox) -> None:
    found = tools.call("get_court_info", {"identifier": "无此法院", "columns": ["负责人"]})
    assert found.status is Status.BAD_COLUMN
    told = shown(found)
    assert told["columns"] == list(TABLE_OF["CourtInfo"].names)
    assert told["suggestions"] == {"负责人": ["法院负责人"]}


@pytest.mark.parametrize(
    ("name", "asked", "tools_that_know"),
    [
        # the subsidiary is not listed, and the parent is nobody's subsidiary
        ("get_company_info", {"identifier": SUBSIDIARY}, {"get_sub_company_info"}),
        ("get_sub_company_info", {"identifier": COMPANY}, {"get_company_info"}),
        ("get_company_register", {"identifier": CREDIT}, {"get_company_register_name"}),
        # the register has the column, and the company
        (
            "get_company_info",
            {"identifier": COMPANY, "columns": ["注册资本"]},
            {"get_company_register"},
        ),
    ],
)
def test_tools_that_know_what_was_asked_about_are_named(
    tools: Toolbox, name: str, asked: dict[str, Any], tools_that_know: set[str]
) -> None:
    told = shown(tools.call(name, asked))
    assert tools_that_know <= {*told["elsewhere"]}
    assert "elsewhere" in told["message"]
    columns = asked.get("columns", [])
    for other in told["elsewhere"]:
        given = {"identifier": asked["identifier"], **({"columns": columns} if columns else {})}
        assert tools.call(other, given).status is Status.OK


def test_a_name_that_other_tools_know_is_not_taken_for_a_misspelt_one(tmp_path: Path) -> None:
    """What looks like it is another company; a court may have more or less of its place."""
    branch, fuller = "白鹭物贸有限公司", f"云川省{COURT}"
    rows = {
        **TABLES,
        "CompanyRegister": [*TABLES["CompanyRegister"], row("CompanyRegister", 公司名称=branch)],
        "CourtCode": [row("CourtCode", 法院名称=fuller, 法院代字="云0101")],
    }
    write_world(tmp_path / "world.sqlite", rows, {}, source="test", note="fictional")
    with World.open(tmp_path / "world.sqlite") as world:
        tools = Toolbox(world, "helpful")
        told = shown(tools.call("get_sub_company_info", {"identifier": branch}))
        assert (told["elsewhere"], "suggestions" in told) == (["get_company_register"], False)
        misspelt = shown(tools.call("get_sub_company_info", {"identifier": "白鹭物行有限公司"}))
        assert misspelt["suggestions"] == [SUBSIDIARY]
        told = shown(tools.call("get_court_info", {"identifier": fuller}))
        assert (told["elsewhere"], told["suggestions"]) == (["get_court_code"], [COURT])


def test_what_no_tool_knows_has_none_named(tools: Toolbox) -> None:
    told = shown(tools.call("get_company_info", {"identifier": "乌有公司"}))
    assert "elsewhere" not in told
    told = shown(tools.call("get_company_info", {"identifier": COMPANY, "columns": ["执行法院"]}))
    assert "elsewhere" not in told  # no table of executions has the company
    assert "RestrictionCase" in told["tables"]["执行法院"]


def test_a_region_that_is_not_there_is_answered_with_near_ones(tools: Toolbox) -> None:
    asked = dict(zip(("prov", "city", "county"), (*REGION[:2], "青岚新区"), strict=True))
    told = shown(tools.call("get_court_info_list", asked))
    assert told["error"] == Status.NO_DATA
    assert told["suggestions"] == [dict(zip(asked, REGION, strict=True))]
    assert "suggestions" not in shown(tools.call("get_court_info_list", dict.fromkeys(asked, "")))


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("get_court_info", {"identifier": 5}, "identifier"),
        ("get_court_info", {}, "identifier"),
        ("get_court_info", {"identifier": COURT, "colums": []}, "colums"),
        ("get_legal_document_company_list", {"identifier": COMPANY, "limit": 0}, "limit"),
        ("aggregate_rows", {"table": "sqlite_master", "operation": "count"}, "table"),
        ("aggregate_rows", {"table": "LegalDoc", "operation": "sum"}, "column"),
        ("aggregate_rows", {"table": "LegalDoc", "operation": "sum", "column": "标题"}, "column"),
        ("calculate", {"expression": "__import__('os')"}, "expression"),
        ("calculate", {"expression": "1/0"}, "expression"),
        ("convert_date", {"value": "2020年13月01日"}, "value"),
        ("get_division", {"dividend": 1, "divisor": 0}, "divisor"),
        ("get_statute", {"identifier": "灯塔法第一条", "on": "昨天"}, "on"),
    ],
)
def test_bad_arguments_are_named(tools: Toolbox, name: str, arguments: Any, field: str) -> None:
    found = tools.call(name, arguments)
    assert found.status is Status.BAD_ARGUMENTS
    assert field in shown(found)["message"]


AMOUNT = "涉案金额（元）"


@pytest.mark.parametrize(
    ("arguments", "told", "names"),
    [
        ({"operation": "count", "tabel": "LegalDoc"}, "fields", ["table", "operation", "column"]),
        ({"table": "LegalDoc", "operation": "total"}, "fields", ["table", "operation", "column"]),
        (
            {"table": "LegalDoc", "operation": "count", "where": [{"field": "案号"}]},
            "fields",
            ["column", "operator", "value"],
        ),
        ({"table": "LegalDoc", "operation": "mean"}, "columns", [AMOUNT]),
        (
            {"table": "LegalDoc", "operation": "sum", "column": "标题"},
            "columns",
            ["涉案金额（元）"],
        ),
        ({"table": "LegalDoc", "operation": "max"}, "columns", ["关联公司", "标题", "案号"]),
        ({"table": "LegalDoc", "operation": "sum", "column": "金额"}, "columns", ["关联公司"]),
        ({"table": "Courts", "operation": "count"}, "tables", ["CompanyInfo"]),
    ],
)
def test_an_aggregate_that_cannot_be_made_is_answered_with_the_names_there_are(
    tools: Toolbox, arguments: Any, told: str, names: list[str]
) -> None:
    assert shown(tools.call("aggregate_rows", arguments))[told][: len(names)] == names


def test_unknown_tools_and_broken_json_are_told(tools: Toolbox) -> None:
    assert "get_sum" in shown(tools.call("get_total", {}))["tools"]
    assert tools.run(ToolCall("1", "get_sum", "{'a'}")).status is Status.BAD_ARGUMENTS


def cases(tools: Toolbox, **asked: Any) -> Any:
    columns = ["案号", "涉案金额（元）"]
    given = {"table": "RestrictionCase", "columns": columns, **asked}
    found = shown(tools.call("filter_rows", given))
    return [row["涉案金额（元）"] for row in found["rows"]], found["count"]


def test_rows_are_filtered_and_ordered_by_what_amounts_mean(tools: Toolbox) -> None:
    def where(operator: str, value: object) -> list[dict[str, object]]:
        return [{"column": "涉案金额（元）", "operator": operator, "value": value}]

    assert cases(tools, order_by="涉案金额（元）") == ([10.25, 20, 740_564, None], 4)
    assert cases(tools, order_by="涉案金额（元）", descending=True)[0] == [740_564, 20, 10.25, None]
    assert cases(tools, where=where(">", "0.1万")) == ([740_564], 1)
    assert cases(tools, where=where("<=", 20), limit=1) == ([20], 2)
    contains = [{"column": "案号", "operator": "contains", "value": "执2号"}]
    assert cases(tools, where=contains) == ([20], 1)


def test_dates_are_compared_as_dates(tools: Toolbox) -> None:
    def count(operator: str, value: str) -> int:
        where = [{"column": "日期", "operator": operator, "value": value}]
        asked = {"table": "LegalDoc", "operation": "count", "where": where}
        return int(shown(tools.call("aggregate_rows", asked))["value"])

    assert count(">", "2020-01-04") == 1
    assert count("=", "2020/1/3") == 1
    assert count("year", "2020年") == 3
    assert count("year", "2019") == 0


def test_figures_over_rows_and_groups(tools: Toolbox) -> None:
    def figure(operation: str, **more: Any) -> Any:
        asked = {"table": "RestrictionCase", "operation": operation, **more}
        return shown(tools.call("aggregate_rows", asked))

    amounts = {"column": "涉案金额（元）"}
    assert figure("sum", **amounts) == {"value": 740_594.25, "rows": 4}
    assert figure("max", **amounts)["value"] == 740_564
    assert figure("min", **amounts)["value"] == 10.25
    assert figure("mean", **amounts)["value"] == 246_864.75  # of the three that have one
    assert figure("count", **amounts)["value"] == 3
    groups = figure("count", group_by="执行法院")
    assert groups == {"groups": [{"执行法院": COURT, "value": 4, "rows": 4}], "count": 1}


def test_a_case_number_is_taken_apart(tools: Toolbox) -> None:
    found = shown(tools.call("parse_case_number", {"identifier": "(2020) 云0101民初12号"}))
    assert found == {
        "案号": CASE,
        "年份": 2020,
        "法院代字": "云0101",
        "法院名称": COURT,
        "案件类型": "民初",
        "序号": 12,
    }
    high = read_case_number("（2019）京民终7号")
    assert high and (high.court, high.kind) == ("京", "民终")
    top = read_case_number("（2021）最高法知民终5号之一")
    assert top and (top.court, top.kind, top.serial) == ("最高法", "知民终", 5)
    for text in ("第2200507124号", "2020云0101民初12号", "", "（2020）号"):
        assert read_case_number(text) is None


def test_an_address_is_placed_by_the_table_or_by_names(tools: Toolbox) -> None:
    table = shown(tools.call("parse_address", {"identifier": "青岚区星光路1号"}))
    assert table == dict(zip(("省份", "城市", "区县"), REGION, strict=True)) | {"from": "table"}
    names = shown(tools.call("parse_address", {"identifier": "云川市 青岚区 月光路9号"}))
    assert (names["区县"], names["from"]) == ("青岚区", "names")
    assert tools.call("parse_address", {"identifier": "月光路9号"}).status is Status.NO_DATA
    two = (("甲省", "甲市", "中区"), ("乙省", "乙市", "中区"))
    assert regions_in("中区一号", two) == list(two)
    assert regions_in("乙市中区一号", two) == [two[1]]


def test_statutes_are_found_by_name_and_number_only(tools: Toolbox) -> None:
    found = shown(tools.call("get_statute", {"identifier": "《灯塔法》第2条"}))
    assert found == {"texts": ["灯塔法第二条：守塔人不得离岗。"], "from": "world"}
    assert tools.call("get_statute", {"identifier": "灯塔法第九条"}).status is Status.NO_DATA
    mixed = shown(
        tools.call("legal_article_retriever", {"identifier": "灯塔法第一条 守塔人离岗", "k": 1})
    )
    assert mixed["texts"] == ["灯塔法第一条：灯塔须长明。"]


def test_statutes_come_from_the_law_library_where_there_is_one(tiny: World, tmp_path: Path) -> None:
    from hengfa.law.library import Library
    from tests.law.library import recited_laws as laws

    laws.build(tmp_path)
    with Library.open(tmp_path / "law.sqlite") as library:
        tools = Toolbox(tiny, "helpful", library=library)
        asked = {"identifier": f"《{laws.LAW}》第二条第一款"}
        then = shown(tools.call("get_statute", {**asked, "on": "2015年1月1日"}))
        assert then["from"] == "library"
        (provision,) = then["provisions"]
        assert (provision["text"], provision["version"]) == (laws.LIGHT, "2010-05-05")
        (latest,) = shown(tools.call("get_statute", asked))["provisions"]
        assert latest["version"] > "2010-05-05"


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("get_sum", {"identifier": ["0.1", 0.2]}, {"result": 0.3}),
        ("get_sum", ["1,000元", "2万元"], {"result": 21_000}),
        ("get_multiplication", {"identifier": ["2", "1.5亿"]}, {"result": 300_000_000}),
        ("get_subtraction", {"minuend": "1亿", "subtrahend": "1"}, {"result": 99_999_999}),
        (
            "get_subtraction",
            {"minuend": "2020年09月11日", "subtrahend": "2020-01-14"},
            {"result": 241, "unit": "天"},
        ),
        ("get_subtraction", {"minuend": "20200911", "subtrahend": "20200114"}, {"result": 797}),
        ("get_division", {"dividend": 1, "divisor": 8}, {"result": 0.125}),
        ("calculate", {"expression": "（1.06亿-600万）÷2"}, {"result": 50_000_000}),
        ("calculate", {"expression": "1,000 + 0.1 + 0.2"}, {"result": 1000.3}),
        ("convert_money", {"value": "1.06亿", "unit": "万元"}, {"value": 10_600, "unit": "万元"}),
        ("convert_date", {"value": "2020-1-2"}, {"date": "2020年01月02日"}),
        ("convert_date", {"value": "20200102", "form": "ISO"}, {"date": "2020-01-02"}),
        (
            "get_rank",
            {"identifier": ["2万", -3, "1亿"], "is_desc": "True"},
            [
                {"item": "1亿", "value": 100_000_000},
                {"item": "2万", "value": 20_000},
                {"item": -3, "value": -3},
            ],
        ),
    ],
)
def test_numbers(tools: Toolbox, name: str, arguments: Any, answer: Any) -> None:
    assert shown(tools.call(name, arguments)) == answer


def test_foreign_money_and_words_are_no_amount() -> None:
    assert [amount(text) for text in ("3万元", "3万美元", "-", "三万元整", True, None)] == [
        30_000,
        None,
        None,
        30_000,
        None,
        None,
    ]
    assert day("2020年02月30日") is None
