"""All tools: what they are called, what they do in a sentence, what they take.

One list serves both protocols: native function calling (JSON Schema) and the published one, in
which the agent reads names and descriptions as text and writes an action as JSON. The sentences
are ours. Numbers follow legalagentbench.md 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal

import msgspec

from hengfa.evals.engine.messages import JSONObject, ToolSpec
from hengfa.world.tables.schema import LOOKUPS, PUBLISHED, REGION, Lookup, Schema

Mode = Literal["strict", "helpful"]
FINISH: Final = "finish"
FINAL_ANSWER: Final = "Final Answer"  # the name under which published agents call it

MOST_ROWS: Final = 200
SOME_ROWS: Final = 20


class Tool(msgspec.Struct, frozen=True):
    """One tool; extra tools have no number."""

    number: int
    name: str
    description: str
    parameters: JSONObject
    helpful_parameters: JSONObject | None = None
    """What it takes in helpful mode, where that is more."""

    def spec(self, mode: Mode) -> ToolSpec:
        """As a function that a model can call."""
        better = self.helpful_parameters if mode == "helpful" else None
        return ToolSpec(self.name, self.description, better or self.parameters)

    def line(self, mode: Mode) -> str:
        """As text: the name, what it does, and each argument."""
        parameters = self.spec(mode).parameters
        required = parameters["required"]
        arguments = "；".join(
            f"{name}{'' if name in required else '（可省略）'}：{argument.get('description', '')}"
            for name, argument in parameters["properties"].items()
        )
        return f"{self.name}：{self.description}参数：{arguments}。"


def _object(required: Iterable[str], **properties: JSONObject) -> JSONObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _text(description: str) -> JSONObject:
    return {"type": "string", "description": description}


def _choice(description: str, *choices: str) -> JSONObject:
    return {"type": "string", "enum": list(choices), "description": description}


def _whole(description: str, least: int, most: int | None = None) -> JSONObject:
    limit = {} if most is None else {"maximum": most}
    return {"type": "integer", "minimum": least, **limit, "description": description}


def _numbers(description: str) -> JSONObject:
    return {
        "type": "array",
        "items": {"type": ["number", "string"]},
        "minItems": 1,
        "description": description,
    }


_NUMBER: Final = {"type": ["number", "string"]}
_PAGING: Final = {
    "limit": _whole(f"最多返回多少条，默认{SOME_ROWS}", 1, MOST_ROWS),
    "offset": _whole("跳过前多少条，默认0", 0),
}
_REGION_WORDS: Final = dict(zip(REGION, ("省份", "城市", "区县"), strict=True))


def _lookup_tool(lookup: Lookup) -> Tool:
    columns = "、".join(lookup.match.columns)
    how = "三项同时" if lookup.match.rule == "all" else "其中任意一列" if "、" in columns else ""
    what = {
        "one": "返回第一条匹配的记录",
        "list": "返回全部匹配的记录",
        "name": "只返回公司名称",
    }[lookup.returns]
    title = f"{lookup.title}。" if lookup.title else ""
    description = f"{title}查询{lookup.table.title}：按{columns}{how}精确查找，{what}。"
    wanted = {
        name: _text(f"{_REGION_WORDS.get(name, columns)}，须与表中完全一致")
        for name in lookup.arguments
    }
    if lookup.returns == "name":
        return Tool(lookup.number, lookup.name, description, _object(wanted, **wanted))
    about = "需要返回的列名，留空则返回全部列"
    plain = {"type": "array", "items": {"type": "string"}, "description": about}
    listed = {**plain, "items": {"type": "string", "enum": list(lookup.table.names)}}
    paging = _PAGING if lookup.returns == "list" else {}
    return Tool(
        lookup.number,
        lookup.name,
        description,
        _object(wanted, **wanted, columns=plain),
        _object(wanted, **wanted, columns=listed, **paging),
    )


def _retriever(number: int, name: str, what: str, k: int) -> Tool:
    parameters = _object(
        ["identifier"], identifier=_text("检索用的问题或关键词"), k=_whole(f"返回几条，默认{k}", 1)
    )
    return Tool(number, name, f"检索与问题最相关的{what}，返回原文列表。", parameters)


_UNITS: Final = "可带千、万、亿"
_ITEMS: Final = _numbers(f"数字列表，{_UNITS}")

TOOLS: Final[tuple[Tool, ...]] = (
    *map(_lookup_tool, LOOKUPS),
    _retriever(29, "legal_knowledge_retriever", "法律知识", 5),
    _retriever(30, "legal_article_retriever", "法律条文", 5),
    _retriever(31, "legal_case_retriever", "典型案例", 1),
    Tool(32, "get_sum", "求一组数的和。", _object(["identifier"], identifier=_ITEMS)),
    Tool(
        33,
        "get_subtraction",
        "求两数之差。",
        _object(
            ["minuend", "subtrahend"],
            minuend={**_NUMBER, "description": f"被减数，{_UNITS}"},
            subtrahend={**_NUMBER, "description": f"减数，{_UNITS}"},
        ),
        _object(
            ["minuend", "subtrahend"],
            minuend={**_NUMBER, "description": f"被减数，{_UNITS}；两项都是日期则求相隔天数"},
            subtrahend={**_NUMBER, "description": f"减数，{_UNITS}；或较早的日期"},
        ),
    ),
    Tool(34, "get_multiplication", "求一组数的积。", _object(["identifier"], identifier=_ITEMS)),
    Tool(
        35,
        "get_division",
        "求两数之商。",
        _object(
            ["dividend", "divisor"],
            dividend={**_NUMBER, "description": f"被除数，{_UNITS}"},
            divisor={**_NUMBER, "description": f"除数，{_UNITS}，不能为零"},
        ),
    ),
    Tool(
        36,
        "get_rank",
        "把一组数字或日期按大小排序。",
        _object(
            ["identifier"],
            identifier=_numbers(f"数字（{_UNITS}）或日期的列表"),
            is_desc=_choice("从大到小为True，从小到大为False，默认False", "True", "False"),
        ),
    ),
    Tool(
        37,
        FINISH,
        "给出最终答案，结束任务。",
        _object(["answer"], answer=_text("对问题的完整回答")),
    ),
)

FIRST_OWN: Final = 38
"""The number of the first tool that a declaration brings."""

_OPERATORS: Final = ("=", "!=", ">", ">=", "<", "<=", "contains", "starts_with", "year")
_WHERE: Final = {
    "type": "array",
    "description": "条件列表，须同时满足；year按年份比较日期",
    "items": _object(
        ["column", "operator", "value"],
        column=_text("列名"),
        operator=_choice("比较方式", *_OPERATORS),
        value={**_NUMBER, "description": "比较的值，金额可带万、亿"},
    ),
}


def _table_tools(schema: Schema) -> tuple[Tool, ...]:
    """Those that take any table."""
    table = _choice("表名", *schema.table_of)
    return (
        Tool(
            0,
            "filter_rows",
            "按条件筛选一张表的记录，可排序和分页。",
            _object(
                ["table"],
                table=table,
                where=_WHERE,
                columns={
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "需要返回的列名，留空则返回全部列",
                },
                order_by=_text("按哪一列排序"),
                descending={"type": "boolean", "description": "是否从大到小，默认否"},
                **_PAGING,
            ),
        ),
        Tool(
            0,
            "aggregate_rows",
            "对一张表中符合条件的记录计数、求和、求最大、最小或平均，可分组。",
            _object(
                ["table", "operation"],
                table=table,
                operation=_choice("统计方式", "count", "sum", "max", "min", "mean"),
                column=_text("对哪一列统计；计数时可省略"),
                where=_WHERE,
                group_by=_text("按哪一列分组"),
                limit=_whole(f"最多返回多少组，默认{SOME_ROWS}", 1, MOST_ROWS),
            ),
        ),
    )


_OTHER_TOOLS: Final[tuple[Tool, ...]] = (
    Tool(
        0,
        "parse_case_number",
        "拆分案号，给出年份、法院代字、审理法院、案件类型和序号。",
        _object(["identifier"], identifier=_text("案号")),
    ),
    Tool(
        0,
        "parse_address",
        "判断地址所在的省份、城市和区县。",
        _object(["identifier"], identifier=_text("地址")),
    ),
    Tool(
        0,
        "get_statute",
        "按法律名称和条号查找条文原文。",
        _object(
            ["identifier"],
            identifier=_text("法律名称和条号，例如：民法典第五百七十七条"),
            on=_text("在这一天有效的版本，形如2021-01-01；省略则为最新版本"),
        ),
    ),
    Tool(
        0,
        "convert_money",
        "换算金额单位。",
        _object(
            ["value"],
            value={**_NUMBER, "description": f"金额，{_UNITS}"},
            unit=_choice("换算成什么单位，默认元", "元", "千元", "万元", "亿元"),
        ),
    ),
    Tool(
        0,
        "convert_date",
        "换算日期的写法。",
        _object(
            ["value"],
            value=_text("日期，例如2020年1月2日或2020-01-02"),
            form=_choice("写成什么样，默认年月日", "年月日", "ISO", "数字"),
        ),
    ),
    Tool(
        0,
        "calculate",
        "计算算式，可用加减乘除和括号。",
        _object(["expression"], expression=_text(f"算式，数字{_UNITS}")),
    ),
)

EXTRA_TOOLS: Final[tuple[Tool, ...]] = (*_table_tools(PUBLISHED), *_OTHER_TOOLS)
"""Only in helpful mode (legalagentbench.md 9.2)."""

TOOL_OF: Final[dict[str, Tool]] = {tool.name: tool for tool in (*TOOLS, *EXTRA_TOOLS)}

EXPOSED_ALWAYS: Final = (
    "get_sum",
    "get_rank",
    "legal_knowledge_retriever",
    "legal_article_retriever",
    "legal_case_retriever",
)
"""Added after tables were chosen. Published agents never see the other arithmetic tools."""

_TOOLS_OF_TABLES: Final[dict[str, tuple[int, ...]]] = {
    "CompanyInfo": (1,),
    "CompanyRegister": (2, 3),
    "SubCompanyInfo": (4, 5),
    "LegalDoc": (6, 8, 9),
    "CourtInfo": (10, 11, 12),
    "CourtCode": (10, 11, 12),
    "LawfirmInfo": (13, 14, 15),
    "LawfirmLog": (13, 14, 15),
    "AddrInfo": (16,),
    "LegalAbstract": (7,),
    "RestrictionCase": (17, 18, 19),
    "FinalizedCase": (20, 21, 22),
    "DishonestyCase": (23, 24, 25),
    "AdministrativeCase": (26, 27, 28),
}


def tools_of_tables(tables: Iterable[str], schema: Schema = PUBLISHED) -> list[str]:
    """The look-ups that come with chosen tables (legalagentbench.md 4.1).

    Choosing both tables of a pair lists their tools twice, as the published agents do; whoever
    wants them once takes ``dict.fromkeys``.
    """
    return [name for table in tables for name in _tools_of(table, schema)]


def _tools_of(table: str, schema: Schema) -> list[str]:
    if table in _TOOLS_OF_TABLES:
        return [TOOLS[number - 1].name for number in _TOOLS_OF_TABLES[table]]
    return [lookup.name for lookup in schema.declared if lookup.table_name == table]


@lru_cache(maxsize=16)
def tools_in(mode: Mode, schema: Schema = PUBLISHED) -> tuple[Tool, ...]:
    """The 37 tools, then those of a declaration, and in helpful mode the extra ones."""
    own = tuple(map(_lookup_tool, schema.declared))
    extra = (*_table_tools(schema), *_OTHER_TOOLS) if mode == "helpful" else ()
    return (*TOOLS, *own, *extra)
