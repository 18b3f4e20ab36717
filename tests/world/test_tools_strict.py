"""The tools as published: order of checks, texts, arithmetic and its quirks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.evals.engine.messages import ToolCall
from hengfa.world.tables.schema import TABLE_OF
from hengfa.world.tables.world import World
from hengfa.world.tools.arithmetic import NotAnExpression, evaluate
from hengfa.world.tools.catalogue import EXPOSED_ALWAYS, TOOLS, tools_of_tables
from hengfa.world.tools.observation import Status
from hengfa.world.tools.toolbox import Toolbox
from tests.world.tiny_world import CASE, COMPANY, COURT, CREDIT, FIRM, REGION

BAD = "工具调用发生错误, 请检查传入工具的参数是否正确!"
NO_DATA = "No data found for the specified identifier."
BAD_COLUMN = "One or more specified columns do not exist."


@pytest.fixture(scope="module")
def tools(tiny: World) -> Toolbox:
    return Toolbox(tiny)


def test_there_are_37_tools_with_schemas_and_a_line_of_text_each(tools: Toolbox) -> None:
    assert [tool.number for tool in TOOLS] == list(range(1, 38))
    assert len(tools.names) == 37
    for spec in tools.specs():
        assert spec.parameters["type"] == "object"
        assert set(spec.parameters["required"]) <= set(spec.parameters["properties"])
    lines = tools.described(["get_company_info", "get_rank"]).split("\n")
    assert [line.split("：")[0] for line in lines] == ["get_company_info", "get_rank"]


def test_tables_bring_their_tools_and_a_pair_brings_them_twice() -> None:
    assert tools_of_tables(["CompanyInfo", "LegalDoc"]) == [
        "get_company_info",
        "get_legal_document",
        "get_legal_document_company_list",
        "get_legal_document_law_list",
    ]
    both = tools_of_tables(["CourtInfo", "CourtCode"])
    assert both == ["get_court_info", "get_court_info_list", "get_court_code"] * 2
    every = set(tools_of_tables(TABLE_OF))
    assert len(every) == 28
    assert not every & set(EXPOSED_ALWAYS)


def test_a_row_is_written_as_python_writes_it(tools: Toolbox) -> None:
    columns = ["曾用简称", "公司名称", "关联证券", "每股面值（元）", "邮政编码"]
    found = tools.call("get_company_info", {"identifier": "000001", "columns": columns})
    assert found.text == (
        "{'曾用简称': '-', '公司名称': '青岚科技股份有限公司', '关联证券': nan,"
        " '每股面值（元）': 1.0, '邮政编码': 100001}"
    )
    assert found.rows[0]["关联证券"] is None
    for identifier in (COMPANY, "青岚科技"):
        assert (
            tools.call("get_company_info", {"identifier": identifier}).rows[0]["公司代码"]
            == "000001"
        )


def test_lists_names_and_regions(tools: Toolbox) -> None:
    documents = tools.call("get_legal_document_law_list", {"identifier": FIRM, "columns": ["标题"]})
    assert documents.text == "[{'标题': '第12份判决书'}, {'标题': '第3份判决书'}]"
    assert tools.call("get_company_register_name", {"identifier": CREDIT}).text == COMPANY
    region = dict(zip(("prov", "city", "county"), REGION, strict=True))
    courts = tools.call("get_court_info_list", {**region, "columns": ["法院名称"]})
    assert courts.text == f"[{{'法院名称': '{COURT}'}}]"
    code = tools.call("get_court_code", {"identifier": "云0101", "columns": ["区划代码", "级别"]})
    assert code.text == "{'区划代码': ' -', '级别': 1}"
    result = tools.call("get_legal_document", {"identifier": CASE, "columns": ["判决结果"]})
    assert result.text == r"{'判决结果': '驳回\\n上诉'}"


def test_all_columns_come_in_table_order_unless_some_are_asked_for(tools: Toolbox) -> None:
    given: list[dict[str, Any]] = [{}, {"columns": []}, {"columns": None}]
    for columns in given:
        found = tools.call("get_address_info", {"identifier": "青岚区星光路1号", **columns})
        assert tuple(found.rows[0]) == TABLE_OF["AddrInfo"].names
    twice = tools.call(
        "get_address_info", {"identifier": "青岚区星光路1号", "columns": ["区县", "区县", "省份"]}
    )
    assert twice.text == "{'区县': '青岚区', '省份': '云川省'}"


@pytest.mark.parametrize(
    ("name", "arguments", "text", "status"),
    [
        ("get_court_info", {"identifier": "无", "columns": ["无"]}, NO_DATA, Status.NO_DATA),
        ("get_court_info", {"identifier": COURT, "columns": ["无"]}, BAD_COLUMN, Status.BAD_COLUMN),
        ("get_court_info", {"identifier": COURT, "columns": "级别"}, BAD_COLUMN, Status.BAD_COLUMN),
        ("get_court_info", {"identifier": COURT, "columns": 5}, BAD, Status.BAD_ARGUMENTS),
        ("get_court_info", {"identifier": COURT, "columns": [["级别"]]}, BAD, Status.BAD_ARGUMENTS),
        ("get_court_info", {"identifier": [COURT]}, BAD, Status.BAD_ARGUMENTS),
        ("get_court_info", {"identifier": None}, BAD, Status.BAD_ARGUMENTS),
        ("get_court_info", {}, BAD, Status.BAD_ARGUMENTS),
        ("get_court_info", COURT, BAD, Status.BAD_ARGUMENTS),
        ("get_court_info_list", {"prov": "云川省", "city": "云川市"}, BAD, Status.BAD_ARGUMENTS),
        ("get_court_info", {"identifier": COURT + " "}, NO_DATA, Status.NO_DATA),
        ("get_lawfirm_info", {"identifier": "lf01"}, NO_DATA, Status.NO_DATA),
        ("no_such_tool", {}, BAD, Status.UNKNOWN_TOOL),
        ("filter_rows", {"table": "LegalDoc"}, BAD, Status.UNKNOWN_TOOL),
    ],
)
def test_errors_have_the_published_texts_in_the_published_order(
    tools: Toolbox, name: str, arguments: Any, text: str, status: Status
) -> None:
    found = tools.call(name, arguments)
    assert (found.text, found.status) == (text, status)


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("get_sum", {"identifier": [1, 2, "3"]}, "6"),
        ("get_sum", [1, "2.5"], "3.5"),
        ("get_sum", {"identifier": ["9000万", "1.06亿", "5千"]}, "196005000.0"),
        (
            "get_sum",
            {"identifier": ["1万2千"]},
            "1.0000000000000001e+45",
        ),  # as eval reads 1*1e42*1e3
        ("get_sum", {"identifier": ["(1+2)*3", "-4"]}, "5"),
        ("get_sum", {"identifier": []}, "求和时发生错误，请检查参数格式！"),
        ("get_sum", {"identifier": ["100元"]}, "求和时发生错误，请检查参数格式！"),
        ("get_sum", {"identifier": ["1,000"]}, "求和时发生错误，请检查参数格式！"),
        ("get_sum", {"identifier": ["1/0"]}, "求和时发生错误，请检查参数格式！"),
        ("get_sum", {"identifier": "12"}, "求和时发生错误，请检查参数格式！"),
        ("get_sum", {"identifier": [None]}, "求和时发生错误，请检查参数格式！"),
        ("get_subtraction", {"minuend": "1万", "subtrahend": 1}, "9999.0"),
        ("get_subtraction", {"minuend": 1}, "减法时发生错误，请检查参数格式！"),
        ("get_multiplication", {"identifier": ["2", 3]}, "6"),
        ("get_multiplication", [], "乘法时发生错误，请检查参数格式！"),
        ("get_division", {"dividend": 1, "divisor": 4}, "0.25"),
        ("get_division", {"dividend": 1, "divisor": "0"}, "除法时发生错误，除数不能为零！"),
        ("get_division", {"dividend": "x", "divisor": 1}, "除法时发生错误，请检查参数格式！"),
        ("get_rank", {"identifier": ["2020年03月01日", "2019-12-31"]}, "[20191231, 20200301]"),
        ("get_rank", {"identifier": [1, "3万", -2], "is_desc": "True"}, "[30000.0, 2, 1]"),
        ("get_rank", [3, 1, 2], "[1, 2, 3]"),
        ("get_rank", {"identifier": ["-"]}, "[None]"),
        ("get_rank", {"identifier": ["-", 1]}, "排序时发生错误，请检查参数格式！"),
    ],
)
def test_arithmetic_as_published(tools: Toolbox, name: str, arguments: Any, text: str) -> None:
    assert tools.call(name, arguments).text == text


def test_retrievers_take_an_object_or_a_bare_text(tools: Toolbox) -> None:
    found = tools.call("legal_article_retriever", {"identifier": "守塔人离岗", "k": 1})
    assert found.text == "['灯塔法第二条：守塔人不得离岗。']"
    assert tools.call("legal_article_retriever", "守塔人离岗").value[0] == found.value[0]
    assert tools.call("legal_article_retriever", "xyz").status is Status.NO_DATA
    for arguments in ({"identifier": 5}, {"identifier": "守塔", "k": 0}, {}, None, {"k": "1"}):
        failed = tools.call("legal_article_retriever", arguments)
        assert (failed.text, failed.status) == ("检索时发生错误！", Status.RETRIEVAL_ERROR)


def test_a_retriever_of_the_users_own_is_asked_instead(tiny: World) -> None:
    asked: list[tuple[str, int]] = []

    def dense(query: str, k: int) -> list[int]:
        asked.append((query, k))
        return [1, 0][:k]

    tools = Toolbox(tiny, retrievers={"LegalKnowledge": dense})
    assert tools.call("legal_knowledge_retriever", {"identifier": "问", "k": 1}).value == [
        "守塔人的义务"
    ]
    assert asked == [("问", 1)]

    def broken(_query: str, _k: int) -> list[int]:
        raise RuntimeError

    tools = Toolbox(tiny, retrievers={"LegalKnowledge": broken})
    assert tools.call("legal_knowledge_retriever", "问").status is Status.RETRIEVAL_ERROR


def test_function_calls_bring_their_arguments_as_text(tools: Toolbox) -> None:
    assert tools.run(ToolCall("1", "get_sum", '{"identifier": [1, 2]}')).text == "3"
    assert tools.run(ToolCall("1", "get_sum", "{")).text == BAD
    assert tools.run(ToolCall("1", "finish", '{"answer": "完"}')).text == "完"
    assert tools.call("Final Answer", "完").text == "完"


_NUMBERS = st.one_of(
    st.integers(0, 10**9), st.floats(0, 1e9, allow_nan=False).map(lambda one: round(one, 3))
)
_EXPRESSIONS = st.recursive(
    _NUMBERS.map(str),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", " / ", "+ -"]), inner).map("".join),
        inner.map(lambda one: f"({one})"),
        inner.map(lambda one: f"-{one}"),
    ),
    max_leaves=8,
)


@given(_EXPRESSIONS)
@settings(deadline=None)
def test_an_expression_is_worth_what_python_says(text: str) -> None:
    try:
        wanted = eval(text)
    except ZeroDivisionError:
        with pytest.raises(ZeroDivisionError):
            evaluate(text)
        return
    found = evaluate(text)
    assert (type(found), found) == (type(wanted), wanted)


@given(st.text("0123456789.eE_+-*/() ,a%", max_size=12))
@settings(deadline=None, max_examples=500)
def test_what_python_refuses_is_refused(text: str) -> None:
    try:
        found = evaluate(text)
    except (NotAnExpression, ArithmeticError):
        return
    assert found == eval(text.strip())


@pytest.mark.parametrize(
    "text", ["", "2**9", "9//2", "07", "a", "1 2", "(1", "1)", "__import__('os')", "１"]
)
def test_other_python_is_no_expression(text: str) -> None:
    with pytest.raises(NotAnExpression):
        evaluate(text)
    with pytest.raises(NotAnExpression):
        evaluate("(" * 60 + "1" + ")" * 60)
